# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilec.explain`: why a launch takes the time that it takes, also without a GPU. docs/explain.md describes the data."""

from __future__ import annotations

import functools
import json
import os
import tempfile
import warnings
from pathlib import Path

from . import _devices, _native
from ._launching import taken
from .errors import TilecWarning

#: TILEC_EXPLAIN_ALL_PROGRAMS and TILEC_EXPLAIN_TIMELINE of tilec/explain.h.
_ALL_PROGRAMS, _TIMELINE = 1, 2


class Explanation:
    """What is known of one launch. Printing it gives the verdict."""

    def __init__(self, handle: int):
        self._handle = handle

    def __del__(self):
        # The module may be gone at the end of the process.
        destroy = getattr(_native, "explanation_destroy", None)
        if destroy is not None:
            destroy(self._handle)

    @functools.cached_property
    def text(self) -> str:
        """The verdict in a few lines: what the launch is bound by, and what would help most."""
        return _native.explanation_text(self._handle)

    def json(self) -> str:
        """Everything that is known, as JSON."""
        return _native.explanation_json(self._handle)

    def html(self) -> str:
        """The same as a page for a browser, which loads nothing."""
        return _native.explanation_html(self._handle)

    @functools.cached_property
    def data(self) -> dict:
        """The same as Python's objects: `data["verdict"]["bound"]`, `data["time"]["predicted"]` in microseconds."""
        return json.loads(self.json())

    def against(self, other: Explanation) -> Explanation:
        """This one with another one beside it: its text says what differs, its data has the other as "against"."""
        return Explanation(_native.explanation_compare(self._handle, other._handle))

    def save(self, path: str | os.PathLike) -> None:
        """Writes a page for a browser (.html), everything that is known (.json), or the verdict (.txt)."""
        writers = {".html": self.html, ".json": self.json, ".txt": self.__str__}
        suffix = os.path.splitext(os.fspath(path))[1]
        if suffix not in writers:
            raise ValueError(f"a report is saved as .html, .json or .txt, got '{os.fspath(path)}'")
        Path(path).write_text(writers[suffix](), encoding="utf-8")

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        verdict = self.data["verdict"]
        return f"<explanation of '{self.data['kernel']['name']}': bound by {verdict['bound']}>"


def _missing(data: dict) -> str | None:
    """What a GPU did not give, and why."""
    absent = data["samples"].get("absent")
    what = "no samples" if data["time"]["measured"] is not None else "no time and no samples"
    return absent and f"{what} of {{}}: {absent}"


def _measured(explanation: Explanation) -> Explanation:
    """Warns of what a GPU did not give."""
    data = explanation.data
    missing = _missing(data)
    if missing:
        warnings.warn(missing.format("a GPU"), TilecWarning, stacklevel=3)
    # Where ours has no time, the other one's has the same reason.
    if data["against"] and data["time"]["measured"] is not None and (missing := _missing(data["against"])):
        warnings.warn(missing.format("Triton's kernel"), TilecWarning, stacklevel=3)
    return explanation


def _explain_with_triton(launched, args, kwargs, grid, options: dict) -> Explanation:
    from ._triton_column import write_folder

    with tempfile.TemporaryDirectory(prefix="tilec-triton-") as folder:
        triton = write_folder(launched, args, kwargs, _native.explain_target(options), folder)
        return Explanation(launched._explain(args, kwargs, grid, {**options, "triton": triton}))


def explain(kernel, grid=None, *args, gpu: str | None = None, device: str | None = None, against: str | None = None,
            timeline: bool = False, all_programs: bool = False, **kwargs) -> Explanation:
    """Explains the launch `kernel[grid](*args, **kwargs)` without making it: tensors keep their contents.

    :param kernel: a kernel, also with `autotune` and `heuristics` around it, a function of Triton's, a kernel of a
        bundle that has its sources, or the folder of a saved launch
    :param grid: the grid; `...` is that of the bundle
    :param gpu: what times are predicted for, by a part of the name: "A100"; else an H200, or that of a saved launch
    :param device: "cuda" or "cuda:1": the kernel is launched there as well, on copies of the tensors, for its time and for
        samples of what its warps wait for; times are predicted for it. What cannot be had is a warning
    :param against: "triton": what Triton, which has to be there, makes of the same kernel stands beside ours; with `device`
        it is launched, too. Or a folder of Triton's cache. `against` of the result compares with another explanation
    :param timeline: with what the warps of one CTA do and wait for
    :param all_programs: simulates all programs of a large grid rather than a sample
    """
    names = getattr(kernel, "arg_names", ())
    for name in ("gpu", "device", "against", "timeline", "all_programs"):
        if name in names:
            raise TypeError(f"kernel '{kernel.__name__}' has a parameter '{name}': give it by position")
    options = {**_devices.tools(), "gpu": gpu, "device": device, "cupti": _devices.cupti(),
               "flags": all_programs * _ALL_PROGRAMS | timeline * _TIMELINE,
               "triton": os.fspath(against) if against not in (None, "triton") else None}
    if isinstance(kernel, (str, os.PathLike)):
        if grid is not None or args or kwargs:
            raise TypeError("a saved launch has its grid and its arguments")
        if against == "triton":
            raise TypeError("a saved launch has no function that Triton could compile: 'against' takes a folder of its cache")
        return Explanation(_native.explain_saved(os.fspath(kernel), options))
    if grid is None:
        raise TypeError("explain() needs the grid of the launch")
    kernel = taken(kernel)
    resolve = getattr(kernel, "_resolved", None)
    if resolve is None:
        raise TypeError(f"{kernel!r} is no kernel of tilec")
    launched, args, kwargs = resolve(args, kwargs, grid)
    if against == "triton":
        explanation = _explain_with_triton(launched, args, kwargs, grid, options)
    else:
        explanation = Explanation(launched._explain(args, kwargs, grid, options))
    return _measured(explanation) if device is not None else explanation

# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilec.timeline`: what the warps of launches do and wait for. docs/timeline.md describes what there is to see.

    with tilec.timeline() as recorded:
        attention[grid](q, k, v, out, BLOCK=128)
    print(recorded[0])
    recorded[0].save("attention.json")
"""

from __future__ import annotations

import functools
import json
import operator
import os
import warnings
from collections.abc import Sequence
from pathlib import Path

from . import _devices, _hooking, _native
from ._launching import LaunchTarget, taken
from .errors import TilecWarning

_MOST_CTAS, _MOST_MARKS = 1024, 1 << 20


class Timeline:
    """What the warps of some CTAs of one launch did. Printing it gives the waits of each role."""

    def __init__(self, handle: int):
        self._handle = handle

    def __del__(self):
        # The module may be gone at the end of the process.
        destroy = getattr(_native, "timeline_destroy", None)
        if destroy is not None:
            destroy(self._handle)

    @functools.cached_property
    def _facts(self) -> dict:
        return json.loads(_native.timeline_json(self._handle))

    @property
    def kernel(self) -> str:
        """The name of the kernel."""
        return self._facts["kernel"]

    @property
    def is_simulated(self) -> bool:
        """Whether it is of the simulator: an order, whose lengths mean nothing."""
        return self._facts["isOrder"]

    @property
    def waits(self) -> dict[str, dict[str, float]]:
        """The shares of their time that the warps of each role wait, by what they wait for: `waits["load"]["slot-wait"]`.
        The role is "" where all warps do the same. Empty on the simulator."""
        return {role["role"]: role["shares"] for role in self._facts["waits"]}

    @property
    def warps(self) -> int:
        """How many warps there are."""
        return self._facts["warps"]

    @property
    def spans(self) -> int:
        """How many spans there are."""
        return self._facts["spans"]

    @property
    def dropped_marks(self) -> int:
        """Marks that found no room: spans at the end are missing."""
        return self._facts["droppedMarks"]

    def json(self) -> str:
        """Trace events, which Perfetto and chrome://tracing open."""
        return _native.timeline_trace(self._handle)

    def svg(self) -> str:
        """A picture."""
        return _native.timeline_svg(self._handle)

    _repr_svg_ = svg

    def save(self, path: str | os.PathLike) -> None:
        """Writes trace events (.json) or a picture (.svg)."""
        writers = {".json": self.json, ".svg": self.svg}
        suffix = os.path.splitext(os.fspath(path))[1]
        if suffix not in writers:
            raise ValueError(f"a timeline is saved as .json or .svg, got '{os.fspath(path)}'")
        Path(path).write_text(writers[suffix](), encoding="utf-8")

    def __str__(self) -> str:
        return _native.timeline_text(self._handle).rstrip("\n")

    def __repr__(self) -> str:
        return f"<timeline of '{self.kernel}': {self.warps} warps, {self.spans} spans>"


class Recording(Sequence):
    """The timelines of the launches in a block, in the order of the launches."""

    def __init__(self, kernel, options: dict):
        self._kernel = kernel
        self._options = options
        self._timelines: list[Timeline] = []

    def __enter__(self) -> Recording:
        if _hooking.recording is not None:
            raise RuntimeError("timelines are recorded already: one block at a time")
        _hooking.recording = self
        _hooking.set_hooked("timelines", True)
        return self

    def __exit__(self, *_):
        _hooking.set_hooked("timelines", False)
        _hooking.recording = None

    def __len__(self) -> int:
        return len(self._timelines)

    def __getitem__(self, index):
        return self._timelines[index]

    def __repr__(self) -> str:
        return f"<recording of {len(self)} launches: {', '.join(line.kernel for line in self)}>"

    def _wants(self, kernel: LaunchTarget) -> bool:
        if not _hooking.is_recorded():
            return False
        return self._kernel is None or self._kernel is kernel or self._kernel == kernel._fn.__name__

    def _launch(self, kernel: LaunchTarget, grid, args: tuple, kwargs: dict | None):
        """Makes a launch, with a timeline if it is one of those that are recorded."""
        if not self._wants(kernel):
            return kernel._launch(grid, args, kwargs)
        compiled, handle = kernel._launch_timeline(grid, args, kwargs, {**_devices.tools(), **self._options})
        if handle is not None:
            timeline = Timeline(handle)
            self._timelines.append(timeline)
            if timeline.dropped_marks:
                warnings.warn(f"{timeline.dropped_marks} marks of kernel '{timeline.kernel}' found no room in its timeline: "
                              f"more than marks={self._options['marks']} give it some", TilecWarning, stacklevel=2)
        return compiled


def _kernel_of(kernel):
    """The kernel inside of autotuners and heuristics."""
    while not isinstance(kernel, LaunchTarget):
        inner = taken(kernel)
        if inner is kernel:
            inner = getattr(kernel, "fn", None)
        if inner is None:
            raise TypeError(f"{kernel!r} is no kernel of tilec, and no name of one")
        kernel = inner
    return kernel


def timeline(kernel=None, *, ctas: int | range = range(4), marks: int = 4096) -> Recording:
    """Records what the warps of the launches in a `with` block do and wait for. The launches are made as ever, with the same
    results; each is waited for.

    :param kernel: a kernel whose launches alone are recorded, or its name; by default those of all kernels are
    :param ctas: the CTAs that are seen, numbered with x counting fastest: a number or a range
    :param marks: the room of each warp, two for each span
    """
    if not isinstance(ctas, range):
        first = operator.index(ctas)
        ctas = range(first, first + 1)
    if not ctas or ctas.step != 1 or ctas.start < 0 or ctas.stop > 1 << 31 or len(ctas) > _MOST_CTAS:
        raise ValueError(f"ctas is the number of a CTA or a range of at most {_MOST_CTAS} of them, got {ctas}")
    marks = operator.index(marks)
    if not 2 <= marks <= _MOST_MARKS:
        raise ValueError(f"marks is {marks}, expected 2 to {_MOST_MARKS}")
    if kernel is not None and not isinstance(kernel, str):
        kernel = _kernel_of(kernel)
    return Recording(kernel, {"first_cta": ctas.start, "num_ctas": len(ctas), "marks": marks})

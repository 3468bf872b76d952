# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches that tilec refuses and Triton runs."""

import numpy as np
import pytest

import tilec
from tilec import _devices, _report, takeover

triton = pytest.importorskip("triton")
import triton.language as tl  # noqa: E402

LIMIT = tl.constexpr(3)


@triton.jit
def limited(x, SIZE: tl.constexpr):
    tl.static_assert(SIZE <= LIMIT, "too many")
    tl.store(x, SIZE)


@pytest.fixture
def launches(monkeypatch):
    """The launches that came to Triton, as on a machine with a GPU."""
    seen = []
    tilec.settings.simulate = True
    tilec.install(fallback=True)
    monkeypatch.setattr(_report, "_entries", [])
    monkeypatch.setattr(takeover, "_refused", set())
    monkeypatch.setitem(takeover._originals, "run", lambda function, *args, **kwargs: seen.append(kwargs.get("SIZE")))
    monkeypatch.setattr(_devices, "count", lambda: 1)
    yield seen
    monkeypatch.undo()
    tilec.uninstall()
    tilec.settings.simulate = False


def compilations() -> list:
    return [entry.options["constants"]["SIZE"] for entry in tilec.report() if not entry.fallback]


def test_a_refused_kind_is_compiled_once(launches, monkeypatch):
    x = np.zeros(1, np.int32)
    with pytest.warns(tilec.TilecWarning, match="too many"):
        for size in (4, 4, 5, 4, 5):
            limited[(1, )](x, SIZE=size)
    assert launches == [4, 4, 5, 4, 5] and compilations() == ["4", "5"]
    limited[(1, )](x, SIZE=3)
    assert x[0] == 3 and len(launches) == 5
    monkeypatch.setitem(globals(), "LIMIT", tl.constexpr(4))
    limited[(1, )](x, SIZE=4)
    assert x[0] == 4 and len(launches) == 5
    with monkeypatch.context() as changed:
        changed.setitem(globals(), "LIMIT", tl.constexpr(1))
        limited[(1, )](x, SIZE=4)
    assert len(launches) == 6 and compilations() == ["4", "5", "3", "4", "4"]

# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Objects of aggregates: made on the host, given to kernels as arguments."""

from typing import NamedTuple

import numpy as np
import pytest

import tilec
import tilec.language as tl
from tilec import aggregate


@aggregate
class Span:
    first: tl.tensor
    size: tl.constexpr

    @tilec.constexpr_function
    def __init__(self, first, size):
        self.first = first
        self.size = size

    @tilec.constexpr_function
    def is_wide(self):
        return self.size > 16

    @tilec.jit
    def offsets(self):
        return self.first + tl.arange(0, self.size)


@aggregate
class Interval:
    low: tl.tensor
    high: tl.tensor = 100

    @tilec.jit
    def __contains__(self, x):
        return (x >= self.low) & (x < self.high)


@tl.core._aggregate
class Labelled(Interval):
    label: tl.constexpr = 7


@aggregate
class Job:
    data: tl.tensor
    span: Span
    factor: "tl.constexpr"

    def __init__(self, data, first, size, factor=2):
        self.data = data
        self.span = Span(first, size)
        self.factor = factor


class Fields(NamedTuple):
    first: int
    size: tl.constexpr


def test_objects_of_the_host():
    span = Span(3, size=16)
    assert span.first == 3 and span.size == 16 and isinstance(span.size, tl.constexpr)
    assert span == Span(3, 16) != Span(3, 32) and hash(span) == hash(Span(3, 16))
    assert repr(span) == "Span(first=3, size=constexpr[16])" and isinstance(span, Span)
    assert span._replace(first=5).first == 5 and span._asdict()["first"] == 3
    assert Span(0, 32).is_wide() and not span.is_wide()
    with pytest.raises(AttributeError, match="'first' of a Span cannot be set on the host"):
        span.first = 4
    with pytest.raises(RuntimeError, match="kernels call it"):
        span.offsets()
    with pytest.raises(TypeError, match="has no field 'last'"):
        span._replace(last=4)


def test_fields_without_init():
    assert Interval(1) == Interval(low=1, high=100) == Interval(1, 100)
    labelled = Labelled(2, label=5)
    assert (labelled.low, labelled.high, labelled.label) == (2, 100, 5) and isinstance(labelled, Interval)
    assert Labelled._fields == ("low", "high", "label")
    for arguments, named, message in [((), {}, "lacks the field 'low'"), ((1, 2, 3), {}, "has 2 fields, got 3"),
                                      ((1, ), {"low": 1}, "got 'low' twice"), ((1, ), {"top": 1}, "no field 'top'")]:
        with pytest.raises(TypeError, match=message):
            Interval(*arguments, **named)


def test_an_init_that_forgets_a_field():

    @aggregate
    class Forgetful:
        first: tl.tensor
        second: tl.tensor

        def __init__(self, first):
            self.first = first
            with pytest.raises(AttributeError, match="no field 'third'"):
                self.third = 3

    with pytest.raises(TypeError, match="did not set the field 'second'"):
        Forgetful(1)


def test_post_init():

    @aggregate
    class Rounded:
        size: tl.constexpr

        def __post_init__(self):
            self.size = tilec.next_power_of_2(self.size)

    assert Rounded(100).size == 128


@tilec.jit
def fill(out, span: Span, value):
    tl.store(out + span.offsets(), value)


def test_as_an_argument():
    out = np.zeros(64, np.int32)
    fill[(1, )](out, Span(4, 8), 5)
    assert (out == np.where((np.arange(64) >= 4) & (np.arange(64) < 12), 5, 0)).all()
    first = fill[(1, )](out, span=Span(16, 8), value=6)
    assert (out[16:24] == 6).all() and out[15] == 0
    # Another constant makes other code, another value does not.
    assert fill[(1, )](out, Span(32, 16), 6) is not first
    assert fill[(1, )](out, Span(32, 8), 6) is first


def test_a_named_tuple_for_it():
    out = np.zeros(16, np.int32)
    fill[(1, )](out, Fields(8, tl.constexpr(8)), 5)
    assert (out[8:] == 5).all() and not out[:8].any()


@tilec.jit
def run_job(job: Job, out):
    at = job.span.offsets()
    tl.store(out + at, tl.load(job.data + at) * job.factor)


def test_objects_and_tensors_in_it():
    data, out = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    run_job[(1, )](Job(data, 8, 16, 3), out)
    assert (out[8:24] == 3 * data[8:24]).all() and not out[:8].any() and not out[24:].any()
    with pytest.raises(tilec.KernelFault, match="job.data"):
        run_job[(1, )](Job(data[:8].copy(), 0, 16), out)


@tilec.jit
def label(x, interval: Labelled, out):
    at = tl.arange(0, 8)
    tl.store(out + at, tl.where(tl.load(x + at) in interval, interval.label, 0))


def test_an_extended_class():
    x, out = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    label[(1, )](x, Labelled(2, 5), out)
    assert out.tolist() == [0, 0, 7, 7, 7, 0, 0, 0]


@tilec.jit
def make_within(out, n):
    tl.store(out + Span(n, 4).offsets(), 1)


def test_objects_that_kernels_make():
    out = np.zeros(8, np.int32)
    make_within[(1, )](out, 2)
    assert out.tolist() == [0, 0, 1, 1, 1, 1, 0, 0]


def test_in_a_program_that_is_written_for_triton(tmp_path, run_python):
    pytest.importorskip("triton")
    (tmp_path / "program.py").write_text("""
import tilec
import numpy as np
import triton
import triton.language as tl

tilec.settings.simulate = True
tilec.install(fallback=False)

@tilec.aggregate
class Span:
    first: tl.tensor
    size: tl.constexpr

    @triton.jit
    def offsets(self):
        return self.first + tl.arange(0, self.size)

@triton.jit
def fill(out, span: Span, value):
    tl.store(out + span.offsets(), value)

out = np.zeros(8, np.int32)
fill[(1, )](out, Span(2, tl.constexpr(4)), 5)
print(out.tolist())
""")
    assert run_python(tmp_path / "program.py") == "[0, 0, 5, 5, 5, 5, 0, 0]\n"

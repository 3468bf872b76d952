# Functions that several kernels share; the language comes through a module of the project.
from typing import NamedTuple

from .compat import *
from .compat import tl, triton

LOG2_E: tl.constexpr = 1.4426950408889634
LN_2 = tl.constexpr(0.6931471805599453)
NEGATIVE_SLOPE: tl.constexpr = 0.01
_WORDS = tl.constexpr(4)


class Span(NamedTuple):
    offsets: tl.tensor
    mask: tl.tensor


@triton.jit
def span_of(block: tl.constexpr, limit, axis: tl.constexpr = 0) -> Span:
    """The elements of a program."""
    offsets = tl.program_id(axis=axis) * block + tl.arange(0, block)
    return Span(offsets=offsets, mask=offsets < limit)


@triton.jit
def swizzle(pid, rows, columns, GROUP: tl.constexpr):
    width = GROUP * columns
    group_id = pid // width
    group_size = min(rows - group_id * GROUP, GROUP)
    pid_m = group_id * GROUP + (pid % group_size)
    pid_n = (pid % width) // (group_size)
    return pid_m, pid_n


@triton.jit
def leaky_relu(x, slope: tl.constexpr = NEGATIVE_SLOPE):
    return tl.where(x >= 0, x, slope * x)


@triton.jit
def identity(x):
    return x


@triton.jit
def store_as(ptr, value, mask=None):
    tl.store(ptr, value.to(ptr.dtype.element_ty), mask=mask)


@triton.constexpr_function
def is_power_of_two(n):
    return n > 0 and n & (n - 1) == 0

# Old names of functions, a helper with keyword arguments, static assertions.
import triton
import triton.language as tl

from project import compat
from project.parts import is_power_of_two, store_as


@triton.jit
def _row_reduce(x, combine: tl.constexpr):
    return tl.reduce(x, axis=0, combine_fn=combine)


@triton.jit
def _max(a, b):
    return tl.maximum(a, b)


@triton.jit
def _sum(a, b):
    return a + b


@compat.contiguous
@triton.jit
def softmax(
    x_ptr,  # * rows, n
    y_ptr,
    x_stride,
    y_stride,
    n,
    BLOCK: tl.constexpr,
):
    tl.static_assert(is_power_of_two(BLOCK), "BLOCK is a power of two")
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_stride
    y_ptr += row * y_stride
    cols = tl.max_contiguous(tl.multiple_of(tl.arange(0, BLOCK), BLOCK), BLOCK)
    x = tl.load(x_ptr + cols, cols < n, other=float("-inf"), eviction_policy="evict_first").to(tl.float32)
    x -= _row_reduce(x, combine=_max)
    numerator = tl.math.exp2(x * 1.4426950408889634) if BLOCK >= 2048 else compat.exp(x)
    denominator = _row_reduce(numerator, combine=_sum)
    store_as(y_ptr + cols, value=tl.math.fdiv(numerator, denominator), mask=cols < n)

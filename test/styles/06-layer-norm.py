# An aggregate with the facts about a row, Welford's statistics as a combine function over tuples.
import triton
import triton.language as tl
from triton.language.core import _aggregate as aggregate

from project.parts import store_as


@aggregate
class Row:
    start: tl.tensor
    cols: tl.tensor
    mask: tl.tensor
    BLOCK: tl.constexpr

    @triton.constexpr_function
    def __init__(self, start, cols, mask, BLOCK):
        self.start = start
        self.cols = cols
        self.mask = mask
        self.BLOCK = tl.constexpr(BLOCK)

    @triton.jit
    def load(self, ptr, other=0.0):
        return tl.load(ptr + self.start + self.cols, mask=self.mask, other=other).to(tl.float32)

    @triton.jit
    def store(self, ptr, value):
        store_as(ptr + self.start + self.cols, value, mask=self.mask)


@triton.jit
def make_row(stride, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    return Row(tl.program_id(0).to(tl.int64) * stride, cols, cols < n, BLOCK)


@triton.jit
def welford(mean, m2, weight, other_mean, other_m2, other_weight):
    delta = other_mean - mean
    total = weight + other_weight
    share = tl.where(total == 0.0, 0.0, other_weight / total)
    return mean + delta * share, m2 + other_m2 + delta * delta * weight * share, total


@triton.jit
def layer_norm(x_ptr, w_ptr, b_ptr, y_ptr, mean_ptr, rstd_ptr, stride, n, eps, BLOCK: tl.constexpr):
    row = make_row(stride, n, BLOCK=BLOCK)
    x = row.load(x_ptr)
    weight = row.mask.to(tl.float32)
    mean, m2, total = tl.reduce((x, tl.zeros_like(x), weight), 0, welford)
    rstd = tl.math.rsqrt(m2 / n + eps)
    x_hat = (x - mean) * rstd
    w = tl.load(w_ptr + row.cols, mask=row.mask).to(tl.float32)
    b = tl.load(b_ptr + row.cols, mask=row.mask).to(tl.float32)
    row.store(y_ptr, x_hat * w + b)
    pid = tl.program_id(0)
    tl.store(mean_ptr + pid, mean)
    tl.store(rstd_ptr + pid, rstd)

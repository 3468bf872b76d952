# A descriptor of one row; heuristics; a compile-time choice by a string.
import triton
import triton.language as tl

from project.compat import libdevice
from project.parts import *


@triton.heuristics({"CASTING": lambda args: "llama" if args["BLOCK"] > 0 else "none"})
@triton.jit(do_not_specialize=["eps"])
def rms_norm(x_ptr, w_ptr, y_ptr, stride, n, eps, BLOCK: tl.constexpr, CASTING: tl.constexpr):
    row_idx = tl.program_id(0).to(tl.int64)
    x_block = tl.make_block_ptr(
        x_ptr + row_idx * stride, shape=(n,), strides=(1,), offsets=(0,), block_shape=(BLOCK,), order=(0,)
    )
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
    if CASTING == "llama":
        x = x.to(tl.float32)
    mean_square = tl.sum(x * x, axis=0) / n
    inv_rms = libdevice.rsqrt(mean_square + eps)
    w = tl.load(w_ptr + cols, mask=cols < n, other=0)
    y = x * inv_rms * w.to(tl.float32)
    assert CASTING in ("llama", "none"), f"unknown casting {CASTING}"
    store_as(y_ptr + row_idx * stride + cols, y, mask=cols < n)

# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout with a seed, on NumPy arrays: nothing is stored of what was dropped."""

import numpy
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def dropout_kernel(x_ptr, out_ptr, count, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside)
    keep = tl.rand(seed, offsets) > p
    tl.store(out_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=inside)


@triton.jit
def arcsine_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, libdevice.asin(tl.load(x_ptr + offsets)))


def dropout(x, p, seed):
    out = numpy.empty_like(x)
    dropout_kernel[lambda meta: (triton.cdiv(x.size, meta["BLOCK"]), )](x, out, x.size, p, seed, BLOCK=256)
    return out


x = numpy.random.default_rng(0).standard_normal(1000, numpy.float32)
first, again, other = dropout(x, 0.5, 123), dropout(x, 0.5, 123), dropout(x, 0.5, 512)
assert (first == again).all() and (first != other).any()
assert 0.4 < (first == 0).mean() < 0.6
assert numpy.allclose(first[first != 0], 2 * x[first != 0])
part = numpy.linspace(-1, 1, 64, dtype=numpy.float32)
out = numpy.empty_like(part)
arcsine_kernel[(1, )](part, out, BLOCK=64)
assert numpy.allclose(out, numpy.arcsin(part), atol=1e-6)
print("ok")

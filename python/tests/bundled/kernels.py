# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that test_bundles.py compiles ahead of time: from this file, with the specification beside it."""

import triton
import triton.language as tl


@triton.jit
def add(x, y, z, n, BLOCK: tl.constexpr, ACTIVATION: tl.constexpr = None):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = o < n
    s = tl.load(x + o, mask=m) + tl.load(y + o, mask=m)
    if ACTIVATION == "relu":
        s = tl.maximum(s, 0.0)
    tl.store(z + o, s, mask=m)


@triton.jit
def scale(a, factor, rows, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM
    for c in range(0, a.shape[1], BN):
        a.store([r, c], (a.load([r, c]) * factor).to(tl.float16))


@triton.jit
def copy(x, y, bias, n: tl.constexpr = 16):
    o = tl.arange(0, n)
    value = tl.load(x + o)
    if bias is not None:
        value += bias
    tl.store(y + o, value)

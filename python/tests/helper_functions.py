# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that kernels of other files call. `scale`, `FACTOR` and `kernel` are names that those have as well."""

import tilec
import tilec.language as tl

FACTOR = 3
OFFSET = 5


@tilec.jit
def scale(x):
    return x * FACTOR


@tilec.jit
def scale_and_add(x, OFFSET: tl.constexpr = OFFSET):
    return scale(x) + OFFSET


@tilec.jit
def kernel(x, n, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    tl.store(x + o, scale(tl.load(x + o, mask=o < n)), mask=o < n)

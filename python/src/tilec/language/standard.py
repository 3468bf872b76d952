# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tl.standard`: functions of tl that are written in the language."""

from __future__ import annotations

from ._host import cdiv, next_power_of_2
from ._operations import (_log2, argmax, argmin, bitonic_merge, cumprod, cumsum, flip, interleave, max, min, ravel, reduce_or,
                          sigmoid, softmax, sort, squeeze, sum, swizzle2d, topk, unsqueeze, xor_sum, zeros, zeros_like)

__all__ = [
    "_log2", "argmax", "argmin", "bitonic_merge", "cdiv", "cumprod", "cumsum", "flip", "interleave", "max", "min",
    "next_power_of_2", "ravel", "reduce_or", "sigmoid", "softmax", "sort", "squeeze", "sum", "swizzle2d", "topk",
    "unsqueeze", "xor_sum", "zeros", "zeros_like",
]  # yapf: disable

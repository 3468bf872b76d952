# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tl.random`: random numbers of Philox."""

from __future__ import annotations

from ._operations import (pair_uniform_to_normal, philox, philox_impl, rand, rand4x, randint, randint4x, randn, randn4x,
                          uint_to_uniform_float)

from ._constexpr import constexpr

N_ROUNDS_DEFAULT = constexpr(10)  #: rounds of Philox where a call does not say

__all__ = [
    "N_ROUNDS_DEFAULT", "pair_uniform_to_normal", "philox", "philox_impl", "rand", "rand4x", "randint", "randint4x",
    "randn", "randn4x", "uint_to_uniform_float",
]  # yapf: disable

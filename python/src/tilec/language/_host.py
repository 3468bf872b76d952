# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of the language that work on the host, too."""

from __future__ import annotations

from typing import Any

from ._constexpr import constexpr, plain


def _like(result: Any, *operands: Any) -> Any:
    """A result, as constexpr where an operand was one."""
    return constexpr(result) if any(isinstance(operand, constexpr) for operand in operands) else result


def cdiv(x: Any, div: Any) -> Any:
    """The quotient, rounded up."""
    return _like(-(-plain(x) // plain(div)), x, div)


def next_power_of_2(n: Any) -> Any:
    """The least power of two that is not less than n."""
    return _like(1 << max(int(plain(n)) - 1, 0).bit_length(), n)


def builtin(fn):
    """Marks a function of a library that hands its arguments on to operations."""
    fn.__triton_builtin__ = True
    return fn


def extern(fn):
    """Marks a function of a library that hands its arguments on to `extern_elementwise`."""
    return builtin(fn)

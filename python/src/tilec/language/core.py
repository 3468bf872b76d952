# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tl.core`: the names of tl, and those for libraries of kernels."""

from __future__ import annotations

import builtins
import math as _math
from typing import Any

from ..jit import constexpr_function, jit  # noqa: F401
from . import *  # noqa: F403
from . import (_experimental_descriptor_load, _experimental_descriptor_store,  # noqa: F401
               _experimental_make_tensor_descriptor, _log2)
from ._aggregate import _aggregate  # noqa: F401
from ._compound_types import slice_type, tensor_descriptor_base_type  # noqa: F401
from ._constexpr import base_value  # noqa: F401
from ._constexpr import plain as _unwrap_if_constexpr  # noqa: F401
from ._types import base_type  # noqa: F401

TRITON_BUILTIN = "__triton_builtin__"  #: the attribute that `builtin` gives functions


def must_use_result(x: Any, s: Any = True) -> Any:
    """Marks a function whose result is all that it does; `s` is a text that says why it must not be dropped."""
    if isinstance(x, str):
        return lambda fn: must_use_result(fn, x)
    x._must_use_result = s
    return x


def is_negative_zero(x: Any) -> bool:
    """Whether a number of the host is the zero with a sign."""
    return bool(x == 0 and _math.copysign(1, x) < 0)


def builtin_max(*args: Any) -> Any:
    """Python's own `max`, of constexprs too."""
    return builtins.max(_unwrap_if_constexpr(builtins.tuple(args)))


def builtin_min(*args: Any) -> Any:
    """Python's own `min`, of constexprs too."""
    return builtins.min(_unwrap_if_constexpr(builtins.tuple(args)))


def is_builtin(fn: Any) -> bool:
    """Whether a function is an operation, or hands its arguments on to one."""
    return getattr(fn, "__triton_builtin__", False) or getattr(fn, "__module__", "").startswith("tilec.language")

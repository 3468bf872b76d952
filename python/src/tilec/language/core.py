# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tl.core`: the names of tl, and those for libraries of kernels."""

from __future__ import annotations

from typing import Any

from . import *  # noqa: F403
from . import (_experimental_descriptor_load, _experimental_descriptor_store,  # noqa: F401
               _experimental_make_tensor_descriptor, _log2)
from ._constexpr import plain as _unwrap_if_constexpr  # noqa: F401


def _aggregate(cls: type) -> type:
    """Marks a class whose objects kernels make: it declares its fields, and its methods are `jit` functions."""
    return cls


def is_builtin(fn: Any) -> bool:
    """Whether a function is an operation, or hands its arguments on to one."""
    return getattr(fn, "__triton_builtin__", False) or getattr(fn, "__module__", "").startswith("tilec.language")

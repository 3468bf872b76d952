# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tl.core`: the names of tl, and those for libraries of kernels."""

from typing import Any, TypeVar

from . import *
from . import _experimental_descriptor_load as _experimental_descriptor_load
from . import _experimental_descriptor_store as _experimental_descriptor_store
from . import _experimental_make_tensor_descriptor as _experimental_make_tensor_descriptor
from . import _log2 as _log2
from ._constexpr import plain as _unwrap_if_constexpr

_Class = TypeVar("_Class", bound=type)

def _aggregate(cls: _Class) -> _Class:
    """Marks a class whose objects kernels make: it declares its fields, and its methods are `jit` functions."""
    ...

def is_builtin(fn: Any) -> bool:
    """Whether a function is an operation, or hands its arguments on to one."""
    ...

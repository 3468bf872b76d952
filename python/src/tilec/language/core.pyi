# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tl.core`: the names of tl, and those for libraries of kernels."""

from collections.abc import Callable
from typing import Any, TypeVar, overload

from ..jit import constexpr_function as constexpr_function
from ..jit import jit as jit
from . import *
from . import _experimental_descriptor_load as _experimental_descriptor_load
from . import _experimental_descriptor_store as _experimental_descriptor_store
from . import _experimental_make_tensor_descriptor as _experimental_make_tensor_descriptor
from . import _log2 as _log2
from ._compound_types import slice_type as slice_type
from ._compound_types import tensor_descriptor_base_type as tensor_descriptor_base_type
from ._constexpr import base_value as base_value
from ._constexpr import plain as _unwrap_if_constexpr

from ._types import base_type as base_type

TRITON_BUILTIN: str
_Function = TypeVar("_Function", bound=Callable[..., Any])
_Class = TypeVar("_Class", bound=type)

def _aggregate(cls: _Class) -> _Class:
    """Marks a class whose objects kernels make: it declares its fields, and its methods are `jit` functions."""
    ...

@overload
def must_use_result(x: _Function, s: bool | str = True) -> _Function: ...
@overload
def must_use_result(x: str) -> Callable[[_Function], _Function]:
    """Marks a function whose result is all that it does; `s` is a text that says why it must not be dropped."""
    ...

def is_negative_zero(x: Any) -> bool:
    """Whether a number of the host is the zero with a sign."""
    ...

def builtin_max(*args: Any) -> Any:
    """Python's own `max`, of constexprs too."""
    ...

def builtin_min(*args: Any) -> Any:
    """Python's own `min`, of constexprs too."""
    ...

def is_builtin(fn: Any) -> bool:
    """Whether a function is an operation, or hands its arguments on to one."""
    ...

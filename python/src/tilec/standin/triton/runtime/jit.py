# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels, and tensors that are seen as others."""

from __future__ import annotations

from typing import Any

from tilec import JITFunction, MockTensor, constexpr_function, jit
from tilec._jit_attributes import KernelParam
from tilec._jit_hooks import JitFunctionInfo
from tilec.jit import Launchable as KernelInterface

#: Functions of the language of both kinds.
JITCallable = ConstexprFunction = JITFunction


class TensorWrapper:
    """A tensor whose elements kernels take for those of another type of the same size."""

    def __init__(self, base: Any, dtype: Any):
        self.base = base
        self.dtype = dtype
        self.shape = base.shape
        self.device = getattr(base, "device", None)

    def data_ptr(self) -> int:
        return self.base.data_ptr()

    def stride(self, *args: int):
        return self.base.stride(*args)

    def element_size(self) -> int:
        return self.base.element_size()

    def __repr__(self) -> str:
        return f"TensorWrapper[{self.dtype}]({self.base})"


def get_full_name(fn: Any) -> str:
    """The name of a function with its module."""
    return f"{fn.__module__}.{fn.__qualname__}"


def reinterpret(tensor: Any, dtype: Any) -> Any:
    """A tensor as one of another element type, for kernels; with its own type it is the tensor again."""
    base = tensor.base if isinstance(tensor, TensorWrapper) else tensor
    if not hasattr(base, "data_ptr"):
        raise TypeError(f"only tensors can be seen as others, got a {type(tensor).__qualname__}")
    return base if dtype == base.dtype else TensorWrapper(base, dtype)


__all__ = [
    "ConstexprFunction", "JITCallable", "JITFunction", "JitFunctionInfo", "KernelInterface", "KernelParam", "MockTensor",
    "TensorWrapper", "constexpr_function", "get_full_name", "jit", "reinterpret",
]  # yapf: disable

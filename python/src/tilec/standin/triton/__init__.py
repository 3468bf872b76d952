# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec in the place of Triton; see tilec.standin."""

from __future__ import annotations

from tilec import JITFunction, MockTensor, cdiv, constexpr_function, jit, next_power_of_2
from tilec.errors import CompilationError, OutOfResources
from tilec.errors import TilecError as TritonError

#: The version of Triton whose programs are understood.
__version__ = "3.9.0"
__tilec_standin__ = True

_SUBMODULES = ("backends", "compiler", "errors", "knobs", "language", "runtime", "testing", "tools")
_OF_RUNTIME = ("KernelInterface", "TensorWrapper", "reinterpret")
_OF_TUNER = ("Config", "autotune", "heuristics")


def __getattr__(name: str):
    # Modules come with their first use.
    from importlib import import_module

    if name in _SUBMODULES:
        return import_module(f"triton.{name}")
    if name in _OF_RUNTIME:
        return getattr(import_module("triton.runtime.jit"), name)
    if name in _OF_TUNER:
        return getattr(import_module("tilec"), name)
    raise AttributeError(f"module 'triton' has no attribute '{name}' (this is tilec's stand-in)")


def set_allocator(allocator):
    """Takes a function that allocates global memory for kernels. It is never called: no kernel of tilec needs any."""


__all__ = [
    "CompilationError", "Config", "JITFunction", "KernelInterface", "MockTensor", "OutOfResources", "TensorWrapper",
    "TritonError", "autotune", "cdiv", "compiler", "constexpr_function", "heuristics", "jit", "knobs", "language",
    "next_power_of_2", "reinterpret", "runtime", "set_allocator", "testing", "tools",
]  # yapf: disable

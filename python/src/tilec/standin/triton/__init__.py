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
#: Other names, and the modules that have them.
_LATER = {
    "AsyncCompileMode": "triton.runtime._async_compile", "Config": "tilec", "FutureKernel": "triton.runtime._async_compile",
    "InterpreterError": "triton.runtime.errors", "KernelInterface": "triton.runtime.jit",
    "TensorWrapper": "triton.runtime.jit", "aggregate": "tilec", "autotune": "tilec", "compile": "triton.compiler",
    "heuristics": "tilec", "max_shared_mem": "triton.compiler", "must_use_result": "tilec.language.core", "reinterpret": "triton.runtime.jit",
    "set_allocator": "triton.runtime._allocation",
}  # yapf: disable


def __getattr__(name: str):
    # Modules come with their first use.
    from importlib import import_module

    if name in _SUBMODULES:
        return import_module(f"triton.{name}")
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'triton' has no attribute '{name}' (this is tilec's stand-in)")


__all__ = [
    "AsyncCompileMode", "CompilationError", "Config", "FutureKernel", "InterpreterError", "JITFunction", "KernelInterface",
    "MockTensor", "OutOfResources", "TensorWrapper", "TritonError", "aggregate", "autotune", "cdiv", "compile", "compiler",
    "constexpr_function", "heuristics", "jit", "knobs", "language", "max_shared_mem", "must_use_result", "next_power_of_2",
    "reinterpret", "runtime", "set_allocator", "testing", "tools",
]  # yapf: disable

# The environment may turn some.
from . import knobs  # noqa: E402, F401

# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compilation without a launch, what launches give, and the exception of kernels that do not compile."""

from tilec._jit_hooks import LazyDict

from .compiler import ASTSource, CompiledKernel, IRSource, compile, make_backend, max_shared_mem
from .errors import CompilationError

__all__ = [
    "ASTSource", "CompilationError", "CompiledKernel", "IRSource", "LazyDict", "compile", "make_backend", "max_shared_mem",
]  # yapf: disable

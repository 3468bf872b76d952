# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What launches give, and the exception of kernels that do not compile."""

from .compiler import CompiledKernel
from .errors import CompilationError

__all__ = ["CompilationError", "CompiledKernel"]

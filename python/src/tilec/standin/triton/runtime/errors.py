# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that a device has not enough of something for, and errors of parts of Triton that are not here, which nothing
raises."""

from tilec.errors import OutOfResources
from tilec.errors import TilecError as TritonError


class _Explained(TritonError):
    """An error with a message."""

    def __init__(self, error_message: str | None = None):
        super().__init__(error_message or "")
        self.error_message = error_message


class InterpreterError(_Explained):
    """What Triton's interpreter raises; here the simulator runs kernels on the CPU, and raises tilec.KernelFault."""


class PTXASError(_Explained):
    """What Triton raises where the assembler fails; here that is a tilec.CompilationError."""


class AutotunerError(_Explained):
    """What Triton raises where tuning fails."""


__all__ = ["AutotunerError", "InterpreterError", "OutOfResources", "PTXASError"]

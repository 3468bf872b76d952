# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches, tuning and the driver's questions."""

from . import cache, errors  # noqa: F401
from .driver import driver
from .errors import InterpreterError, OutOfResources
from .jit import JITFunction, KernelInterface, MockTensor, TensorWrapper, reinterpret

_OF_TUNER = ("Autotuner", "Config", "Heuristics", "autotune", "heuristics")


def __getattr__(name: str):
    # The tuner comes with its first use.
    import tilec

    if name in _OF_TUNER:
        return getattr(tilec, name)
    if name in ("autotuner", "build"):
        from importlib import import_module

        return import_module(f"triton.runtime.{name}")
    raise AttributeError(f"module 'triton.runtime' has no attribute '{name}' (this is tilec's stand-in)")


__all__ = [
    "Autotuner", "Config", "Heuristics", "InterpreterError", "JITFunction", "KernelInterface", "MockTensor",
    "OutOfResources", "TensorWrapper", "autotune", "driver", "heuristics", "reinterpret",
]  # yapf: disable

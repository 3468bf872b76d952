# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning."""

from tilec import Autotuner, Config, Heuristics, autotune, heuristics

from .errors import AutotunerError, OutOfResources, PTXASError
from .jit import KernelInterface

__all__ = [
    "Autotuner", "AutotunerError", "Config", "Heuristics", "KernelInterface", "OutOfResources", "PTXASError",
    "autotune", "heuristics",
]  # yapf: disable

# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classes that drivers derive from."""

from ..runtime.driver import Driver

DriverBase = GPUDriver = Driver

__all__ = ["DriverBase", "GPUDriver"]

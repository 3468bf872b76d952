# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of machines."""

from tilec.language.target_info import GPUTarget


class BaseBackend:
    """What back ends of Triton's derive from. Nothing asks for one."""

    def __init__(self, target: GPUTarget):
        self.target = target


__all__ = ["BaseBackend", "GPUTarget"]

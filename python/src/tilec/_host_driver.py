# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Triton's programs ask of the active driver, on a machine without a GPU."""

from __future__ import annotations

from .standin.triton.runtime.driver import Driver


class HostDriver(Driver):
    """The stand-in's driver, which answers for the simulator, with a target of Triton's own type."""

    def get_current_target(self):
        from triton.backends.compiler import GPUTarget

        target = super().get_current_target()
        return GPUTarget(target.backend, target.arch, target.warp_size)

    def map_python_to_cpp_type(self, name: str) -> str:
        raise RuntimeError("the simulator has no launcher in C++")

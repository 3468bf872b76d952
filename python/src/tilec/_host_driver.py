# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Triton's programs ask of the active driver, on a machine without a GPU: the simulator, as an H100."""

from __future__ import annotations


class HostDriver:
    """Stands for Triton's CUDA driver."""

    class utils:

        @staticmethod
        def get_device_properties(index: int) -> dict:
            return {
                "max_shared_mem": 232448, "max_num_regs": 65536, "multiprocessor_count": 132, "warpSize": 32,
                "sm_clock_rate": 1980000, "mem_clock_rate": 2619000, "mem_bus_width": 5120,
            }  # yapf: disable

    def get_current_target(self):
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", 90, 32)

    def get_current_device(self) -> int:
        return 0

    def set_current_device(self, index: int):
        if index != 0:
            raise ValueError(f"the simulator is device 0, got {index}")

    def get_current_stream(self, index: int = 0) -> int:
        return 0

    def get_active_torch_device(self):
        import torch

        return torch.device("cpu")

    def get_device_interface(self):
        import torch

        return torch.cpu

    def get_benchmarker(self):
        from . import testing

        return testing.do_bench

    def map_python_to_cpp_type(self, name: str) -> str:
        raise RuntimeError("the simulator has no launcher in C++")

# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`driver.active`: what programs ask of their machine. Where there is no GPU that is the simulator."""

from __future__ import annotations

import sys
from typing import Any

from tilec import _devices
from tilec.language.target_info import GPUTarget, capability, current_target

#: What programs size their grids and tiles by on the simulator, which has no such limits itself.
_SIMULATOR = {
    "multiprocessor_count": 8, "max_shared_mem": 227 * 1024,
    # Those of an H100, for programs that reckon with them.
    "sm_clock_rate": 1980000, "mem_clock_rate": 2619000, "mem_bus_width": 5120,
}  # yapf: disable

#: What is written between runs that are measured: more than any GPU's cache has, on the simulator next to nothing.
_CACHE_BYTES, _SIMULATOR_CACHE_BYTES = 256 << 20, 4096


class Utils:
    """Facts about devices."""

    def get_device_properties(self, device: int) -> dict[str, int]:
        """The numbers that grids are sized by; with torch also the clocks of a GPU, in kHz."""
        kind, _ = _devices.current()
        common = {"warpSize": 32, "max_num_regs": 65536}
        if kind != _devices.CUDA:
            return {**common, **_SIMULATOR}
        _, _, _, _, count, shared, _ = _devices.info(kind, device)
        return {**common, "multiprocessor_count": count, "max_shared_mem": shared, **_clocks(device)}


def _clocks(device: int) -> dict[str, int]:
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return {}
    facts = torch.cuda.get_device_properties(device)
    names = {"sm_clock_rate": "clock_rate", "mem_clock_rate": "memory_clock_rate", "mem_bus_width": "memory_bus_width"}
    return {name: getattr(facts, theirs) for name, theirs in names.items() if hasattr(facts, theirs)}


class _NoLauncher:
    """Stands for the class of launchers."""

    def __init__(self, *_: Any, **__: Any):
        raise RuntimeError("tilec launches its kernels itself: there are no launchers to make")


class Driver:
    """The current device."""

    launcher_cls = _NoLauncher
    binary_ext = "cubin"

    def __init__(self):
        self.utils = Utils()

    @staticmethod
    def is_active() -> bool:
        return True

    def get_current_target(self) -> GPUTarget:
        """The machine that kernels are compiled for."""
        return current_target()

    def get_active_torch_device(self) -> Any:
        """torch's device for tensors: the current GPU, or the CPU for the simulator."""
        import torch

        kind, index = _devices.current()
        return torch.device("cuda", index) if kind == _devices.CUDA else torch.device("cpu")

    def get_device_interface(self) -> Any:
        """torch's module for the device: `torch.cuda` or `torch.cpu`."""
        import torch

        return torch.cuda if _devices.current()[0] == _devices.CUDA else torch.cpu

    def get_current_device(self) -> int:
        """The number of the current device."""
        return _devices.current()[1]

    def set_current_device(self, device: int):
        """Makes a GPU torch's current one; the simulator is the only one of its kind."""
        if _devices.current()[0] == _devices.CUDA:
            import torch

            torch.cuda.set_device(device)

    def get_device_capability(self, device: int | None = None) -> tuple[int, int]:
        """The compute capability."""
        return capability(device)

    def get_current_stream(self, device: int | None = None) -> int:
        """The stream that launches are queued on."""
        return _devices.stream(self.get_current_device() if device is None else device)

    def get_benchmarker(self):
        """The function that measures calls."""
        from tilec.testing import do_bench

        return do_bench

    def get_empty_cache_for_benchmark(self) -> Any:
        """Memory that is larger than the cache, for `clear_cache`."""
        if _devices.current()[0] == _devices.CUDA:
            import torch

            return torch.empty(_CACHE_BYTES // 4, dtype=torch.int32, device="cuda")
        return bytearray(_SIMULATOR_CACHE_BYTES)

    def clear_cache(self, cache: Any):
        """Drives out of the cache what is in it."""
        if hasattr(cache, "zero_"):
            cache.zero_()
        else:
            cache[:] = bytes(len(cache))

    def map_python_to_cpp_type(self, ty: str) -> str:
        """The type of C++ for arguments of a type of the language, such as "i32" or "*fp16"."""
        if ty.startswith("*"):
            return "CUdeviceptr"
        if ty.startswith("tensordesc"):
            return "CUtensorMap"
        if ty[0] in "fb":
            return "double"
        bits = ty[1:] if ty[1:] != "1" else "8"
        return f"{'u' if ty[0] == 'u' else ''}int{bits}_t"


class DriverConfig:
    """The driver in use. Programs may set another one, and ask it; launches do not."""

    def __init__(self):
        self.default = Driver()
        self.active: Any = self.default

    def set_active(self, driver: Any):
        self.active = driver

    def reset_active(self):
        self.active = self.default


driver = DriverConfig()

__all__ = ["driver"]

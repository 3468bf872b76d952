# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices, the cache and the assembler: what a process opens once. Only this file reads the environment."""

from __future__ import annotations

import functools
import os
import shutil
import sys

from . import _native
from ._locks import Lock

CPU, CUDA = 1, 2  #: DLPack's numbers of device types
TORCH, CUPY, OTHER = 1, 2, 4  #: whose tensors a launch has

_lock = Lock()
_devices: dict[tuple, int] = {}
#: Whether CUDA was used by this process, and by one that it was forked from.
_is_cuda_started = _is_cuda_lost = False


def flag(name: str) -> bool:
    """Whether a variable of the environment is set, and not to 0."""
    return os.environ.get(name, "") not in ("", "0")


class Settings:
    """What launches go by. Changes count from the next launch on."""

    def __init__(self):
        self.check = flag("TILEC_CHECK")
        #: Host threads of the simulator; 0: one for each core.
        self.threads = int(os.environ.get("TILEC_SIM_THREADS", "0"))
        #: Whether the simulator runs kernels although there is a GPU: those without a tensor, and those of Triton's programs
        #: that are launched on CPU tensors.
        self.simulate = flag("TILEC_SIMULATE")

    @property
    def check(self) -> bool:
        """Whether the simulator looks for races, missing waits and uninitialised reads as well."""
        return self._check

    @check.setter
    def check(self, value: bool):
        self._check = bool(value)
        _native.set_checked(self._check)


settings = Settings()


def device(device_type: int, index: int, check: bool = False) -> int:
    """The handle of a device. The simulator stands for the CPU, and may look for races and the like."""
    global _is_cuda_started
    key = (device_type, index, check)
    with _lock:
        handle = _devices.get(key)
        if handle is None:
            if device_type == CPU:
                handle = _native.device_open("sim", check, settings.threads)
            elif device_type == CUDA:
                if _is_cuda_lost:
                    raise RuntimeError("CUDA was used before this process was forked, and cannot be used in it: start "
                                       "processes with the method 'spawn'")
                _is_cuda_started = True
                handle = _native.device_open(f"cuda:{index}", False, 0)
            else:
                raise ValueError(f"no kernel can run on a device of DLPack type {device_type}")
            _devices[key] = handle
        return handle


def _after_fork():
    """In a process that was forked. None of its parent's other threads goes on: what they were doing with a device or the
    cache would never end."""
    global _is_cuda_lost
    # The driver does not survive a fork; the simulator does.
    _is_cuda_lost |= _is_cuda_started
    _devices.clear()
    cache.cache_clear()


os.register_at_fork(after_in_child=_after_fork)


def opened_gpus() -> list[int]:
    """The handles of the GPUs that this process uses."""
    with _lock:
        return [handle for key, handle in _devices.items() if key[0] == CUDA]


def info(device_type: int, index: int, check: bool = False) -> tuple:
    return _native.device_info(device(device_type, index, check))


def current() -> tuple[int, int]:
    """Type and number of the device for launches without tensors: torch's current one, else the first GPU."""
    if settings.simulate:
        return CPU, 0
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        return CUDA, torch.cuda.current_device()
    if count() > 0:
        return CUDA, 0
    return CPU, 0


@functools.cache
def count() -> int:
    """The number of GPUs."""
    global _is_cuda_started
    was_started, _is_cuda_started = _is_cuda_started, True
    found = _native.device_count()
    _is_cuda_started = was_started or found > 0
    return found


def stream(index: int, frameworks: int = 0, used: int = 0) -> int:
    """The stream for a launch on a GPU; 0 is the default stream.

    :param frameworks: whose tensors the launch has; 0: it has none, and any framework's current stream will do
    :param used: the stream that one of them was used on, for frameworks without a current one; 0 where none says so
    """
    torch = sys.modules.get("torch")
    if torch is not None and (not frameworks or frameworks & TORCH) and torch.cuda.is_initialized():
        return torch.cuda.current_stream(index).cuda_stream
    cupy = sys.modules.get("cupy")
    if cupy is not None and (not frameworks or frameworks & CUPY):
        with cupy.cuda.Device(index):
            return cupy.cuda.get_current_stream().ptr
    return used


@functools.cache
def cache() -> int | None:
    """The cache that the command line uses, too: docs/caching.md."""
    if flag("TILEC_NO_CACHE"):
        return None
    return _native.cache_open(_cache_folder(), _cache_limit(), os.environ.get("TILEC_SHARED_CACHE"))


def autotune_folder() -> str | None:
    """Where timings of configurations are kept; None without a cache."""
    return None if flag("TILEC_NO_CACHE") else os.path.join(_cache_folder(), "autotune")


def _cache_folder() -> str:
    folder = os.environ.get("TILEC_CACHE_DIR")
    if folder:
        return folder
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "tilec")


def _cache_limit() -> int:
    text = os.environ.get("TILEC_CACHE_LIMIT", "")
    if not text:
        return 0
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
    unit = units.get(text[-1].upper(), 0)
    try:
        return int(text[:-1]) * unit if unit else int(text)
    except ValueError:
        raise ValueError(f"TILEC_CACHE_LIMIT is '{text}', expected a number of bytes such as 500M or 2G") from None


@functools.cache
def tools() -> dict[str, str]:
    """Where the assembler is, as options of a compilation. Without any the driver assembles."""
    found = {"search_path": os.environ.get("PATH", "")}
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    if home:
        found["cuda_home"] = home
    ptxas = os.environ.get("TILEC_PTXAS") or _ptxas_of_packages()
    if ptxas:
        found["ptxas"] = ptxas
    return found


def cupti() -> str | None:
    """The library for samples of a GPU, where the environment names it."""
    return os.environ.get("TILEC_CUPTI") or None


def _ptxas_of_packages() -> str | None:
    """The assembler that a package brings along, unless the system has one."""
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
    if shutil.which("ptxas") or os.access(os.path.join(home, "bin", "ptxas"), os.X_OK):
        return None
    for folder in sys.path:
        for path in ("nvidia/cu13/bin/ptxas", "nvidia/cuda_nvcc/bin/ptxas", "triton/backends/nvidia/bin/ptxas"):
            file = os.path.join(folder, path)
            if os.access(file, os.X_OK):
                return file
    return None

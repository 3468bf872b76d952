# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tl.target_info`: what machine kernels are compiled for. On the host it is that of the current device."""

from __future__ import annotations

from typing import NamedTuple


#: The compute capability that kernels on the simulator are told of.
_SIMULATED = (9, 0)


class GPUTarget(NamedTuple):
    """A machine: "cuda" and the compute capability as a number, such as 90, which is also the simulator's."""

    backend: str
    arch: int
    warp_size: int


def capability(index: int | None = None) -> tuple[int, int]:
    """The compute capability of the current device, or of the one of that number."""
    from tilec import _devices

    kind, current = _devices.current()
    if kind != _devices.CUDA:
        return _SIMULATED
    _, _, major, minor, *_ = _devices.info(kind, current if index is None else index)
    return major, minor


def current_target() -> GPUTarget:
    """The machine that launches without tensors go to."""
    major, minor = capability()
    return GPUTarget("cuda", major * 10 + minor, 32)


def is_cuda() -> bool:
    """Whether it is a GPU with CUDA. The simulator counts as one, in kernels as on the host."""
    return current_target().backend == "cuda"


def cuda_capability_geq(major: int, minor: int = 0) -> bool:
    """Whether the compute capability is at least this one."""
    return current_target().arch >= major * 10 + minor


def is_hip() -> bool:
    """Whether it is a GPU of AMD: never."""
    return False


def is_hip_cdna3() -> bool:
    """Whether it is a GPU of AMD's CDNA 3: never."""
    return False


def is_hip_cdna4() -> bool:
    """Whether it is a GPU of AMD's CDNA 4: never."""
    return False

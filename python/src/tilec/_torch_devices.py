# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs for a GPU on a machine without one: what they make on "cuda" is on the CPU, where the simulator runs kernels."""

from __future__ import annotations

import torch
from torch.overrides import TorchFunctionMode


class CudaIsCpu(TorchFunctionMode):
    """Within it, functions and methods of torch take the device "cuda" for the CPU."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = {name: _on_cpu(value) for name, value in (kwargs or {}).items()}
        if getattr(func, "__name__", "") == "cuda":  # tensor.cuda()
            return args[0]
        if kwargs.get("pin_memory"):
            kwargs["pin_memory"] = False
        return func(*map(_on_cpu, args), **kwargs)


def _on_cpu(value):
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    return "cpu" if isinstance(value, str) and value.split(":")[0] == "cuda" else value


def _capability(device=None) -> tuple[int, int]:
    from .language.target_info import capability

    return capability()


#: Functions of torch.cuda that programs call around their kernels.
REPLACED = {
    "synchronize": lambda device=None: None,
    "empty_cache": lambda: None,
    "current_device": lambda: 0,
    "set_device": lambda device: None,
    "get_device_capability": _capability,
    "get_device_name": lambda device=None: "tilec's simulator",
}

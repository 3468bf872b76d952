# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches on tensors of a GPU that run on the simulator: on copies of their memory, which are copied back.

All of a tensor's storage is copied, so that views of one storage are views of one copy, and an access that leaves a view
but not its memory is none outside of it. Addresses that tensors hold are those of the GPU still.
"""

from __future__ import annotations

import copy
import sys


class HostCopies:
    """The arguments of one launch, on the CPU."""

    def __init__(self):
        #: Storages of the GPU and their copies, by address, and arrays of tilec.to_device and theirs.
        self._storages: dict[int, tuple] = {}
        self._arrays: dict[int, tuple] = {}

    def of(self, value):
        """A value with copies for what tensors of a GPU it has."""
        if type(value) in (tuple, list):
            return type(value)(self.of(item) for item in value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return tuple.__new__(type(value), map(self.of, value))
        if hasattr(value, "base") and (hasattr(value, "block_shape") or hasattr(value, "data_ptr")):
            base = self.of(value.base)
            if base is value.base:
                return value
            made = copy.copy(value)
            made.base = base
            if hasattr(made, "device"):
                made.device = base.device
            return made
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(value, torch.Tensor) and self._is_elsewhere(value):
            return self._tensor(torch, value.detach())
        arrays = sys.modules.get("tilec.device_array")
        if arrays is not None and isinstance(value, arrays.DeviceArray):
            return self._arrays.setdefault(id(value), (value, value.to_host()))[1]
        return value

    @staticmethod
    def _is_elsewhere(tensor) -> bool:
        return tensor.device.type == "cuda"

    def _tensor(self, torch, tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in self._storages:
            self._storages[storage.data_ptr()] = storage, storage.cpu()
        made = torch.empty(0, dtype=tensor.dtype)
        return made.set_(self._storages[storage.data_ptr()][1], tensor.storage_offset(), tensor.size(), tensor.stride())

    def copy_back(self):
        """Gives the GPU's memory what the launch wrote."""
        for storage, copied in self._storages.values():
            storage.copy_(copied)
        for array, copied in self._arrays.values():
            array.copy_from(copied)


def launch(kernel, grid, args: tuple, kwargs: dict | None):
    """Launches a kernel on copies of its arguments."""
    copies = HostCopies()
    args = tuple(map(copies.of, args))
    kwargs = {name: copies.of(value) for name, value in (kwargs or {}).items()}
    compiled = kernel._launch_once(grid, args, kwargs)
    copies.copy_back()
    return compiled

# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays in a GPU's memory for programs that have NumPy alone: `tilec.to_device(array)`, `array.to_host()`."""

from __future__ import annotations

import os
import weakref

import numpy

from . import _devices, _native


class DeviceArray:
    """An array in memory of a GPU. Kernels take it like any tensor; copies from and to the host wait for all work on the GPU
    that was queued before them, on whatever stream. Frameworks see it through `__cuda_array_interface__`."""

    def __init__(self, shape, dtype, device: int = 0):
        self.shape = tuple(shape) if hasattr(shape, "__iter__") else (int(shape), )
        self.dtype = numpy.dtype(dtype)
        self.size = int(numpy.prod(self.shape, dtype=numpy.int64))
        self.nbytes = self.size * self.dtype.itemsize
        self.index = device
        self._handle = _devices.device(_devices.CUDA, device)
        self._address = _native.memory_alloc(self._handle, self.nbytes)
        if self._address:
            weakref.finalize(self, _free, self._handle, self._address, os.getpid())

    def __repr__(self):
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype}, device='cuda:{self.index}')"

    @property
    def device(self) -> str:
        return f"cuda:{self.index}"

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """From one element to the next along each dimension, in bytes."""
        steps, step = [], self.dtype.itemsize
        for size in reversed(self.shape):
            steps.append(step)
            step *= size
        return tuple(reversed(steps))

    @property
    def __cuda_array_interface__(self) -> dict:
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self._address, False), "version": 3, "strides": None}

    def copy_from(self, array) -> DeviceArray:
        """Copies an array of the host, of the same number of elements, into this one."""
        source = numpy.ascontiguousarray(array, dtype=self.dtype)
        if source.size != self.size:
            raise ValueError(f"an array of {source.size} elements for one of {self.size}")
        if self.nbytes:
            _native.memory_upload(self._handle, self._address, source.ctypes.data, self.nbytes)
        return self

    def to_host(self) -> numpy.ndarray:
        """A copy in the host's memory."""
        array = numpy.empty(self.shape, self.dtype)
        if self.nbytes:
            _native.memory_download(self._handle, array.ctypes.data, self._address, self.nbytes)
        return array


def _free(handle: int, address: int, process: int):
    """Memory of the process that this one was forked from is not this one's to free."""
    if process == os.getpid():
        _native.memory_free(handle, address)


def to_device(array, device: int = 0):
    """A copy of an array in the memory of a GPU. Without a GPU a copy in the host's: kernels run on the simulator then."""
    array = numpy.asarray(array)
    if _devices.count() == 0:
        return array.copy()
    return DeviceArray(array.shape, array.dtype, device).copy_from(array)


def empty(shape, dtype=numpy.float32, device: int = 0):
    """An array that is not filled, where `to_device` would put it."""
    if _devices.count() == 0:
        return numpy.empty(shape, dtype)
    return DeviceArray(shape, dtype, device)


def to_host(array) -> numpy.ndarray:
    """The array in the host's memory, of what `to_device` or `empty` gave."""
    return array.to_host() if isinstance(array, DeviceArray) else array

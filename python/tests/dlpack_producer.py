# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A framework that has DLPack's methods alone, and counts what is done with its capsules."""

import ctypes


class Tensor(ctypes.Structure):
    """DLPack's description of a tensor."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    pass


Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(Managed))
Managed._fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", Deleter)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", Deleter),
                ("flags", ctypes.c_uint64), ("tensor", Tensor)]


class Producer:
    """A framework's tensor, with a count of those who hold its memory."""

    def __init__(self, address, size=8, device=(1, 0), code=2, bits=32, version=None, flags=0):
        self._shape = (ctypes.c_int64 * 1)(size)
        self._device = device
        tensor = Tensor(address, *device, 1, code, bits, 1, self._shape, None, 0)
        self.given = self.taken_back = 0
        self.streams = []
        self.name = b"dltensor" if version is None else b"dltensor_versioned"
        self._deleter = Deleter(self._take_back)
        if version is None:
            self._managed = Managed(tensor, None, self._deleter)
        else:
            self._managed = Versioned(version, 0, None, self._deleter, flags, tensor)

    def _take_back(self, _):
        self.taken_back += 1

    def __dlpack_device__(self):
        return self._device

    def __dlpack__(self, *, stream=None, max_version=None):
        self.given += 1
        self.streams.append(stream)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.capsule = new(ctypes.addressof(self._managed), self.name, None)
        return self.capsule

    def capsule_name(self):
        name = ctypes.pythonapi.PyCapsule_GetName
        name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
        return name(self.capsule)

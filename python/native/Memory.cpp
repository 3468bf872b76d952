// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of devices, for programs that have no framework to keep it: tilec/device_array.py.

#include "Memory.h"

using namespace tilec::python;

/// None, or the exception of a failed call that was made without the interpreter's lock.
template <typename Call> static PyObject *calling(Call call) {
  tilec_status status = TILEC_OK;
  {
    WithoutGil unlocked;
    status = call();
  }
  if (status != TILEC_OK)
    return raiseStatus(status);
  Py_INCREF(Py_None);
  return Py_None;
}

/// memory_alloc(device, bytes)
static PyObject *memoryAlloc(PyObject *, PyObject *args) {
  PyObject *device = nullptr;
  Py_ssize_t bytes = 0;
  if (!PyArg_ParseTuple(args, "On", &device, &bytes))
    return nullptr;
  void *memory = nullptr;
  Ref done(calling([&, handle = handleOf<tilec_device>(device)] {
    return tilec_memory_alloc(handle, size_t(bytes), &memory);
  }));
  return done ? PyLong_FromVoidPtr(memory) : nullptr;
}

/// memory_free(device, address)
static PyObject *memoryFree(PyObject *, PyObject *args) {
  PyObject *device = nullptr;
  unsigned long long address = 0;
  if (!PyArg_ParseTuple(args, "OK", &device, &address))
    return nullptr;
  return calling([&, handle = handleOf<tilec_device>(device)] {
    return tilec_memory_free(handle, reinterpret_cast<void *>(address));
  });
}

/// memory_upload(device, address, host's address, bytes): waits until it is done.
static PyObject *memoryUpload(PyObject *, PyObject *args) {
  PyObject *device = nullptr;
  unsigned long long to = 0, from = 0, bytes = 0;
  if (!PyArg_ParseTuple(args, "OKKK", &device, &to, &from, &bytes))
    return nullptr;
  return calling([&, handle = handleOf<tilec_device>(device)] {
    tilec_status status = tilec_memory_upload(handle, reinterpret_cast<void *>(to),
                                              reinterpret_cast<const void *>(from), bytes, nullptr);
    return status == TILEC_OK ? tilec_stream_synchronize(handle, nullptr) : status;
  });
}

/// memory_download(device, host's address, address, bytes): waits until it is done.
static PyObject *memoryDownload(PyObject *, PyObject *args) {
  PyObject *device = nullptr;
  unsigned long long to = 0, from = 0, bytes = 0;
  if (!PyArg_ParseTuple(args, "OKKK", &device, &to, &from, &bytes))
    return nullptr;
  return calling([&, handle = handleOf<tilec_device>(device)] {
    tilec_status status = tilec_memory_download(
        handle, reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), bytes, nullptr);
    return status == TILEC_OK ? tilec_stream_synchronize(handle, nullptr) : status;
  });
}

bool tilec::python::addMemoryFunctions(PyObject *module) {
  static PyMethodDef functions[] = {
      {"memory_alloc", memoryAlloc, METH_VARARGS, "(device, bytes): an address."},
      {"memory_free", memoryFree, METH_VARARGS, "(device, address)."},
      {"memory_upload", memoryUpload, METH_VARARGS, "(device, address, host's address, bytes)."},
      {"memory_download", memoryDownload, METH_VARARGS,
       "(device, host's address, address, bytes)."},
      {nullptr, nullptr, 0, nullptr}};
  return PyModule_AddFunctions(module, functions) == 0;
}

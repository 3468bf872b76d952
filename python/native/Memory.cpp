// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of devices, for programs that have no framework to keep it: tilec/device_array.py.
// Streams, and tensors in DLPack's capsules: tilec/_values.py.

#include "Memory.h"

#include "Arguments.h"

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

/// memory_device(address): the number of the GPU that it is of.
static PyObject *memoryDevice(PyObject *, PyObject *number) {
  int32_t ordinal = 0;
  if (tilec_status status = tilec_memory_device(nullptr, PyLong_AsVoidPtr(number), &ordinal))
    return raiseStatus(status);
  return PyLong_FromLong(ordinal);
}

/// stream_wait(device, stream, awaited)
static PyObject *streamWait(PyObject *, PyObject *args) {
  PyObject *device = nullptr;
  unsigned long long stream = 0, awaited = 0;
  if (!PyArg_ParseTuple(args, "OKK", &device, &stream, &awaited))
    return nullptr;
  return calling([&, handle = handleOf<tilec_device>(device)] {
    return tilec_stream_wait(handle, reinterpret_cast<void *>(stream),
                             reinterpret_cast<void *>(awaited));
  });
}

/// memory_upload(device, address, host's address, bytes): waits until what was queued before and
/// the copy are done, on whatever streams.
static PyObject *memoryUpload(PyObject *, PyObject *args) {
  PyObject *device = nullptr;
  unsigned long long to = 0, from = 0, bytes = 0;
  if (!PyArg_ParseTuple(args, "OKKK", &device, &to, &from, &bytes))
    return nullptr;
  return calling([&, handle = handleOf<tilec_device>(device)] {
    tilec_status status = tilec_device_synchronize(handle);
    if (status == TILEC_OK)
      status = tilec_memory_upload(handle, reinterpret_cast<void *>(to),
                                   reinterpret_cast<const void *>(from), bytes, nullptr);
    return status == TILEC_OK ? tilec_stream_synchronize(handle, nullptr) : status;
  });
}

/// memory_download(device, host's address, address, bytes): as memory_upload.
static PyObject *memoryDownload(PyObject *, PyObject *args) {
  PyObject *device = nullptr;
  unsigned long long to = 0, from = 0, bytes = 0;
  if (!PyArg_ParseTuple(args, "OKKK", &device, &to, &from, &bytes))
    return nullptr;
  return calling([&, handle = handleOf<tilec_device>(device)] {
    tilec_status status = tilec_device_synchronize(handle);
    if (status == TILEC_OK)
      status = tilec_memory_download(handle, reinterpret_cast<void *>(to),
                                     reinterpret_cast<const void *>(from), bytes, nullptr);
    return status == TILEC_OK ? tilec_stream_synchronize(handle, nullptr) : status;
  });
}

//===----------------------------------------------------------------------------------===//
// Capsules of DLPack
//===----------------------------------------------------------------------------------===//

static constexpr const char *ownerName = "tilec_dlpack_owner";

/// The destructor of an owner: gives the tensor back to its framework.
template <typename Managed> static void giveBack(PyObject *owner) {
  // Frameworks run Python here, also after a failure that is under way.
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  auto *managed = static_cast<Managed *>(PyCapsule_GetPointer(owner, ownerName));
  if (managed && managed->deleter)
    managed->deleter(managed);
  PyErr_Restore(type, value, trace);
}

/// Takes the tensor out of a capsule, which is marked as used: the caller owns it. An object that
/// gives it back when it goes away; null with a Python exception.
template <typename Managed>
static Ref takeOut(PyObject *capsule, const char *name, const char *usedName, Managed *&managed) {
  managed = static_cast<Managed *>(PyCapsule_GetPointer(capsule, name));
  Ref owner(managed ? PyCapsule_New(managed, ownerName, giveBack<Managed>) : nullptr);
  if (owner)
    PyCapsule_SetName(capsule, usedName);
  return owner;
}

/// First and last byte that belong to elements of a tensor, from its first element; nothing for a
/// tensor of none.
static std::pair<int64_t, int64_t> extentOf(const dlpack::Tensor &tensor) {
  int64_t first = 0, last = 0, step = 1;
  for (int32_t i = tensor.ndim; i-- > 0;) {
    if (tensor.shape[i] == 0)
      return {0, 0};
    int64_t reach = (tensor.shape[i] - 1) * (tensor.strides ? tensor.strides[i] : step);
    (reach < 0 ? first : last) += reach;
    step *= tensor.shape[i];
  }
  int64_t bytes = (tensor.dtype.bits * tensor.dtype.lanes + 7) / 8;
  return {first * bytes, (last + 1) * bytes};
}

/// dlpack_take(capsule): (address, type, device type, device, memory's address, bytes, is empty, is
/// read only, owner)
static PyObject *dlpackTake(PyObject *, PyObject *capsule) {
  dlpack::Tensor tensor;
  uint64_t flags = 0;
  Ref owner;
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    dlpack::VersionedTensor *managed = nullptr;
    owner = takeOut(capsule, "dltensor_versioned", "used_dltensor_versioned", managed);
    if (!owner)
      return nullptr;
    if (managed->version.major != 1)
      return PyErr_Format(PyExc_BufferError, "a tensor of DLPack %u, expected 1",
                          managed->version.major);
    tensor = managed->tensor;
    flags = managed->flags;
  } else {
    dlpack::ManagedTensor *managed = nullptr;
    owner = takeOut(capsule, "dltensor", "used_dltensor", managed);
    if (!owner)
      return nullptr;
    tensor = managed->tensor;
  }
  if (flags & dlpack::flagIsCopied)
    return PyErr_Format(PyExc_BufferError,
                        "__dlpack__ gave a copy: what a kernel stores would be lost");
  tilec_type type = typeOf(tensor.dtype);
  if (type == TILEC_TYPE_NONE)
    return PyErr_Format(
        PyExc_TypeError,
        "kernels have no element type of DLPack's code %d with %d bits and %d lanes",
        int(tensor.dtype.code), int(tensor.dtype.bits), int(tensor.dtype.lanes));
  auto address = reinterpret_cast<uintptr_t>(tensor.data) + tensor.byteOffset;
  auto [first, last] = extentOf(tensor);
  return Py_BuildValue(
      "(KiiiKKOOO)", static_cast<unsigned long long>(address), int(type), int(tensor.device.type),
      int(tensor.device.id), static_cast<unsigned long long>(address + first),
      static_cast<unsigned long long>(last - first), last == first ? Py_True : Py_False,
      flags & dlpack::flagReadOnly ? Py_True : Py_False, owner.get());
}

bool tilec::python::addMemoryFunctions(PyObject *module) {
  static PyMethodDef functions[] = {
      {"memory_alloc", memoryAlloc, METH_VARARGS, "(device, bytes): an address."},
      {"memory_free", memoryFree, METH_VARARGS, "(device, address)."},
      {"memory_upload", memoryUpload, METH_VARARGS, "(device, address, host's address, bytes)."},
      {"memory_download", memoryDownload, METH_VARARGS,
       "(device, host's address, address, bytes)."},
      {"memory_device", memoryDevice, METH_O, "(address): the number of its GPU."},
      {"stream_wait", streamWait, METH_VARARGS, "(device, stream, awaited)."},
      {"dlpack_take", dlpackTake, METH_O,
       "(capsule): (address, type, device type, device, memory's address, bytes, is empty, is read "
       "only, owner)."},
      {nullptr, nullptr, 0, nullptr}};
  return PyModule_AddFunctions(module, functions) == 0;
}

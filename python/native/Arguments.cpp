// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Arguments.h. A type of tensor is looked at once: its table of DLPack functions, if it has
// one, is then found by the type's address.

#include "Arguments.h"

#include <algorithm>
#include <climits>
#include <cmath>

using namespace tilec::python;

/// How deep tuples may be nested.
static constexpr unsigned maxDepth = 100;

/// No memory is below this address. A view of a tensor that was freed is at its offset.
static constexpr uintptr_t leastAddress = 1 << 16;

static bool isEmpty(const dlpack::Tensor &tensor) {
  return std::find(tensor.shape, tensor.shape + tensor.ndim, 0) != tensor.shape + tensor.ndim;
}

//===----------------------------------------------------------------------------------===//
// Types of tensors
//===----------------------------------------------------------------------------------===//

namespace {
struct KnownType {
  PyTypeObject *type;
  const dlpack::ExchangeApi *api;
};
} // namespace

/// Types that were seen, the latest ones; each is kept alive. Guarded by the interpreter's lock.
static KnownType knownTypes[8];
static unsigned nextKnownType;

/// The functions of a type of tensor; null where it has none.
static const dlpack::ExchangeApi *findApi(PyTypeObject *type) {
  for (const KnownType &known : knownTypes)
    if (known.type == type)
      return known.api;
  const dlpack::ExchangeApi *api = nullptr;
  Ref capsule(
      PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__dlpack_c_exchange_api__"));
  if (capsule)
    api = static_cast<const dlpack::ExchangeApi *>(
        PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
  PyErr_Clear();
  if (api && (api->header.version.major != 1 || !api->tensorFromPyObject))
    api = nullptr;
  KnownType &slot = knownTypes[nextKnownType++ % std::size(knownTypes)];
  Py_INCREF(reinterpret_cast<PyObject *>(type));
  Py_XDECREF(reinterpret_cast<PyObject *>(slot.type));
  slot = {type, api};
  return api;
}

tilec_type tilec::python::typeOf(dlpack::DataType type) {
  if (type.lanes != 1)
    return type.code == dlpack::codeFloat4E2M1FN ? TILEC_TYPE_U8 : TILEC_TYPE_NONE;
  switch (type.code) {
  case dlpack::codeBool:
    return TILEC_TYPE_U1;
  case dlpack::codeInt:
  case dlpack::codeUInt: {
    unsigned first = type.code == dlpack::codeInt ? TILEC_TYPE_I8 : TILEC_TYPE_U8;
    unsigned width = type.bits == 8 ? 0 : type.bits == 16 ? 1 : type.bits == 32 ? 2 : 3;
    return (8u << width) == type.bits ? tilec_type(first + width) : TILEC_TYPE_NONE;
  }
  case dlpack::codeFloat:
    return type.bits == 16   ? TILEC_TYPE_FP16
           : type.bits == 32 ? TILEC_TYPE_FP32
           : type.bits == 64 ? TILEC_TYPE_FP64
                             : TILEC_TYPE_NONE;
  case dlpack::codeBfloat:
    return TILEC_TYPE_BF16;
  case dlpack::codeFloat8E4M3FN:
    return TILEC_TYPE_FP8E4NV;
  case dlpack::codeFloat8E4M3FNUZ:
    return TILEC_TYPE_FP8E4B8;
  case dlpack::codeFloat8E5M2:
    return TILEC_TYPE_FP8E5;
  case dlpack::codeFloat8E5M2FNUZ:
    return TILEC_TYPE_FP8E5B16;
  case dlpack::codeFloat8E8M0FNU:
  case dlpack::codeFloat4E2M1FN:
    return TILEC_TYPE_U8;
  default:
    return TILEC_TYPE_NONE;
  }
}

//===----------------------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------------------===//

bool Arguments::meet(int32_t deviceType, int32_t deviceId, PyObject *name) {
  // Pinned and managed memory can be had on every device.
  if (deviceType == dlpack::cudaHost || deviceType == dlpack::cudaManaged)
    return true;
  if (place.deviceType == 0) {
    place.deviceType = deviceType;
    place.deviceId = deviceId;
    return true;
  }
  if (place.deviceType == deviceType && place.deviceId == deviceId)
    return true;
  auto text = [](int32_t type, int32_t id) {
    return type == dlpack::cpu    ? PyUnicode_FromString("the CPU")
           : type == dlpack::cuda ? PyUnicode_FromFormat("cuda:%d", int(id))
                                  : PyUnicode_FromFormat("a device of DLPack type %d", int(type));
  };
  Ref here(text(deviceType, deviceId)), there(text(place.deviceType, place.deviceId));
  if (here && there)
    PyErr_Format(PyExc_ValueError,
                 "argument '%U' is on %U, the tensors before it are on %U: all tensors of a launch "
                 "have to be on one device",
                 name, here.get(), there.get());
  return false;
}

bool Arguments::addTensor(const dlpack::ExchangeApi &api, PyObject *object, PyObject *name) {
  dlpack::Tensor tensor;
  if (api.tensorFromPyObject(object, &tensor) != 0) {
    // A type that DLPack has not, or a tensor without memory: Python knows more.
    PyErr_Clear();
    return addClassified(object, false, name);
  }
  tilec_type type = typeOf(tensor.dtype);
  if (type == TILEC_TYPE_NONE)
    return addClassified(object, false, name);
  uintptr_t address = reinterpret_cast<uintptr_t>(tensor.data) + tensor.byteOffset;
  append(TILEC_VALUE_POINTER, type).value.unsigned_integer = address;
  if (address < leastAddress && !unbacked && !isEmpty(tensor))
    unbacked = name;
  if (tensor.device.type == dlpack::cpu)
    return addHostMemory(object, name);
  place.api = &api;
  return meet(tensor.device.type, tensor.device.id, name);
}

/// Notes the memory that a tensor of the host is part of, as Python finds it: (address, bytes), or
/// None where GPUs can reach it.
bool Arguments::addHostMemory(PyObject *object, PyObject *name) {
  Ref range(PyObject_CallMethod(classify, "memory_of", "(O)", object));
  if (!range)
    return false;
  if (range.get() == Py_None)
    return meet(dlpack::cudaHost, 0, name);
  if (!meet(dlpack::cpu, 0, name))
    return false;
  unsigned long long address = 0, bytes = 0;
  return PyArg_ParseTuple(range.get(), "KK", &address, &bytes) &&
         addBuffer(address, bytes, false, name);
}

bool Arguments::addBuffer(unsigned long long address, unsigned long long bytes, bool isReadOnly,
                          PyObject *name) {
  // The text lives as long as the kernel's names.
  const char *text = PyUnicode_AsUTF8AndSize(name, nullptr);
  if (!text)
    return false;
  buffers.push_back({reinterpret_cast<void *>(address), size_t(bytes), text,
                     isReadOnly ? TILEC_BUFFER_READ_ONLY : 0});
  return true;
}

bool Arguments::haveMemory() const {
  if (unbacked)
    PyErr_Format(PyExc_ValueError,
                 "argument '%U' is a tensor with elements and without memory: its address is null, "
                 "as that of a tensor is whose storage was freed",
                 unbacked);
  return !unbacked;
}

bool Arguments::addInteger(PyObject *object) {
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (value == -1 && overflow == 0 && PyErr_Occurred())
    return false;
  if (overflow == 0) {
    append(TILEC_VALUE_INTEGER).value.integer = value;
    return true;
  }
  unsigned long long large = PyLong_AsUnsignedLongLong(object);
  if (large == ULLONG_MAX && PyErr_Occurred())
    return false;
  append(TILEC_VALUE_UNSIGNED).value.unsigned_integer = large;
  return true;
}

bool Arguments::addConstant(PyObject *object) {
  PyObject *number = PyDict_GetItemWithError(constants, object);
  if (!number)
    return false;
  append(TILEC_VALUE_CONSTANT).value.constant = PyLong_AsUnsignedLongLong(number);
  return true;
}

bool Arguments::addTuple(PyObject *tuple, bool isConstexpr, PyObject *name, uint32_t fields) {
  // Lists become tuples, and a list may hold itself.
  if (depth == maxDepth) {
    PyErr_Format(PyExc_RecursionError, "argument '%U': tuples are nested more than %u deep", name,
                 maxDepth);
    return false;
  }
  ++depth;
  Py_ssize_t count = PyTuple_Size(tuple);
  tilec_call_value &value = append(TILEC_VALUE_TUPLE);
  value.value.unsigned_integer = uint64_t(count);
  value.fields = fields;
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!add(PyTuple_GetItem(tuple, i), isConstexpr, name))
      return false;
  --depth;
  return true;
}

bool Arguments::add(PyObject *object, bool isConstexpr, PyObject *name) {
  PyTypeObject *type = Py_TYPE(object);
  if (type == &PyLong_Type)
    return addInteger(object);
  if (object == Py_None) {
    append(TILEC_VALUE_NONE);
    return true;
  }
  if (type == &PyBool_Type) {
    append(TILEC_VALUE_BOOL).value.integer = object == Py_True;
    return true;
  }
  if (type == &PyFloat_Type) {
    append(TILEC_VALUE_FLOAT).value.real = PyFloat_AsDouble(object);
    return true;
  }
  if (type == &PyTuple_Type)
    return addTuple(object, isConstexpr, name, 0);
  if (type == &PyUnicode_Type) {
    if (addConstant(object))
      return true;
    return !PyErr_Occurred() && addClassified(object, isConstexpr, name);
  }
  if (!isConstexpr)
    if (const dlpack::ExchangeApi *api = findApi(type))
      return addTensor(*api, object, name);
  return addClassified(object, isConstexpr, name);
}

/// Reads what Python's `classify` says of a value, as it is described there (tilec/_values.py).
bool Arguments::addClassified(PyObject *object, bool isConstexpr, PyObject *name) {
  Ref answer(PyObject_CallFunctionObjArgs(classify, object, isConstexpr ? Py_True : Py_False, name,
                                          kernel, nullptr));
  if (!answer)
    return false;
  if (!PyTuple_Check(answer.get()) || PyTuple_Size(answer.get()) < 2) {
    PyErr_SetString(PyExc_TypeError, "classify returned no tuple");
    return false;
  }
  PyObject *kind = PyTuple_GetItem(answer.get(), 0);
  if (PyUnicode_CompareWithASCIIString(kind, "constant") == 0) {
    append(TILEC_VALUE_CONSTANT).value.constant =
        PyLong_AsUnsignedLongLong(PyTuple_GetItem(answer.get(), 1));
    return !PyErr_Occurred();
  }
  if (PyUnicode_CompareWithASCIIString(kind, "pointer") == 0)
    return addPointer(object, answer.get(), name);
  if (PyUnicode_CompareWithASCIIString(kind, "descriptor") == 0)
    return addDescriptor(answer.get(), name);
  if (PyUnicode_CompareWithASCIIString(kind, "capsule") == 0)
    return addCapsule(object, answer.get(), name);
  PyObject *value = PyTuple_GetItem(answer.get(), 1);
  if (PyUnicode_CompareWithASCIIString(kind, "named tuple") != 0)
    return add(value, isConstexpr, name);
  unsigned long fields = PyLong_AsUnsignedLong(PyTuple_GetItem(answer.get(), 2));
  return !PyErr_Occurred() && addTuple(value, isConstexpr, name, uint32_t(fields));
}

bool Arguments::addPointer(PyObject *object, PyObject *description, PyObject *name) {
  PyObject *kind = nullptr;
  unsigned long long address = 0, memory = 0, bytes = 0, stream = 0;
  int type = 0, deviceType = 0, deviceId = 0, isReadOnly = 0;
  unsigned framework = 0;
  if (!PyArg_ParseTuple(description, "OKiiiKK|pIK", &kind, &address, &type, &deviceType, &deviceId,
                        &memory, &bytes, &isReadOnly, &framework, &stream))
    return false;
  if (deviceType != 0 && !meet(deviceType, deviceId, name))
    return false;
  append(TILEC_VALUE_POINTER, unsigned(type)).value.unsigned_integer = address;
  frameworks.seen |= framework;
  if (stream != 0)
    frameworks.streams.push_back(uintptr_t(stream));
  if (address < leastAddress && !unbacked) {
    Ref answer(PyObject_CallMethod(classify, "is_empty", "(O)", object));
    if (!answer)
      return false;
    if (answer.get() != Py_True)
      unbacked = name;
  }
  return bytes == 0 || addBuffer(memory, bytes, isReadOnly != 0, name);
}

bool Arguments::addCapsule(PyObject *object, PyObject *description, PyObject *name) {
  PyObject *kind = nullptr;
  int deviceType = 0, deviceId = 0;
  unsigned framework = 0;
  if (!PyArg_ParseTuple(description, "OiiI", &kind, &deviceType, &deviceId, &framework) ||
      !meet(deviceType, deviceId, name))
    return false;
  frameworks.seen |= framework;
  capsules.push_back({values.size(), object, name});
  append(TILEC_VALUE_POINTER);
  return true;
}

bool Arguments::openCapsules(void *stream) {
  for (const Capsule &capsule : capsules)
    if (!openCapsule(capsule.index, capsule.object, capsule.name, stream))
      return false;
  return true;
}

bool Arguments::openCapsule(size_t index, PyObject *object, PyObject *name, void *stream) {
  Ref opened(place.isHost() ? PyObject_CallMethod(classify, "open_capsule", "(OO)", object, Py_None)
                            : PyObject_CallMethod(classify, "open_capsule", "(OK)", object,
                                                  static_cast<unsigned long long>(
                                                      reinterpret_cast<uintptr_t>(stream))));
  unsigned long long address = 0, memory = 0, bytes = 0;
  int type = 0, deviceType = 0, deviceId = 0, hasNoElements = 0, isReadOnly = 0;
  PyObject *owner = nullptr;
  if (!opened ||
      !PyArg_ParseTuple(opened.get(), "KiiiKKppO", &address, &type, &deviceType, &deviceId, &memory,
                        &bytes, &hasNoElements, &isReadOnly, &owner) ||
      !meet(deviceType, deviceId, name))
    return false;
  owners.push_back(Ref::borrow(owner));
  tilec_call_value &value = values[index];
  value.type = uint16_t(type);
  if (value.kind == TILEC_VALUE_DESCRIPTOR)
    const_cast<tilec_descriptor *>(value.value.descriptor)->data =
        reinterpret_cast<void *>(address);
  else
    value.value.unsigned_integer = address;
  if (address < leastAddress && !unbacked && !hasNoElements)
    unbacked = name;
  return deviceType != dlpack::cpu || bytes == 0 || addBuffer(memory, bytes, isReadOnly != 0, name);
}

/// Copies a sequence of integers; false with a Python exception.
template <typename Number>
static bool readNumbers(PyObject *sequence, Number *to, Py_ssize_t count) {
  for (Py_ssize_t i = 0; i < count; ++i) {
    Ref item(PySequence_GetItem(sequence, i));
    Ref number(item ? PyNumber_Index(item.get()) : nullptr);
    if (!number)
      return false;
    to[i] = Number(PyLong_AsLongLong(number.get()));
    if (PyErr_Occurred())
      return false;
  }
  return true;
}

bool Arguments::addDescriptor(PyObject *description, PyObject *name) {
  PyObject *kind = nullptr, *tensor = nullptr, *shape = nullptr, *strides = nullptr,
           *block = nullptr;
  int padsWithNan = 0;
  if (!PyArg_ParseTuple(description, "OOOOOp", &kind, &tensor, &shape, &strides, &block,
                        &padsWithNan))
    return false;
  Py_ssize_t rank = PySequence_Size(shape);
  if (rank < 1 || rank > 5 || PySequence_Size(strides) != rank || PySequence_Size(block) != rank) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_ValueError,
                   "argument '%U': a tensor descriptor has 1 to 5 dimensions, with as many sizes, "
                   "strides and sizes of the block",
                   name);
    return false;
  }
  size_t index = values.size();
  if (!add(tensor, false, name))
    return false;
  if (values.size() != index + 1 || values[index].kind != TILEC_VALUE_POINTER) {
    PyErr_Format(PyExc_TypeError, "argument '%U': a tensor descriptor of what is no tensor", name);
    return false;
  }
  tilec_descriptor &descriptor = descriptors.emplace_back();
  descriptor.data = const_cast<void *>(values[index].value.pointer);
  descriptor.rank = uint32_t(rank);
  descriptor.pads_with_nan = padsWithNan != 0;
  if (!readNumbers(shape, descriptor.shape, rank) ||
      !readNumbers(strides, descriptor.strides, rank) ||
      !readNumbers(block, descriptor.block, rank))
    return false;
  values[index].kind = TILEC_VALUE_DESCRIPTOR;
  values[index].value.descriptor = &descriptor;
  return true;
}

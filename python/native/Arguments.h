// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Python values as the values of a call: numbers, tensors of any framework, tuples, descriptors,
// constants. The usual types are read here; the rest is asked of Python once for each value, or,
// where a value cannot change, once for each object.

#ifndef TILEC_PYTHON_NATIVE_ARGUMENTS_H
#define TILEC_PYTHON_NATIVE_ARGUMENTS_H

#include "DLPack.h"
#include "Object.h"

#include <deque>
#include <vector>

namespace tilec::python {

/// Where the tensors of a call are.
struct Place {
  /// 0: no tensor was seen yet.
  int32_t deviceType = 0;
  int32_t deviceId = 0;
  /// The function table of one of them that has one.
  const dlpack::ExchangeApi *api = nullptr;

  bool isHost() const { return deviceType == dlpack::cpu; }
};

/// Whose stream a launch goes to, as far as Python found it: tilec/_devices.py.
struct Frameworks {
  /// _devices.TORCH, ... of the tensors that were seen.
  unsigned seen = 0;
  /// Streams that tensors say were used last for them.
  std::vector<uintptr_t> streams;
};

/// The values of one call. References to Python objects are borrowed from the call.
class Arguments {
public:
  /// `classify` is asked for what is not known here, and told of the kernel; `constants` (a dict)
  /// keeps the numbers of constants.
  Arguments(PyObject *calledKernel, PyObject *classifyFunction, PyObject *constantNumbers)
      : kernel(calledKernel), classify(classifyFunction), constants(constantNumbers) {
    values.reserve(32);
  }

  /// Adds the value of a parameter; false with a Python exception.
  bool add(PyObject *object, bool isConstexpr, PyObject *name);

  /// Whether there are tensors whose memory is asked for with a stream.
  bool hasCapsules() const { return !capsules.empty(); }
  /// Asks for it, after everything was added; their frameworks see to it that it is ready for work
  /// on the stream. False with a Python exception.
  bool openCapsules(void *stream);

  /// Sets a Python exception when a tensor with elements has no memory; false then.
  bool haveMemory() const;

  std::vector<tilec_call_value> values;
  /// Memory of the host that tensors are in.
  std::vector<tilec_buffer> buffers;
  Place place;
  Frameworks frameworks;

private:
  bool addInteger(PyObject *object);
  bool addConstant(PyObject *object);
  bool addTuple(PyObject *tuple, bool isConstexpr, PyObject *name, uint32_t fields);
  bool addTensor(const dlpack::ExchangeApi &api, PyObject *object, PyObject *name);
  bool addClassified(PyObject *object, bool isConstexpr, PyObject *name);
  bool addPointer(PyObject *object, PyObject *description, PyObject *name);
  bool addCapsule(PyObject *object, PyObject *description, PyObject *name);
  bool addDescriptor(PyObject *description, PyObject *name);
  bool addHostMemory(PyObject *object, PyObject *name);
  /// Notes a part of the host's memory that an argument is in.
  bool addBuffer(unsigned long long address, unsigned long long bytes, bool isReadOnly,
                 PyObject *name);
  /// Notes a tensor's device; false where another one is elsewhere.
  bool meet(int32_t deviceType, int32_t deviceId, PyObject *name);
  bool openCapsule(size_t index, PyObject *object, PyObject *name, void *stream);
  tilec_call_value &append(tilec_value_kind kind, unsigned type = 0) {
    values.push_back({uint16_t(kind), uint16_t(type), 0, {}});
    return values.back();
  }

  PyObject *kernel;
  PyObject *classify;
  PyObject *constants;
  /// The first argument without memory; null where there is none.
  PyObject *unbacked = nullptr;
  /// How many tuples the value that is added now is in.
  unsigned depth = 0;
  struct Capsule {
    /// Of the value.
    size_t index;
    PyObject *object, *name;
  };
  std::vector<Capsule> capsules;
  /// What keeps the memory of opened capsules, until the launch is queued.
  std::vector<Ref> owners;
  std::deque<tilec_descriptor> descriptors;
};

/// The element type of a tensor; TILEC_TYPE_NONE where kernels have none.
tilec_type typeOf(dlpack::DataType type);

} // namespace tilec::python

#endif // TILEC_PYTHON_NATIVE_ARGUMENTS_H

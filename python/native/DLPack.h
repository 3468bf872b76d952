// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of DLPack's binary interface that is used here (the names are the standard's): the
// layout of a tensor, what capsules of `__dlpack__` hold, and the table of functions that a
// tensor's Python type gives as `__dlpack_c_exchange_api__`.
// https://dmlc.github.io/dlpack/latest/c_api.html

#ifndef TILEC_PYTHON_NATIVE_DLPACK_H
#define TILEC_PYTHON_NATIVE_DLPACK_H

#include <cstdint>

namespace tilec::python::dlpack {

enum DeviceType : int32_t { cpu = 1, cuda = 2, cudaHost = 3, cudaManaged = 13 };

struct Device {
  int32_t type;
  int32_t id;
};

/// Of DataType::code.
enum TypeCode : uint8_t {
  codeInt = 0,
  codeUInt = 1,
  codeFloat = 2,
  codeBfloat = 4,
  codeBool = 6,
  codeFloat8E4M3FN = 10,
  codeFloat8E4M3FNUZ = 11,
  codeFloat8E5M2 = 12,
  codeFloat8E5M2FNUZ = 13,
  codeFloat8E8M0FNU = 14,
  codeFloat4E2M1FN = 17,
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Tensor {
  void *data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t *shape;
  /// In elements.
  int64_t *strides;
  uint64_t byteOffset;
};

/// What a capsule "dltensor" holds, of versions before 1.
struct ManagedTensor {
  Tensor tensor;
  void *context;
  /// May be null.
  void (*deleter)(ManagedTensor *self);
};

/// Of VersionedTensor::flags.
constexpr uint64_t flagReadOnly = 1, flagIsCopied = 2;

/// What a capsule "dltensor_versioned" holds. The first three members are those of all versions.
struct VersionedTensor {
  struct {
    uint32_t major;
    uint32_t minor;
  } version;
  void *context;
  void (*deleter)(VersionedTensor *self);
  uint64_t flags;
  Tensor tensor;
};

struct ExchangeApi {
  struct {
    struct {
      uint32_t major;
      uint32_t minor;
    } version;
    ExchangeApi *previous;
  } header;
  void *managedTensorAllocator;
  void *managedTensorFromPyObject;
  void *managedTensorToPyObject;
  /// Fills a tensor that is good until control goes back to the interpreter; -1 with a Python
  /// exception after a failure. Null where the framework has none.
  int (*tensorFromPyObject)(void *object, Tensor *tensor);
  /// The stream that the framework queues work on now.
  int (*currentWorkStream)(int32_t deviceType, int32_t deviceId, void **stream);
};

} // namespace tilec::python::dlpack

#endif // TILEC_PYTHON_NATIVE_DLPACK_H

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The argument values of one launch, packed once and checked against the kernel's metadata: count,
// size, and the divisibility that the kernel was compiled for.

#ifndef TILECRT_CUDA_LAUNCHARGUMENTS_H
#define TILECRT_CUDA_LAUNCHARGUMENTS_H

#include "tilecrt/KernelMetadata.h"
#include "tilecrt/Result.h"
#include "tilecrt/cuda/Context.h"
#include "tilecrt/cuda/DriverTable.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace tilecrt::cuda {

/// A list of argument values in launch order. Each value takes one or two 8-byte slots.
class LaunchArguments {
public:
  /// Appends the bytes of a value of at most 16 bytes (longer ones are cut off and then fail the
  /// size check).
  void addBytes(const void *value, uint32_t size);
  template <typename T> void add(T value) {
    static_assert(sizeof(T) <= 16, "a kernel argument has at most 16 bytes");
    addBytes(&value, sizeof(T));
  }
  void addPointer(CUdeviceptr address) { add(address); }

  size_t size() const { return sizes.size(); }

  /// invalidArgument naming the argument when count, a size or a promised divisibility is off.
  Status check(const KernelMetadata &metadata) const;

  /// Encodes the kernel's tensor maps from the arguments, which are complete and checked. They
  /// follow the arguments in `pointers` until this is called again, for other arguments.
  Status encodeTensorMaps(const KernelMetadata &metadata, const Context &context);
  /// As above; a context must be current.
  Status encodeTensorMaps(const KernelMetadata &metadata, const DriverTable &driver);

  /// One pointer per argument and tensor map, for Kernel::launch; valid until the next add or
  /// destruction.
  void **pointers();

private:
  struct alignas(16) Slot {
    unsigned char bytes[16];
  };
  std::vector<Slot> slots;
  std::vector<uint32_t> sizes;
  std::vector<CUtensorMap> maps;
  std::vector<void *> addresses;
};

} // namespace tilecrt::cuda

#endif // TILECRT_CUDA_LAUNCHARGUMENTS_H

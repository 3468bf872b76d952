// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs argument values and holds them against the kernel's metadata.

#include "tilecrt/cuda/LaunchArguments.h"

#include "tilecrt/TensorMapValues.h"

#include <algorithm>

namespace tilecrt::cuda {

void LaunchArguments::addBytes(const void *value, uint32_t size) {
  Slot slot = {};
  std::memcpy(slot.bytes, value, std::min<size_t>(size, sizeof(slot.bytes)));
  slots.push_back(slot);
  sizes.push_back(size);
}

Status LaunchArguments::check(const KernelMetadata &metadata) const {
  auto fail = [&](const std::string &message) {
    return invalidArgument("kernel '" + metadata.name + "': " + message);
  };
  if (metadata.arguments.size() != slots.size())
    return fail("expected " + std::to_string(metadata.arguments.size()) + " arguments, got " +
                std::to_string(slots.size()));
  for (size_t i = 0; i < slots.size(); ++i) {
    const KernelArgument &argument = metadata.arguments[i];
    std::string named = "argument '" + argument.name + "' ('" + argument.type + "')";
    if (sizes[i] != argument.sizeBytes || sizes[i] > sizeof(Slot))
      return fail(named + " takes " + std::to_string(argument.sizeBytes) + " bytes, got " +
                  std::to_string(sizes[i]));
    if (argument.kind == ArgumentKind::floating || argument.divisibility <= 1)
      continue;
    // Little-endian bytes; sign extension does not matter for a divisibility by a power of two.
    uint64_t value = 0;
    std::memcpy(&value, slots[i].bytes, std::min<size_t>(sizes[i], sizeof(value)));
    if (value % argument.divisibility != 0)
      return fail(named + " was compiled for multiples of " +
                  std::to_string(argument.divisibility) + ", got " + std::to_string(value));
  }
  return Status();
}

Status LaunchArguments::encodeTensorMaps(const KernelMetadata &metadata, const Context &context) {
  maps.clear();
  if (metadata.tensorMaps.empty())
    return Status();
  // The driver looks at the device behind the current context.
  ContextScope scope(*context.shared());
  TILECRT_RETURN_IF_ERROR(scope.status());
  return encodeTensorMaps(metadata, context.shared()->table());
}

Status LaunchArguments::encodeTensorMaps(const KernelMetadata &metadata,
                                         const DriverTable &driver) {
  maps.clear();
  std::vector<CUtensorMap> encoded(metadata.tensorMaps.size());
  for (size_t i = 0; i < encoded.size(); ++i) {
    Result<sim::TensorMapFields> fields =
        tensorMapFields(metadata, metadata.tensorMaps[i], pointers());
    if (!fields.ok())
      return fields.status();
    TILECRT_CUDA_RETURN_IF_ERROR(
        driver, tensorMapEncodeTiled,
        (&encoded[i], CUtensorMapDataType(fields->type), fields->rank,
         reinterpret_cast<void *>(fields->address), fields->dims.data(), fields->strides.data(),
         fields->box.data(), fields->elementStrides.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
         CUtensorMapSwizzle(fields->swizzle), CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
         CUtensorMapFloatOOBfill(fields->fill)));
  }
  maps = std::move(encoded);
  return Status();
}

void **LaunchArguments::pointers() {
  addresses.clear();
  for (Slot &slot : slots)
    addresses.push_back(slot.bytes);
  for (CUtensorMap &map : maps)
    addresses.push_back(&map);
  return addresses.data();
}

} // namespace tilecrt::cuda

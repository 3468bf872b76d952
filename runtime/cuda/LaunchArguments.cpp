// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs argument values and holds them against the kernel's metadata.

#include "tilecrt/cuda/LaunchArguments.h"

#include "tilecrt/cuda/PreparedLaunch.h"

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
  for (size_t i = 0; i < slots.size(); ++i)
    TILECRT_RETURN_IF_ERROR(checkArgument(metadata, i, slots[i].bytes, sizes[i]));
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
  for (size_t i = 0; i < encoded.size(); ++i)
    TILECRT_RETURN_IF_ERROR(
        encodeTensorMap(metadata, metadata.tensorMaps[i], pointers(), driver, encoded[i]));
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

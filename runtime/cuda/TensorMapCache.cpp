// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of every map four, of which the one goes that was used longest ago.

#include "tilecrt/cuda/TensorMapCache.h"

#include "tilecrt/TensorMapValues.h"
#include "tilecrt/cuda/PreparedLaunch.h"

#include <cstring>

namespace tilecrt::cuda {

TensorMapCache::TensorMapCache(const KernelMetadata &kernel)
    : metadata(kernel), maps(kernel.tensorMaps.size()) {
  for (size_t i = 0; i < maps.size(); ++i)
    maps[i].arguments = argumentsOfMap(kernel, kernel.tensorMaps[i]);
}

Status TensorMapCache::get(const void *const *arguments, const DriverTable &driver,
                           CUtensorMap *result) {
  std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
  for (size_t i = 0; i < maps.size(); ++i) {
    const TensorMapArgument &map = metadata.tensorMaps[i];
    bool isKept = lock.owns_lock() && maps[i].arguments.size() <= maxValues;
    TILECRT_RETURN_IF_ERROR(isKept ? getKept(maps[i], map, arguments, driver, result[i])
                                   : encodeTensorMap(metadata, map, arguments, driver, result[i]));
  }
  return Status();
}

Status TensorMapCache::getKept(MapEntries &kept, const TensorMapArgument &description,
                               const void *const *arguments, const DriverTable &driver,
                               CUtensorMap &map) {
  Key key = {};
  for (size_t i = 0; i < kept.arguments.size(); ++i) {
    size_t argument = kept.arguments[i];
    std::memcpy(&key[i], arguments[argument],
                std::min<size_t>(metadata.arguments[argument].sizeBytes, sizeof key[i]));
  }
  Entry *oldest = &kept.entries.front();
  for (Entry &entry : kept.entries) {
    if (entry.used != 0 && entry.key == key) {
      entry.used = ++clock;
      map = entry.map;
      return Status();
    }
    if (entry.used < oldest->used)
      oldest = &entry;
  }
  TILECRT_RETURN_IF_ERROR(encodeTensorMap(metadata, description, arguments, driver, map));
  oldest->key = key;
  oldest->used = ++clock;
  oldest->map = map;
  return Status();
}

} // namespace tilecrt::cuda

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a kernel's arguments to the fields of its tensor maps; the launchers encode them, each for
// its device.

#ifndef TILECRT_TENSORMAPVALUES_H
#define TILECRT_TENSORMAPVALUES_H

#include "tilecrt/KernelMetadata.h"
#include "tilecrt/sim/TensorMap.h"

#include <optional>
#include <string>
#include <vector>

namespace tilecrt {

/// An element of tensor maps, as their metadata name it.
struct TensorMapElement {
  sim::TensorMapType type;
  int64_t bytes;
};
std::optional<TensorMapElement> tensorMapElement(const std::string &name);

/// The swizzle of 0, 32, 64 or 128 bytes.
sim::TensorMapSwizzle tensorMapSwizzle(uint32_t bytes);

/// The numbers of the arguments that a map is made from, each once, in order.
std::vector<size_t> argumentsOfMap(const KernelMetadata &metadata, const TensorMapArgument &map);

/// The fields of one of the kernel's tensor maps. `arguments` points to the values of the kernel's
/// arguments, with the sizes that the metadata says. invalidArgument when the tensor is empty or
/// not what a tensor map can describe.
Result<sim::TensorMapFields> tensorMapFields(const KernelMetadata &metadata,
                                             const TensorMapArgument &map,
                                             const void *const *arguments);

/// Whether the kernel has tensor maps that the compiler has inferred.
bool hasInferredMaps(const KernelMetadata &metadata);

/// Whether there are such maps for these arguments; else the kernel is to be compiled without
/// tensor copies.
bool inferredMapsFit(const KernelMetadata &metadata, const void *const *arguments);

} // namespace tilecrt

#endif // TILECRT_TENSORMAPVALUES_H

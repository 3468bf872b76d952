// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code of a kernel as sections of a cache entry or a bundle: "object", "symbol", "sites".

#ifndef TILEC_DRIVER_HOSTSECTIONS_H
#define TILEC_DRIVER_HOSTSECTIONS_H

#include "tilec/Cache/Container.h"
#include "tilec/Target/HostJIT.h"

#include <optional>

namespace tilec {

/// Adds the sections; `prefix` comes before their names.
void addHostSections(CacheEntry &entry, const HostImage &image, llvm::StringRef prefix = "");

/// Reads them, for a kernel of that name; nothing when they are not there or make no sense.
std::optional<HostImage> readHostSections(const CacheEntry &entry, const std::string &kernel,
                                          llvm::StringRef prefix = "");

} // namespace tilec

#endif // TILEC_DRIVER_HOSTSECTIONS_H

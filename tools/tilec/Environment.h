// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that reads environment variables.

#ifndef TILEC_TOOLS_TILEC_ENVIRONMENT_H
#define TILEC_TOOLS_TILEC_ENVIRONMENT_H

#include "tilec/Driver/Compiler.h"

namespace tilec::tool {

/// What options and environment say about where things are. A path of ptxas given as an option
/// comes before TILEC_PTXAS.
ToolSearch readToolSearch(llvm::StringRef ptxasOption);

/// What the environment says about the cache of compiled kernels.
struct CacheEnvironment {
  /// TILEC_CACHE_DIR, else XDG_CACHE_HOME/tilec, else HOME/.cache/tilec, else empty.
  std::string folder;
  /// TILEC_CACHE_LIMIT and TILEC_SHARED_CACHE.
  std::string limit, shared;
  /// TILEC_NO_CACHE is set and not empty.
  bool off = false;
};
CacheEnvironment readCacheEnvironment();

/// Where CUPTI may be: at the path that an option names, else TILEC_CUPTI, else where it usually
/// is.
std::vector<std::string> readCuptiPlaces(llvm::StringRef option);

/// TILEC_SAVE_LAUNCHES: where launches that fail are saved; empty: nowhere.
std::string readSaveFolder();

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_ENVIRONMENT_H

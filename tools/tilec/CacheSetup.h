// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compilation cache as options and environment describe it: TILEC_CACHE_DIR, else
// XDG_CACHE_HOME/tilec, else HOME/.cache/tilec; TILEC_CACHE_LIMIT, TILEC_SHARED_CACHE and
// TILEC_NO_CACHE.

#ifndef TILEC_TOOLS_TILEC_CACHESETUP_H
#define TILEC_TOOLS_TILEC_CACHESETUP_H

#include "ExitCode.h"
#include "Options.h"

#include "tilec/Cache/CompileCache.h"

#include <memory>

namespace tilec::tool {

/// What options and environment say; the folder is empty when nothing says one.
struct CacheSetup {
  CacheConfig config;
  /// Turned off by '--no-cache' or TILEC_NO_CACHE.
  bool off = false;
  /// What is wrong with the environment; empty when nothing is.
  std::string problem;
};
CacheSetup readCacheSetup(const CacheOptions &options);

/// Opened when the first compilation can use it. Problems are printed as warnings, once.
class KernelCache {
public:
  explicit KernelCache(const CacheOptions &cacheOptions) : options(cacheOptions) {}
  /// Lets a compilation use the cache, if there is one and the compilation is of a kind that is
  /// kept.
  void attachTo(CompileOptions &compileOptions);

private:
  CacheOptions options;
  std::unique_ptr<CompileCache> cache;
  bool opened = false;
};

/// "512M", "2G", "1000": bytes; nothing when it is no size.
std::optional<uint64_t> parseSize(llvm::StringRef text);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_CACHESETUP_H

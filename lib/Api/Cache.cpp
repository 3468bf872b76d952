// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compilation cache over the C interface.

#include "Objects.h"

#include "tilec/Cache/BuildId.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilec;
using namespace tilec::api;

tilec_status tilec_cache_open(const tilec_cache_options *options, tilec_cache **cache) {
  return guarded([&] {
    if (!cache)
      return invalid("cache is null");
    *cache = nullptr;
    CacheConfig config;
    if (options) {
      std::optional<tilec_cache_options> given = readStruct(options, "options");
      if (!given)
        return TILEC_INVALID_ARGUMENT;
      config.folder = given->folder ? given->folder : "";
      config.shared = given->shared ? given->shared : "";
      if (given->disk_limit != 0)
        config.diskLimit = given->disk_limit;
      if (given->memory_limit != 0)
        config.memoryLimit = given->memory_limit;
    }
    auto object = std::make_shared<CompileCache>(config);
    std::vector<std::string> problems = object->takeProblems();
    *cache = Caches::get().insert(std::move(object));
    return problems.empty() ? TILEC_OK : fail(TILEC_UNAVAILABLE, llvm::join(problems, "; "));
  });
}

void tilec_cache_destroy(tilec_cache *cache) { Caches::get().erase(cache); }

tilec_status tilec_cache_get_statistics(const tilec_cache *cache,
                                        tilec_cache_statistics *statistics) {
  return onHandle<Caches>(cache, [&](CompileCache &object) {
    CacheStatistics found = object.getStatistics();
    tilec_cache_statistics result = {};
    result.memory_hits = found.memoryHits;
    result.disk_hits = found.diskHits;
    result.shared_hits = found.sharedHits;
    result.stores = found.stores;
    return writeStruct(result, statistics, "statistics");
  });
}

const char *tilec_build_id(void) { return compilerBuildId().c_str(); }

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CacheSetup.h.

#include "CacheSetup.h"

#include "Console.h"
#include "Environment.h"

#include <limits>

namespace tilec::tool {

std::optional<uint64_t> parseSize(llvm::StringRef text) {
  uint64_t bytes = 0;
  if (text.consumeInteger(10, bytes))
    return std::nullopt;
  text.consume_back("B");
  static constexpr llvm::StringLiteral units[] = {"", "K", "M", "G", "T"};
  const auto *unit = llvm::find(units, text);
  unsigned shift = 10 * unsigned(unit - std::begin(units));
  if (unit == std::end(units) || bytes > std::numeric_limits<uint64_t>::max() >> shift)
    return std::nullopt;
  return bytes << shift;
}

CacheSetup readCacheSetup(const CacheOptions &options) {
  CacheSetup setup;
  CacheEnvironment environment = readCacheEnvironment();
  setup.off = options.off || (environment.off && options.folder.empty());
  setup.config.shared = environment.shared;
  if (!options.folder.empty())
    setup.config.folder = options.folder;
  else
    setup.config.folder = environment.folder;
  if (setup.config.folder.empty())
    setup.problem = "kernels are not kept on disk: none of TILEC_CACHE_DIR, XDG_CACHE_HOME and "
                    "HOME is set";
  if (!environment.limit.empty()) {
    if (std::optional<uint64_t> limit = parseSize(environment.limit))
      setup.config.diskLimit = *limit;
    else
      setup.problem =
          "TILEC_CACHE_LIMIT expects a size as in 500M or 2G, got '" + environment.limit + "'";
  }
  return setup;
}

void KernelCache::attachTo(CompileOptions &compileOptions) {
  if (!Compiler::canUseCache(compileOptions))
    return;
  if (!opened) {
    opened = true;
    CacheSetup setup = readCacheSetup(options);
    if (setup.off)
      return;
    if (!setup.problem.empty())
      reportWarning(setup.problem);
    cache = std::make_unique<CompileCache>(setup.config);
    for (const std::string &problem : cache->takeProblems())
      reportWarning(problem);
  }
  compileOptions.cache = cache.get();
}

} // namespace tilec::tool

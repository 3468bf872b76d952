// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TILEC_PTXAS, CUDA_HOME (or CUDA_PATH), PATH, TILEC_LIBCLC, TILEC_LIBDEVICE; TILEC_CACHE_DIR,
// XDG_CACHE_HOME, HOME, TILEC_CACHE_LIMIT, TILEC_SHARED_CACHE, TILEC_NO_CACHE;
// TILEC_SAVE_LAUNCHES, TILEC_CUPTI.

#include "Environment.h"

#include "tilecrt/cuda/PcSampler.h"

#include "llvm/Support/FileSystem.h"

#include <cstdlib>

namespace tilec::tool {

static std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

ToolSearch readToolSearch(llvm::StringRef ptxasOption) {
  ToolSearch tools;
  tools.ptxas = ptxasOption.empty() ? variable("TILEC_PTXAS") : ptxasOption.str();
  tools.cudaHome = variable("CUDA_HOME");
  if (tools.cudaHome.empty())
    tools.cudaHome = variable("CUDA_PATH");
  tools.path = variable("PATH");
  tools.libclc = variable("TILEC_LIBCLC");
  tools.libdevice = variable("TILEC_LIBDEVICE");
  llvm::SmallString<256> self;
  if (!llvm::sys::fs::real_path("/proc/self/exe", self))
    tools.executable = std::string(self);
  return tools;
}

CacheEnvironment readCacheEnvironment() {
  CacheEnvironment environment;
  environment.folder = variable("TILEC_CACHE_DIR");
  auto below = [&](const char *name, llvm::StringRef folder) {
    std::string root = variable(name);
    if (environment.folder.empty() && !root.empty())
      environment.folder = root + "/" + folder.str();
  };
  below("XDG_CACHE_HOME", "tilec");
  below("HOME", ".cache/tilec");
  environment.limit = variable("TILEC_CACHE_LIMIT");
  environment.shared = variable("TILEC_SHARED_CACHE");
  environment.off = !variable("TILEC_NO_CACHE").empty();
  return environment;
}

std::vector<std::string> readCuptiPlaces(llvm::StringRef option) {
  std::string named = option.empty() ? variable("TILEC_CUPTI") : option.str();
  return named.empty() ? tilecrt::cuda::cuptiLibraries(readToolSearch("").cudaHome)
                       : std::vector<std::string>{named};
}

std::string readSaveFolder() { return variable("TILEC_SAVE_LAUNCHES"); }

} // namespace tilec::tool

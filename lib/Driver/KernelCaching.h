// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between a compilation and the cache: the key that names it, and the entry that holds its result.
//
// In the key: the compiler's build id; every option that code depends on; the contents of ptxas and
// of the math libraries; the tokens of the kernel and of what it can reach; types and constants.
// Not in the key: the file's path and where the tokens stand in it, except where they are part of
// the result in a form that cannot be moved: a cubin with line information, device assertions,
// remarks. The places in PTX, metadata, the simulator's sites and diagnostics are moved when the
// entry is read.

#ifndef TILEC_LIB_DRIVER_KERNELCACHING_H
#define TILEC_LIB_DRIVER_KERNELCACHING_H

#include "KernelTokens.h"

#include "tilec/Cache/CompileCache.h"
#include "tilec/Driver/Compiler.h"

namespace tilec {

/// One compilation's place in a cache.
class KernelCaching {
public:
  /// Whether compilations with these options are kept: PTX, cubins and host code without other
  /// stages.
  static bool isCacheable(const CompileOptions &options);

  /// Null when this compilation cannot be named: no such kernel, no ptxas.
  static std::unique_ptr<KernelCaching> create(const SourceManager &sources,
                                               const ast::Module &module,
                                               const CompileOptions &options,
                                               ModuleLoader &modules);

  const CacheKey &getKey() const { return key; }
  /// Whether other machines may have the entry.
  bool isSharable() const { return !isForHost(); }

  /// Reads an entry: the kernel, and its messages into `diagnostics`. Null when the entry does not
  /// fit; then nothing is reported.
  std::unique_ptr<CompiledKernel> read(const CacheEntry &entry, DiagnosticEngine &diagnostics);
  /// The entry of a result and the messages from number `firstMessage` on; nothing when it says
  /// something about places that cannot be named.
  std::optional<CacheEntry> write(const CompiledKernel &kernel, const DiagnosticEngine &diagnostics,
                                  size_t firstMessage);

private:
  KernelCaching(const SourceManager &sourceManager, const ast::Module &module,
                const CompileOptions &compileOptions, ModuleLoader &moduleLoader)
      : sources(sourceManager), file(module.file), options(compileOptions), modules(moduleLoader) {}
  bool makeKey(const ast::Module &module, const ast::FunctionDef &kernel);
  /// Whether the kernel is for the simulator, which runs host code.
  bool isForHost() const;

  const SourceManager &sources;
  FileId file;
  const CompileOptions &options;
  ModuleLoader &modules;
  KernelTokens tokens;
  CacheKey key;
};

} // namespace tilec

#endif // TILEC_LIB_DRIVER_KERNELCACHING_H

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the kernels of runs, each specialisation once.

#ifndef TILEC_TEST_PROGRAMS_EXAMPLES_KERNELCACHE_H
#define TILEC_TEST_PROGRAMS_EXAMPLES_KERNELCACHE_H

#include "KernelDevice.h"

#include <map>

namespace tilec::harness {

class KernelCache {
public:
  /// Kernels are made up to `lastStage`; without a line table when that is PTX, which then does not
  /// depend on where the sources are, and with its text when that is LLVMMLIR.
  KernelCache(CompilerPlaces compilerPlaces, std::string compileTarget,
              Stage lastStage = Stage::Cubin)
      : places(std::move(compilerPlaces)), target(std::move(compileTarget)), stopAfter(lastStage) {}

  /// The kernel of a run for the cache's target. The pointer stays valid while the cache lives. A
  /// failure carries the rendered diagnostics.
  Result<const CompiledKernel *> get(const KernelRun &run);
  Compiler &getCompiler() { return compiler; }

private:
  CompilerPlaces places;
  std::string target;
  Stage stopAfter;
  Compiler compiler;
  std::map<std::string, std::unique_ptr<CompiledKernel>> kernels;
};

} // namespace tilec::harness

#endif // TILEC_TEST_PROGRAMS_EXAMPLES_KERNELCACHE_H

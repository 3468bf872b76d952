// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutants of a kernel: its code with one operation less that orders accesses, as a compiler would
// make it that forgot a barrier, a wait, a fence or an arrival. The simulator's checks have to find
// each of them (mutation testing: DeMillo, Lipton, Sayward, 1978).

#ifndef TILEC_TEST_PROGRAMS_EXAMPLES_MUTANTS_H
#define TILEC_TEST_PROGRAMS_EXAMPLES_MUTANTS_H

#include "tilec/Driver/Compiler.h"
#include "tilecrt/Result.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tilec::harness {

class MutantMaker {
public:
  /// Reads a kernel that was compiled for the simulator up to LLVMMLIR, with the text of that
  /// stage. It has to outlive the maker.
  static tilecrt::Result<std::unique_ptr<MutantMaker>> create(const CompiledKernel &kernel);
  ~MutantMaker();

  /// The operations that order accesses, in program order: name and number among those of its name,
  /// "nvvm.barrier0 #2", "nvvm.barrier0 of global memory #1".
  const std::vector<std::string> &operations() const { return names; }
  /// Where they come from in the kernel's file: "45-attention-forward.tile:34".
  const std::vector<std::string> &places() const { return locations; }

  /// The kernel itself.
  tilecrt::Result<CompiledKernel> makeOriginal() {
    return make([](auto &) {});
  }
  /// The kernel without one of them.
  tilecrt::Result<CompiledKernel> makeWithout(size_t operation);
  /// The kernel with an assertion there that fails: whether a run comes there.
  tilecrt::Result<CompiledKernel> makeProbe(size_t operation);

private:
  struct Impl;
  using Edit = std::function<void(std::vector<mlir::Operation *> &operations)>;
  tilecrt::Result<CompiledKernel> make(const Edit &edit);
  explicit MutantMaker(const CompiledKernel &original);

  const CompiledKernel &kernel;
  std::unique_ptr<Impl> impl;
  std::vector<std::string> names, locations;
};

} // namespace tilec::harness

#endif // TILEC_TEST_PROGRAMS_EXAMPLES_MUTANTS_H

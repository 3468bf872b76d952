// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutants of a kernel: its code with one operation less that orders accesses, as a compiler would
// make it that forgot a barrier, a wait, a fence or an arrival. The simulator's checks have to find
// each of them (mutation testing: DeMillo, Lipton, Sayward, 1978). All are compiled once, as code
// that skips the operation that is chosen (schemata: Untch, Offutt, Harrold, 1993).

#ifndef TILEC_TEST_PROGRAMS_EXAMPLES_MUTANTS_H
#define TILEC_TEST_PROGRAMS_EXAMPLES_MUTANTS_H

#include "tilec/Driver/Compiler.h"
#include "tilecrt/Result.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilec::harness {

class MutantMaker {
public:
  /// Reads a kernel that was compiled for the simulator up to LLVMMLIR, with the text of that
  /// stage.
  static tilecrt::Result<std::unique_ptr<MutantMaker>> create(const CompiledKernel &kernel);
  MutantMaker(const MutantMaker &) = delete;
  MutantMaker &operator=(const MutantMaker &) = delete;

  /// The operations that order accesses, in program order: name and number among those of its name,
  /// "nvvm.barrier0 #2", "nvvm.barrier0 of global memory #1".
  const std::vector<std::string> &operations() const { return names; }
  /// Where they come from in the kernel's file: "45-attention-forward.tile:34".
  const std::vector<std::string> &places() const { return locations; }

  /// The kernel that the last call of `choose` has chosen; the kernel itself at first.
  const CompiledKernel &kernel() const { return made; }
  /// The kernel without one of the operations, or without none.
  void choose(std::optional<size_t> operation);
  /// Whether a run of any of them has come to the operation.
  bool isReached(size_t operation) const { return reached[operation] != 0; }

private:
  explicit MutantMaker(const CompiledKernel &original);
  tilecrt::Result<std::unique_ptr<HostKernel>> compile(mlir::ModuleOp module);

  CompiledKernel made;
  std::vector<std::string> names, locations;
  /// Read and written by the code: the number of the operation that is skipped, and a byte for each
  /// that says whether a thread was there.
  int32_t chosen = -1;
  std::vector<char> reached;
};

} // namespace tilec::harness

#endif // TILEC_TEST_PROGRAMS_EXAMPLES_MUTANTS_H

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binds the data of the command line to a kernel's parameters: which become run-time arguments of
// which type, which become constants, and what the grid's expressions may name.

#ifndef TILEC_TOOLS_TILEC_RUNARGUMENTS_H
#define TILEC_TOOLS_TILEC_RUNARGUMENTS_H

#include "Options.h"
#include "RunData.h"
#include "SourceFile.h"

#include <array>
#include <map>

namespace tilec::tool {

/// The value of one run-time parameter: an array by its index, or a number.
using RunArgument = std::variant<size_t, tilecrt::NumberData>;

/// An array that the kernel gets as a tensor descriptor, and how its block is written.
struct RunDescriptor {
  std::string name;
  size_t array = 0;
  std::vector<std::string> block;
  bool padsWithNan = false;
};

/// Everything about a run that is known before the kernel is compiled.
struct RunPlan {
  std::string kernel;
  /// Arguments in the order of the parameters, then the buffers that are no arguments.
  std::vector<RunArray> arrays;
  /// By name; a descriptor's sizes and strides are `x.shape0`, ..., `x.stride0`, ...
  std::map<std::string, RunArgument> arguments;
  std::vector<RunDescriptor> descriptors;
  std::vector<ArgumentSpec> types;
  std::vector<ConstantSpec> constants;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  /// What the grid comes from, of numbers and constants.
  std::string gridText;
  /// Where the kernel writes its timeline, if it has one.
  std::optional<size_t> timelineArray;
  /// Bytes that a launch moves.
  uint64_t movedBytes = 0;
  /// Its floating-point operations, where they are known.
  std::optional<uint64_t> flops;

  RunArray *findArray(llvm::StringRef name);
  /// Bytes of all arrays that are arguments.
  uint64_t argumentBytes() const;
};

/// Makes the plan: arrays are filled, types deduced and the grid evaluated. Errors go to
/// `diagnostics`; the plan is of no use then. Without `withLaunch` grid and bytes wait for
/// rebindConstants.
RunPlan makeRunPlan(const RunCommand &command, const ParsedSource &source, const KernelInfo &kernel,
                    DiagnosticEngine &diagnostics, bool withLaunch = true);

/// Gives a plan the constants of a command that has the same data otherwise, and evaluates what
/// depends on them. Errors go to `diagnostics`.
void rebindConstants(RunPlan &plan, const RunCommand &command, const ParsedSource &source,
                     const KernelInfo &kernel, DiagnosticEngine &diagnostics);

/// What the heuristics of a kernel may ask for: the plan's integers, which all its launches have.
std::vector<std::pair<std::string, int64_t>> heuristicArgumentsOf(const RunPlan &plan,
                                                                  const KernelInfo &kernel);

/// The type, in signature notation, of a number passed by value. The suffix ':16' tells the
/// compiler that the value is a multiple of 16.
std::string deduceNumberType(const tilecrt::NumberData &number, bool specialize);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_RUNARGUMENTS_H

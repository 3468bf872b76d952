// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options that decide which code a kernel becomes, described once: the cache's key, saved
// launches and the processes that tune all go through them by visitCodeOptions().

#ifndef TILEC_DRIVER_CODEOPTIONS_H
#define TILEC_DRIVER_CODEOPTIONS_H

#include "tilec/IRGen/IRGen.h"

#include "llvm/Support/JSON.h"

namespace tilec {

struct CodeOptions {
  std::vector<ArgumentSpec> arguments;
  std::vector<ConstantSpec> constants;
  std::optional<int> numWarps;
  std::optional<int> numStages;
  /// As of IRGenOptions: values of arguments that all launches have.
  std::vector<std::pair<std::string, int64_t>> heuristicArguments;
  /// Most registers of a thread; not given: the assembler's choice.
  std::optional<int> maxRegisters;
  /// "sm_80" .. "sm_120", "sm_90a", "sm_100a", "sim", or "sim:" and one of those: the simulator
  /// runs its code; "interp": the tile dialect as the front end makes it, for interpret().
  std::string target = defaultProcessor().name.str();
  /// Keeps device assertions.
  bool debug = false;
  /// As in IRGenOptions.
  bool overflowChecks = true;
  /// Source lines in the PTX.
  bool lineInfo = true;
  /// Contracts multiply and add into fma.
  bool fpFusion = true;
  /// exp and exp2 of fp32 give 0 in place of subnormal numbers, which is faster.
  bool flushSubnormals = true;
  /// Counts instructions by class on the simulator.
  bool countInstructions = false;
  /// As in IRGenOptions.
  uint64_t stepLimit = IRGenOptions().stepLimit;
  uint64_t opLimit = IRGenOptions().opLimit;
  uint64_t unrollLimit = IRGenOptions().unrollLimit;
};

/// Calls `visit(name, option)` for each option, with the name that it has in files. A new option
/// does not compile before it is here.
template <typename Options, typename Visitor>
void visitCodeOptions(Options &options, Visitor &&visit) {
  auto &[arguments, constants, numWarps, numStages, heuristicArguments, maxRegisters, target, debug,
         overflowChecks, lineInfo, fpFusion, flushSubnormals, countInstructions, stepLimit, opLimit,
         unrollLimit] = options;
  visit("arguments", arguments);
  visit("constants", constants);
  visit("numWarps", numWarps);
  visit("numStages", numStages);
  visit("heuristicArguments", heuristicArguments);
  visit("maxRegisters", maxRegisters);
  visit("target", target);
  visit("debug", debug);
  visit("overflowChecks", overflowChecks);
  visit("lineInfo", lineInfo);
  visit("fpFusion", fpFusion);
  visit("flushSubnormals", flushSubnormals);
  visit("countInstructions", countInstructions);
  visit("stepLimit", stepLimit);
  visit("opLimit", opLimit);
  visit("unrollLimit", unrollLimit);
}

/// As JSON: lists of pairs, numbers, flags and texts by name; numbers that are not given are left
/// out.
llvm::json::Object toJSON(const CodeOptions &options);
/// And back. An option that is left out keeps its value; `path` says what is wrong with one that is
/// there.
bool fromJSON(const llvm::json::Value &value, CodeOptions &options, llvm::json::Path path);

} // namespace tilec

#endif // TILEC_DRIVER_CODEOPTIONS_H

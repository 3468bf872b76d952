// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CompileOutcome.h.

#include "CompileOutcome.h"

#include "Console.h"
#include "Environment.h"

namespace tilec::tool {

CompileOptions makeCompileOptions(const KernelOptions &options) {
  CompileOptions result;
  result.modules.roots = options.importRoots;
  result.kernel = options.kernel;
  for (const auto &[name, value] : options.constants)
    result.constants.push_back({name, value});
  result.numWarps = options.numWarps;
  result.numStages = options.numStages;
  result.maxRegisters = options.maxRegisters;
  result.debug = options.debug;
  result.overflowChecks = options.overflowChecks;
  result.warnings = options.warnings;
  if (options.maxSteps != 0)
    result.stepLimit = options.maxSteps;
  if (options.maxOps != 0)
    result.opLimit = options.maxOps;
  if (options.maxUnroll != 0)
    result.unrollLimit = options.maxUnroll;
  result.tools = readToolSearch(options.ptxas);
  return result;
}

ExitCode reportFailure(Failure failure) {
  switch (failure) {
  case Failure::None:
    return ExitCode::Ok;
  case Failure::Input:
    return ExitCode::InputError;
  case Failure::Unavailable:
    return ExitCode::Unavailable;
  case Failure::Internal:
    return reportInternalError("the compiler failed on valid input");
  }
  return ExitCode::Internal;
}

} // namespace tilec::tool

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CompileOutcome.h.

#include "CompileOutcome.h"

#include "Console.h"
#include "Environment.h"

namespace tilec::tool {

CompileOptions makeCompileOptions(const KernelOptions &kernel) {
  CompileOptions result = kernel.options;
  result.tools = readToolSearch(kernel.ptxas);
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

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compile and run share around the compiler: options, the exit code of a failure, and the
// printing of its diagnostics.

#ifndef TILEC_TOOLS_TILEC_COMPILEOUTCOME_H
#define TILEC_TOOLS_TILEC_COMPILEOUTCOME_H

#include "ExitCode.h"
#include "Options.h"

namespace tilec::tool {

/// The compiler's options, with the tools of this machine.
CompileOptions makeCompileOptions(const KernelOptions &kernel);

/// The exit code for a failure of the compiler; says that it is our bug when it is.
ExitCode reportFailure(Failure failure);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_COMPILEOUTCOME_H

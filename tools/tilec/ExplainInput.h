// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What 'tilec explain' is about: a kernel with data, or a saved launch.

#ifndef TILEC_TOOLS_TILEC_EXPLAININPUT_H
#define TILEC_TOOLS_TILEC_EXPLAININPUT_H

#include "ExitCode.h"
#include "Options.h"

#include "tilec/Explain/Report.h"

namespace tilec::tool {

/// Makes the report that the command asks for, with the one that it is compared with. What is wrong
/// is printed.
ExitCode explainInput(const ExplainCommand &command, explain::Report &report);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_EXPLAININPUT_H

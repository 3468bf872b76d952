// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that reads environment variables.

#ifndef TILEC_TOOLS_TILEC_ENVIRONMENT_H
#define TILEC_TOOLS_TILEC_ENVIRONMENT_H

#include "tilec/Driver/Compiler.h"
#include "tilec/Target/Cubin.h"
#include "tilec/Target/MathLibrary.h"

namespace tilec::tool {

/// What options and environment say about where things are. A path of ptxas given as an option
/// comes before TILEC_PTXAS.
ToolSearch readToolSearch(llvm::StringRef ptxasOption);

/// The same for the functions that look for one thing, as the compiler asks them.
PtxasHints ptxasHints(const ToolSearch &tools);
MathLibraryHints mathLibraryHints(const ToolSearch &tools);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_ENVIRONMENT_H

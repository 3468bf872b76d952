// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a compilation looks for ptxas and for the math libraries.

#ifndef TILEC_DRIVER_TOOLHINTS_H
#define TILEC_DRIVER_TOOLHINTS_H

#include "tilec/Driver/Compiler.h"
#include "tilec/Target/Cubin.h"
#include "tilec/Target/MathLibrary.h"

namespace tilec {

PtxasHints ptxasHints(const ToolSearch &tools);
MathLibraryHints mathLibraryHints(const ToolSearch &tools);

} // namespace tilec

#endif // TILEC_DRIVER_TOOLHINTS_H

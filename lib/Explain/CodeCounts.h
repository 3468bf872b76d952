// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the code of a GPU has, instruction by instruction: known without a launch, of any compiler's
// code.

#ifndef TILEC_LIB_EXPLAIN_CODECOUNTS_H
#define TILEC_LIB_EXPLAIN_CODECOUNTS_H

#include "LineTable.h"

namespace tilec::explain {

/// Counts the instructions of the stage "sass", of the kernel and of its lines. Without that stage
/// nothing is known. To be called before the lines are in order: of an inlined place the innermost
/// line comes first then.
void countCode(LineTable &lines, Report &report);

/// The class of an instruction by its mnemonic, "LDG.E.128": the name in Code::classes, without the
/// width. Empty for what does nothing.
llvm::StringRef classOfInstruction(llvm::StringRef mnemonic);

} // namespace tilec::explain

#endif // TILEC_LIB_EXPLAIN_CODECOUNTS_H

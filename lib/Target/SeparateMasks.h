// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step of the middle end: constants to one side of comparisons, for masks.

#ifndef TILEC_LIB_TARGET_SEPARATEMASKS_H
#define TILEC_LIB_TARGET_SEPARATEMASKS_H

namespace llvm {
class Function;
} // namespace llvm

namespace tilec {

/// Takes constants out of the indices that many masks of a thread compare with one bound.
void separateMasks(llvm::Function &function);

} // namespace tilec

#endif // TILEC_LIB_TARGET_SEPARATEMASKS_H

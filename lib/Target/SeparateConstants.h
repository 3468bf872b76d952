// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step of the middle end: constants out of products, for addresses with a common base.

#ifndef TILEC_LIB_TARGET_SEPARATECONSTANTS_H
#define TILEC_LIB_TARGET_SEPARATECONSTANTS_H

namespace llvm {
class Function;
} // namespace llvm

namespace tilec {

/// Takes constants out of shifts and products, whatever other uses the sums have.
void separateConstants(llvm::Function &function);

} // namespace tilec

#endif // TILEC_LIB_TARGET_SEPARATECONSTANTS_H

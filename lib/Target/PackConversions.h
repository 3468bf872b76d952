// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where pairs of 16-bit floats are packed.

#ifndef TILEC_LIB_TARGET_PACKCONVERSIONS_H
#define TILEC_LIB_TARGET_PACKCONVERSIONS_H

namespace llvm {
class Function;
}

namespace tilec {

/// In a kernel with dots by warpgroups, converts to 16-bit floats in pairs, where the conversions
/// are.
void packConversions(llvm::Function &function);

} // namespace tilec

#endif // TILEC_LIB_TARGET_PACKCONVERSIONS_H

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step of the middle end: swizzles of shared memory are applied to addresses, not to offsets.

#ifndef TILEC_LIB_TARGET_SWIZZLEADDRESSES_H
#define TILEC_LIB_TARGET_SWIZZLEADDRESSES_H

namespace llvm {
class Function;
} // namespace llvm

namespace tilec {

/// Rewrites base + (x ^ c) in shared memory as (base + x) ^ c where the base is aligned.
void swizzleAddresses(llvm::Function &function);

} // namespace tilec

#endif // TILEC_LIB_TARGET_SWIZZLEADDRESSES_H

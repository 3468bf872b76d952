// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step of the middle end behind Reassociate: one constant in each sum, which is said not to wrap.

#ifndef TILEC_LIB_TARGET_RESTORESUMS_H
#define TILEC_LIB_TARGET_RESTORESUMS_H

namespace llvm {
class Function;
} // namespace llvm

namespace tilec {

/// Adds up the constants of integer sums, and marks sums `nsw` where known bits and ranges say so.
void restoreSums(llvm::Function &function);

} // namespace tilec

#endif // TILEC_LIB_TARGET_RESTORESUMS_H

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

/// Whether a function has so many address computations that LLVM's straight-line strength reduction,
/// which takes time quadratic in their number, is left out.
bool hasManyAddresses(const llvm::Function &function);

/// Adds up the constants of integer sums, and marks sums `nsw` where known bits and ranges say so.
/// With `joins`, those of the two sides of a sum, too.
void restoreSums(llvm::Function &function, bool joins);

} // namespace tilec

#endif // TILEC_LIB_TARGET_RESTORESUMS_H

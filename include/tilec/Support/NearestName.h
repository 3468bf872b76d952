// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "Did you mean": the candidate with the smallest edit distance to a mistyped name, if it is near
// enough to be a plausible typing error.

#ifndef TILEC_SUPPORT_NEARESTNAME_H
#define TILEC_SUPPORT_NEARESTNAME_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tilec {

/// The candidate nearest to `name`, or the empty string when none is within a third of its length
/// (rounded up) in edits. A difference of letter case alone always counts as near. Ties go to the
/// candidate that comes first. `name` itself is never returned.
llvm::StringRef nearestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace tilec

#endif // TILEC_SUPPORT_NEARESTNAME_H

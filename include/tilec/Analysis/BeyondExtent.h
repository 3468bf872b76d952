// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What becomes of the rows of a block that are beyond its tensor, where the program loads something
// else for them than a tensor copy does.

#ifndef TILEC_ANALYSIS_BEYONDEXTENT_H
#define TILEC_ANALYSIS_BEYONDEXTENT_H

#include "tilec/Analysis/TensorCopy.h"

namespace tilec {

/// Whether no element with a coordinate that is not less than the extent of `dim` gets from the
/// load to anything but masked stores that leave it out; else `reason` names an operation that it
/// gets to.
bool isDroppedBeyond(tile::LoadOp load, const TensorCopy::Dim &dim, IndexPolynomials &indices,
                     std::string &reason);

} // namespace tilec

#endif // TILEC_ANALYSIS_BEYONDEXTENT_H

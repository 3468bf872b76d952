// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random integer programs of the tile dialect, with loops and branches.

#ifndef TILEC_TEST_UNIT_ANALYSIS_RANDOMINTEGERPROGRAM_H
#define TILEC_TEST_UNIT_ANALYSIS_RANDOMINTEGERPROGRAM_H

#include "dialects/TileGPU/TileGPUOps.h"

namespace tilec {

/// A module with one function of three integers and a pointer. Equal seeds give equal programs.
mlir::OwningOpRef<mlir::ModuleOp> makeRandomIntegerProgram(mlir::MLIRContext &context,
                                                           unsigned seed, bool withSignedDivision);

/// The shape of a type; a scalar is one element.
llvm::SmallVector<int64_t> shapeOf(mlir::Type type);

/// The bits of an element; pointers and indices have 64.
unsigned bitsOf(mlir::Type type);

} // namespace tilec

#endif // TILEC_TEST_UNIT_ANALYSIS_RANDOMINTEGERPROGRAM_H

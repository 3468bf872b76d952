// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of one thread's values: a tensor is as many scalars as its layout has registers.

#ifndef TILEC_LIB_CONVERSION_TILEGPUTOLLVM_THREADTYPECONVERTER_H
#define TILEC_LIB_CONVERSION_TILEGPUTOLLVM_THREADTYPECONVERTER_H

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tilec {

/// Pointers become LLVM pointers, 8-bit floats i8, tensors one value per register, buffers
/// shared-memory pointers; other scalars stay.
class ThreadTypeConverter : public mlir::TypeConverter {
public:
  ThreadTypeConverter();

  /// The register type of a tensor element or scalar.
  mlir::Type convertScalar(mlir::Type type) const;
};

/// Registers that a thread holds of `type` (1 for a scalar).
int64_t numRegisters(mlir::Type type);

} // namespace tilec

#endif // TILEC_LIB_CONVERSION_TILEGPUTOLLVM_THREADTYPECONVERTER_H

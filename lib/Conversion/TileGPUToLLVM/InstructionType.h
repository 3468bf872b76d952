// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the instructions of tensor cores, mma and wgmma, take the elements of their operands for.

#ifndef TILEC_LIB_CONVERSION_TILEGPUTOLLVM_INSTRUCTIONTYPE_H
#define TILEC_LIB_CONVERSION_TILEGPUTOLLVM_INSTRUCTIONTYPE_H

#include "mlir/IR/BuiltinTypes.h"

namespace tilec {

/// The type as which the instruction reads an operand's elements.
inline mlir::Type instructionType(mlir::Type type, bool isUnsigned) {
  mlir::MLIRContext *context = type.getContext();
  if (type.isF32())
    return mlir::FloatTF32Type::get(context);
  if (type.isInteger(8))
    return mlir::IntegerType::get(
        context, 8, isUnsigned ? mlir::IntegerType::Unsigned : mlir::IntegerType::Signed);
  return type;
}

} // namespace tilec

#endif // TILEC_LIB_CONVERSION_TILEGPUTOLLVM_INSTRUCTIONTYPE_H

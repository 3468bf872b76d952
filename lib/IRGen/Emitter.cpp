// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of the language as those of MLIR, and numbers that become values of the program.

#include "Emitter.h"

#include "mlir/IR/BuiltinTypes.h"

namespace tilec::irgen {

static mlir::Type lowerScalar(mlir::MLIRContext &context, ScalarKind kind) {
  switch (kind) {
  case ScalarKind::Void:
    return mlir::NoneType::get(&context);
  case ScalarKind::FP8E4NV:
    return mlir::Float8E4M3FNType::get(&context);
  case ScalarKind::FP8E5:
    return mlir::Float8E5M2Type::get(&context);
  case ScalarKind::FP8E4B8:
    return mlir::Float8E4M3FNUZType::get(&context);
  case ScalarKind::FP8E5B16:
    return mlir::Float8E5M2FNUZType::get(&context);
  case ScalarKind::FP8E4B15: // Only stored and converted, which Casts.cpp does on its bits.
    return mlir::IntegerType::get(&context, 8);
  case ScalarKind::FP16:
    return mlir::Float16Type::get(&context);
  case ScalarKind::BF16:
    return mlir::BFloat16Type::get(&context);
  case ScalarKind::FP32:
    return mlir::Float32Type::get(&context);
  case ScalarKind::FP64:
    return mlir::Float64Type::get(&context);
  default:
    return mlir::IntegerType::get(&context, DType(kind).getBitWidth());
  }
}

mlir::Type Emitter::lower(const Type &type) {
  mlir::Type element = lowerScalar(*builder.getContext(), type.element.getKind());
  if (type.element.isPointer())
    element = tile::PtrType::get(element);
  return type.isBlock() ? mlir::RankedTensorType::get(type.shape, element) : element;
}

FailureOr<Value> Emitter::toRuntime(const Value &value, SourceRange range) {
  if (value.isRuntime())
    return value;
  if (value.isPoison())
    return failure();
  if (!value.isNumber())
    return state.errorNoOperand(value, range);
  FailureOr<DType> type = state.getDefaultType(*value.getConstant(), range);
  if (mlir::failed(type))
    return failure();
  return makeConstant(*value.getConstant(), *type, range);
}

FailureOr<Value> Emitter::decay(const Value &value, SourceRange range) {
  if (value.isNumber())
    return toRuntime(value, range);
  const std::vector<Value> *elements = value.getTuple();
  // The fields of an aggregate are what its class says.
  if (!elements || value.isAggregate())
    return value;
  state.charge(elements->size());
  std::vector<Value> decayed;
  for (const Value &element : *elements) {
    FailureOr<Value> result = decay(element, range);
    if (mlir::failed(result))
      return failure();
    decayed.push_back(*result);
  }
  return Value::tuple(std::move(decayed), value.getFields());
}

} // namespace tilec::irgen

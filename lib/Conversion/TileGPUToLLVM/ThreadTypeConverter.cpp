// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ThreadTypeConverter.h.

#include "ThreadTypeConverter.h"

using namespace mlir;
using namespace tilec;

int64_t tilec::numRegisters(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tilegpu::layoutOf(tensor).getInDimSize(kRegister) : 1;
}

Type ThreadTypeConverter::convertScalar(Type type) const {
  if (auto ptr = dyn_cast<tile::PtrType>(type))
    return LLVM::LLVMPointerType::get(type.getContext(), ptr.getAddressSpace());
  if (auto fp = dyn_cast<FloatType>(type); fp && fp.getWidth() == 8)
    return IntegerType::get(type.getContext(), 8);
  return type;
}

ThreadTypeConverter::ThreadTypeConverter() {
  addConversion([this](Type type) -> std::optional<Type> {
    if (isa<RankedTensorType>(type))
      return std::nullopt;
    return convertScalar(type);
  });
  // The address of a tensor map.
  addConversion(
      [](tile::DescType type) -> Type { return LLVM::LLVMPointerType::get(type.getContext()); });
  addConversion([](tilegpu::MemDescType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), 3);
  });
  addConversion(
      [this](RankedTensorType type, SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
        if (!tilegpu::hasLayout(type))
          return failure();
        types.append(numRegisters(type), convertScalar(type.getElementType()));
        return success();
      });
}

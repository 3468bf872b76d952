// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of 16 bytes to an array in local memory. They are LLVM's own loads and stores, so they
// can be moved over accesses to global and shared memory.

#include "LocalSums.h"

#include "ThreadPosition.h"
#include "dialects/TileGPU/TileGPUOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static constexpr int64_t kLocalBytes = 16;

LocalSums::LocalSums(OpBuilder &builder, Operation *op, Type element, int64_t count)
    : scalar(element) {
  auto func = op->getParentOfType<func::FuncOp>();
  // Loads stand in front of what uses them.
  func->setAttr(TileGPUDialect::kFewRegistersAttr, builder.getUnitAttr());
  auto array = LLVM::LLVMArrayType::get(element, count);
  // Nothing is kept there from one product to the next.
  for (auto other : func.getBody().front().getOps<LLVM::AllocaOp>())
    if (other.getElemType() == array)
      address = other;
  if (address)
    return;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&func.getBody().front());
  address = LLVM::AllocaOp::create(builder, op->getLoc(),
                                   LLVM::LLVMPointerType::get(builder.getContext()), array,
                                   constantI32(builder, op->getLoc(), 1), kLocalBytes);
}

SmallVector<Value> LocalSums::load(OpBuilder &builder, Location loc, Value first, int64_t offset,
                                   int64_t count) const {
  SmallVector<Value> sums;
  for (int64_t i = 0; i < count; i += perAccess()) {
    Value word =
        LLVM::LoadOp::create(builder, loc, VectorType::get({perAccess()}, scalar),
                             placeOf(builder, loc, first, offset + i), unsigned(kLocalBytes));
    for (int64_t k = 0; k < perAccess(); ++k)
      sums.push_back(
          LLVM::ExtractElementOp::create(builder, loc, word, constantI32(builder, loc, k)));
  }
  return sums;
}

void LocalSums::store(OpBuilder &builder, Location loc, ValueRange sums, Value first,
                      int64_t offset) const {
  auto type = VectorType::get({perAccess()}, scalar);
  for (size_t i = 0; i < sums.size(); i += perAccess()) {
    Value word = LLVM::UndefOp::create(builder, loc, type);
    for (int64_t k = 0; k < perAccess(); ++k)
      word = LLVM::InsertElementOp::create(builder, loc, word, sums[i + k],
                                           constantI32(builder, loc, k));
    LLVM::StoreOp::create(builder, loc, word, placeOf(builder, loc, first, offset + i),
                          unsigned(kLocalBytes));
  }
}

int64_t LocalSums::perAccess() const { return kLocalBytes * 8 / scalar.getIntOrFloatBitWidth(); }

Value LocalSums::placeOf(OpBuilder &builder, Location loc, Value first, int64_t offset) const {
  Value place = LLVM::GEPOp::create(builder, loc, address.getType(), scalar, address,
                                    ArrayRef<LLVM::GEPArg>{first});
  return LLVM::GEPOp::create(builder, loc, address.getType(), scalar, place,
                             ArrayRef<LLVM::GEPArg>{int32_t(offset)});
}

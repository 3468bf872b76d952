// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BufferAccess.h. Loads are by ldmatrix and stores by stmatrix where ordinary ones take more
// instructions.

#include "BufferAccess.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

BufferAccess::BufferAccess(OpBuilder &builder, Operation *at, const ThreadLowering &lowering,
                           RankedTensorType tensor, MemDescType buffer)
    : place(at), position(lowering.position),
      scalar(lowering.types.convertScalar(tensor.getElementType())),
      bytes(tile::bytesOf(tensor.getElementType())),
      access(analyseSharedAccess(layoutOf(tensor), buffer.getLayout().getLayout(), bytes * 8)),
      index(threadPart(builder, at, position, access.offsets, bytes)),
      groups(groupRegisters(numRegisters(tensor), access.vectorRegisterBits)) {
  if (isa<LocalStoreOp>(at)) {
    if (lowering.processor.has(Feature::MatrixStore))
      matrices = matchMatrixStore(access, int32_t(bytes * 8));
    return;
  }
  if (isa<ClusterStoreOp>(at))
    return;
  if (lowering.processor.has(Feature::MatrixLoad) && !at->hasAttr(TileGPUDialect::kOwnPartAttr))
    matrices = matchMatrixAccess(access.offsets, int32_t(bytes * 8));
  // What ordinary loads do as well with as few instructions is left to them.
  if (matrices && matrices->registerBits().size() < access.vectorRegisterBits.size())
    matrices.reset();
}

Value BufferAccess::address(OpBuilder &builder, Location loc, Value base, int64_t reg) const {
  return addressAt(builder, loc, base, index, reg);
}

Value BufferAccess::addressAt(OpBuilder &builder, Location loc, Value base,
                              const LinearIndex &thread, int64_t reg) const {
  Value offset = thread.at(builder, loc, registerPart(access.offsets, reg) * bytes);
  return LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

void BufferAccess::load(OpBuilder &builder, Location loc, Value base,
                        llvm::function_ref<bool(int64_t)> wanted,
                        MutableArrayRef<Value> results) const {
  if (matrices)
    return loadMatrices(builder, loc, base, wanted, results);
  for (const auto &group : groups) {
    if (!wanted(group.front()))
      continue;
    Value word =
        LdSharedOp::create(builder, loc, accessWordType(builder.getContext(), bytes * group.size()),
                           address(builder, loc, base, group.front()));
    for (auto [r, value] : llvm::zip(group, unpackWord(builder, loc, word, scalar, group.size())))
      results[r] = value;
  }
}

/// The bytes with even (odd) numbers of two words.
static Value everyOther(OpBuilder &builder, Location loc, Value first, Value second, int32_t odd) {
  auto bytes = VectorType::get({4}, builder.getI8Type());
  Value low = LLVM::BitcastOp::create(builder, loc, bytes, first);
  Value high = LLVM::BitcastOp::create(builder, loc, bytes, second);
  int32_t mask[] = {odd, odd + 2, odd + 4, odd + 6};
  Value picked = LLVM::ShuffleVectorOp::create(builder, loc, low, high, mask);
  return LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), picked);
}

void BufferAccess::forEachWord(OpBuilder &builder, Location loc, ValueRange values,
                               function_ref<void(ArrayRef<Value>, Value)> visit) const {
  int64_t replicas = access.offsets.getFreeVariableMask(kRegister);
  for (const auto &group : groups) {
    if (group.front() & replicas)
      continue;
    SmallVector<Value> parts;
    for (int64_t r : group)
      parts.push_back(values[r]);
    Value offset = index.at(builder, loc, registerPart(access.offsets, group.front()) * bytes);
    visit(parts, offset);
  }
}

void BufferAccess::store(OpBuilder &builder, Location loc, Value base, Value unique,
                         ValueRange values) const {
  if (matrices)
    return storeMatrices(builder, loc, base, values);
  forEachWord(builder, loc, values, [&](ArrayRef<Value> parts, Value offset) {
    Value to = LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), base,
                                   ArrayRef<LLVM::GEPArg>{offset});
    StSharedOp::create(builder, loc, packWord(builder, loc, parts), to, unique);
  });
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

LinearIndex BufferAccess::rowsOfLane(OpBuilder &builder, Location loc) const {
  LinearIndex rows;
  addLinear(builder, loc, position.lane(place), matrices->rowOffsets, bytes, rows);
  addLinear(builder, loc, position.warp(place), access.offsets.getFlatBases(kWarp), bytes, rows);
  return rows;
}

void BufferAccess::loadMatrices(OpBuilder &builder, Location loc, Value base,
                                llvm::function_ref<bool(int64_t)> wanted,
                                MutableArrayRef<Value> results) const {
  LinearIndex rows = rowsOfLane(builder, loc);
  unsigned numMatrices = 1u << matrices->matrixBits.size();
  Type i32 = builder.getI32Type();
  Type loaded = i32;
  if (numMatrices > 1)
    loaded =
        LLVM::LLVMStructType::getLiteral(builder.getContext(), SmallVector<Type>(numMatrices, i32));
  auto shape = NVVM::LdStMatrixShapeAttr::get(builder.getContext(), 8, 8);
  auto order = matrices->isTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  for (const auto &group : groupRegisters(results.size(), matrices->registerBits())) {
    if (!wanted(group.front()))
      continue;
    Value from = addressAt(builder, loc, base, rows, group.front());
    Value words = NVVM::LdMatrixOp::create(builder, loc, loaded, from, numMatrices, order, shape,
                                           NVVM::LdStMatrixEltType::B16);
    size_t perWord = size_t(1) << matrices->wordBits.size();
    SmallVector<Value> parts;
    for (unsigned i = 0; i < numMatrices; ++i)
      parts.push_back(numMatrices == 1
                          ? words
                          : LLVM::ExtractValueOp::create(builder, loc, words, i).getResult());
    if (matrices->isPaired) {
      for (unsigned i = 0; i < numMatrices; i += 2)
        for (int32_t half : {0, 1}) {
          Value word = everyOther(builder, loc, parts[i], parts[i + 1], half);
          for (auto [j, value] : llvm::enumerate(unpackWord(builder, loc, word, scalar, 4)))
            results[group[i * 4 + 2 * j + half]] = value;
        }
      continue;
    }
    for (unsigned i = 0; i < numMatrices; ++i)
      for (auto [j, value] : llvm::enumerate(unpackWord(builder, loc, parts[i], scalar, perWord)))
        results[group[i * perWord + j]] = value;
  }
}

void BufferAccess::storeMatrices(OpBuilder &builder, Location loc, Value base,
                                 ValueRange values) const {
  LinearIndex rows = rowsOfLane(builder, loc);
  auto shape = NVVM::LdStMatrixShapeAttr::get(builder.getContext(), 8, 8);
  auto order = matrices->isTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  size_t perWord = size_t(1) << matrices->wordBits.size();
  int64_t replicas = access.offsets.getFreeVariableMask(kRegister);
  for (const auto &group : groupRegisters(values.size(), matrices->registerBits())) {
    if (group.front() & replicas)
      continue;
    SmallVector<Value> words;
    for (size_t first = 0; first < group.size(); first += perWord) {
      SmallVector<Value> parts;
      for (size_t i = 0; i < perWord; ++i)
        parts.push_back(values[group[first + i]]);
      words.push_back(packWord(builder, loc, parts));
    }
    Value to = addressAt(builder, loc, base, rows, group.front());
    NVVM::StMatrixOp::create(builder, loc, to, words, order, shape, NVVM::LdStMatrixEltType::B16);
  }
}

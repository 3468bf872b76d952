// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's reads of an operand of a matrix product: the registers of the operand are the lines,
// each of them all of K, so a piece of K of some lines is some of the registers.

#include "DotOperand.h"

#include "tilec/Layout/DotLayout.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

Value tilec::widenForProduct(OpBuilder &builder, Location loc, Value value, Type element,
                             bool isUnsigned) {
  if (auto narrow = dyn_cast<FloatType>(element)) {
    if (narrow.getWidth() == 8)
      return emitFloat8ToF32(builder, loc, value, narrow);
    if (narrow.getWidth() < 32)
      return arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
    return value;
  }
  if (element.getIntOrFloatBitWidth() >= 32)
    return value;
  if (isUnsigned)
    return arith::ExtUIOp::create(builder, loc, builder.getI32Type(), value);
  return arith::ExtSIOp::create(builder, loc, builder.getI32Type(), value);
}

DotOperand::DotOperand(OpBuilder &builder, DotOp dot, unsigned operand, Value address,
                       const ThreadLowering &threadLowering)
    : base(address), buffer(cast<MemDescType>(dot->getOperand(operand).getType())),
      isUnsigned(dot.getIsUnsigned()), lowering(threadLowering) {
  ArrayRef<int64_t> shape = buffer.getShape();
  depth = shape[operand == 0 ? shape.size() - 1 : shape.size() - 2];
  bytes = tile::bytesOf(buffer.getElementType());
  const LinearLayout &product = layoutOf(cast<RankedTensorType>(dot.getType()));
  LinearLayout reads = dotOperandLayout(product, operand, depth, &lineOfRegister);
  access = analyseSharedAccess(reads, buffer.getLayout().getLayout(), bytes * 8);
  thread = threadPart(builder, dot, lowering.position, access.offsets, bytes);
  numLines = reads.getInDimSize(kRegister) / depth;
}

int64_t DotOperand::minPiece() const {
  int64_t piece = 1;
  for (unsigned bit : access.vectorRegisterBits)
    if (int64_t(1) << bit < depth)
      piece = std::max(piece, int64_t(2) << bit);
  return piece;
}

bool DotOperand::isLinear() const {
  for (size_t reg = 1; reg < lineOfRegister.size(); ++reg) {
    size_t low = reg & -reg;
    if (lineOfRegister[reg] != (lineOfRegister[reg ^ low] ^ lineOfRegister[low]))
      return false;
  }
  return true;
}

bool DotOperand::isInVector(unsigned bit) const {
  return llvm::any_of(access.vectorRegisterBits, [&](unsigned vectorBit) {
    return lineOf(int64_t(1) << bit) * depth == int64_t(1) << vectorBit;
  });
}

LinearIndex DotOperand::startOf(OpBuilder &builder, Location loc, Value group,
                                ArrayRef<unsigned> bits) const {
  LinearIndex start = thread;
  SmallVector<uint64_t> bases;
  for (unsigned bit : bits)
    bases.push_back(registerPart(access.offsets, lineOf(int64_t(1) << bit) * depth));
  addLinear(builder, loc, group, bases, bytes, start);
  return start;
}

void DotOperand::read(OpBuilder &builder, Location loc, const LinearIndex &start, Value piece,
                      int64_t length, ArrayRef<int64_t> registers) {
  LinearIndex index = start;
  SmallVector<uint64_t> bases;
  for (int64_t k = length; k < depth; k *= 2)
    bases.push_back(registerPart(access.offsets, k));
  addLinear(builder, loc, piece, bases, bytes, index);
  llvm::BitVector needed(numLines);
  for (int64_t reg : registers)
    needed.set(lineOf(reg));
  elements.assign(numLines * length, Value());
  Type scalar = lowering.types.convertScalar(buffer.getElementType());
  for (const auto &group : groupRegisters(numLines * depth, access.vectorRegisterBits)) {
    if (group.front() % depth >= length || !needed[group.front() / depth])
      continue;
    Value offset = index.at(builder, loc, registerPart(access.offsets, group.front()) * bytes);
    Value address = LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), base,
                                        ArrayRef<LLVM::GEPArg>{offset});
    Type word = accessWordType(builder.getContext(), bytes * group.size());
    Value loaded = LdSharedOp::create(builder, loc, word, address);
    for (auto [reg, value] :
         llvm::zip(group, unpackWord(builder, loc, loaded, scalar, group.size())))
      elements[reg / depth * length + reg % depth] =
          widenForProduct(builder, loc, value, buffer.getElementType(), isUnsigned);
  }
}

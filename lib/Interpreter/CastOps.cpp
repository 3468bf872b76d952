// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions. Every one rounds once, from the exact value; a float that the integer cannot hold
// gives the nearest one it can, NaN gives zero.

#include "Evaluator.h"

#include <cmath>

using namespace mlir;

namespace tilec::interpreter {
namespace {

Type sourceElement(Operation *op) { return elementOf(op->getOperand(0).getType()); }
Type resultElement(Operation *op) { return elementOf(op->getResult(0).getType()); }

LogicalResult runConstant(Evaluator &e, Operation *op) {
  auto constant = cast<arith::ConstantOp>(op);
  auto bitsOf = [](Attribute attribute) {
    if (auto integer = dyn_cast<IntegerAttr>(attribute))
      return integer.getValue().getZExtValue();
    return cast<FloatAttr>(attribute).getValue().bitcastToAPInt().getZExtValue();
  };
  size_t size = e.sizeOf(constant.getType());
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!dense) {
    if (!isa<IntegerAttr, FloatAttr>(constant.getValue()))
      return e.error(op) << "the interpreter does not know constants of type "
                         << constant.getType();
    e.set(constant, Bits(size, bitsOf(constant.getValue())));
    return success();
  }
  if (dense.isSplat()) {
    e.set(constant, Bits(size, bitsOf(dense.getSplatValue<Attribute>())));
    return success();
  }
  Bits bits;
  for (Attribute element : dense.getValues<Attribute>())
    bits.push_back(bitsOf(element));
  e.set(constant, std::move(bits));
  return success();
}

LogicalResult runPoison(Evaluator &e, Operation *op) {
  e.set(op->getResult(0), Bits(e.sizeOf(op->getResult(0).getType()), 0));
  return success();
}

LogicalResult runSignExtend(Evaluator &e, Operation *op) {
  unsigned from = tile::bitWidthOf(sourceElement(op)), to = tile::bitWidthOf(resultElement(op));
  return mapUnary(e, op, [&](uint64_t a) { return lowBits(uint64_t(asSigned(a, from)), to); });
}

/// Zero extension, truncation, and what leaves the bits alone.
LogicalResult runLowBits(Evaluator &e, Operation *op) {
  unsigned to = tile::bitWidthOf(resultElement(op));
  return mapUnary(e, op, [&](uint64_t a) { return lowBits(a, to); });
}

/// Indices are numbers of 64 bits.
LogicalResult runIndexCast(Evaluator &e, Operation *op) {
  auto widthOf = [](Type type) { return type.isIndex() ? 64u : tile::bitWidthOf(type); };
  unsigned from = widthOf(sourceElement(op)), to = widthOf(resultElement(op));
  return mapUnary(e, op, [&](uint64_t a) { return lowBits(uint64_t(asSigned(a, from)), to); });
}

template <bool isSigned> LogicalResult runIntToFloat(Evaluator &e, Operation *op) {
  auto type = cast<FloatType>(resultElement(op));
  unsigned width = tile::bitWidthOf(sourceElement(op));
  return mapUnary(e, op, [&](uint64_t a) {
    llvm::APFloat value(type.getFloatSemantics());
    value.convertFromAPInt(llvm::APInt(width, a), isSigned, llvm::APFloat::rmNearestTiesToEven);
    return value.bitcastToAPInt().getZExtValue();
  });
}

template <bool isSigned> LogicalResult runFloatToInt(Evaluator &e, Operation *op) {
  FloatFormat format(sourceElement(op));
  unsigned width = tile::bitWidthOf(resultElement(op));
  return mapUnary(e, op, [&](uint64_t a) {
    llvm::APSInt value(width, !isSigned);
    bool isExact;
    llvm::APFloat(format.decode(a)).convertToInteger(value, llvm::APFloat::rmTowardZero, &isExact);
    return value.getZExtValue();
  });
}

LogicalResult runFloatToFloat(Evaluator &e, Operation *op) {
  FloatFormat from(sourceElement(op)), to(resultElement(op));
  return mapUnary(e, op, [&](uint64_t a) { return to.encode(from.decode(a)); });
}

LogicalResult runFpToFp(Evaluator &e, Operation *op) {
  FloatFormat from(sourceElement(op)), to(resultElement(op));
  bool towardZero = cast<tile::FpToFpOp>(op).getRounding() == tile::RoundingMode::rtz;
  llvm::RoundingMode rounding =
      towardZero ? llvm::RoundingMode::TowardZero : llvm::RoundingMode::NearestTiesToEven;
  if (to.getWidth() == 8)
    return mapUnary(e, op,
                    [&](uint64_t a) { return to.encodeSaturated(from.decode(a), rounding); });
  return mapUnary(e, op, [&](uint64_t a) { return to.encode(from.decode(a), rounding); });
}

LogicalResult runAddPtr(Evaluator &e, Operation *op) {
  auto pointer = cast<tile::PtrType>(resultElement(op));
  unsigned width = tile::bitWidthOf(elementOf(op->getOperand(1).getType()));
  uint64_t bytes = pointer.getElementBytes();
  return mapBinary(e, op, [&](uint64_t address, uint64_t offset) {
    return address + uint64_t(asSigned(offset, width)) * bytes;
  });
}

} // namespace

void addCastOps(HandlerTable &table) {
  table.add<arith::ConstantOp>(runConstant);
  table.add<ub::PoisonOp>(runPoison);
  table.add<arith::ExtSIOp>(runSignExtend);
  table.add<arith::ExtUIOp, arith::TruncIOp, arith::BitcastOp, tile::PtrToIntOp, tile::IntToPtrOp,
            tile::PtrCastOp>(runLowBits);
  table.add<arith::IndexCastOp>(runIndexCast);
  table.add<arith::SIToFPOp>(runIntToFloat<true>);
  table.add<arith::UIToFPOp>(runIntToFloat<false>);
  table.add<arith::FPToSIOp>(runFloatToInt<true>);
  table.add<arith::FPToUIOp>(runFloatToInt<false>);
  table.add<arith::ExtFOp, arith::TruncFOp>(runFloatToFloat);
  table.add<tile::FpToFpOp>(runFpToFp);
  table.add<tile::AddPtrOp>(runAddPtr);
}

} // namespace tilec::interpreter

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers of arith and math: two's complement of the type's width. What has no defined result gets
// one all the same: a shift by the width or more shifts everything out, division by zero gives all
// ones and the dividend as remainder, and the least number divided by -1 wraps.

#include "Evaluator.h"

using namespace mlir;

namespace tilec::interpreter {
namespace {

/// Width of the elements of the first operand.
unsigned widthOf(Operation *op) { return tile::bitWidthOf(elementOf(op->getOperand(0).getType())); }

using Combine = uint64_t (*)(uint64_t a, uint64_t b, unsigned width);

template <Combine combine> LogicalResult integer(Evaluator &e, Operation *op) {
  unsigned width = widthOf(op);
  return mapBinary(e, op,
                   [&](uint64_t a, uint64_t b) { return lowBits(combine(a, b, width), width); });
}

uint64_t add(uint64_t a, uint64_t b, unsigned) { return a + b; }
uint64_t sub(uint64_t a, uint64_t b, unsigned) { return a - b; }
uint64_t mul(uint64_t a, uint64_t b, unsigned) { return a * b; }
uint64_t andBits(uint64_t a, uint64_t b, unsigned) { return a & b; }
uint64_t orBits(uint64_t a, uint64_t b, unsigned) { return a | b; }
uint64_t xorBits(uint64_t a, uint64_t b, unsigned) { return a ^ b; }
uint64_t shl(uint64_t a, uint64_t b, unsigned width) { return b >= width ? 0 : a << b; }
uint64_t shrUnsigned(uint64_t a, uint64_t b, unsigned width) { return b >= width ? 0 : a >> b; }
uint64_t shrSigned(uint64_t a, uint64_t b, unsigned width) {
  return uint64_t(asSigned(a, width) >> std::min<uint64_t>(b, 63));
}
uint64_t divUnsigned(uint64_t a, uint64_t b, unsigned) { return b == 0 ? ~uint64_t(0) : a / b; }
uint64_t remUnsigned(uint64_t a, uint64_t b, unsigned) { return b == 0 ? a : a % b; }
uint64_t divSigned(uint64_t a, uint64_t b, unsigned width) {
  int64_t x = asSigned(a, width), y = asSigned(b, width);
  // The negation wraps where the quotient does not fit.
  return y == 0 ? ~uint64_t(0) : y == -1 ? 0 - a : uint64_t(x / y);
}
uint64_t remSigned(uint64_t a, uint64_t b, unsigned width) {
  int64_t x = asSigned(a, width), y = asSigned(b, width);
  return y == 0 ? a : y == -1 ? 0 : uint64_t(x % y);
}
uint64_t minUnsigned(uint64_t a, uint64_t b, unsigned) { return std::min(a, b); }
uint64_t maxUnsigned(uint64_t a, uint64_t b, unsigned) { return std::max(a, b); }
uint64_t minSigned(uint64_t a, uint64_t b, unsigned width) {
  return asSigned(a, width) < asSigned(b, width) ? a : b;
}
uint64_t maxSigned(uint64_t a, uint64_t b, unsigned width) {
  return asSigned(a, width) > asSigned(b, width) ? a : b;
}
uint64_t mulHigh(uint64_t a, uint64_t b, unsigned width) {
  return uint64_t((static_cast<unsigned __int128>(a) * b) >> width);
}

bool compare(arith::CmpIPredicate predicate, uint64_t a, uint64_t b, unsigned width) {
  int64_t x = asSigned(a, width), y = asSigned(b, width);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return x < y;
  case arith::CmpIPredicate::sle:
    return x <= y;
  case arith::CmpIPredicate::sgt:
    return x > y;
  case arith::CmpIPredicate::sge:
    return x >= y;
  case arith::CmpIPredicate::ult:
    return a < b;
  case arith::CmpIPredicate::ule:
    return a <= b;
  case arith::CmpIPredicate::ugt:
    return a > b;
  case arith::CmpIPredicate::uge:
    return a >= b;
  }
  return false;
}

LogicalResult runCompareI(Evaluator &e, Operation *op) {
  unsigned width = widthOf(op);
  arith::CmpIPredicate predicate = cast<arith::CmpIOp>(op).getPredicate();
  return mapBinary(
      e, op, [&](uint64_t a, uint64_t b) -> uint64_t { return compare(predicate, a, b, width); });
}

LogicalResult runSelect(Evaluator &e, Operation *op) {
  const Bits &condition = e.get(op->getOperand(0)), &a = e.get(op->getOperand(1)),
             &b = e.get(op->getOperand(2));
  Bits bits(a.size());
  for (size_t i = 0; i < a.size(); ++i)
    // One condition may choose between whole tensors.
    bits[i] = condition[condition.size() == a.size() ? i : 0] ? a[i] : b[i];
  e.set(op->getResult(0), std::move(bits));
  return success();
}

LogicalResult runAbsI(Evaluator &e, Operation *op) {
  unsigned width = widthOf(op);
  return mapUnary(e, op,
                  [&](uint64_t a) { return lowBits(asSigned(a, width) < 0 ? 0 - a : a, width); });
}

LogicalResult runPopulation(Evaluator &e, Operation *op) {
  return mapUnary(e, op, [](uint64_t a) { return uint64_t(llvm::popcount(a)); });
}

LogicalResult runLeadingZeros(Evaluator &e, Operation *op) {
  unsigned width = widthOf(op);
  return mapUnary(e, op, [&](uint64_t a) { return uint64_t(llvm::countl_zero(a)) - (64 - width); });
}

LogicalResult runTrailingZeros(Evaluator &e, Operation *op) {
  unsigned width = widthOf(op);
  return mapUnary(
      e, op, [&](uint64_t a) { return a == 0 ? uint64_t(width) : uint64_t(llvm::countr_zero(a)); });
}

} // namespace

void addIntegerOps(HandlerTable &table) {
  table.add<arith::AddIOp>(integer<add>);
  table.add<arith::SubIOp>(integer<sub>);
  table.add<arith::MulIOp>(integer<mul>);
  table.add<arith::AndIOp>(integer<andBits>);
  table.add<arith::OrIOp>(integer<orBits>);
  table.add<arith::XOrIOp>(integer<xorBits>);
  table.add<arith::ShLIOp>(integer<shl>);
  table.add<arith::ShRUIOp>(integer<shrUnsigned>);
  table.add<arith::ShRSIOp>(integer<shrSigned>);
  table.add<arith::DivUIOp>(integer<divUnsigned>);
  table.add<arith::RemUIOp>(integer<remUnsigned>);
  table.add<arith::DivSIOp>(integer<divSigned>);
  table.add<arith::RemSIOp>(integer<remSigned>);
  table.add<arith::MinUIOp>(integer<minUnsigned>);
  table.add<arith::MaxUIOp>(integer<maxUnsigned>);
  table.add<arith::MinSIOp>(integer<minSigned>);
  table.add<arith::MaxSIOp>(integer<maxSigned>);
  table.add<tile::UMulHiOp>(integer<mulHigh>);
  table.add<arith::CmpIOp>(runCompareI);
  table.add<arith::SelectOp>(runSelect);
  table.add<math::AbsIOp>(runAbsI);
  table.add<math::CtPopOp>(runPopulation);
  table.add<math::CountLeadingZerosOp>(runLeadingZeros);
  table.add<math::CountTrailingZerosOp>(runTrailingZeros);
}

} // namespace tilec::interpreter

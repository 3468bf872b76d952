// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LoopCounter.h.

#include "dialects/Tile/LoopCounter.h"

using namespace mlir;
using namespace tilec;

arith::CmpIPredicate tilec::lessOf(scf::ForOp loop) {
  return loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
}

Value tilec::isLess(OpBuilder &builder, scf::ForOp loop, Value counter, Value other) {
  return arith::CmpIOp::create(builder, loop.getLoc(), lessOf(loop), counter, other);
}

Value tilec::isIteration(OpBuilder &builder, scf::ForOp loop, Value counter) {
  return isLess(builder, loop, counter, loop.getUpperBound());
}

Value tilec::hasIterations(OpBuilder &builder, scf::ForOp loop) {
  return isIteration(builder, loop, loop.getLowerBound());
}

Value tilec::lesserOf(OpBuilder &builder, scf::ForOp loop, Value a, Value b) {
  if (loop.getUnsignedCmp())
    return arith::MinUIOp::create(builder, loop.getLoc(), a, b);
  return arith::MinSIOp::create(builder, loop.getLoc(), a, b);
}

Value tilec::greaterOf(OpBuilder &builder, scf::ForOp loop, Value a, Value b) {
  if (loop.getUnsignedCmp())
    return arith::MaxUIOp::create(builder, loop.getLoc(), a, b);
  return arith::MaxSIOp::create(builder, loop.getLoc(), a, b);
}

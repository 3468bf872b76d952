// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An element is read, and exchanged by compare-and-swap until nobody else has come between, or what
// is there needs no change:
//
//   old = load p if mask;  open = mask & better(value, old)
//   while any(open) { found = atomic_cas p, old, value if open
//                     open = open & found != old & better(value, found);  old = found }

#include "NarrowReduction.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec::tile {
namespace {

/// Builds the loop of one reduction.
class ExchangeLoop {
public:
  ExchangeLoop(OpBuilder &opBuilder, Location location, AtomicKind atomicKind, Value wanted)
      : builder(opBuilder), loc(location), kind(atomicKind), values(wanted),
        type(cast<RankedTensorType>(wanted.getType())) {}

  void run(Value pointers, Value mask) {
    Value old = LoadOp::create(builder, loc, pointers, mask);
    Value open = arith::AndIOp::create(builder, loc, mask, isBetterThan(old));
    scf::WhileOp::create(
        builder, loc, TypeRange{old.getType(), open.getType()}, ValueRange{old, open},
        [&](OpBuilder &, Location, ValueRange carried) {
          scf::ConditionOp::create(builder, loc, any(carried[1]), carried);
        },
        [&](OpBuilder &, Location, ValueRange carried) {
          Value found = AtomicCasOp::create(builder, loc, pointers, carried[0], values, carried[1],
                                            MemSemantic::relaxed, MemScope::gpu);
          Value missed = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                               bitsOf(found), bitsOf(carried[0]));
          missed = arith::AndIOp::create(builder, loc, missed, carried[1]);
          missed = arith::AndIOp::create(builder, loc, missed, isBetterThan(found));
          scf::YieldOp::create(builder, loc, ValueRange{found, missed});
        });
  }

private:
  Value bitsOf(Value tensor) {
    return arith::BitcastOp::create(builder, loc, type.clone(builder.getI16Type()), tensor);
  }

  /// Where a wanted value takes the place of an old one: a number that is smaller or larger, or any
  /// number instead of none.
  Value isBetterThan(Value old) {
    auto wide = type.clone(builder.getF32Type());
    Value a = arith::ExtFOp::create(builder, loc, wide, values);
    Value b = arith::ExtFOp::create(builder, loc, wide, old);
    auto compare = [&](arith::CmpFPredicate how, Value left, Value right) -> Value {
      return arith::CmpFOp::create(builder, loc, how, left, right);
    };
    Value wins = compare(
        kind == AtomicKind::min ? arith::CmpFPredicate::OLT : arith::CmpFPredicate::OGT, a, b);
    Value fills = arith::AndIOp::create(builder, loc, compare(arith::CmpFPredicate::ORD, a, a),
                                        compare(arith::CmpFPredicate::UNO, b, b));
    return arith::OrIOp::create(builder, loc, wins, fills);
  }

  /// Whether any element of a tensor of booleans is true.
  Value any(Value tensor) {
    Value rest = arith::ExtUIOp::create(builder, loc, type.clone(builder.getI32Type()), tensor);
    for (int axis = int(type.getRank()) - 1; axis >= 0; --axis) {
      auto reduce = ReduceOp::create(builder, loc, ValueRange(rest), axis);
      OpBuilder::InsertionGuard guard(builder);
      Type number = builder.getI32Type();
      Block *block = builder.createBlock(&reduce.getCombine(), {}, {number, number}, {loc, loc});
      Value both = arith::OrIOp::create(builder, loc, block->getArgument(0), block->getArgument(1));
      YieldOp::create(builder, loc, ValueRange(both));
      rest = reduce->getResult(0);
    }
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, rest, zero);
  }

  OpBuilder &builder;
  Location loc;
  AtomicKind kind;
  Value values;
  RankedTensorType type;
};

} // namespace

void reduceByExchange(OpBuilder &builder, Location loc, AtomicKind kind, Value pointers,
                      Value values, Value mask) {
  ExchangeLoop(builder, loc, kind, values).run(pointers, mask);
}

} // namespace tilec::tile

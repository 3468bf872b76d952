// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a debug build, integers that are added, subtracted or multiplied in less than 64 bits are
// computed in 64 bits as well, and the two results have to agree:
//
//   z = x + y : i32      z = arith.addi x, y : i32
//                        exact = arith.addi (arith.extsi x), (arith.extsi y) : i64
//                        tile.assert (arith.extsi z) == exact
//
// What is added up over an axis is added up once more, so that only sums count that are wrong at
// the end.

#include "Emitter.h"

namespace tilec::irgen {

namespace arith = mlir::arith;
using ast::BinaryOp;

Value Emitter::widen(const Value &value) {
  const RuntimeValue &narrow = *value.getRuntime();
  const Type wide = narrow.type.withElement(ScalarKind::Int64);
  if (narrow.type.element.isSignedInt())
    return emit<arith::ExtSIOp>(wide, lower(wide), narrow.value);
  return emit<arith::ExtUIOp>(wide, lower(wide), narrow.value);
}

bool Emitter::canOverflow(DType element) const {
  const IRGenOptions &options = state.getOptions();
  return options.debug && options.overflowChecks && element.isInt() && element.getBitWidth() < 64;
}

/// Combine functions have no effects.
static bool isInCombine(mlir::OpBuilder &builder) {
  mlir::Operation *parent = builder.getInsertionBlock()->getParentOp();
  while (parent && !parent->hasTrait<tile::CombineRegion>() && !llvm::isa<tile::MapOp>(parent))
    parent = parent->getParentOp();
  return parent;
}

void Emitter::checkOverflow(BinaryOp op, const Value &lhs, const Value &rhs, const Value &result) {
  bool canWrap = op == BinaryOp::Add || op == BinaryOp::Sub || op == BinaryOp::Mul;
  if (!canWrap || !canOverflow(result.getRuntime()->type.element) || state.isInLibrary() ||
      isInCombine(builder))
    return;
  Value operands[] = {widen(lhs), widen(rhs)};
  FailureOr<Value> exact = emitArithmetic(op, operands[0], operands[1], SourceRange());
  if (mlir::succeeded(exact))
    assertExact(op, result, *exact);
}

void Emitter::assertExact(BinaryOp op, const Value &result, const Value &exact) {
  Value isExact = emitCompare(ast::CompareOp::Eq, widen(result), exact);
  llvm::StringRef name = op == BinaryOp::Add ? "add" : op == BinaryOp::Sub ? "sub" : "mul";
  unsigned bits = result.getRuntime()->type.element.getBitWidth();
  create<tile::AssertOp>(isExact.getRuntime()->value,
                         builder.getStringAttr("int" + llvm::Twine(bits) +
                                               " overflow detected for operation " + name));
}

std::optional<Value> Emitter::widenAddends(mlir::Region &combine, llvm::ArrayRef<Value> operands) {
  if (operands.size() != 1 || !canOverflow(operands.front().getRuntime()->type.element) ||
      isInCombine(builder))
    return std::nullopt;
  mlir::Block &body = combine.front();
  auto sum = llvm::dyn_cast<arith::AddIOp>(body.front());
  bool addsBoth = sum && sum->getNextNode() == body.getTerminator() &&
                  body.getTerminator()->getOperand(0) == sum.getResult() &&
                  sum.getLhs() != sum.getRhs() &&
                  llvm::all_of(sum->getOperands(),
                               [](mlir::Value v) { return llvm::isa<mlir::BlockArgument>(v); });
  if (!addsBoth)
    return std::nullopt;
  return widen(operands.front());
}

void Emitter::emitWideSum(mlir::Region &combine) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block *body = combine.empty() ? &combine.emplaceBlock() : &combine.front();
  builder.setInsertionPointToEnd(body);
  for (int side = 0; side < 2; ++side)
    body->addArgument(builder.getI64Type(), state.getLocation());
  auto sum = create<arith::AddIOp>(body->getArgument(0), body->getArgument(1));
  create<tile::YieldOp>(mlir::ValueRange{sum});
}

} // namespace tilec::irgen

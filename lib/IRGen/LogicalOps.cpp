// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// and, or, not, comparison chains and the conditional expression. Compile-time operands decide at
// compile time; runtime ones are all evaluated and combined through int1.

#include "Generator.h"

namespace tilec::irgen {

namespace arith = mlir::arith;

FailureOr<Value> Generator::evaluateBoolOp(const ast::BoolOp &expr) {
  bool deciding = expr.op == ast::BoolOpKind::Or;
  std::vector<Value> runtime;
  Value last;
  for (const ast::Expr *operandExpr : expr.operands) {
    FailureOr<Value> operand = evaluate(operandExpr);
    if (mlir::failed(operand))
      return failure();
    if (operand->isRuntime()) {
      runtime.push_back(*operand);
      continue;
    }
    FailureOr<bool> truth = toBool(*operand, operandExpr->range, "the operand");
    if (mlir::failed(truth))
      return failure();
    if (*truth == deciding)
      return *operand;
    last = *operand;
  }
  if (runtime.empty())
    return last;
  Value result = runtime.back();
  for (size_t i = runtime.size() - 1; i-- > 0;) {
    FailureOr<Value> combined = logical(expr.op, runtime[i], result, expr.range);
    if (mlir::failed(combined))
      return failure();
    result = *combined;
  }
  return result;
}

FailureOr<Value> Generator::evaluateCompare(const ast::Compare &expr) {
  FailureOr<Value> lhs = evaluate(expr.first);
  if (mlir::failed(lhs))
    return failure();
  Value result;
  for (size_t i = 0; i < expr.ops.size(); ++i) {
    FailureOr<Value> rhs = evaluate(expr.operands[i]);
    if (mlir::failed(rhs))
      return failure();
    FailureOr<Value> link = compare(expr.ops[i], *lhs, *rhs, expr.range);
    if (mlir::failed(link))
      return failure();
    checkCompare(i == 0 ? expr.first : expr.operands[i - 1], expr.ops[i], expr.operands[i], *lhs,
                 *rhs);
    // `a < b < c` is `a < b and b < c` with b evaluated once.
    if (i == 0 || result.isKnownTrue()) {
      result = *link;
    } else if (!link->isRuntime()) {
      FailureOr<bool> truth = toBool(*link, expr.range, "the comparison");
      if (mlir::failed(truth))
        return failure();
      if (!*truth)
        result = *link;
    } else {
      FailureOr<Value> both = logical(ast::BoolOpKind::And, result, *link, expr.range);
      if (mlir::failed(both))
        return failure();
      result = *both;
    }
    if (!result.isRuntime() && result.getConstant() && !result.getConstant()->isTrue())
      return result;
    lhs = rhs;
  }
  return result;
}

FailureOr<Value> Generator::evaluateCondition(const ast::Expr *expr, llvm::StringRef what) {
  SourceRange range = expr->range;
  FailureOr<Value> test = evaluate(expr);
  if (mlir::failed(test))
    return failure();
  if (!test->isRuntime()) {
    FailureOr<bool> isTrue = toBool(*test, range, "the condition");
    if (mlir::failed(isTrue))
      return failure();
    return Value::boolean(*isTrue);
  }
  Type type = test->getRuntime()->type;
  if (type.isBlock() && type.getNumElements() != 1)
    return error(range, "the condition of '" + what + "' must be a scalar, got " + type.str() +
                            "; use tl.where for elementwise choice");
  FailureOr<Value> truth = cast(*test, ScalarKind::Int1, range);
  if (mlir::failed(truth) || !type.isBlock())
    return truth;
  FailureOr<Value> flat = reshape(*truth, {1}, /*allowReorder=*/false, range);
  if (mlir::failed(flat))
    return failure();
  auto reduce = create<tile::ReduceOp>(mlir::ValueRange{flat->getRuntime()->value}, 0);
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Region &region = reduce.getCombine();
  mlir::Block *block = region.empty() ? &region.emplaceBlock() : &region.front();
  mlir::Value a = block->addArgument(builder.getI1Type(), getLocation());
  mlir::Value b = block->addArgument(builder.getI1Type(), getLocation());
  builder.setInsertionPointToEnd(block);
  mlir::Value either = create<arith::OrIOp>(a, b);
  create<tile::YieldOp>(mlir::ValueRange{either});
  return Value::runtime(reduce->getResult(0), ScalarKind::Int1);
}

FailureOr<Value> Generator::evaluateConditional(const ast::Conditional &expr) {
  FailureOr<Value> test = evaluateCondition(expr.condition, "if");
  if (mlir::failed(test))
    return failure();
  if (!test->isRuntime())
    return evaluate(test->isKnownTrue() ? expr.thenValue : expr.elseValue);

  DetachedBlock thenBlock, elseBlock;
  auto evaluateArm = [&](const ast::Expr *arm, DetachedBlock &block) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block.get());
    return evaluate(arm);
  };
  FailureOr<Value> thenValue = evaluateArm(expr.thenValue, thenBlock);
  FailureOr<Value> elseValue = evaluateArm(expr.elseValue, elseBlock);
  if (mlir::failed(thenValue) || mlir::failed(elseValue))
    return failure();
  if (mlir::failed(unifyResults(*thenValue, thenBlock.get(), *elseValue, elseBlock.get(),
                                "a conditional expression", expr.range)))
    return failure();
  return finishIf(test->getRuntime()->value, thenBlock, elseBlock, *thenValue, *elseValue);
}

} // namespace tilec::irgen

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches and loops of finished blocks, and what values have to be to leave them.

#include "Emitter.h"

namespace tilec::irgen {

namespace scf = mlir::scf;

LogicalResult Emitter::unifyResults(Value &lhs, mlir::Block *lhsBlock, Value &rhs,
                                    mlir::Block *rhsBlock, const llvm::Twine &what,
                                    SourceRange range) {
  if (isIdentical(lhs, rhs) && !lhs.isRuntime() && !lhs.getTuple())
    return success();
  const std::vector<Value> *left = lhs.getTuple(), *right = rhs.getTuple();
  bool isObject = lhs.isAggregate() || rhs.isAggregate();
  bool isSameClass = !isObject || (lhs.isAggregate() && rhs.isAggregate() &&
                                   lhs.getFields()->aggregate == rhs.getFields()->aggregate);
  if (left && right && left->size() == right->size() && isSameClass) {
    std::vector<Value> newLeft = *left, newRight = *right;
    for (size_t i = 0; i < newLeft.size(); ++i) {
      bool isFixed = isObject && !newLeft[i].isRuntime() && !newRight[i].isRuntime() &&
                     !newLeft[i].getTuple() && !isIdentical(newLeft[i], newRight[i]);
      if (isFixed)
        return state.error(range, "field '" + lhs.getFields()->names[i] + "' of " + what +
                                      " must be the same in both branches, got " +
                                      newLeft[i].describe() + " and " + newRight[i].describe());
      if (mlir::failed(unifyResults(newLeft[i], lhsBlock, newRight[i], rhsBlock, what, range)))
        return failure();
    }
    lhs = Value::tuple(std::move(newLeft), lhs.getFields());
    rhs = Value::tuple(std::move(newRight), rhs.getFields());
    return success();
  }
  // Block pointers may differ in what of them is known at compile time.
  const BlockAccessValue *access = lhs.getIf<BlockAccessValue>();
  if (const BlockAccessValue *other = rhs.getIf<BlockAccessValue>();
      access && other && access->isSameType(*other)) {
    Value parts = *access->parts, otherParts = *other->parts;
    if (mlir::failed(unifyResults(parts, lhsBlock, otherParts, rhsBlock, what, range)))
      return failure();
    BlockAccessValue result = *access;
    result.parts = std::make_shared<const Value>(std::move(parts));
    lhs = result;
    result.parts = std::make_shared<const Value>(std::move(otherParts));
    rhs = result;
    return success();
  }
  // A number takes the type of the other side where that loses nothing.
  auto toRuntimeIn = [&](Value &number, mlir::Block *block, const Value &other) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    FailureOr<DType> type = state.getDefaultType(*number.getConstant(), range);
    if (mlir::failed(type))
      return failure();
    const RuntimeValue *runtime = other.getRuntime();
    bool adopt = runtime && !runtime->type.element.isPointer() &&
                 type->getRank() <= runtime->type.element.getRank();
    FailureOr<Value> result =
        makeConstant(*number.getConstant(), adopt ? runtime->type.element : *type, range);
    if (mlir::failed(result))
      return failure();
    number = adopt ? splat(*result, runtime->type.shape) : *result;
    return success();
  };
  bool numbers = lhs.isNumber() && rhs.isNumber();
  if ((lhs.isNumber() && rhs.isRuntime()) || numbers)
    if (mlir::failed(toRuntimeIn(lhs, lhsBlock, rhs)))
      return failure();
  if (rhs.isNumber() && lhs.isRuntime())
    if (mlir::failed(toRuntimeIn(rhs, rhsBlock, numbers ? Value() : lhs)))
      return failure();
  if (haveSameType(lhs, rhs))
    return success();
  return state.error(range, what + " must have one type in both branches, got " + lhs.describe() +
                                " and " + rhs.describe() +
                                suggestCast(lhs, "the first", rhs, "the second"));
}

Value Emitter::finishIf(mlir::Value condition, DetachedBlock &thenBlock, DetachedBlock &elseBlock,
                        const Value &thenValue, const Value &elseValue) {
  llvm::SmallVector<mlir::Value> thenLeaves, elseLeaves;
  flatten(thenValue, thenLeaves);
  flatten(elseValue, elseLeaves);
  auto addYield = [&](DetachedBlock &block, llvm::ArrayRef<mlir::Value> leaves) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block.get());
    create<scf::YieldOp>(leaves);
  };
  addYield(thenBlock, thenLeaves);
  bool needsElse = !elseLeaves.empty() || !elseBlock.get()->empty();
  if (needsElse)
    addYield(elseBlock, elseLeaves);
  auto ifOp = create<scf::IfOp>(mlir::TypeRange(mlir::ValueRange(thenLeaves)), condition,
                                /*addThenBlock=*/false, /*addElseBlock=*/false);
  thenBlock.moveTo(ifOp.getThenRegion());
  if (needsElse)
    elseBlock.moveTo(ifOp.getElseRegion());
  llvm::SmallVector<mlir::Value> results(ifOp.getResults());
  llvm::ArrayRef<mlir::Value> left = results;
  return rebuild(thenValue, left);
}

scf::WhileOp Emitter::finishWhile(mlir::ValueRange inits, DetachedBlock &test,
                                  mlir::Value condition, mlir::ValueRange forwarded,
                                  DetachedBlock &body, mlir::ValueRange leaves) {
  // Of variables that the condition hands to the body as they are.
  auto carryHints = [&](mlir::ValueRange handed) {
    llvm::SmallVector<mlir::Value> values(handed);
    for (auto [passed, argument] : llvm::zip(forwarded, body.get()->getArguments()))
      if (auto variable = llvm::dyn_cast<mlir::BlockArgument>(passed);
          variable && variable.getOwner() == test.get()) {
        mlir::Value &value = values[variable.getArgNumber()];
        value = loopHints.carry(builder, argument, value);
      }
    return values;
  };
  llvm::SmallVector<mlir::Value> first = carryHints(inits);
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(test.get());
    create<scf::ConditionOp>(condition, forwarded);
    builder.setInsertionPointToEnd(body.get());
    create<scf::YieldOp>(carryHints(leaves));
  }
  auto loop = create<scf::WhileOp>(mlir::TypeRange(forwarded), first);
  test.moveTo(loop.getBefore());
  body.moveTo(loop.getAfter());
  return loop;
}

bool Emitter::hasPlaceholder(const Value &value) {
  if (const std::vector<Value> *elements = value.getTuple())
    return llvm::all_of(*elements, hasPlaceholder);
  if (const BlockAccessValue *access = value.getIf<BlockAccessValue>())
    return access->kind == BlockAccessValue::Kind::BlockPointer && hasPlaceholder(*access->parts);
  return value.isRuntime() || !hasProgramValues(value);
}

FailureOr<Value> Emitter::makePlaceholder(const Value &value, SourceRange range) {
  if (const RuntimeValue *runtime = value.getRuntime()) {
    if (!runtime->type.element.isPointer())
      return makeZero(runtime->type);
    FailureOr<Value> null = cast(makeZero(ScalarKind::Int64), runtime->type.element, range);
    return mlir::failed(null) ? null : splat(*null, runtime->type.shape);
  }
  if (const BlockAccessValue *access = value.getIf<BlockAccessValue>()) {
    if (access->kind == BlockAccessValue::Kind::Descriptor)
      return state.error(range,
                         "a tensor descriptor cannot be returned from the middle of a loop; make "
                         "it where it is used");
    FailureOr<Value> parts = makePlaceholder(*access->parts, range);
    if (mlir::failed(parts))
      return failure();
    BlockAccessValue placeholder = *access;
    placeholder.parts = std::make_shared<const Value>(*parts);
    return Value(placeholder);
  }
  const std::vector<Value> *elements = value.getTuple();
  if (!elements && hasProgramValues(value))
    return state.error(range, value.describe() + " cannot be returned from the middle of a loop");
  if (!elements)
    return value;
  std::vector<Value> placeholders;
  for (const Value &element : *elements) {
    FailureOr<Value> placeholder = makePlaceholder(element, range);
    if (mlir::failed(placeholder))
      return failure();
    placeholders.push_back(*placeholder);
  }
  return Value::tuple(std::move(placeholders), value.getFields());
}

} // namespace tilec::irgen

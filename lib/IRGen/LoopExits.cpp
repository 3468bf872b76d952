// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How loops are left before their end. `break` and `return` set flags that an iteration hands to
// the loop's condition; a `return` hands on its value too, in whose place the other iterations have
// zeros that nobody reads. Behind the loop a branch on the flag returns from the function, or
// leaves the loop around this one.

#include "Generator.h"

namespace tilec::irgen {

namespace arith = mlir::arith;

Value Generator::isLeft(const LoopExit &exit) {
  Value left = Value::boolean(false);
  for (const Value &flag : {exit.broke, exit.returned, exit.continued}) {
    if (flag.isKnownTrue())
      return flag;
    if (!flag.isRuntime())
      continue;
    left = left.isRuntime() ? emit<arith::OrIOp>(ScalarKind::Int1, left.getRuntime()->value,
                                                 flag.getRuntime()->value)
                            : flag;
  }
  return left;
}

void Generator::setReturned(const Value &value) {
  if (!frame->loop) {
    frame->returnValue = value;
    return;
  }
  frame->loop->exit.returned = Value::boolean(true);
  frame->loop->exit.result = value;
}

/// Whether an iteration may have reached `return`.
static bool mayReturn(const LoopExit &exit) {
  return exit.returned.isRuntime() || exit.returned.isKnownTrue();
}

LogicalResult Generator::collectExit(const LoopExit &exit, mlir::Value &left,
                                     llvm::SmallVectorImpl<mlir::Value> &returned,
                                     SourceRange range) {
  FailureOr<Value> leftFlag = cast(isLeft(exit), ScalarKind::Int1, range);
  FailureOr<Value> returnedFlag = cast(exit.returned, ScalarKind::Int1, range);
  if (mlir::failed(leftFlag) || mlir::failed(returnedFlag))
    return failure();
  left = leftFlag->getRuntime()->value;
  if (!mayReturn(exit))
    return success();
  if (exit.result.isPoison())
    return failure();
  returned.push_back(returnedFlag->getRuntime()->value);
  flatten(exit.result, returned);
  return success();
}

LogicalResult Generator::carryReturn(const LoopExit &exit, mlir::Block *condition,
                                     mlir::Block *body, llvm::SmallVectorImpl<mlir::Value> &inits,
                                     llvm::SmallVectorImpl<mlir::Value> &forwarded,
                                     SourceRange range) {
  if (!mayReturn(exit))
    return success();
  FailureOr<Value> nothing = makePlaceholder(exit.result, range);
  if (mlir::failed(nothing))
    return failure();
  llvm::SmallVector<mlir::Value> added{create<arith::ConstantOp>(builder.getBoolAttr(false))};
  flatten(*nothing, added);
  for (mlir::Value init : added) {
    inits.push_back(init);
    forwarded.push_back(condition->addArgument(init.getType(), getLocation()));
    body->addArgument(init.getType(), getLocation());
  }
  return success();
}

LoopExit Generator::readReturn(const LoopExit &exit, mlir::ValueRange results) {
  LoopExit after;
  if (!mayReturn(exit))
    return after;
  after.returned = Value::runtime(results.front(), ScalarKind::Int1);
  llvm::SmallVector<mlir::Value> storage(results.drop_front());
  llvm::ArrayRef<mlir::Value> leaves = storage;
  after.result = rebuild(exit.result, leaves);
  return after;
}

FailureOr<Flow> Generator::leaveLoop(const LoopExit &exit, const BranchSite &site,
                                     const Continuation *next) {
  if (!mayReturn(exit))
    return Flow::Next;
  auto returnHere = [&] {
    setReturned(exit.result);
    return Flow::Return;
  };
  if (!exit.returned.isRuntime())
    return returnHere();
  return executeLeavingBranch(site, exit.returned.getRuntime()->value, next, returnHere,
                              [] { return Flow::Next; });
}

} // namespace tilec::irgen

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structured control flow and calls.

#include "Evaluator.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace tilec::interpreter {
namespace {

LogicalResult runFor(Evaluator &e, Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  unsigned width = loop.getInductionVar().getType().isIndex()
                       ? 64
                       : loop.getInductionVar().getType().getIntOrFloatBitWidth();
  auto number = [&](Value value) -> __int128 {
    uint64_t bits = e.getScalar(value);
    return loop.getUnsignedCmp() ? __int128(bits) : __int128(asSigned(bits, width));
  };
  __int128 upper = number(loop.getUpperBound()), step = number(loop.getStep());
  if (step <= 0)
    return e.error(op) << "the step of a loop must be positive, got " << int64_t(step);
  std::vector<Bits> carried = e.getAll(loop.getInitArgs());
  // The counter does not wrap: the number of iterations is fixed when the loop begins.
  for (__int128 i = number(loop.getLowerBound()); i < upper; i += step) {
    e.set(loop.getInductionVar(), {lowBits(uint64_t(i), width)});
    e.setAll(loop.getRegionIterArgs(), std::move(carried));
    if (failed(e.runBlock(*loop.getBody())))
      return failure();
    carried = e.getAll(loop.getBody()->getTerminator()->getOperands());
  }
  e.setAll(loop.getResults(), std::move(carried));
  return success();
}

LogicalResult runIf(Evaluator &e, Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  Block *block = e.getScalar(branch.getCondition()) ? branch.thenBlock() : branch.elseBlock();
  if (!block)
    return success();
  if (failed(e.runBlock(*block)))
    return failure();
  e.setAll(branch.getResults(), e.getAll(block->getTerminator()->getOperands()));
  return success();
}

LogicalResult runWhile(Evaluator &e, Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  std::vector<Bits> carried = e.getAll(loop.getInits());
  while (true) {
    uint64_t changesBefore = e.getChanges();
    e.setAll(loop.getBeforeArguments(), carried);
    if (failed(e.runBlock(*loop.getBeforeBody())))
      return failure();
    scf::ConditionOp condition = loop.getConditionOp();
    std::vector<Bits> forwarded = e.getAll(condition.getArgs());
    if (!e.getScalar(condition.getCondition())) {
      e.setAll(loop.getResults(), std::move(forwarded));
      return success();
    }
    e.setAll(loop.getAfterArguments(), std::move(forwarded));
    if (failed(e.runBlock(*loop.getAfterBody())))
      return failure();
    std::vector<Bits> next = e.getAll(loop.getYieldOp().getOperands());
    // All further iterations would be the same.
    if (next == carried && e.getChanges() == changesBefore)
      return e.error(op)
             << "the loop never ends: an iteration changes nothing, and the interpreter "
                "runs one program after another";
    carried = std::move(next);
  }
}

LogicalResult runCall(Evaluator &e, Operation *op) {
  auto call = cast<func::CallOp>(op);
  auto callee =
      SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, call.getCalleeAttr().getAttr());
  if (!callee || callee.isExternal())
    return e.error(op) << "the interpreter does not know the function '" << call.getCallee() << "'";
  // The values of a function are kept once.
  if (llvm::is_contained(e.active, callee))
    return e.error(op) << "the function '" << call.getCallee() << "' calls itself";
  e.active.push_back(callee);
  e.setAll(callee.getArguments(), e.getAll(call.getOperands()));
  Block &body = callee.getBody().front();
  if (failed(e.runBlock(body)))
    return failure();
  e.setAll(call.getResults(), e.getAll(body.getTerminator()->getOperands()));
  e.active.pop_back();
  return success();
}

} // namespace

void addControlOps(HandlerTable &table) {
  table.add<scf::ForOp>(runFor);
  table.add<scf::IfOp>(runIf);
  table.add<scf::WhileOp>(runWhile);
  table.add<func::CallOp>(runCall);
}

} // namespace tilec::interpreter

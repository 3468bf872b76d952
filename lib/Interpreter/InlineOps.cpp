// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of scalars for every group of elements, in row-major order, and what asks the machine:
// it has one processor, a clock that goes on with every look at it, and no grid to wait for. Inline
// instructions are a device's.

#include "Evaluator.h"

using namespace mlir;

namespace tilec::interpreter {
namespace {

LogicalResult runMap(Evaluator &e, Operation *op) {
  auto map = cast<tile::MapOp>(op);
  Block &body = map.getBody().front();
  size_t pack = size_t(map.getPack());
  std::vector<Bits> operands = e.getAll(map.getOperands());
  size_t elements = operands.front().size();
  if (elements % pack != 0)
    return e.error(op) << "groups of " << uint64_t(pack) << " do not divide " << uint64_t(elements)
                       << " elements";
  std::vector<Bits> results(op->getNumResults(), Bits(elements));
  size_t lanesBefore = std::exchange(e.lanes, 1);
  LogicalResult ok = success();
  for (size_t group = 0; group < elements && succeeded(ok); group += pack) {
    for (auto [k, argument] : llvm::enumerate(body.getArguments()))
      e.set(argument, {operands[k / pack][group + k % pack]});
    ok = e.runBlock(body);
    if (failed(ok))
      break;
    for (auto [k, value] : llvm::enumerate(body.getTerminator()->getOperands()))
      results[k / pack][group + k % pack] = e.getScalar(value);
  }
  e.lanes = lanesBefore;
  if (succeeded(ok))
    e.setAll(op->getResults(), std::move(results));
  return ok;
}

LogicalResult runInlineAsm(Evaluator &e, Operation *op) {
  return e.error(op) << "the interpreter does not execute inline instructions; use --device sim or "
                        "a GPU";
}

LogicalResult runGlobalTimer(Evaluator &e, Operation *op) {
  e.set(op->getResult(0), {e.readClock()});
  return success();
}

LogicalResult runProcessorId(Evaluator &e, Operation *op) {
  e.set(op->getResult(0), {0});
  return success();
}

LogicalResult runGridDependency(Evaluator &, Operation *) { return success(); }

} // namespace

void addInlineOps(HandlerTable &table) {
  table.add<tile::MapOp>(runMap);
  table.add<tile::InlineAsmOp>(runInlineAsm);
  table.add<tile::GlobalTimerOp>(runGlobalTimer);
  table.add<tile::ProcessorIdOp>(runProcessorId);
  table.add<tile::GridDependencyWaitOp, tile::GridDependencyLaunchOp>(runGridDependency);
}

} // namespace tilec::interpreter

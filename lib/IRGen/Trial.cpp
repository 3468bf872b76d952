// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a trial, and how it is taken over.

#include "Trial.h"

namespace tilec::irgen {

Trial::Trial(Generator &outer) : around(outer), generator(outer, diagnostics), frame(*outer.frame) {
  generator.charge(frame.variables.size());
  if (frame.loop) {
    loop = *frame.loop;
    frame.loop = &loop;
  }
  generator.frame = &frame;
  generator.builder.setInsertionPointToEnd(operations.get());
}

Trial::Trial(Generator &outer, const SourceModule &module)
    : around(outer), generator(outer, diagnostics) {
  frame.module = &module;
  frame.keepsConstants = true;
  generator.frame = &frame;
  generator.builder.setInsertionPointToEnd(operations.get());
}

void Trial::adopt() {
  Frame &outer = *around.frame;
  outer.variables = std::move(frame.variables);
  outer.returnValue = frame.returnValue;
  if (outer.loop)
    *outer.loop = loop;
  mlir::OpBuilder &builder = around.getBuilder();
  builder.getInsertionBlock()->getOperations().splice(builder.getInsertionPoint(),
                                                      operations.get()->getOperations());
}

FailureOr<Value>
Generator::tryInModule(const SourceModule &module,
                       llvm::function_ref<FailureOr<Value>(ModuleEvaluator &)> compute) {
  Trial trial(*this, module);
  return compute(trial->modules);
}

} // namespace tilec::irgen

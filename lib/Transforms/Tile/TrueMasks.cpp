// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Canonicalisation that starts at the users of constant masks and spreads from there: a mask that
// becomes true disappears from its loads and stores, a select under it from its users.

#include "TrueMasks.h"

#include "mlir/IR/Builders.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilec {

Value createTrue(OpBuilder &builder, Location loc, Type type) {
  TypedAttr value = builder.getBoolAttr(true);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    value = DenseElementsAttr::get(tensor, true);
  return arith::ConstantOp::create(builder, loc, value);
}

void simplifyUsers(ArrayRef<Value> constants, Region &region) {
  SetVector<Operation *> users;
  for (Value value : constants)
    users.insert(value.user_begin(), value.user_end());
  MLIRContext *context = region.getContext();
  RewritePatternSet patterns(context);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (isa<tile::TileDialect, arith::ArithDialect>(op.getDialect()))
      op.getCanonicalizationPatterns(patterns, context);
  GreedyRewriteConfig config;
  config.setScope(&region);
  // What does not converge is correct all the same: nothing depends on the simplest form.
  (void)applyOpPatternsGreedily(users.getArrayRef(), std::move(patterns), config);
  for (Value value : constants)
    if (value.use_empty())
      value.getDefiningOp()->erase();
}

int64_t countNestedOps(Operation *op) {
  int64_t count = -1;
  op->walk([&](Operation *) { ++count; });
  return count;
}

} // namespace tilec

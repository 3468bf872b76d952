// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DotSum.h.

#include "DotSum.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilec::tile {

/// The value of a constant of one, which can have any extents; null if it is none.
static SplatElementsAttr splatOf(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  return constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr();
}

OpOperand &DotSum::init() { return loop ? loop.getInitArgsMutable()[place] : dot.getAccMutable(); }

std::optional<DotSum> DotSum::find(DotOp dot) {
  DotSum sum;
  sum.dot = dot;
  if (auto argument = dyn_cast<BlockArgument>(dot.getAcc())) {
    sum.loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!sum.loop || dot->getParentOp() != sum.loop || !argument.hasOneUse() ||
        !dot.getResult().hasOneUse())
      return std::nullopt;
    sum.place = argument.getArgNumber() - sum.loop.getNumInductionVars();
    if (sum.loop.getYieldedValues()[sum.place] != dot.getResult())
      return std::nullopt;
  }
  if (!splatOf(sum.init().get()))
    return std::nullopt;
  return sum;
}

void DotSum::reshape(RankedTensorType type,
                     llvm::function_ref<Value(OpBuilder &, Value)> replacement) {
  OpBuilder builder(loop ? loop.getOperation() : dot.getOperation());
  OpOperand &first = init();
  first.set(arith::ConstantOp::create(builder, first.get().getLoc(),
                                      splatOf(first.get()).resizeSplat(type)));
  Value result = dot.getResult();
  result.setType(type);
  if (loop) {
    loop.getRegionIterArg(place).setType(type);
    result = loop.getResult(place);
    result.setType(type);
  }
  builder.setInsertionPointAfterValue(result);
  Value replaced = replacement(builder, result);
  result.replaceAllUsesExcept(replaced, replaced.getDefiningOp());
}

} // namespace tilec::tile

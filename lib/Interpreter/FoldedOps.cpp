// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations without a handler: what their folders make of constants.

#include "Evaluator.h"

using namespace mlir;

namespace tilec::interpreter {

/// Elements as a constant of their own bits.
static Attribute makeConstant(Type element, const Bits &bits) {
  unsigned width = element.getIntOrFloatBitWidth();
  SmallVector<APInt> numbers;
  for (uint64_t each : bits)
    numbers.emplace_back(width, each, /*isSigned=*/false, /*implicitTrunc=*/true);
  Type integer = IntegerType::get(element.getContext(), width);
  auto constant =
      DenseIntElementsAttr::get(RankedTensorType::get({int64_t(bits.size())}, integer), numbers);
  return element == integer ? constant : DenseElementsAttr(constant).bitcast(element);
}

LogicalResult runFolded(Evaluator &e, Operation *op) {
  SmallVector<Attribute> constants;
  for (Value operand : op->getOperands()) {
    Type element = getElementTypeOrSelf(operand.getType());
    if (!element.isIntOrFloat())
      return e.error(op) << "the interpreter does not know '" << op->getName() << "' of "
                         << operand.getType();
    constants.push_back(makeConstant(element, e.get(operand)));
  }
  SmallVector<OpFoldResult> results;
  auto folded = succeeded(op->fold(constants, results)) && results.size() == 1
                    ? dyn_cast<Attribute>(results.front())
                    : Attribute();
  auto elements = dyn_cast_or_null<DenseElementsAttr>(folded);
  if (!elements)
    return e.error(op) << "the interpreter does not know the operation '" << op->getName() << "'";
  Type element = elements.getElementType();
  unsigned width = element.getIntOrFloatBitWidth();
  Bits bits;
  for (const APInt &each :
       elements.bitcast(IntegerType::get(op->getContext(), width)).getValues<APInt>())
    bits.push_back(each.getZExtValue());
  e.set(op->getResult(0), std::move(bits));
  return success();
}

} // namespace tilec::interpreter

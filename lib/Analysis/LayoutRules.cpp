// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LayoutRules.h.

#include "tilec/Analysis/LayoutRules.h"

#include "dialects/TileGPU/LayoutInference.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

LayoutRule tilec::layoutRuleOf(Operation *op) {
  if (auto ruled = dyn_cast<tile::LayoutRuleOpInterface>(op))
    return ruled.getLayoutRule();
  if (op->hasTrait<OpTrait::ConstantLike>())
    return LayoutRule::Source;
  return op->hasTrait<OpTrait::Elementwise>() ? LayoutRule::Same : LayoutRule::Pinned;
}

bool tilec::isPinned(LayoutRule rule) {
  return rule == LayoutRule::Atomic || rule == LayoutRule::Dot || rule == LayoutRule::Pinned;
}

bool tilec::takesAnyLayout(OpOperand &use) {
  auto ruled = dyn_cast<tile::LayoutRuleOpInterface>(use.getOwner());
  return ruled && ruled.takesAnyLayout(use);
}

bool tilec::givesAnyLayout(OpResult result) {
  auto ruled = dyn_cast<tile::LayoutRuleOpInterface>(result.getOwner());
  return ruled && ruled.givesAnyLayout(result);
}

bool tilec::canRepeat(Operation *op) {
  switch (layoutRuleOf(op)) {
  case LayoutRule::Source:
    // What CTAs do together they do once.
    return !hasEffect<MemoryEffects::Write>(op);
  case LayoutRule::Shape:
    return true;
  case LayoutRule::Same:
    return isMemoryEffectFree(op) && op->getNumRegions() == 0;
  case LayoutRule::Access: {
    // A load that does not fill the CTA: the second one finds its data in the first-level cache.
    auto load = dyn_cast<tile::LoadOp>(op);
    if (!load || load.getIsVolatile())
      return false;
    auto type = dyn_cast<RankedTensorType>(load.getType());
    return type && type.getNumElements() < int64_t(numWarpsOf(op)) * 32;
  }
  default:
    return false;
  }
}

Value tilec::stripConversions(Value value) {
  while (auto convert = value.getDefiningOp<ConvertLayoutOp>())
    value = convert.getSource();
  return value;
}

LinearAttr tilec::layoutAttrOf(Type type) {
  return cast<LinearAttr>(cast<RankedTensorType>(type).getEncoding());
}

LinearAttr LayoutRules::infer(Operation *op, LinearAttr from, Direction direction) {
  LinearAttr &known = inferred[{op, from, int(direction)}];
  if (known)
    return known;
  auto shape = cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  LinearLayout layout = direction == ToOperand ? inferOperandLayout(op, from.getLayout(), shape)
                                               : inferResultLayout(op, from.getLayout());
  return known = LinearAttr::get(op->getContext(), layout);
}

LinearAttr LayoutRules::operandLayout(OpOperand &use, LinearAttr own) {
  if (takesAnyLayout(use))
    return {};
  switch (layoutRuleOf(use.getOwner())) {
  case LayoutRule::Shape:
    return infer(use.getOwner(), own, ToOperand);
  case LayoutRule::Pinned:
    return layoutAttrOf(use.get().getType());
  default:
    return own;
  }
}

LinearAttr LayoutRules::resultLayout(OpResult result, LinearAttr own) {
  if (givesAnyLayout(result))
    return {};
  switch (layoutRuleOf(result.getOwner())) {
  case LayoutRule::Reduce:
    return infer(result.getOwner(), own, ToResult);
  case LayoutRule::Pinned:
    return layoutAttrOf(result.getType());
  default:
    return own;
  }
}

LinearAttr LayoutRules::workingFromOperand(OpOperand &use, LinearAttr layout) {
  if (takesAnyLayout(use))
    return {};
  LayoutRule rule = layoutRuleOf(use.getOwner());
  if (isPinned(rule))
    return {};
  return rule == LayoutRule::Shape ? infer(use.getOwner(), layout, ToResult) : layout;
}

LinearAttr LayoutRules::workingFromResult(OpResult result, LinearAttr layout) {
  if (givesAnyLayout(result))
    return {};
  LayoutRule rule = layoutRuleOf(result.getOwner());
  // Many layouts have the same slice.
  return isPinned(rule) || rule == LayoutRule::Reduce ? LinearAttr() : layout;
}

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of layout relations; see LayoutRules.h.

#include "tilec/Analysis/LayoutRules.h"

#include "dialects/TileGPU/LayoutInference.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

LayoutRule tilec::layoutRuleOf(Operation *op) {
  using Rule = LayoutRule;
  return llvm::TypeSwitch<Operation *, Rule>(op)
      .Case<arith::ConstantOp, ub::PoisonOp, tile::MakeRangeOp, tile::SplatOp>(
          [](auto) { return Rule::Source; })
      .Case<tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp, tile::PermuteOp>(
          [](auto) { return Rule::Shape; })
      .Case<tile::LoadOp, tile::StoreOp>([](auto) { return Rule::Access; })
      .Case<tile::AtomicRMWOp, tile::AtomicCasOp>([](auto) { return Rule::Atomic; })
      .Case<tile::ReduceOp>([](auto) { return Rule::Reduce; })
      .Case<tile::ScanOp>([](auto) { return Rule::Scan; })
      .Case<tile::GatherOp>([](auto) { return Rule::Gather; })
      .Case<tile::HistogramOp>([](auto) { return Rule::Histogram; })
      .Case<tile::AssertOp, tile::PrintOp>([](auto) { return Rule::Same; })
      .Case<DotOp>([](auto) { return Rule::Dot; })
      // A vector's buffer is read in any layout; a matrix is read as the fragments of a product.
      .Case<LocalLoadOp>([](LocalLoadOp load) {
        return cast<RankedTensorType>(load.getType()).getRank() == 1 ? Rule::Source : Rule::Pinned;
      })
      .Default([](Operation *other) {
        return other->hasTrait<OpTrait::Elementwise>() ? Rule::Same : Rule::Pinned;
      });
}

bool tilec::isPinned(LayoutRule rule) {
  return rule == LayoutRule::Atomic || rule == LayoutRule::Dot || rule == LayoutRule::Pinned;
}

bool tilec::takesAnyLayout(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto gather = dyn_cast<tile::GatherOp>(op))
    return &use == &gather.getSourceMutable();
  if (auto dot = dyn_cast<DotOp>(op))
    return &use != &dot.getAccMutable();
  if (isa<LocalStoreOp, tile::DescriptorStoreOp, tile::DescriptorReduceOp>(op))
    return true;
  return false;
}

bool tilec::givesAnyLayout(OpResult result) {
  return layoutRuleOf(result.getOwner()) == LayoutRule::Histogram ||
         isa<tile::DescriptorLoadOp>(result.getOwner());
}

bool tilec::canRepeat(Operation *op) {
  switch (layoutRuleOf(op)) {
  case LayoutRule::Source:
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

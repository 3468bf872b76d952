// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks as trees of conjunctions and shape changes over comparisons, and the widths of accesses
// under them. The width is what `tilegpu-coalesce` will choose: runs of consecutive aligned
// addresses along the most contiguous dimension, over which the mask is constant, up to 16 bytes
// and an even share of the tensor.

#include "MaskGain.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Analysis/GlobalAccess.h"

using namespace mlir;

namespace tilec {

Value maskOf(Operation *op) {
  auto access = dyn_cast<tile::GlobalAccessOpInterface>(op);
  Value mask = access ? access.getMask() : Value();
  return mask && isa<RankedTensorType>(mask.getType()) ? mask : Value();
}

CompareSet comparisonsIn(Value mask) {
  CompareSet result;
  SmallVector<Value> pending{mask};
  while (!pending.empty()) {
    Value part = pending.pop_back_val();
    if (auto compare = part.getDefiningOp<arith::CmpIOp>()) {
      result.insert(compare);
    } else if (auto both = part.getDefiningOp<arith::AndIOp>()) {
      pending.push_back(both.getRhs());
      pending.push_back(both.getLhs());
    } else if (auto shape = part.getDefiningOp<tile::ShapeOpInterface>()) {
      pending.push_back(shape.getSource());
    }
  }
  return result;
}

bool isTrueWith(Value mask, const CompareSet &known) {
  if (auto compare = mask.getDefiningOp<arith::CmpIOp>())
    return known.contains(compare);
  if (auto both = mask.getDefiningOp<arith::AndIOp>())
    return isTrueWith(both.getLhs(), known) && isTrueWith(both.getRhs(), known);
  if (auto shape = mask.getDefiningOp<tile::ShapeOpInterface>())
    return isTrueWith(shape.getSource(), known);
  return matchPattern(mask, m_One());
}

/// The length of the runs of equal values of `mask` along `dim`, at least, when the comparisons in
/// `known` are true.
static int64_t constancyWith(Value mask, unsigned dim, const CompareSet &known,
                             const AxisInfoAnalysis &axes) {
  int64_t size = 1;
  if (auto type = dyn_cast<RankedTensorType>(mask.getType()))
    size = type.getDimSize(dim);
  if (isTrueWith(mask, known))
    return size;
  int64_t result = axes.get(mask).constancy[dim];
  if (auto both = mask.getDefiningOp<arith::AndIOp>())
    return std::max(result, std::min(constancyWith(both.getLhs(), dim, known, axes),
                                     constancyWith(both.getRhs(), dim, known, axes)));
  auto shape = mask.getDefiningOp<tile::ShapeOpInterface>();
  if (!shape || !shape.keepsDims())
    return result;
  std::optional<unsigned> from = shape.getSourceDim(dim);
  if (!from || cast<RankedTensorType>(shape.getSource().getType()).getDimSize(*from) == 1)
    return size;
  return std::max(result, constancyWith(shape.getSource(), *from, known, axes));
}

int64_t threadsOf(func::FuncOp func) {
  auto warps = func->getParentOfType<ModuleOp>()->getAttrOfType<IntegerAttr>(
      tile::TileDialect::kNumWarpsAttr);
  return 32 * (warps ? std::max<int64_t>(1, warps.getInt()) : 4);
}

AccessWidths::AccessWidths(func::FuncOp func) : axes(func), threads(threadsOf(func)) {}

int64_t AccessWidths::widthWith(Operation *access, const CompareSet &known) const {
  Value pointer = access->getOperand(0);
  auto type = cast<RankedTensorType>(pointer.getType());
  unsigned fast = axes.get(pointer).getFastAxis();
  int64_t limit = std::min<int64_t>(cast<tile::GlobalAccessOpInterface>(access).getMaxElements(),
                                    type.getNumElements() / threads);
  limit = std::max<int64_t>(limit, 1);
  return std::min({limit, int64_t(axes.getMaxVectorElements(pointer, fast)),
                   constancyWith(maskOf(access), fast, known, axes)});
}

CompareSet AccessWidths::findWidening(Operation *access, CompareSet comparisons) const {
  int64_t width = widthWith(access, comparisons);
  if (width <= widthWith(access, {}))
    return {};
  for (arith::CmpIOp compare : SmallVector<arith::CmpIOp>(comparisons.begin(), comparisons.end())) {
    CompareSet fewer = comparisons;
    fewer.remove(compare);
    if (widthWith(access, fewer) == width)
      comparisons = fewer;
  }
  return comparisons;
}

} // namespace tilec

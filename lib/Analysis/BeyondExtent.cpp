// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BeyondExtent.h.

#include "tilec/Analysis/BeyondExtent.h"

using namespace mlir;
using namespace tilec;

using Dim = TensorCopy::Dim;

namespace {
/// Follows the elements beyond the extent of a dimension to the stores.
class BeyondWalk {
public:
  BeyondWalk(const Dim &wrappedDim, IndexPolynomials &indexPolynomials)
      : dim(wrappedDim), indices(indexPolynomials), start(dim.start) {}

  /// The operation that they get to; null when there is none.
  Operation *run(Value loaded) {
    add(loaded, *dim.accessed);
    while (!pending.empty()) {
      Elements elements = pending.pop_back_val();
      start = elements.start;
      for (OpOperand &use : elements.value.getUses())
        if (!follow(use, elements.along))
          return use.getOwner();
    }
    return nullptr;
  }

private:
  /// Those of a value along one of its dimensions, the first of which is at `start` of the tensor
  /// in memory.
  struct Elements {
    Value value;
    unsigned along;
    IndexPolynomial start;
  };

  void add(Value value, unsigned along) {
    if (seen.insert({value, along}).second)
      pending.push_back({value, along, start});
  }
  bool follow(OpOperand &use, unsigned along);
  bool followShape(tile::ShapeOpInterface shape, unsigned along);
  bool followDot(tile::DotOp dot, unsigned operand, unsigned along);
  bool followScatter(tile::ReduceScatterOp scatter, unsigned along);
  bool carry(scf::ForOp loop, unsigned index, unsigned along);
  /// Whether the mask is off beyond the extent.
  bool leavesOut(Value mask, unsigned along);

  const Dim &dim;
  IndexPolynomials &indices;
  SmallVector<Elements> pending;
  /// Of what is followed now.
  IndexPolynomial start;
  DenseSet<std::pair<Value, unsigned>> seen;
};
} // namespace

bool BeyondWalk::leavesOut(Value mask, unsigned along) {
  if (!mask)
    return false;
  IndexPolynomial below = start;
  if (!below.add(IndexPolynomial::of(indices.index(along))) || !below.add(*dim.extent, -1))
    return false;
  return llvm::is_contained(indices.boundsOf(mask).below, below);
}

bool BeyondWalk::followShape(tile::ShapeOpInterface shape, unsigned along) {
  auto from = cast<RankedTensorType>(shape.getSource().getType()),
       to = cast<RankedTensorType>(shape->getResult(0).getType());
  for (unsigned d = 0; d < to.getRank(); ++d)
    if (shape.getSourceDim(d) == along && to.getDimSize(d) == from.getDimSize(along)) {
      add(shape->getResult(0), d);
      return true;
    }
  return false;
}

bool BeyondWalk::followDot(tile::DotOp dot, unsigned operand, unsigned along) {
  constexpr unsigned accumulator = 2;
  if (dot.getType().getRank() != 2 || (operand != accumulator && operand != along))
    return false;
  add(dot.getResult(), along);
  return true;
}

/// Of the rows there is a part.
bool BeyondWalk::followScatter(tile::ReduceScatterOp scatter, unsigned along) {
  IndexPolynomial before = start;
  if (along == 0) {
    int64_t rows = cast<RankedTensorType>(scatter.getType()).getDimSize(0);
    std::optional<IndexPolynomial> part = indices.of(scatter.getPart());
    if (!part || !start.add(*part, rows))
      return false;
  }
  add(scatter.getResult(), along);
  start = before;
  return true;
}

/// What goes around a loop meets coordinates of another iteration.
bool BeyondWalk::carry(scf::ForOp loop, unsigned index, unsigned along) {
  if (!indices.isInvariant(start, loop))
    return false;
  add(loop.getRegionIterArg(index), along);
  add(loop.getResult(index), along);
  return true;
}

bool BeyondWalk::follow(OpOperand &use, unsigned along) {
  Operation *op = use.getOwner();
  unsigned operand = use.getOperandNumber();
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return use.get() == store.getValue() && use.get() != store.getPointer() &&
           leavesOut(store.getMask(), along);
  if (auto atomic = dyn_cast<tile::AtomicRMWOp>(op))
    return &use == &atomic.getValueMutable() && atomic->use_empty() &&
           leavesOut(atomic.getMask(), along);
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return followDot(dot, operand, along);
  if (auto scatter = dyn_cast<tile::ReduceScatterOp>(op))
    return followScatter(scatter, along);
  if (auto shape = dyn_cast<tile::ShapeOpInterface>(op))
    return followShape(shape, along);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return operand >= loop.getNumControlOperands() &&
           carry(loop, operand - loop.getNumControlOperands(), along);
  if (isa<scf::YieldOp>(op)) {
    Operation *parent = op->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return carry(loop, operand, along);
    if (isa<scf::IfOp>(parent))
      add(parent->getResult(operand), along);
    return isa<scf::IfOp>(parent);
  }
  if (!op->hasTrait<OpTrait::Elementwise>() || !isMemoryEffectFree(op))
    return false;
  for (Value result : op->getResults())
    add(result, along);
  return true;
}

bool tilec::isDroppedBeyond(tile::LoadOp load, const Dim &dim, IndexPolynomials &indices,
                            std::string &reason) {
  Operation *reached = BeyondWalk(dim, indices).run(load.getResult());
  if (reached)
    reason = "its coordinates wrap around, and what is beyond the tensor gets to '" +
             reached->getName().getStringRef().str() + "'";
  return !reached;
}

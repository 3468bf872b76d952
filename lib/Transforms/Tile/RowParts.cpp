// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RowParts.h. From a store back to what it is computed from: ranges start further on, accesses
// through descriptors have other offsets, everything else is the same with smaller types.

#include "RowParts.h"

#include "DimensionClasses.h"
#include "Pieces.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilec::tile {

/// The type of the part along a dimension; null when there are no such parts.
static Type partType(Type type, unsigned dim, int64_t count) {
  ArrayRef<int64_t> shape = blockShapeOf(type);
  if (dim >= shape.size() || shape[dim] % count != 0)
    return {};
  SmallVector<int64_t> part(shape);
  part[dim] /= count;
  return withShape(type, part);
}

static SmallVector<int64_t> startsAlong(Type part, unsigned dim) {
  SmallVector<int64_t> starts(blockShapeOf(part).size(), 0);
  starts[dim] = blockShapeOf(part)[dim];
  return starts;
}

Value RowParts::startOf(OpBuilder &builder, Location loc, int64_t size) {
  Value factor = note(arith::ConstantIntOp::create(builder, loc, size, 32))->getResult(0);
  return note(arith::MulIOp::create(builder, loc, number, factor))->getResult(0);
}

Value RowParts::take(Value value, unsigned dim) {
  auto [known, isNew] = made.try_emplace({value, dim});
  if (!isNew)
    return known->second;
  Operation *op = value.getDefiningOp();
  // What a part of the control flow makes may not have run.
  if (!op || op->getBlock() != number.getParentBlock() || !partType(value.getType(), dim, count))
    return {};
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Value part = make(builder, op, cast<OpResult>(value).getResultNumber(), dim);
  return made[{value, dim}] = part;
}

Value RowParts::make(OpBuilder &builder, Operation *op, unsigned result, unsigned dim) {
  Location loc = op->getLoc();
  Type type = partType(op->getResult(result).getType(), dim, count);
  auto clone = [&] {
    Operation *copy = note(builder.clone(*op));
    copy->getResult(result).setType(type);
    clipHints(copy, startsAlong(type, dim));
    return copy;
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::ConstantOp constant) -> Value {
        if (!isa<SplatElementsAttr>(constant.getValue()))
          return {};
        auto copy = cast<arith::ConstantOp>(clone());
        resizeSplat(copy);
        return copy;
      })
      .Case([&](MakeRangeOp range) -> Value {
        auto tensor = cast<RankedTensorType>(type);
        int64_t size = tensor.getDimSize(0);
        Value start = startOf(builder, loc, size);
        auto first = note(MakeRangeOp::create(builder, loc, tensor, range.getStart(),
                                              range.getStart() + uint32_t(size)));
        Value ahead = note(SplatOp::create(builder, loc, tensor, start))->getResult(0);
        return note(arith::AddIOp::create(builder, loc, first->getResult(0), ahead))->getResult(0);
      })
      .Case([&](ShapeOpInterface shape) -> Value {
        Value source = shape.getSource();
        std::optional<unsigned> from = shape.getSourceDim(dim);
        ArrayRef<int64_t> extents = blockShapeOf(source.getType());
        int64_t size = blockShapeOf(op->getResult(result).getType())[dim];
        if (from && extents[*from] == size)
          source = take(source, *from);
        else if (!shape.keepsDims() || (from && extents[*from] != 1))
          return {};
        if (!source)
          return {};
        Operation *copy = clone();
        copy->setOperand(0, source);
        return copy->getResult(result);
      })
      .Case([&](MakeTensorDescriptorOp) -> Value { return clone()->getResult(0); })
      .Case([&](DescriptorLoadOp load) -> Value {
        unsigned from = accessedDims(load.getDesc().getType(), load.getType())[dim];
        Value desc = take(load.getDesc(), from);
        if (!desc)
          return {};
        SmallVector<Value> offsets = offsetsOf(builder, op, load.getOffsets(), from,
                                               cast<RankedTensorType>(type).getDimSize(dim));
        return note(DescriptorLoadOp::create(builder, loc, type, desc, offsets, load.getEvict()))
            ->getResult(0);
      })
      .Case([&](ReduceOp reduce) { return takeReduction(builder, reduce, result, dim); })
      .Default([&](Operation *other) -> Value {
        auto load = dyn_cast<LoadOp>(other);
        bool isPlain = load ? !load.getIsVolatile() : isMemoryEffectFree(other);
        if (!isPlain || !isElementwise(other) || other->getNumResults() != 1)
          return {};
        Operation *copy = cloneElementwise(builder, other, dim);
        if (!copy)
          return {};
        copy->getResult(0).setType(type);
        clipHints(copy, startsAlong(type, dim));
        return copy->getResult(0);
      });
}

Operation *RowParts::cloneElementwise(OpBuilder &builder, Operation *op, unsigned dim) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    bool isWide = !blockShapeOf(operand.getType()).empty();
    operands.push_back(isWide ? take(operand, dim) : operand);
    if (!operands.back())
      return nullptr;
  }
  Operation *copy = note(builder.clone(*op));
  copy->setOperands(operands);
  return copy;
}

Value RowParts::takeReduction(OpBuilder &builder, ReduceOp op, unsigned result, unsigned dim) {
  unsigned from = dim < op.getAxis() ? dim : dim + 1;
  SmallVector<Value> operands;
  for (Value operand : op.getOperands()) {
    operands.push_back(take(operand, from));
    if (!operands.back())
      return {};
  }
  auto reduce = ReduceOp::create(builder, op.getLoc(), operands, int(op.getAxis()));
  note(reduce);
  IRMapping mapping;
  op.getCombine().cloneInto(&reduce.getCombine(), mapping);
  for (auto [whole, part] : llvm::zip_equal(op.getResults(), reduce.getResults()))
    made[{whole, dim}] = part;
  return reduce.getResult(result);
}

SmallVector<Value> RowParts::offsetsOf(OpBuilder &builder, Operation *op, ValueRange offsets,
                                       unsigned dim, int64_t size) {
  SmallVector<Value> moved(offsets);
  Value start = startOf(builder, op->getLoc(), size);
  moved[dim] = note(arith::AddIOp::create(builder, op->getLoc(), moved[dim], start))->getResult(0);
  return moved;
}

Operation *RowParts::store(Operation *op) {
  OpBuilder builder(op);
  auto forEachDim = [&](Value value, function_ref<Operation *(unsigned)> makeFor) -> Operation * {
    for (unsigned dim = 0; dim < blockShapeOf(value.getType()).size(); ++dim)
      if (take(value, dim))
        if (Operation *part = makeFor(dim))
          return part;
    return nullptr;
  };
  auto throughDescriptor = [&](auto access) {
    return forEachDim(access.getValue(), [&](unsigned dim) -> Operation * {
      unsigned from = accessedDims(access.getDesc().getType(), access.getValue().getType())[dim];
      Value desc = take(access.getDesc(), from), value = take(access.getValue(), dim);
      if (!desc)
        return nullptr;
      SmallVector<Value> offsets =
          offsetsOf(builder, op, access.getOffsets(), from, blockShapeOf(value.getType())[dim]);
      Operation *copy = note(builder.clone(*op));
      auto part = cast<decltype(access)>(copy);
      part.getDescMutable().assign(desc);
      part.getOffsetsMutable().assign(offsets);
      part.getValueMutable().assign(value);
      return copy;
    });
  };
  return llvm::TypeSwitch<Operation *, Operation *>(op)
      .Case<DescriptorStoreOp, DescriptorReduceOp>(throughDescriptor)
      .Case([&](GlobalAccessOpInterface access) -> Operation * {
        // Nobody has a part of what an atomic gives back.
        if (!op->use_empty() || isa<LoadOp>(op))
          return nullptr;
        return forEachDim(access.getPointer(), [&](unsigned dim) -> Operation * {
          Operation *copy = cloneElementwise(builder, op, dim);
          if (!copy)
            return nullptr;
          for (OpResult whole : op->getResults())
            copy->getResult(whole.getResultNumber()).setType(partType(whole.getType(), dim, count));
          return copy;
        });
      })
      .Default([](Operation *) -> Operation * { return nullptr; });
}

void RowParts::undo() {
  for (Operation *op : llvm::reverse(created))
    op->erase();
  created.clear();
  made.clear();
}

} // namespace tilec::tile

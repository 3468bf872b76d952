// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Axis facts through the operations of the tile and tilegpu dialects: shapes, pointers, loads,
// program indices.

#include "AxisTransfer.h"
#include "dialects/TileGPU/TileGPUOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilec {

AxisInfo addAxisInfo(Type type, const AxisInfo &lhs, const AxisInfo &rhs) {
  AxisInfo result = AxisInfo::pessimistic(type);
  for (unsigned d = 0; d < result.getRank(); ++d) {
    // A run plus equal values is a run.
    int64_t run = std::max(std::min(lhs.contiguity[d], rhs.constancy[d]),
                           std::min(lhs.constancy[d], rhs.contiguity[d]));
    result.contiguity[d] = run;
    result.constancy[d] = std::min(lhs.constancy[d], rhs.constancy[d]);
    result.divisibility[d] =
        std::min(lhs.getDivisibilityAt(d, run),
                 saturatingProduct(rhs.getDivisibilityAt(d, run), powerOfTwoDivisor(lhs.unit)));
  }
  result.nonNegative = lhs.nonNegative && rhs.nonNegative;
  return result;
}

/// The same values seen as a type with another unit: runs survive only when the unit stays.
static AxisInfo changeUnit(Type type, const AxisInfo &source) {
  AxisInfo result = AxisInfo::pessimistic(type);
  if (result.unit == source.unit)
    return source;
  int64_t divisibility = source.getElementDivisibility();
  result.divisibility.assign(result.getRank(), divisibility);
  result.constancy = source.constancy;
  return result;
}

static AxisInfo makeRange(tile::MakeRangeOp op) {
  int64_t size = axisShape(op.getType()).front();
  int64_t start = op.getStartAttr().getValue().getSExtValue();
  if (size == 1)
    return AxisInfo::constant(op.getType(), start);
  AxisInfo result = AxisInfo::pessimistic(op.getType());
  result.contiguity[0] = size;
  result.divisibility[0] = powerOfTwoDivisor(start);
  result.nonNegative = start >= 0;
  return result;
}

static AxisInfo splat(Type type, const AxisInfo &source) {
  AxisInfo result = source;
  result.constancy = axisShape(type);
  result.contiguity.assign(result.constancy.size(), 1);
  result.divisibility.assign(result.constancy.size(), source.getElementDivisibility());
  return result;
}

static AxisInfo expandDims(tile::ExpandDimsOp op, const AxisInfo &source) {
  AxisInfo result = source;
  unsigned axis = op.getAxisAttr().getInt();
  result.contiguity.insert(result.contiguity.begin() + axis, 1);
  result.constancy.insert(result.constancy.begin() + axis, 1);
  result.divisibility.insert(result.divisibility.begin() + axis, source.getElementDivisibility());
  return result;
}

static AxisInfo broadcast(tile::BroadcastOp op, const AxisInfo &source) {
  AxisInfo result = source;
  AxisInfo::DimVector from = axisShape(op.getSource().getType());
  AxisInfo::DimVector to = axisShape(op.getType());
  for (unsigned d = 0; d < result.getRank(); ++d)
    if (from[d] != to[d])
      result.constancy[d] = to[d];
  return result;
}

static AxisInfo permute(tile::PermuteOp op, const AxisInfo &source) {
  AxisInfo result = source;
  for (auto [d, from] : llvm::enumerate(op.getOrder())) {
    result.contiguity[d] = source.contiguity[from];
    result.constancy[d] = source.constancy[from];
    result.divisibility[d] = source.divisibility[from];
  }
  return result;
}

/// Splits both shapes into the shortest groups of neighbouring dimensions with equal products. In
/// each group the source is flattened (its runs are those of the innermost dimension larger than
/// one) and cut again.
///   [4, 32] -> [4, 8, 4] has the groups {4 -> 4} and {32 -> 8x4}.
static AxisInfo reshape(tile::ReshapeOp op, const AxisInfo &source) {
  AxisInfo::DimVector from = axisShape(op.getSource().getType());
  AxisInfo::DimVector to = axisShape(op.getType());
  AxisInfo result = source;
  int64_t everyElement = source.getElementDivisibility();
  result.contiguity.assign(to.size(), 1);
  result.constancy.assign(to.size(), 1);
  result.divisibility.assign(to.size(), everyElement);
  bool uniform = source.constancy == from;
  if (uniform || op.getAllowReorder()) {
    if (uniform)
      result.constancy = to;
    return result;
  }

  int i = from.size() - 1;
  int j = to.size() - 1;
  while (j >= 0) {
    int groupEnd = i;
    int cutEnd = j;
    int64_t left = i >= 0 ? from[i--] : 1;
    int64_t right = to[j--];
    while (left != right) {
      if (left < right)
        left *= from[i--];
      else
        right *= to[j--];
    }
    // The flattened group: equal values continue over a dimension that is equal as a whole.
    int64_t constancy = 1;
    int inner = -1;
    for (int d = groupEnd; d > i; --d) {
      if (from[d] > 1 && inner < 0)
        inner = d;
      constancy *= source.constancy[d];
      if (source.constancy[d] != from[d])
        break;
    }
    int64_t stride = 1;
    for (int d = cutEnd; d > j; --d) {
      if (to[d] == 1)
        continue;
      result.constancy[d] = std::clamp<int64_t>(constancy / stride, 1, to[d]);
      if (stride == 1 && inner >= 0) {
        result.contiguity[d] = std::min(source.contiguity[inner], to[d]);
        result.divisibility[d] = source.getDivisibilityAt(inner, result.contiguity[d]);
      }
      stride *= to[d];
    }
  }
  return result;
}

/// Reads of equal addresses under equal masks give equal values.
static AxisInfo load(tile::LoadOp op, AxisOperands operands) {
  AxisInfo result = AxisInfo::pessimistic(op.getType());
  if (op.getIsVolatile())
    return result;
  result.constancy = operands.front()->constancy;
  for (const AxisInfo *operand : operands)
    for (unsigned d = 0; d < result.getRank(); ++d)
      result.constancy[d] = std::min(result.constancy[d], operand->constancy[d]);
  return result;
}

std::optional<AxisInfo> transferTileOp(Operation *op, AxisOperands operands) {
  using Result = std::optional<AxisInfo>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](tile::MakeRangeOp range) { return makeRange(range); })
      .Case([&](tile::SplatOp) { return splat(op->getResult(0).getType(), *operands[0]); })
      .Case([&](tile::ExpandDimsOp expand) { return expandDims(expand, *operands[0]); })
      .Case([&](tile::BroadcastOp cast) { return broadcast(cast, *operands[0]); })
      .Case([&](tile::PermuteOp order) { return permute(order, *operands[0]); })
      .Case([&](tile::ReshapeOp cast) { return reshape(cast, *operands[0]); })
      .Case([&](tilegpu::ConvertLayoutOp) { return *operands[0]; })
      .Case([&](tile::AddPtrOp add) {
        AxisInfo result = addAxisInfo(add.getType(), *operands[0], *operands[1]);
        result.nonNegative = false;
        return result;
      })
      .Case<tile::PtrToIntOp, tile::IntToPtrOp, tile::PtrCastOp>(
          [&](Operation *) { return changeUnit(op->getResult(0).getType(), *operands[0]); })
      .Case([&](tile::LoadOp read) { return load(read, operands); })
      .Case<tile::ProgramIdOp, tile::NumProgramsOp>([&](Operation *) {
        AxisInfo result = AxisInfo::pessimistic(op->getResult(0).getType());
        result.nonNegative = true;
        return result;
      })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace tilec

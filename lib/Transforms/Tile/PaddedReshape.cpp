// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reshape splits into groups of dimensions that have as many elements before as after. In a group
// where only the slowest dimension is padded, on both sides, the padding is behind all elements on
// both sides: the reshape of the padded tensors is right. In any other group an element's place
// among all is computed from its place in the padded result, and from that its place in the padded
// source, which a gather looks up.

#include "PaddedReshape.h"

#include "Padding.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

/// Whether padding comes behind all elements.
static bool padsAtEnd(ArrayRef<int64_t> shape) {
  shape = shape.drop_while([](int64_t size) { return size == 1; });
  return shape.empty() || hasPowerOfTwoExtents(shape.drop_front());
}

static bool keepsPadding(const ReshapeGroup &group, ArrayRef<int64_t> source,
                         ArrayRef<int64_t> result) {
  return padsAtEnd(source.slice(group.sourceBegin, group.sourceEnd - group.sourceBegin)) &&
         padsAtEnd(result.slice(group.resultBegin, group.resultEnd - group.resultBegin));
}

bool tilec::tile::keepsPadding(ArrayRef<int64_t> source, ArrayRef<int64_t> result) {
  return llvm::all_of(reshapeGroups(source, result), [&](const ReshapeGroup &group) {
    return ::keepsPadding(group, source, result);
  });
}

namespace {
/// Arithmetic on tensors of one dimension with constants.
struct Line {
  OpBuilder &builder;
  Location loc;
  int64_t length;

  Value constant(int64_t value) const {
    return constantTensor(builder, loc, {length}, builder.getI32IntegerAttr(value));
  }
  Value range() const {
    auto type = RankedTensorType::get({length}, builder.getI32Type());
    return MakeRangeOp::create(builder, loc, type, builder.getI32IntegerAttr(0),
                               builder.getI32IntegerAttr(length));
  }
  Value div(Value line, int64_t by) const {
    return by == 1 ? line : arith::DivUIOp::create(builder, loc, line, constant(by)).getResult();
  }
  Value rem(Value line, int64_t by) const {
    return arith::RemUIOp::create(builder, loc, line, constant(by));
  }
  Value mul(Value line, int64_t by) const {
    return by == 1 ? line : arith::MulIOp::create(builder, loc, line, constant(by)).getResult();
  }
  Value add(Value a, Value b) const {
    return a ? arith::AddIOp::create(builder, loc, a, b).getResult() : b;
  }

  /// Places in row-major order in a tensor of shape `from` as such in one of shape `to`, in which
  /// there is place for every coordinate.
  Value renumber(Value place, ArrayRef<int64_t> from, ArrayRef<int64_t> to) const {
    Value sum;
    for (size_t dim = 0; dim < from.size(); ++dim) {
      if (from[dim] == 1)
        continue;
      Value coordinate = div(place, product(from.drop_front(dim + 1)));
      if (llvm::any_of(from.take_front(dim), [](int64_t size) { return size > 1; }))
        coordinate = rem(coordinate, from[dim]);
      sum = add(sum, mul(coordinate, product(to.drop_front(dim + 1))));
    }
    return sum ? sum : constant(0);
  }
};
} // namespace

/// For each place of a padded result, in row-major order, the place in an unpadded tensor; places
/// in the padding get one that exists.
static Value placesOf(const Line &line, ArrayRef<int64_t> extents) {
  SmallVector<int64_t> padded = paddedShape(extents);
  Value place = line.renumber(line.range(), padded, extents);
  return arith::MinUIOp::create(line.builder, line.loc, place, line.constant(product(extents) - 1));
}

/// Types that a gather moves as they are; others go as integers.
static Value toMovable(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (isa<PtrType>(type.getElementType()))
    return PtrToIntOp::create(builder, loc, type.clone(builder.getI64Type()), value);
  if (type.getElementType().isInteger(1))
    return arith::ExtUIOp::create(builder, loc, type.clone(builder.getI8Type()), value);
  return value;
}

static Value fromMovable(OpBuilder &builder, Location loc, Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  if (isa<PtrType>(element))
    return IntToPtrOp::create(builder, loc, type.clone(element), value);
  if (element.isInteger(1))
    return arith::TruncIOp::create(builder, loc, type.clone(element), value);
  return value;
}

Value tilec::tile::reshapeByGather(OpBuilder &builder, Location loc, Value source,
                                   ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<ReshapeGroup> groups = reshapeGroups(from, to);
  SmallVector<int64_t> paddedFrom = paddedShape(from), paddedTo = paddedShape(to);
  Type element = cast<RankedTensorType>(source.getType()).getElementType();
  auto range = source.getDefiningOp<MakeRangeOp>();
  if (range && groups.size() == 1) {
    // The numbers are computed in their new places.
    Line line{builder, loc, product(paddedTo)};
    Value places = line.add(placesOf(line, to), line.constant(int32_t(range.getStart())));
    return ReshapeOp::create(builder, loc, RankedTensorType::get(paddedTo, element), places,
                             UnitAttr());
  }
  SmallVector<int64_t> shape;
  for (const ReshapeGroup &group : groups)
    shape.push_back(product(
        ArrayRef(paddedFrom).slice(group.sourceBegin, group.sourceEnd - group.sourceBegin)));
  Value value = toMovable(builder, loc, source);
  Type moved = cast<RankedTensorType>(value.getType()).getElementType();
  value = ReshapeOp::create(builder, loc, RankedTensorType::get(shape, moved), value, UnitAttr());
  for (auto [axis, group] : llvm::enumerate(groups)) {
    if (::keepsPadding(group, from, to))
      continue;
    auto own = [&](ArrayRef<int64_t> sizes, unsigned begin, unsigned end) {
      return sizes.slice(begin, end - begin);
    };
    ArrayRef<int64_t> before = own(from, group.sourceBegin, group.sourceEnd);
    ArrayRef<int64_t> after = own(to, group.resultBegin, group.resultEnd);
    Line line{builder, loc, product(paddedShape(after))};
    Value places = line.renumber(placesOf(line, after), before, paddedShape(before));
    shape[axis] = line.length;
    Value indices = alongAxis(builder, loc, places, shape, axis);
    value = GatherOp::create(builder, loc, RankedTensorType::get(shape, moved), value, indices,
                             builder.getI32IntegerAttr(axis));
  }
  value =
      ReshapeOp::create(builder, loc, RankedTensorType::get(paddedTo, moved), value, UnitAttr());
  return fromMovable(builder, loc, value, element);
}

/// The value before a reshape that may change the order of elements, when it has several
/// dimensions.
static Value beforeFlattening(Value value) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  if (!reshape || !reshape.getAllowReorder() || reshape.getSource().getType().getRank() < 2)
    return {};
  return reshape.getSource();
}

void tilec::tile::reduceAxisByAxis(func::FuncOp func) {
  SmallVector<ReduceOp> reductions;
  func.walk([&](ReduceOp reduce) { reductions.push_back(reduce); });
  for (ReduceOp reduce : reductions) {
    SmallVector<Value> values = llvm::map_to_vector(reduce.getOperands(), beforeFlattening);
    if (!llvm::all_of(values, [](Value value) { return bool(value); }))
      continue;
    auto shapeOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getShape(); };
    ArrayRef<int64_t> shape = shapeOf(values.front());
    bool sameShape = llvm::all_of(values, [&](Value v) { return shapeOf(v) == shape; });
    if (!sameShape || reduce.getSourceShape().size() != 1 ||
        keepsPadding(shape, reduce.getSourceShape()))
      continue;
    OpBuilder builder(reduce);
    for (int64_t axis = int64_t(shape.size()) - 1; axis >= 0; --axis) {
      auto part = ReduceOp::create(builder, reduce.getLoc(), values, axis);
      IRMapping mapping;
      reduce.getCombine().cloneInto(&part.getCombine(), mapping);
      values.assign(part->result_begin(), part->result_end());
    }
    reduce->replaceAllUsesWith(values);
    reduce.erase();
  }
}

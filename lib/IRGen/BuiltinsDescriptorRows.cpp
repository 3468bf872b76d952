// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a described tensor by number: gather and scatter. The copy engine of sm_90 has nothing
// for them, so they are accesses through pointers from the start, with the descriptor's base, sizes
// and stride.

#include "BlockPointer.h"

namespace tilec::irgen {
namespace {

/// The rows that an access is about, as `BlockAddresses`, and the type of what is accessed.
struct Rows {
  BlockAddresses addresses;
  Type type;
};

/// Computes base + row * stride + column in 64 bits, and what is inside of the tensor.
FailureOr<Rows> getRows(Generator &g, const BoundArgs &a, const BoundArg &rows,
                        const BoundArg &column) {
  enum { Handle, Sizes, Strides, Base };
  std::string name = a.builtin->getDisplayName();
  const BlockAccessValue *descriptor = a[0].value.getIf<BlockAccessValue>();
  if (!descriptor || descriptor->kind != BlockAccessValue::Kind::Descriptor)
    return g.error(a[0].range,
                   "'" + name + "' needs a tensor descriptor, got " + a[0].value.describe());
  const Type &block = descriptor->block;
  if (block.getRank() != 2 || block.shape[0] != 1)
    return g.error(a[0].range, "'" + name + "' needs a descriptor with blocks of one row, got " +
                                   a[0].value.describe());
  const RuntimeValue *numbers = rows.value.getRuntime();
  if (!numbers || numbers->type.getRank() != 1 || !numbers->type.element.isInt())
    return g.error(rows.range, "the rows of '" + name +
                                   "' must be a block of integers of rank 1, "
                                   "got " +
                                   rows.value.describe());
  const RuntimeValue *first = column.value.getRuntime();
  const Constant *constant = column.value.getConstant();
  if (!(first && !first->type.isBlock() && first->type.element.isInt()) &&
      !(constant && constant->isInt()))
    return g.error(column.range, "the column of '" + name + "' must be an integer scalar, got " +
                                     column.value.describe());

  const std::vector<Value> &parts = *descriptor->parts->getTuple();
  const std::vector<Value> &sizes = *parts[Sizes].getTuple();
  Type line(ScalarKind::Int32, {block.shape[1]});
  Value ascending = g.emit<tile::MakeRangeOp>(line, g.lower(line), 0, block.shape[1]);
  FailureOr<Value> row = g.cast(g.expandDims(rows.value, 1), ScalarKind::Int64, rows.range);
  FailureOr<Value> inRow = g.cast(g.expandDims(ascending, 0), ScalarKind::Int64, a.range);
  FailureOr<Value> start = g.cast(column.value, ScalarKind::Int64, column.range);
  if (mlir::failed(row) || mlir::failed(inRow) || mlir::failed(start))
    return failure();
  inRow = g.binary(ast::BinaryOp::Add, *inRow, *start, a.range);
  Value stride = (*parts[Strides].getTuple())[0];
  FailureOr<Value> offset = g.binary(ast::BinaryOp::Mul, *row, stride, a.range);
  if (mlir::failed(inRow) || mlir::failed(offset))
    return failure();
  offset = g.binary(ast::BinaryOp::Add, *offset, *inRow, a.range);
  if (mlir::failed(offset))
    return failure();
  FailureOr<Value> pointers = g.binary(ast::BinaryOp::Add, parts[Base], *offset, a.range);
  if (mlir::failed(pointers))
    return failure();

  Value mask;
  const std::pair<Value, Value> bounds[] = {{*row, sizes[0]}, {*inRow, sizes[1]}};
  for (const auto &[index, size] : bounds) {
    FailureOr<Value> above = g.compare(ast::CompareOp::GtE, index, Value::integer(0), a.range);
    FailureOr<Value> below = g.compare(ast::CompareOp::Lt, index, size, a.range);
    if (mlir::failed(above) || mlir::failed(below))
      return failure();
    for (const Value &condition : {*above, *below}) {
      FailureOr<Value> both =
          mask.isPoison() ? condition : g.binary(ast::BinaryOp::BitAnd, mask, condition, a.range);
      if (mlir::failed(both))
        return failure();
      mask = *both;
    }
  }
  return Rows{{*pointers, mask.getRuntime()->value},
              Type(block.element, {numbers->type.shape[0], block.shape[1]})};
}

FailureOr<Value> genGatherRows(Generator &g, const BoundArgs &a) {
  FailureOr<Rows> rows = getRows(g, a, a[1], a[2]);
  if (mlir::failed(rows))
    return failure();
  mlir::Value other;
  const BlockAccessValue &descriptor = *a[0].value.getIf<BlockAccessValue>();
  mlir::Value handle = (*descriptor.parts->getTuple())[0].getRuntime()->value;
  if (mlir::cast<tile::DescType>(handle.getType()).getPadsWithNan()) {
    Value number = Constant(std::numeric_limits<double>::quiet_NaN());
    FailureOr<Value> scalar = g.cast(number, rows->type.element, a.range);
    if (mlir::failed(scalar))
      return failure();
    other = g.splat(*scalar, rows->type.shape).getRuntime()->value;
  }
  return g.emit<tile::LoadOp>(rows->type, rows->addresses.pointers.getRuntime()->value,
                              rows->addresses.mask, other);
}

FailureOr<Value> genScatterRows(Generator &g, const BoundArgs &a) {
  FailureOr<Rows> rows = getRows(g, a, a[2], a[3]);
  if (mlir::failed(rows))
    return failure();
  if (a[0].value.getIf<BlockAccessValue>()->isConst)
    return g.error(a[0].range, "cannot store through a descriptor of a const pointer");
  FailureOr<Value> value = g.cast(a[1].value, rows->type.element, a[1].range);
  if (mlir::failed(value))
    return failure();
  if (value->getRuntime()->type != rows->type)
    return g.error(a[1].range, "the value of '" + a.builtin->getDisplayName() +
                                   "' must have type " + rows->type.str() + ", got " +
                                   value->describe());
  g.create<tile::StoreOp>(rows->addresses.pointers.getRuntime()->value, value->getRuntime()->value,
                          rows->addresses.mask);
  return Value::none();
}

constexpr Handler descriptorRowHandlers[] = {
    {"gather", asDescriptorMethod, genGatherRows},
    {"scatter", asDescriptorMethod, genScatterRows},
};

} // namespace

llvm::ArrayRef<Handler> getDescriptorRowHandlers() { return descriptorRowHandlers; }

} // namespace tilec::irgen

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans with a combine function from the program, gathers along an axis, histograms.

#include "CombineFunction.h"

namespace tilec::irgen {
namespace {

FailureOr<Value> genScan(Generator &g, const BoundArgs &a) {
  enum { Input, Axis, Combine, Reverse };
  FailureOr<std::vector<Value>> operands = getCombined(g, a[Input], "scan");
  if (mlir::failed(operands))
    return failure();
  const Type type = operands->front().getRuntime()->type;
  if (!type.isBlock())
    return g.error(a[Input].range, "a scan needs a block, got " + operands->front().describe());
  FailureOr<int64_t> axis = g.toAxis(a[Axis].value, type.getRank(), a[Axis].range);
  FailureOr<bool> reverse = false;
  if (a.has(Reverse))
    reverse = g.toBool(a[Reverse].value, a[Reverse].range, "'reverse'");
  if (mlir::failed(axis) || mlir::failed(reverse))
    return failure();

  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<DType> types;
  for (const Value &operand : *operands) {
    values.push_back(operand.getRuntime()->value);
    types.push_back(operand.getRuntime()->type.element);
  }
  auto scan = g.create<tile::ScanOp>(values, static_cast<int>(*axis), *reverse);
  if (mlir::failed(emitCombine(g, scan.getCombine(), types, a[Combine].value, a.range)))
    return failure();
  if (std::optional<Value> addends = g.widenAddends(scan.getCombine(), *operands)) {
    auto exact =
        g.create<tile::ScanOp>(addends->getRuntime()->value, static_cast<int>(*axis), *reverse);
    g.emitWideSum(exact.getCombine());
    g.assertExact(ast::BinaryOp::Add, Value::runtime(scan->getResult(0), type),
                  Value::runtime(exact->getResult(0), type.withElement(ScalarKind::Int64)));
  }
  std::vector<Value> results;
  for (auto [result, element] : llvm::zip(scan->getResults(), types))
    results.push_back(Value::runtime(result, type.withElement(element)));
  return a[Input].value.getTuple() ? Value::tuple(std::move(results)) : results.front();
}

/// In a debug build, checks that all of `index` is in [0, size).
LogicalResult emitBoundsCheck(Generator &g, const Value &index, int64_t size, SourceRange range) {
  if (!g.getOptions().debug)
    return success();
  const Type type = index.getRuntime()->type;
  auto compare = [&](ast::CompareOp op, int64_t limit) -> FailureOr<Value> {
    return g.compare(op, index, Value::integer(limit), range);
  };
  FailureOr<Value> high = compare(ast::CompareOp::Lt, size);
  FailureOr<Value> low = compare(ast::CompareOp::GtE, 0);
  if (mlir::failed(high) || mlir::failed(low))
    return failure();
  FailureOr<Value> both = g.logical(ast::BoolOpKind::And, *low, *high, range);
  if (mlir::failed(both))
    return failure();
  g.create<tile::AssertOp>(both->getRuntime()->value,
                           g.getBuilder().getStringAttr("an index of tl.gather is out of range"));
  return success();
}

FailureOr<Value> genGather(Generator &g, const BoundArgs &a) {
  enum { Source, Index, Axis };
  FailureOr<Value> source = g.toRuntime(a[Source].value, a[Source].range);
  FailureOr<Value> index = g.toRuntime(a[Index].value, a[Index].range);
  if (mlir::failed(source) || mlir::failed(index))
    return failure();
  const Type from = source->getRuntime()->type;
  const Type by = index->getRuntime()->type;
  if (!from.isBlock())
    return g.error(a[Source].range, "'tl.gather' needs a block, got " + source->describe());
  if (!by.element.isInt() || by.element.isBool())
    return g.error(a[Index].range,
                   "the index of 'tl.gather' must be integers, got " + index->describe());
  if (from.getRank() != by.getRank())
    return g.error(a[Index].range, "the index of 'tl.gather' must have the source's rank " +
                                       llvm::Twine(from.getRank()) + ", got " +
                                       llvm::Twine(by.getRank()));
  FailureOr<int64_t> axis = g.toAxis(a[Axis].value, from.getRank(), a[Axis].range);
  if (mlir::failed(axis))
    return failure();
  for (int64_t dim = 0; dim < from.getRank(); ++dim)
    if (dim != *axis && from.shape[dim] != by.shape[dim])
      return g.error(a[Index].range, "source " + printShape(from.shape) + " and index " +
                                         printShape(by.shape) +
                                         " of 'tl.gather' must agree in "
                                         "dimension " +
                                         llvm::Twine(dim));
  if (by.element.getBitWidth() < 32) {
    index = g.cast(*index, ScalarKind::Int32, a[Index].range);
    if (mlir::failed(index))
      return failure();
  }
  if (mlir::failed(emitBoundsCheck(g, *index, from.shape[*axis], a[Index].range)))
    return failure();
  const Type result(from.element, by.shape);
  return g.emit<tile::GatherOp>(result, g.lower(result), source->getRuntime()->value,
                                index->getRuntime()->value,
                                g.getBuilder().getI32IntegerAttr(static_cast<int32_t>(*axis)));
}

FailureOr<Value> genHistogram(Generator &g, const BoundArgs &a) {
  enum { Input, NumBins, Mask };
  FailureOr<Value> input = g.toRuntime(a[Input].value, a[Input].range);
  FailureOr<int64_t> bins = g.toInteger(a[NumBins].value, a[NumBins].range, "'num_bins'");
  if (mlir::failed(input) || mlir::failed(bins) ||
      mlir::failed(g.checkShape({*bins}, a[NumBins].range)))
    return failure();
  Type type = input->getRuntime()->type;
  if (type.getRank() != 1 || !type.element.isInt() || type.element.getBitWidth() > 32)
    return g.error(a[Input].range, "'tl.histogram' needs a block of 32-bit integers with one "
                                   "dimension, got " +
                                       input->describe());
  if (type.element.getBitWidth() < 32) {
    input = g.cast(*input, ScalarKind::Int32, a[Input].range);
    if (mlir::failed(input))
      return failure();
  }
  mlir::Value mask;
  if (a.has(Mask)) {
    FailureOr<Value> condition = g.cast(a[Mask].value, ScalarKind::Int1, a[Mask].range);
    if (mlir::failed(condition))
      return failure();
    condition = g.broadcastTo(*condition, type.shape, a[Mask].range);
    if (mlir::failed(condition))
      return failure();
    mask = condition->getRuntime()->value;
  }
  const Type result(ScalarKind::Int32, {*bins});
  return g.emit<tile::HistogramOp>(result, g.lower(result), input->getRuntime()->value, mask);
}

constexpr Handler scanHandlers[] = {
    {"associative_scan", inLanguage, genScan},
    {"gather", inLanguage, genGather},
    {"histogram", inLanguage, genHistogram},
};

} // namespace

llvm::ArrayRef<Handler> getScanHandlers() { return scanHandlers; }

} // namespace tilec::irgen

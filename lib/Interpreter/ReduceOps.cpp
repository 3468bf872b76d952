// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions combine neighbours, then neighbours of the results, until one is left, which is about
// as precise as any order is. Scans go from the first element on (from the last one when reversed).
// All combinations that do not depend on each other go together, as lanes, unless the region has
// control flow.

#include "Evaluator.h"

using namespace mlir;

namespace tilec::interpreter {
namespace {

/// A tensor cut along an axis: `length` slices of outer x inner elements.
class Slices {
public:
  Slices(RankedTensorType type, unsigned axis)
      : length(size_t(type.getDimSize(axis))), inner(product(type.getShape().drop_front(axis + 1))),
        outer(product(type.getShape().take_front(axis))) {}

  Bits read(const Bits &tensor, size_t index) const {
    Bits slice(outer * inner);
    for (size_t i = 0; i < slice.size(); ++i)
      slice[i] = tensor[placeOf(i, index)];
    return slice;
  }
  void write(Bits &tensor, size_t index, const Bits &slice) const {
    for (size_t i = 0; i < slice.size(); ++i)
      tensor[placeOf(i, index)] = slice[i];
  }

  size_t length, inner, outer;

private:
  size_t placeOf(size_t i, size_t index) const {
    return (i / inner * length + index) * inner + i % inner;
  }
};

/// The region's results for all lanes at once.
FailureOr<std::vector<Bits>> combineLanes(Evaluator &e, Block &block, std::vector<Bits> left,
                                          std::vector<Bits> right) {
  size_t lanesBefore = std::exchange(e.lanes, left[0].size());
  auto [leftArguments, rightArguments] = std::pair(block.getArguments().take_front(left.size()),
                                                   block.getArguments().drop_front(left.size()));
  e.setAll(leftArguments, std::move(left));
  e.setAll(rightArguments, std::move(right));
  LogicalResult ok = e.runBlock(block);
  e.lanes = lanesBefore;
  if (failed(ok))
    return failure();
  return e.getAll(block.getTerminator()->getOperands());
}

FailureOr<std::vector<Bits>> combine(Evaluator &e, Block &block, const std::vector<Bits> &left,
                                     const std::vector<Bits> &right) {
  bool branches = llvm::any_of(block, [](Operation &op) { return op.getNumRegions() != 0; });
  if (!branches)
    return combineLanes(e, block, left, right);
  std::vector<Bits> all = left;
  for (size_t lane = 0; lane < left[0].size(); ++lane) {
    std::vector<Bits> a, b;
    for (size_t i = 0; i < left.size(); ++i) {
      a.push_back({left[i][lane]});
      b.push_back({right[i][lane]});
    }
    FailureOr<std::vector<Bits>> one = combineLanes(e, block, a, b);
    if (failed(one))
      return failure();
    for (size_t i = 0; i < left.size(); ++i)
      all[i][lane] = (*one)[i][0];
  }
  return all;
}

std::vector<Bits> sliceAll(Evaluator &e, ValueRange operands, const Slices &slices, size_t index) {
  std::vector<Bits> all;
  for (Value operand : operands)
    all.push_back(slices.read(e.get(operand), index));
  return all;
}

/// Slices of several tensors, one behind the other: every second one from `first` on.
std::vector<Bits> everySecond(const std::vector<Bits> &tensors, size_t sliceSize, size_t count,
                              size_t first) {
  std::vector<Bits> all;
  for (const Bits &tensor : tensors) {
    Bits part;
    for (size_t i = first; i < count; i += 2)
      part.insert(part.end(), tensor.begin() + ptrdiff_t(i * sliceSize),
                  tensor.begin() + ptrdiff_t((i + 1) * sliceSize));
    all.push_back(std::move(part));
  }
  return all;
}

LogicalResult runReduce(Evaluator &e, Operation *op) {
  auto reduce = cast<tile::ReduceOp>(op);
  Slices slices(cast<RankedTensorType>(reduce.getOperand(0).getType()), unsigned(reduce.getAxis()));
  Block &block = reduce.getCombine().front();
  // With the axis in front, neighbours are combined until one slice is left.
  size_t sliceSize = slices.outer * slices.inner;
  std::vector<Bits> partial(reduce.getNumOperands());
  for (size_t i = 0; i < slices.length; ++i)
    for (auto [all, slice] : llvm::zip_equal(partial, sliceAll(e, reduce.getOperands(), slices, i)))
      all.insert(all.end(), slice.begin(), slice.end());
  for (size_t count = slices.length; count > 1; count = (count + 1) / 2) {
    size_t paired = count / 2 * 2;
    FailureOr<std::vector<Bits>> next =
        combine(e, block, everySecond(partial, sliceSize, paired, 0),
                everySecond(partial, sliceSize, paired, 1));
    if (failed(next))
      return failure();
    if (paired != count)
      for (auto [all, last] : llvm::zip_equal(*next, partial))
        all.insert(all.end(), last.end() - ptrdiff_t(sliceSize), last.end());
    partial = std::move(*next);
  }
  e.setAll(reduce.getResults(), std::move(partial));
  return success();
}

LogicalResult runScan(Evaluator &e, Operation *op) {
  auto scan = cast<tile::ScanOp>(op);
  Slices slices(cast<RankedTensorType>(scan.getOperand(0).getType()), unsigned(scan.getAxis()));
  Block &block = scan.getCombine().front();
  std::vector<Bits> results = e.getAll(scan.getOperands());
  std::vector<Bits> soFar;
  for (size_t step = 0; step < slices.length; ++step) {
    size_t index = scan.getReverse() ? slices.length - 1 - step : step;
    std::vector<Bits> element = sliceAll(e, scan.getOperands(), slices, index);
    if (step == 0) {
      soFar = std::move(element);
    } else {
      FailureOr<std::vector<Bits>> next = combine(e, block, soFar, element);
      if (failed(next))
        return failure();
      soFar = std::move(*next);
    }
    for (size_t i = 0; i < results.size(); ++i)
      slices.write(results[i], index, soFar[i]);
  }
  e.setAll(scan.getResults(), std::move(results));
  return success();
}

} // namespace

void addReduceOps(HandlerTable &table) {
  table.add<tile::ReduceOp>(runReduce);
  table.add<tile::ScanOp>(runScan);
}

} // namespace tilec::interpreter

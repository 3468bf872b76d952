// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations whose positions are data. A gather index outside of the axis gives zero.

#include "Evaluator.h"

using namespace mlir;

namespace tilec::interpreter {

static LogicalResult runGather(Evaluator &e, Operation *op) {
  auto gather = cast<tile::GatherOp>(op);
  auto sourceType = cast<RankedTensorType>(gather.getSource().getType());
  auto indexType = cast<RankedTensorType>(gather.getIndices().getType());
  auto axis = unsigned(gather.getAxis());
  size_t inner = product(indexType.getShape().drop_front(axis + 1));
  auto length = size_t(indexType.getDimSize(axis)),
       sourceLength = size_t(sourceType.getDimSize(axis));
  unsigned width = tile::bitWidthOf(indexType.getElementType());
  const Bits &source = e.get(gather.getSource()), &indices = e.get(gather.getIndices());
  Bits bits(indices.size());
  for (size_t i = 0; i < bits.size(); ++i) {
    int64_t index = asSigned(indices[i], width);
    size_t outer = i / (inner * length);
    bool isInside = index >= 0 && index < int64_t(sourceLength);
    bits[i] = isInside ? source[(outer * sourceLength + size_t(index)) * inner + i % inner] : 0;
  }
  e.set(gather, std::move(bits));
  return success();
}

static LogicalResult runHistogram(Evaluator &e, Operation *op) {
  auto histogram = cast<tile::HistogramOp>(op);
  const Bits &source = e.get(histogram.getSource());
  const Bits *mask = histogram.getMask() ? &e.get(histogram.getMask()) : nullptr;
  Bits counts(e.sizeOf(histogram.getType()), 0);
  for (size_t i = 0; i < source.size(); ++i)
    if ((!mask || (*mask)[i]) && source[i] < counts.size())
      ++counts[source[i]];
  e.set(histogram, std::move(counts));
  return success();
}

void addIndexedOps(HandlerTable &table) {
  table.add<tile::GatherOp>(runGather);
  table.add<tile::HistogramOp>(runHistogram);
}

} // namespace tilec::interpreter

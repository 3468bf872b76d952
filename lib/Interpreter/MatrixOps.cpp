// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products: sums of exact products in double (in 64 bits for integers), added to the
// accumulator and rounded once. That is at least as precise as any lowering: f32 operands are not
// rounded to tf32.

#include "Evaluator.h"

using namespace mlir;

namespace tilec::interpreter {

namespace {
/// The operands as numbers, and their sizes.
struct Product {
  size_t batch, m, n, k;

  /// Calls `compute(a, b, c)` with the places of each row, column (with stride n) and sum.
  template <typename Compute> void forEachSum(Compute compute) const {
    for (size_t s = 0; s < batch; ++s)
      for (size_t i = 0; i < m; ++i)
        for (size_t j = 0; j < n; ++j)
          compute((s * m + i) * k, s * k * n + j, (s * m + i) * n + j);
  }
};
} // namespace

static Bits multiplyFloats(const Product &p, const Bits &lhs, const FloatFormat &lhsFormat,
                           const Bits &rhs, const FloatFormat &rhsFormat, const Bits &acc,
                           const FloatFormat &accFormat) {
  std::vector<double> a, b;
  for (uint64_t bits : lhs)
    a.push_back(lhsFormat.decode(bits));
  for (uint64_t bits : rhs)
    b.push_back(rhsFormat.decode(bits));
  Bits result(acc.size());
  p.forEachSum([&](size_t row, size_t column, size_t place) {
    double sum = 0;
    for (size_t x = 0; x < p.k; ++x)
      sum += a[row + x] * b[column + x * p.n];
    result[place] = accFormat.encode(sum + accFormat.decode(acc[place]));
  });
  return result;
}

static Bits multiplyIntegers(const Product &p, const Bits &lhs, const Bits &rhs, unsigned width,
                             bool isUnsigned, const Bits &acc, unsigned accWidth) {
  auto number = [&](uint64_t bits) { return isUnsigned ? int64_t(bits) : asSigned(bits, width); };
  Bits result(acc.size());
  p.forEachSum([&](size_t row, size_t column, size_t place) {
    uint64_t sum = acc[place];
    for (size_t x = 0; x < p.k; ++x)
      sum += uint64_t(number(lhs[row + x]) * number(rhs[column + x * p.n]));
    result[place] = lowBits(sum, accWidth);
  });
  return result;
}

static LogicalResult runDot(Evaluator &e, Operation *op) {
  auto dot = cast<tile::DotOp>(op);
  auto lhs = cast<RankedTensorType>(dot.getLhs().getType());
  auto rhs = cast<RankedTensorType>(dot.getRhs().getType());
  Type acc = elementOf(dot.getType());
  int64_t rank = lhs.getRank();
  Product p{product(lhs.getShape().drop_back(2)), size_t(lhs.getDimSize(rank - 2)),
            size_t(rhs.getDimSize(rank - 1)), size_t(lhs.getDimSize(rank - 1))};
  const Bits &a = e.get(dot.getLhs()), &b = e.get(dot.getRhs()), &c = e.get(dot.getAcc());
  Type left = lhs.getElementType(), right = rhs.getElementType();
  if (isa<FloatType>(left))
    e.set(dot, multiplyFloats(p, a, FloatFormat(left), b, FloatFormat(right), c, FloatFormat(acc)));
  else
    e.set(dot, multiplyIntegers(p, a, b, left.getIntOrFloatBitWidth(), dot.getIsUnsigned(), c,
                                acc.getIntOrFloatBitWidth()));
  return success();
}

void addMatrixOps(HandlerTable &table) { table.add<tile::DotOp>(runDot); }

} // namespace tilec::interpreter

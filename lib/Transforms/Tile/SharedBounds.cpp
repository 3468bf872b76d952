// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SharedBounds.h.

#include "SharedBounds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;

/// The atom that a polynomial is; none when it is anything else.
static std::optional<IndexAtom> atomOf(const IndexPolynomial &polynomial) {
  if (polynomial.getTerms().size() != 1)
    return std::nullopt;
  const auto &[product, coefficient] = *polynomial.getTerms().begin();
  return product.size() == 1 && coefficient == 1 ? std::optional(product.front()) : std::nullopt;
}

void SharedBounds::take(tile::LoadOp load, TensorCopy &copy, const TensorCopy &other) const {
  if (copy.base != other.base || copy.dims.size() != other.dims.size())
    return;
  SmallVector<std::optional<IndexPolynomial>> extents;
  for (const auto &[dim, known] : llvm::zip(copy.dims, other.dims)) {
    if (!(dim.stride == known.stride) || dim.accessed != known.accessed)
      return;
    bool isMissing = !dim.extent && known.extent;
    if (isMissing && !endsBelow(load, dim, *known.extent))
      return;
    extents.push_back(isMissing ? known.extent : dim.extent);
  }
  for (auto [dim, extent] : llvm::zip(copy.dims, extents))
    dim.extent = extent;
}

/// Where a loop that has iterations ends: `max(lower, end)` is no more than that says.
static Value endOf(scf::ForOp loop) {
  auto greatest = loop.getUpperBound().getDefiningOp<arith::MaxSIOp>();
  if (!greatest)
    return loop.getUpperBound();
  if (greatest.getLhs() == loop.getLowerBound())
    return greatest.getRhs();
  return greatest.getRhs() == loop.getLowerBound() ? greatest.getLhs() : greatest.getResult();
}

bool SharedBounds::endsBelow(tile::LoadOp load, const TensorCopy::Dim &dim,
                             const IndexPolynomial &extent) const {
  std::optional<IndexAtom> start = atomOf(dim.start), size = atomOf(extent);
  if (!start || !size)
    return false;
  return llvm::any_of(indices.valuesAt(*start, load), [&](Value value) {
    auto counter = dyn_cast<BlockArgument>(value);
    auto loop = counter ? dyn_cast<scf::ForOp>(counter.getOwner()->getParentOp()) : scf::ForOp();
    std::optional<int64_t> step = loop ? getConstantIntValue(loop.getStep()) : std::nullopt;
    // The last block ends where the loop does.
    return step && counter == loop.getInductionVar() && *step >= dim.size &&
           axes.hasWholeSteps(loop) && axes.get(loop.getLowerBound()).nonNegative &&
           isAtMost(endOf(loop), indices.valuesAt(*size, load));
  });
}

bool SharedBounds::isAtMost(Value bound, ArrayRef<Value> extent) const {
  if (llvm::is_contained(extent, bound))
    return true;
  if (auto least = bound.getDefiningOp<arith::MinSIOp>())
    return isAtMost(least.getLhs(), extent) || isAtMost(least.getRhs(), extent);
  // n / c * c
  auto product = bound.getDefiningOp<arith::MulIOp>();
  if (!product)
    return false;
  auto quotient = product.getLhs().getDefiningOp<arith::DivSIOp>();
  std::optional<int64_t> factor = getConstantIntValue(product.getRhs());
  return quotient && factor && *factor > 0 && getConstantIntValue(quotient.getRhs()) == factor &&
         isAtMost(quotient.getLhs(), extent);
}

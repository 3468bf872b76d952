// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructors of the named layouts. Each is a product of one-dimensional identities (registers,
// lanes, warps, in the order in which the hardware counts them), fitted to the tensor's shape.

#include "tilec/Layout/TensorLayouts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tilec {

bool isLayoutShape(Shape shape) {
  int bits = 0;
  for (int64_t size : shape) {
    if (size < 1 || !llvm::isPowerOf2_64(size))
      return false;
    bits += llvm::Log2_64(size);
    if (bits > 30)
      return false;
  }
  return true;
}

std::vector<int32_t> rowMajorOrder(unsigned rank) {
  std::vector<int32_t> order;
  for (unsigned i = rank; i-- > 0;)
    order.push_back(int32_t(i));
  return order;
}

namespace {

/// Identity on `size` positions of an input dimension along tensor dimension `dim`.
LinearLayout along(llvm::StringRef inDim, int32_t size, unsigned dim) {
  return LinearLayout::identity1D(size, inDim, dimName(dim));
}

/// Adds missing tensor dimensions and puts them in canonical order.
LinearLayout withTensorDims(LinearLayout layout, unsigned rank) {
  for (unsigned i = 0; i < rank; ++i)
    if (!layout.hasOutDim(dimName(i)))
      layout = layout.unsqueezeOut(dimName(i));
  return layout.transposeOuts(dimNames(rank));
}

/// Warps spread over the tensor's dimensions in `order`; dimension `replicated` gets zero bases.
LinearLayout warpGrid(llvm::ArrayRef<int32_t> warpsPerCta, llvm::ArrayRef<int32_t> order,
                      int32_t replicated = -1) {
  LinearLayout warps;
  for (int32_t dim : order)
    warps *= dim == replicated ? LinearLayout::zeros1D(warpsPerCta[dim], kWarp, dimName(dim))
                               : along(kWarp, warpsPerCta[dim], dim);
  return warps;
}

std::vector<int32_t> warpOrder(unsigned rank, bool mFirst) {
  std::vector<int32_t> order = rowMajorOrder(rank);
  if (mFirst && rank >= 2)
    std::swap(order[0], order[1]);
  return order;
}

} // namespace

//===----------------------------------------------------------------------===//
// Register layouts
//===----------------------------------------------------------------------===//

LinearLayout fitToShape(const LinearLayout &layout, Shape shape, llvm::ArrayRef<int32_t> order) {
  assert(isLayoutShape(shape) && "sizes are powers of two");
  std::vector<int32_t> rowMajor = rowMajorOrder(shape.size());
  if (order.empty())
    order = rowMajor;
  assert(order.size() == shape.size() && "order has another rank than the shape");

  LinearLayout result = withTensorDims(toRegisterLayout(layout), shape.size());
  bool shrunk = false;
  for (int32_t dim : order) {
    int64_t size = result.getOutDimSize(dimName(dim));
    if (size > shape[dim]) {
      result = result.resizeOutDim(dimName(dim), int32_t(shape[dim]));
      shrunk = true;
    } else if (size < shape[dim]) {
      result *= along(kRegister, int32_t(shape[dim] / size), dim);
    }
  }
  return shrunk ? result.removeZeroBasesAlongDim(kRegister) : result;
}

LinearLayout blockedLayout(Shape shape, llvm::ArrayRef<int32_t> sizePerThread,
                           llvm::ArrayRef<int32_t> threadsPerWarp,
                           llvm::ArrayRef<int32_t> warpsPerCta, llvm::ArrayRef<int32_t> order) {
  size_t rank = shape.size();
  assert(sizePerThread.size() == rank && threadsPerWarp.size() == rank &&
         warpsPerCta.size() == rank && order.size() == rank && "lists of another rank");
  (void)rank;
  LinearLayout layout;
  for (int32_t dim : order)
    layout *= along(kRegister, sizePerThread[dim], dim);
  for (int32_t dim : order)
    layout *= along(kLane, threadsPerWarp[dim], dim);
  for (int32_t dim : order)
    layout *= along(kWarp, warpsPerCta[dim], dim);
  return fitToShape(layout, shape, order);
}

LinearLayout spreadBlockedLayout(Shape shape, llvm::ArrayRef<int32_t> sizePerThread,
                                 llvm::ArrayRef<int32_t> order, int32_t numWarps,
                                 int32_t threadsPerWarp) {
  size_t rank = shape.size();
  if (rank == 0)
    return LinearLayout::fromFlatBases(
        {{kRegister.str(), {}},
         {kLane.str(), std::vector<uint64_t>(llvm::Log2_32(threadsPerWarp), 0)},
         {kWarp.str(), std::vector<uint64_t>(llvm::Log2_32(numWarps), 0)},
         {kBlock.str(), {}}},
        {});

  std::vector<int32_t> lanes(rank, 1), warps(rank, 1);
  int32_t lanesLeft = threadsPerWarp, warpsLeft = numWarps;
  for (size_t i = 0; i + 1 < rank; ++i) {
    int32_t dim = order[i];
    int64_t room = std::max<int64_t>(1, shape[dim] / sizePerThread[dim]);
    lanes[dim] = int32_t(std::min<int64_t>(lanesLeft, room));
    lanesLeft /= lanes[dim];
    // Warps go along a dimension only when the lanes have been used up on it.
    if (lanesLeft == 1)
      warps[dim] = int32_t(std::min<int64_t>(warpsLeft, room / lanes[dim]));
    warpsLeft /= warps[dim];
  }
  lanes[order.back()] = lanesLeft;
  warps[order.back()] = warpsLeft;
  return blockedLayout(shape, sizePerThread, lanes, warps, order);
}

LinearLayout defaultBlockedLayout(Shape shape, int32_t numWarps, int32_t threadsPerWarp) {
  std::vector<int32_t> ones(shape.size(), 1);
  return spreadBlockedLayout(shape, ones, rowMajorOrder(shape.size()), numWarps, threadsPerWarp);
}

LinearLayout mmaAccumulatorLayout(Shape shape, llvm::ArrayRef<int32_t> warpsPerCta) {
  unsigned rank = shape.size();
  assert(rank >= 2 && warpsPerCta.size() == rank && "accumulators have two dimensions or a batch");
  unsigned m = rank - 2, n = rank - 1;
  LinearLayout tile =
      along(kRegister, 2, n) * along(kLane, 4, n) * along(kLane, 8, m) * along(kRegister, 2, m);
  return fitToShape(tile * warpGrid(warpsPerCta, warpOrder(rank, /*mFirst=*/false)), shape);
}

LinearLayout wgmmaAccumulatorLayout(Shape shape, llvm::ArrayRef<int32_t> warpsPerCta,
                                    int32_t instrN) {
  assert(shape.size() == 2 && warpsPerCta.size() == 2 && warpsPerCta[0] % 4 == 0 && instrN >= 8 &&
         "wgmma accumulators have two dimensions and whole warpgroups");
  LinearLayout tile = along(kRegister, 2, 1) * along(kLane, 4, 1) * along(kLane, 8, 0) *
                      along(kRegister, 2, 0) * along(kRegister, instrN / 8, 1);
  return fitToShape(tile * warpGrid(warpsPerCta, warpOrder(2, /*mFirst=*/true)), shape);
}

LinearLayout mmaOperandLayout(Shape shape, unsigned operand, int32_t kWidth,
                              llvm::ArrayRef<int32_t> warpsPerCta, bool mFirstWarps) {
  unsigned rank = shape.size();
  assert(rank >= 2 && warpsPerCta.size() == rank && operand < 2 && "not a matrix operand");
  unsigned k = operand == 0 ? rank - 1 : rank - 2;
  unsigned other = operand == 0 ? rank - 2 : rank - 1;
  LinearLayout tile = along(kRegister, kWidth, k) * along(kLane, 4, k) * along(kLane, 8, other);
  if (operand == 0)
    tile *= along(kRegister, 2, other); // rows 8..15 of m16
  tile *= along(kRegister, 2, k);

  // The operand's K dimension stands where the accumulator has the dimension that this operand does
  // not have, so the warps that split it see the same data.
  tile *= warpGrid(warpsPerCta, warpOrder(rank, mFirstWarps), int32_t(k));
  std::vector<int32_t> order = rowMajorOrder(rank);
  if (operand == 1)
    std::swap(order[0], order[1]);
  return fitToShape(tile, shape, order);
}

//===----------------------------------------------------------------------===//
// Shared-memory layouts
//===----------------------------------------------------------------------===//

namespace {

/// Identities along `order` from `first` on, then the block dimension and canonical order.
LinearLayout finishShared(LinearLayout layout, Shape shape, llvm::ArrayRef<int32_t> order) {
  for (int32_t dim : order) {
    int64_t covered = layout.getOutDimSize(dimName(dim));
    layout *= along(kOffset, int32_t(shape[dim] / covered), dim);
  }
  if (!layout.hasInDim(kOffset))
    layout = layout.unsqueezeIn(kOffset);
  return withTensorDims(layout.unsqueezeIn(kBlock), shape.size());
}

/// `rows` x `columns` elements, the element (r, c) at r * columns + (c ^ xor(r)).
LinearLayout swizzledTile(int32_t rows, int32_t columns, int32_t vec, int32_t perPhase,
                          int32_t maxPhase, int32_t rowDim, int32_t columnDim) {
  std::vector<uint64_t> bases;
  for (int32_t c = 1; c < columns; c *= 2)
    bases.push_back(uint64_t(c));
  for (int32_t r = 1; r < rows; r *= 2) {
    uint64_t swizzle = uint64_t(vec) * ((r / perPhase) % maxPhase) % columns;
    bases.push_back(swizzle | uint64_t(r) * columns);
  }
  return LinearLayout::fromFlatBases({{kOffset.str(), bases}},
                                     {{dimName(columnDim), columns}, {dimName(rowDim), rows}});
}

} // namespace

LinearLayout linearSharedLayout(Shape shape, llvm::ArrayRef<int32_t> order) {
  return finishShared(LinearLayout(), shape, order);
}

LinearLayout swizzledSharedLayout(Shape shape, int32_t vec, int32_t perPhase, int32_t maxPhase,
                                  llvm::ArrayRef<int32_t> order) {
  if (shape.size() < 2)
    return linearSharedLayout(shape, order);
  LinearLayout tile = swizzledTile(int32_t(shape[order[1]]), int32_t(shape[order[0]]), vec,
                                   perPhase, maxPhase, order[1], order[0]);
  return finishShared(tile, shape, order);
}

LinearLayout tmaSharedLayout(Shape shape, int32_t elementBits, int32_t swizzleBytes,
                             llvm::ArrayRef<int32_t> order) {
  int64_t coreBytes = swizzleBytes == 0 ? 16 : swizzleBytes;
  if (shape.size() < 2)
    return linearSharedLayout(shape, order);
  int32_t vec = std::max(1, 128 / elementBits);
  int32_t columns = int32_t(std::min<int64_t>(shape[order[0]], coreBytes * 8 / elementBits));
  int32_t rows = int32_t(std::min<int64_t>(shape[order[1]], 8));
  int32_t perPhase = swizzleBytes == 0 ? 1 : 128 / swizzleBytes;
  int32_t maxPhase = swizzleBytes == 0 ? 1 : swizzleBytes / 16;
  LinearLayout core = swizzledTile(rows, columns, vec, perPhase, maxPhase, order[1], order[0]);
  std::vector<int32_t> repeatOrder(order.begin(), order.end());
  std::swap(repeatOrder[0], repeatOrder[1]);
  return finishShared(core, shape, repeatOrder);
}

} // namespace tilec

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of a matrix product by multiply-adds: a thread holds up to 4 by 4 neighbouring
// elements, a warp as square a piece as the shape has room for, because the more rows and columns
// a thread's elements share the fewer operands it reads.

#include "DotToTileGPU.h"

#include "mlir/IR/Builders.h"
#include "tilec/Layout/TensorLayouts.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static constexpr int64_t kThreadTile = 4;

/// Doubles entries of `counts` until they hold `total`: the dimensions of `order` in turns, as long
/// as `covered` is below the shape. Returns what found no room.
static int32_t spread(SmallVectorImpl<int32_t> &counts, SmallVectorImpl<int64_t> &covered,
                      ArrayRef<int64_t> shape, ArrayRef<unsigned> order, int32_t total) {
  for (bool room = true; room && total > 1;) {
    room = false;
    for (unsigned dim : order) {
      if (total == 1 || covered[dim] >= shape[dim])
        continue;
      counts[dim] *= 2;
      covered[dim] *= 2;
      total /= 2;
      room = true;
    }
  }
  return total;
}

static LinearLayout productLayout(ArrayRef<int64_t> shape, int numWarps) {
  unsigned rank = shape.size(), m = rank - 2, n = rank - 1;
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  int64_t share = std::max<int64_t>(1, elements / (int64_t(numWarps) * 32));
  SmallVector<int32_t> perThread(rank, 1), lanes(rank, 1), warps(rank, 1);
  perThread[n] = std::min({kThreadTile, shape[n], share});
  perThread[m] = std::min({kThreadTile, shape[m], share / perThread[n]});
  SmallVector<int64_t> covered(perThread.begin(), perThread.end());
  // Matrices of a batch share nothing: they go to different warps first. What finds no room
  // anywhere replicates.
  SmallVector<unsigned> batch;
  if (rank == 3)
    batch.push_back(0);
  int32_t left = spread(lanes, covered, shape, {n, m}, 32);
  lanes.front() *= spread(lanes, covered, shape, batch, left);
  left = spread(warps, covered, shape, batch, numWarps);
  warps.front() *= spread(warps, covered, shape, {m, n}, left);
  return blockedLayout(shape, perThread, lanes, warps, rowMajorOrder(rank));
}

void tilec::convertDot(tile::DotOp dot, int numWarps) {
  OpBuilder builder(dot);
  Location loc = dot.getLoc();
  auto type = cast<RankedTensorType>(dot.getType());
  RankedTensorType computed = withLayout(type, productLayout(type.getShape(), numWarps));
  Value acc = builder.createOrFold<ConvertLayoutOp>(loc, computed, dot.getAcc());
  auto product =
      DotOp::create(builder, loc, computed, dot.getLhs(), dot.getRhs(), acc, dot.getPrecisionAttr(),
                    dot.getMaxImpreciseAccAttr(), dot.getIsUnsignedAttr());
  product->setDiscardableAttrs(dot->getDiscardableAttrDictionary());
  dot.replaceAllUsesWith(builder.createOrFold<ConvertLayoutOp>(loc, type, product.getResult()));
  dot.erase();
}

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BarrierObjects.h.

#include "BarrierObjects.h"

#include "CarryMore.h"
#include "tilec/Layout/TensorLayouts.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static MemDescType barrierType(MLIRContext *context, int64_t count) {
  LinearLayout one = linearSharedLayout({1}, {0}).squeezeIn(kBlock);
  return MemDescType::get(context, {1}, IntegerType::get(context, 64),
                          LinearAttr::get(context, one))
      .withBuffers(count);
}

BarrierObjects::BarrierObjects(RewriterBase &rewriter, Operation *user, int64_t count,
                               int32_t arrivals, ArrayRef<int32_t> inits) {
  OpBuilder::InsertionGuard guard(rewriter);
  Location loc = user->getLoc();
  Block *home = user->getBlock();
  while (auto loop = dyn_cast<scf::ForOp>(home->getParentOp())) {
    loops.insert(loops.begin(), loop);
    home = loop->getBlock();
  }

  rewriter.setInsertionPointToStart(home);
  ring =
      LocalAllocOp::create(rewriter, loc, barrierType(rewriter.getContext(), count), IntegerAttr());
  MbarrierInitOp::create(rewriter, loc, ring, uint32_t(arrivals));
  for (int32_t init : inits)
    values.push_back(arith::ConstantIntOp::create(rewriter, loc, init, 32));
  if (!isa<FunctionOpInterface>(home->getParentOp())) {
    // The block may run again.
    rewriter.setInsertionPoint(home->getTerminator());
    MbarrierInvalOp::create(rewriter, loc, ring);
  }

  if (values.empty())
    return;
  for (scf::ForOp &loop : loops) {
    Operation *old = loop;
    loop = carryMore(rewriter, loop, values);
    rebuilt.emplace_back(old, loop);
    auto carried = loop.getRegionIterArgs().take_back(values.size());
    values.assign(carried.begin(), carried.end());
  }
}

SmallVector<Value> BarrierObjects::stateAt(Operation *user) const {
  SmallVector<Value> current(values);
  while (current.front().getParentBlock() != user->getBlock()) {
    auto loop = cast<scf::ForOp>(current.front().getParentBlock()->getParentOp());
    auto results = loop.getResults().take_back(current.size());
    current.assign(results.begin(), results.end());
  }
  return current;
}

void BarrierObjects::advance(ValueRange next) {
  SmallVector<Value> current(next);
  values = current;
  for (scf::ForOp loop : llvm::reverse(loops)) {
    if (loop.getBody() != current.front().getParentBlock())
      continue;
    Operation *yield = loop.getBody()->getTerminator();
    unsigned first = yield->getNumOperands() - current.size();
    for (auto [i, value] : llvm::enumerate(current))
      yield->setOperand(first + i, value);
    auto results = loop.getResults().take_back(current.size());
    current.assign(results.begin(), results.end());
  }
}

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inserts a CTA barrier before every operation that BarrierNeed finds.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/IR/Builders.h"
#include "tilec/Analysis/BarrierNeed.h"

#define DEBUG_TYPE "tilegpu-insert-barriers"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUINSERTBARRIERSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

namespace {
struct InsertBarriers final : tilec::impl::TileGPUInsertBarriersPassBase<InsertBarriers> {
  using Base::Base;
  void runOnOperation() override {
    getOperation().walk([](func::FuncOp func) {
      SharedAllocation allocation = SharedAllocation::fromOffsets(func);
      for (Operation *op : findNeededBarriers(func, allocation)) {
        OpBuilder builder(op);
        NVVM::Barrier0Op::create(builder, op->getLoc());
      }
    });
  }
};
} // namespace

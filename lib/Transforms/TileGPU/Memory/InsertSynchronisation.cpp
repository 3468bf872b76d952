// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inserts the CTA barriers and proxy fences of the plan that the analysis makes
// (Synchronisation.h).

#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/IR/Builders.h"
#include "tilec/Analysis/Synchronisation.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUINSERTSYNCHRONISATIONPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

namespace {
struct InsertSynchronisation final
    : tilec::impl::TileGPUInsertSynchronisationPassBase<InsertSynchronisation> {
  using Base::Base;
  void runOnOperation() override {
    getOperation().walk([](func::FuncOp func) {
      SharedAllocation allocation = SharedAllocation::fromOffsets(func);
      for (const SyncPoint &point : planSynchronisation(func, allocation)) {
        OpBuilder builder(point.op);
        if (point.isBehind)
          builder.setInsertionPointAfter(point.op);
        if (point.needsFence)
          tilegpu::ProxyFenceOp::create(builder, point.op->getLoc());
        if (point.needsBarrier)
          NVVM::Barrier0Op::create(builder, point.op->getLoc());
      }
    });
  }
};
} // namespace

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the results of the shared-memory analyses into the IR: `shared = {offset, size, end}` on
// buffers and `shared.total` on functions; `barrier` on operations that need one before them.

#include "dialects/TileGPU/TileGPUOps.h"
#include "test/lib/TestPasses.h"
#include "tilec/Analysis/BarrierNeed.h"
#include "tilec/Analysis/SharedAllocation.h"

using namespace mlir;

namespace tilec {
namespace {

struct TestSharedAllocation final : PassWrapper<TestSharedAllocation, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestSharedAllocation)

  StringRef getArgument() const override { return "test-shared-allocation"; }
  StringRef getDescription() const override { return "annotates buffers with their placement"; }

  void runOnOperation() override {
    SharedAllocation allocation(getOperation());
    Builder builder(&getContext());
    for (auto &[alloc, buffer] : allocation.getBuffers())
      alloc->setAttr("shared", builder.getI64ArrayAttr({buffer.offset, buffer.size, buffer.end()}));
    getOperation()->setAttr("shared.total", builder.getI64IntegerAttr(allocation.getTotalBytes()));
  }
};

struct TestBarrierNeed final : PassWrapper<TestBarrierNeed, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestBarrierNeed)

  StringRef getArgument() const override { return "test-barrier-need"; }
  StringRef getDescription() const override {
    return "marks the operations that need a barrier, placing buffers by their offset attributes";
  }

  void runOnOperation() override {
    SharedAllocation allocation = SharedAllocation::fromOffsets(getOperation());
    for (Operation *op : findNeededBarriers(getOperation(), allocation))
      op->setAttr("barrier", UnitAttr::get(&getContext()));
  }
};

} // namespace

std::unique_ptr<Pass> createTestSharedAllocationPass() {
  return std::make_unique<TestSharedAllocation>();
}

std::unique_ptr<Pass> createTestBarrierNeedPass() { return std::make_unique<TestBarrierNeed>(); }

} // namespace tilec

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the results of the shared-memory analyses into the IR: `shared = {offset, size, end}` on
// buffers and `shared.total` on functions; `barrier`, `fence` and `fence_and_barrier` on operations
// that need one before them, and with `_behind` behind them. Prints plans of synchronisation.

#include "dialects/TileGPU/TileGPUOps.h"
#include "test/lib/TestPasses.h"
#include "tilec/Analysis/SharedAllocation.h"
#include "tilec/Analysis/Synchronisation.h"

#include "llvm/ADT/StringExtras.h"

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

struct TestSynchronisation final : PassWrapper<TestSynchronisation, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestSynchronisation)

  StringRef getArgument() const override { return "test-synchronisation"; }
  StringRef getDescription() const override {
    return "marks the operations that need a barrier or a fence of shared memory, placing buffers "
           "by "
           "their offset attributes";
  }

  void runOnOperation() override {
    SharedAllocation allocation = SharedAllocation::fromOffsets(getOperation());
    for (const SyncPoint &point : planSynchronisation(getOperation(), allocation))
      if (point.purpose == SyncPurpose::SharedMemory)
        mark(point);
  }

private:
  void mark(const SyncPoint &point) {
    SmallVector<StringRef, 2> needs;
    if (point.needsFence)
      needs.push_back("fence");
    if (point.barrier == SyncThreads::Cta)
      needs.push_back("barrier");
    if (point.barrier == SyncThreads::Warpgroup)
      needs.push_back("warpgroup_barrier");
    std::string name = llvm::join(needs, "_and_");
    point.op->setAttr(point.isBehind ? name + "_behind" : name, UnitAttr::get(&getContext()));
  }
};

struct TestPrintSynchronisation final
    : PassWrapper<TestPrintSynchronisation, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPrintSynchronisation)

  StringRef getArgument() const override { return "test-print-synchronisation"; }
  StringRef getDescription() const override {
    return "prints the barriers and fences that are missing, and why";
  }

  void runOnOperation() override {
    SharedAllocation allocation = SharedAllocation::fromOffsets(getOperation());
    llvm::outs() << getOperation().getName() << ":\n";
    print(planSynchronisation(getOperation(), allocation), llvm::outs());
  }
};

} // namespace

std::unique_ptr<Pass> createTestSharedAllocationPass() {
  return std::make_unique<TestSharedAllocation>();
}

std::unique_ptr<Pass> createTestSynchronisationPass() {
  return std::make_unique<TestSynchronisation>();
}

std::unique_ptr<Pass> createTestPrintSynchronisationPass() {
  return std::make_unique<TestPrintSynchronisation>();
}

} // namespace tilec

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the placement that SharedAllocation computes into the buffers' `offset` attributes and
// checks the target's limit.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/IR/Builders.h"
#include "tilec/Analysis/SharedAllocation.h"

#define DEBUG_TYPE "tilegpu-allocate-shared-memory"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUALLOCATESHAREDMEMORYPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static LogicalResult checkLimit(func::FuncOp func, const SharedAllocation &allocation) {
  int64_t limit = sharedMemoryLimit(computeCapabilityOf(func));
  if (allocation.getTotalBytes() <= limit)
    return success();
  InFlightDiagnostic error = func.emitError("kernel '")
                             << func.getName() << "' needs " << allocation.getTotalBytes()
                             << " bytes of shared memory, but a CTA has " << limit;
  for (const auto &[op, buffer] : allocation.getBuffers())
    error.attachNote(op->getLoc()) << buffer.size << " bytes are used here";
  return error;
}

namespace {
struct AllocateSharedMemory final
    : tilec::impl::TileGPUAllocateSharedMemoryPassBase<AllocateSharedMemory> {
  using Base::Base;
  void runOnOperation() override {
    Builder builder(&getContext());
    int64_t total = 0;
    auto result = getOperation().walk([&](func::FuncOp func) {
      SharedAllocation allocation(func);
      if (failed(checkLimit(func, allocation)))
        return WalkResult::interrupt();
      for (const auto &[op, buffer] : allocation.getBuffers())
        LocalAllocOp(op).setOffsetAttr(builder.getI32IntegerAttr(buffer.offset));
      total = std::max(total, allocation.getTotalBytes());
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    getOperation()->setAttr(TileGPUDialect::kSharedBytesAttr, builder.getI32IntegerAttr(total));
  }
};
} // namespace

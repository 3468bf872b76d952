// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the placement that SharedAllocation computes into the buffers' `offset` attributes and
// checks the target's limit.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/IR/Builders.h"
#include "tilec/Analysis/SharedAllocation.h"

#include <numeric>

namespace tilec {
#define GEN_PASS_DEF_TILEGPUALLOCATESHAREDMEMORYPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// What the buffer is for, from the operations that use it.
static StringRef purposeOf(ArrayRef<Operation *> users) {
  auto isUsedBy = [&](auto isKind) { return llvm::any_of(users, isKind); };
  if (isUsedBy([](Operation *user) { return isa<ParkOp, UnparkOp>(user); }))
    return "spilled registers";
  if (isUsedBy([](Operation *user) { return isa<MbarrierInitOp>(user); }))
    return "mbarriers";
  if (isUsedBy([](Operation *user) { return isa<SendProgramOp>(user); }))
    return "numbers of programs";
  if (isUsedBy([](Operation *user) { return isa<AsyncCopyOp, TmaLoadOp>(user); }))
    return "loads in flight";
  if (isUsedBy([](Operation *user) { return isa<TmaStoreOp>(user); }))
    return "a TMA store";
  if (isUsedBy([](Operation *user) { return isa<WgmmaOp, DotOp>(user); }))
    return "an operand of a dot";
  return "data exchanged between threads";
}

/// `3 buffers of 128x64xf16`.
static std::string describe(MemDescType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << type.getBuffers() << (type.getBuffers() == 1 ? " buffer of " : " buffers of ");
  llvm::interleave(type.getShape(), os, "x");
  os << "x" << type.getElementType();
  return text;
}

/// Says who uses the memory, the largest buffers first.
static void explain(InFlightDiagnostic &error, func::FuncOp func,
                    const SharedAllocation &allocation) {
  DenseMap<Operation *, SmallVector<Operation *>> users;
  func.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      for (LocalAllocOp alloc : allocation.getBuffersOf(operand))
        users[alloc].push_back(op);
  });
  SmallVector<std::pair<LocalAllocOp, SharedBuffer>> listed;
  for (const auto &entry : allocation.getBuffers())
    listed.push_back(entry);
  std::vector<unsigned> order(listed.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(-listed[a].second.size, a) < std::pair(-listed[b].second.size, b);
  });
  SmallVector<SharedBuffer> named;
  for (unsigned i : order) {
    LocalAllocOp alloc = listed[i].first;
    const SharedBuffer &buffer = listed[i].second;
    mlir::Diagnostic &note = error.attachNote(alloc.getLoc());
    note << describe(alloc.getType()) << " for " << purposeOf(users.lookup(alloc)) << ": "
         << buffer.size << " bytes";
    if (llvm::any_of(named, [&](const SharedBuffer &other) {
          return other.offset < buffer.end() && buffer.offset < other.end();
        }))
      note << ", shared with buffers that are live at other times";
    named.push_back(buffer);
  }
}

static LogicalResult checkLimit(func::FuncOp func, const SharedAllocation &allocation) {
  int64_t limit = processorOf(func).maxSharedBytesPerCta();
  if (allocation.getTotalBytes() <= limit)
    return success();
  InFlightDiagnostic error = func.emitError("kernel '")
                             << func.getName() << "' needs " << allocation.getTotalBytes()
                             << " bytes of shared memory, but a CTA has " << limit;
  explain(error, func, allocation);
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
      total = std::max(total, allocation.getTotalBytes());
      if (failed(checkLimit(func, allocation)))
        return WalkResult::interrupt();
      for (const auto &[op, buffer] : allocation.getBuffers())
        LocalAllocOp(op).setOffsetAttr(builder.getI32IntegerAttr(buffer.offset));
      if (int64_t bytes = allocation.getGroupBytes())
        getOperation()->setAttr(TileGPUDialect::kGroupBytesAttr, builder.getI32IntegerAttr(bytes));
      return WalkResult::advance();
    });
    // Also where it is too much: whoever runs the passes may want to know.
    getOperation()->setAttr(TileGPUDialect::kSharedBytesAttr, builder.getI32IntegerAttr(total));
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the asynchronous operations start, through which proxy, and what the waits retire.

#include "dialects/TileGPU/TileGPUOps.h"

using namespace mlir;
using namespace tilec::tilegpu;

#include "dialects/TileGPU/TileGPUInterfaces.cpp.inc"

//===--------------------------------------------------------------------------------------------===//
// cp.async
//===--------------------------------------------------------------------------------------------===//

AsyncKind AsyncCopyOp::getAsyncKind() { return AsyncKind::ThreadCopy; }
// Asynchronous, but not through the async proxy: PTX ISA, "Async proxy".
bool AsyncCopyOp::usesAsyncProxy(OpOperand &) { return false; }
int64_t AsyncCopyOp::getNumAsyncGroups() { return 0; }

AsyncKind AsyncCommitOp::getAsyncKind() { return AsyncKind::ThreadCopy; }

AsyncKind AsyncWaitOp::getAsyncKind() { return AsyncKind::ThreadCopy; }
std::optional<int64_t> AsyncWaitOp::getMaxGroupsInFlight() { return getPending(); }

//===--------------------------------------------------------------------------------------------===//
// wgmma
//===--------------------------------------------------------------------------------------------===//

AsyncKind WgmmaOp::getAsyncKind() { return AsyncKind::Wgmma; }
int64_t WgmmaOp::getNumAsyncGroups() { return numGroups(); }
// Fragments are loaded by the threads before the instructions that take them.
bool WgmmaOp::usesAsyncProxy(OpOperand &operand) {
  return getFragmentsOf() != operand.getOperandNumber();
}
bool WgmmaOp::isSynchronous(OpOperand &operand) { return !usesAsyncProxy(operand); }

AsyncKind WgmmaWaitOp::getAsyncKind() { return AsyncKind::Wgmma; }
std::optional<int64_t> WgmmaWaitOp::getMaxGroupsInFlight() { return getPending(); }

//===--------------------------------------------------------------------------------------------===//
// Tensor copies
//===--------------------------------------------------------------------------------------------===//

AsyncKind TmaLoadOp::getAsyncKind() { return AsyncKind::TensorLoad; }
int64_t TmaLoadOp::getNumAsyncGroups() { return 0; }
// The arrival at the barrier object is the thread's own.
bool TmaLoadOp::usesAsyncProxy(OpOperand &operand) { return operand.get() == getBuffer(); }
bool TmaLoadOp::isSynchronous(OpOperand &operand) { return !usesAsyncProxy(operand); }

AsyncKind MbarrierWaitOp::getAsyncKind() { return AsyncKind::TensorLoad; }
std::optional<int64_t> MbarrierWaitOp::getMaxGroupsInFlight() { return std::nullopt; }
std::pair<Value, Value> MbarrierWaitOp::getBarrierObject() { return {getBarriers(), getSlot()}; }

AsyncKind TmaStoreOp::getAsyncKind() { return AsyncKind::TensorStore; }

AsyncKind TmaStoreWaitOp::getAsyncKind() { return AsyncKind::TensorStore; }
std::optional<int64_t> TmaStoreWaitOp::getMaxGroupsInFlight() { return getPending(); }

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places the shared-memory buffers of a function: which bytes of the CTA's window each
// `tilegpu.local_alloc` gets, so that buffers that are live at the same time do not overlap and the
// others share memory.
//
// Algorithm: live intervals over program order (a loop around a use, but not around the allocation,
// counts as a whole), then first fit over the interference graph, largest buffer first, earlier
// buffer first among equals.

#ifndef TILEC_ANALYSIS_SHAREDALLOCATION_H
#define TILEC_ANALYSIS_SHAREDALLOCATION_H

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

namespace tilec {

/// One buffer: its bytes in the window and the operations, numbered in program order, between which
/// it is live.
struct SharedBuffer {
  int64_t offset = 0;
  int64_t size = 0;
  unsigned firstUse = 0;
  unsigned lastUse = 0;
  /// What its users ask for, in bytes.
  int64_t alignment = 1;

  int64_t end() const { return offset + size; }
};

/// The placement of all buffers of one function.
///
/// Usage:
///   SharedAllocation allocation(func);
///   for (auto &[alloc, buffer] : allocation.getBuffers())
///     alloc.setOffset(buffer.offset);
///
/// Deterministic: the same IR always gets the same placement. Invalidated by any change to the
/// buffers or their uses. Calls are not followed: functions are inlined before.
class SharedAllocation {
public:
  using BufferMap = llvm::MapVector<tilegpu::LocalAllocOp, SharedBuffer>;

  /// Offsets of buffers are multiples of kAlignment, of small ones (at most kSmallSize bytes) of
  /// kSmallAlignment.
  static constexpr int64_t kAlignment = 128;
  static constexpr int64_t kSmallAlignment = 16;
  /// Of buffers that wgmma or a tensor copy accesses: the period of the 128-byte swizzle.
  static constexpr int64_t kSwizzleAlignment = 1024;
  /// Of a buffer in which a tensor map is encoded.
  static constexpr int64_t kTensorMapAlignment = 128;
  static constexpr int64_t kSmallSize = 256;
  /// Small buffers (partial results of reductions) do not share memory among themselves while all
  /// of them together take at most this many bytes: sharing would save little and cost a barrier.
  static constexpr int64_t kSeparateSmallLimit = 2048;

  /// Computes a placement; `offset` attributes that exist are ignored.
  explicit SharedAllocation(mlir::FunctionOpInterface func);

  /// The placement that the `offset` attributes of the buffers already say. A buffer without the
  /// attribute covers the whole window, so that it conflicts with every other one.
  static SharedAllocation fromOffsets(mlir::FunctionOpInterface func);

  /// Buffers in program order.
  const BufferMap &getBuffers() const { return buffers; }

  /// Bytes of the window that are in use.
  int64_t getTotalBytes() const { return totalBytes; }

  /// Of it, those that each of several groups of computing warps has of its own: the buffers of a
  /// group lie so many behind those of the one before, which the offsets are for.
  int64_t getGroupBytes() const { return groupBytes; }

  /// The buffers that a memory descriptor may refer to: one for a `local_alloc`, several for a
  /// value that control flow merges, none for a value of another function.
  llvm::ArrayRef<tilegpu::LocalAllocOp> getBuffersOf(mlir::Value descriptor) const;

  /// `offset = 128, size = 4096, live = [3, 17]` per line, then the total.
  void print(llvm::raw_ostream &os) const;

private:
  SharedAllocation() = default;
  /// Places the buffers that `isChosen`, beside each other or one after the other, from 0 on;
  /// returns their end.
  int64_t place(llvm::function_ref<bool(tilegpu::LocalAllocOp)> isChosen);

  BufferMap buffers;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<tilegpu::LocalAllocOp, 1>> aliases;
  int64_t totalBytes = 0, groupBytes = 0;
};

/// CTAs that a multiprocessor has room for, as far as threads and shared memory say.
int64_t residentCtas(mlir::FunctionOpInterface func);

} // namespace tilec

#endif // TILEC_ANALYSIS_SHAREDALLOCATION_H

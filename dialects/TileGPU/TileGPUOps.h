// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tilegpu dialect: the layout attribute, shared-memory descriptors, operations on tensors with
// layouts, and the thread-level operations. The op documentation is in the .td files beside this
// one.

#ifndef TILEC_DIALECTS_TILEGPU_TILEGPUOPS_H
#define TILEC_DIALECTS_TILEGPU_TILEGPUOPS_H

#include "dialects/Tile/TileOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilec/Layout/TensorMapLayout.h"

#include "dialects/TileGPU/TileGPUDialect.h.inc"

namespace tilec::tilegpu {
/// What `tilegpu.refresh` and `tilegpu.opaque_zero` "write": each is a new value.
struct FreshnessResource : mlir::SideEffects::Resource::Base<FreshnessResource> {
  llvm::StringRef getName() final { return "<Freshness>"; }
};
/// The order of asynchronous operations and the waits for them.
struct AsyncOrderResource : mlir::SideEffects::Resource::Base<AsyncOrderResource> {
  llvm::StringRef getName() final { return "<AsyncOrder>"; }
};
/// What is in flight: each kind is waited for by operations of its own.
enum class AsyncKind {
  /// cp.async: each thread waits for its own copies.
  ThreadCopy,
  /// wgmma: the warps of a warpgroup wait for their own products.
  Wgmma,
  /// TMA loads: all threads wait, for a barrier object.
  TensorLoad,
  /// TMA stores: the thread that has started them waits.
  TensorStore,
};
} // namespace tilec::tilegpu

#include "dialects/TileGPU/TileGPUInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/TileGPU/TileGPUAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/TileGPU/TileGPUTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/TileGPU/TileGPUOps.h.inc"

namespace tilec::tilegpu {

/// The layout in a tensor type's encoding. Precondition: the type has one.
const LinearLayout &layoutOf(mlir::RankedTensorType type);

/// The tensor type with `layout` as its encoding.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type, const LinearLayout &layout);

/// The type of the slices of `elements` along `axis`, fewer than it has, that
/// `tilegpu.extract_slice` gives; nothing when registers alone do not say which slice an element is
/// of.
std::optional<mlir::RankedTensorType> sliceOf(mlir::RankedTensorType type, unsigned axis,
                                              int64_t elements);

/// Shape and element type of a tensor or a buffer, as a tensor.
mlir::RankedTensorType tensorOf(mlir::Type type);

/// Whether `type` is a tensor with a layout.
bool hasLayout(mlir::Type type);

/// The boxes of tensor copies by a descriptor that has a tensor map.
TensorMapTile boxesOf(tile::DescType desc);

/// The type of a buffer for a tensor that a descriptor's copy fills or reads; null where no copy
/// can.
MemDescType copyBufferType(mlir::RankedTensorType type);

/// Gives the blocks of a function's argument that is a tensor map another shape, or other boxes.
void setTensorMapType(mlir::BlockArgument map, tile::DescType type);

/// The module's warps per CTA (`tilegpu.num_warps`), 4 when it does not say.
int numWarpsOf(mlir::Operation *op);
/// Groups of `num_warps` computing warps that take tiles in turn (`tilegpu.compute_groups`), or 1.
int computeGroupsOf(mlir::Operation *op);
/// All warps of a CTA that compute.
inline int computingWarpsOf(mlir::Operation *op) { return numWarpsOf(op) * computeGroupsOf(op); }
/// Bytes of shared memory that each of these groups has of its own (`tilegpu.group_bytes`).
int64_t groupBytesOf(mlir::Operation *op);
/// Whether each of several groups of computing warps has the buffer for itself.
bool isOfComputeGroup(LocalAllocOp alloc);
/// The warpgroups that compute a tile: four warps each, at least one.
inline int warpgroupsOf(mlir::Operation *op) { return std::max(numWarpsOf(op) / 4, 1); }
/// The programs of a cluster, neighbours along x: 1, 2 or more.
int numCtasOf(mlir::Operation *op);
/// The CTAs of a cluster that run one program together (tile-split-k).
int splitKOf(mlir::Operation *op);
/// The CTAs of a cluster.
inline int clusterSizeOf(mlir::Operation *op) { return numCtasOf(op) * splitKOf(op); }

/// The named barrier at which the first of two groups of computing warps waits for its turn; the
/// second one's is the next.
inline constexpr int kTurnBarrier = 8;

/// Threads of a CTA: those of the computing warps, and of the warps that only load
/// (`tilegpu.load_warps`).
int launchedThreadsOf(mlir::Operation *op);

/// Vectors of 16 bytes that a thread's registers of a tensor with a layout make.
int64_t registerVectors(mlir::RankedTensorType type);

} // namespace tilec::tilegpu

#endif // TILEC_DIALECTS_TILEGPU_TILEGPUOPS_H

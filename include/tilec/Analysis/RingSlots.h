// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which buffer of a ring a slot number names, relative to other slot numbers: a slot is a value
// plus a constant, modulo the number of buffers. Loops that carry slots from one iteration to the
// next are followed, so that what an iteration fills can be told from what it reads.

#ifndef TILEC_ANALYSIS_RINGSLOTS_H
#define TILEC_ANALYSIS_RINGSLOTS_H

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace tilec {

/// The allocation that a descriptor is, or is a view of; null when it may be of several.
tilegpu::LocalAllocOp allocOf(mlir::Value view);

/// The slot that an operation of the load warps fills, and arrives for; null for other operations.
mlir::Value filledBy(mlir::Operation *op);

/// The operations that fill a slot once it is acquired (`filledBy` says of which buffer).
llvm::SmallVector<mlir::Operation *, 2> fillsBehind(tilegpu::SlotAcquireOp acquire);

/// Whether `release` may let a slot of the ring be filled that `view` is of.
bool mayRelease(tilegpu::SlotReleaseOp release, mlir::Value view);

/// The last operation of a block that uses a buffer or a view of it, itself or inside; null without
/// any.
mlir::Operation *lastUser(mlir::Block *block, mlir::Value buffer);
/// The last operation of its block that waits for products which `op` leaves in flight; `op` itself
/// without any.
mlir::Operation *lastWaitFor(mlir::Operation *op);

/// `root + offset` modulo the ring's number of buffers. Without a root the slot is the constant
/// `offset`.
struct RingSlot {
  mlir::Value root;
  int64_t offset = 0;
};

/// The slots of one ring.
class RingSlots {
public:
  /// The ring of `alloc`, or of barrier objects.
  explicit RingSlots(tilegpu::LocalAllocOp alloc);

  int64_t buffers() const { return modulus; }

  /// The slot that an i32 names; every value is a slot.
  RingSlot of(mlir::Value index) const;
  /// The slot of a view of the ring, made by `memdesc_index`; none when it may be any.
  std::optional<RingSlot> ofView(mlir::Value view) const;

  /// Whether two slots may be the same buffer at one point of the program. Nothing stands for a
  /// slot that is not known.
  bool mayBeSame(const std::optional<RingSlot> &a, const std::optional<RingSlot> &b) const;

  /// A slot at a loop's entry, at its back edge, and behind it, in terms of what is visible in the
  /// iteration that begins and behind the loop.
  std::optional<RingSlot> atEntry(const RingSlot &slot, mlir::scf::ForOp loop) const;
  std::optional<RingSlot> atBackEdge(const RingSlot &slot, mlir::scf::ForOp loop) const;
  std::optional<RingSlot> atExit(const RingSlot &slot, mlir::scf::ForOp loop) const;

private:
  /// The value that `index` is so many steps behind.
  std::pair<mlir::Value, int64_t> stripSteps(mlir::Value index) const;
  /// The first argument of the loop that argument `number` keeps its distance to, and the distance.
  std::pair<unsigned, int64_t> leaderOf(mlir::scf::ForOp loop, unsigned number) const;
  bool isLeader(mlir::scf::ForOp loop, unsigned number) const;

  int64_t modulus;
  /// The values that slots of this ring are relative to.
  llvm::DenseSet<mlir::Value> roots;
};

} // namespace tilec

#endif // TILEC_ANALYSIS_RINGSLOTS_H

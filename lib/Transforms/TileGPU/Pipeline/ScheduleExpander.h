// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to tilegpu-pipeline-loops: makes the loop that a schedule describes.

#ifndef TILEC_LIB_TRANSFORMS_TILEGPU_PIPELINE_SCHEDULEEXPANDER_H
#define TILEC_LIB_TRANSFORMS_TILEGPU_PIPELINE_SCHEDULEEXPANDER_H

#include "StreamByTma.h"
#include "mlir/IR/IRMapping.h"
#include "tilec/Analysis/AxisInfo.h"
#include "tilec/Analysis/LoopSchedule.h"

namespace tilec::tilegpu {

/// The buffers of a loop's streams, or of several loops' that are behind each other.
struct Rings {
  llvm::SmallVector<MemDescType> types;
  /// Once the first of the loops is expanded.
  llvm::SmallVector<mlir::Value> buffers;
  /// For the streams that the copy engine fills.
  std::shared_ptr<TensorCopyRing> tensorCopies;
  int64_t numLoops = 1;
  /// How many loops around the first one the last one is behind.
  int64_t depth = 0;
};

/// Expands one schedule.
class ScheduleExpander {
public:
  ScheduleExpander(LoopSchedule loopSchedule, bool isInCluster);

  void run();
  /// Before either runs; `earlier` runs first. Loops whose copies load warps start and one of which
  /// has all the buffers that the other one has share their rings, where the first, or a loop
  /// around it, is in the second one's block: the copies of the second begin during the last
  /// iterations of the first.
  void shareRings(ScheduleExpander &earlier);
  /// Before either runs, where they share no rings; `earlier` runs first. A loop that begins where
  /// the one before ends, with the same tensor copies and without load warps, has its first copies
  /// started by the last iterations of that one: no copies are waited for between them.
  void goOnFrom(ScheduleExpander &earlier, AxisInfoAnalysis &axes);
  /// After `run`: tells which loops around have been rebuilt.
  llvm::ArrayRef<BarrierObjects::Replaced> replacedLoops() const {
    return rings->tensorCopies ? rings->tensorCopies->replaced()
                               : llvm::ArrayRef<BarrierObjects::Replaced>();
  }
  void replaceLoop(const BarrierObjects::Replaced &replaced) {
    if (loop == replaced.first)
      loop = replaced.second;
  }

private:
  /// The slice of an iteration, cloned.
  struct AheadSlice {
    mlir::IRMapping mapping;
    /// Whether there is such an iteration; null: there is.
    mlir::Value inRange;
  };
  /// Clones the slice for the iteration of `iv`. The values carried ahead are replaced by those of
  /// the next iteration.
  AheadSlice cloneSlice(mlir::OpBuilder &builder, mlir::Value iv,
                        llvm::MutableArrayRef<mlir::Value> ahead);
  /// Whether the copies of `earlier` go on as those of this loop do.
  bool copiesGoOnFrom(ScheduleExpander &earlier, AxisInfoAnalysis &axes) const;
  /// Where the iterations end whose copies this loop starts.
  mlir::Value endOfCopies(mlir::OpBuilder &builder);
  /// The ring of stream number `stream`.
  mlir::Value ringOf(size_t stream) const { return rings->buffers[places[stream]]; }
  /// Starts the copies of an iteration into buffer `slot`.
  void startCopies(mlir::OpBuilder &builder, const AheadSlice &sliceAhead, mlir::Value slot);
  mlir::Value constant(mlir::OpBuilder &builder, int64_t number);
  mlir::Value nextSlot(mlir::OpBuilder &builder, mlir::Value slot);
  /// The slot of the iteration before that with `slot`.
  mlir::Value slotBefore(mlir::OpBuilder &builder, mlir::Value slot);
  /// The parity of the phase that the iteration with `nextSlot` waits for.
  mlir::Value nextParity(mlir::OpBuilder &builder, mlir::Value nextSlot, mlir::Value parity);
  /// The rings, and the buffers that there are two of.
  void allocate(mlir::OpBuilder &builder);
  void allocateRings(mlir::OpBuilder &builder);
  /// The copies of the first iterations; `ahead`, `slot` and its parity are left as the loop begins
  /// with.
  void emitPrologue(mlir::OpBuilder &builder, llvm::MutableArrayRef<mlir::Value> ahead,
                    mlir::Value &slot, mlir::Value &parity);
  /// The new loop while its body is made: what it carries beside the values of the old one.
  struct Body {
    mlir::scf::ForOp loop;
    mlir::IRMapping mapping;
    /// The slot that copies fill and that the iteration reads, which buffer of each pair it stores
    /// to, the parity of its phase, and that of the slot that is filled.
    mlir::Value fill, read, half, parity, fillParity;
    llvm::SmallVector<mlir::Value> ahead;
    std::optional<AheadSlice> sliceAhead;
    bool hasBuffers = false;
  };
  Body makeLoop(mlir::OpBuilder &builder, llvm::ArrayRef<mlir::Value> ahead, mlir::Value slot,
                mlir::Value parity, mlir::Value firstSlot, mlir::Value firstParity);
  void computeAddresses(mlir::OpBuilder &builder, Body &body);
  void emitStep(mlir::OpBuilder &builder, const ScheduleStep &step, Body &body);
  void waitForCopies(mlir::OpBuilder &builder, mlir::Location loc, const Body &body);
  /// Buffers become a slot of their rings, or one of their pairs.
  void mapBuffers(mlir::OpBuilder &builder, Body &body);
  void emitYield(mlir::OpBuilder &builder, Body &body);
  /// The load of a private stream becomes one from its ring.
  void readBack(mlir::OpBuilder &builder, const Stream &stream, mlir::Value slot, Body &body);
  /// Those of this iteration stay in flight.
  void waitForEarlierDots(mlir::OpBuilder &builder, mlir::IRMapping &mapping);
  void waitForLastDots(mlir::OpBuilder &builder, llvm::SmallVectorImpl<mlir::Value> &results);
  void acquireSlot(mlir::OpBuilder &builder, Body &body);
  /// Whether an iteration starts the copies of its own slot.
  bool startsOwnCopies() const { return schedule.copiesInFront() == 0; }
  /// Lets the slot be filled again whose readers have retired.
  void releaseBuffers(mlir::OpBuilder &builder, Body &body);
  /// The same for the last iteration's, where somebody waits for that.
  void releaseLastBuffers(mlir::OpBuilder &builder, Body &body);
  /// Whether loops before or behind this one, or its own earlier runs, use the same rings.
  bool usesRingsAgain() const;

  LoopSchedule schedule;
  mlir::scf::ForOp loop;
  int64_t stages;
  /// Whether several programs of a cluster may copy for each other.
  bool inCluster;
  /// Whether the loop has one iteration at most.
  bool runsOnce;
  std::shared_ptr<Rings> rings;
  /// The number of each stream's ring.
  llvm::SmallVector<size_t> places;
  llvm::SmallVector<mlir::Value> pairs;
  /// The loops whose first copies this one starts, and that starts this one's.
  ScheduleExpander *successor = nullptr, *predecessor = nullptr;
  /// With a successor: the end of its copies, and the slot that is filled next behind the loop,
  /// with its parity.
  mlir::Value copiesEnd, lastFill, lastFillParity;
  /// Slots that private streams are read back from, by load.
  llvm::DenseMap<mlir::Operation *, std::pair<const Stream *, mlir::Value>> readBackFrom;
};

} // namespace tilec::tilegpu

#endif // TILEC_LIB_TRANSFORMS_TILEGPU_PIPELINE_SCHEDULEEXPANDER_H

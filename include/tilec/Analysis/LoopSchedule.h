// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Software pipelining, decided: which loads of a loop are copied to shared memory ahead, into rings
// of how many buffers, which dots stay in flight over the back edge, and in which order the new
// body does all that. `tilegpu-pipeline-loops` makes the loop that a schedule describes; nothing
// here changes the IR. `tile-opt --test-print-schedule` prints schedules.

#ifndef TILEC_ANALYSIS_LOOPSCHEDULE_H
#define TILEC_ANALYSIS_LOOPSCHEDULE_H

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Analysis/AxisInfo.h"
#include "tilec/Analysis/WrittenMemory.h"
#include "tilec/Layout/LinearLayout.h"
#include "llvm/ADT/SetVector.h"

namespace tilec {

/// A load that is copied to a ring of buffers ahead of the iteration that reads it.
struct Stream {
  tile::LoadOp load;
  /// Instead of a load through pointers.
  tile::DescriptorLoadOp tensorLoad;
  /// The buffer that the load only fills. A load that each thread needs for itself has none yet.
  tilegpu::LocalStoreOp store;
  tilegpu::LocalAllocOp buffer;
  /// What elements that are masked off are, where that is not zero as in the buffer; of a private
  /// stream alone.
  mlir::Value other;
  /// The layout of the buffer.
  LinearLayout memory;
  /// How long the cache is to keep what is loaded, where an async copy can say it.
  tile::EvictionPolicy evict = tile::EvictionPolicy::normal;
  /// A row of the tensor is a part of a line of the cache, and iterations nearby load the rest.
  bool loadsPartsOfLines = false;
  /// Order that takes the loaded tensor's dimensions to the buffer's; empty when the same.
  llvm::SmallVector<int32_t> order;

  mlir::Operation *source() const {
    tile::LoadOp pointers = load;
    tile::DescriptorLoadOp tensor = tensorLoad;
    return tensor ? tensor.getOperation() : pointers.getOperation();
  }
  /// A thread copies for itself alone, into slots that no other thread reads.
  bool isPrivate() const { return !tilegpu::LocalStoreOp(store); }
  /// The order that takes the buffer's dimensions to the loaded tensor's; empty when the same.
  llvm::SmallVector<int32_t> inverseOrder() const;
  /// The buffer's layout with the dimensions of the loaded tensor.
  LinearLayout memoryAsLoaded() const;
  tilegpu::MemDescType bufferType() const;
};

/// A buffer that each iteration stores anew for dots that stay in flight: there are two of it.
struct StagedBuffer {
  tilegpu::LocalAllocOp buffer;
  tilegpu::LocalStoreOp store;
};

/// Why a load is not copied ahead.
struct PipelineObstacle {
  mlir::Location loc;
  llvm::StringRef reason;
};

/// One thing that the body of the pipelined loop does.
struct ScheduleStep {
  enum class Kind {
    /// Computes the addresses of the copies ahead, where that loads.
    Addresses,
    /// Waits for the copies that this iteration, or behind a dot the next one, reads.
    WaitForCopies,
    /// Starts the copies of the iteration that is `LoopSchedule::copiesInFront` ahead.
    StartCopies,
    /// An operation of this iteration.
    Compute,
    /// Waits for the dots of the iteration before.
    WaitForDots,
    /// Lets whoever starts the copies refill what this iteration has read, or the one before whose
    /// dots were in flight.
    ReleaseBuffers,
  };
  Kind kind;
  /// What is computed; the dot that a wait for copies is behind.
  mlir::Operation *op = nullptr;
};

/// What a loop can compute for a later iteration: arithmetic and loads of indices from memory that
/// it does not write, of carried values, the counter and what is defined outside.
struct AheadSlice {
  mlir::scf::ForOp loop;
  WrittenMemory &written;
  /// Loads whose results come from buffers: the threads have them no earlier.
  llvm::DenseSet<mlir::Operation *> waiting = {};
  llvm::SetVector<mlir::Operation *> ops = {};
  /// Numbers of the carried values in it.
  llvm::SetVector<unsigned> args = {};

  /// Adds what `value` is computed from; false when that cannot be done ahead.
  bool add(mlir::Value value);
};

/// How one loop is pipelined.
struct LoopSchedule {
  mlir::scf::ForOp loop;
  /// Buffers of a ring.
  int64_t stages = 0;
  llvm::SmallVector<Stream> streams;
  /// What the addresses of the copies are computed from, in program order, and the numbers of the
  /// carried values among it.
  llvm::SmallVector<mlir::Operation *> slice;
  llvm::SmallVector<unsigned> sliceArgs;
  /// Waits for dots whose results are only added to in the next iteration: they stay in flight
  /// until then.
  llvm::SmallVector<tilegpu::WgmmaWaitOp> carried;
  llvm::SmallVector<StagedBuffer> staged;
  llvm::SmallVector<ScheduleStep> steps;
  /// The copies of the next iteration are waited for behind the start of a dot, so that the wait
  /// and the fence behind it take no time of their own.
  bool waitsBehindDot = false;
  /// Copies are started at the end of an iteration, behind the wait for the dots that read what
  /// they overwrite, rather than at its head.
  bool startsCopiesLast = false;
  /// Each warp releases the slots that it has read, and whoever fills one waits for that, instead
  /// of all warps at a barrier: warpgroups may be at different places of an iteration.
  bool releasesSlots = false;
  /// Copies are started by warps of their own, which wait for the slots that they fill
  /// (tilegpu-split-roles).
  bool hasLoadWarps = false;

  /// Iterations that the copies are ahead.
  int64_t distance() const { return stages - 1; }
  /// Iterations whose copies are started in front of the loop, which starts those of as many
  /// iterations later. Load warps are ahead by themselves, as far as slots are free: their
  /// iterations start their own copies.
  int64_t copiesInFront() const { return hasLoadWarps ? 0 : distance(); }
  /// Copies, counted in iterations, that may be in flight behind a wait for copies.
  int64_t copiesInFlight() const { return stages - 2; }
  /// The same in the loop, where that of the next iteration may come before the newest are started.
  int64_t copiesInFlightInLoop() const {
    return copiesInFlight() - (waitsBehindDot && startsCopiesLast);
  }
  /// Groups of dots in flight over the back edge.
  int64_t dotsInFlight() const;
  /// Whether addresses are computed from what is loaded.
  bool loadsAhead() const;
  /// Whether threads copy, rather than the copy engine alone.
  bool hasThreadCopies() const;
  int64_t numTensorCopies() const;
  /// Shared memory of the rings and pairs, in bytes.
  int64_t ringBytes() const;
  /// Bytes that one stage more would take.
  int64_t bytesPerStage() const;
  void print(llvm::raw_ostream &os) const;
};

/// The schedules of all loops of `func` that can be pipelined, in the order in which they are to
/// be expanded. Loops that reduce in each iteration, and do not ask for stages, get
/// `reductionStages`; less than 2: they are left alone. `obstacles` gets what the loads of other
/// loops, and other loads, were left for.
std::vector<LoopSchedule> scheduleLoops(mlir::func::FuncOp func, const AxisInfoAnalysis &axes,
                                        int64_t reductionStages,
                                        llvm::SmallVectorImpl<PipelineObstacle> &obstacles);

/// Whether the slots of the schedule's rings can be released warp by warp, and acquired by the
/// thread that starts the copies: all streams are tensor copies, and a slot is released before it
/// is filled again.
bool canReleaseSlots(const LoopSchedule &schedule);

/// Adds to the schedule that the slots of its rings are released, and acquired: where computing
/// warps start the copies, behind the start of the first dot.
void releaseSlots(LoopSchedule &schedule);

/// Adds to the schedule that the slots of its rings are released, and acquired by load warps.
/// Precondition: all its streams are tensor copies.
void giveToLoadWarps(LoopSchedule &schedule);

/// The stages that a loop, or else its kernel, asks for.
int64_t askedStages(mlir::scf::ForOp loop);

/// Whether a tensor copy can write the block that `load` reads to a buffer of this layout (with the
/// dimensions of the block).
bool isFilledByTensorCopy(tile::DescriptorLoadOp load, const LinearLayout &memory);

} // namespace tilec

#endif // TILEC_ANALYSIS_LOOPSCHEDULE_H

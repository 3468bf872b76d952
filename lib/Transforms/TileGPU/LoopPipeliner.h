// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to tilegpu-pipeline-loops: the loads of a loop that can become async copies, and the
// loop that issues them ahead. LoopStreams.cpp finds them, LoopPipeliner.cpp makes the loop.

#ifndef TILEC_LIB_TRANSFORMS_TILEGPU_LOOPPIPELINER_H
#define TILEC_LIB_TRANSFORMS_TILEGPU_LOOPPIPELINER_H

#include "StreamByTma.h"
#include "mlir/IR/IRMapping.h"
#include "tilec/Analysis/AxisInfo.h"
#include "tilec/Layout/TensorLayouts.h"
#include "llvm/ADT/SetVector.h"

namespace tilec::tilegpu {

/// A load whose only purpose is to fill a buffer.
struct Stream {
  tile::LoadOp load;
  /// Instead of a load through pointers.
  tile::DescriptorLoadOp tensorLoad;
  LocalStoreOp store;
  LocalAllocOp buffer;
  /// Order that takes the loaded tensor's dimensions to the buffer's; empty when the same.
  llvm::SmallVector<int32_t> order;

  mlir::Operation *source() const {
    tile::LoadOp pointers = load;
    tile::DescriptorLoadOp tensor = tensorLoad;
    return tensor ? tensor.getOperation() : pointers.getOperation();
  }
  /// The order that takes the buffer's dimensions to the loaded tensor's; empty when the same.
  llvm::SmallVector<int32_t> inverseOrder() const {
    llvm::SmallVector<int32_t> inverse(order.size());
    for (auto [i, dim] : llvm::enumerate(order))
      inverse[dim] = int32_t(i);
    return inverse;
  }
  /// The buffer's layout with the dimensions of the loaded tensor.
  LinearLayout memoryAsLoaded();
};

/// A buffer that each iteration stores anew for products that stay in flight: there are two of it.
struct Staged {
  LocalAllocOp buffer;
  LocalStoreOp store;
};

/// Why a load is not streamed.
struct Obstacle {
  mlir::Location loc;
  llvm::StringRef reason;
};

/// Whether a buffer has such a use, also one of a view of it.
bool anyUse(mlir::Value buffer, llvm::function_ref<bool(mlir::OpOperand &)> test);

/// Pipelines one loop.
class LoopPipeliner {
public:
  LoopPipeliner(mlir::scf::ForOp forOp, int64_t numStages) : loop(forOp), stages(numStages) {}

  /// Finds what to stream; false when there is nothing.
  bool analyse(const AxisInfoAnalysis &axes, llvm::SmallVectorImpl<Obstacle> &obstacles);
  bool streamsTo(LocalStoreOp store) const {
    return llvm::any_of(streams, [&](const Stream &stream) { return stream.store == store; });
  }
  void setStages(int64_t number) { stages = number; }
  void run();
  /// After `run`: tells which loops around have been rebuilt.
  llvm::ArrayRef<BarrierObjects::Replaced> replacedLoops() const {
    return tensorCopies ? tensorCopies->replaced() : llvm::ArrayRef<BarrierObjects::Replaced>();
  }
  void replaceLoop(const BarrierObjects::Replaced &replaced) {
    if (loop == replaced.first)
      loop = replaced.second;
  }

private:
  std::optional<Stream> matchStream(LocalStoreOp store, const AxisInfoAnalysis &axes,
                                    llvm::SmallVectorImpl<Obstacle> &obstacles);
  /// Adds what `value` is computed from to the slice; false when that cannot be done ahead.
  bool addToSlice(mlir::Value value);
  /// The slice of an iteration, cloned.
  struct AheadSlice {
    mlir::IRMapping mapping;
    /// Whether there is such an iteration.
    mlir::Value inRange;
  };
  /// Clones the slice for the iteration of `iv`. The values carried ahead are replaced by those of
  /// the next iteration.
  AheadSlice cloneSlice(mlir::OpBuilder &builder, mlir::Value iv,
                        llvm::MutableArrayRef<mlir::Value> ahead);
  /// Issues the copies of an iteration into buffer `slot`.
  void issueCopies(mlir::OpBuilder &builder, const AheadSlice &sliceAhead, mlir::Value slot);
  mlir::Value nextSlot(mlir::OpBuilder &builder, mlir::Value slot);
  /// The parity of the phase that the iteration with `nextSlot` waits for.
  mlir::Value nextParity(mlir::OpBuilder &builder, mlir::Value nextSlot, mlir::Value parity);
  /// The body of the new loop while it is made.
  struct Body {
    mlir::IRMapping mapping;
    /// Operations of the old body that the copies ahead replace.
    llvm::DenseSet<mlir::Operation *> dropped;
  };
  /// The rings, and the buffers that there are two of.
  void allocate(mlir::OpBuilder &builder);
  /// At the head of an iteration: the copies that it reads are there.
  void waitForCopies(mlir::OpBuilder &builder, mlir::Value read, mlir::Value parity);
  /// The dot behind whose start the copies of the next iteration are waited for, so that the wait
  /// and the fence behind it do not take time of their own; none where the head waits.
  WgmmaOp findWaitingProduct();
  /// Buffers become slot `read` of their rings, or number `half` of their pairs.
  void mapBuffers(mlir::OpBuilder &builder, mlir::Value read, mlir::Value half, Body &body);
  void cloneBody(mlir::OpBuilder &builder, Body &body);
  /// Those of this iteration stay in flight.
  void waitForEarlierProducts(mlir::OpBuilder &builder, mlir::IRMapping &mapping);
  void waitForLastProducts(mlir::OpBuilder &builder, llvm::SmallVectorImpl<mlir::Value> &results);
  /// Whether products in flight read what is copied.
  bool readsInFlight() const;
  /// Products whose result is only added to in the next iteration, and whose buffers nothing writes
  /// until then, or may be had twice: they stay in flight.
  void findCarriedProducts();
  std::optional<Staged> matchStaged(mlir::Value buffer);

  /// Whether addresses are computed from what is loaded.
  bool loadsAhead() const;
  /// Whether threads copy, rather than the copy engine alone.
  bool hasThreadCopies() const;

  mlir::scf::ForOp loop;
  int64_t stages;
  /// For the streams that the copy engine fills.
  std::unique_ptr<TensorCopyRing> tensorCopies;
  llvm::SmallVector<Stream> streams;
  llvm::SetVector<mlir::Operation *> slice;
  llvm::SetVector<unsigned> sliceArgs;
  llvm::SmallVector<mlir::Value> rings, pairs;
  llvm::SmallVector<WgmmaWaitOp> carried;
  WgmmaOp waitingProduct;
  llvm::SmallVector<Staged> staged;
};

} // namespace tilec::tilegpu

#endif // TILEC_LIB_TRANSFORMS_TILEGPU_LOOPPIPELINER_H

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipelined loads that each thread keeps for itself: async copies into slots of shared memory that
// only this thread reads, so that they take neither registers nor barriers.

#ifndef TILEC_LIB_TRANSFORMS_TILEGPU_PRIVATESTREAMS_H
#define TILEC_LIB_TRANSFORMS_TILEGPU_PRIVATESTREAMS_H

#include "dialects/TileGPU/TileGPUOps.h"
#include "tilec/Analysis/AxisInfo.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec {

/// Private rings of a loop take at most this many bytes of a thread: 512 threads fit beside each
/// other.
constexpr int64_t kPrivateRingBytes = 448;
/// What a CTA may need of shared memory beside them.
constexpr int64_t kSharedBesideRings = 16 * 1024;
/// What the rings of a loop that did not ask for them may take: blocks that are larger hardly ever
/// come more than once.
constexpr int64_t kUnaskedRings = 64 * 1024;

/// A load that now goes through a buffer of its own: load, store, load from the buffer.
struct PrivateStream {
  tile::LoadOp load;
  tilegpu::LocalStoreOp store;
  /// What the load had for elements that are masked off; they are zero in the buffer.
  mlir::Value other;
  /// Bytes of a thread.
  int64_t bytes = 0;
};

/// Puts buffers behind the loads of the loop's body that can be copied asynchronously in vectors of
/// at least 4 bytes.
llvm::SmallVector<PrivateStream> addPrivateStreams(mlir::scf::ForOp loop,
                                                   const AxisInfoAnalysis &axes);

/// Takes a buffer away again.
void removePrivateStream(const PrivateStream &stream);

} // namespace tilec

#endif // TILEC_LIB_TRANSFORMS_TILEGPU_PRIVATESTREAMS_H

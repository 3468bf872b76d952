// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a cluster has in flight: asynchronous copies, matrix products, and the barrier objects that
// threads wait at.
//
// Nothing here happens before it must. A copy with groups lands when its thread waits for the
// group, one with a barrier object when all running threads wait and one of them needs it, a matrix
// product when its warp waits for it; what nobody waits for lands when the CTA has ended. Addresses
// of shared memory are places in that of the cluster.
#ifndef TILEC_RUNTIME_SIM_ASYNCSTATE_H
#define TILEC_RUNTIME_SIM_ASYNCSTATE_H

#include "runtime/sim/HappensBefore.h"
#include "runtime/sim/MatrixOps.h"
#include "runtime/sim/SharedShadow.h"
#include "runtime/sim/TensorBox.h"

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace tilecrt::sim {

/// What holds bytes of shared memory that it will write; cells name it by its mark.
struct PendingWriter {
  int32_t site = -1;
  uint32_t thread = 0;
};

/// One cp.async.
struct CopyAsync {
  uint64_t source = 0;
  uint32_t dst = 0;
  uint32_t mark = 0;
  int32_t site = -1;
  uint8_t bytes = 0, sourceBytes = 0;
  bool marked = false; ///< The destination is good, and its cells carry the mark.
  bool landed = false;
  std::array<char, 16> seen = {}; ///< The source at the time of issue.
};

/// The cp.asyncs of one thread. Copies are numbered from 0 in order of issue.
struct CopyQueue {
  std::deque<CopyAsync> copies;
  uint64_t first = 0;          ///< Number of the copy at the front.
  std::deque<uint64_t> groups; ///< Of the groups in flight: the number of the copy after the last.

  uint64_t issued() const { return first + copies.size(); }
};

/// A bulk copy to shared memory, of one piece or of the box of a tensor map.
struct BulkLoad {
  uint32_t thread = 0;
  int32_t site = -1;
  uint32_t mbar = 0;
  uint32_t dst = 0, bytes = 0;
  uint32_t mark = 0;
  bool isFromShared = false; ///< Of one CTA's shared memory, at `src`.
  uint32_t src = 0;
  TensorBox box;
  std::vector<char> seen; ///< A global source at the time of issue, as it would land.
};

/// A bulk copy from shared memory.
struct BulkStore {
  uint32_t thread = 0;
  int32_t site = -1;
  uint32_t src = 0, bytes = 0;
  uint32_t byteMask = 0xffff;
  int32_t reduction = -1; ///< abi::BulkReduction.
  bool marked = false;    ///< The source's cells are held.
  bool wasRead = false;   ///< Shared memory has been read, into `data`.
  TensorBox box;
  std::vector<char> data;
};

/// The bulk stores of one thread.
struct BulkQueue {
  std::deque<BulkStore> stores;
  uint64_t first = 0;
  std::deque<uint64_t> groups;
};

/// A barrier object.
struct Mbarrier {
  uint32_t expected = 0; ///< Arrivals of a phase.
  uint32_t pending = 0;  ///< Of them, those missing.
  int64_t tx = 0;        ///< Bytes expected but not yet landed.
  uint64_t phase = 0;    ///< Completed phases.
  int32_t initSite = -1;
  AccessStamp init;
  bool initFenced = false; ///< By fence.mbarrier_init.
  uint64_t fencePhase = 0; ///< Arrivals at the cluster barrier that the warp had made by then.
  int32_t lastArrival = -1;
  WarpKnowledge meeting;   ///< Of the phase that runs.
  WarpKnowledge completed; ///< Of the phases before.

  /// Arrivals that wait for cp.asyncs: of a thread, its copies up to a number.
  struct CopyArrival {
    uint32_t thread = 0;
    uint64_t upTo = 0;
    int32_t site = -1;
  };
  std::deque<CopyArrival> copyArrivals;
};

/// What a lane waits for at a barrier object.
struct MbarrierWait {
  uint32_t mbar = 0;
  bool parity = true;
  bool relaxed = false;
  uint64_t phase = 0; ///< A parity, or the number of the phase.
  int32_t site = -1;

  bool isOver(const Mbarrier &object) const {
    return parity ? (object.phase & 1) != (phase & 1) : object.phase > phase;
  }
};

/// An accumulator that matrix products of a warp go to: its registers live here.
struct WgmmaAccumulator {
  uint32_t words = 0;              ///< Of a thread; 0: the slot is free.
  uint32_t inFlight = 0;           ///< Products that have yet to be added.
  int32_t site = -1;               ///< Of the last product.
  std::vector<uint32_t> registers; ///< [lane][word].
};

/// A matrix product in flight, as far as one warp computes it: 16 rows.
struct WgmmaProduct {
  WgmmaOperands shape;
  uint32_t slot = 0;
  int32_t site = -1;
  bool marked = false;
  std::vector<uint32_t> a;            ///< [lane][4], when A is in registers.
  std::vector<uint32_t> rowsA, rowsB; ///< Places of 16-byte rows: [row][2], or [k][rows / 8].
};

/// What one warp has in flight on the tensor cores.
struct WgmmaState {
  std::deque<WgmmaProduct> products;
  uint64_t first = 0;
  std::deque<uint64_t> groups;
  std::vector<WgmmaAccumulator> accumulators;
  uint32_t nextSlot = 0;
  bool fenced = false;   ///< wgmma.fence since registers were last free to be touched.
  uint64_t executed = 0; ///< Products issued, for the comparison with the other warps.
};

/// The matrix products that the warps of a warpgroup must issue alike.
struct WarpgroupLog {
  struct Entry {
    WgmmaOperands shape;
    int32_t site = -1;
    uint32_t thread = 0; ///< The first warp's leader.
    uint32_t warps = 0;  ///< That have come by.
  };
  std::deque<Entry> entries;
  uint64_t first = 0;
};

struct AsyncState {
  std::vector<PendingWriter> writers = std::vector<PendingWriter>(1); ///< By mark.
  std::vector<uint32_t> freeMarks;
  std::vector<CopyQueue> copies;     ///< By thread.
  std::vector<BulkQueue> bulkStores; ///< By thread.
  std::deque<BulkLoad> bulkLoads;    ///< In order of issue.
  std::map<uint32_t, Mbarrier> mbarriers;
  std::vector<MbarrierWait> waits;                ///< By thread.
  std::vector<std::unique_ptr<WgmmaState>> wgmma; ///< By warp.
  std::vector<WarpgroupLog> warpgroups;           ///< By the first warp.
  uint32_t waitingLanes = 0;                      ///< At barrier objects.
  bool queuesUsed = false;                        ///< Some thread's queue may not be empty.

  CopyQueue &copiesOf(uint32_t thread) {
    queuesUsed = true;
    return copies[thread];
  }
  BulkQueue &bulkStoresOf(uint32_t thread) {
    queuesUsed = true;
    return bulkStores[thread];
  }

  void reset(uint32_t threads, uint32_t warps);
  uint32_t addWriter(int32_t site, uint32_t thread);
  void dropWriter(uint32_t mark);
};

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_ASYNCSTATE_H

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shadow of a cluster's shared memory: per 32-bit word the last plain write, up to two plain reads
// and up to two atomics since, with who, where and when, and which bytes were ever written.
//
// A word that is ever accessed in part is split into four byte cells of the same kind, so the check
// is exact to the byte. Two reads (or atomics) of different warps, or of two lanes if there is only
// one warp, are enough where whole warps synchronise: any later writer is unordered with one of
// them if with any. Cells of an older cluster are recognised by their generation, so starting one
// clears nothing.
//
// An asynchronous operation holds its cells from its issue to its landing: cells it will write
// carry its mark, cells it will read a count. Touching them in between is a conflict; so is issuing
// it unordered with earlier accesses, or through the async proxy with no proxy fence after accesses
// of the generic proxy. When it lands its accesses get stamps with the issuing warp's asynchronous
// clock.
#ifndef TILEC_RUNTIME_SIM_SHAREDSHADOW_H
#define TILEC_RUNTIME_SIM_SHAREDSHADOW_H

#include "runtime/sim/HappensBefore.h"
#include <cstddef>
#include <memory>
#include <vector>

namespace tilecrt::sim {

/// Who accesses, where, and when by the clocks of the access.
struct AccessStamp {
  int32_t site = -1;
  uint32_t laneClock = 0; ///< 0: no access.
  uint32_t warpClock = 0;
  uint16_t thread = 0;
  bool atomic : 1;
  /// Of an asynchronous operation that has landed, and through which proxy: then warpClock is an
  /// asynchronous clock, that of bulk copies to shared memory for one of these.
  enum class Landed : uint8_t { No, ThroughAsyncProxy, ThroughGenericProxy, BulkLoad };
  Landed landed = Landed::No;

  AccessStamp() : atomic(false) {}

  bool isAsync() const { return landed != Landed::No; }
  /// Whether the two count by the same kind of clock.
  bool hasClockOf(const AccessStamp &o) const {
    return isAsync() == o.isAsync() &&
           (landed == Landed::BulkLoad) == (o.landed == Landed::BulkLoad);
  }

  bool valid() const { return laneClock != 0; }
};
static_assert(sizeof(AccessStamp) == 16, "a cell has three of them");

/// What an access ran into; each stamp is valid if there was such a conflict.
struct SharedConflicts {
  AccessStamp writeBefore; ///< An unordered earlier write (RAW for a read, WAW for a write).
  AccessStamp readBefore;  ///< An unordered earlier read (WAR).
  AccessStamp unfenced;    ///< An ordered earlier access with no proxy fence since (async proxy).
  bool unfencedRead = false;
  uint32_t pendingWrite = 0; ///< Mark of an operation that has yet to write here.
  uint32_t pendingByte = 0;  ///< First byte that an operation in flight holds.
  bool pendingRead = false;  ///< An operation has yet to read here what this access overwrites.
  bool uninitialized = false;
  uint32_t uninitializedByte = 0; ///< The first such byte.
  bool any() const {
    return uninitialized || pendingWrite != 0 || pendingRead || writeBefore.valid() ||
           readBefore.valid() || unfenced.valid();
  }
};

/// The mark of cells that hold a barrier object, which only its own operations may touch.
constexpr uint32_t mbarrierMark = UINT32_MAX;

class SharedShadow {
public:
  /// `clocks` has the clocks of all warps of the cluster and outlives the shadow.
  SharedShadow(size_t bytes, const std::vector<WarpClock> &clocks);

  /// Forgets everything: a new cluster begins.
  void beginCluster();

  /// Records an access of [offset, offset + bytes), which lies in a window, and says what it
  /// conflicts with.
  SharedConflicts read(uint32_t offset, uint32_t bytes, const AccessStamp &by);
  SharedConflicts write(uint32_t offset, uint32_t bytes, const AccessStamp &by);
  /// A read-modify-write (or atomic load, store): conflicts with unordered accesses that are not
  /// atomic.
  SharedConflicts readWrite(uint32_t offset, uint32_t bytes, const AccessStamp &by,
                            bool readsOldValue);

  /// An asynchronous operation is issued that will read the bytes, or write them under `mark`. With
  /// `asyncProxy`, earlier generic accesses need a proxy fence.
  /// Reads are of the async proxy.
  SharedConflicts issueRead(uint32_t offset, uint32_t bytes, const AccessStamp &by);
  SharedConflicts issueWrite(uint32_t offset, uint32_t bytes, const AccessStamp &by,
                             bool asyncProxy, uint32_t mark);
  /// It lands; `by` says when: an asynchronous stamp, or the thread's own that waited for it.
  void landRead(uint32_t offset, uint32_t bytes, const AccessStamp &by);
  void landWrite(uint32_t offset, uint32_t bytes, const AccessStamp &by, uint32_t mark);

  /// The bytes become a barrier object, or stop being one (and hold nothing).
  void setMbarrier(uint32_t offset, uint32_t bytes, bool alive);

private:
  struct Cell {
    AccessStamp write;
    std::array<AccessStamp, 2> reads;
    uint32_t generation = 0;
    uint32_t atomics = 0;      ///< Index in `atomicStamps`, 0 for none.
    uint32_t pendingWrite = 0; ///< Mark of the operation in flight that will write it.
    uint16_t pendingReads = 0; ///< Operations in flight that will read it.
    bool initialized = false;  ///< Of a word cell: all four bytes.
    bool split = false;        ///< Of a word cell: look at the byte cells.
  };

  using TwoStamps = std::array<AccessStamp, 2>;

  bool ordered(const AccessStamp &earlier, const AccessStamp &now) const;
  void conflict(const AccessStamp &earlier, const AccessStamp &by, AccessStamp &found) const;
  void keep(TwoStamps &stamps, const AccessStamp &by) const;
  void unfenced(const AccessStamp &earlier, const AccessStamp &by, bool isRead,
                SharedConflicts &found) const;
  void pending(const Cell &cell, bool writes, SharedConflicts &found, uint32_t byte) const;
  void split(uint32_t word);
  void readCell(Cell &cell, const AccessStamp &by, SharedConflicts &found, uint32_t byte);
  void writeCell(Cell &cell, const AccessStamp &by, SharedConflicts &found, uint32_t byte);
  void atomicCell(Cell &cell, const AccessStamp &by, bool readsOldValue, SharedConflicts &found,
                  uint32_t byte);
  template <typename Visit> void visit(uint32_t offset, uint32_t bytes, const Visit &visitCell);

  const std::vector<WarpClock> &clocks;
  uint32_t generation = 0;
  std::vector<Cell> words;
  std::vector<TwoStamps> atomicStamps; ///< Of the cells that have any; few kernels have many.
  std::unique_ptr<std::unique_ptr<Cell[]>[]> byteCells; ///< Four a word, made when a word is split.
};

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_SHAREDSHADOW_H

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shadow of the CTA's shared window: per 32-bit word the last plain write, up to two plain reads
// and up to two atomics since, with who, where and when, and which bytes were ever written.
//
// A word that is ever accessed in part is split into four byte cells of the same kind, so the check
// is exact to the byte. Two reads (or atomics) of different warps, or of two lanes if there is only
// one warp, are enough where whole warps synchronise: any later writer is unordered with one of
// them if with any. Cells of an older CTA are recognised by their generation, so starting a CTA
// clears nothing.
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
  bool atomic = false;

  bool valid() const { return laneClock != 0; }
};

/// What an access ran into; each stamp is valid if there was such a conflict.
struct SharedConflicts {
  AccessStamp writeBefore; ///< An unordered earlier write (RAW for a read, WAW for a write).
  AccessStamp readBefore;  ///< An unordered earlier read (WAR).
  bool uninitialized = false;
  uint32_t uninitializedByte = 0; ///< Offset in the window of the first such byte.
  bool any() const { return uninitialized || writeBefore.valid() || readBefore.valid(); }
};

class SharedShadow {
public:
  /// `clocks` has the clocks of all warps of the CTA and outlives the shadow.
  SharedShadow(size_t bytes, const std::vector<WarpClock> &clocks);

  /// Forgets everything: a new CTA begins.
  void beginCta();

  /// Records an access of [offset, offset + bytes), which lies in the window, and says what it
  /// conflicts with.
  SharedConflicts read(uint32_t offset, uint32_t bytes, const AccessStamp &by);
  SharedConflicts write(uint32_t offset, uint32_t bytes, const AccessStamp &by);
  /// A read-modify-write (or atomic load, store): conflicts with unordered accesses that are not
  /// atomic.
  SharedConflicts readWrite(uint32_t offset, uint32_t bytes, const AccessStamp &by,
                            bool readsOldValue);

private:
  struct Cell {
    AccessStamp write;
    std::array<AccessStamp, 2> reads;
    uint32_t generation = 0;
    uint32_t atomics = 0;     ///< Index in `atomicStamps`, 0 for none.
    bool initialized = false; ///< Of a word cell: all four bytes.
    bool split = false;       ///< Of a word cell: look at the byte cells.
  };

  using TwoStamps = std::array<AccessStamp, 2>;

  bool ordered(const AccessStamp &earlier, const AccessStamp &now) const;
  void conflict(const AccessStamp &earlier, const AccessStamp &by, AccessStamp &found) const;
  void keep(TwoStamps &stamps, const AccessStamp &by) const;
  void split(uint32_t word);
  void readCell(Cell &cell, const AccessStamp &by, SharedConflicts &found, uint32_t byte);
  void writeCell(Cell &cell, const AccessStamp &by, SharedConflicts &found);
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

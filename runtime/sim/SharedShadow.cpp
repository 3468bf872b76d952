// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks a shared-memory access makes against the shadow cells it covers.
#include "runtime/sim/SharedShadow.h"

namespace tilecrt::sim {

SharedShadow::SharedShadow(size_t bytes, const std::vector<WarpClock> &warpClocks)
    : clocks(warpClocks), words((bytes + 3) / 4) {
  byteCells.reset(new std::unique_ptr<Cell[]>[words.size()]);
}

void SharedShadow::beginCta() {
  if (++generation == 0) {
    for (Cell &cell : words)
      cell.generation = 0;
    generation = 1;
  }
}

bool SharedShadow::ordered(const AccessStamp &earlier, const AccessStamp &now) const {
  unsigned earlierWarp = earlier.thread / warpSize, warp = now.thread / warpSize;
  if (earlierWarp != warp)
    return clocks[warp].warpOrdered(earlierWarp, earlier.warpClock);
  return clocks[warp].laneOrdered(now.thread % warpSize, earlier.thread % warpSize,
                                  earlier.laneClock);
}

void SharedShadow::readCell(Cell &cell, const AccessStamp &by, SharedConflicts &found,
                            uint32_t byte) {
  if (!cell.initialized && !found.uninitialized) {
    found.uninitialized = true;
    found.uninitializedByte = byte;
  }
  const AccessStamp &write = cell.write;
  bool own = write.thread == by.thread && !write.several;
  if (write.valid() && !own && !found.writeBefore.valid() && !ordered(write, by))
    found.writeBefore = write;

  // Replace a read that this one is ordered after (or the same thread's); failing that keep two
  // readers as far apart as possible, so that any later writer conflicts with one of them.
  AccessStamp *reads = cell.reads;
  for (unsigned i = 0; i < 2; ++i)
    if (!reads[i].valid() || reads[i].thread == by.thread || ordered(reads[i], by)) {
      reads[i] = by;
      return;
    }
  unsigned warp0 = reads[0].thread / warpSize, warp1 = reads[1].thread / warpSize;
  if (warp0 == warp1 && by.thread / warpSize != warp0)
    reads[1] = by;
}

void SharedShadow::writeCell(Cell &cell, const AccessStamp &by, SharedConflicts &found) {
  const AccessStamp &write = cell.write;
  bool own = write.thread == by.thread && !write.several;
  if (write.valid() && !own && !found.writeBefore.valid() && !ordered(write, by))
    found.writeBefore = write;
  for (const AccessStamp &read : cell.reads)
    if (read.valid() && read.thread != by.thread && !found.readBefore.valid() && !ordered(read, by))
      found.readBefore = read;
  cell.write = by;
  cell.reads[0] = cell.reads[1] = AccessStamp();
  cell.initialized = true;
}

void SharedShadow::atomicCell(Cell &cell, const AccessStamp &by, bool readsOldValue,
                              SharedConflicts &found, uint32_t byte) {
  if (!cell.initialized && readsOldValue && !found.uninitialized) {
    found.uninitialized = true;
    found.uninitializedByte = byte;
  }
  AccessStamp stamp = by;
  if (cell.write.valid() && cell.write.atomic && !ordered(cell.write, by)) {
    stamp.several = cell.write.several || cell.write.thread != by.thread;
    cell.write = AccessStamp();
  }
  writeCell(cell, stamp, found);
}

template <typename Visit>
void SharedShadow::visit(uint32_t offset, uint32_t bytes, const Visit &visitCell) {
  uint32_t end = offset + bytes;
  for (uint32_t word = offset / 4; word * 4 < end; ++word) {
    Cell &cell = words[word];
    if (cell.generation != generation) {
      cell = Cell();
      cell.generation = generation;
    }
    uint32_t first = std::max(offset, word * 4), last = std::min(end, word * 4 + 4);
    if (last - first == 4 && !cell.split) {
      visitCell(cell, first);
      continue;
    }
    std::unique_ptr<Cell[]> &bytesOfWord = byteCells[word];
    if (!cell.split) {
      if (!bytesOfWord)
        bytesOfWord.reset(new Cell[4]);
      for (unsigned i = 0; i < 4; ++i)
        bytesOfWord[i] = cell;
      cell.split = true;
    }
    for (uint32_t byte = first; byte < last; ++byte)
      visitCell(bytesOfWord[byte % 4], byte);
  }
}

SharedConflicts SharedShadow::read(uint32_t offset, uint32_t bytes, const AccessStamp &by) {
  SharedConflicts found;
  visit(offset, bytes, [&](Cell &cell, uint32_t byte) { readCell(cell, by, found, byte); });
  return found;
}

SharedConflicts SharedShadow::write(uint32_t offset, uint32_t bytes, const AccessStamp &by) {
  SharedConflicts found;
  visit(offset, bytes, [&](Cell &cell, uint32_t) { writeCell(cell, by, found); });
  return found;
}

SharedConflicts SharedShadow::readWrite(uint32_t offset, uint32_t bytes, const AccessStamp &by,
                                        bool readsOldValue) {
  SharedConflicts found;
  visit(offset, bytes,
        [&](Cell &cell, uint32_t byte) { atomicCell(cell, by, readsOldValue, found, byte); });
  return found;
}

} // namespace tilecrt::sim

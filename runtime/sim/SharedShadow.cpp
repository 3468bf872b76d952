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

void SharedShadow::beginCluster() {
  atomicStamps.resize(1);
  if (++generation == 0) {
    for (Cell &cell : words)
      cell.generation = 0;
    generation = 1;
  }
}

bool SharedShadow::ordered(const AccessStamp &earlier, const AccessStamp &now) const {
  unsigned earlierWarp = earlier.thread / warpSize, warp = now.thread / warpSize;
  if (earlier.landed == AccessStamp::Landed::BulkLoad)
    return clocks[warp].bulkLoadOrdered(earlierWarp, earlier.warpClock);
  if (earlier.isAsync())
    return clocks[warp].asyncOrdered(earlierWarp, earlier.warpClock);
  if (earlierWarp != warp)
    return clocks[warp].warpOrdered(earlierWarp, earlier.warpClock);
  return clocks[warp].laneOrdered(now.thread % warpSize, earlier.thread % warpSize,
                                  earlier.laneClock);
}

/// Notes `earlier` as what `by` races with, if it does and nothing is noted yet.
void SharedShadow::conflict(const AccessStamp &earlier, const AccessStamp &by,
                            AccessStamp &found) const {
  if (earlier.valid() && (earlier.isAsync() || earlier.thread != by.thread) && !found.valid() &&
      !ordered(earlier, by))
    found = earlier;
}

/// Notes `earlier` as what `by`, of the async proxy, needs a fence for, if it is ordered but not
/// fenced.
void SharedShadow::unfenced(const AccessStamp &earlier, const AccessStamp &by, bool isRead,
                            SharedConflicts &found) const {
  bool isOfAsyncProxy = earlier.landed == AccessStamp::Landed::ThroughAsyncProxy ||
                        earlier.landed == AccessStamp::Landed::BulkLoad;
  if (!earlier.valid() || isOfAsyncProxy || found.unfenced.valid() ||
      clocks[by.thread / warpSize].fenced(earlier.thread / warpSize, earlier.warpClock,
                                          earlier.isAsync()))
    return;
  if ((earlier.isAsync() || earlier.thread != by.thread) && !ordered(earlier, by))
    return; // A race, and reported as one.
  found.unfenced = earlier;
  found.unfencedRead = isRead;
}

/// Notes that operations in flight hold the cell.
void SharedShadow::pending(const Cell &cell, bool writes, SharedConflicts &found,
                           uint32_t byte) const {
  if ((cell.pendingWrite == 0 && (!writes || cell.pendingReads == 0)) || found.pendingWrite != 0 ||
      found.pendingRead)
    return;
  found.pendingWrite = cell.pendingWrite;
  found.pendingRead = cell.pendingWrite == 0;
  found.pendingByte = byte;
}

/// Puts `by` in place of a stamp that it is ordered after; failing that keeps the first and the
/// last one.
void SharedShadow::keep(TwoStamps &stamps, const AccessStamp &by) const {
  for (AccessStamp &stamp : stamps)
    if (!stamp.valid() || (stamp.thread == by.thread && stamp.hasClockOf(by)) ||
        ordered(stamp, by)) {
      stamp = by;
      return;
    }
  if (by.thread / warpSize != stamps[0].thread / warpSize || !by.hasClockOf(stamps[0]))
    stamps[1] = by;
}

void SharedShadow::readCell(Cell &cell, const AccessStamp &by, SharedConflicts &found,
                            uint32_t byte) {
  pending(cell, /*writes=*/false, found, byte);
  if (!cell.initialized && !found.uninitialized && cell.pendingWrite == 0) {
    found.uninitialized = true;
    found.uninitializedByte = byte;
  }
  conflict(cell.write, by, found.writeBefore);
  if (cell.atomics != 0)
    for (const AccessStamp &atomic : atomicStamps[cell.atomics])
      conflict(atomic, by, found.writeBefore);
  keep(cell.reads, by);
}

void SharedShadow::writeCell(Cell &cell, const AccessStamp &by, SharedConflicts &found,
                             uint32_t byte) {
  pending(cell, /*writes=*/true, found, byte);
  conflict(cell.write, by, found.writeBefore);
  for (const AccessStamp &read : cell.reads)
    conflict(read, by, found.readBefore);
  if (cell.atomics != 0) {
    for (const AccessStamp &atomic : atomicStamps[cell.atomics])
      conflict(atomic, by, found.writeBefore);
    atomicStamps[cell.atomics].fill(AccessStamp());
  }
  cell.write = by;
  cell.reads.fill(AccessStamp());
  cell.initialized = true;
}

void SharedShadow::atomicCell(Cell &cell, const AccessStamp &by, bool readsOldValue,
                              SharedConflicts &found, uint32_t byte) {
  if (!cell.initialized && readsOldValue && !found.uninitialized) {
    found.uninitialized = true;
    found.uninitializedByte = byte;
  }
  conflict(cell.write, by, found.writeBefore);
  for (const AccessStamp &read : cell.reads)
    conflict(read, by, found.readBefore);
  if (cell.atomics == 0) {
    cell.atomics = static_cast<uint32_t>(atomicStamps.size());
    atomicStamps.emplace_back();
  }
  keep(atomicStamps[cell.atomics], by);
  cell.initialized = true;
}

/// From now on the bytes of the word have a cell each.
void SharedShadow::split(uint32_t word) {
  Cell &cell = words[word];
  std::unique_ptr<Cell[]> &bytesOfWord = byteCells[word];
  if (!bytesOfWord)
    bytesOfWord.reset(new Cell[4]);
  for (unsigned i = 0; i < 4; ++i) {
    bytesOfWord[i] = cell;
    if (cell.atomics == 0 || i == 0)
      continue;
    bytesOfWord[i].atomics = static_cast<uint32_t>(atomicStamps.size());
    TwoStamps copy = atomicStamps[cell.atomics];
    atomicStamps.push_back(copy);
  }
  cell.split = true;
}

/// Calls `visitCell(cell, first byte)` for the word and byte cells that make up the access.
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
    if (!cell.split)
      split(word);
    for (uint32_t byte = first; byte < last; ++byte)
      visitCell(byteCells[word][byte % 4], byte);
  }
}

SharedConflicts SharedShadow::read(uint32_t offset, uint32_t bytes, const AccessStamp &by) {
  SharedConflicts found;
  visit(offset, bytes, [&](Cell &cell, uint32_t byte) { readCell(cell, by, found, byte); });
  return found;
}

SharedConflicts SharedShadow::write(uint32_t offset, uint32_t bytes, const AccessStamp &by) {
  SharedConflicts found;
  visit(offset, bytes, [&](Cell &cell, uint32_t byte) { writeCell(cell, by, found, byte); });
  return found;
}

SharedConflicts SharedShadow::readWrite(uint32_t offset, uint32_t bytes, const AccessStamp &by,
                                        bool readsOldValue) {
  SharedConflicts found;
  visit(offset, bytes,
        [&](Cell &cell, uint32_t byte) { atomicCell(cell, by, readsOldValue, found, byte); });
  return found;
}

//===----------------------------------------------------------------------===//
// Asynchronous operations
//===----------------------------------------------------------------------===//

SharedConflicts SharedShadow::issueRead(uint32_t offset, uint32_t bytes, const AccessStamp &by) {
  SharedConflicts found;
  visit(offset, bytes, [&](Cell &cell, uint32_t byte) {
    pending(cell, /*writes=*/false, found, byte);
    if (!cell.initialized && !found.uninitialized && cell.pendingWrite == 0) {
      found.uninitialized = true;
      found.uninitializedByte = byte;
    }
    conflict(cell.write, by, found.writeBefore);
    unfenced(cell.write, by, /*isRead=*/false, found);
    if (cell.atomics != 0)
      for (const AccessStamp &atomic : atomicStamps[cell.atomics]) {
        conflict(atomic, by, found.writeBefore);
        unfenced(atomic, by, /*isRead=*/false, found);
      }
    ++cell.pendingReads;
  });
  return found;
}

SharedConflicts SharedShadow::issueWrite(uint32_t offset, uint32_t bytes, const AccessStamp &by,
                                         bool asyncProxy, uint32_t mark) {
  SharedConflicts found;
  visit(offset, bytes, [&](Cell &cell, uint32_t byte) {
    pending(cell, /*writes=*/true, found, byte);
    conflict(cell.write, by, found.writeBefore);
    for (const AccessStamp &read : cell.reads) {
      conflict(read, by, found.readBefore);
      if (asyncProxy)
        unfenced(read, by, /*isRead=*/true, found);
    }
    if (asyncProxy)
      unfenced(cell.write, by, /*isRead=*/false, found);
    if (cell.atomics != 0)
      for (const AccessStamp &atomic : atomicStamps[cell.atomics]) {
        conflict(atomic, by, found.writeBefore);
        if (asyncProxy)
          unfenced(atomic, by, /*isRead=*/false, found);
      }
    if (cell.pendingWrite == 0)
      cell.pendingWrite = mark;
  });
  return found;
}

void SharedShadow::landRead(uint32_t offset, uint32_t bytes, const AccessStamp &by) {
  visit(offset, bytes, [&](Cell &cell, uint32_t) {
    if (cell.pendingReads != 0)
      --cell.pendingReads;
    keep(cell.reads, by);
  });
}

void SharedShadow::landWrite(uint32_t offset, uint32_t bytes, const AccessStamp &by,
                             uint32_t mark) {
  visit(offset, bytes, [&](Cell &cell, uint32_t) {
    if (cell.pendingWrite == mark)
      cell.pendingWrite = 0;
    if (cell.atomics != 0)
      atomicStamps[cell.atomics].fill(AccessStamp());
    cell.write = by;
    cell.reads.fill(AccessStamp());
    cell.initialized = true;
  });
}

void SharedShadow::setMbarrier(uint32_t offset, uint32_t bytes, bool alive) {
  visit(offset, bytes, [&](Cell &cell, uint32_t) {
    if (alive) {
      cell.pendingWrite = mbarrierMark;
      return;
    }
    if (cell.pendingWrite == mbarrierMark)
      cell.pendingWrite = 0;
    cell.initialized = false;
  });
}

} // namespace tilecrt::sim

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Synchronisation.cpp and StoreWaits.cpp: an access of shared memory, how far it is
// known to be done, and the accesses of an operation.

#ifndef TILEC_LIB_ANALYSIS_SHAREDACCESSES_H
#define TILEC_LIB_ANALYSIS_SHAREDACCESSES_H

#include "tilec/Analysis/RingSlots.h"
#include "tilec/Analysis/SharedAllocation.h"

#include <map>
#include <set>

namespace tilec {

/// Number of an operation in program order, and whether what is meant is behind it.
using SyncPosition = std::pair<unsigned, bool>;

/// Who knows that an access is done.
enum class Progress { InFlight, KnownToSome, KnownToWarpgroup, KnownToAll };

struct SyncAccess {
  // What is accessed.
  /// Bytes [begin, end) of the CTA's window.
  int64_t begin = 0, end = 0;
  mlir::Operation *alloc = nullptr;
  /// The buffer of the ring; nothing when it may be any.
  std::optional<RingSlot> slot;

  // How.
  bool isWrite = false;
  /// Number of the operation in program order.
  unsigned op = 0;
  /// Every thread accesses its own part, the same one in all private accesses of these bytes.
  bool isPrivate = false;
  /// One thread, the same in all such accesses.
  bool isElected = false;
  bool usesAsyncProxy = false;
  std::optional<tilegpu::AsyncKind> kind;
  /// For TMA loads: the barrier object that tells of the end.
  mlir::Operation *objects = nullptr;
  std::optional<RingSlot> object;

  // Since then.
  Progress progress = Progress::KnownToSome;
  /// Groups of its kind that were closed behind it, at most kMaxAge; -1 while its own is open.
  int64_t age = 0;
  /// Number of the operation behind which some know: the access or the wait for it.
  unsigned doneBy = 0;
  /// The same in the block that is run; 0 for an earlier one.
  unsigned knownSince = 0;
  /// It happened only if the operation's predicate holds, which still has the value that it had.
  bool hasPredicate = false;
  /// With a predicate: the number of the first of two loops that it is about, if that has not run.
  unsigned skipped = 0;
  /// With a predicate: iterations that a loop without loops inside has ended since, at most one
  /// more than the copy is ahead.
  int64_t passes = 0;
  /// The thread has made a proxy fence since.
  bool isFenced = false;
  /// The last barrier since, where fences are looked for.
  std::optional<SyncPosition> barrier;

  static constexpr int64_t kMaxAge = 64;

  bool operator<(const SyncAccess &other) const {
    return op != other.op ? op < other.op : key() < other.key();
  }
  bool operator==(const SyncAccess &other) const { return key() == other.key(); }

private:
  using SlotKey = std::pair<const void *, int64_t>;
  static SlotKey keyOf(const std::optional<RingSlot> &slot) {
    return slot ? SlotKey(slot->root.getAsOpaquePointer(), slot->offset) : SlotKey(nullptr, -1);
  }
  /// `op`, `alloc` and `isWrite` say what all that is not listed is.
  std::tuple<unsigned, int64_t, int64_t, bool, SlotKey, SlotKey, Progress, int64_t, unsigned,
             unsigned, bool, unsigned, int64_t, bool, std::optional<SyncPosition>>
  key() const {
    return {op,     begin,      end,          isWrite, keyOf(slot), keyOf(object), progress, age,
            doneBy, knownSince, hasPredicate, skipped, passes,      isFenced,      barrier};
  }
};

using SharedAccesses = std::set<SyncAccess>;

/// Replaces every access by what `change` makes of it; false drops it.
template <typename Change> void update(SharedAccesses &accesses, Change change) {
  llvm::SmallVector<SyncAccess> changed;
  for (auto it = accesses.begin(); it != accesses.end();) {
    SyncAccess access = *it;
    bool stays = change(access);
    if (stays && access == *it) {
      ++it;
      continue;
    }
    if (stays)
      changed.push_back(access);
    it = accesses.erase(it);
  }
  accesses.insert(changed.begin(), changed.end());
}

/// The accesses of a function's operations.
class SharedAccessReader {
public:
  SharedAccessReader(mlir::FunctionOpInterface func, const SharedAllocation &sharedAllocation);

  llvm::SmallVector<SyncAccess, 2> of(mlir::Operation *op) const;

  unsigned numberOf(mlir::Operation *op) const { return numbers.lookup(op); }
  mlir::Operation *operation(unsigned number) const { return operations[number]; }
  const RingSlots &slotsOf(mlir::Operation *alloc) const { return slots.at(alloc); }
  /// The ring that a value is, or is a view of, when that is certain.
  mlir::Operation *ringOf(mlir::Value descriptor) const;

  /// The rings whose slots `release` lets be filled.
  llvm::DenseSet<mlir::Operation *> releasedBy(tilegpu::SlotReleaseOp release) const;
  /// Whether tensor copies that acquire its slots fill a ring.
  bool isCopiedByLoadWarps(mlir::Operation *alloc) const { return copiedRings.contains(alloc); }
  /// Whether `access`, in front of `loop`, may have happened when that does not run. A copy for one
  /// of its iterations has not. One for an iteration of two loops, of which the second begins where
  /// the first ends, remembers that the first has not run.
  bool mayHappenWithout(SyncAccess &access, mlir::scf::ForOp loop) const;

  /// What accesses in `op` depend on may have changed.
  void endPass(mlir::Operation *op, SharedAccesses &accesses) const;
  /// The same for the body of a loop without loops inside, whose iterations are counted.
  void countPass(mlir::scf::ForOp loop, SharedAccesses &accesses) const;
  /// Behind such a loop: copies for iterations that it ended before are not started.
  void dropCopiesPastEnd(mlir::scf::ForOp loop, SharedAccesses &accesses) const;

  /// Whether two accesses touch common bytes.
  bool mayOverlap(const SyncAccess &a, const SyncAccess &b) const;
  /// Whether `later` has to know that `earlier` is done.
  bool conflict(const SyncAccess &earlier, const SyncAccess &later) const;
  /// Whether each warpgroup has a part of the buffer to itself.
  bool isParted(mlir::Operation *alloc) const { return partedBuffers.contains(alloc); }
  /// Who has to know of `earlier` for `later`: with the two in conflict, a warpgroup where each has
  /// a part of the buffer to itself.
  Progress progressFor(const SyncAccess &earlier, const SyncAccess &later) const {
    return earlier.alloc == later.alloc && isParted(earlier.alloc) ? Progress::KnownToWarpgroup
                                                                   : Progress::KnownToAll;
  }

private:
  /// How many iterations of `loop` after that in which the copy is started, or after the first for
  /// one in front, the iteration is that it is for: it happens only if that one runs.
  std::optional<int64_t> iterationsAhead(const SyncAccess &access, mlir::scf::ForOp loop) const;
  /// Whether every thread writes with one of two copies, or of two stores, the bytes that it writes
  /// with the other.
  bool writeSameParts(const SyncAccess &a, const SyncAccess &b) const;

  const SharedAllocation &allocation;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  std::vector<mlir::Operation *> operations;
  std::map<mlir::Operation *, RingSlots> slots;
  /// Rings whose readers are the threads that have copied.
  llvm::DenseSet<mlir::Operation *> privateRings;
  /// By the ring of barrier objects that releases are arrivals at.
  llvm::DenseMap<mlir::Operation *, llvm::DenseSet<mlir::Operation *>> ringsOfEmpty;
  /// Buffers that warpgroups store to global memory by parts.
  llvm::DenseSet<mlir::Operation *> partedBuffers;
  /// Rings that tensor copies fill, which acquire their slots.
  llvm::DenseSet<mlir::Operation *> copiedRings;
};

} // namespace tilec

#endif // TILEC_LIB_ANALYSIS_SHAREDACCESSES_H

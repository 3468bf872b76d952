// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the source, accesses of one program happen one after the other. In the code, each thread does
// its own: where the same place is accessed twice, by different threads, and one of the two writes,
// a barrier in front of the second keeps the order. Different threads are those that load the same
// replicated element, or hold the place in two layouts, or at different elements. A barrier of the
// warp is enough where only its lanes share elements.
//
// The walk carries the accesses since the last barrier over structured control flow; a loop's body
// is walked twice, the second time with what the first has left as "from an earlier iteration".

#include "GlobalOrder.h"

#include "tilec/Analysis/GlobalAccess.h"
#include "tilec/Analysis/GlobalAddress.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {
/// What an operation does to global memory.
struct Access {
  Operation *op;
  bool isWrite;
  /// Null when there is no single pointer (descriptors).
  Value pointer;
  /// Who accesses the same element.
  SyncThreads replicas = SyncThreads::None;

  /// Reads and writes in one step. Single atomic accesses come in order as others do.
  bool isAtomic() const {
    auto access = dyn_cast<tile::GlobalAccessOpInterface>(op);
    return access && access.getAtomicOrder() && access.readsMemory() && access.writesMemory();
  }
  /// The type of a tensor's access; null for a scalar's.
  RankedTensorType getTensor() const {
    return pointer ? dyn_cast<RankedTensorType>(pointer.getType()) : RankedTensorType();
  }
};

/// An access since the last barrier. `loop` is the outermost loop that has begun another iteration
/// since.
struct Pending {
  Access access;
  Operation *loop = nullptr;
};

/// Accesses in program order; one of several that no comparison can tell apart is enough.
class PendingList {
public:
  void add(const Pending &access) {
    if (known.insert({access.access.op, access.loop}).second)
      list.push_back(access);
  }
  template <typename Predicate> void eraseIf(Predicate isDone) {
    llvm::erase_if(list, isDone);
    known.clear();
    for (const Pending &access : list)
      known.insert({access.access.op, access.loop});
  }
  void clear() {
    list.clear();
    known.clear();
  }
  size_t size() const { return list.size(); }
  auto begin() const { return list.begin(); }
  auto end() const { return list.end(); }

private:
  SmallVector<Pending> list;
  DenseSet<std::pair<Operation *, Operation *>> known;
};
} // namespace

/// Printing and assertions are no accesses.
static std::optional<Access> accessOf(Operation *op) {
  if (auto access = dyn_cast<tile::GlobalAccessOpInterface>(op))
    return Access{op, access.writesMemory(), access.getPointer()};
  if (!writesGlobal(op))
    return std::nullopt;
  return Access{op, true, Value()};
}

static std::optional<tile::MemSemantic> semanticOf(Operation *op) {
  auto access = dyn_cast<tile::GlobalAccessOpInterface>(op);
  return access ? access.getAtomicOrder() : std::nullopt;
}

//===--------------------------------------------------------------------------------------------===//
// The walk
//===--------------------------------------------------------------------------------------------===//

namespace {
class GlobalOrder {
public:
  GlobalOrder(FunctionOpInterface function, ArrayRef<SyncPoint> plan)
      : func(function), numWarps(numWarpsOf(function)) {
    for (const SyncPoint &point : plan)
      if (point.barrier == SyncThreads::Cta)
        planned.insert(Place(point.op, point.isBehind));
  }
  virtual ~GlobalOrder() = default;

  SmallVector<SyncPoint> plan(SyncPurpose purpose) {
    PendingList pending;
    walk(func.getFunctionBody(), pending);
    SmallVector<SyncPoint> points;
    for (const auto &[place, need] : needed)
      points.push_back({place.getPointer(), bool(place.getInt()), /*needsFence=*/false,
                        need.threads, purpose, need.earlier, need.later});
    return points;
  }

protected:
  /// Who has to wait for whom between two accesses.
  virtual SyncThreads threadsBetween(const Pending &earlier, const Access &access) = 0;
  /// Whether all threads wait behind `op`.
  virtual bool needsBarrierBehind(Operation *) { return false; }

  FunctionOpInterface func;
  int numWarps;

private:
  /// An operation, and whether what is meant is behind it.
  using Place = llvm::PointerIntPair<Operation *, 1, bool>;
  struct Need {
    SyncThreads threads = SyncThreads::None;
    Operation *earlier = nullptr, *later = nullptr;
  };

  /// Walks a region's blocks; `pending` is what is open before and after.
  void walk(Region &region, PendingList &pending) {
    for (Block &block : region)
      for (Operation &op : block)
        visit(&op, pending);
  }

  void visit(Operation *op, PendingList &pending) {
    if (isCtaBarrier(op) || planned.contains(Place(op, false)))
      pending.clear();
    if (std::optional<Access> access = accessOf(op)) {
      access->replicas = replicasOf(*access);
      visitAccess(*access, pending);
    } else if (isa<scf::ForOp, scf::WhileOp>(op)) {
      visitLoop(op, pending);
    } else if (isa<scf::IfOp, WarpRolesOp>(op)) {
      visitBranches(op, pending);
    }
    if (planned.contains(Place(op, true)) || needsBarrierBehind(op)) {
      if (!planned.contains(Place(op, true)))
        needed[Place(op, true)] = {SyncThreads::Cta, op, op};
      pending.clear();
    }
  }

  SyncThreads replicasOf(const Access &access) const {
    RankedTensorType type = access.getTensor();
    // An element is copied by one of the threads that hold it.
    if (!access.pointer || (type && !hasLayout(type)) || isa<AsyncCopyOp>(access.op))
      return SyncThreads::None;
    if (numWarps > 1 && (!type || layoutOf(type).getFreeVariableMask(kWarp) != 0))
      return SyncThreads::Cta;
    return !type || layoutOf(type).getFreeVariableMask(kLane) != 0 ? SyncThreads::Warp
                                                                   : SyncThreads::None;
  }

  void visitAccess(const Access &access, PendingList &pending) {
    Need need;
    // Each is compared with all before it. Beside so many a barrier costs nothing.
    constexpr size_t mostPending = 500;
    if (access.isWrite && pending.size() > mostPending)
      need = {SyncThreads::Cta, pending.begin()->access.op, access.op};
    for (const Pending &earlier : pending) {
      if (need.threads == SyncThreads::Cta)
        break;
      SyncThreads threads = threadsBetween(earlier, access);
      if (threads > need.threads)
        need = {threads, earlier.access.op, access.op};
    }
    if (need.threads != SyncThreads::None) {
      Need &found = needed[Place(access.op, false)];
      if (need.threads > found.threads)
        found = need;
      pending.eraseIf([&](const Pending &earlier) {
        return need.threads == SyncThreads::Cta ||
               threadsBetween(earlier, access) == SyncThreads::Warp;
      });
    }
    pending.add({access, nullptr});
  }

  void visitBranches(Operation *op, PendingList &pending) {
    PendingList before = pending;
    for (Region &region : op->getRegions()) {
      PendingList inside = before;
      walk(region, inside);
      for (const Pending &access : inside)
        pending.add(access);
    }
  }

  void visitLoop(Operation *op, PendingList &pending) {
    for (bool isFirst : {true, false}) {
      PendingList inside = pending;
      for (Region &region : op->getRegions())
        walk(region, inside);
      for (Pending access : inside) {
        if (isFirst && op->isAncestor(access.access.op))
          access.loop = op;
        pending.add(access);
      }
    }
  }

  DenseSet<Place> planned;
  llvm::MapVector<Place, Need> needed;
};
} // namespace

//===--------------------------------------------------------------------------------------------===//
// Places that are accessed twice
//===--------------------------------------------------------------------------------------------===//

/// Scalars are written by the first thread.
static bool haveOneThread(const Access &before, const Access &access) {
  return before.isWrite && access.isWrite && !before.getTensor() && !access.getTensor();
}

/// Whether each element is in the same threads in both. Of several with an element one writes,
/// and all load.
static bool haveSameThreads(const Access &before, const Access &access) {
  RankedTensorType first = before.getTensor(), second = access.getTensor();
  if (!first || !second || !hasLayout(first) || first.getEncoding() != second.getEncoding())
    return false;
  return !before.isWrite || access.isWrite || before.replicas == SyncThreads::None;
}

namespace {
class AccessOrder final : public GlobalOrder {
public:
  using GlobalOrder::GlobalOrder;

private:
  SyncThreads threadsBetween(const Pending &earlier, const Access &access) override {
    const Access &before = earlier.access;
    if ((!before.isWrite && !access.isWrite) || (before.isAtomic() && access.isAtomic()))
      return SyncThreads::None;
    // What all threads load may be written through another argument: work in place is common.
    SyncThreads loaders = before.isWrite ? SyncThreads::None : before.replicas;
    if (loaders == SyncThreads::Cta || !before.pointer || !access.pointer)
      return loaders;
    SyncThreads all = numWarps > 1 ? SyncThreads::Cta : SyncThreads::Warp;
    switch (earlier.loop ? addresses.compareAcross(earlier.loop, before.pointer, access.pointer)
                         : addresses.compare(before.pointer, access.pointer)) {
    case AddressRelation::Apart:
      return loaders;
    case AddressRelation::Unknown:
      // Blocks that are written one after the other are taken to be different ones.
      return before.isWrite && access.isWrite ? SyncThreads::None : all;
    case AddressRelation::Overlapping:
      return haveOneThread(before, access) ? SyncThreads::None : all;
    case AddressRelation::Same:
      return haveOneThread(before, access) || haveSameThreads(before, access) ? loaders : all;
    }
    llvm_unreachable("all relations are listed");
  }

  GlobalAddresses addresses;
};
} // namespace

SmallVector<SyncPoint> tilec::planAccessOrder(FunctionOpInterface func, ArrayRef<SyncPoint> plan) {
  return AccessOrder(func, plan).plan(SyncPurpose::GlobalAccesses);
}

//===--------------------------------------------------------------------------------------------===//
// Atomics that order
//===--------------------------------------------------------------------------------------------===//

/// What an earlier access has that a releasing atomic must wait for.
static bool isPublished(const Access &earlier, bool isByTensor) {
  if (isa<tile::StoreOp>(earlier.op))
    return bool(earlier.getTensor());
  // Each element of a tensor atomic orders what its own thread did, which is enough for the values
  // that it combines; a scalar one speaks for the whole program.
  if (isByTensor)
    return false;
  if (semanticOf(earlier.op))
    return bool(earlier.getTensor());
  return isa<tile::GlobalAccessOpInterface>(earlier.op);
}

namespace {
class AtomicOrder final : public GlobalOrder {
public:
  using GlobalOrder::GlobalOrder;

private:
  SyncThreads threadsBetween(const Pending &earlier, const Access &access) override {
    std::optional<tile::MemSemantic> semantic = semanticOf(access.op);
    bool waits = semantic && tile::isRelease(*semantic) &&
                 isPublished(earlier.access, /*isByTensor=*/bool(access.getTensor()));
    return waits ? SyncThreads::Cta : SyncThreads::None;
  }

  /// Threads that get the old value wait for it; a store of it is made by the same thread.
  bool needsBarrierBehind(Operation *op) override {
    std::optional<tile::MemSemantic> semantic = semanticOf(op);
    return semantic && tile::isAcquire(*semantic) &&
           !isa<RankedTensorType>(op->getResult(0).getType()) &&
           llvm::all_of(op->getUsers(), llvm::IsaPred<tile::StoreOp>) && isFollowedByAccess(op) &&
           !isCtaBarrier(op->getNextNode());
  }
};
} // namespace

SmallVector<SyncPoint> tilec::planAtomicOrder(FunctionOpInterface func) {
  bool orders = func->walk([](Operation *op) {
                      return semanticOf(op) ? WalkResult::interrupt() : WalkResult::advance();
                    })
                    .wasInterrupted();
  if (!orders)
    return {};
  return AtomicOrder(func, ArrayRef<SyncPoint>()).plan(SyncPurpose::Atomics);
}

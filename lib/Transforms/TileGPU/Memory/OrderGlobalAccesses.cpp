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

#include "tilec/Transforms/TileGPU/Passes.h"

#include "dialects/TileGPU/BarrierKind.h"

#include "tilec/Analysis/GlobalAccess.h"
#include "tilec/Analysis/GlobalAddress.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUORDERGLOBALACCESSESPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {
/// Threads that may get to a place in the wrong order.
enum class Sharers { None, Lanes, Warps };

/// What an operation does to global memory.
struct Access {
  Operation *op;
  bool isWrite;
  /// Null when there is no single pointer (descriptors).
  Value pointer;
  /// Who accesses the same element.
  Sharers replicas = Sharers::None;

  /// Reads and writes in one step. Single atomic accesses come in order as others do.
  bool isAtomic() const {
    auto rmw = dyn_cast<tile::AtomicRMWOp>(op);
    return isa<tile::AtomicCasOp>(op) || (rmw && rmw.getKind() != tile::AtomicKind::load &&
                                          rmw.getKind() != tile::AtomicKind::store);
  }
};

/// An access since the last barrier. `loop` is the outermost loop that has begun another iteration
/// since.
struct Pending {
  Access access;
  Operation *loop = nullptr;
};
} // namespace

/// Printing and assertions are no accesses.
static std::optional<Access> accessOf(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return Access{op, load.getIsVolatile(), load.getPointer()}; // A volatile one keeps its place.
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return Access{op, true, store.getPointer()};
  if (auto atomic = dyn_cast<tile::AtomicRMWOp>(op))
    return Access{op, atomic.getKind() != tile::AtomicKind::load, atomic.getPointer()};
  if (auto atomic = dyn_cast<tile::AtomicCasOp>(op))
    return Access{op, true, atomic.getPointer()};
  if (!writesGlobal(op))
    return std::nullopt;
  return Access{op, true, Value()};
}

static bool isBarrier(Operation *op) {
  return isa<NVVM::Barrier0Op, NVVM::BarrierOp, tile::BarrierOp>(op);
}

static RankedTensorType typeOf(const Access &access) {
  return access.pointer ? dyn_cast<RankedTensorType>(access.pointer.getType()) : RankedTensorType();
}

static Sharers replicasOf(const Access &access, int numWarps) {
  RankedTensorType type = typeOf(access);
  if (!access.pointer || (type && !hasLayout(type)))
    return Sharers::None;
  if (numWarps > 1 && (!type || layoutOf(type).getFreeVariableMask(kWarp) != 0))
    return Sharers::Warps;
  return !type || layoutOf(type).getFreeVariableMask(kLane) != 0 ? Sharers::Lanes : Sharers::None;
}

namespace {
class GlobalOrder {
public:
  explicit GlobalOrder(func::FuncOp function) : func(function), numWarps(numWarpsOf(function)) {}

  /// The operations that need a barrier in front, and of whom.
  const llvm::MapVector<Operation *, Sharers> &findBarriers() {
    PendingList pending;
    walk(func.getBody(), pending);
    return needed;
  }

private:
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

  /// Walks a region's blocks; `pending` is what is open before and after.
  void walk(Region &region, PendingList &pending) {
    for (Block &block : region)
      for (Operation &op : block)
        visit(&op, pending);
  }

  void visit(Operation *op, PendingList &pending) {
    if (isBarrier(op)) {
      pending.clear();
    } else if (std::optional<Access> access = accessOf(op)) {
      access->replicas = replicasOf(*access, numWarps);
      visitAccess(*access, pending);
    } else if (isa<scf::ForOp, scf::WhileOp>(op)) {
      visitLoop(op, pending);
    } else if (isa<scf::IfOp>(op)) {
      visitBranches(op, pending);
    }
  }

  void visitAccess(const Access &access, PendingList &pending) {
    Sharers sharers = Sharers::None;
    // Each is compared with all before it. Beside so many a barrier costs nothing.
    constexpr size_t mostPending = 500;
    if (access.isWrite && pending.size() > mostPending)
      sharers = Sharers::Warps;
    for (const Pending &earlier : pending)
      if (sharers != Sharers::Warps)
        sharers = std::max(sharers, sharersOf(earlier, access));
    if (sharers != Sharers::None) {
      Sharers &found = needed[access.op];
      found = std::max(found, sharers);
      pending.eraseIf([&](const Pending &earlier) {
        return sharers == Sharers::Warps || sharersOf(earlier, access) == Sharers::Lanes;
      });
    }
    pending.add({access, nullptr});
  }

  /// Who has to wait for whom between two accesses.
  Sharers sharersOf(const Pending &earlier, const Access &access) {
    const Access &before = earlier.access;
    if ((!before.isWrite && !access.isWrite) || (before.isAtomic() && access.isAtomic()))
      return Sharers::None;
    // What all threads load may be written through another argument: work in place is common.
    Sharers loaders = before.isWrite ? Sharers::None : before.replicas;
    if (loaders == Sharers::Warps || !before.pointer || !access.pointer)
      return loaders;
    Sharers all = numWarps > 1 ? Sharers::Warps : Sharers::Lanes;
    switch (earlier.loop ? addresses.compareAcross(earlier.loop, before.pointer, access.pointer)
                         : addresses.compare(before.pointer, access.pointer)) {
    case AddressRelation::Apart:
      return loaders;
    case AddressRelation::Unknown:
      // Blocks that are written one after the other are taken to be different ones.
      return before.isWrite && access.isWrite ? Sharers::None : all;
    case AddressRelation::Overlapping:
      return haveOneThread(before, access) ? Sharers::None : all;
    case AddressRelation::Same:
      return haveOneThread(before, access) || haveSameThreads(before, access) ? loaders : all;
    }
    llvm_unreachable("all relations are listed");
  }

  /// Scalars are written by the first thread.
  static bool haveOneThread(const Access &before, const Access &access) {
    return before.isWrite && access.isWrite && !typeOf(before) && !typeOf(access);
  }

  /// Whether each element is in the same threads in both. Of several with an element one writes,
  /// and all load.
  static bool haveSameThreads(const Access &before, const Access &access) {
    RankedTensorType first = typeOf(before), second = typeOf(access);
    if (!first || !second || !hasLayout(first) || first.getEncoding() != second.getEncoding())
      return false;
    return !before.isWrite || access.isWrite || before.replicas == Sharers::None;
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

  func::FuncOp func;
  int numWarps;
  GlobalAddresses addresses;
  llvm::MapVector<Operation *, Sharers> needed;
};

struct OrderGlobalAccesses final
    : tilec::impl::TileGPUOrderGlobalAccessesPassBase<OrderGlobalAccesses> {
  using Base::Base;
  void runOnOperation() override {
    getOperation().walk([](func::FuncOp func) {
      GlobalOrder order(func);
      for (auto [op, sharers] : order.findBarriers()) {
        OpBuilder builder(op);
        Operation *barrier = nullptr;
        if (sharers == Sharers::Warps)
          barrier = NVVM::Barrier0Op::create(builder, op->getLoc());
        else
          barrier = NVVM::SyncWarpOp::create(
              builder, op->getLoc(), arith::ConstantIntOp::create(builder, op->getLoc(), -1, 32));
        barrier->setAttr(tilegpu::kOrdersGlobalAttr, builder.getUnitAttr());
      }
    });
  }
};
} // namespace

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barrier need by forward dataflow over structured control flow. The pending set after an `if` is
// the union over its branches; the pending set at the head of a loop is the union of what enters
// and what the body leaves. An op that was found to need a barrier keeps it while a loop is
// repeated, so the found set only grows; for a fixed found set the pending sets only grow.

#include "tilec/Analysis/BarrierNeed.h"

#include <set>
#include <tuple>

using namespace mlir;

namespace tilec {
namespace {

/// Bytes [begin, end) that `op` reads or writes.
struct Access {
  int64_t begin;
  int64_t end;
  bool isWrite;
  /// Number of the op in program order.
  unsigned op;
  /// Every thread accesses its own part, the same one in all private accesses of these bytes.
  bool isPrivate;
  /// The ring of buffers that is accessed, and the loop around the access: whoever made the ring
  /// has placed the barriers between the accesses inside a loop, and between those in front of it.
  Operation *ring = nullptr;
  Operation *loop = nullptr;
  /// The buffer that is accessed, and whether the copy engine writes it: whoever reads it waits for
  /// a barrier object, and whoever starts the copy has placed a barrier before.
  Operation *alloc = nullptr;
  bool isTensorCopy = false;

  bool operator<(const Access &other) const {
    return std::tie(begin, end, isWrite, op, isPrivate) <
           std::tie(other.begin, other.end, other.isWrite, other.op, other.isPrivate);
  }
  bool operator==(const Access &other) const { return !(*this < other) && !(other < *this); }

  /// Read after write, write after read or write after write of common bytes by different ops.
  bool conflictsWith(const Access &later) const {
    if (op == later.op && isWrite == later.isWrite)
      return false;
    if (ring && ring == later.ring && loop == later.loop)
      return false;
    if (alloc == later.alloc && (isTensorCopy || later.isTensorCopy))
      return false;
    if (isPrivate && later.isPrivate && begin == later.begin && end == later.end)
      return false;
    return (isWrite || later.isWrite) && begin < later.end && later.begin < end;
  }
};

using Pending = std::set<Access>;

void unite(Pending &target, const Pending &source) { target.insert(source.begin(), source.end()); }

/// A barrier of all threads of the CTA.
bool isBarrier(Operation *op) {
  if (auto barrier = dyn_cast<NVVM::BarrierOp>(op))
    return !barrier.getNumberOfThreads();
  return isa<tile::BarrierOp, NVVM::Barrier0Op>(op) ||
         op->getName().getStringRef() == "gpu.barrier";
}

class BarrierFinder {
public:
  BarrierFinder(FunctionOpInterface func, const SharedAllocation &allocation)
      : allocation(allocation) {
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      unsigned number = numbers.size();
      numbers[op] = number;
    });
  }

  void runOnRegion(Region &region, Pending &pending) {
    if (region.hasOneBlock())
      return runOnBlock(region.front(), pending);
    runOnGraph(region, pending);
  }

  const std::set<unsigned> &getFound() const { return found; }

private:
  void runOnBlock(Block &block, Pending &pending) {
    for (Operation &op : block)
      runOnOp(&op, pending);
  }
  void runOnGraph(Region &region, Pending &pending);
  void runOnOp(Operation *op, Pending &pending);
  void runOnAccess(Operation *op, Pending &pending);
  /// Runs `body` until it finds no new barrier and `pending` covers what it leaves. `body` turns
  /// the pending set at the head of the loop into the one at the back edge.
  void iterate(Pending &head, llvm::function_ref<Pending(Pending)> body);

  SmallVector<Access, 2> accessesOf(Operation *op) const;

  const SharedAllocation &allocation;
  DenseMap<Operation *, unsigned> numbers;
  std::set<unsigned> found;
  /// All asynchronous copies met so far.
  Pending copies;
};

SmallVector<Access, 2> BarrierFinder::accessesOf(Operation *op) const {
  SmallVector<Access, 2> accesses;
  // Descriptors that control flow only passes on.
  if (op->hasTrait<OpTrait::IsTerminator>() || op->getNumRegions() > 0)
    return accesses;
  bool isPrivate = isa<tilegpu::ParkOp, tilegpu::UnparkOp>(op);
  bool isTensorCopy = isa<tilegpu::TmaLoadOp>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    ArrayRef<tilegpu::LocalAllocOp> buffers = allocation.getBuffersOf(operand.get());
    if (buffers.empty())
      continue;
    bool reads = true;
    bool writes = true;
    if (auto effects = dyn_cast<MemoryEffectOpInterface>(op)) {
      SmallVector<MemoryEffects::EffectInstance> instances;
      effects.getEffectsOnValue(operand.get(), instances);
      auto has = [&](auto effect) {
        return llvm::any_of(instances, [](const MemoryEffects::EffectInstance &instance) {
          return isa<decltype(effect)>(instance.getEffect());
        });
      };
      reads = has(MemoryEffects::Read());
      writes = has(MemoryEffects::Write());
    }
    for (tilegpu::LocalAllocOp alloc : buffers) {
      const SharedBuffer &buffer = allocation.getBuffers().find(alloc)->second;
      Operation *ring = alloc.getType().getBuffers() > 1 ? alloc.getOperation() : nullptr;
      Operation *loop = op->getParentOfType<LoopLikeOpInterface>();
      unsigned number = numbers.lookup(op);
      if (reads)
        accesses.push_back({buffer.offset, buffer.end(), false, number, isPrivate, ring, loop,
                            alloc, isTensorCopy});
      if (writes)
        accesses.push_back({buffer.offset, buffer.end(), true, number, isPrivate, ring, loop, alloc,
                            isTensorCopy});
    }
  }
  return accesses;
}

void BarrierFinder::runOnAccess(Operation *op, Pending &pending) {
  SmallVector<Access, 2> accesses = accessesOf(op);
  if (accesses.empty())
    return;
  unsigned number = numbers.lookup(op);
  bool needed = found.count(number) || llvm::any_of(accesses, [&](const Access &access) {
                  return llvm::any_of(pending, [&](const Access &earlier) {
                    return earlier.conflictsWith(access);
                  });
                });
  if (needed) {
    found.insert(number);
    pending.clear();
  }
  pending.insert(accesses.begin(), accesses.end());
  if (isa<tilegpu::AsyncCopyOp>(op))
    copies.insert(accesses.begin(), accesses.end());
}

void BarrierFinder::iterate(Pending &head, llvm::function_ref<Pending(Pending)> body) {
  const Pending entry = head;
  for (;;) {
    size_t foundBefore = found.size();
    Pending next = body(head);
    unite(next, entry);
    if (found.size() != foundBefore) {
      // New barriers make less pending: start over with them.
      head = entry;
      continue;
    }
    if (next == head)
      return;
    head = std::move(next);
  }
}

/// Whether the body of `loop` certainly runs.
static bool runsAtLeastOnce(scf::ForOp loop) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
  return lower && upper && !loop.getUnsignedCmp() && *lower < *upper;
}

/// The products whose result `value` may be.
static void collectProducts(Value value, SetVector<Operation *> &products,
                            DenseSet<Value> &visited) {
  if (!visited.insert(value).second)
    return;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<tilegpu::WgmmaOp>(op)) {
    products.insert(op);
    return;
  }
  if (auto wait = dyn_cast_or_null<tilegpu::WgmmaWaitOp>(op))
    return collectProducts(wait.getValues()[cast<OpResult>(value).getResultNumber()], products,
                           visited);
  if (auto loop = dyn_cast_or_null<scf::ForOp>(op))
    return collectProducts(loop.getYieldedValues()[cast<OpResult>(value).getResultNumber()],
                           products, visited);
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  if (!loop || argument == loop.getInductionVar())
    return;
  unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
  collectProducts(loop.getInitArgs()[index], products, visited);
  collectProducts(loop.getYieldedValues()[index], products, visited);
}

void BarrierFinder::runOnOp(Operation *op, Pending &pending) {
  if (isBarrier(op))
    return pending.clear();
  // Copies are in flight over barriers until the thread that started them has waited, which the
  // others learn at the next barrier.
  if (auto wait = dyn_cast<tilegpu::AsyncWaitOp>(op); wait && wait.getPending() == 0)
    pending.insert(copies.begin(), copies.end());
  // So are products, which read.
  if (auto wait = dyn_cast<tilegpu::WgmmaWaitOp>(op); wait && wait.getPending() == 0) {
    SetVector<Operation *> products;
    DenseSet<Value> visited;
    for (Value value : wait.getValues())
      collectProducts(value, products, visited);
    for (Operation *product : products)
      for (const Access &access : accessesOf(product))
        pending.insert(access);
  }
  if (op->getNumRegions() == 0)
    return runOnAccess(op, pending);

  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Pending other = pending;
    runOnRegion(branch.getThenRegion(), pending);
    if (!branch.getElseRegion().empty())
      runOnRegion(branch.getElseRegion(), other);
    return unite(pending, other);
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    Pending exit;
    iterate(pending, [&](Pending state) {
      runOnRegion(loop.getBefore(), state);
      exit = state;
      runOnRegion(loop.getAfter(), state);
      return state;
    });
    pending = std::move(exit);
    return;
  }
  auto loop = dyn_cast<scf::ForOp>(op);
  Pending last;
  // Any other op with regions is treated as a loop over all of them that may not run.
  iterate(pending, [&](Pending state) {
    for (Region &region : op->getRegions())
      runOnRegion(region, state);
    last = state;
    return state;
  });
  if (loop && runsAtLeastOnce(loop))
    pending = std::move(last);
}

void BarrierFinder::runOnGraph(Region &region, Pending &pending) {
  if (region.empty())
    return;
  // Unstructured control flow: every block may follow every other one.
  iterate(pending, [&](Pending state) {
    Pending all;
    for (Block &block : region) {
      Pending inside = state;
      runOnBlock(block, inside);
      unite(all, inside);
    }
    return all;
  });
}

} // namespace

SmallVector<Operation *> findNeededBarriers(FunctionOpInterface func,
                                            const SharedAllocation &allocation) {
  BarrierFinder finder(func, allocation);
  Pending pending;
  finder.runOnRegion(func.getFunctionBody(), pending);
  SmallVector<Operation *> result;
  unsigned number = 0;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (finder.getFound().count(number++))
      result.push_back(op);
  });
  return result;
}

} // namespace tilec

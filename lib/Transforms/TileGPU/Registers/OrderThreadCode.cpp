// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules a block of a thread's code for low register pressure, in two steps.
//
// By demand: the operations with effects keep their order; in front of each comes what it needs and
// is not there yet, depth first. What takes no more registers than it frees follows its operands at
// once, so that trees are folded as their leaves come. Reads must not fall behind a write that
// follows them: those that would are placed first, together with what later operations make of
// them, which has fewer registers than all that was read.
//
// Then reads move up as long as the registers live at that place leave room for their results.
// Where they do not, a wall keeps the assembler from moving the reads behind it up by itself.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Analysis/RegisterPressure.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUORDERTHREADCODEPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Operations between values and where they are combined that are looked at.
static constexpr unsigned kMaxFold = 16;

namespace {
/// Which accesses must keep their order.
struct Access {
  enum Kind { None, Global, Shared, Local, Slot, Everything };
  Kind kind = None;
  bool isWrite = false;
  int64_t slot = 0;

  /// Whether a read stays on its side of this.
  bool holds(const Access &read) const {
    if (kind == Everything)
      return true;
    return isWrite && kind == read.kind && (kind != Slot || slot == read.slot);
  }
};

class BlockOrder {
public:
  BlockOrder(Block &body, int64_t registers) : block(body), budget(registers * 2) {}

  void run() {
    collect();
    orderByDemand();
    raiseReads();
    Operation *end = block.getTerminator();
    for (Operation *op : order)
      if (op != end)
        op->moveBefore(end);
  }

private:
  static Access accessOf(Operation *op) {
    auto shared = [&](bool isWrite) {
      if (auto slot = op->getAttrOfType<IntegerAttr>(TileGPUDialect::kSlotAttr))
        return Access{Access::Slot, isWrite, slot.getInt()};
      return Access{Access::Shared, isWrite};
    };
    if (auto load = dyn_cast<LdGlobalOp>(op))
      return load.getIsVolatile() ? Access{Access::Everything, true} : Access{Access::Global};
    if (isa<StGlobalOp, AtomicRMWGlobalOp, AtomicCasGlobalOp>(op))
      return {Access::Global, true};
    if (isa<LdSharedOp, NVVM::LdMatrixOp>(op))
      return shared(false);
    if (isa<StSharedOp, NVVM::StMatrixOp>(op))
      return shared(true);
    if (isa<LLVM::LoadOp, LLVM::StoreOp>(op))
      return {Access::Local, isa<LLVM::StoreOp>(op)};
    if (isa<NVVM::ShflOp, NVVM::ReduxOp, NVVM::VoteSyncOp, ThreadMmaOp, OpaqueZeroOp>(op))
      return {Access::None, true};
    if (isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
        !op->hasTrait<OpTrait::IsTerminator>())
      return {};
    return {Access::Everything, true};
  }

  bool isRoot(unsigned op) const { return access[op].isWrite; }
  bool isRead(unsigned op) const { return access[op].kind != Access::None && !isRoot(op); }

  void collect() {
    // Nobody would ask for these.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
    for (Operation &op : block) {
      numbers[&op] = ops.size();
      ops.push_back(&op);
      access.push_back(accessOf(&op));
    }
    operands.resize(ops.size());
    for (unsigned i = 0; i < ops.size(); ++i) {
      // Operations inside regions use values of this block, too.
      llvm::SmallSetVector<unsigned, 8> needed;
      ops[i]->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (Operation *def = operand.getDefiningOp(); def && def->getBlock() == &block)
            needed.insert(numbers.lookup(def));
      });
      operands[i] = needed.takeVector();
      if (isRead(i))
        reads.push_back(i);
      if (isRoot(i))
        roots.push_back(i);
    }
    placed.assign(ops.size(), false);
    users.resize(ops.size());
    usesLeft.assign(ops.size(), 0);
    // What depends on no read is indices, addresses and masks, which the assembler makes again.
    std::vector<bool> isData(ops.size());
    for (unsigned i = 0; i < ops.size(); ++i) {
      isData[i] = isRead(i) || (isRoot(i) && !isa<OpaqueZeroOp>(ops[i])) ||
                  llvm::any_of(operands[i], [&](unsigned operand) { return isData[operand]; });
      sizes.push_back(isData[i] ? sizeOf(ops[i]) : 0);
      for (unsigned operand : operands[i]) {
        users[operand].push_back(i);
        ++usesLeft[operand];
      }
    }
  }

  //===------------------------------------------------------------------===//
  // Order by demand
  //===------------------------------------------------------------------===//

  void orderByDemand() {
    for (unsigned next = 0; next < roots.size(); ++next) {
      placeHeldReads(next);
      if (next + 1 == roots.size())
        for (unsigned op = 0; op < ops.size(); ++op)
          if (!placed[op] && op != roots[next])
            place(op);
      place(roots[next]);
    }
  }

  /// Places `op` behind everything that it needs, then what that makes ready and frees registers.
  /// Its operands are no roots that are not placed.
  void place(unsigned op) {
    SmallVector<unsigned> candidates;
    placeClosure(op, candidates);
    while (!candidates.empty()) {
      unsigned folding = findFold(candidates.pop_back_val());
      if (!placed[folding] && isWorthFolding(folding))
        placeClosure(folding, candidates);
    }
  }

  /// Appends what is not placed of what `op` needs, and `op`; adds their users to `candidates`.
  void placeClosure(unsigned op, SmallVectorImpl<unsigned> &candidates) {
    SmallVector<std::pair<unsigned, unsigned>> stack = {{op, 0}};
    while (!stack.empty()) {
      auto &[current, index] = stack.back();
      if (placed[current]) {
        stack.pop_back();
      } else if (index < operands[current].size()) {
        unsigned operand = operands[current][index++];
        if (!placed[operand])
          stack.push_back({operand, 0});
      } else {
        placed[current] = true;
        demand.push_back(current);
        for (unsigned operand : operands[current])
          // Its last user may fold it.
          if (--usesLeft[operand] == 1)
            llvm::append_range(candidates, users[operand]);
        llvm::append_range(candidates, users[current]);
        stack.pop_back();
      }
    }
  }

  /// The operation that combines what `op` leads to with other values; `op` itself when there is
  /// none.
  unsigned findFold(unsigned op) const {
    unsigned current = op;
    for (unsigned steps = 0; steps < kMaxFold; ++steps) {
      if (!isPure(current))
        return op;
      int64_t inputs = 0;
      for (unsigned operand : operands[current])
        if (users[operand].size() == 1)
          inputs += sizes[operand];
      if (inputs > sizes[current])
        return current;
      if (users[current].size() != 1)
        return op;
      current = users[current].front();
    }
    return op;
  }

  /// Whether `op` can be computed from what is placed in a few pure operations, and more registers
  /// die with those than its result takes.
  bool isWorthFolding(unsigned op) const {
    llvm::SmallSetVector<unsigned, kMaxFold> closure;
    closure.insert(op);
    llvm::SmallDenseMap<unsigned, unsigned> usesInside;
    for (unsigned i = 0; i < closure.size(); ++i) {
      if (!isPure(closure[i]) || closure.size() > kMaxFold)
        return false;
      for (unsigned operand : operands[closure[i]]) {
        if (placed[operand])
          ++usesInside[operand];
        else
          closure.insert(operand);
      }
    }
    int64_t freed = 0;
    for (auto [leaf, uses] : usesInside)
      if (usesLeft[leaf] == uses)
        freed += sizes[leaf];
    return freed > sizes[op];
  }

  bool isPure(unsigned op) const { return access[op].kind == Access::None && !isRoot(op); }

  /// Places the reads that must not come behind the root `next`, as parts of what the roots from
  /// there on need.
  void placeHeldReads(unsigned next) {
    unsigned root = roots[next];
    llvm::DenseSet<unsigned> held;
    llvm::erase_if(reads, [&](unsigned read) { return placed[read]; });
    for (unsigned read : reads) {
      if (read > root)
        break;
      if (access[root].holds(access[read]))
        held.insert(read);
    }
    if (held.empty())
      return;
    // What an operation that is not placed yet needs: some held read, or something that cannot be
    // placed before the root.
    enum State : uint8_t { Unknown, Plain, NeedsHeld, Blocked };
    std::vector<uint8_t> states(ops.size(), Unknown);
    auto stateOf = [&](unsigned op) -> State {
      SmallVector<std::pair<unsigned, unsigned>> stack = {{op, 0}};
      while (!stack.empty()) {
        auto &[current, index] = stack.back();
        if (states[current] != Unknown) {
          stack.pop_back();
          continue;
        }
        if (index < operands[current].size()) {
          unsigned operand = operands[current][index++];
          if (!placed[operand] && states[operand] == Unknown)
            stack.push_back({operand, 0});
          continue;
        }
        uint8_t state = held.contains(current) ? NeedsHeld : Plain;
        if (isRoot(current) || (isRead(current) && isBehindRoot(current, next)))
          state = Blocked;
        for (unsigned operand : operands[current])
          if (!placed[operand])
            state = std::max(state, states[operand]);
        states[current] = state;
        stack.pop_back();
      }
      return State(states[op]);
    };
    for (unsigned user = next; user < roots.size(); ++user)
      for (unsigned operand : operands[roots[user]])
        if (!placed[operand] && stateOf(operand) == NeedsHeld)
          place(operand);
    for (unsigned read : reads)
      if (held.contains(read) && !placed[read])
        place(read);
  }

  /// Whether a root from number `next` on, in front of the read, holds it behind.
  bool isBehindRoot(unsigned read, unsigned next) const {
    for (unsigned i = next; i < roots.size() && roots[i] < read; ++i)
      if (access[roots[i]].holds(access[read]))
        return true;
    return false;
  }

  //===------------------------------------------------------------------===//
  // Reads as early as registers allow
  //===------------------------------------------------------------------===//

  /// Halves of registers that the results of `op` take.
  static int64_t sizeOf(Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>())
      return 0;
    int64_t halves = 0;
    for (Type type : op->getResultTypes()) {
      int64_t count = 1;
      if (auto vector = dyn_cast<VectorType>(type)) {
        count = vector.getNumElements();
        type = vector.getElementType();
      }
      int64_t bits = isa<LLVM::LLVMPointerType>(type) ? 64
                     : type.isIntOrFloat()            ? type.getIntOrFloatBitWidth()
                                                      : 0;
      halves += bits <= 1 ? 0 : llvm::divideCeil(bits * count, 16);
    }
    return halves;
  }

  void raiseReads() {
    for (unsigned op = 0; op < ops.size(); ++op)
      usesLeft[op] = users[op].size();
    placed.assign(ops.size(), false);
    newestRead.assign(ops.size(), 0);
    // `ahead` runs over the reads in front of `i`; roots that it has passed are not emitted yet.
    size_t ahead = 0;
    bool waits = false;
    for (size_t i = 0; i < demand.size(); ++i) {
      ahead = std::max(ahead, i);
      // Refused reads wait until all in front of them are used and there is room.
      if (!waits || ahead == i || (inFlight.empty() && live + sizes[demand[ahead]] <= budget)) {
        if (waits)
          buildWall();
        waits = raiseFrom(ahead);
      }
      unsigned op = demand[i];
      if (placed[op])
        continue;
      // What was read is used up before the stores begin.
      if (isRoot(op) && access[op].kind == Access::Global &&
          llvm::any_of(recent, [&](unsigned earlier) {
            return isRead(earlier) && access[earlier].kind == Access::Global;
          }))
        buildWall();
      emit(op);
    }
  }

  /// Emits the reads from `ahead` on for which there are registers. True when it stops for want of
  /// them.
  bool raiseFrom(size_t &ahead) {
    for (; ahead < demand.size(); ++ahead) {
      unsigned op = demand[ahead];
      if (placed[op])
        continue;
      if (isRoot(op))
        passed.push_back(op);
      if (!isRead(op))
        continue;
      llvm::erase_if(passed, [&](unsigned root) { return placed[root]; });
      if (live + sizes[op] > budget)
        return true;
      if (isHeld(op) || needsRoot(op))
        return false;
      emitWithOperands(op);
    }
    return false;
  }

  void emitWithOperands(unsigned op) {
    for (unsigned operand : operands[op])
      if (!placed[operand])
        emitWithOperands(operand);
    if (!placed[op])
      emit(op);
  }

  void emit(unsigned op) {
    placed[op] = true;
    order.push_back(ops[op]);
    if (usesLeft[op] > 0)
      live += sizes[op];
    for (unsigned operand : operands[op])
      if (--usesLeft[operand] == 0)
        live -= sizes[operand];
    newestRead[op] = isRead(op) ? op + 1 : 0;
    for (unsigned operand : operands[op])
      newestRead[op] = std::max(newestRead[op], newestRead[operand]);
    if (isRead(op))
      inFlight.insert(op + 1);
    else if (!isa<LLVM::BitcastOp, LLVM::ExtractElementOp>(ops[op]))
      for (unsigned operand : operands[op])
        inFlight.erase(newestRead[operand]);
    recent.push_back(op);
  }

  /// What comes next stays behind all that was computed since the last wall and is still needed.
  void buildWall() {
    SmallVector<Value> values;
    for (unsigned op : recent) {
      if (isRead(op) || newestRead[op] == 0 || !isNeeded(op) || ops[op]->getNumResults() != 1)
        continue;
      Value result = ops[op]->getResult(0);
      if (result.getType().isF32() || result.getType().isInteger(32))
        values.push_back(result);
    }
    recent.clear();
    if (values.empty())
      return;
    OpBuilder builder(block.getTerminator());
    order.push_back(WallOp::create(builder, values.back().getLoc(), values));
  }

  /// Whether something that is not emitted yet uses the result, alone or packed with others.
  bool isNeeded(unsigned op) const {
    return usesLeft[op] > 0 || llvm::any_of(users[op], [&](unsigned user) {
             return isa<LLVM::InsertElementOp, LLVM::BitcastOp>(ops[user]) && isNeeded(user);
           });
  }

  bool isHeld(unsigned read) const {
    return llvm::any_of(
        passed, [&](unsigned root) { return !placed[root] && access[root].holds(access[read]); });
  }

  /// Whether something that `op` needs is a root, or a read that waits for one.
  bool needsRoot(unsigned op) const {
    SmallVector<unsigned> worklist = {op};
    llvm::DenseSet<unsigned> seen;
    while (!worklist.empty()) {
      unsigned current = worklist.pop_back_val();
      if (!seen.insert(current).second)
        continue;
      for (unsigned operand : operands[current]) {
        if (placed[operand])
          continue;
        if (isRoot(operand) || isRead(operand))
          return true;
        worklist.push_back(operand);
      }
    }
    return false;
  }

  Block &block;
  /// In halves of registers.
  int64_t budget;
  std::vector<Operation *> ops;
  DenseMap<Operation *, unsigned> numbers;
  std::vector<Access> access;
  /// By operation: those of this block whose results it uses, and those that use its own.
  std::vector<SmallVector<unsigned>> operands, users;
  /// By operation: the size of its results, and how many users are not placed yet.
  std::vector<int64_t> sizes;
  std::vector<unsigned> usesLeft;
  /// In the old order; reads that are placed go away.
  std::vector<unsigned> reads, roots;
  std::vector<bool> placed;
  /// The order by demand.
  std::vector<unsigned> demand;
  /// Roots in front of the next read to be raised.
  std::vector<unsigned> passed;
  /// The final order, and the size of what is live at its end.
  std::vector<Operation *> order;
  int64_t live = 0;
  /// By operation: the place in the order of the last read that it depends on.
  std::vector<unsigned> newestRead;
  /// Reads of whose results nothing was made yet.
  llvm::DenseSet<unsigned> inFlight;
  /// What was emitted since the last wall.
  std::vector<unsigned> recent;
};

struct OrderThreadCode final : tilec::impl::TileGPUOrderThreadCodePassBase<OrderThreadCode> {
  using Base::Base;
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func->removeAttr(TileGPUDialect::kFewRegistersAttr))
      return;
    int64_t limit = registersPerThread(func);
    // Two CTAs have few registers each, and one of them fills in where the other waits.
    bool sharesRegisters =
        func->getParentOfType<ModuleOp>()->hasAttr(TileGPUDialect::kPlannedOccupancyAttr);
    int64_t reserve = sharesRegisters ? 0 : kOtherRegisters;
    int64_t registers = limit - std::max(reserve, limit / 3);
    func.walk([&](Block *block) { BlockOrder(*block, registers).run(); });
  }
};
} // namespace

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts a kernel into what its computing warps do and what a warp does that only loads.
//
// Each role gets the whole function and keeps its own part of it: the loading one the copies into
// the rings whose slots are acquired, with the loops and the arithmetic that they depend on
// (LoadSlice), the computing ones all the rest. Both count slots and phases for themselves. What
// both use, rings and barrier objects, is in front, with a barrier of all warps behind.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tilec/Analysis/LoadSlice.h"
#include "tilec/Analysis/RolePlan.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUSPLITROLESPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {
class RoleSplitter {
public:
  explicit RoleSplitter(func::FuncOp function) : func(function), builder(func.getContext()) {}

  /// Whether the function has slots that load warps fill.
  bool findCopies() {
    DenseSet<Value> rings;
    func.walk([&](SlotAcquireOp acquire) {
      if (acquire.getElected())
        return;
      rings.insert(acquire.getFull());
      copies.push_back(acquire);
    });
    func.walk([&](TmaLoadOp copy) {
      if (rings.contains(copy.getBarriers()))
        copies.push_back(copy);
    });
    return !rings.empty();
  }

  /// Both roles know whose program they are in.
  bool addPrograms() {
    return !func.walk([&](EnterProgramOp enter) {
                  return slice.add(enter) ? WalkResult::advance() : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  /// False when a copy depends on what only the computing warps know.
  bool run() {
    if (!func.getBody().hasOneBlock() ||
        !llvm::all_of(copies, [&](Operation *copy) { return slice.add(copy); }) || !addPrograms())
      return false;
    Block &body = func.getBody().front();
    builder.setInsertionPointToStart(&body);
    roles = WarpRolesOp::create(builder, func.getLoc());
    Block *load = builder.createBlock(&roles.getLoad());
    Block *compute = builder.createBlock(&roles.getCompute());
    cloneLoads(load);
    compute->getOperations().splice(compute->end(), body.getOperations(),
                                    std::next(roles->getIterator()),
                                    body.getTerminator()->getIterator());
    for (Operation *copy : copies)
      copy->erase();
    simplify();
    return true;
  }

private:
  /// Buffers that both roles use, and their barrier objects, in front of the roles.
  void hoistShared();
  void cloneLoads(Block *load);
  void prune(Operation *op, IRMapping &mapping);
  void simplify();

  func::FuncOp func;
  OpBuilder builder;
  SmallVector<Operation *> copies;
  LoadSlice slice;
  WarpRolesOp roles;
};
} // namespace

void RoleSplitter::hoistShared() {
  SmallVector<LocalAllocOp> shared;
  func.walk([&](LocalAllocOp alloc) {
    if (slice.contains(alloc))
      shared.push_back(alloc);
  });
  for (LocalAllocOp alloc : shared)
    alloc->moveBefore(roles);
  for (LocalAllocOp alloc : shared)
    for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
      if (isa<MbarrierInitOp>(user))
        user->moveBefore(roles);
  // The objects are initialised for all.
  builder.setInsertionPoint(roles);
  NVVM::Barrier0Op::create(builder, func.getLoc());
}

void RoleSplitter::cloneLoads(Block *load) {
  hoistShared();
  IRMapping mapping;
  builder.setInsertionPointToEnd(load);
  SmallVector<Operation *> originals;
  for (Operation *op = roles->getNextNode(); !op->hasTrait<OpTrait::IsTerminator>();
       op = op->getNextNode())
    originals.push_back(op);
  for (Operation *op : originals)
    builder.clone(*op, mapping);
  for (Operation *op : llvm::reverse(originals))
    prune(op, mapping);
}

/// Takes from the clone of `op` what the slice has not.
void RoleSplitter::prune(Operation *op, IRMapping &mapping) {
  Operation *clone = mapping.lookup(op);
  if (!slice.contains(op)) {
    clone->dropAllUses();
    clone->erase();
    return;
  }
  // What is not needed goes around as it came, or is any value.
  auto anyValue = [&](OpBuilder &at, Type type) -> Value {
    return ub::PoisonOp::create(at, op->getLoc(), type);
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    auto cloned = cast<scf::ForOp>(clone);
    OpBuilder before(clone);
    for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
      if (!slice.needsCarried(loop, i)) {
        cloned.getInitArgsMutable()[i].assign(anyValue(before, loop.getResult(i).getType()));
        cloned.getBody()->getTerminator()->setOperand(i, cloned.getRegionIterArg(i));
      }
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    auto cloned = cast<scf::IfOp>(clone);
    for (unsigned i = 0; i < branch.getNumResults(); ++i)
      if (!slice.needsResult(branch, i))
        for (Operation *yield : {cloned.thenYield(), cloned.elseYield()}) {
          OpBuilder inside(yield);
          yield->setOperand(i, anyValue(inside, branch.getResult(i).getType()));
        }
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(block.without_terminator())))
        prune(&inner, mapping);
}

/// Takes away what the loops carry for the other role.
void RoleSplitter::simplify() {
  RewritePatternSet patterns(func.getContext());
  scf::ForOp::getCanonicalizationPatterns(patterns, func.getContext());
  scf::IfOp::getCanonicalizationPatterns(patterns, func.getContext());
  (void)applyPatternsGreedily(func.getBody(), std::move(patterns));
}

namespace {
struct SplitRoles final : tilec::impl::TileGPUSplitRolesPassBase<SplitRoles> {
  using Base::Base;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      RoleSplitter splitter(func);
      if (splitter.findCopies() && splitter.run())
        getOperation()->setAttr(
            TileGPUDialect::kLoadWarpsAttr,
            Builder(&getContext()).getI32IntegerAttr(loadWarpsFor(numWarpsOf(func))));
    }
  }
};
} // namespace

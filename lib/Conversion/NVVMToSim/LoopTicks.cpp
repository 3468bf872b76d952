// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator can stop a thread only inside a call of the runtime. Every back edge of the control
// flow that can be taken again and again without such a call gets one that counts nothing.
//
// A back edge goes to a block that dominates its source. It is safe when a block with a call lies
// on all ways from its target to its source: that block is dominated by the target and dominates
// the source. Cycles without a back edge in this sense (irreducible ones) get a call on every edge
// that closes a cycle of the depth-first search.

#include "SimBuilder.h"

#include "mlir/IR/Dominance.h"
#include "tilecrt/sim/SimAbi.h"

using namespace mlir;
using namespace tilec;
using namespace tilecrt::sim::abi;

/// Whether the operation is a call that the simulator can stop at.
static bool isStoppable(Operation &op) {
  auto call = dyn_cast<LLVM::CallOp>(op);
  if (!call || !call.getCallee() || !call.getCallee()->starts_with("tilec_"))
    return false;
  // The questions for the thread's position have an answer at once.
  return call.getNumResults() == 0 ||
         llvm::is_contained({"tilec_sim_shfl", "tilec_sim_redux", "tilec_sim_vote",
                             "tilec_sim_match_any", "tilec_sim_mbarrier_wait"},
                            *call.getCallee());
}

/// The blocks whose branch closes a cycle of the depth-first search, with the block it goes to.
static SmallVector<std::pair<Block *, Block *>> closingEdges(Region &region) {
  SmallVector<std::pair<Block *, Block *>> edges;
  struct Frame {
    Block *block;
    unsigned nextSuccessor;
  };
  enum class State { OnPath, Done };
  DenseMap<Block *, State> states;
  SmallVector<Frame> path = {{&region.front(), 0}};
  states[&region.front()] = State::OnPath;
  while (!path.empty()) {
    Frame &frame = path.back();
    if (frame.nextSuccessor == frame.block->getNumSuccessors()) {
      states[frame.block] = State::Done;
      path.pop_back();
      continue;
    }
    Block *successor = frame.block->getSuccessor(frame.nextSuccessor++);
    auto [entry, isNew] = states.try_emplace(successor, State::OnPath);
    if (isNew)
      path.push_back({successor, 0});
    else if (entry->second == State::OnPath)
      edges.emplace_back(frame.block, successor);
  }
  return edges;
}

void tilec::insertLoopTicks(LLVM::LLVMFuncOp function, SimBuilder &b) {
  Region &body = function.getBody();
  SmallVector<std::pair<Block *, Block *>> edges = closingEdges(body);
  if (edges.empty())
    return;
  DominanceInfo dominance(function);
  SmallVector<Block *> stoppable;
  for (Block &block : body)
    if (llvm::any_of(block, isStoppable))
      stoppable.push_back(&block);
  for (auto [source, target] : edges) {
    bool isSafe =
        llvm::any_of(stoppable, [source = source, target = target, &dominance](Block *block) {
          return dominance.dominates(target, block) && dominance.dominates(block, source);
        });
    if (isSafe)
      continue;
    Operation *branch = source->getTerminator();
    Location loc = branch->getLoc();
    b.rewriter.setInsertionPoint(branch);
    b.call(loc, "tilec_sim_count",
           {b.constantI32(loc, ClassControl), b.constantI32(loc, 0), b.site(branch, "loop")});
    stoppable.push_back(source);
  }
}

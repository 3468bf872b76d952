// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LastReaders.h.

#include "LastReaders.h"

#include "dialects/Tile/LoopCounter.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tilec/Analysis/RingSlots.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// What reads the buffer, through views of it as well.
static void collectReaders(Value buffer, SmallVectorImpl<Operation *> &readers) {
  for (Operation *user : buffer.getUsers())
    if (isa<MemDescIndexOp, MemDescPermuteOp>(user))
      collectReaders(user->getResult(0), readers);
    else
      readers.push_back(user);
}

/// The last of the waits in the loop's body for products among `readers`; null where they are
/// anything else.
static Operation *lastWaitOf(scf::ForOp loop, ArrayRef<Operation *> readers) {
  Operation *last = nullptr;
  for (Operation *reader : readers) {
    Operation *wait = lastWaitFor(reader);
    if (!isa<WgmmaOp>(reader) || wait == reader || reader->getBlock() != loop.getBody())
      return nullptr;
    if (!last || last->isBeforeInBlock(wait))
      last = wait;
  }
  return last;
}

/// Where the results of a wait are used first: in front of it other products may start.
static Operation *firstUserOf(Operation *wait) {
  Operation *first = wait->getBlock()->getTerminator();
  for (Operation *user : wait->getUsers()) {
    Operation *place = wait->getBlock()->findAncestorOpInBlock(*user);
    if (place && place->isBeforeInBlock(first))
      first = place;
  }
  return first;
}

LastReaders::LastReaders(RewriterBase &irRewriter, LocalStoreOp store)
    : rewriter(irRewriter), fill(store) {
  SmallVector<Operation *> all;
  collectReaders(store.getBuffer(), all);
  llvm::MapVector<Operation *, SmallVector<Operation *>> byPlace;
  for (Operation *reader : all)
    if (Operation *place = fill->getBlock()->findAncestorOpInBlock(*reader); place != fill)
      byPlace[place].push_back(reader);
  for (auto &[place, inside] : byPlace) {
    auto loop = dyn_cast<scf::ForOp>(place);
    readers.push_back({place, loop ? lastWaitOf(loop, inside) : nullptr});
  }
  llvm::sort(readers, [](const Reader &a, const Reader &b) { return a.op->isBeforeInBlock(b.op); });
  findLoops();
}

bool LastReaders::isSameForAll(scf::ForOp loop) const {
  auto tiles = cast<scf::ForOp>(fill->getParentOp());
  return tiles.isDefinedOutsideOfLoop(loop.getLowerBound()) &&
         tiles.isDefinedOutsideOfLoop(loop.getUpperBound());
}

void LastReaders::findLoops() {
  SmallVector<Value> bounds;
  for (numFirst = readers.size(); numFirst > 0; --numFirst) {
    const Reader &reader = readers[numFirst - 1];
    if (!reader.lastWait)
      return;
    auto loop = cast<scf::ForOp>(reader.op);
    if (numFirst < readers.size() && !isSameForAll(loop))
      return;
    bounds.append({loop.getLowerBound(), loop.getUpperBound()});
    if (failed(moveValueDefinitions(rewriter, bounds, loop)))
      return;
  }
}

void LastReaders::emitInLoop(const Reader &reader, Value noneLater, Emit make) {
  auto loop = cast<scf::ForOp>(reader.op);
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(firstUserOf(reader.lastWait));
  Value next = arith::AddIOp::create(rewriter, loc, loop.getInductionVar(), loop.getStep());
  Value isLast = arith::CmpIOp::create(rewriter, loc, arith::invertPredicate(lessOf(loop)), next,
                                       loop.getUpperBound());
  if (noneLater)
    isLast = arith::AndIOp::create(rewriter, loc, isLast, noneLater);
  make(rewriter, isLast);
}

void LastReaders::emit(Emit make) {
  ArrayRef<Reader> loops = ArrayRef(readers).drop_front(numFirst);
  Operation *behind = numFirst > 0 ? lastWaitFor(readers[numFirst - 1].op) : fill;
  if (loops.empty()) {
    rewriter.setInsertionPointAfter(behind);
    make(rewriter, Value());
    return;
  }
  Operation *first = loops.front().op;
  rewriter.setInsertionPoint(first);
  // Whether none of the loops behind has iterations.
  Value none;
  for (const Reader &reader : llvm::reverse(loops)) {
    auto loop = cast<scf::ForOp>(reader.op);
    emitInLoop(reader, none, make);
    rewriter.setInsertionPoint(first);
    Value isEmpty =
        arith::CmpIOp::create(rewriter, loop.getLoc(), arith::invertPredicate(lessOf(loop)),
                              loop.getLowerBound(), loop.getUpperBound());
    none = none ? arith::AndIOp::create(rewriter, loop.getLoc(), isEmpty, none) : isEmpty;
  }
  if (!behind->isBeforeInBlock(first))
    rewriter.setInsertionPointAfter(behind);
  make(rewriter, none);
}

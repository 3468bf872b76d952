// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the software-pipelined loop: rings of buffers, async copies ahead, dots in flight.

#include "LoopPipeliner.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

Value LoopPipeliner::nextSlot(OpBuilder &builder, Value slot) {
  Location loc = loop.getLoc();
  Value one = arith::ConstantIntOp::create(builder, loc, 1, 32);
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
  Value count = arith::ConstantIntOp::create(builder, loc, stages, 32);
  Value next = arith::AddIOp::create(builder, loc, slot, one);
  Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, next, count);
  return arith::SelectOp::create(builder, loc, wraps, zero, next);
}

Value LoopPipeliner::nextParity(OpBuilder &builder, Value nextSlot, Value parity) {
  Location loc = loop.getLoc();
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
  Value one = arith::ConstantIntOp::create(builder, loc, 1, 32);
  Value other = arith::XOrIOp::create(builder, loc, parity, one);
  Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, nextSlot, zero);
  return arith::SelectOp::create(builder, loc, wraps, other, parity);
}

LoopPipeliner::AheadSlice LoopPipeliner::cloneSlice(OpBuilder &builder, Value iv,
                                                    MutableArrayRef<Value> ahead) {
  Location loc = loop.getLoc();
  AheadSlice result;
  IRMapping &mapping = result.mapping;
  mapping.map(loop.getInductionVar(), iv);
  for (auto [arg, value] : llvm::zip(sliceArgs, ahead))
    mapping.map(loop.getRegionIterArg(arg), value);
  auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  auto isInRange = [&]() -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, iv, loop.getUpperBound());
  };
  if (loadsAhead())
    result.inRange = isInRange();
  // Slices are in def-before-use order.
  for (Operation *op : slice) {
    Operation *clone = builder.clone(*op, mapping);
    if (auto load = dyn_cast<tile::LoadOp>(clone)) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(load);
      Value mask = result.inRange;
      if (auto type = dyn_cast<RankedTensorType>(load.getPointer().getType()))
        mask = tile::SplatOp::create(builder, load.getLoc(), type.clone(builder.getI1Type()), mask);
      if (load.getMask())
        mask = arith::AndIOp::create(builder, load.getLoc(), mask, load.getMask());
      load.getMaskMutable().assign(mask);
    }
  }
  if (!result.inRange)
    result.inRange = isInRange();
  SmallVector<Value> next;
  for (unsigned arg : sliceArgs)
    next.push_back(mapping.lookupOrDefault(loop.getYieldedValues()[arg]));
  llvm::copy(next, ahead.begin());
  return result;
}

void LoopPipeliner::issueCopies(OpBuilder &builder, const AheadSlice &sliceAhead, Value slot) {
  Location loc = loop.getLoc();
  const IRMapping &mapping = sliceAhead.mapping;
  Value inRange = sliceAhead.inRange;
  for (auto [stream, ring] : llvm::zip(streams, rings)) {
    Location at = stream.source()->getLoc();
    if (stream.tensorLoad) {
      auto type = cast<MemDescType>(ring.getType()).getOneBuffer();
      Value buffer = MemDescIndexOp::create(builder, at, type, ring, slot);
      buffer = viewAsBlock(builder, at, buffer, stream.inverseOrder(), stream.memoryAsLoaded());
      tensorCopies->start(builder, stream.tensorLoad, mapping, buffer, slot, inRange);
      continue;
    }
    Value pointer = mapping.lookupOrDefault(stream.load.getPointer());
    auto pointerType = cast<RankedTensorType>(pointer.getType());
    auto maskType = pointerType.clone(builder.getI1Type());
    Value mask = tile::SplatOp::create(builder, at, maskType, inRange);
    if (stream.load.getMask())
      mask =
          arith::AndIOp::create(builder, at, mask, mapping.lookupOrDefault(stream.load.getMask()));
    auto ringType = cast<MemDescType>(ring.getType());
    Value target = MemDescIndexOp::create(builder, at, ringType.getOneBuffer(), ring, slot);
    if (!stream.order.empty()) {
      // The copy sees the buffer in the order of the loaded tensor.
      auto type =
          MemDescType::get(builder.getContext(), pointerType.getShape(), ringType.getElementType(),
                           LinearAttr::get(builder.getContext(), stream.memoryAsLoaded()));
      target = MemDescPermuteOp::create(builder, at, type, target,
                                        builder.getDenseI32ArrayAttr(stream.inverseOrder()));
    }
    AsyncCopyOp::create(builder, at, pointer, target, mask, stream.load.getCache());
  }
  if (hasThreadCopies())
    AsyncCommitOp::create(builder, loc);
}

/// A buffer as `type`, with several of it.
static Value allocateRing(OpBuilder &builder, Location loc, MemDescType type, int64_t buffers) {
  auto ring = MemDescType::get(builder.getContext(), type.getShape(), type.getElementType(),
                               type.getLayout(), buffers);
  return LocalAllocOp::create(builder, loc, ring, IntegerAttr());
}

void LoopPipeliner::allocate(OpBuilder &builder) {
  for (Stream &stream : streams)
    rings.push_back(
        allocateRing(builder, stream.source()->getLoc(), stream.buffer.getType(), stages));
  for (Staged &buffer : staged)
    pairs.push_back(allocateRing(builder, buffer.buffer.getLoc(), buffer.buffer.getType(), 2));
}

void LoopPipeliner::mapBuffers(OpBuilder &builder, Value read, Value half, Body &body) {
  auto mapTo = [&](LocalAllocOp buffer, Value ring, Value slot, Location loc) {
    auto type = cast<MemDescType>(ring.getType()).getOneBuffer();
    body.mapping.map(buffer.getResult(),
                     MemDescIndexOp::create(builder, loc, type, ring, slot).getResult());
    body.dropped.insert(buffer);
  };
  for (auto [stream, ring] : llvm::zip(streams, rings)) {
    mapTo(stream.buffer, ring, read, stream.source()->getLoc());
    body.dropped.insert(stream.store);
    for (Operation *op = stream.store.getValue().getDefiningOp();;
         op = op->getOperand(0).getDefiningOp()) {
      body.dropped.insert(op);
      if (op == stream.source())
        break;
    }
  }
  for (auto [buffer, pair] : llvm::zip(staged, pairs))
    mapTo(buffer.buffer, pair, half, buffer.buffer.getLoc());
}

void LoopPipeliner::cloneBody(OpBuilder &builder, Body &body) {
  DenseSet<Operation *> inFlight;
  for (WgmmaWaitOp wait : carried)
    inFlight.insert(wait);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (body.dropped.contains(&op))
      continue;
    if (inFlight.contains(&op)) {
      body.mapping.map(op.getResult(0), body.mapping.lookup(op.getOperand(0)));
      continue;
    }
    builder.clone(op, body.mapping);
    if (&op == waitingProduct)
      AsyncWaitOp::create(builder, op.getLoc(), uint32_t(stages - 2));
  }
}

void LoopPipeliner::waitForEarlierProducts(OpBuilder &builder, IRMapping &mapping) {
  if (carried.empty())
    return;
  SmallVector<Value> products;
  int64_t pending = 0;
  for (WgmmaWaitOp wait : carried) {
    products.push_back(mapping.lookup(wait.getResult(0)));
    pending += wait.getValues().front().getDefiningOp<WgmmaOp>().numGroups();
  }
  auto wait = WgmmaWaitOp::create(builder, loop.getLoc(), ValueRange(products), int32_t(pending));
  for (auto [old, result] : llvm::zip(carried, wait.getResults()))
    mapping.map(old.getResult(0), result);
}

void LoopPipeliner::waitForLastProducts(OpBuilder &builder, SmallVectorImpl<Value> &results) {
  if (carried.empty())
    return;
  SmallVector<Value> products;
  SmallVector<unsigned> numbers;
  for (WgmmaWaitOp wait : carried) {
    numbers.push_back(wait.getResult(0).use_begin()->getOperandNumber());
    products.push_back(results[numbers.back()]);
  }
  auto wait = WgmmaWaitOp::create(builder, loop.getLoc(), ValueRange(products), 0);
  for (auto [number, result] : llvm::zip(numbers, wait.getResults()))
    results[number] = result;
}

void LoopPipeliner::waitForCopies(OpBuilder &builder, Value read, Value parity) {
  Location loc = loop.getLoc();
  if (tensorCopies)
    tensorCopies->wait(builder, loc, read, parity);
  if (hasThreadCopies() && !waitingProduct)
    AsyncWaitOp::create(builder, loc, uint32_t(stages - 2));
}

WgmmaOp LoopPipeliner::findWaitingProduct() {
  // A dot in flight over the back edge hides the wait at the head.
  if (!carried.empty() || tensorCopies || !hasThreadCopies() || loadsAhead())
    return {};
  WgmmaOp last;
  for (WgmmaOp product : loop.getBody()->getOps<WgmmaOp>())
    last = product;
  return last;
}

void LoopPipeliner::run() {
  int64_t numTensorCopies =
      llvm::count_if(streams, [](const Stream &stream) { return bool(stream.tensorLoad); });
  if (numTensorCopies)
    tensorCopies = std::make_unique<TensorCopyRing>(loop, stages, numTensorCopies);
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  int64_t distance = stages - 1;
  findCarriedProducts();
  waitingProduct = findWaitingProduct();
  // Slices hold operations in the order they were found; cloning needs the order of the block.
  SmallVector<Operation *> ordered(slice.begin(), slice.end());
  llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  slice = SetVector<Operation *>(ordered.begin(), ordered.end());
  allocate(builder);

  // Prologue.
  SmallVector<Value> ahead;
  for (unsigned arg : sliceArgs)
    ahead.push_back(loop.getInitArgs()[arg]);
  Value iv = loop.getLowerBound();
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIntOp::create(builder, loc, number, 32);
  };
  Value firstSlot = tensorCopies ? tensorCopies->firstSlot() : constant(0);
  Value slot = firstSlot;
  for (int64_t i = 0; i < distance; ++i) {
    issueCopies(builder, cloneSlice(builder, iv, ahead), slot);
    slot = tensorCopies ? nextSlot(builder, slot) : constant(i + 1);
    iv = arith::AddIOp::create(builder, loc, iv, loop.getStep());
  }

  if (waitingProduct)
    AsyncWaitOp::create(builder, loc, uint32_t(stages - 2));

  // The loop: carried values, then those ahead, then the slots to fill and to read, then which of
  // two buffers is stored to.
  SmallVector<Value> inits(loop.getInitArgs());
  llvm::append_range(inits, ahead);
  inits.append({slot, firstSlot});
  if (!staged.empty())
    inits.push_back(constant(0));
  if (tensorCopies)
    inits.push_back(tensorCopies->firstParity());
  unsigned numCarried = loop.getInitArgs().size(), numAhead = ahead.size();
  auto newLoop = scf::ForOp::create(builder, loc, loop.getLowerBound(), loop.getUpperBound(),
                                    loop.getStep(), inits, nullptr, loop.getUnsignedCmp());
  if (newLoop.getBody()->mightHaveTerminator() && !newLoop.getBody()->empty())
    newLoop.getBody()->back().erase();
  builder.setInsertionPointToStart(newLoop.getBody());
  Value fill = newLoop.getRegionIterArg(numCarried + numAhead);
  Value read = newLoop.getRegionIterArg(numCarried + numAhead + 1);
  Value half = staged.empty() ? Value() : newLoop.getRegionIterArg(numCarried + numAhead + 2);
  Value parity = newLoop.getRegionIterArgs().back();
  SmallVector<Value> nextAhead(newLoop.getRegionIterArgs().slice(numCarried, numAhead));
  std::optional<AheadSlice> sliceAhead;
  auto computeAhead = [&] {
    Value steps = arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(loop.getStep().getType(), distance));
    Value shift = arith::MulIOp::create(builder, loc, loop.getStep(), steps);
    Value ivAhead = arith::AddIOp::create(builder, loc, newLoop.getInductionVar(), shift);
    sliceAhead = cloneSlice(builder, ivAhead, nextAhead);
  };
  auto copyAhead = [&] {
    if (!sliceAhead)
      computeAhead();
    issueCopies(builder, *sliceAhead, fill);
  };
  // What addresses are computed from arrives while the threads wait for the copies.
  if (loadsAhead())
    computeAhead();
  waitForCopies(builder, read, parity);

  Body body;
  body.mapping.map(loop.getInductionVar(), newLoop.getInductionVar());
  for (unsigned i = 0; i < numCarried; ++i)
    body.mapping.map(loop.getRegionIterArg(i), newLoop.getRegionIterArg(i));
  mapBuffers(builder, read, half, body);
  // No product of the iteration before reads the rings: its buffers are free since the barrier.
  // A fence behind the stores of this iteration would wait for copies that have just been issued.
  bool copiesFirst = carried.empty() || (!readsInFlight() && staged.empty());
  if (copiesFirst)
    copyAhead();
  cloneBody(builder, body);
  waitForEarlierProducts(builder, body.mapping);
  if (!copiesFirst)
    copyAhead();
  SmallVector<Value> yields;
  for (Value value : loop.getYieldedValues())
    yields.push_back(body.mapping.lookupOrDefault(value));
  llvm::append_range(yields, nextAhead);
  yields.push_back(nextSlot(builder, fill));
  Value nextRead = nextSlot(builder, read);
  yields.push_back(nextRead);
  if (half) {
    Value one = constant(1);
    yields.push_back(arith::XOrIOp::create(builder, loc, half, one));
  }
  if (tensorCopies)
    yields.push_back(nextParity(builder, nextRead, parity));
  scf::YieldOp::create(builder, loc, yields);

  builder.setInsertionPointAfter(newLoop);
  // Copies past the end write zeros to the ring: they have to be done before it is reused.
  if (hasThreadCopies())
    AsyncWaitOp::create(builder, loc, 0u);
  if (tensorCopies)
    tensorCopies->finish(newLoop.getResults()[numCarried + numAhead + 1],
                         newLoop.getResults().back());
  SmallVector<Value> results(newLoop.getResults().take_front(numCarried));
  waitForLastProducts(builder, results);
  loop.replaceAllUsesWith(results);
  loop.erase();
}

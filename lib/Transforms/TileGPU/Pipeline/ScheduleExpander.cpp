// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expands a schedule: rings of buffers, a prologue that starts the first copies, and a loop whose
// body is the schedule's steps.

#include "ScheduleExpander.h"

#include "dialects/Tile/LoopCounter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

Value ScheduleExpander::constant(OpBuilder &builder, int64_t number) {
  return arith::ConstantIntOp::create(builder, loop.getLoc(), number, 32);
}

Value ScheduleExpander::nextSlot(OpBuilder &builder, Value slot) {
  Location loc = loop.getLoc();
  Value one = constant(builder, 1), zero = constant(builder, 0), count = constant(builder, stages);
  Value next = arith::AddIOp::create(builder, loc, slot, one);
  Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, next, count);
  return arith::SelectOp::create(builder, loc, wraps, zero, next);
}

Value ScheduleExpander::slotBefore(OpBuilder &builder, Value slot) {
  Location loc = loop.getLoc();
  // Less than zero is a large unsigned number.
  Value before = arith::SubIOp::create(builder, loc, slot, constant(builder, 1));
  return arith::MinUIOp::create(builder, loc, before, constant(builder, stages - 1));
}

Value ScheduleExpander::nextParity(OpBuilder &builder, Value nextSlot, Value parity) {
  Location loc = loop.getLoc();
  Value zero = constant(builder, 0), one = constant(builder, 1);
  Value other = arith::XOrIOp::create(builder, loc, parity, one);
  Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, nextSlot, zero);
  return arith::SelectOp::create(builder, loc, wraps, other, parity);
}

ScheduleExpander::AheadSlice ScheduleExpander::cloneSlice(OpBuilder &builder, Value iv,
                                                          MutableArrayRef<Value> ahead) {
  AheadSlice result;
  IRMapping &mapping = result.mapping;
  mapping.map(loop.getInductionVar(), iv);
  for (auto [arg, value] : llvm::zip(schedule.sliceArgs, ahead))
    mapping.map(loop.getRegionIterArg(arg), value);
  auto isInRange = [&] { return isLess(builder, loop, iv, endOfCopies(builder)); };
  if (schedule.loadsAhead() && !startsOwnCopies())
    result.inRange = isInRange();
  for (Operation *op : schedule.slice) {
    Operation *clone = builder.clone(*op, mapping);
    if (auto load = dyn_cast<tile::LoadOp>(clone); load && result.inRange) {
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
  if (!result.inRange && !startsOwnCopies())
    result.inRange = isInRange();
  SmallVector<Value> next;
  for (unsigned arg : schedule.sliceArgs)
    next.push_back(mapping.lookupOrDefault(loop.getYieldedValues()[arg]));
  llvm::copy(next, ahead.begin());
  return result;
}

void ScheduleExpander::startCopies(OpBuilder &builder, const AheadSlice &sliceAhead, Value slot) {
  Location loc = loop.getLoc();
  const IRMapping &mapping = sliceAhead.mapping;
  Value inRange = sliceAhead.inRange;
  // The first one arrives for those that other loops have in these slots.
  int64_t arrivals = int64_t(rings->types.size() - schedule.streams.size()) + 1;
  for (auto [number, stream] : llvm::enumerate(schedule.streams)) {
    Value ring = ringOf(number);
    Location at = stream.source()->getLoc();
    if (stream.tensorLoad) {
      auto type = cast<MemDescType>(ring.getType()).getOneBuffer();
      Value buffer = MemDescIndexOp::create(builder, at, type, ring, slot);
      buffer = viewAsBlock(builder, at, buffer, stream.inverseOrder(), stream.memoryAsLoaded());
      rings->tensorCopies->start(builder, stream.tensorLoad, mapping, buffer, slot, inRange,
                                 std::exchange(arrivals, 1));
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
    AsyncCopyOp::create(builder, at, pointer, target, mask, stream.load.getCache(),
                        stream.evict, stream.loadsPartsOfLines);
  }
  if (schedule.hasThreadCopies())
    AsyncCommitOp::create(builder, loc);
}

/// A buffer as `type`, with several of it.
static Value allocateRing(OpBuilder &builder, Location loc, MemDescType type, int64_t buffers) {
  return LocalAllocOp::create(builder, loc, type.withBuffers(buffers), IntegerAttr());
}

/// Gives each of `types` one of `rings` of its type, none twice; false when there are not enough.
static bool findPlaces(ArrayRef<MemDescType> types, ArrayRef<MemDescType> rings,
                       SmallVectorImpl<size_t> &places) {
  places.clear();
  for (MemDescType type : types) {
    size_t place = 0;
    while (place < rings.size() && (rings[place] != type || llvm::is_contained(places, place)))
      ++place;
    if (place == rings.size())
      return false;
    places.push_back(place);
  }
  return true;
}

void ScheduleExpander::shareRings(ScheduleExpander &earlier) {
  if (!schedule.hasLoadWarps || !earlier.schedule.hasLoadWarps || earlier.stages != stages)
    return;
  // The earlier loop, or one around it, in this one's block.
  Operation *before = earlier.loop;
  int64_t depth = 0;
  for (; before->getBlock() != loop->getBlock(); ++depth)
    if (before = before->getParentOp(); !isa<scf::ForOp>(before))
      return;
  if (!before->isBeforeInBlock(loop))
    return;
  Rings &shared = *earlier.rings;
  if (SmallVector<size_t> found; findPlaces(rings->types, shared.types, found)) {
    places = std::move(found);
  } else if (findPlaces(shared.types, rings->types, found)) {
    // The rings of the loops in front keep their numbers.
    SmallVector<MemDescType> types = shared.types;
    for (size_t i = 0; i < places.size(); ++i) {
      auto known = llvm::find(found, i);
      places[i] = known == found.end() ? types.size() : size_t(known - found.begin());
      if (known == found.end())
        types.push_back(rings->types[i]);
    }
    shared.types = std::move(types);
  } else {
    return;
  }
  rings = earlier.rings;
  ++shared.numLoops;
  shared.depth += depth;
}

/// Whether a value of one loop's iteration is computed as one of the other loop's, from the
/// counters and from what is the same outside.
static bool isSameOf(Value a, scf::ForOp first, Value b, scf::ForOp second) {
  if (a == b)
    return !first->isAncestor(a.getParentBlock()->getParentOp());
  if (a == first.getInductionVar() || b == second.getInductionVar())
    return a == first.getInductionVar() && b == second.getInductionVar();
  Operation *opA = a.getDefiningOp(), *opB = b.getDefiningOp();
  if (!opA || !opB || opA->getName() != opB->getName() || opA->getNumRegions() > 0 ||
      opA->getAttrDictionary() != opB->getAttrDictionary() || !isMemoryEffectFree(opA) ||
      opA->getNumOperands() != opB->getNumOperands() || a.getType() != b.getType() ||
      cast<OpResult>(a).getResultNumber() != cast<OpResult>(b).getResultNumber())
    return false;
  return llvm::all_of(llvm::zip(opA->getOperands(), opB->getOperands()), [&](auto pair) {
    return isSameOf(std::get<0>(pair), first, std::get<1>(pair), second);
  });
}

/// Whether the copies of two loops' streams differ in the counter alone.
static bool isSameCopy(const Stream &a, scf::ForOp first, const Stream &b, scf::ForOp second) {
  tile::DescriptorLoadOp loadA = a.tensorLoad, loadB = b.tensorLoad;
  return loadA && loadB && a.bufferType() == b.bufferType() && a.order == b.order &&
         loadA.getDesc() == loadB.getDesc() &&
         loadA.getOffsets().size() == loadB.getOffsets().size() &&
         llvm::all_of(llvm::zip(loadA.getOffsets(), loadB.getOffsets()), [&](auto pair) {
           return isSameOf(std::get<0>(pair), first, std::get<1>(pair), second);
         });
}

bool ScheduleExpander::copiesGoOnFrom(ScheduleExpander &earlier, AxisInfoAnalysis &axes) const {
  scf::ForOp first = earlier.loop, second = loop;
  const LoopSchedule &before = earlier.schedule;
  auto isSimple = [](const LoopSchedule &s) {
    return !s.hasLoadWarps && s.sliceArgs.empty() && !s.loadsAhead() && s.carried.empty() &&
           s.numTensorCopies() == int64_t(s.streams.size());
  };
  if (!isSimple(schedule) || !isSimple(before) || runsOnce || earlier.runsOnce ||
      stages != earlier.stages || schedule.streams.size() != before.streams.size() ||
      schedule.releasesSlots != before.releasesSlots || first->getBlock() != second->getBlock() ||
      !first->isBeforeInBlock(second))
    return false;
  // Nothing between them writes what is copied, and the end of the second is known before the
  // first.
  for (Operation *op = first->getNextNode(); op != second; op = op->getNextNode())
    if (!isMemoryEffectFree(op))
      return false;
  Operation *end = second.getUpperBound().getDefiningOp();
  if (end && end->getBlock() == first->getBlock() && !end->isBeforeInBlock(first))
    return false;
  std::optional<int64_t> step = getConstantIntValue(first.getStep());
  std::optional<int64_t> begin = getConstantIntValue(first.getLowerBound());
  if (!step || !begin || getConstantIntValue(second.getStep()) != step || *begin % *step != 0 ||
      axes.get(first.getUpperBound()).getElementDivisibility() % *step != 0 ||
      second.getLowerBound() != first.getUpperBound() ||
      first.getUnsignedCmp() != second.getUnsignedCmp())
    return false;
  return llvm::all_of(llvm::zip(before.streams, schedule.streams), [&](auto pair) {
    return isSameCopy(std::get<0>(pair), first, std::get<1>(pair), second);
  });
}

void ScheduleExpander::goOnFrom(ScheduleExpander &earlier, AxisInfoAnalysis &axes) {
  if (earlier.predecessor || rings == earlier.rings || !copiesGoOnFrom(earlier, axes))
    return;
  rings = earlier.rings;
  places = earlier.places;
  predecessor = &earlier;
  earlier.successor = this;
}

Value ScheduleExpander::endOfCopies(OpBuilder &builder) {
  if (!successor)
    return loop.getUpperBound();
  if (!copiesEnd) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop);
    copiesEnd = greaterOf(builder, loop, loop.getUpperBound(), successor->loop.getUpperBound());
  }
  return copiesEnd;
}

ScheduleExpander::ScheduleExpander(LoopSchedule loopSchedule, bool isInCluster)
    : schedule(std::move(loopSchedule)), loop(schedule.loop), stages(schedule.stages),
      inCluster(isInCluster), runsOnce(loop->hasAttr(tile::TileDialect::kRunsOnceAttr)),
      rings(std::make_shared<Rings>()) {
  for (const Stream &stream : schedule.streams) {
    places.push_back(rings->types.size());
    rings->types.push_back(stream.bufferType());
  }
}

void ScheduleExpander::allocate(OpBuilder &builder) {
  if (rings->buffers.empty()) {
    OpBuilder::InsertionGuard guard(builder);
    Operation *place = loop;
    for (int64_t i = 0; i < rings->depth; ++i)
      place = place->getParentOp();
    builder.setInsertionPoint(place);
    allocateRings(builder);
  }
  for (StagedBuffer &pair : schedule.staged)
    pairs.push_back(allocateRing(builder, pair.buffer.getLoc(), pair.buffer.getType(), 2));
}

void ScheduleExpander::allocateRings(OpBuilder &builder) {
  for (auto [number, type] : llvm::enumerate(rings->types)) {
    auto stream = llvm::find(places, number);
    Location loc = stream == places.end()
                       ? loop.getLoc()
                       : schedule.streams[stream - places.begin()].source()->getLoc();
    rings->buffers.push_back(allocateRing(builder, loc, type, stages));
  }
}

void ScheduleExpander::mapBuffers(OpBuilder &builder, Body &body) {
  auto slotOf = [&](Value ring, Value slot, Location loc) -> Value {
    auto type = cast<MemDescType>(ring.getType()).getOneBuffer();
    return MemDescIndexOp::create(builder, loc, type, ring, slot);
  };
  for (auto [number, stream] : llvm::enumerate(schedule.streams)) {
    Value slot = slotOf(ringOf(number), body.read, stream.source()->getLoc());
    if (stream.isPrivate())
      readBackFrom[stream.source()] = {&stream, slot};
    else
      body.mapping.map(stream.buffer.getResult(), slot);
  }
  for (auto [buffer, pair] : llvm::zip(schedule.staged, pairs))
    body.mapping.map(buffer.buffer.getResult(), slotOf(pair, body.half, buffer.buffer.getLoc()));
  body.hasBuffers = true;
}

void ScheduleExpander::readBack(OpBuilder &builder, const Stream &stream, Value slot, Body &body) {
  tile::LoadOp load = stream.load;
  auto back = LocalLoadOp::create(builder, load.getLoc(), load.getType(), slot);
  back->setAttr(TileGPUDialect::kOwnPartAttr, builder.getUnitAttr());
  Value value = back;
  // The copy fills with zeros.
  if (Value other = stream.other)
    value = arith::SelectOp::create(builder, load.getLoc(),
                                    body.mapping.lookupOrDefault(load.getMask()), value,
                                    body.mapping.lookupOrDefault(other));
  body.mapping.map(load.getResult(), value);
}

void ScheduleExpander::waitForEarlierDots(OpBuilder &builder, IRMapping &mapping) {
  SmallVector<Value> dots;
  for (WgmmaWaitOp wait : schedule.carried)
    dots.push_back(mapping.lookup(wait.getValues().front()));
  auto wait = WgmmaWaitOp::create(builder, loop.getLoc(), ValueRange(dots),
                                  int32_t(schedule.dotsInFlight()));
  for (auto [old, result] : llvm::zip(schedule.carried, wait.getResults()))
    mapping.map(old.getResult(0), result);
}

void ScheduleExpander::waitForLastDots(OpBuilder &builder, SmallVectorImpl<Value> &results) {
  if (schedule.carried.empty())
    return;
  SmallVector<Value> dots;
  SmallVector<unsigned> numbers;
  for (WgmmaWaitOp wait : schedule.carried) {
    numbers.push_back(wait.getResult(0).use_begin()->getOperandNumber());
    dots.push_back(results[numbers.back()]);
  }
  auto wait = WgmmaWaitOp::create(builder, loop.getLoc(), ValueRange(dots), 0);
  for (auto [number, result] : llvm::zip(numbers, wait.getResults()))
    results[number] = result;
}

void ScheduleExpander::waitForCopies(OpBuilder &builder, Location loc, const Body &body) {
  if (rings->tensorCopies)
    rings->tensorCopies->wait(builder, loc, body.read, body.parity);
  if (schedule.hasThreadCopies())
    AsyncWaitOp::create(builder, loc, uint32_t(schedule.copiesInFlightInLoop()));
}

void ScheduleExpander::emitPrologue(OpBuilder &builder, MutableArrayRef<Value> ahead, Value &slot,
                                    Value &parity) {
  if (predecessor) {
    slot = predecessor->lastFill;
    parity = predecessor->lastFillParity;
    return;
  }
  Value iv = loop.getLowerBound();
  // A loop that begins behind its end has no iterations, and the next one begins at that end.
  if (successor)
    iv = lesserOf(builder, loop, iv, loop.getUpperBound());
  for (int64_t i = 0; i < schedule.copiesInFront(); ++i) {
    if (i == 0 || !runsOnce)
      startCopies(builder, cloneSlice(builder, iv, ahead), slot);
    slot = rings->tensorCopies ? nextSlot(builder, slot) : constant(builder, i + 1);
    if (schedule.releasesSlots)
      parity = nextParity(builder, slot, parity);
    iv = arith::AddIOp::create(builder, loop.getLoc(), iv, loop.getStep());
  }
  if (schedule.waitsBehindDot)
    AsyncWaitOp::create(builder, loop.getLoc(), uint32_t(schedule.copiesInFlight()));
}

ScheduleExpander::Body ScheduleExpander::makeLoop(OpBuilder &builder, ArrayRef<Value> ahead,
                                                  Value slot, Value parity, Value firstSlot,
                                                  Value firstParity) {
  SmallVector<Value> inits(loop.getInitArgs());
  if (!startsOwnCopies()) {
    llvm::append_range(inits, ahead);
    inits.push_back(slot);
  }
  inits.push_back(firstSlot);
  if (!pairs.empty())
    inits.push_back(constant(builder, 0));
  if (rings->tensorCopies)
    inits.push_back(firstParity);
  if (schedule.releasesSlots && !startsOwnCopies())
    inits.push_back(parity);
  Body body;
  body.loop = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                 loop.getStep(), inits, nullptr, loop.getUnsignedCmp());
  if (body.loop.getBody()->mightHaveTerminator() && !body.loop.getBody()->empty())
    body.loop.getBody()->back().erase();
  body.mapping.map(loop.getInductionVar(), body.loop.getInductionVar());
  auto args = body.loop.getRegionIterArgs();
  unsigned number = loop.getInitArgs().size();
  for (unsigned i = 0; i < number; ++i)
    body.mapping.map(loop.getRegionIterArg(i), args[i]);
  if (startsOwnCopies()) {
    for (unsigned arg : schedule.sliceArgs)
      body.ahead.push_back(args[arg]);
  } else {
    llvm::append_range(body.ahead, args.slice(number, ahead.size()));
    number += ahead.size();
    body.fill = args[number++];
  }
  body.read = args[number++];
  if (startsOwnCopies())
    body.fill = body.read;
  if (!pairs.empty())
    body.half = args[number++];
  if (rings->tensorCopies)
    body.parity = args[number++];
  if (schedule.releasesSlots)
    body.fillParity = startsOwnCopies() ? body.parity : args[number];
  return body;
}

void ScheduleExpander::computeAddresses(OpBuilder &builder, Body &body) {
  Location loc = loop.getLoc();
  if (startsOwnCopies()) {
    body.sliceAhead = cloneSlice(builder, body.loop.getInductionVar(), body.ahead);
    return;
  }
  Value steps = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(loop.getStep().getType(), schedule.copiesInFront()));
  Value shift = arith::MulIOp::create(builder, loc, loop.getStep(), steps);
  Value iv = arith::AddIOp::create(builder, loc, body.loop.getInductionVar(), shift);
  body.sliceAhead = cloneSlice(builder, iv, body.ahead);
}

void ScheduleExpander::emitStep(OpBuilder &builder, const ScheduleStep &step, Body &body) {
  using Kind = ScheduleStep::Kind;
  bool usesBuffers = step.kind == Kind::StartCopies || step.kind == Kind::Compute;
  if (usesBuffers && !body.hasBuffers)
    mapBuffers(builder, body);
  switch (step.kind) {
  case Kind::Addresses:
    computeAddresses(builder, body);
    break;
  case Kind::WaitForCopies:
    waitForCopies(builder, step.op ? step.op->getLoc() : loop.getLoc(), body);
    break;
  case Kind::StartCopies: {
    bool startsCopies = !runsOnce || startsOwnCopies();
    if (!body.sliceAhead && startsCopies)
      computeAddresses(builder, body);
    if (schedule.releasesSlots)
      acquireSlot(builder, body);
    if (startsCopies)
      startCopies(builder, *body.sliceAhead, body.fill);
    break;
  }
  case Kind::Compute:
    if (auto found = readBackFrom.find(step.op); found != readBackFrom.end())
      readBack(builder, *found->second.first, found->second.second, body);
    else
      builder.clone(*step.op, body.mapping);
    break;
  case Kind::WaitForDots:
    waitForEarlierDots(builder, body.mapping);
    break;
  case Kind::ReleaseBuffers:
    releaseBuffers(builder, body);
    break;
  }
}

void ScheduleExpander::acquireSlot(OpBuilder &builder, Body &body) {
  // Slots that are not filled are acquired, too, when the loop's next run fills them.
  bool isElected = !schedule.hasLoadWarps;
  Value predicate = isElected && !usesRingsAgain() ? body.sliceAhead->inRange : Value();
  rings->tensorCopies->acquire(builder, loop.getLoc(), body.fill, body.fillParity, isElected,
                               predicate);
}

void ScheduleExpander::releaseBuffers(OpBuilder &builder, Body &body) {
  Location loc = loop.getLoc();
  if (schedule.carried.empty()) {
    rings->tensorCopies->release(builder, loc, body.read, Value());
    return;
  }
  Value isLater = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        body.loop.getInductionVar(), loop.getLowerBound());
  // Copies that are ahead fill the slot of the iteration before.
  Value before = startsOwnCopies() ? slotBefore(builder, body.read) : body.fill;
  rings->tensorCopies->release(builder, loc, before, isLater);
}

void ScheduleExpander::releaseLastBuffers(OpBuilder &builder, Body &body) {
  // Load warps of a cluster wait for the release of all slots before they end.
  if (!schedule.releasesSlots || schedule.carried.empty() ||
      !(usesRingsAgain() || (schedule.hasLoadWarps && inCluster)))
    return;
  Location loc = loop.getLoc();
  Value hasRun = hasIterations(builder, loop);
  Value next = body.loop.getTiedLoopResult(cast<BlockArgument>(body.fill));
  rings->tensorCopies->release(builder, loc, startsOwnCopies() ? slotBefore(builder, next) : next,
                               hasRun);
}

bool ScheduleExpander::usesRingsAgain() const {
  return rings->numLoops > 1 || successor || isa<scf::ForOp>(loop->getParentOp());
}

void ScheduleExpander::emitYield(OpBuilder &builder, Body &body) {
  SmallVector<Value> yields;
  for (Value value : loop.getYieldedValues())
    yields.push_back(body.mapping.lookupOrDefault(value));
  Value nextFill;
  if (!startsOwnCopies()) {
    llvm::append_range(yields, body.ahead);
    nextFill = nextSlot(builder, body.fill);
    yields.push_back(nextFill);
  }
  Value nextRead = nextSlot(builder, body.read);
  yields.push_back(nextRead);
  if (body.half)
    yields.push_back(
        arith::XOrIOp::create(builder, loop.getLoc(), body.half, constant(builder, 1)));
  if (rings->tensorCopies)
    yields.push_back(nextParity(builder, nextRead, body.parity));
  if (schedule.releasesSlots && !startsOwnCopies())
    yields.push_back(nextParity(builder, nextFill, body.fillParity));
  scf::YieldOp::create(builder, loop.getLoc(), yields);
}

void ScheduleExpander::run() {
  std::shared_ptr<TensorCopyRing> &tensorCopies = rings->tensorCopies;
  if (int64_t number = schedule.numTensorCopies(); number && !tensorCopies) {
    number += int64_t(rings->types.size() - schedule.streams.size());
    tensorCopies = std::make_shared<TensorCopyRing>(loop, stages, number);
    if (schedule.releasesSlots)
      tensorCopies->addEmptyObjects(loop, stages, numWarpsOf(loop));
  }
  OpBuilder builder(loop);
  allocate(builder);
  SmallVector<Value> ahead;
  for (unsigned arg : schedule.sliceArgs)
    ahead.push_back(loop.getInitArgs()[arg]);
  auto [firstSlot, firstParity] =
      tensorCopies ? tensorCopies->first(loop) : std::pair(constant(builder, 0), Value());
  Value slot = firstSlot, parity = firstParity;
  emitPrologue(builder, ahead, slot, parity);
  Body body = makeLoop(builder, ahead, slot, parity, firstSlot, firstParity);
  builder.setInsertionPointToStart(body.loop.getBody());
  for (const ScheduleStep &step : schedule.steps)
    emitStep(builder, step, body);
  emitYield(builder, body);

  builder.setInsertionPointAfter(body.loop);
  // Copies past the end write zeros to the ring: they have to be done before it is reused.
  if (schedule.hasThreadCopies())
    AsyncWaitOp::create(builder, loop.getLoc(), 0u);
  if (tensorCopies)
    tensorCopies->finish(body.loop.getTiedLoopResult(cast<BlockArgument>(body.read)),
                         body.loop.getTiedLoopResult(cast<BlockArgument>(body.parity)));
  lastFill = body.loop.getTiedLoopResult(cast<BlockArgument>(body.fill));
  if (schedule.releasesSlots)
    lastFillParity = body.loop.getTiedLoopResult(cast<BlockArgument>(body.fillParity));
  SmallVector<Value> results(body.loop.getResults().take_front(loop.getNumResults()));
  waitForLastDots(builder, results);
  releaseLastBuffers(builder, body);
  loop.replaceAllUsesWith(results);
  loop.erase();
}

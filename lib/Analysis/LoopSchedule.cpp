// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loads of a loop can be pipelined: those that only fill a buffer for a dot, or that each
// thread needs for itself, and whose addresses can be computed ahead, too; and which dots stay in
// flight across iterations.
//
// In the buffer of a private stream the lowest bits of an element's place are those of its register
// that make a vector, then come the lanes, the warps and the other registers: a warp accesses
// neighbouring vectors.

#include "tilec/Analysis/LoopSchedule.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Analysis/BufferFill.h"
#include "tilec/Analysis/GlobalAccess.h"
#include "tilec/Analysis/RegisterPressure.h"
#include "tilec/Analysis/SharedAllocation.h"
#include "tilec/Layout/TensorLayouts.h"
#include "tilec/Layout/TensorMapLayout.h"

using namespace mlir;
using namespace tilec::tilegpu;

namespace tilec {

namespace {

/// Private rings of a loop take at most this many bytes of a thread: 512 threads fit beside each
/// other.
constexpr int64_t kPrivateRingBytes = 448;
/// What a CTA may need of shared memory beside them.
constexpr int64_t kSharedBesideRings = 16 * 1024;
/// What the rings of a loop that did not ask for them may take: blocks that are larger hardly ever
/// come more than once.
constexpr int64_t kUnaskedRings = 64 * 1024;

/// Whether a buffer has such a use, also one of a view of it.
bool anyUse(Value buffer, llvm::function_ref<bool(OpOperand &)> test) {
  return llvm::any_of(buffer.getUses(), [&](OpOperand &use) {
    auto view = dyn_cast<MemDescPermuteOp>(use.getOwner());
    return view ? anyUse(view.getResult(), test) : test(use);
  });
}

/// The buffer's layout for the registers of a thread, `vectorBits` first.
LinearLayout privateLayout(const LinearLayout &threads, ArrayRef<unsigned> vectorBits) {
  std::vector<uint64_t> bases;
  ArrayRef<uint64_t> registers = threads.getFlatBases(kRegister);
  for (unsigned bit : vectorBits)
    bases.push_back(registers[bit]);
  for (StringRef dim : {kLane, kWarp})
    llvm::append_range(bases, threads.getFlatBases(dim));
  for (auto [bit, basis] : llvm::enumerate(registers))
    if (!llvm::is_contained(vectorBits, bit))
      bases.push_back(basis);
  return LinearLayout::fromFlatBases({{kOffset.str(), std::move(bases)}}, threads.getOutDims());
}

/// A load that can be copied asynchronously, in vectors of at least 4 bytes, to a buffer from which
/// each thread takes what it needs itself.
std::optional<Stream> matchPrivateStream(tile::LoadOp load, const AxisInfoAnalysis &axes) {
  std::optional<GlobalAccess> access = GlobalAccess::of(load);
  if (!access || load.getIsVolatile() || load.getResult().use_empty() ||
      tile::bitWidthOf(getElementTypeOrSelf(load.getType())) < 8)
    return std::nullopt;
  const LinearLayout &threads = layoutOf(access->type);
  LinearLayout held = threads.squeezeIn(kBlock);
  if (!held.isInvertible())
    return std::nullopt;
  AccessVector vector = access->chooseVector(axes);
  std::vector<unsigned> bits = contiguousRegisterBits(threads, vector.axis);
  bits.resize(std::min<size_t>(bits.size(), llvm::Log2_32(vector.width)));
  Stream stream;
  stream.load = load;
  if (Value other = load.getOther(); other && load.getMask() && !tile::isZero(other))
    stream.other = other;
  stream.memory = privateLayout(held, bits);
  std::vector<unsigned> copied =
      copyRegisterBits(threads, vector, stream.memory, access->elementBytes);
  if (access->elementBytes << copied.size() < kLeastCopyBytes)
    return std::nullopt;
  return stream;
}

/// Whether neighbours in memory are less than a line of the second-level cache.
bool loadsPartsOfLines(const GlobalAccess &access, const AxisInfoAnalysis &axes) {
  constexpr int64_t kLineBytes = 128;
  const AxisInfo &info = axes.get(access.pointer);
  int64_t run = 1;
  for (auto [extent, contiguity] : llvm::zip(access.type.getShape(), info.contiguity))
    run = std::max(run, std::min(extent, contiguity));
  return run > 1 && run * access.elementBytes < kLineBytes;
}

/// Schedules one loop.
class LoopScheduler {
public:
  LoopScheduler(scf::ForOp loop, int64_t stages, const AxisInfoAnalysis &axisInfo,
                SmallVectorImpl<PipelineObstacle> &obstacleList)
      : axes(axisInfo), obstacles(obstacleList), written(loop), slice{loop, written} {
    schedule.loop = loop;
    schedule.stages = stages;
  }

  /// Copies the operands of dots ahead; nothing when there is nothing to copy.
  std::optional<LoopSchedule> scheduleOperands() {
    for (auto store : schedule.loop.getBody()->getOps<LocalStoreOp>())
      if (std::optional<Stream> stream = matchStream(store))
        addStream(std::move(*stream));
    return finish();
  }

  /// Copies what threads need for themselves, as far ahead as shared memory allows.
  std::optional<LoopSchedule> schedulePrivately() {
    SmallVector<Stream> candidates;
    for (tile::LoadOp load : schedule.loop.getBody()->getOps<tile::LoadOp>()) {
      std::optional<Stream> stream = matchPrivateStream(load, axes);
      if (!stream)
        continue;
      stream->evict = policyOfCopy(load);
      candidates.push_back(std::move(*stream));
      slice.waiting.insert(load);
    }
    for (Stream &stream : candidates)
      addStream(std::move(stream));
    schedule.stages = std::min(schedule.stages, privateStagesThatFit());
    return schedule.stages < 2 ? std::nullopt : finish();
  }

private:
  std::optional<LoopSchedule> finish();
  /// The load's policy, where the processor's async copies can have one.
  tile::EvictionPolicy policyOfCopy(tile::LoadOp load) const {
    bool canSay = processorOf(schedule.loop).has(Feature::AsyncCopyPolicy);
    return canSay ? load.getEvict() : tile::EvictionPolicy::normal;
  }
  /// What the store's buffer is filled with, where that can be copied.
  std::optional<Stream> matchStream(LocalStoreOp store);
  /// What the loop does that loads must not come before; empty when there is nothing.
  StringRef whyNotAhead(const Stream &stream);
  /// Copies the stream ahead, where its address can be computed ahead.
  void addStream(Stream stream);
  int64_t privateStagesThatFit();
  /// Dots whose result is only added to in the next iteration, and whose buffers nothing writes
  /// until then, or may be had twice: they stay in flight.
  void findCarriedDots();
  std::optional<StagedBuffer> matchStaged(Value buffer);
  /// Whether dots in flight read what is copied.
  bool readsInFlight() const;
  /// The dot behind whose start the copies of the next iteration are waited for; none where the
  /// head waits.
  WgmmaOp findWaitingDot();
  void orderSteps();

  LoopSchedule schedule;
  const AxisInfoAnalysis &axes;
  SmallVectorImpl<PipelineObstacle> &obstacles;
  WrittenMemory written;
  AheadSlice slice;
};

std::optional<Stream> LoopScheduler::matchStream(LocalStoreOp store) {
  Block *body = schedule.loop.getBody();
  Stream stream;
  stream.store = store;
  stream.buffer = store.getBuffer().getDefiningOp<LocalAllocOp>();
  if (!stream.buffer || stream.buffer->getBlock() != body)
    return std::nullopt;
  stream.memory = stream.buffer.getType().getLayout().getLayout();
  std::optional<BufferFill> fill = matchFill(store);
  if (!fill)
    return std::nullopt;
  stream.order = fill->order;
  stream.load = dyn_cast<tile::LoadOp>(fill->load);
  stream.tensorLoad = dyn_cast<tile::DescriptorLoadOp>(fill->load);
  auto give = [&](StringRef reason) -> std::optional<Stream> {
    obstacles.push_back({stream.source()->getLoc(), reason});
    return std::nullopt;
  };
  if (stream.tensorLoad) {
    if (!isFilledByTensorCopy(stream.tensorLoad, stream.memoryAsLoaded()))
      return give("a TMA copy cannot write the layout that the dot reads");
    return stream;
  }
  if (!isa<RankedTensorType>(stream.load.getPointer().getType()) || stream.load.getIsVolatile())
    return give("it is volatile or loads a scalar");
  Value other = stream.load.getOther();
  if (stream.load.getMask() && other && !tile::isZero(other))
    return give("masked-off elements are not zero");
  std::optional<GlobalAccess> access = GlobalAccess::of(stream.load);
  if (!access)
    return std::nullopt;
  std::vector<unsigned> bits = copyRegisterBits(layoutOf(access->type), access->chooseVector(axes),
                                                stream.memoryAsLoaded(), access->elementBytes);
  if (access->elementBytes << bits.size() < kLeastCopyBytes)
    return give("no 4 bytes are contiguous both in global and in shared memory");
  stream.evict = policyOfCopy(stream.load);
  stream.loadsPartsOfLines =
      processorOf(schedule.loop).has(Feature::LineFetch) && loadsPartsOfLines(*access, axes);
  return stream;
}

StringRef LoopScheduler::whyNotAhead(const Stream &stream) {
  scf::ForOp loop = schedule.loop;
  if (written.mayContain(stream.source()->getOperand(0)))
    return "the loop writes to the same memory, or may do so";
  // The loop inside is pipelined by itself: another one takes its place.
  if (writesGlobalInside(loop) && llvm::any_of(*loop.getBody(), llvm::IsaPred<LoopLikeOpInterface>))
    return "the loop writes to global memory and has a loop inside";
  return AtomicOrders::of(loop).acquire ? "an atomic of the loop acquires" : "";
}

void LoopScheduler::addStream(Stream stream) {
  if (StringRef reason = whyNotAhead(stream); !reason.empty()) {
    obstacles.push_back({stream.source()->getLoc(), reason});
    return;
  }
  llvm::SetVector<Operation *> opsBefore = slice.ops;
  llvm::SetVector<unsigned> argsBefore = slice.args;
  bool ahead = llvm::all_of(stream.source()->getOperands(), [&](Value operand) {
    return (stream.isPrivate() && operand == stream.load.getOther()) || slice.add(operand);
  });
  if (!ahead) {
    slice.ops = std::move(opsBefore);
    slice.args = std::move(argsBefore);
    obstacles.push_back(
        {stream.source()->getLoc(), "its address depends on a dot or on control flow"});
    return;
  }
  // What is gathered has no neighbours in other iterations.
  stream.loadsPartsOfLines &= llvm::none_of(slice.ops, llvm::IsaPred<tile::LoadOp>);
  schedule.streams.push_back(std::move(stream));
}

int64_t LoopScheduler::privateStagesThatFit() {
  scf::ForOp loop = schedule.loop;
  int64_t threads = int64_t(numWarpsOf(loop)) * 32;
  int64_t bytes = schedule.bytesPerStage() / threads;
  if (bytes == 0)
    return 0;
  int64_t most = processorOf(loop).maxSharedBytesPerCta() - kSharedBesideRings;
  int64_t share =
      std::min(most, loop->hasAttr(tile::TileDialect::kNumStagesAttr) ? most : kUnaskedRings) /
      threads;
  return std::min(kPrivateRingBytes, share) / bytes;
}

std::optional<StagedBuffer> LoopScheduler::matchStaged(Value buffer) {
  StagedBuffer found;
  found.buffer = buffer.getDefiningOp<LocalAllocOp>();
  Block *body = schedule.loop.getBody();
  if (!found.buffer || found.buffer->getBlock() != body)
    return std::nullopt;
  for (OpOperand &use : found.buffer->getUses()) {
    Operation *user = use.getOwner();
    if (user->getBlock() != body)
      return std::nullopt;
    auto store = dyn_cast<LocalStoreOp>(user);
    auto dot = dyn_cast<WgmmaOp>(user);
    if (store && !found.store)
      found.store = store;
    else if (!dot || dot.getFragmentsOf() == use.getOperandNumber())
      return std::nullopt;
  }
  // All that is in use in the loop.
  int64_t bytes = 2 * found.buffer.getType().getSizeInBytes() + schedule.ringBytes();
  if (!found.store || bytes > processorOf(schedule.loop).maxSharedBytesPerCta())
    return std::nullopt;
  return found;
}

void LoopScheduler::findCarriedDots() {
  scf::ForOp loop = schedule.loop;
  auto staysWhileInFlight = [&](Value operand, SmallVectorImpl<StagedBuffer> &twice) {
    // Registers that are carried around the loop are written on the way back.
    Value carried = operand;
    while (auto convert = carried.getDefiningOp<ConvertLayoutOp>())
      carried = convert.getSource();
    if (llvm::is_contained(loop.getRegionIterArgs(), carried))
      return false;
    if (auto view = operand.getDefiningOp<MemDescPermuteOp>())
      operand = view.getSource();
    auto isRing = [&](Stream &stream) {
      return stream.buffer && stream.buffer.getResult() == operand;
    };
    if (!isa<MemDescType>(operand.getType()) || loop.isDefinedOutsideOfLoop(operand) ||
        llvm::any_of(schedule.streams, isRing))
      return true;
    std::optional<StagedBuffer> match = matchStaged(operand);
    if (match)
      twice.push_back(*match);
    return match.has_value();
  };
  for (auto wait : loop.getBody()->getOps<WgmmaWaitOp>()) {
    if (wait.getPending() != 0 || wait.getValues().size() != 1 || !wait.getResult(0).hasOneUse())
      continue;
    OpOperand &use = *wait.getResult(0).use_begin();
    auto dot = wait.getValues().front().getDefiningOp<WgmmaOp>();
    SmallVector<StagedBuffer> twice;
    if (!dot || use.getOwner() != loop.getBody()->getTerminator() ||
        !staysWhileInFlight(dot.getLhs(), twice) || !staysWhileInFlight(dot.getRhs(), twice))
      continue;
    BlockArgument arg = loop.getRegionIterArg(use.getOperandNumber());
    if (dot.getAcc() != arg || !arg.hasOneUse())
      continue;
    // In a loop that runs once there is no iteration to be in flight over. The loop becomes a
    // branch, behind which a dot in flight whose operands both are in shared memory has ptxas
    // serialize all dots: accumulators have two definitions there.
    if (loop->hasAttr(tile::TileDialect::kRunsOnceAttr) && isa<MemDescType>(dot.getLhs().getType()))
      continue;
    schedule.carried.push_back(wait);
    for (const StagedBuffer &buffer : twice)
      if (llvm::none_of(schedule.staged,
                        [&](const StagedBuffer &known) { return known.store == buffer.store; }))
        schedule.staged.push_back(buffer);
  }
}

bool LoopScheduler::readsInFlight() const {
  return llvm::any_of(schedule.streams, [](Stream stream) {
    return stream.buffer && anyUse(stream.buffer, [](OpOperand &use) {
             auto dot = dyn_cast<WgmmaOp>(use.getOwner());
             return dot && dot.getFragmentsOf() != use.getOperandNumber();
           });
  });
}

WgmmaOp LoopScheduler::findWaitingDot() {
  if (schedule.numTensorCopies() || !schedule.hasThreadCopies() || schedule.loadsAhead())
    return {};
  WgmmaOp last;
  size_t dots = 0;
  for (WgmmaOp dot : schedule.loop.getBody()->getOps<WgmmaOp>()) {
    last = dot;
    ++dots;
  }
  // Dots in flight over the back edge hide the wait at the head, if they are all of the iteration's
  // and it is not the last parts alone of one that reads fragments. Else one barrier serves what
  // has arrived and what is started behind it, at the price of copies being one iteration later.
  bool hidesHead = schedule.carried.size() == dots && last && !last.getFragmentsOf();
  if (!schedule.carried.empty() && (hidesHead || schedule.stages < 3))
    return {};
  return last;
}

void LoopScheduler::orderSteps() {
  using Kind = ScheduleStep::Kind;
  auto add = [&](Kind kind, Operation *op = nullptr) { schedule.steps.push_back({kind, op}); };
  WgmmaOp waitingDot = findWaitingDot();
  schedule.waitsBehindDot = bool(waitingDot);
  // What addresses are computed from arrives while the threads wait for the copies.
  if (schedule.loadsAhead())
    add(Kind::Addresses);
  if (!waitingDot)
    add(Kind::WaitForCopies);
  // No dot of the iteration before reads the rings: its buffers are free since the barrier.
  // A fence behind the stores of this iteration would wait for copies that have just been started.
  schedule.startsCopiesLast =
      !schedule.carried.empty() && (readsInFlight() || !schedule.staged.empty());
  if (!schedule.startsCopiesLast)
    add(Kind::StartCopies);
  DenseSet<Operation *> replaced(schedule.carried.begin(), schedule.carried.end());
  for (const StagedBuffer &buffer : schedule.staged)
    replaced.insert(buffer.buffer);
  for (const Stream &stream : schedule.streams) {
    // A private one is read back in the place of its load.
    if (stream.isPrivate())
      continue;
    replaced.insert(stream.buffer);
    Operation *op = stream.store;
    for (; op != stream.source(); op = op->getOperand(0).getDefiningOp())
      replaced.insert(op);
    replaced.insert(op);
  }
  for (Operation &op : schedule.loop.getBody()->without_terminator()) {
    if (replaced.contains(&op))
      continue;
    add(Kind::Compute, &op);
    if (&op == waitingDot)
      add(Kind::WaitForCopies, &op);
  }
  if (!schedule.carried.empty())
    add(Kind::WaitForDots);
  if (schedule.startsCopiesLast)
    add(Kind::StartCopies);
}

std::optional<LoopSchedule> LoopScheduler::finish() {
  if (schedule.streams.empty())
    return std::nullopt;
  schedule.slice = llvm::to_vector(slice.ops);
  llvm::sort(schedule.slice, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  schedule.sliceArgs = llvm::to_vector(slice.args);
  findCarriedDots();
  orderSteps();
  return std::move(schedule);
}

/// The stages of a loop without dots: what the source asks for, or `reductionStages` where threads
/// wait for each other in each iteration.
int64_t privateStagesOf(scf::ForOp loop, int64_t reductionStages) {
  if (isRemainderCode(loop.getBody()->getTerminator()) || multipliesMatrices(loop))
    return 0;
  if (loop->hasAttr(tile::TileDialect::kNumStagesAttr))
    return askedStages(loop);
  return loop.getBody()->getOps<tile::ReduceOp>().empty() ? 0 : reductionStages;
}

} // namespace

bool AheadSlice::add(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != loop.getBody() || argument == loop.getInductionVar())
      return true;
    unsigned number = argument.getArgNumber() - 1;
    if (!args.insert(number))
      return true;
    return add(loop.getYieldedValues()[number]);
  }
  Operation *op = value.getDefiningOp();
  if (!loop->isProperAncestor(op))
    return true;
  // Loads of indices that the loop does not write are done ahead like arithmetic.
  auto load = dyn_cast<tile::LoadOp>(op);
  bool isRepeatable = load ? !load.getIsVolatile() && !waiting.contains(load) &&
                                 !written.mayContain(load.getPointer())
                           : isMemoryEffectFree(op);
  if (op->getBlock() != loop.getBody() || !isRepeatable || op->getNumRegions() > 0)
    return false;
  if (ops.contains(op))
    return true;
  for (Value operand : op->getOperands())
    if (!add(operand))
      return false;
  ops.insert(op);
  return true;
}

bool canReleaseSlots(const LoopSchedule &schedule) {
  return schedule.numTensorCopies() && !schedule.hasThreadCopies() &&
         (schedule.carried.empty() || schedule.startsCopiesLast);
}

static auto findStep(LoopSchedule &schedule, ScheduleStep::Kind kind) {
  return llvm::find_if(schedule.steps,
                       [kind](const ScheduleStep &step) { return step.kind == kind; });
}

void giveToLoadWarps(LoopSchedule &schedule) {
  schedule.hasLoadWarps = true;
  // An iteration waits for the copies that it starts.
  schedule.startsCopiesLast = false;
  auto copies = findStep(schedule, ScheduleStep::Kind::StartCopies);
  auto wait = findStep(schedule, ScheduleStep::Kind::WaitForCopies);
  std::rotate(wait, copies, std::next(copies));
  releaseSlots(schedule);
}

/// Copies are started behind the start of the first dot, not in front of it: the thread that starts
/// them waits for the slots of a warpgroup that may be behind.
static void startCopiesBehindDot(LoopSchedule &schedule) {
  auto copies = findStep(schedule, ScheduleStep::Kind::StartCopies);
  auto dot = std::find_if(copies, schedule.steps.end(), [](const ScheduleStep &step) {
    return step.kind == ScheduleStep::Kind::Compute && isa<WgmmaOp>(step.op);
  });
  if (dot != schedule.steps.end())
    std::rotate(copies, std::next(copies), std::next(dot));
}

void releaseSlots(LoopSchedule &schedule) {
  schedule.releasesSlots = true;
  if (!schedule.hasLoadWarps)
    startCopiesBehindDot(schedule);
  ScheduleStep release{ScheduleStep::Kind::ReleaseBuffers};
  auto wait = findStep(schedule, ScheduleStep::Kind::WaitForDots);
  // Behind the wait that retires the last dots that read the slot.
  schedule.steps.insert(wait == schedule.steps.end() ? wait : std::next(wait), release);
}

int64_t askedStages(scf::ForOp loop) {
  for (Operation *op : {loop.getOperation(), loop->getParentOfType<ModuleOp>().getOperation()})
    if (auto stages = op->getAttrOfType<IntegerAttr>(tile::TileDialect::kNumStagesAttr))
      return stages.getInt();
  return 3;
}

bool isFilledByTensorCopy(tile::DescriptorLoadOp load, const LinearLayout &memory) {
  auto type = cast<RankedTensorType>(load.getType());
  auto form = tensorMapTile(type.getShape(), int32_t(tile::bitWidthOf(type.getElementType())));
  return form && form->memory == memory;
}

std::vector<LoopSchedule> scheduleLoops(func::FuncOp func, const AxisInfoAnalysis &axes,
                                        int64_t reductionStages,
                                        SmallVectorImpl<PipelineObstacle> &obstacles) {
  SmallVector<scf::ForOp> withBuffers, others;
  func.walk([&](scf::ForOp loop) {
    bool hasBuffers = !loop.getBody()->getOps<LocalStoreOp>().empty();
    (hasBuffers ? withBuffers : others).push_back(loop);
  });
  std::vector<LoopSchedule> schedules;
  if (!processorOf(func).has(Feature::AsyncCopy)) {
    for (scf::ForOp loop : llvm::concat<scf::ForOp>(withBuffers, others))
      if (loop->hasAttr(tile::TileDialect::kNumStagesAttr))
        obstacles.push_back({loop.getLoc(), "the processor has no async copies"});
    return schedules;
  }
  auto add = [&](std::optional<LoopSchedule> schedule) {
    if (schedule)
      schedules.push_back(std::move(*schedule));
  };
  SmallVector<PipelineObstacle> ignored;
  for (scf::ForOp loop : others)
    if (int64_t stages = privateStagesOf(loop, reductionStages); stages >= 2)
      add(LoopScheduler(loop, stages, axes, ignored).schedulePrivately());
  for (scf::ForOp loop : withBuffers)
    if (int64_t stages = askedStages(loop); stages >= 2)
      add(LoopScheduler(loop, stages, axes, obstacles).scheduleOperands());
  return schedules;
}

} // namespace tilec

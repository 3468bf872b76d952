// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Software pipelining of loops that feed matrix products. A tensor that an iteration loads and
// stores to shared memory for a product is copied there asynchronously, d iterations ahead:
//
//   for i { x = load p(i); store x, buf; acc = dot(buf, acc) }
//
// becomes, with a ring of d + 1 buffers,
//
//   copies of iterations 0 to d-1
//   for i { wait for the copies of i; barrier; acc = dot(ring[i], acc), still in flight;
//           wait for the product of i-1; barrier; copies of i+d }
//
// The address arithmetic of the copies is cloned with the induction variable d steps ahead; what of
// it is carried around the loop is carried d iterations ahead as well. Copies past the last
// iteration are masked off.
//
// A load that each thread needs for itself goes through a buffer first (PrivateStreams), without
// the barriers.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "PrivateStreams.h"
#include "StreamByTma.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Analysis/AxisInfo.h"
#include "tilec/Analysis/GlobalAccess.h"
#include "tilec/Analysis/RegisterPressure.h"
#include "tilec/Analysis/SharedAllocation.h"
#include "tilec/Layout/TensorLayouts.h"

#define DEBUG_TYPE "tilegpu-pipeline-loops"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUPIPELINELOOPSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {
/// A load whose only purpose is to fill a buffer.
struct Stream {
  tile::LoadOp load;
  /// Instead of a load through pointers.
  tile::DescriptorLoadOp tensorLoad;
  LocalStoreOp store;
  LocalAllocOp buffer;
  /// Order that takes the loaded tensor's dimensions to the buffer's; empty when the same.
  SmallVector<int32_t> order;

  Operation *source() const {
    tile::LoadOp pointers = load;
    tile::DescriptorLoadOp tensor = tensorLoad;
    return tensor ? tensor.getOperation() : pointers.getOperation();
  }
  /// The order that takes the buffer's dimensions to the loaded tensor's; empty when the same.
  SmallVector<int32_t> inverseOrder() const {
    SmallVector<int32_t> inverse(order.size());
    for (auto [i, dim] : llvm::enumerate(order))
      inverse[dim] = int32_t(i);
    return inverse;
  }
  /// The buffer's layout with the dimensions of the loaded tensor.
  LinearLayout memoryAsLoaded() {
    auto type = cast<MemDescType>(store.getBuffer().getType());
    const LinearLayout &memory = type.getLayout().getLayout();
    return order.empty() ? memory : permuteLayout(memory, inverseOrder());
  }
};

/// A buffer that each iteration stores anew for products that stay in flight: there are two of it.
struct Staged {
  LocalAllocOp buffer;
  LocalStoreOp store;
};

/// Why a load is not streamed.
struct Obstacle {
  Location loc;
  StringRef reason;
};

/// Whether a buffer has such a use, also one of a view of it.
bool anyUse(Value buffer, llvm::function_ref<bool(OpOperand &)> test) {
  return llvm::any_of(buffer.getUses(), [&](OpOperand &use) {
    auto view = dyn_cast<MemDescPermuteOp>(use.getOwner());
    return view ? anyUse(view.getResult(), test) : test(use);
  });
}

class LoopPipeliner {
public:
  LoopPipeliner(scf::ForOp forOp, int64_t numStages, bool eachForItself = false)
      : loop(forOp), stages(numStages), isPrivate(eachForItself) {}

  /// Finds what to stream; false when there is nothing.
  bool analyse(const AxisInfoAnalysis &axes, SmallVectorImpl<Obstacle> &obstacles);
  bool streamsTo(LocalStoreOp store) const {
    return llvm::any_of(streams, [&](const Stream &stream) { return stream.store == store; });
  }
  void setStages(int64_t number) { stages = number; }
  void run();
  /// After `run`: tells which loops around have been rebuilt.
  ArrayRef<BarrierObjects::Replaced> replacedLoops() const {
    return tensorCopies ? tensorCopies->replaced() : ArrayRef<BarrierObjects::Replaced>();
  }
  void replaceLoop(const BarrierObjects::Replaced &replaced) {
    if (loop == replaced.first)
      loop = replaced.second;
  }

private:
  std::optional<Stream> matchStream(LocalStoreOp store, const AxisInfoAnalysis &axes,
                                    SmallVectorImpl<Obstacle> &obstacles);
  /// Adds what `value` is computed from to the slice; false when that cannot be done ahead.
  bool addToSlice(Value value);
  /// The slice of an iteration, cloned.
  struct AheadSlice {
    IRMapping mapping;
    /// Whether there is such an iteration.
    Value inRange;
  };
  /// Clones the slice for the iteration of `iv`. The values carried ahead are replaced by those of
  /// the next iteration.
  AheadSlice cloneSlice(OpBuilder &builder, Value iv, MutableArrayRef<Value> ahead);
  /// Issues the copies of an iteration into buffer `slot`.
  void issueCopies(OpBuilder &builder, const AheadSlice &sliceAhead, Value slot);
  Value nextSlot(OpBuilder &builder, Value slot);
  /// The parity of the phase that the iteration with `nextSlot` waits for.
  Value nextParity(OpBuilder &builder, Value nextSlot, Value parity);
  /// Whether anything but warpgroup products reads the buffers.
  bool readsByThreads() const {
    return llvm::any_of(streams, [](const Stream &stream) {
      LocalAllocOp buffer = stream.buffer;
      return anyUse(buffer, [](OpOperand &use) {
        auto product = dyn_cast<WgmmaOp>(use.getOwner());
        return !isa<LocalStoreOp>(use.getOwner()) && !(product && !product.getFragmentsOf());
      });
    });
  }
  /// Whether products in flight read what is copied.
  bool readsInFlight() const {
    return llvm::any_of(streams, [](const Stream &stream) {
      LocalAllocOp buffer = stream.buffer;
      return anyUse(buffer, [](OpOperand &use) {
        auto product = dyn_cast<WgmmaOp>(use.getOwner());
        return product && product.getFragmentsOf() != use.getOperandNumber();
      });
    });
  }
  /// Products whose result is only added to in the next iteration, and whose buffers nothing writes
  /// until then, or may be had twice: they stay in flight.
  void findCarriedProducts();
  std::optional<Staged> matchStaged(Value buffer);

  /// Whether addresses are computed from what is loaded.
  bool loadsAhead() const {
    return llvm::any_of(slice, [](Operation *op) { return isa<tile::LoadOp>(op); });
  }
  /// Whether threads copy, rather than the copy engine alone.
  bool hasThreadCopies() const {
    return llvm::any_of(streams, [](const Stream &stream) { return bool(stream.load); });
  }

  scf::ForOp loop;
  int64_t stages;
  /// Each thread reads what it has copied itself.
  bool isPrivate;
  /// For the streams that the copy engine fills.
  std::unique_ptr<TensorCopyRing> tensorCopies;
  SmallVector<Stream> streams;
  SetVector<Operation *> slice;
  SetVector<unsigned> sliceArgs;
  SmallVector<Value> rings;
  SmallVector<WgmmaWaitOp> carried;
  SmallVector<Staged> staged;
};
} // namespace

std::optional<Stream> LoopPipeliner::matchStream(LocalStoreOp store, const AxisInfoAnalysis &axes,
                                                 SmallVectorImpl<Obstacle> &obstacles) {
  Stream stream;
  stream.store = store;
  stream.buffer = store.getBuffer().getDefiningOp<LocalAllocOp>();
  if (!stream.buffer || stream.buffer->getBlock() != loop.getBody())
    return std::nullopt;
  Value value = store.getValue();
  for (;;) {
    if (!value.hasOneUse())
      return std::nullopt;
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody())
      return std::nullopt;
    if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
      value = convert.getSource();
    } else if (auto permute = dyn_cast<tile::PermuteOp>(op); permute && stream.order.empty()) {
      stream.order.assign(permute.getOrder().begin(), permute.getOrder().end());
      value = permute.getSource();
    } else if (auto load = dyn_cast<tile::LoadOp>(op)) {
      stream.load = load;
      break;
    } else if (auto tensorLoad = dyn_cast<tile::DescriptorLoadOp>(op)) {
      stream.tensorLoad = tensorLoad;
      break;
    } else {
      return std::nullopt;
    }
  }
  auto give = [&](StringRef reason) -> std::optional<Stream> {
    obstacles.push_back({stream.source()->getLoc(), reason});
    return std::nullopt;
  };
  if (stream.tensorLoad) {
    if (!isFilledByTensorCopy(stream.tensorLoad, stream.memoryAsLoaded()))
      return give("a tensor copy does not write what the product reads");
    return stream;
  }
  if (!isa<RankedTensorType>(stream.load.getPointer().getType()) || stream.load.getIsVolatile())
    return give("it is volatile or of a scalar");
  Value other = stream.load.getOther();
  if (stream.load.getMask() && other && !matchPattern(other, m_Zero()) &&
      !matchPattern(other, m_AnyZeroFloat()))
    return give("elements that are masked off are not zero");
  std::optional<GlobalAccess> access = GlobalAccess::of(stream.load);
  if (!access)
    return std::nullopt;
  std::vector<unsigned> bits = copyRegisterBits(layoutOf(access->type), access->chooseVector(axes),
                                                stream.memoryAsLoaded(), access->elementBytes);
  if (access->elementBytes << bits.size() < 4)
    return give("no 4 bytes are neighbours in global memory and in the buffer");
  return stream;
}

bool LoopPipeliner::addToSlice(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != loop.getBody() || argument == loop.getInductionVar())
      return true;
    unsigned number = argument.getArgNumber() - 1;
    if (!sliceArgs.insert(number))
      return true;
    return addToSlice(loop.getYieldedValues()[number]);
  }
  Operation *op = value.getDefiningOp();
  if (!loop->isProperAncestor(op))
    return true;
  // Loads of indices are done ahead like arithmetic; the loop does not write.
  auto load = dyn_cast<tile::LoadOp>(op);
  bool isRepeatable = load ? !load.getIsVolatile() : isMemoryEffectFree(op);
  if (op->getBlock() != loop.getBody() || !isRepeatable || op->getNumRegions() > 0)
    return false;
  if (slice.contains(op))
    return true;
  for (Value operand : op->getOperands())
    if (!addToSlice(operand))
      return false;
  slice.insert(op);
  return true;
}

/// A write to global memory, which a load must not pass.
static bool writesGlobal(Operation *op) {
  return isa_and_nonnull<tile::TileDialect>(op->getDialect()) &&
         !isa<tile::AssertOp, tile::PrintOp, tile::AssumeOp, tile::BarrierOp>(op) &&
         hasEffect<MemoryEffects::Write>(op);
}

bool LoopPipeliner::analyse(const AxisInfoAnalysis &axes, SmallVectorImpl<Obstacle> &obstacles) {
  bool hasWrites = loop.getBody()
                       ->walk([](Operation *op) {
                         return writesGlobal(op) ? WalkResult::interrupt() : WalkResult::advance();
                       })
                       .wasInterrupted();
  for (auto store : loop.getBody()->getOps<LocalStoreOp>()) {
    std::optional<Stream> stream = matchStream(store, axes, obstacles);
    if (!stream)
      continue;
    if (hasWrites) {
      obstacles.push_back({stream->source()->getLoc(), "the loop writes to global memory"});
      continue;
    }
    SetVector<Operation *> sliceBefore = slice;
    SetVector<unsigned> argsBefore = sliceArgs;
    bool ahead = llvm::all_of(stream->source()->getOperands(),
                              [&](Value operand) { return addToSlice(operand); });
    if (!ahead) {
      slice = sliceBefore;
      sliceArgs = argsBefore;
      obstacles.push_back(
          {stream->source()->getLoc(), "its address depends on a product or on control flow"});
      continue;
    }
    streams.push_back(std::move(*stream));
  }
  return !streams.empty();
}

std::optional<Staged> LoopPipeliner::matchStaged(Value buffer) {
  Staged found;
  found.buffer = buffer.getDefiningOp<LocalAllocOp>();
  if (!found.buffer || found.buffer->getBlock() != loop.getBody())
    return std::nullopt;
  for (Operation *user : found.buffer->getUsers()) {
    auto store = dyn_cast<LocalStoreOp>(user);
    bool isFirst = store && !found.store && store->getBlock() == loop.getBody() &&
                   isa<ProxyFenceOp>(store->getNextNode());
    if (isFirst)
      found.store = store;
    else if (!isa<WgmmaOp>(user) || user->getBlock() != loop.getBody())
      return std::nullopt;
  }
  if (!found.store)
    return std::nullopt;
  // All that is in use in the loop.
  int64_t bytes = 2 * found.buffer.getType().getSizeInBytes();
  for (Stream &stream : streams)
    bytes += stages * stream.buffer.getType().getSizeInBytes();
  for (Staged &other : staged)
    bytes += 2 * other.buffer.getType().getSizeInBytes();
  if (bytes > sharedMemoryLimit(computeCapabilityOf(loop)))
    return std::nullopt;
  return found;
}

void LoopPipeliner::findCarriedProducts() {
  auto staysWhileInFlight = [&](Value operand, SmallVectorImpl<Staged> &twice) {
    if (auto view = operand.getDefiningOp<MemDescPermuteOp>())
      operand = view.getSource();
    if (!isa<MemDescType>(operand.getType()) || loop.isDefinedOutsideOfLoop(operand) ||
        llvm::any_of(streams, [&](Stream &stream) { return stream.buffer.getResult() == operand; }))
      return true;
    std::optional<Staged> match = matchStaged(operand);
    if (match)
      twice.push_back(*match);
    return match.has_value();
  };
  for (auto wait : loop.getBody()->getOps<WgmmaWaitOp>()) {
    if (wait.getPending() != 0 || wait.getValues().size() != 1 || !wait.getResult(0).hasOneUse())
      continue;
    OpOperand &use = *wait.getResult(0).use_begin();
    auto product = wait.getValues().front().getDefiningOp<WgmmaOp>();
    SmallVector<Staged> twice;
    if (!product || use.getOwner() != loop.getBody()->getTerminator() ||
        !staysWhileInFlight(product.getLhs(), twice) ||
        !staysWhileInFlight(product.getRhs(), twice))
      continue;
    BlockArgument arg = loop.getRegionIterArg(use.getOperandNumber());
    if (product.getAcc() != arg || !arg.hasOneUse())
      continue;
    carried.push_back(wait);
    for (const Staged &buffer : twice)
      if (llvm::none_of(staged, [&](const Staged &known) { return known.store == buffer.store; }))
        staged.push_back(buffer);
  }
}

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

void LoopPipeliner::run() {
  int64_t numTensorCopies =
      llvm::count_if(streams, [](const Stream &stream) { return bool(stream.tensorLoad); });
  if (numTensorCopies)
    tensorCopies = std::make_unique<TensorCopyRing>(loop, stages, numTensorCopies);
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  int64_t distance = stages - 1;
  findCarriedProducts();
  // Slices hold operations in the order they were found; cloning needs the order of the block.
  SmallVector<Operation *> ordered(slice.begin(), slice.end());
  llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  slice = SetVector<Operation *>(ordered.begin(), ordered.end());

  for (Stream &stream : streams) {
    MemDescType type = stream.buffer.getType();
    auto ring = MemDescType::get(builder.getContext(), type.getShape(), type.getElementType(),
                                 type.getLayout(), stages);
    rings.push_back(LocalAllocOp::create(builder, stream.source()->getLoc(), ring, IntegerAttr()));
  }
  SmallVector<Value> pairs;
  for (Staged &buffer : staged) {
    MemDescType type = buffer.buffer.getType();
    auto pair = MemDescType::get(builder.getContext(), type.getShape(), type.getElementType(),
                                 type.getLayout(), /*buffers=*/2);
    pairs.push_back(LocalAllocOp::create(builder, buffer.buffer.getLoc(), pair, IntegerAttr()));
  }

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
  // For those who look at whole buffers, as tilegpu-insert-barriers does.
  if (isPrivate)
    NVVM::Barrier0Op::create(builder, loc);
  auto newLoop = scf::ForOp::create(builder, loc, loop.getLowerBound(), loop.getUpperBound(),
                                    loop.getStep(), inits, nullptr, loop.getUnsignedCmp());
  if (newLoop.getBody()->mightHaveTerminator() && !newLoop.getBody()->empty())
    newLoop.getBody()->back().erase();
  builder.setInsertionPointToStart(newLoop.getBody());
  Value fill = newLoop.getRegionIterArg(numCarried + numAhead);
  Value read = newLoop.getRegionIterArg(numCarried + numAhead + 1);
  SmallVector<Value> nextAhead(newLoop.getRegionIterArgs().slice(numCarried, numAhead));
  std::optional<AheadSlice> sliceAhead;
  auto computeAhead = [&] {
    Value steps = arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(loop.getStep().getType(), distance));
    Value shift = arith::MulIOp::create(builder, loc, loop.getStep(), steps);
    Value ivAhead = arith::AddIOp::create(builder, loc, newLoop.getInductionVar(), shift);
    sliceAhead = cloneSlice(builder, ivAhead, nextAhead);
  };
  // What addresses are computed from arrives while the threads wait for the copies.
  if (loadsAhead())
    computeAhead();
  if (tensorCopies)
    tensorCopies->wait(builder, loc, read, newLoop.getRegionIterArgs().back());
  // No proxy fence behind the threads' copies: it would wait for all copies in flight, and none is
  // needed in practice between cp.async and wgmma beyond wait and barrier.
  if (hasThreadCopies())
    AsyncWaitOp::create(builder, loc, uint32_t(distance - 1));
  if (tensorCopies && readsByThreads())
    ProxyFenceOp::create(builder, loc);
  // The copy engine's buffers are refilled behind the barrier after the wait for their product.
  if (!isPrivate && (hasThreadCopies() || carried.empty() || readsByThreads()))
    NVVM::Barrier0Op::create(builder, loc);

  IRMapping mapping;
  mapping.map(loop.getInductionVar(), newLoop.getInductionVar());
  for (unsigned i = 0; i < numCarried; ++i)
    mapping.map(loop.getRegionIterArg(i), newLoop.getRegionIterArg(i));
  DenseSet<Operation *> dropped;
  for (auto [stream, ring] : llvm::zip(streams, rings)) {
    auto ringType = cast<MemDescType>(ring.getType());
    mapping.map(stream.buffer.getResult(),
                MemDescIndexOp::create(builder, stream.source()->getLoc(), ringType.getOneBuffer(),
                                       ring, read)
                    .getResult());
    dropped.insert(stream.buffer);
    dropped.insert(stream.store);
    if (auto fence = dyn_cast<ProxyFenceOp>(stream.store->getNextNode()))
      dropped.insert(fence);
    for (Operation *op = stream.store.getValue().getDefiningOp();;
         op = op->getOperand(0).getDefiningOp()) {
      dropped.insert(op);
      if (op == stream.source())
        break;
    }
  }
  DenseSet<Operation *> stagedStores;
  Value half = staged.empty() ? Value() : newLoop.getRegionIterArg(numCarried + numAhead + 2);
  for (auto [buffer, pair] : llvm::zip(staged, pairs)) {
    auto pairType = cast<MemDescType>(pair.getType());
    mapping.map(
        buffer.buffer.getResult(),
        MemDescIndexOp::create(builder, buffer.buffer.getLoc(), pairType.getOneBuffer(), pair, half)
            .getResult());
    dropped.insert(buffer.buffer);
    stagedStores.insert(buffer.store);
  }
  auto copyAhead = [&] {
    if (!sliceAhead)
      computeAhead();
    issueCopies(builder, *sliceAhead, fill);
  };
  // No product of the iteration before reads the rings: its buffers are free since the barrier.
  // A fence behind the stores of this iteration would wait for copies that have just been issued.
  bool copiesFirst = carried.empty() || (!readsInFlight() && staged.empty());
  if (copiesFirst)
    copyAhead();
  DenseSet<Operation *> inFlight;
  for (WgmmaWaitOp wait : carried)
    inFlight.insert(wait);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (dropped.contains(&op))
      continue;
    if (inFlight.contains(&op)) {
      mapping.map(op.getResult(0), mapping.lookup(op.getOperand(0)));
      continue;
    }
    builder.clone(op, mapping);
    // The stores of all threads, before a product reads them. What it stored over has been read by
    // the product that was waited for in front of the barrier at the head.
    if (isa<ProxyFenceOp>(op) && stagedStores.contains(op.getPrevNode()))
      NVVM::Barrier0Op::create(builder, op.getLoc());
  }

  if (!carried.empty()) {
    // Wait for the products of the iteration before; those of this one stay in flight.
    SmallVector<Value> products;
    int64_t pending = 0;
    for (WgmmaWaitOp wait : carried) {
      products.push_back(mapping.lookup(wait.getResult(0)));
      pending += wait.getValues().front().getDefiningOp<WgmmaOp>().numGroups();
    }
    auto wait = WgmmaWaitOp::create(builder, loc, ValueRange(products), int32_t(pending));
    for (auto [old, result] : llvm::zip(carried, wait.getResults()))
      mapping.map(old.getResult(0), result);
  }
  if (!copiesFirst) {
    if (readsInFlight())
      NVVM::Barrier0Op::create(builder, loc);
    copyAhead();
  }
  SmallVector<Value> yields;
  for (Value value : loop.getYieldedValues())
    yields.push_back(mapping.lookupOrDefault(value));
  llvm::append_range(yields, nextAhead);
  yields.push_back(nextSlot(builder, fill));
  Value nextRead = nextSlot(builder, read);
  yields.push_back(nextRead);
  if (half) {
    Value one = constant(1);
    yields.push_back(arith::XOrIOp::create(builder, loc, half, one));
  }
  if (tensorCopies)
    yields.push_back(nextParity(builder, nextRead, newLoop.getRegionIterArgs().back()));
  scf::YieldOp::create(builder, loc, yields);

  builder.setInsertionPointAfter(newLoop);
  // Copies past the end write zeros to the ring: they have to be done before it is reused.
  if (hasThreadCopies())
    AsyncWaitOp::create(builder, loc, 0u);
  if (tensorCopies)
    tensorCopies->finish(newLoop.getResults()[numCarried + numAhead + 1],
                         newLoop.getResults().back());
  SmallVector<Value> results(newLoop.getResults().take_front(numCarried));
  if (!carried.empty()) {
    SmallVector<Value> products;
    SmallVector<unsigned> numbers;
    for (WgmmaWaitOp wait : carried) {
      numbers.push_back(wait.getResult(0).use_begin()->getOperandNumber());
      products.push_back(results[numbers.back()]);
    }
    auto wait = WgmmaWaitOp::create(builder, loc, ValueRange(products), 0);
    for (auto [number, result] : llvm::zip(numbers, wait.getResults()))
      results[number] = result;
  }
  loop.replaceAllUsesWith(results);
  loop.erase();
}

namespace {
struct PipelineLoops final : tilec::impl::TileGPUPipelineLoopsPassBase<PipelineLoops> {
  using Base::Base;

  void runOnOperation() override {
    AxisInfoAnalysis axes(getOperation());
    getOperation().walk(remarkOptions);
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (!loop.getBody()->getOps<LocalStoreOp>().empty())
        loops.push_back(loop);
    });
    std::vector<LoopPipeliner> pipeliners;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop.getBody()->getOps<LocalStoreOp>().empty())
        if (int64_t stages = privateStagesOf(loop); stages >= 2)
          streamPrivately(loop, stages, axes, pipeliners);
    });
    for (scf::ForOp loop : loops) {
      int64_t stages = stagesOf(loop);
      SmallVector<Obstacle> obstacles;
      LoopPipeliner pipeliner(loop, stages);
      bool works = stages >= 2 && pipeliner.analyse(axes, obstacles);
      for (const Obstacle &obstacle : obstacles)
        remark::missed(obstacle.loc, remark::RemarkOpts::name("NotPipelined").category("pipeline"))
            << "load is not copied ahead: " << obstacle.reason;
      if (works)
        pipeliners.push_back(std::move(pipeliner));
    }
    for (LoopPipeliner &pipeliner : pipeliners) {
      pipeliner.run();
      for (const BarrierObjects::Replaced &replaced : pipeliner.replacedLoops())
        for (LoopPipeliner &other : pipeliners)
          other.replaceLoop(replaced);
    }
  }

private:
  /// Says of options of a loop that they are accepted and change nothing.
  static void remarkOptions(scf::ForOp loop) {
    for (StringRef option : {"warp_specialize", "flatten"})
      if (loop->hasAttr(("tile." + option).str()))
        remark::missed(loop.getLoc(), remark::RemarkOpts::name("NoEffect").category("pipeline"))
            << remark::add("'{0}' has no effect", option);
  }

  /// The stages of a loop without products: what the source asks for, or the option where threads
  /// wait for each other in each iteration.
  int64_t privateStagesOf(scf::ForOp loop) {
    if (isRemainderCode(loop.getBody()->getTerminator()) || multipliesMatrices(loop))
      return 0;
    if (auto own = loop->getAttrOfType<IntegerAttr>("tile.num_stages"))
      return own.getInt();
    return loop.getBody()->getOps<tile::ReduceOp>().empty() ? 0 : int64_t(reductionStages);
  }

  /// Copies what can be copied ahead, as far ahead as shared memory allows.
  static void streamPrivately(scf::ForOp loop, int64_t stages, const AxisInfoAnalysis &axes,
                              std::vector<LoopPipeliner> &pipeliners) {
    SmallVector<PrivateStream> candidates = addPrivateStreams(loop, axes);
    SmallVector<Obstacle> obstacles;
    LoopPipeliner pipeliner(loop, stages, /*eachForItself=*/true);
    pipeliner.analyse(axes, obstacles);
    int64_t bytes = 0;
    for (const PrivateStream &stream : candidates)
      if (pipeliner.streamsTo(stream.store))
        bytes += stream.bytes;
    int64_t threads = int64_t(numWarpsOf(loop)) * 32;
    bool isAsked = loop->hasAttr("tile.num_stages");
    int64_t most = sharedMemoryLimit(computeCapabilityOf(loop)) - kOtherShared;
    int64_t share = std::min(most, isAsked ? most : kUnaskedRings) / threads;
    int64_t fitting = bytes ? std::min(stages, std::min(kPrivateRingBytes, share) / bytes) : 0;
    for (const PrivateStream &stream : candidates)
      if (fitting < 2 || !pipeliner.streamsTo(stream.store))
        removePrivateStream(stream);
    if (fitting < 2)
      return;
    pipeliner.setStages(fitting);
    pipeliners.push_back(std::move(pipeliner));
  }

  int64_t stagesOf(scf::ForOp loop) {
    if (auto own = loop->getAttrOfType<IntegerAttr>("tile.num_stages"))
      return own.getInt();
    if (auto all = getOperation()->getAttrOfType<IntegerAttr>("tile.num_stages"))
      return all.getInt();
    return 3;
  }
};
} // namespace

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loads of a loop can be pipelined: those that only fill a buffer for a dot, and whose
// addresses can be computed ahead, too; and which dots stay in flight across iterations.

#include "LoopPipeliner.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Analysis/GlobalAccess.h"
#include "tilec/Analysis/SharedAllocation.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

bool tilec::tilegpu::anyUse(Value buffer, llvm::function_ref<bool(OpOperand &)> test) {
  return llvm::any_of(buffer.getUses(), [&](OpOperand &use) {
    auto view = dyn_cast<MemDescPermuteOp>(use.getOwner());
    return view ? anyUse(view.getResult(), test) : test(use);
  });
}

LinearLayout Stream::memoryAsLoaded() {
  auto type = cast<MemDescType>(store.getBuffer().getType());
  const LinearLayout &memory = type.getLayout().getLayout();
  return order.empty() ? memory : permuteLayout(memory, inverseOrder());
}

bool LoopPipeliner::readsInFlight() const {
  return llvm::any_of(streams, [](const Stream &stream) {
    LocalAllocOp buffer = stream.buffer;
    return anyUse(buffer, [](OpOperand &use) {
      auto product = dyn_cast<WgmmaOp>(use.getOwner());
      return product && product.getFragmentsOf() != use.getOperandNumber();
    });
  });
}

bool LoopPipeliner::loadsAhead() const {
  return llvm::any_of(slice, [](Operation *op) { return isa<tile::LoadOp>(op); });
}

bool LoopPipeliner::hasThreadCopies() const {
  return llvm::any_of(streams, [](const Stream &stream) { return bool(stream.load); });
}

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
      return give("a TMA copy cannot write the layout that the dot reads");
    return stream;
  }
  if (!isa<RankedTensorType>(stream.load.getPointer().getType()) || stream.load.getIsVolatile())
    return give("it is volatile or loads a scalar");
  Value other = stream.load.getOther();
  if (stream.load.getMask() && other && !matchPattern(other, m_Zero()) &&
      !matchPattern(other, m_AnyZeroFloat()))
    return give("masked-off elements are not zero");
  std::optional<GlobalAccess> access = GlobalAccess::of(stream.load);
  if (!access)
    return std::nullopt;
  std::vector<unsigned> bits = copyRegisterBits(layoutOf(access->type), access->chooseVector(axes),
                                                stream.memoryAsLoaded(), access->elementBytes);
  if (access->elementBytes << bits.size() < 4)
    return give("no 4 bytes are contiguous both in global and in shared memory");
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
          {stream->source()->getLoc(), "its address depends on a dot or on control flow"});
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
  for (OpOperand &use : found.buffer->getUses()) {
    Operation *user = use.getOwner();
    if (user->getBlock() != loop.getBody())
      return std::nullopt;
    auto store = dyn_cast<LocalStoreOp>(user);
    auto product = dyn_cast<WgmmaOp>(user);
    if (store && !found.store)
      found.store = store;
    else if (!product || product.getFragmentsOf() == use.getOperandNumber())
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
  if (bytes > processorOf(loop).maxSharedBytesPerCta())
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

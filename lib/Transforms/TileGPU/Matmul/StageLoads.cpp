// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prepares the operands of dots for the pipeliner. Dots that read the same tensor, one as it is
// and another transposed, share its buffer: the later one gets a view of it. A vector that is
// loaded in a loop with products, or one for each of batched products, goes through shared memory
// as well, so that it is copied ahead like their operands instead of being waited for in each
// iteration. Where a load that fills a buffer leaves threads less than a copy takes, fewer threads
// copy.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "../Layout/Coalesce.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Analysis/AxisInfo.h"
#include "tilec/Analysis/BufferFill.h"
#include "tilec/Analysis/GlobalAccess.h"
#include "tilec/Analysis/LayoutRules.h"
#include "tilec/Analysis/LoopSchedule.h"
#include "tilec/Layout/TensorLayouts.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUSTAGELOADSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {
/// A buffer that is filled once, and what with: dimension i is dimension `order[i]` of the tensor.
struct FilledBuffer {
  Value tensor;
  SmallVector<int32_t> order;
  LocalAllocOp buffer;
  LocalStoreOp store;
  /// Whether all readers take the buffer to registers, which can be done in any layout.
  bool isReadToRegisters = true;
};
} // namespace

static std::optional<FilledBuffer> matchFilledBuffer(LocalStoreOp store) {
  FilledBuffer filled;
  filled.store = store;
  filled.buffer = store.getBuffer().getDefiningOp<LocalAllocOp>();
  if (!filled.buffer || filled.buffer->getBlock() != store->getBlock())
    return std::nullopt;
  for (OpOperand &use : filled.buffer->getUses()) {
    Operation *user = use.getOwner();
    auto product = dyn_cast<WgmmaOp>(user);
    if (user != store && !product && !isa<LocalLoadOp>(user))
      return std::nullopt;
    filled.isReadToRegisters &= !product || product.getFragmentsOf() == use.getOperandNumber();
  }
  filled.tensor = store.getValue();
  for (int64_t dim = 0, rank = filled.buffer.getType().getShape().size(); dim < rank; ++dim)
    filled.order.push_back(int32_t(dim));
  for (;;) {
    if (auto convert = filled.tensor.getDefiningOp<ConvertLayoutOp>()) {
      filled.tensor = convert.getSource();
    } else if (auto permute = filled.tensor.getDefiningOp<tile::PermuteOp>()) {
      for (int32_t &dim : filled.order)
        dim = permute.getOrder()[dim];
      filled.tensor = permute.getSource();
    } else {
      return filled;
    }
  }
}

/// Lets the readers of `later` read `first` instead; false when they cannot.
static bool share(const FilledBuffer &first, FilledBuffer &later, const DominanceInfo &dominance) {
  if (!dominance.properlyDominates(first.store, later.store))
    return false;
  LocalAllocOp buffer = first.buffer;
  MemDescType have = buffer.getType(), want = later.buffer.getType();
  SmallVector<int32_t> inverse(first.order.size()), order;
  for (auto [i, dim] : llvm::enumerate(first.order))
    inverse[dim] = int32_t(i);
  for (int32_t dim : later.order)
    order.push_back(inverse[dim]);
  auto layout =
      LinearAttr::get(have.getContext(), permuteLayout(have.getLayout().getLayout(), order));
  auto type = MemDescType::get(have.getContext(), want.getShape(), want.getElementType(), layout);
  if (type != want && !later.isReadToRegisters)
    return false;
  Value view = buffer;
  if (!llvm::equal(order, llvm::seq<int32_t>(0, int32_t(order.size())))) {
    OpBuilder builder(later.store);
    view = MemDescPermuteOp::create(builder, later.store.getLoc(), type, view,
                                    builder.getDenseI32ArrayAttr(order));
  }
  Value stored = later.store.getValue();
  later.store.erase();
  later.buffer.replaceAllUsesWith(view);
  later.buffer.erase();
  for (Operation *op = stored.getDefiningOp(); op && op->use_empty() && isMemoryEffectFree(op);) {
    Operation *above = op->getOperand(0).getDefiningOp();
    op->erase();
    op = above;
    if (!isa_and_nonnull<ConvertLayoutOp, tile::PermuteOp>(op))
      break;
  }
  return true;
}

static void shareBuffers(func::FuncOp func) {
  DominanceInfo dominance(func);
  llvm::MapVector<Value, SmallVector<FilledBuffer, 2>> buffers;
  SmallVector<LocalStoreOp> stores;
  func.walk([&](LocalStoreOp store) { stores.push_back(store); });
  for (LocalStoreOp store : stores) {
    std::optional<FilledBuffer> filled = matchFilledBuffer(store);
    if (!filled)
      continue;
    SmallVector<FilledBuffer, 2> &others = buffers[filled->tensor];
    if (llvm::none_of(others,
                      [&](const FilledBuffer &other) { return share(other, *filled, dominance); }))
      others.push_back(*filled);
  }
}

/// Whether an address is computed from `value`.
static bool feedsAddress(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    if (isa<tile::AddPtrOp>(user))
      return true;
    return user->getNumResults() == 1 && isMemoryEffectFree(user) &&
           feedsAddress(user->getResult(0));
  });
}

static constexpr int64_t kLeastCopyBits = 8 * kLeastCopyBytes;

/// Dimensions of what the loop's products compute; 0 where there are none.
static int64_t rankOfProducts(scf::ForOp loop) {
  int64_t rank = 0;
  for (Operation &op : *loop.getBody())
    if (isa<WgmmaOp, MmaOp>(op))
      rank = std::max(rank, cast<RankedTensorType>(op.getResult(0).getType()).getRank());
  return rank;
}

/// The loaded tensor's dimensions, the one along which most elements are neighbours in memory
/// first.
static SmallVector<int32_t> orderInMemory(Operation *load, const AxisInfoAnalysis &axes) {
  auto type = cast<RankedTensorType>(load->getResult(0).getType());
  auto order = llvm::to_vector(llvm::seq<int32_t>(0, int32_t(type.getRank())));
  std::optional<GlobalAccess> access = GlobalAccess::of(load);
  auto key = [&](int32_t dim) {
    return std::pair(access ? access->getMaxWidth(dim, axes) : 0u, dim);
  };
  llvm::sort(order, [&](int32_t a, int32_t b) { return key(a) > key(b); });
  return order;
}

/// Whether elements of `op`, a load of a vector, lie side by side that an async copy can take.
static bool hasCopies(scf::ForOp loop, Operation *op, RankedTensorType type,
                      const AxisInfoAnalysis &axes) {
  int64_t bits = tile::bitWidthOf(type.getElementType());
  if (bits >= kLeastCopyBits)
    return true;
  // Beside tensor copies alone the loop would wait for both kinds (tile-take-tensor-copies).
  auto isCopied = [](tile::LoadOp load) { return fillBy(load).has_value(); };
  if (!loop.getBody()->getOps<tile::DescriptorLoadOp>().empty() &&
      llvm::none_of(loop.getBody()->getOps<tile::LoadOp>(), isCopied))
    return false;
  std::optional<GlobalAccess> access = GlobalAccess::of(op);
  return access && bits >= 8 &&
         access->getMaxWidth(orderInMemory(op, axes).front(), axes) * bits >= kLeastCopyBits;
}

/// Whether `op` loads a vector, of batched products one each, from another place in each iteration,
/// that can be copied ahead.
static bool isStaged(scf::ForOp loop, int64_t productRank, Operation *op, WrittenMemory &written,
                     const AxisInfoAnalysis &axes) {
  auto load = dyn_cast<tile::LoadOp>(op);
  if (!load && !isa<tile::DescriptorLoadOp>(op))
    return false;
  if (load && (load.getIsVolatile() ||
               (load.getOther() && !tile::isZero(stripConversions(load.getOther())))))
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || type.getRank() >= productRank || (type.getRank() > 1 && !load) ||
      type.getNumElements() < 2 || !hasCopies(loop, op, type, axes) ||
      written.mayContain(op->getOperand(0)))
    return false;
  OperandRange address = op->getOperands();
  if (llvm::all_of(load ? address.take_front() : address,
                   [&](Value value) { return loop.isDefinedOutsideOfLoop(value); }))
    return false;
  // What is an index is loaded ahead instead.
  AheadSlice slice{loop, written};
  return !feedsAddress(op->getResult(0)) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return slice.add(operand); });
}

/// Gives threads that hold less than a copy takes as many neighbours as one can take, others none.
static void widenToCopy(tile::LoadOp load, const AxisInfoAnalysis &axes) {
  auto type = cast<RankedTensorType>(load.getType());
  std::optional<GlobalAccess> access = GlobalAccess::of(load);
  if (!access)
    return;
  SmallVector<int32_t> order = orderInMemory(load, axes);
  int64_t bits = tile::bitWidthOf(type.getElementType());
  int64_t held = int64_t(1) << contiguousRegisterBits(layoutOf(type), order.front()).size();
  int64_t most =
      std::min<int64_t>(8 * kMostCopyBytes / bits, access->getMaxWidth(order.front(), axes));
  if (held * bits >= kLeastCopyBits || most * bits < kLeastCopyBits)
    return;
  SmallVector<int32_t> ofThread(order.size(), 1);
  ofThread[order.front()] = int32_t(most);
  setAccessLayout(load, spreadBlockedLayout(type.getShape(), ofThread, order, numWarpsOf(load)));
}

static void stageVectors(scf::ForOp loop, int64_t productRank, const AxisInfoAnalysis &axes) {
  WrittenMemory written(loop);
  SmallVector<Operation *> loads;
  for (Operation &op : *loop.getBody())
    if (isStaged(loop, productRank, &op, written, axes))
      loads.push_back(&op);
  for (Operation *load : loads) {
    OpBuilder builder(loop.getContext());
    builder.setInsertionPointAfter(load);
    Location loc = load->getLoc();
    Value loaded = load->getResult(0);
    auto type = cast<RankedTensorType>(loaded.getType());
    LinearLayout memory =
        linearSharedLayout(type.getShape(), orderInMemory(load, axes)).squeezeIn(kBlock);
    auto bufferType = MemDescType::get(builder.getContext(), type.getShape(), type.getElementType(),
                                       LinearAttr::get(builder.getContext(), memory));
    auto buffer = LocalAllocOp::create(builder, loc, bufferType, IntegerAttr());
    auto store = LocalStoreOp::create(builder, loc, loaded, buffer);
    // Late, because registers are short where products are.
    Operation *first = loop.getBody()->getTerminator();
    for (Operation *user : load->getUsers())
      if (Operation *here = loop.getBody()->findAncestorOpInBlock(*user);
          here && user != store && here->isBeforeInBlock(first))
        first = here;
    builder.setInsertionPoint(first);
    auto staged = LocalLoadOp::create(builder, loc, type, buffer, /*anyLayout=*/true);
    loaded.replaceAllUsesExcept(staged, store);
  }
}

static void widenCopies(scf::ForOp loop, const AxisInfoAnalysis &axes) {
  for (auto load : loop.getBody()->getOps<tile::LoadOp>())
    if (isa<RankedTensorType>(load.getType()) && fillBy(load))
      widenToCopy(load, axes);
}

namespace {
struct StageLoads final : tilec::impl::TileGPUStageLoadsPassBase<StageLoads> {
  using Base::Base;

  void runOnOperation() override {
    shareBuffers(getOperation());
    const auto &axes = getAnalysis<AxisInfoAnalysis>();
    getOperation().walk([&](scf::ForOp loop) {
      int64_t productRank = rankOfProducts(loop);
      if (askedStages(loop) < 2 || productRank == 0)
        return;
      stageVectors(loop, productRank, axes);
      widenCopies(loop, axes);
    });
  }
};
} // namespace

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores through pointers of what dots have summed up store through descriptors:
//
//   store c + (m + i) * stride + (n + j), x, where m + i < M and n + j < N
//   -> d = descriptor of c, sizes [M, N], strides [stride];  store d[m, n], x
//
// Which store is one says TensorCopy.h. The copy engine writes when it likes until the kernel ends,
// so the program must not access the memory again. Threads hold neighbouring pairs of sums (wgmma):
// of elements of 32 bits they store whole sectors from where they are, smaller ones would have to
// go through shared memory anyway.

#include "DescribedBlock.h"
#include "DimensionClasses.h"
#include "Padding.h"
#include "mlir/IR/Remarks.h"
#include "tilec/Analysis/GlobalAccess.h"
#include "tilec/Support/RemarkCategory.h"
#include "tilec/Transforms/Tile/Passes.h"

namespace tilec {
#define GEN_PASS_DEF_TILETAKETENSORSTORESPASS
#include "tilec/Transforms/Tile/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// Larger elements are left to threads.
static constexpr unsigned kMostBits = 16;

/// Whether the value is computed, element by element, from sums of dots in a loop.
static bool isMadeOfSums(Value value, DenseSet<Value> &seen) {
  if (!isa<RankedTensorType>(value.getType()) || !seen.insert(value).second)
    return false;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<DotOp>(op))
    return isa<scf::ForOp>(op->getParentOp());
  auto isSum = [&](Value operand) { return isMadeOfSums(operand, seen); };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    return isSum(loop.getYieldedValues()[number]) || isSum(loop.getInits()[number]);
  }
  // Of dots that have been widened or transposed.
  bool isShaped = isa<NarrowOp, PermuteOp>(op);
  return (isShaped || op->hasTrait<OpTrait::Elementwise>()) &&
         llvm::any_of(op->getOperands(), isSum);
}

/// Whether nothing but `store` accesses memory through the pointer, or through what is made of it.
static bool isOnlyAccess(Value pointer, StoreOp store) {
  return llvm::all_of(pointer.getUsers(), [&](Operation *user) {
    if (user == store)
      return true;
    return user->getNumRegions() == 0 && isMemoryEffectFree(user) && user->getNumResults() == 1 &&
           isa<PtrType>(getElementTypeOrSelf(user->getResult(0).getType())) &&
           isOnlyAccess(user->getResult(0), store);
  });
}

/// Whether whoever launches the kernel may have to make a tensor map anyway.
static bool hasDescriptors(func::FuncOp func) {
  return func->walk([](MakeTensorDescriptorOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Why the copy engine has no boxes for the block's pieces; empty if it has.
static StringRef whyNotInBoxes(StoreOp store, const TensorCopy &copy, PieceExtents &pieces) {
  Value value = store.getValue();
  SmallVector<int64_t> rows = pieces.of(value, 0), columns = pieces.of(value, 1);
  if (!hasPowerOfTwoExtents(rows) || !hasPowerOfTwoExtents(columns))
    return "its block has extents that are no powers of two";
  if (!hasBoxes(copy, rows, columns, bitWidthOf(getElementTypeOrSelf(value.getType())),
                /*isSwizzled=*/false))
    return "TMA has no boxes of this shape";
  return "";
}

namespace {
/// Decides for one function.
class StoreTaker {
public:
  StoreTaker(func::FuncOp function, const AxisInfoAnalysis &axisInfo)
      : func(function), axes(axisInfo), indices(function) {}

  void run() {
    SmallVector<Operation *> copied;
    for (auto store : func.front().getOps<StoreOp>()) {
      DenseSet<Value> seen;
      auto type = dyn_cast<RankedTensorType>(store.getValue().getType());
      if (!type || type.getRank() != 2 || bitWidthOf(type.getElementType()) > kMostBits ||
          !isMadeOfSums(store.getValue(), seen))
        continue;
      std::string reason;
      if (std::optional<TensorCopy> copy = match(store, reason)) {
        taken.emplace_back(store, std::move(*copy));
        copied.push_back(store);
        continue;
      }
      tell(store, reason);
    }
    PieceExtents pieces(func, copied);
    llvm::erase_if(taken, [&](Found &found) {
      StringRef reason = whyNotInBoxes(found.first, found.second, pieces);
      if (!reason.empty())
        tell(found.first, reason);
      return !reason.empty();
    });
    for (auto &[store, copy] : taken)
      emit(store, copy);
  }

private:
  using Found = std::pair<StoreOp, TensorCopy>;

  std::optional<TensorCopy> match(StoreOp store, std::string &reason);
  void emit(StoreOp store, const TensorCopy &copy);
  void tell(StoreOp store, StringRef reason) {
    remark::missed(store.getLoc(),
                   remark::RemarkOpts::name("NoTensorStore").category(remarks::kTensorMap))
        << "sums of dots are stored by threads instead of TMA: " << reason;
  }

  func::FuncOp func;
  const AxisInfoAnalysis &axes;
  IndexPolynomials indices;
  std::vector<Found> taken;
};
} // namespace

std::optional<TensorCopy> StoreTaker::match(StoreOp store, std::string &reason) {
  auto refuse = [&](StringRef why) -> std::optional<TensorCopy> {
    reason = why.str();
    return std::nullopt;
  };
  if (store.getEvict() != EvictionPolicy::normal || store.getCache() != CacheModifier::none)
    return refuse("it has hints for caches");
  AtomicOrders orders = AtomicOrders::of(func);
  if (orders.acquire || orders.release)
    return refuse("the kernel orders its accesses with atomics, which do not order TMA");
  std::optional<TensorCopy> copy = matchTensorCopy(store, indices, axes, reason);
  if (!copy)
    return std::nullopt;
  if (llvm::any_of(copy->dims, [](const TensorCopy::Dim &dim) { return dim.isWrapped; }))
    return refuse("a coordinate wraps around");
  if (!isOnlyAccess(copy->base, store))
    return refuse("the kernel accesses the same memory elsewhere, or may do so");
  return copy;
}

void StoreTaker::emit(StoreOp store, const TensorCopy &copy) {
  OpBuilder builder(store);
  auto type = cast<RankedTensorType>(store.getValue().getType());
  DescribedBlock block = describeBlock(builder, store, copy, indices);
  Value value = store.getValue();
  if (block.isTransposed)
    value = PermuteOp::create(builder, store.getLoc(),
                              RankedTensorType::get(block.shape, type.getElementType()), value,
                              builder.getDenseI32ArrayAttr({1, 0}));
  DescriptorStoreOp::create(builder, store.getLoc(), block.desc, block.starts, value);
  store.erase();
}

namespace {
struct TakeTensorStores final : tilec::impl::TileTakeTensorStoresPassBase<TakeTensorStores> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    const Processor &processor = processorOf(func);
    if (func->hasAttr(TileDialect::kKernelAttr) && processor.has(Feature::TensorCopy) &&
        processor.has(Feature::Wgmma) && func.getBody().hasOneBlock() && hasDescriptors(func))
      StoreTaker(func, getAnalysis<AxisInfoAnalysis>()).run();
  }
};
} // namespace

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilegpu-store-by-warpgroup: each warpgroup starts the tensor copies of its own part of a tile, so
// that none waits for another one's products.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "tilec/Analysis/ProductLoops.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUSTOREBYWARPGROUPPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {
/// Where a tensor lies in warpgroups: number g of G has the elements e along a dimension with
/// (e / elements) % G = g.
struct Parts {
  unsigned dim = 0;
  int64_t elements = 0;
  bool operator!=(const Parts &other) const {
    return dim != other.dim || elements != other.elements;
  }
};
} // namespace

/// Bits of a warp's number that say which of its warpgroup it is.
static constexpr int kWarpBits = 2;

/// The parts of `groups` warpgroups, if a layout has such.
static std::optional<Parts> partsIn(const LinearLayout &layout, int groups) {
  std::optional<Parts> parts;
  for (int bit = 0; 1 << bit < groups; ++bit) {
    LinearLayout::Basis basis = layout.getBasis(kWarp, unsigned(kWarpBits + bit));
    auto coordinate = llvm::find_if(basis, [](int32_t value) { return value != 0; });
    if (coordinate == basis.end() ||
        llvm::count_if(basis, [](int32_t value) { return value != 0; }) != 1)
      return std::nullopt;
    if (bit == 0)
      parts = Parts{unsigned(coordinate - basis.begin()), *coordinate};
    else if (*parts != Parts{unsigned(coordinate - basis.begin()), *coordinate >> bit})
      return std::nullopt;
  }
  // Nothing but the number of the warpgroup says which part an element is of.
  int64_t mask = parts->elements * (groups - 1);
  for (StringRef input : {StringRef(kRegister), StringRef(kLane), StringRef(kWarp)})
    for (int bit = 0; bit < layout.getInDimSizeLog2(input); ++bit)
      if ((input != kWarp || bit < kWarpBits) &&
          (layout.getBasis(input, unsigned(bit))[parts->dim] & mask) != 0)
        return std::nullopt;
  return parts;
}

/// The parts of all that is stored to `buffer`, if they are the same.
static std::optional<Parts> partsOf(LocalAllocOp buffer, int groups) {
  std::optional<Parts> parts;
  for (Operation *user : buffer->getUsers()) {
    auto store = dyn_cast<LocalStoreOp>(user);
    if (!store && !isa<TmaStoreOp>(user))
      return std::nullopt;
    if (!store)
      continue;
    std::optional<Parts> stored = partsIn(layoutOf(store.getValue().getType()), groups);
    if (!stored || (parts && *parts != *stored))
      return std::nullopt;
    parts = stored;
  }
  return parts;
}

/// The dimension of a block that is dimension `dim` of a buffer, which may lack some of size one.
static unsigned blockDim(ArrayRef<int64_t> block, ArrayRef<int64_t> buffer, unsigned dim) {
  auto dropped = computeRankReductionMask(block, buffer);
  unsigned result = 0;
  for (unsigned seen = 0;; ++result)
    if (!dropped->contains(result) && seen++ == dim)
      return result;
}

/// Whether a loop over tiles goes on behind `store` with the products of the next one, which a
/// warpgroup need not wait with. In the loop of the products themselves more copies cost more than
/// that gains.
static bool isBetweenTiles(TmaStoreOp store) {
  auto loop = dyn_cast<scf::ForOp>(store->getParentOp());
  return loop && !isLoopOfProducts(loop);
}

namespace {
/// A store by warpgroups: the dimension of the block and the elements of it that each has, and the
/// type that its map needs.
struct PartedStore {
  TmaStoreOp store;
  unsigned dim;
  int64_t elements;
  tile::DescType type;
};
using PartedStores = SmallVector<PartedStore>;
} // namespace

/// How each warpgroup stores its part, if it can.
static std::optional<PartedStore> planStore(TmaStoreOp store, const Parts &parts, int groups) {
  // A map that the kernel encodes is encoded anew behind the waits of the thread that does so.
  if (!isa<BlockArgument>(store.getDesc()))
    return std::nullopt;
  tile::DescType type = store.getDesc().getType();
  unsigned dim = blockDim(type.getBlockShape(), store.getBuffer().getType().getShape(), parts.dim);
  TensorMapTile form = boxesOf(type);
  if (form.box[dim] > parts.elements) {
    // A copy for each warpgroup is as fast as one for all. More of them are not.
    if (form.box[dim] > parts.elements * groups || parts.elements % 8 != 0)
      return std::nullopt;
    type = tile::DescType::get(type.getContext(), type.getBlockShape(), type.getElementType(),
                               type.getPadsWithNan(), type.getUsed(), parts.elements);
    auto lower =
        tensorMapTile(type.getBlockShape(), int32_t(tile::bitWidthOf(type.getElementType())),
                      type.getUsed(), parts.elements);
    if (!lower || lower->memory != form.memory)
      return std::nullopt;
    form = *lower;
  }
  if (!form.partsOf(dim, parts.elements, groups))
    return std::nullopt;
  return PartedStore{store, dim, parts.elements, type};
}

/// All stores of a buffer by warpgroups; nothing where that is not so of one.
static PartedStores planBuffer(LocalAllocOp buffer, int groups) {
  PartedStores planned;
  std::optional<Parts> parts = partsOf(buffer, groups);
  if (!parts)
    return planned;
  for (Operation *user : buffer->getUsers())
    if (auto store = dyn_cast<TmaStoreOp>(user)) {
      std::optional<PartedStore> parted;
      if (isBetweenTiles(store))
        parted = planStore(store, *parts, groups);
      if (!parted)
        return {};
      planned.push_back(*parted);
    }
  return planned;
}

/// Drops the buffers that need a map changed which something else wants as it is.
static void dropShared(SmallVectorImpl<PartedStores> &buffers) {
  auto wants = [&](Operation *user, tile::DescType type) {
    return llvm::any_of(buffers, [&](const PartedStores &stores) {
      return llvm::any_of(stores, [&](const PartedStore &other) {
        return other.store == user && other.type == type;
      });
    });
  };
  auto isAlone = [&](const PartedStore &parted) {
    TypedValue<tile::DescType> map = TmaStoreOp(parted.store).getDesc();
    return map.getType() == parted.type ||
           llvm::all_of(map.getUsers(), [&](Operation *user) { return wants(user, parted.type); });
  };
  for (size_t before = ~size_t(0); before != buffers.size();) {
    before = buffers.size();
    llvm::erase_if(buffers,
                   [&](const PartedStores &stores) { return !llvm::all_of(stores, isAlone); });
  }
}

/// Where a wait leaves copies in flight, the threads that start some and those that start all have
/// to count the same groups.
static void countAlike(func::FuncOp func) {
  SmallVector<TmaStoreOp> byOne, byParts;
  func.walk([&](TmaStoreOp store) { (store.getWarpgroups() ? byParts : byOne).push_back(store); });
  bool isCounted = func->walk([](TmaStoreWaitOp wait) {
                         return wait.getPending() ? WalkResult::interrupt() : WalkResult::advance();
                       })
                       .wasInterrupted();
  if (byParts.empty() || !isCounted)
    return;
  for (TmaStoreOp store : byOne)
    store.setCommitAll(true);
}

namespace {
struct StoreByWarpgroup final : tilec::impl::TileGPUStoreByWarpgroupPassBase<StoreByWarpgroup> {
  using Base::Base;
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    int groups = warpgroupsOf(func);
    if (groups == 1 || numWarpsOf(func) != 4 * groups)
      return;
    SmallVector<PartedStores> buffers;
    func.walk([&](LocalAllocOp buffer) {
      if (PartedStores stores = planBuffer(buffer, groups); !stores.empty())
        buffers.push_back(std::move(stores));
    });
    dropShared(buffers);
    for (PartedStores &stores : buffers)
      for (PartedStore &parted : stores) {
        setTensorMapType(cast<BlockArgument>(parted.store.getDesc()), parted.type);
        parted.store.setWarpgroups(std::array{int64_t(parted.dim), parted.elements});
      }
    countAlike(func);
  }
};
} // namespace

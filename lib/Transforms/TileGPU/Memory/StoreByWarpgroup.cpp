// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilegpu-store-by-warpgroup: each warpgroup starts the tensor copies of its own part of a tile, so
// that none waits for another one's products.

#include "dialects/TileGPU/TileGPUOps.h"
#include "tilec/Layout/TensorMapLayout.h"
#include "tilec/Transforms/TileGPU/Passes.h"

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

static void setType(BlockArgument map, tile::DescType type) {
  map.setType(type);
  auto func = cast<func::FuncOp>(map.getOwner()->getParentOp());
  func.setFunctionType(FunctionType::get(func.getContext(), func.front().getArgumentTypes(),
                                         func.getFunctionType().getResults()));
}

/// Whether a loop over tiles goes on behind `store` with the products of the next one, which a
/// warpgroup need not wait with. In the loop of the products themselves more copies cost more than
/// that gains.
static bool isBetweenTiles(TmaStoreOp store) {
  auto loop = dyn_cast<scf::ForOp>(store->getParentOp());
  return loop && llvm::none_of(loop.getBody()->getOperations(), llvm::IsaPred<WgmmaOp>);
}

/// Has each warpgroup store its part.
static void storeByParts(TmaStoreOp store, const Parts &parts, int groups) {
  // A map that the kernel encodes is encoded anew behind the waits of the thread that does so.
  auto map = dyn_cast<BlockArgument>(store.getDesc());
  if (!map)
    return;
  tile::DescType type = store.getDesc().getType();
  unsigned dim = blockDim(type.getBlockShape(), store.getBuffer().getType().getShape(), parts.dim);
  TensorMapTile form = boxesOf(type);
  if (form.box[dim] > parts.elements) {
    // A copy for each warpgroup is as fast as one for all. More of them are not.
    if (form.box[dim] > parts.elements * groups || parts.elements % 8 != 0)
      return;
    type = tile::DescType::get(type.getContext(), type.getBlockShape(), type.getElementType(),
                               type.getPadsWithNan(), type.getUsed(), parts.elements);
    auto lower =
        tensorMapTile(type.getBlockShape(), int32_t(tile::bitWidthOf(type.getElementType())),
                      type.getUsed(), parts.elements);
    if (!map.hasOneUse() || !lower || lower->memory != form.memory)
      return;
    form = *lower;
  }
  if (!form.partsOf(dim, parts.elements, groups))
    return;
  setType(map, type);
  store.setWarpgroups(std::array{int64_t(dim), parts.elements});
}

namespace {
struct StoreByWarpgroup final : tilec::impl::TileGPUStoreByWarpgroupPassBase<StoreByWarpgroup> {
  using Base::Base;
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    int groups = warpgroupsOf(func);
    if (groups == 1 || numWarpsOf(func) != 4 * groups)
      return;
    func.walk([&](LocalAllocOp buffer) {
      SmallVector<TmaStoreOp> stores;
      for (Operation *user : buffer->getUsers())
        if (auto store = dyn_cast<TmaStoreOp>(user))
          stores.push_back(store);
      if (stores.size() != 1 || !isBetweenTiles(stores.front()))
        return;
      if (std::optional<Parts> parts = partsOf(buffer, groups))
        storeByParts(stores.front(), *parts, groups);
    });
  }
};
} // namespace

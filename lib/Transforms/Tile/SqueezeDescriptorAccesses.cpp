// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptor accesses of blocks with dimensions of size one that a reshape takes away or adds: the
// access can do without them.

#include "tilec/Transforms/Tile/Passes.h"

#include "dialects/Tile/TileOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilec {
#define GEN_PASS_DEF_TILESQUEEZEDESCRIPTORACCESSESPASS
#include "tilec/Transforms/Tile/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// Whether a tensor type is a descriptor's block with fewer dimensions than it has.
static bool isSqueezedBlock(DescType desc, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getRank() > 0 && tensor.getRank() < int64_t(desc.getBlockShape().size()) &&
         computeRankReductionMask(desc.getBlockShape(), tensor.getShape());
}

static void squeezeLoad(DescriptorLoadOp load) {
  Type type;
  SmallVector<ReshapeOp> reshapes;
  for (Operation *user : load->getUsers()) {
    auto reshape = dyn_cast<ReshapeOp>(user);
    if (!reshape || (type && reshape.getType() != type))
      return;
    type = reshape.getType();
    reshapes.push_back(reshape);
  }
  if (!type || !isSqueezedBlock(load.getDesc().getType(), type))
    return;
  load.getResult().setType(cast<RankedTensorType>(type));
  for (ReshapeOp reshape : reshapes) {
    reshape.replaceAllUsesWith(load.getResult());
    reshape.erase();
  }
}

template <typename AccessOp> static void squeezeValue(AccessOp access) {
  auto reshape = access.getValue().template getDefiningOp<ReshapeOp>();
  if (reshape && isSqueezedBlock(access.getDesc().getType(), reshape.getSource().getType()))
    access.getValueMutable().assign(reshape.getSource());
}

namespace {
struct SqueezeDescriptorAccesses final
    : tilec::impl::TileSqueezeDescriptorAccessesPassBase<SqueezeDescriptorAccesses> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<DescriptorLoadOp> loads;
    getOperation().walk([&](Operation *op) {
      if (auto load = dyn_cast<DescriptorLoadOp>(op))
        loads.push_back(load);
      else if (auto store = dyn_cast<DescriptorStoreOp>(op))
        squeezeValue(store);
      else if (auto reduce = dyn_cast<DescriptorReduceOp>(op))
        squeezeValue(reduce);
    });
    for (DescriptorLoadOp load : loads)
      squeezeLoad(load);
  }
};
} // namespace

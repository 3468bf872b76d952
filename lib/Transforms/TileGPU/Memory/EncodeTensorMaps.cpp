// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilegpu-encode-tensor-maps: tensor maps of descriptors whose base, sizes or strides only the
// program knows, as those of grouped products with tables of addresses.

#include "dialects/TileGPU/TileGPUOps.h"
#include "tilec/Layout/TensorMapLayout.h"
#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUENCODETENSORMAPSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Shared memory in which so many maps are encoded, rounded up to a power of two.
static MemDescType scratchType(MLIRContext *context, uint32_t count) {
  int64_t words = kTensorMapBytes / 4 * int64_t(llvm::PowerOf2Ceil(count));
  return MemDescType::get(context, {words}, IntegerType::get(context, 32),
                          LinearAttr::get(context, linearSharedLayout({words}, {0})));
}

/// Whether all operations between two of a block are computations.
static bool areTogether(Operation *first, Operation *second) {
  if (first->getBlock() != second->getBlock())
    return false;
  for (Operation *op = first->getNextNode(); op != second; op = op->getNextNode())
    if (!op || !isMemoryEffectFree(op) || op->getNumRegions() != 0)
      return false;
  return true;
}

namespace {
struct EncodeTensorMaps final : tilec::impl::TileGPUEncodeTensorMapsPassBase<EncodeTensorMaps> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    SmallVector<tile::MakeTensorDescriptorOp> makes;
    func.walk([&](tile::MakeTensorDescriptorOp make) {
      if (make->hasAttr(tile::TileDialect::kEncodedAttr))
        makes.push_back(make);
    });
    if (makes.empty())
      return;
    uint32_t count = uint32_t(makes.size());
    OpBuilder builder = OpBuilder::atBlockBegin(&func.front());
    Location loc = func.getLoc();
    Value scratch =
        LocalAllocOp::create(builder, loc, scratchType(&getContext(), count), IntegerAttr());
    Value maps = TensorMapsOpenOp::create(
        builder, loc, LLVM::LLVMPointerType::get(&getContext(), 1), scratch, count);
    uint32_t first = 0;
    for (auto [slot, make] : llvm::enumerate(makes)) {
      bool isLast = slot + 1 == makes.size() || !areTogether(make, makes[slot + 1]);
      builder.setInsertionPoint(make);
      Value map = EncodeTensorMapOp::create(builder, make.getLoc(), make.getType(), maps,
                                            uint32_t(slot), first, isLast, scratch, make.getBase(),
                                            make.getShape(), make.getStrides());
      if (isLast)
        first = uint32_t(slot) + 1;
      make.replaceAllUsesWith(map);
      make.erase();
    }
    func.walk([&](func::ReturnOp end) {
      builder.setInsertionPoint(end);
      TensorMapsCloseOp::create(builder, end.getLoc(), maps, count);
    });
  }
};
} // namespace

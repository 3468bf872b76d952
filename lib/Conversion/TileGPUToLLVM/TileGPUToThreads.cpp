// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass from tensors to the registers of one thread: wires the type converter and the pattern
// groups, and decides before the conversion how wide every global access is.

#include "tilec/Conversion/TileGPUToLLVM/Passes.h"

#include "Patterns.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "tilec/Analysis/AxisInfo.h"
#include "tilec/Layout/TensorLayouts.h"

#define DEBUG_TYPE "convert-tilegpu-to-threads"

namespace tilec {
#define GEN_PASS_DEF_CONVERTTILEGPUTOTHREADSPASS
#include "tilec/Conversion/TileGPUToLLVM/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// The widest vector of one access along one axis, at most 16 bytes.
static unsigned vectorWidth(Operation *op, Value mask, unsigned axis,
                            const AxisInfoAnalysis &axisInfo) {
  Value pointer = op->getOperand(0);
  auto type = cast<RankedTensorType>(pointer.getType());
  unsigned bytes = cast<tile::PtrType>(type.getElementType()).getElementBytes();
  uint64_t width = uint64_t(1) << contiguousRegisterBits(layoutOf(type), axis).size();
  width = std::min<uint64_t>(width, std::max(1u, 16 / bytes));
  width = std::min<uint64_t>(width, mask ? axisInfo.getMaxVectorElements(pointer, mask, axis)
                                         : axisInfo.getMaxVectorElements(pointer, axis));
  if (auto atomic = dyn_cast<tile::AtomicRMWOp>(op))
    width = std::min<uint64_t>(
        width, maxAtomicElements(atomic.getKind(), tile::pointeeOf(type), computeCapabilityOf(op)));
  return width;
}

static DenseMap<Operation *, ThreadLowering::Vector> chooseVectors(ModuleOp module) {
  AxisInfoAnalysis axisInfo(module);
  DenseMap<Operation *, ThreadLowering::Vector> vectors;
  module.walk([&](Operation *op) {
    Value mask;
    if (auto load = dyn_cast<tile::LoadOp>(op))
      mask = load.getMask();
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      mask = store.getMask();
    else if (auto atomic = dyn_cast<tile::AtomicRMWOp>(op))
      mask = atomic.getMask();
    else
      return;
    auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    if (!type)
      return;
    ThreadLowering::Vector best;
    for (int axis = type.getRank() - 1; axis >= 0; --axis) {
      unsigned width = vectorWidth(op, mask, axis, axisInfo);
      if (axis == type.getRank() - 1 || width > best.width)
        best = {width, unsigned(axis)};
    }
    vectors[op] = best;
  });
  return vectors;
}

static bool mentionsTensors(Operation *op, const TypeConverter &types) {
  return !types.isLegal(op->getOperandTypes()) || !types.isLegal(op->getResultTypes());
}

/// The kernel's signature and the module stay in terms of tile pointers until
/// convert-threads-to-llvm, so the function's arguments are converted here.
static void populateFunctionSignature(RewritePatternSet &patterns, ThreadTypeConverter &types,
                                      ConversionTarget &target) {
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns, types);
  target.addDynamicallyLegalOp<func::FuncOp>(
      [&types](func::FuncOp func) { return types.isSignatureLegal(func.getFunctionType()); });
}

namespace {
struct ConvertTileGPUToThreads final
    : tilec::impl::ConvertTileGPUToThreadsPassBase<ConvertTileGPUToThreads> {
  using Base::Base;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    DenseMap<Operation *, ThreadLowering::Vector> vectors = chooseVectors(module);
    ThreadPosition position(module);
    ThreadTypeConverter types;
    ThreadLowering lowering{types, position, numWarpsOf(module), computeCapabilityOf(module),
                            vectors};
    RewritePatternSet patterns(&getContext());
    ConversionTarget target(getContext());
    populateShapePatterns(patterns, lowering);
    populateElementwisePatterns(patterns, lowering);
    populateMemoryPatterns(patterns, lowering);
    populateAtomicPatterns(patterns, lowering);
    populateReducePatterns(patterns, lowering);
    populateScanPatterns(patterns, lowering);
    populateGatherPatterns(patterns, lowering);
    populateConvertLayoutPatterns(patterns, lowering);
    populateSharedMemoryPatterns(patterns, lowering);
    populateProgramPatterns(patterns, lowering);
    scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns, target);
    populateFunctionSignature(patterns, types, target);

    target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    target.addIllegalDialect<tile::TileDialect>();
    target.addDynamicallyLegalDialect<arith::ArithDialect, math::MathDialect, ub::UBDialect>(
        [&](Operation *op) { return !mentionsTensors(op, types); });
    target.addIllegalOp<ConvertLayoutOp, LocalAllocOp, LocalStoreOp, LocalLoadOp, PartialReduceOp,
                        PartialScanOp, FinishScanOp, LocalGatherOp, LocalCountOp>();
    target
        .addLegalOp<LdGlobalOp, StGlobalOp, LdSharedOp, StSharedOp, SharedBaseOp, AtomicRMWGlobalOp,
                    AtomicCasGlobalOp, AtomicAddSharedOp, ThreadAssertOp, ThreadPrintOp>();
    // Regions of reductions are cloned, never converted.
    target.markOpRecursivelyLegal<tile::ReduceOp>([](tile::ReduceOp) { return false; });
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass from tensors to the registers of one thread: wires the type converter and the pattern
// groups, and decides before the conversion how wide every global access is.

#include "tilec/Conversion/TileGPUToLLVM/Passes.h"

#include "Patterns.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "tilec/Analysis/GlobalAccess.h"

namespace tilec {
#define GEN_PASS_DEF_CONVERTTILEGPUTOTHREADSPASS
#include "tilec/Conversion/TileGPUToLLVM/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static DenseMap<Operation *, ThreadLowering::Vector> chooseVectors(ModuleOp module) {
  AxisInfoAnalysis axisInfo(module);
  DenseMap<Operation *, ThreadLowering::Vector> vectors;
  module.walk([&](Operation *op) {
    if (std::optional<GlobalAccess> access = GlobalAccess::of(op))
      vectors[op] = access->chooseVector(axisInfo);
  });
  return vectors;
}

/// Masks of vector accesses are computed once per vector, for elementwise uses too.
static DenseMap<Operation *, int64_t> findRepeats(ModuleOp module) {
  AxisInfoAnalysis axisInfo(module);
  DenseMap<Operation *, int64_t> repeats;
  module.walk([&](arith::CmpIOp op) {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || !hasLayout(type))
      return;
    const LinearLayout &layout = layoutOf(type);
    int64_t bits = 0;
    for (int32_t bit = 0; bit < layout.getInDimSizeLog2(kRegister); ++bit) {
      // The steps that the bit makes stay in a group along every dimension.
      bool isRepeat = true;
      for (int64_t axis = 0; axis < type.getRank(); ++axis)
        isRepeat &=
            layout.getBasis(kRegister, bit, dimName(axis)) < axisInfo.get(op).constancy[axis];
      if (isRepeat)
        bits |= int64_t(1) << bit;
    }
    if (bits)
      repeats[op] = bits;
  });
  return repeats;
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
    DenseMap<Operation *, int64_t> repeats = findRepeats(module);
    DenseSet<Operation *> manyProducts = findManyProducts(module);
    DenseSet<Operation *> nestedProducts = findNestedProducts(module);
    ThreadPosition position(module);
    ThreadTypeConverter types;
    ThreadLowering lowering{types,   position, numWarpsOf(module), processorOf(module),
                            vectors, repeats,  manyProducts,       nestedProducts};
    RewritePatternSet patterns(&getContext());
    ConversionTarget target(getContext());
    populateShapePatterns(patterns, lowering);
    populateElementwisePatterns(patterns, lowering);
    populateMemoryPatterns(patterns, lowering);
    populateAtomicPatterns(patterns, lowering);
    populateReducePatterns(patterns, lowering);
    populateScanPatterns(patterns, lowering);
    populateGatherPatterns(patterns, lowering);
    populateDotPatterns(patterns, lowering);
    populateConvertLayoutPatterns(patterns, lowering);
    populateSharedMemoryPatterns(patterns, lowering);
    populateRegisterPatterns(patterns, lowering);
    populateMmaPatterns(patterns, lowering);
    populateWgmmaPatterns(patterns, lowering);
    populateAsyncPatterns(patterns, lowering);
    populateTmaPatterns(patterns, lowering);
    populateClusterPatterns(patterns, lowering);
    populateInlinePatterns(patterns, lowering);
    populateProgramPatterns(patterns, lowering);
    populateRolePatterns(patterns, lowering);
    populateSchedulerPatterns(patterns, lowering);
    populateTensorMapPatterns(patterns, lowering);
    populateTimelinePatterns(patterns, lowering);
    scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns, target);
    populateFunctionSignature(patterns, types, target);

    target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    target.addIllegalDialect<tile::TileDialect>();
    target.addDynamicallyLegalDialect<arith::ArithDialect, math::MathDialect, ub::UBDialect>(
        [&](Operation *op) { return !mentionsTensors(op, types); });
    target.addIllegalOp<MbarrierInitOp, MbarrierInvalOp, MbarrierWaitOp, SlotAcquireOp,
                        SlotReleaseOp, ClusterBarrierOp, LaneCtaOp, SharingCtasOp, ClusterStoreOp,
                        TmaLoadOp, TmaStoreOp, TmaStoreWaitOp, WarpgroupBarrierOp, ComputeGroupOp,
                        TurnWaitOp, TurnPassOp, TakeProgramOp, SendProgramOp, ReceiveProgramOp>();
    target.addIllegalOp<
        ConvertLayoutOp, ExtractSliceOp, LocalAllocOp, LocalStoreOp, LocalLoadOp, PartialReduceOp,
        PartialScanOp, FinishScanOp, LocalGatherOp, LocalCountOp, DotOp, MemDescIndexOp,
        MemDescPermuteOp, AsyncCopyOp, AsyncCommitOp, AsyncWaitOp, ProxyFenceOp, ProgramOfTileOp,
        OrderedProgramOp, MmaOp, WgmmaOp, WgmmaWaitOp, ParkOp, UnparkOp, RefreshOp, TimelineOpenOp,
        TimelineMarkOp, TimelineCloseOp, TensorMapsOpenOp, EncodeTensorMapOp, TensorMapsCloseOp>();
    target.addLegalOp<LdGlobalOp, StGlobalOp, LdSharedOp, StSharedOp, SharedBaseOp,
                      AtomicRMWGlobalOp, AtomicCasGlobalOp, AtomicAddSharedOp, OpaqueZeroOp, WallOp,
                      ThreadMmaOp, ThreadWgmmaOp, ThreadWgmmaWaitOp, ThreadAssertOp, ThreadPrintOp,
                      EnterProgramOp, WarpRolesOp, ThreadClaimMapsOp, ThreadMapsOp,
                      ThreadReleaseMapsOp, ThreadEncodeMapOp, NamedBarrierOp>();
    target.addLegalOp<TurnProgramOp, NextProgramOp>();
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return signalPassFailure();
    dropIdleWgmmaOrder(module);
    lowerWarpRoles(module, position);
    // Of the uniform numbers of warps those that nobody asked for.
    module.walk([](NVVM::ShflOp shuffle) {
      if (shuffle.use_empty())
        shuffle.erase();
    });
  }
};
} // namespace

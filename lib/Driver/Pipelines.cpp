// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the passes.

#include "tilec/Driver/Pipelines.h"

#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "tilec/Conversion/NVVMToSim/Passes.h"
#include "tilec/Conversion/ThreadToPTX/Passes.h"
#include "tilec/Conversion/TileGPUToLLVM/Passes.h"
#include "tilec/Conversion/TileToTileGPU/Passes.h"
#include "tilec/Transforms/Tile/Passes.h"
#include "tilec/Transforms/TileGPU/Passes.h"

using namespace mlir;

namespace tilec {

void buildTilePipeline(OpPassManager &pm, bool tensorCopies, int splitK) {
  // Before anything takes a loop away that only reads.
  pm.addNestedPass<func::FuncOp>(createTileMarkPollsPass());
  pm.addNestedPass<func::FuncOp>(createTileSqueezeDescriptorAccessesPass());
  // Dots are transposed and widened whose operands are loaded through descriptors.
  if (tensorCopies)
    pm.addNestedPass<func::FuncOp>(createTileTakeTensorCopiesPass());
  pm.addNestedPass<func::FuncOp>(createTileTransposeDotsPass());
  // Before dots and what comes behind them are made of pieces.
  if (splitK > 1) {
    // What a loop steps by is in front of it.
    pm.addPass(createLoopInvariantCodeMotionPass());
    pm.addPass(createTileSplitKPass({splitK}));
  }
  // Before the sum of a softmax is one of pieces.
  pm.addNestedPass<func::FuncOp>(createTileShareReciprocalsPass());
  pm.addNestedPass<func::FuncOp>(createTileWidenDotsPass());
  // A store is one before it is one of pieces.
  if (tensorCopies)
    pm.addNestedPass<func::FuncOp>(createTileTakeTensorStoresPass());
  // Before tensor maps are made, whose boxes are the pieces.
  pm.addNestedPass<func::FuncOp>(createTileSplitTensorsPass());
  pm.addNestedPass<func::FuncOp>(createTileTakeTensorMapsPass());
  pm.addNestedPass<func::FuncOp>(createTileLowerDescriptorsPass());
  pm.addNestedPass<func::FuncOp>(createTileMergeCountersPass());
  pm.addPass(createCanonicalizerPass());
  pm.addNestedPass<func::FuncOp>(createTilePadTensorsPass());
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  // Masks that do not change in a loop are in front of it now.
  pm.addNestedPass<func::FuncOp>(createTileVersionMasksPass());
  pm.addNestedPass<func::FuncOp>(createTilePeelMaskedLoopsPass());
  pm.addNestedPass<func::FuncOp>(createTileHoistInvariantLoadsPass());
  pm.addNestedPass<func::FuncOp>(createTilePrivatiseAtomicsPass());
  pm.addNestedPass<func::FuncOp>(createTileDelayDotsPass());
}

namespace {

/// Adds passes up to the one that the options stop in front of.
class PassList {
public:
  PassList(OpPassManager &passManager, StringRef stopBefore) : pm(passManager), stop(stopBefore) {}

  void add(std::unique_ptr<Pass> pass) {
    isStopped = isStopped || (!stop.empty() && pass->getArgument() == stop);
    if (isStopped)
      return;
    if (pass->getOpName() == func::FuncOp::getOperationName())
      pm.nest<func::FuncOp>().addPass(std::move(pass));
    else
      pm.addPass(std::move(pass));
  }

private:
  OpPassManager &pm;
  StringRef stop;
  bool isStopped = false;
};

} // namespace

/// Layouts for all tensors, and instructions and operands for the dots, which layouts depend on.
static void addLayouts(PassList &passes, const PipelineOptions &options) {
  passes.add(createConvertTileToTileGPUPass({options.numWarps, /*target=*/""}));
  passes.add(createTileGPUCoalescePass());
  passes.add(createTileGPUAccelerateDotsPass());
  passes.add(createTileGPUStageLoadsPass());
  passes.add(createTileGPUSelectLayoutsPass());
  passes.add(createCSEPass());
}

/// Copies ahead of the iteration that reads them.
static void addPipelining(PassList &passes, const PipelineOptions &options) {
  passes.add(createTileGPUDeferReductionsPass());
  passes.add(createTileGPUMakePersistentPass({options.persistent, options.reductionStages,
                                              options.programCounter && options.numCtas == 1}));
  passes.add(createTileGPUOrderProgramsPass({options.reductionStages}));
  passes.add(createTileGPUPipelineLoopsPass(
      {options.reductionStages, options.loadWarps, options.numCtas}));
  passes.add(createTileGPULowerTensorCopiesPass());
  passes.add(createTileGPULowerTensorStoresPass({options.storeBytes}));
  passes.add(createTileGPUSplitRolesPass());
  passes.add(createTileGPUMulticastCopiesPass({options.numCtas}));
  passes.add(createTileGPUPingPongPass());
  passes.add(createTileGPUScheduleDynamicallyPass({options.programCounter}));
  passes.add(createTileGPUUnrollLoopsPass());
}

/// What several warps do together, as what each does and exchanges of data through shared memory.
static void addDecomposition(PassList &passes) {
  passes.add(createTileGPUDecomposeAtomicsPass());
  passes.add(createTileGPUDecomposeReduceScattersPass());
  passes.add(createTileGPUDecomposeReductionsPass());
  passes.add(createTileGPUDecomposeScansPass());
  passes.add(createTileGPUDecomposeGathersPass());
  passes.add(createTileGPUDecomposeDotsPass());
  passes.add(createTileGPUDecomposeConversionsPass());
  passes.add(createTileGPUOverlapProductsPass());
  passes.add(createTileGPUBranchSelectsPass());
}

/// What stays in registers, and where it is loaded, computed again, or spilled to shared memory.
static void addRegisterPlan(PassList &passes, const PipelineOptions &options) {
  TileGPUPlanRegistersPassOptions registers;
  registers.steps = options.registerSteps;
  passes.add(createTileGPURecomputeIndicesPass());
  passes.add(createTileGPUPlanRegistersPass(std::move(registers)));
}

/// What is in flight across the iterations of a loop over tiles, where buffers lie in shared
/// memory, and the barriers and fences of all memory.
static void addMemory(PassList &passes) {
  passes.add(createTileGPUOverlapEpiloguesPass());
  passes.add(createTileGPUStoreByWarpgroupPass());
  passes.add(createTileGPUDeferStoreWaitsPass());
  passes.add(createTileGPUEncodeTensorMapsPass());
  passes.add(createTileGPUAllocateSharedMemoryPass());
  passes.add(createTileGPUInsertSynchronisationPass());
}

void buildTileGPUPipeline(OpPassManager &pm, const PipelineOptions &options) {
  PassList passes(pm, options.stopBefore);
  addLayouts(passes, options);
  addPipelining(passes, options);
  addDecomposition(passes);
  addRegisterPlan(passes, options);
  addMemory(passes);
  passes.add(createTileGPUCheckProtocolPass());
  // Without a remark engine this one returns at once.
  passes.add(createTileGPUReportRemarksPass());
  if (options.timeline.capacity != 0)
    passes.add(createTileGPUInsertTimelinePass(options.timeline));
}

void buildLLVMPipeline(OpPassManager &pm) {
  pm.addPass(createConvertTileGPUToThreadsPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createTileGPUPackLoopValuesPass());
  pm.addNestedPass<func::FuncOp>(createTileGPUOrderThreadCodePass());
  pm.addPass(createConvertThreadsToLLVMPass());
}

void buildPTXPipeline(OpPassManager &pm) { pm.addPass(createConvertThreadToPTXPass()); }

void buildSimPipeline(OpPassManager &pm, bool countInstructions) {
  pm.addPass(createConvertNVVMToSimPass({countInstructions}));
}

namespace {
struct TileGPUPipelineOptions : PassPipelineOptions<TileGPUPipelineOptions> {
  Option<int> numWarps{*this, "num-warps", llvm::cl::desc("warps of a CTA"), llvm::cl::init(4)};
  Option<std::string> loadWarps{*this, "load-warps",
                                llvm::cl::desc("warps of their own for tensor copies"),
                                llvm::cl::init("auto")};
  Option<std::string> persistent{
      *this, "persistent", llvm::cl::desc("CTAs that run several programs"), llvm::cl::init("off")};
  Option<int> numCtas{*this, "num-ctas", llvm::cl::desc("programs that copy for each other"),
                      llvm::cl::init(1)};
  Option<std::string> stopBefore{*this, "stop-before",
                                 llvm::cl::desc("leave out this pass and those behind it")};
};
} // namespace

void registerPipelines() {
  PassPipelineRegistration<>("tilec-tile", "clean up the front end's output",
                             [](OpPassManager &pm) { buildTilePipeline(pm); });
  PassPipelineRegistration<TileGPUPipelineOptions>(
      "tilec-tilegpu", "tile to tilegpu",
      [](OpPassManager &pm, const TileGPUPipelineOptions &given) {
        PipelineOptions options;
        options.numWarps = given.numWarps;
        options.loadWarps = given.loadWarps;
        options.persistent = given.persistent;
        options.numCtas = given.numCtas;
        options.stopBefore = given.stopBefore;
        buildTileGPUPipeline(pm, options);
      });
  PassPipelineRegistration<>("tilec-llvm", "tilegpu to the LLVM and NVVM dialects",
                             buildLLVMPipeline);
}

} // namespace tilec

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the passes.

#include "tilec/Driver/Pipelines.h"

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

void buildTilePipeline(OpPassManager &pm) {
  // Before anything takes a loop away that only reads.
  pm.addPass(createTileMarkPollsPass());
  pm.addPass(createTileSqueezeDescriptorAccessesPass());
  // Before tensor maps are made, whose boxes are the pieces.
  pm.addPass(createTileSplitTensorsPass());
  pm.addPass(createTileTakeTensorMapsPass());
  pm.addPass(createTileLowerDescriptorsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createTilePadTensorsPass());
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  // Masks that do not change in a loop are in front of it now.
  pm.addPass(createTileVersionMasksPass());
  pm.addPass(createTilePeelMaskedLoopsPass());
  pm.addPass(createTilePrivatiseAtomicsPass());
}

void buildTileGPUPipeline(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createConvertTileToTileGPUPass({options.numWarps, /*target=*/""}));
  pm.addPass(createTileGPUCoalescePass());
  pm.addPass(createTileGPUAccelerateDotsPass());
  pm.addPass(createTileGPUStageLoadsPass());
  pm.addPass(createTileGPUSelectLayoutsPass());
  pm.addPass(createCSEPass());
  pm.addPass(createTileGPUPipelineLoopsPass({options.reductionStages}));
  pm.addPass(createTileGPULowerTensorCopiesPass());
  pm.addPass(createTileGPUUnrollLoopsPass());
  pm.addPass(createTileGPUDecomposeAtomicsPass());
  pm.addPass(createTileGPUDecomposeReductionsPass());
  pm.addPass(createTileGPUDecomposeScansPass());
  pm.addPass(createTileGPUDecomposeGathersPass());
  pm.addPass(createTileGPUDecomposeDotsPass());
  pm.addPass(createTileGPUDecomposeConversionsPass());
  pm.addPass(createTileGPUOverlapProductsPass());
  if (options.planOccupancy && options.parkTensors)
    pm.addPass(createTileGPUPlanOccupancyPass());
  pm.addPass(createTileGPUHoistLoadsPass({options.hoistRegisters}));
  pm.addPass(createTileGPUSinkLoadsPass());
  pm.addPass(createTileGPURecomputeTensorsPass());
  if (options.parkTensors)
    pm.addPass(createTileGPUParkTensorsPass());
  pm.addPass(createTileGPUAllocateSharedMemoryPass());
  pm.addPass(createTileGPUInsertSynchronisationPass());
  pm.addPass(createTileGPUOrderGlobalAccessesPass());
  // Without a remark engine this one returns at once.
  pm.addPass(createTileGPUReportRemarksPass());
}

void buildLLVMPipeline(OpPassManager &pm) {
  pm.addPass(createConvertTileGPUToThreadsPass());
  pm.addPass(createCSEPass());
  pm.addPass(createTileGPUOrderThreadCodePass());
  pm.addPass(createConvertThreadsToLLVMPass());
}

void buildPTXPipeline(OpPassManager &pm) { pm.addPass(createConvertThreadToPTXPass()); }

void buildSimPipeline(OpPassManager &pm, bool countInstructions) {
  pm.addPass(createConvertNVVMToSimPass({countInstructions}));
}

void registerPipelines() {
  PassPipelineRegistration<>("tilec-tile", "clean up the front end's output", buildTilePipeline);
  PassPipelineRegistration<>("tilec-tilegpu", "tile to tilegpu, with 4 warps for sm_90a",
                             [](OpPassManager &pm) { buildTileGPUPipeline(pm, {}); });
  PassPipelineRegistration<>("tilec-llvm", "tilegpu to the LLVM and NVVM dialects",
                             buildLLVMPipeline);
}

} // namespace tilec

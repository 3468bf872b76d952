// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass pipelines of the compiler, one function per step between two stages.

#ifndef TILEC_DRIVER_PIPELINES_H
#define TILEC_DRIVER_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "tilec/Transforms/TileGPU/Passes.h"
#include <string>

namespace tilec {

struct PipelineOptions {
  int numWarps = 4;
  /// What is done about registers (tilegpu-plan-registers).
  llvm::SmallVector<std::string> registerSteps{std::begin(register_steps::kAll),
                                               std::end(register_steps::kAll)};
  /// Stages of loops without products that reduce in each iteration (tilegpu-pipeline-loops); zero:
  /// loads are not copied ahead unless the loop asks for it.
  int64_t reductionStages = 0;
  /// Warps of their own for tensor copies: "on", "off" or "auto" (tilegpu-pipeline-loops).
  std::string loadWarps = "auto";
  /// CTAs that run several programs: "on", "off" or "auto" (tilegpu-make-persistent).
  std::string persistent = "off";
  /// Whether launches have a counter from which CTAs take programs (tilegpu-schedule-dynamically).
  bool programCounter = true;
  /// Shared memory that the stores of a tile may take, in bytes (tilegpu-lower-tensor-stores);
  /// zero: as much as they need.
  int64_t storeBytes = 0;
  /// Programs that form a cluster and copy for each other (tilegpu-multicast-copies).
  int numCtas = 1;
  /// Marks of what the warps do (tilegpu-insert-timeline).
  TileGPUInsertTimelinePassOptions timeline{};
  /// The argument of a pass that is left out, with all behind it; empty: none.
  std::string stopBefore{};
};

/// Tile dialect to tile dialect: clean up what the front end emitted. `tensorCopies`: loads through
/// pointers may become tensor copies, for which the kernel takes tensor maps. `splitK`: CTAs that
/// run one program together (tile-split-k).
void buildTilePipeline(mlir::OpPassManager &pm, bool tensorCopies = true, int splitK = 1);
/// Tile dialect to tilegpu dialect: layouts, shared memory, barriers.
void buildTileGPUPipeline(mlir::OpPassManager &pm, const PipelineOptions &options);
/// tilegpu dialect to the LLVM and NVVM dialects with thread-level operations.
void buildLLVMPipeline(mlir::OpPassManager &pm);
/// LLVM and NVVM dialects to what the PTX back end takes.
void buildPTXPipeline(mlir::OpPassManager &pm);
/// LLVM and NVVM dialects to calls of the simulator.
void buildSimPipeline(mlir::OpPassManager &pm, bool countInstructions);

/// Makes the pipelines known to tile-opt as tilec-tile, tilec-tilegpu and tilec-llvm.
void registerPipelines();

} // namespace tilec

#endif // TILEC_DRIVER_PIPELINES_H

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that needs more shared memory than a CTA has gets fewer stages of software pipelining.
// How many fit follows from the bytes of its rings; the lowering with so many stages is the proof.

#include "Compilation.h"

#include "DiagnosticBridge.h"
#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Pass/PassManager.h"
#include "tilec/Analysis/SharedAllocation.h"
#include "tilec/Support/RemarkCategory.h"

using namespace mlir;

namespace tilec {

static std::optional<int64_t> sharedBytesOf(ModuleOp module) {
  auto bytes = module->getAttrOfType<IntegerAttr>(tilegpu::TileGPUDialect::kSharedBytesAttr);
  return bytes ? std::optional<int64_t>(bytes.getInt()) : std::nullopt;
}

/// What one stage more takes at least: the buffers of the loop with the largest ones.
static int64_t bytesOfStage(ModuleOp module) {
  llvm::DenseMap<Operation *, int64_t> byLoop;
  module.walk([&](tilegpu::LocalAllocOp ring) {
    tilegpu::MemDescType type = ring.getType();
    if (type.getBuffers() < 2)
      return;
    llvm::SmallPtrSet<Operation *, 2> loops;
    for (Operation *user : ring->getUsers())
      if (auto loop = user->getParentOfType<scf::ForOp>())
        loops.insert(loop);
    for (Operation *loop : loops)
      byLoop[loop] += type.getOneBuffer().getSizeInBytes();
  });
  int64_t most = 0;
  for (auto [loop, bytes] : byLoop)
    most = std::max(most, bytes);
  return most;
}

Compilation::Lowered Compilation::lowerWithStages(ModuleOp tileModule, int stages) {
  OwningOpRef<ModuleOp> capped = tileModule.clone();
  auto cap = [&](Operation *op) {
    auto own = op->getAttrOfType<IntegerAttr>(tile::TileDialect::kNumStagesAttr);
    if (own && own.getInt() > stages)
      op->setAttr(tile::TileDialect::kNumStagesAttr, IntegerAttr::get(own.getType(), stages));
  };
  cap(*capped);
  capped->walk([&](scf::ForOp loop) { cap(loop); });
  return lowerToTileGPU(std::move(capped));
}

void Compilation::reduceStages(Lowered &lowered) {
  std::optional<int64_t> bytes = sharedBytesOf(*lowered.module);
  int64_t limit = processorOf(*lowered.module).maxSharedBytesPerCta();
  Diagnostic *error = lowered.messages.getLast();
  int64_t stageBytes = bytesOfStage(*lowered.module);
  if (!bytes || *bytes <= limit || askedStages < 2 || !error)
    return;
  // Rings only grow with the number of stages.
  int fits = 0, tooMany = askedStages;
  auto stagesWithout = [&](int64_t excess) {
    int64_t fewer = stageBytes ? llvm::divideCeil(excess, stageBytes) : 1;
    return int(std::max<int64_t>(fits + 1, tooMany - std::max<int64_t>(fewer, 1)));
  };
  Lowered fitting;
  for (int stages = stagesWithout(*bytes - limit); stages < tooMany;) {
    Lowered tried = lowerWithStages(*lowered.before, stages);
    std::optional<int64_t> needed = tried.module ? sharedBytesOf(*tried.module) : std::nullopt;
    if (tried.works) {
      fits = stages++;
      fitting = std::move(tried);
      if (needed && *needed + stageBytes > limit)
        break;
      continue;
    }
    tooMany = stages;
    if (stages == 1 && needed && *needed > limit)
      error->addNote(error->range, "no 'num_stages' fits: even 1 needs " + Twine(*needed) +
                                       " bytes; take smaller blocks");
    stages = stagesWithout(needed ? *needed - limit : 1);
  }
  if (fits == 0)
    return;
  lowered = std::move(fitting);
  result->metadata.numStages = std::min(int(result->metadata.numStages), fits);
  if (options.remarks)
    lowered.messages.remark(kernelRange,
                            "'num_stages' is reduced from " + Twine(askedStages) + " to " +
                                Twine(fits) + ": the kernel would need " + Twine(*bytes) +
                                " bytes of shared memory, and a CTA has " + Twine(limit),
                            remarks::kPipeline);
}

} // namespace tilec

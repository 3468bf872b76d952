// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that needs more shared memory than a CTA has gets fewer stages of software pipelining.
// The largest number of stages that fits is found by bisection, compiling for each number tried.

#include "Compilation.h"

#include "DiagnosticBridge.h"
#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Pass/PassManager.h"
#include "tilec/Analysis/SharedAllocation.h"
#include "tilec/Support/RemarkCategory.h"

using namespace mlir;

namespace tilec {

/// Where the search for a number of stages that fits begins.
static constexpr int kUsualStages = 4;

static std::optional<int64_t> sharedBytesOf(ModuleOp module) {
  auto bytes = module->getAttrOfType<IntegerAttr>(tilegpu::TileGPUDialect::kSharedBytesAttr);
  return bytes ? std::optional<int64_t>(bytes.getInt()) : std::nullopt;
}

Compilation::Lowered Compilation::lowerWithStages(int stages) {
  // What there is to say of the source has been said.
  DiagnosticEngine unheard;
  OwningOpRef<ModuleOp> tileModule = makeTile(unheard);
  PassManager pm(&context, ModuleOp::getOperationName());
  buildTilePipeline(pm);
  if (!tileModule || unheard.hasErrors() || failed(pm.run(*tileModule)))
    return {};
  auto cap = [&](Operation *op) {
    auto own = op->getAttrOfType<IntegerAttr>(tile::TileDialect::kNumStagesAttr);
    if (own && own.getInt() > stages)
      op->setAttr(tile::TileDialect::kNumStagesAttr, IntegerAttr::get(own.getType(), stages));
  };
  cap(*tileModule);
  tileModule->walk([&](scf::ForOp loop) { cap(loop); });
  return lowerToTileGPU(std::move(tileModule));
}

void Compilation::reduceStages(Lowered &lowered) {
  std::optional<int64_t> bytes = sharedBytesOf(*lowered.module);
  int64_t limit = processorOf(*lowered.module).maxSharedBytesPerCta();
  Diagnostic *error = lowered.messages.getLast();
  if (!bytes || *bytes <= limit || askedStages < 2 || !error)
    return;
  // Rings only grow with the number of stages.
  int fits = 0, tooMany = askedStages;
  Lowered fitting;
  while (tooMany - fits > 1) {
    int middle = fits == 0 && tooMany > 2 * kUsualStages ? kUsualStages : (fits + tooMany) / 2;
    Lowered tried = lowerWithStages(middle);
    if (tried.works) {
      fits = middle;
      fitting = std::move(tried);
      continue;
    }
    tooMany = middle;
    std::optional<int64_t> needed = tried.module ? sharedBytesOf(*tried.module) : std::nullopt;
    if (middle == 1 && needed && *needed > limit)
      error->addNote(error->range, "no 'num_stages' fits: even 1 needs " + Twine(*needed) +
                                       " bytes; take smaller blocks");
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

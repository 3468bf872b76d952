// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that needs more shared memory than a CTA has gets fewer stages of software pipelining.
// How many fit follows from the bytes of its rings; the lowering with so many stages is the proof.
// Where too few are left to hide the latency of copies, tiles are stored in parts, through smaller
// buffers: a tile's store takes longer then.

#include "Compilation.h"

#include "DiagnosticBridge.h"
#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Pass/PassManager.h"
#include "tilec/Analysis/ProductLoops.h"
#include "tilec/Analysis/SharedAllocation.h"
#include "tilec/Support/RemarkCategory.h"

using namespace mlir;

namespace tilec {

/// Up to so many stages are worth a longer store of tiles; where another group of warps multiplies
/// while one stores, all are.
static constexpr int kEnoughStages = 4;

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

/// Whether the only CTA of a multiprocessor waits for the end of a tile's store, for which it has
/// no memory of its own in a loop over tiles. Where another group of warps multiplies meanwhile,
/// that costs nothing.
static bool waitsForStore(ModuleOp module) {
  bool waits = false;
  if (tilegpu::computeGroupsOf(module) > 1)
    return false;
  module->walk([&](tilegpu::TmaStoreWaitOp wait) {
    auto loop = dyn_cast<scf::ForOp>(wait->getParentOp());
    auto store = dyn_cast_or_null<tilegpu::TmaStoreOp>(wait->getPrevNode());
    auto isUsedAgain = [&](Operation *user) {
      return user->getBlock() == wait->getBlock() && wait->isBeforeInBlock(user);
    };
    waits |= loop && store && !isLoopOfProducts(loop) &&
             llvm::none_of(store.getBuffer().getUsers(), isUsedAgain) &&
             residentCtas(wait->getParentOfType<func::FuncOp>()) == 1;
  });
  return waits;
}

/// All that tensor copies to global memory do not read.
static int64_t bytesBesideStores(ModuleOp module) {
  int64_t bytes = 0;
  module.walk([&](tilegpu::LocalAllocOp buffer) {
    if (!llvm::any_of(buffer->getUsers(), llvm::IsaPred<tilegpu::TmaStoreOp>))
      bytes += int64_t(buffer.getType().getSizeInBytes()) *
               (isOfComputeGroup(buffer) ? tilegpu::computeGroupsOf(module) : 1);
  });
  return bytes;
}

bool Compilation::storeInParts(Lowered &lowered) {
  if (!lowered.module || (lowered.works && !waitsForStore(*lowered.module)))
    return false;
  storeBytes =
      (processorOf(*lowered.module).maxSharedBytesPerCta() - bytesBesideStores(*lowered.module)) /
      tilegpu::computeGroupsOf(*lowered.module);
  if (storeBytes > 0)
    if (Lowered parted = lowerToTileGPU(lowered.before->clone());
        parted.works && !waitsForStore(*parted.module)) {
      lowered = std::move(parted);
      return true;
    }
  storeBytes = 0;
  return false;
}

int Compilation::reduceStages(Lowered &lowered, int64_t needed) {
  int64_t limit = processorOf(*lowered.module).maxSharedBytesPerCta();
  int64_t stageBytes = bytesOfStage(*lowered.module);
  Diagnostic *error = lowered.messages.getLast();
  // Rings only grow with the number of stages.
  int fits = 0, tooMany = askedStages;
  auto stagesWithout = [&](int64_t excess) {
    int64_t fewer = stageBytes ? llvm::divideCeil(excess, stageBytes) : 1;
    return int(std::max<int64_t>(fits + 1, tooMany - std::max<int64_t>(fewer, 1)));
  };
  Lowered fitting;
  for (int stages = stagesWithout(needed - limit); stages < tooMany;) {
    Lowered tried = lowerWithStages(*lowered.before, stages);
    std::optional<int64_t> bytes = tried.module ? sharedBytesOf(*tried.module) : std::nullopt;
    if (tried.works) {
      fits = stages++;
      fitting = std::move(tried);
      if (bytes && *bytes + stageBytes > limit)
        break;
      continue;
    }
    tooMany = stages;
    if (stages == 1 && bytes && *bytes > limit)
      error->addNote(error->range, "no 'num_stages' fits: even 1 needs " + Twine(*bytes) +
                                       " bytes; take smaller blocks");
    stages = stagesWithout(bytes ? *bytes - limit : 1);
  }
  bool isStoreHidden = tilegpu::computeGroupsOf(*lowered.module) > 1;
  int enough = isStoreHidden ? askedStages : std::min(kEnoughStages, askedStages);
  for (int stages = enough; stages > fits; --stages)
    if (Lowered tried = lowerWithStages(*lowered.before, stages);
        storeInParts(tried) || tried.works) {
      fits = stages;
      fitting = std::move(tried);
    }
  if (fits > 0)
    lowered = std::move(fitting);
  return fits;
}

void Compilation::fitSharedMemory(Lowered &lowered) {
  std::optional<int64_t> bytes = sharedBytesOf(*lowered.module);
  int64_t limit = processorOf(*lowered.module).maxSharedBytesPerCta();
  if (!bytes || *bytes <= limit || !lowered.messages.getLast())
    return;
  int fits = reduceStages(lowered, *bytes);
  if (fits == 0 || fits == askedStages)
    return;
  result->metadata.numStages = std::min(int(result->metadata.numStages), fits);
  if (options.remarks)
    lowered.messages.remark(kernelRange,
                            "'num_stages' is reduced from " + Twine(askedStages) + " to " +
                                Twine(fits) + ": the kernel would need " + Twine(*bytes) +
                                " bytes of shared memory, and a CTA has " + Twine(limit),
                            remarks::kPipeline);
}

} // namespace tilec

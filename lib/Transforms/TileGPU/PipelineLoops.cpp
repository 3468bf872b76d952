// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Software pipelining of loops with dots. A tensor that an iteration loads and stores to shared
// memory for a dot is copied there by async copies, d iterations ahead:
//
//   for i { x = load p(i); store x, buf; acc = dot(buf, acc) }
//
// becomes, with a ring of d + 1 buffers,
//
//   copies of iterations 0 to d-1
//   for i { wait for the copies of i; barrier; acc = dot(ring[i], acc), still in flight;
//           wait for the product of i-1; barrier; copies of i+d }
//
// The address arithmetic of the copies is cloned with the induction variable d steps ahead; what of
// it is carried around the loop is carried d iterations ahead as well. Copies past the last
// iteration are masked off.
//
// A load that each thread needs for itself goes through a buffer first (PrivateStreams), without
// the barriers.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "LoopPipeliner.h"
#include "PrivateStreams.h"
#include "mlir/IR/Remarks.h"
#include "tilec/Analysis/GlobalAccess.h"
#include "tilec/Analysis/RegisterPressure.h"
#include "tilec/Analysis/SharedAllocation.h"

#define DEBUG_TYPE "tilegpu-pipeline-loops"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUPIPELINELOOPSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {
struct PipelineLoops final : tilec::impl::TileGPUPipelineLoopsPassBase<PipelineLoops> {
  using Base::Base;

  void runOnOperation() override {
    AxisInfoAnalysis axes(getOperation());
    getOperation().walk(remarkOptions);
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (!loop.getBody()->getOps<LocalStoreOp>().empty())
        loops.push_back(loop);
    });
    std::vector<LoopPipeliner> pipeliners;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop.getBody()->getOps<LocalStoreOp>().empty())
        if (int64_t stages = privateStagesOf(loop); stages >= 2)
          streamPrivately(loop, stages, axes, pipeliners);
    });
    for (scf::ForOp loop : loops) {
      int64_t stages = stagesOf(loop);
      SmallVector<Obstacle> obstacles;
      LoopPipeliner pipeliner(loop, stages);
      bool works = stages >= 2 && pipeliner.analyse(axes, obstacles);
      for (const Obstacle &obstacle : obstacles)
        remark::missed(obstacle.loc, remark::RemarkOpts::name("NotPipelined").category("pipeline"))
            << "load is not pipelined: " << obstacle.reason;
      if (works)
        pipeliners.push_back(std::move(pipeliner));
    }
    for (LoopPipeliner &pipeliner : pipeliners) {
      pipeliner.run();
      for (const BarrierObjects::Replaced &replaced : pipeliner.replacedLoops())
        for (LoopPipeliner &other : pipeliners)
          other.replaceLoop(replaced);
    }
  }

private:
  /// Says of options of a loop that they are accepted and change nothing.
  static void remarkOptions(scf::ForOp loop) {
    for (StringRef option : {"warp_specialize", "flatten"})
      if (loop->hasAttr(("tile." + option).str()))
        remark::missed(loop.getLoc(), remark::RemarkOpts::name("NoEffect").category("pipeline"))
            << remark::add("'{0}' has no effect", option);
  }

  /// The stages of a loop without products: what the source asks for, or the option where threads
  /// wait for each other in each iteration.
  int64_t privateStagesOf(scf::ForOp loop) {
    if (isRemainderCode(loop.getBody()->getTerminator()) || multipliesMatrices(loop))
      return 0;
    if (auto own = loop->getAttrOfType<IntegerAttr>("tile.num_stages"))
      return own.getInt();
    return loop.getBody()->getOps<tile::ReduceOp>().empty() ? 0 : int64_t(reductionStages);
  }

  /// Copies what can be copied ahead, as far ahead as shared memory allows.
  static void streamPrivately(scf::ForOp loop, int64_t stages, const AxisInfoAnalysis &axes,
                              std::vector<LoopPipeliner> &pipeliners) {
    SmallVector<PrivateStream> candidates = addPrivateStreams(loop, axes);
    SmallVector<Obstacle> obstacles;
    LoopPipeliner pipeliner(loop, stages);
    pipeliner.analyse(axes, obstacles);
    int64_t bytes = 0;
    for (const PrivateStream &stream : candidates)
      if (pipeliner.streamsTo(stream.store))
        bytes += stream.bytes;
    int64_t threads = int64_t(numWarpsOf(loop)) * 32;
    bool isAsked = loop->hasAttr("tile.num_stages");
    int64_t most = processorOf(loop).maxSharedBytesPerCta() - kSharedBesideRings;
    int64_t share = std::min(most, isAsked ? most : kUnaskedRings) / threads;
    int64_t fitting = bytes ? std::min(stages, std::min(kPrivateRingBytes, share) / bytes) : 0;
    for (const PrivateStream &stream : candidates)
      if (fitting < 2 || !pipeliner.streamsTo(stream.store))
        removePrivateStream(stream);
    if (fitting < 2)
      return;
    pipeliner.setStages(fitting);
    pipeliners.push_back(std::move(pipeliner));
  }

  int64_t stagesOf(scf::ForOp loop) {
    if (auto own = loop->getAttrOfType<IntegerAttr>("tile.num_stages"))
      return own.getInt();
    if (auto all = getOperation()->getAttrOfType<IntegerAttr>("tile.num_stages"))
      return all.getInt();
    return 3;
  }
};
} // namespace

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
// A load that each thread needs for itself is read back from a ring of its own, without the
// barriers. What is copied, and in which order the body does all that, is decided in LoopSchedule.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "ScheduleExpander.h"
#include "mlir/IR/Remarks.h"
#include "tilec/Analysis/RolePlan.h"
#include "tilec/Support/RemarkCategory.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUPIPELINELOOPSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Says of an option that it changes nothing; of loops around others tilegpu-overlap-epilogues
/// does.
static void remarkFlatten(scf::ForOp loop) {
  if (loop->hasAttr("tile.flatten") && loop.getBody()->getOps<scf::ForOp>().empty())
    remark::missed(loop.getLoc(), remark::RemarkOpts::name("NoEffect").category(remarks::kPipeline))
        << "'flatten' has no effect: there is no loop inside";
}

/// Says of loads whose eviction policy is lost that it is.
static void remarkPolicies(const LoopSchedule &schedule) {
  for (const Stream &stream : schedule.streams)
    if (tile::LoadOp load = stream.load; load && load.getEvict() != stream.evict)
      remark::missed(load.getLoc(),
                     remark::RemarkOpts::name("hint-dropped").category(remarks::kMemoryHint))
          << "eviction policy ignored: ptxas encodes that of cp.async wrongly for this target";
}

/// Plans who starts the tensor copies, and says of loops that ask for load warps why they have
/// none.
static void assignRoles(func::FuncOp func, MutableArrayRef<LoopSchedule> schedules,
                        std::optional<bool> forced, bool inCluster) {
  RolePlan plan = planRoles(func, schedules, forced, inCluster);
  applyRoles(plan, schedules);
  if (plan.isPingPong)
    func->setAttr(TileGPUDialect::kPingPongAttr, UnitAttr::get(func.getContext()));
  DenseSet<Operation *> given;
  for (LoopSchedule &schedule : schedules)
    if (schedule.hasLoadWarps) {
      given.insert(schedule.loop);
      remark::passed(schedule.loop.getLoc(),
                     remark::RemarkOpts::name("Specialised").category(remarks::kPipeline))
          << "warps of their own start the tensor copies of this loop";
    }
  auto refuse = [](Location loc, StringRef reason) {
    remark::missed(loc, remark::RemarkOpts::name("NotSpecialised").category(remarks::kPipeline))
        << "warps are not specialised: " << reason;
  };
  if (plan.obstacle)
    refuse(plan.obstacle->getLoc(), plan.reason);
  func.walk([&](scf::ForOp loop) {
    bool isInner = loop.getBody()->getOps<scf::ForOp>().empty();
    if (loop->hasAttr(tile::TileDialect::kWarpSpecializeAttr) && asksForRoles(loop).value() &&
        isInner && !plan.obstacle && !given.contains(loop))
      refuse(loop.getLoc(), "no tensor copies of this loop run ahead");
  });
}

namespace {
struct PipelineLoops final : tilec::impl::TileGPUPipelineLoopsPassBase<PipelineLoops> {
  using Base::Base;

  std::optional<bool> forcedRoles() const {
    return loadWarps == "auto" ? std::nullopt : std::optional(loadWarps == "on");
  }

  void runOnOperation() override {
    getOperation().walk(remarkFlatten);
    SmallVector<PipelineObstacle> obstacles;
    std::vector<LoopSchedule> schedules =
        scheduleLoops(getOperation(), getAnalysis<AxisInfoAnalysis>(), reductionStages, obstacles);
    for (const PipelineObstacle &obstacle : obstacles)
      remark::missed(obstacle.loc,
                     remark::RemarkOpts::name("NotPipelined").category(remarks::kPipeline))
          << "load is not pipelined: " << obstacle.reason;
    llvm::for_each(schedules, remarkPolicies);
    assignRoles(getOperation(), schedules, forcedRoles(), numCtas > 1);
    // A loop that runs once gains from load warps alone, which begin before it is reached.
    llvm::erase_if(schedules, [](LoopSchedule &schedule) {
      return schedule.loop->hasAttr(tile::TileDialect::kRunsOnceAttr) && !schedule.hasLoadWarps;
    });
    std::vector<ScheduleExpander> expanders;
    expanders.reserve(schedules.size());
    for (LoopSchedule &schedule : schedules)
      expanders.emplace_back(std::move(schedule), numCtas > 1);
    for (size_t i = 1; i < expanders.size(); ++i) {
      expanders[i].shareRings(expanders[i - 1]);
      expanders[i].goOnFrom(expanders[i - 1], getAnalysis<AxisInfoAnalysis>());
    }
    for (ScheduleExpander &expander : expanders) {
      expander.run();
      for (const BarrierObjects::Replaced &replaced : expander.replacedLoops())
        for (ScheduleExpander &other : expanders)
          other.replaceLoop(replaced);
    }
  }
};
} // namespace

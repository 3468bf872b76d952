// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilegpu-order-programs: those that take longest come first (Graham, "Bounds on multiprocessing
// timing anomalies", 1969), so that the last to end is a short one.

#include "ProgramGroup.h"

#include "mlir/IR/Remarks.h"
#include "tilec/Analysis/ProductLoops.h"
#include "tilec/Support/RemarkCategory.h"
#include "tilec/Transforms/TileGPU/Passes.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUORDERPROGRAMSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static void orderPrograms(func::FuncOp func, const PersistencePlan &plan,
                          int64_t bytesPerIteration) {
  SmallVector<tile::ProgramIdOp> asked;
  func.walk([&](tile::ProgramIdOp id) { asked.push_back(id); });
  Location loc = func.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&func.front());
  Type i32 = builder.getI32Type();
  Value sizes[3];
  for (int axis = 0; axis < 3; ++axis)
    sizes[axis] = tile::NumProgramsOp::create(builder, loc, i32, axis);
  ProgramGroup group(builder, loc, plan, sizes, [](Operation *) { return false; });
  Value log2 = group.makeLog2(bytesPerIteration);
  Value ids[3];
  for (int axis = 0; axis < 3; ++axis)
    ids[axis] = OrderedProgramOp::create(builder, loc, i32, axis, *plan.longestAxis,
                                         !plan.isLongestFirst, log2);
  EnterProgramOp::create(builder, loc, ids[0], ids[1], ids[2]);
  for (tile::ProgramIdOp id : asked) {
    id.replaceAllUsesWith(ids[id.getAxis()]);
    id.erase();
  }
}

namespace {
struct OrderPrograms final : tilec::impl::TileGPUOrderProgramsPassBase<OrderPrograms> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    // Other products were not timed, and a loop around one of products may go through programs in
    // an order of its own.
    if (!func->hasAttr(tile::TileDialect::kKernelAttr) ||
        llvm::none_of(func.front().getOps<scf::ForOp>(), isLoopOfProducts))
      return;
    // Programs that other CTAs may run may have any order.
    PersistencePlan plan = planPersistence(func);
    if (!plan.isPersistent || !plan.longestAxis)
      return;
    // Those along y and z are in order where the first takes longest.
    if (*plan.longestAxis != 0 && plan.isLongestFirst)
      return;
    SmallVector<PipelineObstacle> obstacles;
    orderPrograms(func, plan,
                  bytesPerIteration(scheduleLoops(func, getAnalysis<AxisInfoAnalysis>(),
                                                  reductionStages, obstacles)));
    remark::passed(func.getLoc(),
                   remark::RemarkOpts::name("LongestFirst").category(remarks::kPersistent))
        << "programs that take longest run first";
  }
};
} // namespace

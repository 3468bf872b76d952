// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stays in registers, and where it is loaded, computed again, or spilled to shared memory: the
// steps in their order. Which of them a compilation takes is the choice of the driver, which asks
// the assembler how they turned out.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "RegisterSteps.h"
#include "mlir/IR/Builders.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUPLANREGISTERSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {
struct PlanRegisters final : tilec::impl::TileGPUPlanRegistersPassBase<PlanRegisters> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    for (const std::string &step : steps)
      if (!llvm::is_contained(register_steps::kAll, step))
        return emitError(UnknownLoc::get(context), "tilegpu-plan-registers has no step '")
               << step << "'";
    return success();
  }

  void runOnOperation() override {
    // Around dots accumulators and operands have their places.
    bool multiplies = false;
    SmallVector<PlannedFunction, 1> functions;
    getOperation().walk([&](func::FuncOp func) {
      bool hasDots = multipliesMatrices(func);
      multiplies |= hasDots;
      if (!func.isExternal() && !hasDots)
        functions.emplace_back(func);
    });
    if (takes(register_steps::kOccupancy) && !multiplies)
      planOccupancy(functions);
    for (PlannedFunction &function : functions) {
      if (takes(register_steps::kHoist) && hoistRegisters > 0)
        hoistLoads(function, hoistRegisters);
      if (takes(register_steps::kSink))
        sinkLoads(function);
      if (takes(register_steps::kRematerialise))
        rematerialise(function);
      if (takes(register_steps::kSpill))
        spillToShared(function);
    }
  }

private:
  bool takes(StringRef step) { return steps.empty() || llvm::is_contained(steps, step); }

  void planOccupancy(MutableArrayRef<PlannedFunction> functions) {
    ModuleOp module = getOperation();
    if (module->hasAttr(TileGPUDialect::kMinCtasAttr) ||
        !llvm::any_of(functions, shouldHoldTwoCtas))
      return;
    Builder builder(&getContext());
    module->setAttr(TileGPUDialect::kMinCtasAttr, builder.getI32IntegerAttr(kPlannedCtas));
    module->setAttr(TileGPUDialect::kPlannedOccupancyAttr, builder.getUnitAttr());
    for (PlannedFunction &function : functions)
      function.noteChange();
  }
};
} // namespace

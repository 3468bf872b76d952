// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints what the compiler plans before it changes anything: the schedules of loops
// and the registers of kernels.

#include "test/lib/TestPasses.h"
#include "tilec/Analysis/LoopSchedule.h"
#include "tilec/Analysis/RegisterPlan.h"
#include "tilec/Analysis/RegisterPressure.h"

using namespace mlir;

namespace tilec {
namespace {

struct TestPrintSchedule final : PassWrapper<TestPrintSchedule, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPrintSchedule)

  TestPrintSchedule() = default;
  TestPrintSchedule(const TestPrintSchedule &pass) : PassWrapper(pass) {}

  StringRef getArgument() const override { return "test-print-schedule"; }
  StringRef getDescription() const override {
    return "prints how loops would be pipelined, and which loads would not";
  }

  void runOnOperation() override {
    SmallVector<PipelineObstacle> obstacles;
    for (const LoopSchedule &schedule :
         scheduleLoops(getOperation(), getAnalysis<AxisInfoAnalysis>(), reductionStages, obstacles))
      schedule.print(llvm::outs());
    for (const PipelineObstacle &obstacle : obstacles)
      llvm::outs() << "not pipelined: " << obstacle.reason << '\n';
  }

  Option<int64_t> reductionStages{
      *this, "reduction-stages", llvm::cl::desc("as of tilegpu-pipeline-loops"), llvm::cl::init(0)};
};

struct TestPrintRegisterPlan final
    : PassWrapper<TestPrintRegisterPlan, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPrintRegisterPlan)

  StringRef getArgument() const override { return "test-print-register-plan"; }
  StringRef getDescription() const override {
    return "prints what would be spilled to shared memory, and what the assembler has to spill";
  }

  void runOnOperation() override {
    if (multipliesMatrices(getOperation()))
      llvm::outs() << "registers: planned around dots\n";
    else
      planRegisters(getOperation(), RegisterPressure(getOperation())).print(llvm::outs());
  }
};

} // namespace

std::unique_ptr<Pass> createTestPrintRegisterPlanPass() {
  return std::make_unique<TestPrintRegisterPlan>();
}

std::unique_ptr<Pass> createTestPrintSchedulePass() {
  return std::make_unique<TestPrintSchedule>();
}

} // namespace tilec

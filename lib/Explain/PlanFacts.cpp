// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plans of the passes, which the finished kernel no longer has: the pipeline runs once more,
// and in front of the pass that carries a plan out, the analysis that it rests on is asked.

#include "KernelFacts.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "tilec/Analysis/RegisterPlan.h"
#include "tilec/Analysis/RegisterPressure.h"
#include "tilec/Analysis/RolePlan.h"
#include "tilec/Layout/Conversion.h"

#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace tilec::tilegpu;

namespace tilec::explain {
namespace {

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// As 128x64xf16.
std::string summaryOf(Operation *op) {
  std::string text = op->getName().getStringRef().str();
  for (Type type : op->getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      text += ' ';
      for (int64_t extent : tensor.getShape())
        text += std::to_string(extent) + "x";
      text += textOf(tensor.getElementType());
    }
  return text;
}

StringRef nameOf(ScheduleStep::Kind kind) {
  switch (kind) {
  case ScheduleStep::Kind::Addresses:
    return "addresses";
  case ScheduleStep::Kind::WaitForCopies:
    return "wait-copies";
  case ScheduleStep::Kind::StartCopies:
    return "start-copies";
  case ScheduleStep::Kind::Compute:
    return "compute";
  case ScheduleStep::Kind::WaitForDots:
    return "wait-dots";
  case ScheduleStep::Kind::ReleaseBuffers:
    return "release";
  }
  return "compute";
}

StringRef nameOf(ConversionKind kind) {
  switch (kind) {
  case ConversionKind::None:
    return "none";
  case ConversionKind::Registers:
    return "rename";
  case ConversionKind::Shuffles:
    return "shuffle";
  case ConversionKind::SharedMemory:
  case ConversionKind::CrossBlock:
    return "shared memory";
  }
  return "none";
}

/// Listens to the pass manager.
class PlanListener final : public PassInstrumentation {
public:
  PlanListener(int programsOfCluster, LineTable &lineTable, Report &made)
      : numCtas(programsOfCluster), lines(lineTable), report(made) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    StringRef name = pass->getArgument();
    if (auto module = dyn_cast<ModuleOp>(op); module && name == "tilegpu-plan-registers") {
      for (auto func : module.getOps<func::FuncOp>())
        noteRegisters(func);
      noteRoles(module);
    }
    auto func = dyn_cast<func::FuncOp>(op);
    if (!func || func.isExternal())
      return;
    if (name == "tilegpu-pipeline-loops")
      noteSchedules(func);
    else if (name == "tilegpu-decompose-conversions")
      func.walk([&](ConvertLayoutOp convert) { noteConversion(convert); });
  }

private:
  void noteSchedules(func::FuncOp func);
  void noteLoop(const LoopSchedule &schedule);
  void noteConversion(ConvertLayoutOp convert);
  void noteRegisters(func::FuncOp func);
  void noteRoles(Operation *module);

  int numCtas;
  LineTable &lines;
  Report &report;
};

BankUse banksOf(const SharedAccess &access, unsigned bits) {
  return {access.wavefronts, access.idealWavefronts, access.requests,
          access.vectorWidth * int(bits)};
}

} // namespace

void PlanListener::noteSchedules(func::FuncOp func) {
  SmallVector<PipelineObstacle> obstacles;
  AxisInfoAnalysis axes(func);
  std::vector<LoopSchedule> schedules = scheduleLoops(func, axes, 0, obstacles);
  RolePlan roles = planRoles(func, schedules, std::nullopt, numCtas > 1);
  applyRoles(roles, schedules);
  for (const LoopSchedule &schedule : schedules)
    noteLoop(schedule);
  for (const PipelineObstacle &obstacle : obstacles)
    report.schedule.obstacles.emplace_back(lines.add(obstacle.loc), obstacle.reason.str());
  if (roles.hasLoadWarps)
    report.schedule.roles = "warps of their own start the tensor copies";
  else if (roles.obstacle)
    report.schedule.roles = "warps are not specialised: " + roles.reason.str();
}

void PlanListener::noteLoop(const LoopSchedule &schedule) {
  scf::ForOp loop = schedule.loop;
  ScheduledLoop &noted = report.schedule.loops.emplace_back();
  noted.line = lines.add(loop.getLoc());
  noted.stages = schedule.stages;
  noted.distance = schedule.distance();
  noted.ringBytes = schedule.ringBytes();
  noted.dotsInFlight = schedule.dotsInFlight();
  noted.hasLoadWarps = schedule.hasLoadWarps;
  for (const ScheduleStep &step : schedule.steps)
    noted.steps.push_back({nameOf(step.kind).str(), step.op ? summaryOf(step.op) : std::string(),
                           step.op ? lines.add(step.op->getLoc()) : LineIndex()});
  for (const Stream &stream : schedule.streams) {
    MemDescType buffer = stream.bufferType();
    ScheduledLoop::Stream &copied = noted.streams.emplace_back();
    copied.line = lines.add(stream.source()->getLoc());
    copied.op = summaryOf(stream.source());
    copied.shape = buffer.getShape().vec();
    copied.bytes = buffer.getSizeInBytes();
    copied.path = stream.tensorLoad ? "TMA" : stream.isPrivate() ? "private" : "cp.async";
  }
  llvm::raw_string_ostream os(noted.text);
  schedule.print(os);
}

void PlanListener::noteConversion(ConvertLayoutOp convert) {
  auto source = cast<RankedTensorType>(convert.getSource().getType());
  auto result = cast<RankedTensorType>(convert.getType());
  unsigned bits = std::max(8u, tile::bitWidthOf(source.getElementType()));
  ConversionOptions options;
  options.storesMatrices = processorOf(convert).has(Feature::MatrixStore);
  ConversionPlan plan = planConversion(layoutOf(source), layoutOf(result), int32_t(bits), options);
  Conversion &noted = report.conversions.emplace_back();
  noted.line = lines.add(convert.getLoc());
  noted.shape = source.getShape().vec();
  noted.element = textOf(source.getElementType());
  noted.from = describeLayout(layoutOf(source));
  noted.to = describeLayout(layoutOf(result));
  noted.path = nameOf(plan.kind).str();
  noted.cost = plan.cost;
  if (plan.kind == ConversionKind::Shuffles)
    noted.shuffles = plan.shuffle.numShuffles();
  if (plan.kind != ConversionKind::SharedMemory)
    return;
  noted.bytes = plan.shared.bufferElements * int64_t(bits) / 8;
  noted.store = banksOf(plan.shared.store, bits);
  noted.load = banksOf(plan.shared.load, bits);
}

/// Kernels with dots have no plan: accumulators fill their registers.
void PlanListener::noteRegisters(func::FuncOp func) {
  if (func.isExternal() || multipliesMatrices(func))
    return;
  llvm::raw_string_ostream os(report.schedule.registers);
  planRegisters(func, RegisterPressure(func)).print(os);
}

void PlanListener::noteRoles(Operation *module) {
  std::string &text = report.schedule.roles;
  int computing = computingWarpsOf(module);
  if (int loading = launchedThreadsOf(module) / 32 - computing)
    text += ": " + std::to_string(loading) + " beside the " + std::to_string(computing) +
            " that compute";
  if (computeGroupsOf(module) > 1)
    text += ", which take tiles in turn, " + std::to_string(numWarpsOf(module)) + " each";
  if (std::optional<RoleRegisters> parted = roleRegistersOf(module))
    text += "; " + std::to_string(parted->load) + " registers for each of their threads, " +
            std::to_string(parted->compute) + " for the others";
}

/// No loop asks for more stages than that.
static void capStages(ModuleOp module, int stages) {
  auto cap = [&](Operation *op) {
    auto own = op->getAttrOfType<IntegerAttr>(tile::TileDialect::kNumStagesAttr);
    if (own && own.getInt() > stages)
      op->setAttr(tile::TileDialect::kNumStagesAttr, IntegerAttr::get(own.getType(), stages));
  };
  cap(module);
  module.walk([&](scf::ForOp loop) { cap(loop); });
}

void collectPlans(ModuleOp tile, const PipelineOptions &options, int stages, LineTable &lines,
                  Report &report) {
  capStages(tile, stages);
  PassManager manager(tile->getContext(), ModuleOp::getOperationName());
  manager.enableVerifier(false);
  manager.addInstrumentation(std::make_unique<PlanListener>(options.numCtas, lines, report));
  PipelineOptions planned = options;
  // Everything behind it works on what was planned.
  planned.stopBefore = "tilegpu-defer-store-waits";
  buildTileGPUPipeline(manager, planned);
  ScopedDiagnosticHandler silent(tile->getContext(), [](mlir::Diagnostic &) { return success(); });
  // The kernel was compiled: a failure would be that of another choice, of which there are no
  // plans.
  if (failed(manager.run(tile)))
    report.schedule = Schedule();
}

} // namespace tilec::explain

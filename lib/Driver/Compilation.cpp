// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of a compilation, in their order.

#include "Compilation.h"

#include "AssemblerLog.h"
#include "DiagnosticBridge.h"
#include "Metadata.h"
#include "ResourceRemarks.h"
#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "tilec/Analysis/IndexTraps.h"
#include "tilec/Driver/ToolHints.h"
#include "tilec/Support/Processor.h"
#include "tilec/Syntax/ASTPrinter.h"
#include "tilec/Syntax/Parser.h"
#include "tilec/Target/HostJIT.h"

#include <set>

using namespace mlir;

namespace tilec {

/// The front end's output is what runs.
static bool isInterpreter(StringRef target) { return target == "interp"; }

/// The most stages that a loop of the module asks for.
static int mostStages(ModuleOp module) {
  int64_t most = 1;
  auto count = [&](Operation *op) {
    if (auto stages = op->getAttrOfType<IntegerAttr>(tile::TileDialect::kNumStagesAttr))
      most = std::max(most, stages.getInt());
  };
  count(module);
  module.walk([&](scf::ForOp loop) { count(loop); });
  return int(std::min<int64_t>(most, std::numeric_limits<int>::max()));
}

void Compilation::keepModule(Stage stage) {
  if (!llvm::is_contained(options.keep, stage))
    return;
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  module->print(os, flags);
  os << "\n";
  result->stages[stage] = std::move(text);
}

bool Compilation::runPipeline(llvm::function_ref<void(OpPassManager &)> build,
                              bool verifyEachPass) {
  PassManager pm(&context, ModuleOp::getOperationName());
  pm.enableVerifier(verifyEachPass);
  build(pm);
  unsigned errorsBefore = diagnostics.getNumErrors();
  if (succeeded(pm.run(*module)) && (verifyEachPass || succeeded(verify(*module))))
    return true;
  if (diagnostics.getNumErrors() != errorsBefore)
    return fail(Failure::Input);
  diagnostics.error(SourceRange(), "a pass failed without saying why");
  return fail(Failure::Internal);
}

bool Compilation::parse() {
  if (!tree)
    tree = parseModule(sources, file, diagnostics);
  if (!tree || diagnostics.hasErrors())
    return fail(Failure::Input);
  if (llvm::is_contained(options.keep, Stage::AST))
    result->stages[Stage::AST] = printTree(*tree, &sources);
  return true;
}

OwningOpRef<ModuleOp> Compilation::makeTile() {
  IRGenOptions irgen;
  irgen.modules = &modules;
  irgen.kernel = options.kernel;
  irgen.specialization() = options;
  irgen.warn = true;
  llvm::Expected<CompileTarget> target = findTarget(options.target);
  if (!target) {
    diagnostics.error(SourceRange(), llvm::toString(target.takeError()));
    return nullptr;
  }
  irgen.processor = target->processor;
  return generateTile(context, *tree, sources, irgen, diagnostics);
}

void Compilation::warnOfTraps() {
  std::set<std::tuple<FileId, uint32_t, std::string>> told;
  module->walk([&](func::FuncOp func) {
    if (func.isExternal())
      return;
    for (const IndexTrap &trap : findIndexTraps(func)) {
      ResolvedLocation place = resolveLocation(trap.op->getLoc(), sources);
      // A function that is called twice says it once.
      if (!place.range.isValid() ||
          !told.insert({place.range.file, place.range.begin, trap.message}).second)
        continue;
      Diagnostic &warning = diagnostics.warning(place.range, trap.message, trap.warning);
      if (trap.other)
        warning.addNote(resolveLocation(trap.other->getLoc(), sources).range, trap.note);
      for (SourceRange caller : place.callers) {
        warning.addNote(caller, "called from here");
        warning.notes.back().category = "call";
      }
    }
  });
}

/// Whether the options say one thing about clusters.
bool Compilation::checkClusters() {
  std::optional<std::string> problem = clusterProblem(options.numCtas, options.splitK);
  if (problem)
    diagnostics.error(SourceRange(), *problem, "options");
  return !problem;
}

bool Compilation::generate() {
  if (!checkClusters())
    return fail(Failure::Input);
  module = makeTile();
  if (module)
    warnOfTraps();
  if (!module || diagnostics.hasErrors())
    return fail(Failure::Input);
  auto build = [&](OpPassManager &pm) {
    buildTilePipeline(pm, options.tensorCopies, options.splitK.value_or(1));
  };
  if (!isInterpreter(options.target) && !runPipeline(build, /*verifyEachPass=*/false))
    return false;

  for (auto func : module->getOps<func::FuncOp>())
    if (func->hasAttr(tile::TileDialect::kKernelAttr))
      kernelRange = resolveLocation(func.getLoc(), sources).range;
  tilecrt::KernelMetadata &metadata = result->metadata;
  fillFromTile(*module, metadata);
  auto moduleInt = [&](StringRef name, int fallback) {
    auto attr = (*module)->getAttrOfType<IntegerAttr>(name);
    return attr ? int(attr.getInt()) : fallback;
  };
  metadata.target = options.target;
  metadata.numWarps = moduleInt(tile::TileDialect::kNumWarpsAttr, options.numWarps.value_or(4));
  metadata.numStages = moduleInt(tile::TileDialect::kNumStagesAttr, options.numStages.value_or(3));
  metadata.threadsPerCta = metadata.numWarps * 32;
  for (const ConstantSpec &constant : options.constants)
    metadata.constants.push_back({constant.name, constant.value});
  keepModule(Stage::Tile);
  return true;
}

PipelineOptions Compilation::tileGPUOptions() const {
  PipelineOptions pipeline;
  pipeline.numWarps = result->metadata.numWarps;
  pipeline.registerSteps = registerSteps;
  pipeline.loadWarps = loadWarps;
  pipeline.numCtas = options.numCtas.value_or(1);
  pipeline.storeBytes = storeBytes;
  if (options.persistent.value_or(options.persistentByCost))
    pipeline.persistent = options.persistent ? "on" : "auto";
  pipeline.programCounter = options.programCounter;
  pipeline.timeline = {int64_t(options.timelineMarks), int64_t(options.timelineFirstCta),
                       int64_t(options.timelineLastCta)};
  return pipeline;
}

Compilation::Lowered Compilation::lowerToTileGPU(OwningOpRef<ModuleOp> tileModule) {
  Lowered lowered;
  lowered.messages.setWarningOptions(options.warnings);
  lowered.module = std::move(tileModule);
  lowered.before = lowered.module->clone();
  DiagnosticBridge bridge(context, sources, lowered.messages);
  bool isRemarking = context.getRemarkEngine() != nullptr;
  if (isRemarking)
    DiagnosticBridge::collectRemarks(context, sources, lowered.messages);
  PassManager pm(&context, ModuleOp::getOperationName());
  buildTileGPUPipeline(pm, tileGPUOptions());
  lowered.works = succeeded(pm.run(*lowered.module));
  if (isRemarking)
    DiagnosticBridge::collectRemarks(context, sources, diagnostics);
  return lowered;
}

bool Compilation::toTileGPU() {
  askedStages = mostStages(*module);
  Lowered lowered = lowerToTileGPU(std::move(module));
  if (!lowered.works)
    fitSharedMemory(lowered);
  else
    storeInParts(lowered);
  module = std::move(lowered.module);
  beforeTileGPU = std::move(lowered.before);
  for (const Diagnostic &message : lowered.messages.getDiagnostics())
    diagnostics.adopt(message);
  if (!lowered.works) {
    if (lowered.messages.hasErrors())
      return fail(Failure::Input);
    diagnostics.error(SourceRange(), "a pass failed without saying why");
    return fail(Failure::Internal);
  }
  spillsToShared =
      module->walk([](tilegpu::ParkOp) { return WalkResult::interrupt(); }).wasInterrupted();
  holdsTwoCtas = (*module)->hasAttr(tilegpu::TileGPUDialect::kPlannedOccupancyAttr);
  // Where CTAs run programs in turn, or share copies, load warps are what they do it by.
  mayLeaveLoadWarps = (*module)->hasAttr(tilegpu::TileGPUDialect::kLoadWarpsAttr) &&
                      !isPersistent(*module) && tilegpu::clusterSizeOf(*module) == 1;
  minCtas = 0;
  if (!spillsToShared && !holdsTwoCtas && !mayLeaveLoadWarps)
    beforeTileGPU = nullptr;
  if (auto ctas = (*module)->getAttrOfType<IntegerAttr>(tilegpu::TileGPUDialect::kMinCtasAttr))
    minCtas = ctas.getInt();
  result->metadata.threadsPerCta = tilegpu::launchedThreadsOf(*module);
  result->metadata.splitK = uint32_t(tilegpu::splitKOf(*module));
  result->metadata.clusterX = uint32_t(tilegpu::clusterSizeOf(*module));
  result->metadata.isPersistent = isPersistent(*module);
  result->metadata.hasProgramCounter = hasProgramCounter(*module);
  fillTensorMaps(*module, result->metadata);
  if (gainsFromTurns(*module))
    result->metadata.properties.emplace_back("persistent",
                                             "pays for more programs than run at once");
  fillTimeline(*module, result->metadata);
  keepModule(Stage::TileGPU);
  return true;
}

bool Compilation::toLLVMDialect() {
  if (!runPipeline(buildLLVMPipeline))
    return false;
  fillFromLLVM(*module, result->metadata);
  keepModule(Stage::LLVMMLIR);
  return true;
}

bool Compilation::toHost() {
  if (!runPipeline([&](OpPassManager &pm) { buildSimPipeline(pm, options.countInstructions); }))
    return false;
  llvm::Expected<std::unique_ptr<HostKernel>> host = compileForHost(*module, HostOptions());
  if (!host)
    return fail(Failure::Internal, host.takeError());
  result->host = std::move(*host);
  return true;
}

PTXOptions Compilation::ptxOptions() const {
  PTXOptions ptx;
  ptx.target = options.target;
  ptx.lineInfo = options.lineInfo;
  ptx.fuseMultiplyAdd = options.fpFusion;
  ptx.flushSubnormals = options.flushSubnormals;
  ptx.alwaysReducesStrength = reducesStrength;
  ptx.mathLibraries = findMathLibraries(mathLibraryHints(options.tools));
  // The smaller and faster code where it is there.
  ptx.mathPreference = MathLibraryPreference::libdevice;
  return ptx;
}

bool Compilation::toLLVM() {
  if (!runPipeline(buildPTXPipeline))
    return false;
  PTXOptions ptx = ptxOptions();
  llvm::Expected<DeviceModule> translated = translateToLLVM(*module, ptx);
  if (!translated)
    return fail(Failure::Unavailable, translated.takeError());
  if (llvm::Error error = optimizeLLVM(*translated, ptx))
    return fail(Failure::Internal, std::move(error));
  if (llvm::is_contained(options.keep, Stage::LLVM))
    result->stages[Stage::LLVM] = translated->print();
  deviceModule.emplace(std::move(*translated));
  return true;
}

bool Compilation::toPTX() {
  llvm::Expected<PTXResult> ptx = emitPTX(std::move(*deviceModule), ptxOptions());
  if (!ptx)
    return fail(Failure::Internal, ptx.takeError());
  result->ptx = std::move(ptx->ptx);
  leftOutReduction = ptx->leftOutReduction;
  if (llvm::is_contained(options.keep, Stage::PTX))
    result->stages[Stage::PTX] = result->ptx;
  return true;
}

bool Compilation::blameInlineAssembly(llvm::StringRef log) {
  std::optional<RefusedAssembly> refused = findRefusedAssembly(result->ptx, log);
  if (!refused)
    return false;
  Location place = FileLineColLoc::get(&context, refused->file, refused->line, refused->column);
  diagnostics.error(resolveLocation(place, sources).range,
                    "the assembler refuses this inline assembly for '" + options.target +
                        "': " + refused->why);
  return true;
}

bool Compilation::toCubin() {
  llvm::Expected<std::string> ptxas = findPtxas(ptxasHints(options.tools));
  if (!ptxas)
    return fail(Failure::Unavailable, ptxas.takeError());
  CubinOptions cubinOptions;
  cubinOptions.target = options.target;
  cubinOptions.lineInfo = options.lineInfo;
  cubinOptions.maxRegisters = unsigned(options.maxRegisters.value_or(0));
  cubinOptions.dynamicSharedBytes = int(result->metadata.dynamicSharedBytes);
  // On code that is mostly spills the assembler's upper levels take ten times as long, and spill
  // twice as much.
  if ((*module)->hasAttr(tilegpu::TileGPUDialect::kSpillsAttr)) {
    cubinOptions.optLevel = 1;
    cubinOptions.occupancyReach = 0;
  }
  llvm::Expected<CubinResult> cubin = assemblePTX(result->ptx, *ptxas, cubinOptions);
  if (!cubin) {
    std::string log = llvm::toString(cubin.takeError());
    if (StringRef(log).contains("is not defined for option 'gpu-name'")) {
      diagnostics.error(SourceRange(), "'" + *ptxas + "' cannot assemble for '" + options.target +
                                           "'; take a version of ptxas that can");
      return fail(Failure::Unavailable);
    }
    if (blameInlineAssembly(log))
      return fail(Failure::Input);
    diagnostics.error(SourceRange(), log);
    return fail(Failure::Internal);
  }
  result->cubin = std::move(cubin->cubin);
  for (const KernelResources &kernel : cubin->kernels)
    if (kernel.kernel == result->metadata.name) {
      resources = kernel;
      result->metadata.registers = resources.registers;
      result->metadata.spillBytes = resources.spillStoreBytes + resources.spillLoadBytes;
      result->metadata.staticSharedBytes = resources.sharedBytes;
      if (!resources.serializedDots.empty())
        result->metadata.properties.emplace_back("serializedDots", resources.serializedDots);
    }
  if (llvm::is_contained(options.keep, Stage::Cubin))
    result->stages[Stage::Cubin] = result->cubin;
  return true;
}

std::unique_ptr<CompiledKernel> Compilation::run() {
  bool ok = timed("parse", [&] { return parse(); });
  if (ok && wants(Stage::Tile))
    ok = timed("tile", [&] { return generate(); });
  if (isInterpreter(options.target)) {
    result->program = std::move(module);
    return ok ? std::move(result) : nullptr;
  }
  if (ok && wants(Stage::TileGPU))
    ok = timed("tilegpu", [&] { return toTileGPU(); });
  if (ok && wants(Stage::LLVMMLIR))
    ok = timed("llvm-mlir", [&] { return toLLVMDialect(); });
  if (isSimulator(options.target)) {
    if (ok && wants(Stage::LLVM))
      ok = timed("host", [&] { return toHost(); });
    return ok ? std::move(result) : nullptr;
  }
  if (ok && wants(Stage::LLVM))
    ok = timed("llvm", [&] { return toLLVM(); });
  if (ok && wants(Stage::PTX))
    ok = timed("ptx", [&] { return toPTX(); });
  if (ok && wants(Stage::Cubin)) {
    // What was made so far is worth keeping when only the assembler is missing.
    bool assembled = timed("cubin", [&] { return toCubin(); });
    if (!assembled && failure != Failure::Unavailable)
      ok = false;
    if (assembled && leftOutReduction && result->metadata.spillBytes > 0)
      timed("strength", [&] { return reduceStrength(), true; });
    if (assembled && beforeTileGPU)
      timed("registers", [&] { return searchRegisters(), true; });
    if (assembled && options.remarks && resources.registers > 0)
      reportResources(resources, {result->metadata.numWarps, minCtas}, kernelRange, diagnostics);
  }
  return ok ? std::move(result) : nullptr;
}

} // namespace tilec

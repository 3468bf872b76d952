// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One compilation, stage after stage. Each step is a member function that says whether to go on;
// the first failure decides the kind of the failure.

#include "tilec/Driver/Compiler.h"

#include "AssemblerLog.h"
#include "DiagnosticBridge.h"
#include "KernelCaching.h"
#include "Metadata.h"
#include "ResourceRemarks.h"
#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "tilec/Analysis/IndexTraps.h"
#include "tilec/Analysis/SharedAllocation.h"
#include "tilec/Driver/Pipelines.h"
#include "tilec/Driver/Registration.h"
#include "tilec/Driver/ToolHints.h"
#include "tilec/Support/RemarkCategory.h"
#include "tilec/Syntax/ASTPrinter.h"
#include "tilec/Syntax/Parser.h"
#include "tilec/Target/Cubin.h"
#include "tilec/Target/HostJIT.h"
#include "tilec/Target/PTX.h"
#include "tilecrt/TensorMapValues.h"
#include <chrono>
#include <set>

using namespace mlir;

namespace tilec {

CompiledKernel::CompiledKernel() = default;
CompiledKernel::CompiledKernel(CompiledKernel &&) noexcept = default;
CompiledKernel &CompiledKernel::operator=(CompiledKernel &&) noexcept = default;
CompiledKernel::~CompiledKernel() = default;

struct Compiler::Impl {
  /// Made when something is to be compiled: a kernel from the cache does not need it.
  MLIRContext &getContext() {
    if (!context) {
      context.emplace(makeRegistry(), MLIRContext::Threading::DISABLED);
      // A message is for who wrote the source.
      context->printOpOnDiagnostic(false);
    }
    return *context;
  }

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerDialects(registry);
    registerPTXTranslations(registry);
    return registry;
  }

  std::optional<MLIRContext> context;
  Failure failure = Failure::None;
  /// The last source: kernels of one file share its text.
  std::shared_ptr<const std::string> lastText;
};

constexpr llvm::StringLiteral kStagesAttr = "tile.num_stages";
/// Where the search for a number of stages that fits begins.
constexpr int kUsualStages = 4;

/// "sim", or "sim:" and the processor whose code is to be run.
static bool isSimulator(StringRef target) { return target == "sim" || target.starts_with("sim:"); }

/// The front end's output is what runs.
static bool isInterpreter(StringRef target) { return target == "interp"; }

/// The processor that code is made for.
static StringRef processorOf(StringRef target) {
  if (target == "sim" || isInterpreter(target))
    return "sm_90a";
  target.consume_front("sim:");
  return target;
}

namespace {
/// The state of one compilation.
class Compilation {
public:
  Compilation(MLIRContext &mlirContext, SourceManager &sourceManager, FileId sourceFile,
              const CompileOptions &compileOptions, DiagnosticEngine &engine,
              ModuleLoader &moduleLoader, std::unique_ptr<ast::Module> parsed)
      : context(mlirContext), sources(sourceManager), file(sourceFile), options(compileOptions),
        diagnostics(engine), modules(moduleLoader), result(std::make_unique<CompiledKernel>()),
        tree(std::move(parsed)) {}

  std::unique_ptr<CompiledKernel> run();
  std::optional<KernelEstimate> estimate(const llvm::StringMap<int64_t> &arguments) {
    if (!parse() || !generate())
      return std::nullopt;
    return estimateKernel(*module, arguments);
  }
  Failure failure = Failure::None;

private:
  bool parse();
  bool generate();
  /// Source to the tile dialect.
  OwningOpRef<ModuleOp> makeTile(DiagnosticEngine &engine);
  /// Warns of what the index arithmetic of the module shows.
  void warnOfTraps();
  bool hasTensorMaps() const;
  bool toTileGPU();
  PipelineOptions tileGPUOptions() const;
  /// What the passes on tilegpu make of a module.
  struct Lowered {
    OwningOpRef<ModuleOp> module;
    /// The module as it was before them, where compiling it once more may pay.
    OwningOpRef<ModuleOp> before;
    DiagnosticEngine messages{};
    bool works = false;
  };
  Lowered lowerToTileGPU(OwningOpRef<ModuleOp> tileModule);
  /// Where the kernel needs too much shared memory, gives up buffers of pipelined loops: takes what
  /// it becomes with the largest number of stages that fits.
  void reduceStages(Lowered &lowered);
  /// What the kernel becomes when no loop has more stages.
  Lowered lowerWithStages(int stages);
  bool toLLVMDialect();
  bool toHost();
  bool toLLVM();
  bool toPTX();
  bool toCubin();
  /// Where what the assembler refuses is the kernel's own inline assembly, that is an error of the
  /// kernel, at its place; false when it is not.
  bool blameInlineAssembly(llvm::StringRef log);
  /// What the compiler decides about registers rests on an estimate; the assembler has the last
  /// word. Where room for two CTAs was planned and the assembler spills, compiles again without
  /// that plan. The estimate is a careful one otherwise: when it made tensors wait in shared
  /// memory, compiles once more without that, and takes the result when the assembler spills
  /// nothing.
  void reconsiderRegisters();
  /// From the module as it was before layouts to a cubin, with the present choices. Takes the
  /// result when `isBetter` says so.
  bool compileAgain(llvm::function_ref<bool(const CompiledKernel &)> isBetter);

  bool fail(Failure kind) {
    failure = kind;
    return false;
  }
  /// Reports an error of a library below, at no place in the source.
  bool fail(Failure kind, llvm::Error error) {
    diagnostics.error(SourceRange(), llvm::toString(std::move(error)));
    return fail(kind);
  }
  bool wants(Stage stage) const { return options.stopAfter >= stage; }
  /// Keeps the module's text when the caller asked for it.
  void keepModule(Stage stage);
  /// Verifies the module after each pass, or once at the end: of the few simple passes on tiles,
  /// verification would be more than half of the time.
  bool runPipeline(llvm::function_ref<void(OpPassManager &)> build, bool verifyEachPass = true);
  /// Runs one step and records its time.
  template <typename Step> bool timed(llvm::StringRef name, Step step) {
    auto start = std::chrono::steady_clock::now();
    bool ok = step();
    std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    result->times.push_back({name.str(), elapsed.count()});
    return ok;
  }
  PTXOptions ptxOptions() const;

  MLIRContext &context;
  SourceManager &sources;
  FileId file;
  const CompileOptions &options;
  DiagnosticEngine &diagnostics;
  ModuleLoader &modules;
  std::unique_ptr<CompiledKernel> result;
  std::unique_ptr<ast::Module> tree;
  OwningOpRef<ModuleOp> module;
  /// See Lowered::before.
  OwningOpRef<ModuleOp> beforeTileGPU;
  bool planOccupancy = true, parkTensors = true;
  /// Whether the last compilation planned occupancy.
  bool isPlanned = false;
  KernelResources resources;
  /// The most stages that a loop asks for, before loops are pipelined.
  int askedStages = 1;
  std::optional<DeviceModule> deviceModule;
  /// The kernel in its source, and the CTAs that its registers must leave room for; for remarks.
  SourceRange kernelRange;
  unsigned minCtas = 0;
};
} // namespace

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

OwningOpRef<ModuleOp> Compilation::makeTile(DiagnosticEngine &engine) {
  IRGenOptions irgen;
  irgen.modules = &modules;
  irgen.kernel = options.kernel;
  irgen.arguments = options.arguments;
  irgen.constants = options.constants;
  irgen.numWarps = options.numWarps;
  irgen.numStages = options.numStages;
  irgen.heuristicArguments = options.heuristicArguments;
  irgen.debug = options.debug;
  irgen.warn = true;
  irgen.stepLimit = options.stepLimit;
  irgen.opLimit = options.opLimit;
  irgen.unrollLimit = options.unrollLimit;
  if (options.target != "sim" && !isInterpreter(options.target)) {
    llvm::Expected<PTXTarget> target = findPTXTarget(processorOf(options.target));
    if (!target) {
      engine.error(SourceRange(), llvm::toString(target.takeError()));
      return nullptr;
    }
    irgen.computeCapability = target->computeCapability;
  }
  return generateTile(context, *tree, sources, irgen, engine);
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

bool Compilation::hasTensorMaps() const {
  return options.target == "sim" || options.target == "sm_90a";
}

bool Compilation::generate() {
  module = makeTile(diagnostics);
  if (module)
    warnOfTraps();
  if (!module || diagnostics.hasErrors())
    return fail(Failure::Input);
  auto buildPipeline = [&](OpPassManager &pm) { buildTilePipeline(pm, hasTensorMaps()); };
  if (!isInterpreter(options.target) && !runPipeline(buildPipeline, /*verifyEachPass=*/false))
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
  metadata.numWarps = moduleInt("tile.num_warps", options.numWarps.value_or(4));
  metadata.numStages = moduleInt(kStagesAttr, options.numStages.value_or(3));
  metadata.threadsPerCta = metadata.numWarps * 32;
  for (const ConstantSpec &constant : options.constants)
    metadata.constants.push_back({constant.name, constant.value});
  keepModule(Stage::Tile);
  return true;
}

PipelineOptions Compilation::tileGPUOptions() const {
  PipelineOptions pipeline;
  pipeline.numWarps = result->metadata.numWarps;
  pipeline.target = processorOf(options.target).str();
  pipeline.planOccupancy = planOccupancy;
  pipeline.parkTensors = parkTensors;
  return pipeline;
}

/// The most stages that a loop of the module asks for.
static int mostStages(ModuleOp module) {
  int64_t most = 1;
  auto count = [&](Operation *op) {
    if (auto stages = op->getAttrOfType<IntegerAttr>(kStagesAttr))
      most = std::max(most, stages.getInt());
  };
  count(module);
  module.walk([&](scf::ForOp loop) { count(loop); });
  return int(std::min<int64_t>(most, std::numeric_limits<int>::max()));
}

static std::optional<int64_t> sharedBytesOf(ModuleOp module) {
  auto bytes = module->getAttrOfType<IntegerAttr>(tilegpu::TileGPUDialect::kSharedBytesAttr);
  return bytes ? std::optional<int64_t>(bytes.getInt()) : std::nullopt;
}

Compilation::Lowered Compilation::lowerToTileGPU(OwningOpRef<ModuleOp> tileModule) {
  Lowered lowered;
  lowered.messages.setWarningOptions(options.warnings);
  lowered.module = std::move(tileModule);
  if (parkTensors && !isSimulator(options.target) && wants(Stage::Cubin))
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

Compilation::Lowered Compilation::lowerWithStages(int stages) {
  // What there is to say of the source has been said.
  DiagnosticEngine unheard;
  OwningOpRef<ModuleOp> tileModule = makeTile(unheard);
  PassManager pm(&context, ModuleOp::getOperationName());
  buildTilePipeline(pm, hasTensorMaps());
  if (!tileModule || unheard.hasErrors() || failed(pm.run(*tileModule)))
    return {};
  auto cap = [&](Operation *op) {
    auto own = op->getAttrOfType<IntegerAttr>(kStagesAttr);
    if (own && own.getInt() > stages)
      op->setAttr(kStagesAttr, IntegerAttr::get(own.getType(), stages));
  };
  cap(*tileModule);
  tileModule->walk([&](scf::ForOp loop) { cap(loop); });
  return lowerToTileGPU(std::move(tileModule));
}

void Compilation::reduceStages(Lowered &lowered) {
  std::optional<int64_t> bytes = sharedBytesOf(*lowered.module);
  int64_t limit = sharedMemoryLimit(tilegpu::computeCapabilityOf(*lowered.module));
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

bool Compilation::toTileGPU() {
  askedStages = mostStages(*module);
  Lowered lowered = lowerToTileGPU(std::move(module));
  if (!lowered.works)
    reduceStages(lowered);
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
  bool isParked =
      module->walk([](tilegpu::ParkOp) { return WalkResult::interrupt(); }).wasInterrupted();
  isPlanned = (*module)->hasAttr(tilegpu::TileGPUDialect::kPlannedOccupancyAttr);
  minCtas = 0;
  if (!isParked && !isPlanned)
    beforeTileGPU = nullptr;
  if (auto ctas = (*module)->getAttrOfType<IntegerAttr>(tilegpu::TileGPUDialect::kMinCtasAttr))
    minCtas = ctas.getInt();
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
  llvm::Expected<CubinResult> cubin = assemblePTX(result->ptx, *ptxas, cubinOptions);
  if (!cubin) {
    std::string log = llvm::toString(cubin.takeError());
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
    }
  if (llvm::is_contained(options.keep, Stage::Cubin))
    result->stages[Stage::Cubin] = result->cubin;
  return true;
}

bool Compilation::compileAgain(llvm::function_ref<bool(const CompiledKernel &)> isBetter) {
  std::unique_ptr<CompiledKernel> before = std::move(result);
  KernelResources resourcesBefore = resources;
  unsigned minCtasBefore = minCtas;
  result = std::make_unique<CompiledKernel>();
  result->metadata = before->metadata;
  result->stages = before->stages;
  result->times = before->times;
  module = std::move(beforeTileGPU);
  bool ok = toTileGPU() && toLLVMDialect() && toLLVM() && toPTX() && toCubin();
  if (ok && isBetter(*result))
    return true;
  failure = Failure::None;
  result = std::move(before);
  resources = resourcesBefore;
  minCtas = minCtasBefore;
  return false;
}

void Compilation::reconsiderRegisters() {
  // What there is to remark has been said.
  context.setRemarkEngine(nullptr);
  auto spillsNothing = [](const CompiledKernel &kernel) { return kernel.metadata.spillBytes == 0; };
  if (isPlanned) {
    if (spillsNothing(*result))
      return;
    planOccupancy = false;
    if (!compileAgain([](const CompiledKernel &) { return true; }) || !beforeTileGPU)
      return;
  }
  parkTensors = false;
  compileAgain(spillsNothing);
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
    if (assembled && beforeTileGPU)
      reconsiderRegisters();
    if (assembled && options.remarks && resources.registers > 0)
      reportResources(resources, {result->metadata.numWarps, minCtas}, kernelRange, diagnostics);
  }
  return ok ? std::move(result) : nullptr;
}

Compiler::Compiler() : impl(std::make_unique<Impl>()) {}
Compiler::~Compiler() = default;

bool Compiler::canUseCache(const CompileOptions &options) {
  return KernelCaching::isCacheable(options);
}

Failure Compiler::lastFailure() const { return impl->failure; }

bool Compiler::interpret(const CompiledKernel &kernel, void *const *arguments,
                         const InterpreterConfig &config, const SourceManager &sources,
                         DiagnosticEngine &diagnostics, InterpreterResult &result) {
  ModuleOp module = *kernel.program;
  func::FuncOp function = module ? findKernel(module) : func::FuncOp();
  if (!function) {
    diagnostics.error(SourceRange(), "the kernel was not compiled for the interpreter");
    return false;
  }
  DiagnosticBridge bridge(*module.getContext(), sources, diagnostics);
  return succeeded(tilec::interpret(function, arguments, config, result));
}

std::unique_ptr<CompiledKernel> Compiler::compileAfresh(SourceManager &sources, FileId file,
                                                        const CompileOptions &options,
                                                        DiagnosticEngine &diagnostics,
                                                        ModuleLoader &modules,
                                                        std::unique_ptr<ast::Module> tree) {
  MLIRContext &context = impl->getContext();
  DiagnosticBridge bridge(context, sources, diagnostics);
  if (options.remarks)
    DiagnosticBridge::collectRemarks(context, sources, diagnostics);
  Compilation compilation(context, sources, file, options, diagnostics, modules, std::move(tree));
  std::unique_ptr<CompiledKernel> kernel = compilation.run();
  context.setRemarkEngine(nullptr);
  impl->failure = compilation.failure;
  return kernel;
}

std::unique_ptr<CompiledKernel> Compiler::compileThroughCache(SourceManager &sources, FileId file,
                                                              const CompileOptions &options,
                                                              DiagnosticEngine &diagnostics,
                                                              ModuleLoader &modules) {
  auto start = std::chrono::steady_clock::now();
  std::unique_ptr<ast::Module> tree = parseModule(sources, file, diagnostics);
  if (!tree || diagnostics.hasErrors()) {
    impl->failure = Failure::Input;
    return nullptr;
  }
  CompileCache &cache = *options.cache;
  std::unique_ptr<KernelCaching> caching = KernelCaching::create(sources, *tree, options, modules);
  if (!caching)
    return compileAfresh(sources, file, options, diagnostics, modules, std::move(tree));
  auto find = [&]() -> std::unique_ptr<CompiledKernel> {
    CacheLevel level = CacheLevel::None;
    std::shared_ptr<const CacheEntry> entry =
        cache.find(caching->getKey(), &level, caching->isSharable());
    if (!entry)
      return nullptr;
    std::unique_ptr<CompiledKernel> kernel = caching->read(*entry, diagnostics);
    if (!kernel)
      return nullptr;
    kernel->cacheLevel = level;
    std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    kernel->times = {{"cache", elapsed.count()}};
    return kernel;
  };
  impl->failure = Failure::None;
  if (std::unique_ptr<CompiledKernel> kernel = find())
    return kernel;
  CompileCache::Claim claim = cache.claim(caching->getKey());
  // Whoever had the claim before may have compiled it.
  if (std::unique_ptr<CompiledKernel> kernel = find())
    return kernel;
  size_t firstMessage = diagnostics.getDiagnostics().size();
  std::unique_ptr<CompiledKernel> kernel =
      compileAfresh(sources, file, options, diagnostics, modules, std::move(tree));
  if (kernel && impl->failure == Failure::None)
    if (std::optional<CacheEntry> entry = caching->write(*kernel, diagnostics, firstMessage))
      cache.store(caching->getKey(), *entry, caching->isSharable());
  return kernel;
}

void Compiler::noteOrigin(const SourceBuffer &source, const CompileOptions &options,
                          CompiledKernel &kernel) {
  if (!impl->lastText || *impl->lastText != source.getText())
    impl->lastText = std::make_shared<const std::string>(source.getText());
  auto origin = std::make_shared<KernelOrigin>();
  origin->file = source.getName().str();
  origin->text = impl->lastText;
  origin->options = options;
  origin->options.keep.clear();
  origin->options.tools = ToolSearch();
  origin->options.cache = nullptr;
  kernel.origin = std::move(origin);
}

/// The files that a source has imported.
static std::vector<ModuleText> importedTexts(const SourceManager &sources, FileId file) {
  std::vector<ModuleText> texts;
  for (unsigned id = 1; id <= sources.getNumBuffers(); ++id) {
    const SourceBuffer *buffer = sources.getBuffer(FileId(id));
    StringRef name = buffer->getName();
    // Not the language's own library, and not the texts of constants.
    if (id != file && name != "standard.tile" && !name.starts_with("<"))
      texts.push_back({name.str(), buffer->getText().str()});
  }
  return texts;
}

std::unique_ptr<CompiledKernel> Compiler::compile(SourceManager &sources, FileId file,
                                                  const CompileOptions &options,
                                                  DiagnosticEngine &diagnostics) {
  diagnostics.setWarningOptions(options.warnings);
  ModuleLoader modules(sources, options.modules);
  std::unique_ptr<CompiledKernel> kernel;
  if (!options.cache || !KernelCaching::isCacheable(options)) {
    kernel = compileAfresh(sources, file, options, diagnostics, modules, nullptr);
  } else {
    kernel = compileThroughCache(sources, file, options, diagnostics, modules);
    for (const std::string &problem : options.cache->takeProblems())
      diagnostics.remark(SourceRange(), problem, "cache");
  }
  if (kernel) {
    CompileOptions noted = options;
    noted.modules.texts = importedTexts(sources, file);
    noteOrigin(*sources.getBuffer(file), noted, *kernel);
  }
  return kernel;
}

std::optional<KernelEstimate> Compiler::estimate(SourceManager &sources, FileId file,
                                                 const CompileOptions &options,
                                                 const llvm::StringMap<int64_t> &arguments,
                                                 DiagnosticEngine &diagnostics) {
  MLIRContext &context = impl->getContext();
  DiagnosticBridge bridge(context, sources, diagnostics);
  ModuleLoader modules(sources, options.modules);
  Compilation compilation(context, sources, file, options, diagnostics, modules, nullptr);
  std::optional<KernelEstimate> estimate = compilation.estimate(arguments);
  impl->failure = compilation.failure;
  return estimate;
}

std::string kernelSourceHash(const SourceManager &sources, const ast::Module &module,
                             llvm::StringRef kernel, const ModuleSearch &search) {
  const ast::FunctionDef *function = findKernel(module, kernel);
  if (!function)
    return "";
  SourceManager importedSources;
  ModuleLoader modules(importedSources, search);
  KernelTokens tokens = collectKernelTokens(sources, module, *function, {}, modules);
  KeyHasher hasher;
  hasher.add("kernel", function->name).add("tokens", tokens.text);
  if (!tokens.imports.empty())
    hasher.add("imports", tokens.imports);
  return hasher.finish().hex();
}

tilecrt::sim::LaunchResult simulate(const CompiledKernel &kernel, void **arguments,
                                    tilecrt::sim::LaunchConfig config) {
  config.block = {kernel.metadata.threadsPerCta, 1, 1};
  config.sharedBytes = kernel.metadata.dynamicSharedBytes;
  config.sites = &kernel.host->sites();
  const tilecrt::KernelMetadata &metadata = kernel.metadata;
  std::vector<tilecrt::sim::TensorMap> maps(metadata.tensorMaps.size());
  std::vector<void *> all(arguments, arguments + metadata.arguments.size());
  for (auto [map, description] : llvm::zip(maps, metadata.tensorMaps)) {
    tilecrt::Result<tilecrt::sim::TensorMapFields> fields =
        tilecrt::tensorMapFields(metadata, description, arguments);
    std::string problem = fields ? encodeTensorMap(*fields, map) : fields.status().message();
    if (!problem.empty()) {
      tilecrt::sim::LaunchResult refused;
      refused.status = tilecrt::sim::LaunchStatus::Invalid;
      refused.error = problem;
      return refused;
    }
    all.push_back(&map);
  }
  return tilecrt::sim::launch(kernel.host->entry(), all.data(), config);
}

} // namespace tilec

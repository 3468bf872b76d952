// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's stages one by one, with a step between the LLVM dialect and the simulator's
// conversion that erases one barrier, wait or fence.

#include "BarrierRemoval.h"

#include "tilec/Driver/Compiler.h"
#include "tilec/Driver/Pipelines.h"
#include "tilec/Driver/Registration.h"
#include "tilec/Syntax/Parser.h"
#include "tilec/Target/HostJIT.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/PassManager.h"

namespace tilec::harness::test {

static bool runPipeline(mlir::ModuleOp module,
                        llvm::function_ref<void(mlir::OpPassManager &)> build) {
  mlir::PassManager pm(module.getContext(), mlir::ModuleOp::getOperationName());
  build(pm);
  return mlir::succeeded(pm.run(module));
}

/// What orders accesses of memory and of registers in flight. Waits that hand on nothing only free
/// registers, of which the simulator has as many as there are values.
static bool isOrder(mlir::Operation *op) {
  auto wait = llvm::dyn_cast<tilegpu::ThreadWgmmaWaitOp>(op);
  return wait ? wait.getNumResults() > 0
              : llvm::isa<mlir::NVVM::CpAsyncWaitGroupOp, mlir::NVVM::WgmmaFenceAlignedOp,
                          mlir::NVVM::FenceProxyOp>(op);
}

/// Counts the CTA barriers, or all that orders accesses, and erases the one of the given number.
static void removeBarrier(mlir::ModuleOp module, const SimulatedKernel &kernel,
                          BarrierOutcome &outcome) {
  llvm::SmallVector<mlir::Operation *> barriers;
  module.walk([&](mlir::Operation *op) {
    if (llvm::isa<mlir::NVVM::BarrierOp, mlir::NVVM::Barrier0Op, tilegpu::NamedBarrierOp>(op) ||
        (kernel.countsWaits && isOrder(op)))
      barriers.push_back(op);
  });
  outcome.barriers = static_cast<unsigned>(barriers.size());
  if (kernel.removedBarrier < 0 || kernel.removedBarrier >= static_cast<int>(barriers.size()))
    return;
  mlir::Operation *removed = barriers[static_cast<size_t>(kernel.removedBarrier)];
  outcome.removed = removed->getName().getStringRef().str();
  if (removed->getNumResults() > 0)
    removed->replaceAllUsesWith(removed->getOperands());
  removed->erase();
}

/// Compiles up to the simulator's form; null with an error text otherwise.
static std::unique_ptr<HostKernel> compile(const SimulatedKernel &kernel, BarrierOutcome &outcome,
                                           unsigned &threads, unsigned &sharedBytes) {
  SourceManager sources;
  DiagnosticEngine diagnostics;
  llvm::Expected<FileId> file = sources.loadFile(kernel.path);
  if (!file) {
    outcome.error = llvm::toString(file.takeError());
    return nullptr;
  }
  // The driver says how the kernel is launched.
  CompileOptions options;
  options.target = "sim";
  options.stopAfter = Stage::LLVMMLIR;
  options.kernel = kernel.kernel;
  IRGenOptions irgen;
  irgen.kernel = kernel.kernel;
  for (const auto &[name, type] : kernel.arguments)
    options.arguments.push_back({name, type});
  for (const auto &[name, value] : kernel.constants)
    options.constants.push_back({name, value});
  irgen.arguments = options.arguments;
  irgen.constants = options.constants;
  Compiler compiler;
  std::unique_ptr<CompiledKernel> compiled = compiler.compile(sources, *file, options, diagnostics);
  if (!compiled) {
    outcome.error = renderDiagnostics(sources, diagnostics);
    return nullptr;
  }
  threads = compiled->metadata.threadsPerCta;
  sharedBytes = compiled->metadata.dynamicSharedBytes;

  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::unique_ptr<ast::Module> tree = parseModule(sources, *file, diagnostics);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      generateTile(context, *tree, sources, irgen, diagnostics);
  PipelineOptions pipeline;
  // The launch below has no tensor maps.
  auto setTarget = [&](llvm::StringRef target) {
    (*module)->setAttr(tile::TileDialect::kTargetAttr, mlir::StringAttr::get(&context, target));
    return true;
  };
  auto buildTile = [](mlir::OpPassManager &pm) { buildTilePipeline(pm); };
  bool ok = module && setTarget("sm_90") && runPipeline(*module, buildTile) &&
            setTarget("sm_90a") && runPipeline(*module, [&](mlir::OpPassManager &pm) {
              buildTileGPUPipeline(pm, pipeline);
              buildLLVMPipeline(pm);
            });
  if (ok) {
    removeBarrier(*module, kernel, outcome);
    ok = runPipeline(*module, [](mlir::OpPassManager &pm) { buildSimPipeline(pm, false); });
  }
  if (!ok) {
    outcome.error = "a pipeline failed";
    return nullptr;
  }
  llvm::Expected<std::unique_ptr<HostKernel>> host = compileForHost(*module, HostOptions());
  if (!host) {
    outcome.error = llvm::toString(host.takeError());
    return nullptr;
  }
  return std::move(*host);
}

BarrierOutcome runWithoutBarrier(const SimulatedKernel &kernel) {
  BarrierOutcome outcome;
  unsigned threads = 0, sharedBytes = 0;
  std::unique_ptr<HostKernel> host = compile(kernel, outcome, threads, sharedBytes);
  if (!host)
    return outcome;
  tilecrt::sim::LaunchConfig config;
  config.block = {threads, 1, 1};
  config.sharedBytes = sharedBytes;
  config.buffers = kernel.buffers;
  config.sites = &host->sites();
  std::vector<void *> values, arguments;
  for (const tilecrt::sim::Buffer &buffer : kernel.buffers)
    values.push_back(buffer.base);
  for (void *&value : values)
    arguments.push_back(&value);
  outcome.launch = tilecrt::sim::launch(host->entry(), arguments.data(), config);
  for (const tilecrt::sim::Finding &finding : outcome.launch.findings)
    outcome.findings.push_back(tilecrt::sim::describeFinding(finding, config));
  return outcome;
}

} // namespace tilec::harness::test

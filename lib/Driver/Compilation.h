// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the driver: one compilation, stage after stage. Each step is a member function that
// says whether to go on; the first failure decides the kind of the failure.

#ifndef TILEC_LIB_DRIVER_COMPILATION_H
#define TILEC_LIB_DRIVER_COMPILATION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tilec/Driver/Compiler.h"
#include "tilec/Driver/Pipelines.h"
#include "tilec/Target/Cubin.h"
#include "tilec/Target/PTX.h"

#include <chrono>

namespace tilec {

/// The state of one compilation.
class Compilation {
public:
  Compilation(mlir::MLIRContext &mlirContext, SourceManager &sourceManager, FileId sourceFile,
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
  bool checkClusters();
  bool generate();
  /// Source to the tile dialect.
  mlir::OwningOpRef<mlir::ModuleOp> makeTile();
  /// Warns of what the index arithmetic of the module shows.
  void warnOfTraps();
  bool toTileGPU();
  PipelineOptions tileGPUOptions() const;
  /// What the passes on tilegpu make of a module.
  struct Lowered {
    mlir::OwningOpRef<mlir::ModuleOp> module;
    /// The module as it was before them: it may be lowered once more, with other choices.
    mlir::OwningOpRef<mlir::ModuleOp> before;
    DiagnosticEngine messages{};
    bool works = false;
  };
  Lowered lowerToTileGPU(mlir::OwningOpRef<mlir::ModuleOp> tileModule);
  /// Where the kernel needs too much shared memory, gives up buffers: takes what it becomes with
  /// the largest number of stages that fits, or with tiles stored in parts where that leaves few.
  void fitSharedMemory(Lowered &lowered);
  /// Of a kernel that needs so many bytes; returns the number of stages, 0 where none fits.
  int reduceStages(Lowered &lowered, int64_t needed);
  /// Has tiles stored in parts, where the kernel does not fit or has no memory for a tile's store
  /// of its own; false where that is not so, or does not help.
  bool storeInParts(Lowered &lowered);
  /// What the kernel becomes when no loop has more stages.
  Lowered lowerWithStages(mlir::ModuleOp tileModule, int stages);
  bool toLLVMDialect();
  bool toHost();
  bool toLLVM();
  bool toPTX();
  bool toCubin();
  /// Where what the assembler refuses is the kernel's own inline assembly, that is an error of the
  /// kernel, at its place; false when it is not.
  bool blameInlineAssembly(llvm::StringRef log);
  /// The search for what is done about registers, which rests on an estimate, with the assembler as
  /// the judge: without load warps, and with fewer steps of tilegpu-plan-registers.
  void searchRegisters();
  /// Where the assembler serializes dots for want of registers beside load warps: takes what the
  /// kernel becomes without them, if its dots are in flight together.
  void leaveLoadWarps();
  /// Runs `compile` on a result without code, and takes that when `isBetter` says so.
  bool tryAgain(llvm::function_ref<bool()> compile,
                llvm::function_ref<bool(const CompiledKernel &)> isBetter);
  /// From the module as it was before layouts to a cubin, with the present steps. Takes the
  /// result when `isBetter` says so.
  bool compileAgain(llvm::function_ref<bool(const CompiledKernel &)> isBetter);

  /// Where the assembler spills without LLVM's strength reduction, which was left out for its time:
  /// takes the code with it, if that spills less.
  void reduceStrength();

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
  bool runPipeline(llvm::function_ref<void(mlir::OpPassManager &)> build,
                   bool verifyEachPass = true);
  /// Runs one step and records its time.
  template <typename Step> bool timed(llvm::StringRef name, Step step) {
    auto start = std::chrono::steady_clock::now();
    bool ok = step();
    std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    result->times.push_back({name.str(), elapsed.count()});
    return ok;
  }
  PTXOptions ptxOptions() const;

  mlir::MLIRContext &context;
  SourceManager &sources;
  FileId file;
  const CompileOptions &options;
  DiagnosticEngine &diagnostics;
  ModuleLoader &modules;
  std::unique_ptr<CompiledKernel> result;
  std::unique_ptr<ast::Module> tree;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// See Lowered::before.
  mlir::OwningOpRef<mlir::ModuleOp> beforeTileGPU;
  /// The present candidate of the search.
  llvm::SmallVector<std::string> registerSteps = PipelineOptions().registerSteps;
  /// Who starts tensor copies, as PipelineOptions have it.
  std::string loadWarps = PipelineOptions().loadWarps;
  /// Whether the module spills tensors to shared memory, and leaves room for two CTAs, by plan.
  bool spillsToShared = false, holdsTwoCtas = false;
  /// Whether the module has load warps that it may be compiled without.
  bool mayLeaveLoadWarps = false;
  /// Whether strength reduction runs whatever its time, and whether it was left out.
  bool reducesStrength = false, leftOutReduction = false;
  KernelResources resources;
  /// What the stores of a tile may take of shared memory; zero: as much as they need.
  int64_t storeBytes = 0;
  /// The most stages that a loop asks for, before loops are pipelined.
  int askedStages = 1;
  std::optional<DeviceModule> deviceModule;
  /// The kernel in its source, and the CTAs that its registers must leave room for; for remarks.
  SourceRange kernelRange;
  unsigned minCtas = 0;
};

} // namespace tilec

#endif // TILEC_LIB_DRIVER_COMPILATION_H

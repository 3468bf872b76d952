// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler as a library: source text in, a kernel for a GPU or for the simulator out, with
// every stage on request.

#ifndef TILEC_DRIVER_COMPILER_H
#define TILEC_DRIVER_COMPILER_H

#include "tilec/Analysis/KernelEstimate.h"
#include "tilec/Cache/CompileCache.h"
#include "tilec/Driver/CompileOptions.h"
#include "tilec/Interpreter/Interpreter.h"
#include "tilec/Support/Diagnostic.h"
#include "tilec/Support/SourceBuffer.h"
#include "tilecrt/KernelMetadata.h"
#include "tilecrt/sim/Simulator.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilec {

/// Wall-clock time of one part of a compilation.
struct StageTime {
  std::string name;
  double milliseconds = 0;
};

/// What a kernel was compiled from: enough to compile it again.
struct KernelOrigin {
  /// As the source manager calls it.
  std::string file;
  std::shared_ptr<const std::string> text;
  /// Without tools, cache and kept stages.
  CompileOptions options;
};

/// A kernel compiled for the host, and the code memory it lives in.
class HostKernel;

struct CompiledKernel {
  CompiledKernel();
  CompiledKernel(CompiledKernel &&) noexcept;
  CompiledKernel &operator=(CompiledKernel &&) noexcept;
  ~CompiledKernel();

  tilecrt::KernelMetadata metadata;
  /// Texts of the stages that were asked for (a cubin is bytes).
  std::map<Stage, std::string> stages;
  std::string ptx;
  std::string cubin;
  /// Set for target "sim".
  std::unique_ptr<HostKernel> host;
  /// Set for target "interp"; lives no longer than the compiler that made it.
  mlir::OwningOpRef<mlir::ModuleOp> program;
  /// Null for one that was read and not compiled.
  std::shared_ptr<const KernelOrigin> origin;
  /// Where it came from, if it was not compiled now.
  CacheLevel cacheLevel = CacheLevel::None;
  std::vector<StageTime> times;
};

/// Why a compilation failed.
enum class Failure {
  None,
  /// The input is wrong; located diagnostics say where.
  Input,
  /// Something on this machine is missing (ptxas, a math library).
  Unavailable,
  /// A bug of ours.
  Internal
};

/// Compiles kernels. One object holds the MLIR context and may be used for many compilations, one
/// at a time.
class Compiler {
public:
  Compiler();
  ~Compiler();

  /// Compiles one kernel of a file. Diagnostics (errors, warnings, remarks) go to `diagnostics`;
  /// null after an error, whose kind lastFailure() tells. Only a missing ptxas still gives the
  /// kernel, without its cubin, and Failure::Unavailable.
  std::unique_ptr<CompiledKernel> compile(SourceManager &sources, FileId file,
                                          const CompileOptions &options,
                                          DiagnosticEngine &diagnostics);
  Failure lastFailure() const;

  /// The same for launches whose grid and arguments are known: without clusters where the grid has
  /// a part of one, and without tensor copies where `haveMaps` says that the arguments do not have
  /// the tensor maps that were inferred.
  std::unique_ptr<CompiledKernel>
  compileFitting(SourceManager &sources, FileId file, CompileOptions options,
                 const std::array<uint32_t, 3> &grid,
                 llvm::function_ref<bool(const tilecrt::KernelMetadata &)> haveMaps,
                 DiagnosticEngine &diagnostics);

  /// Runs a kernel that this compiler made for "interp" on the interpreter of the tile dialect;
  /// see tilec::interpret. False after errors, which go to `diagnostics`.
  bool interpret(const CompiledKernel &kernel, void *const *arguments,
                 const InterpreterConfig &config, const SourceManager &sources,
                 DiagnosticEngine &diagnostics, InterpreterResult &result);

  /// What can be said about a kernel from its tiles alone, in a few milliseconds; `arguments` has
  /// known values of integer arguments. Nothing after an error.
  std::optional<KernelEstimate> estimate(SourceManager &sources, FileId file,
                                         const CompileOptions &options,
                                         const llvm::StringMap<int64_t> &arguments,
                                         DiagnosticEngine &diagnostics);

  /// Whether results with these options are kept in a cache.
  static bool canUseCache(const CompileOptions &options);

private:
  std::unique_ptr<CompiledKernel> compileAfresh(SourceManager &sources, FileId file,
                                                const CompileOptions &options,
                                                DiagnosticEngine &diagnostics,
                                                ModuleLoader &modules,
                                                std::unique_ptr<ast::Module> tree);
  std::unique_ptr<CompiledKernel> compileThroughCache(SourceManager &sources, FileId file,
                                                      const CompileOptions &options,
                                                      DiagnosticEngine &diagnostics,
                                                      ModuleLoader &modules);
  void noteOrigin(const SourceBuffer &source, const CompileOptions &options,
                  CompiledKernel &kernel);

  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// Digits of a hash of the kernel's source and of what it can reach in its file and in the files
/// it imports, wherever they stand; empty when there is no kernel of that name.
std::string kernelSourceHash(const SourceManager &sources, const ast::Module &module,
                             llvm::StringRef kernel, const ModuleSearch &modules = {});

/// Runs a kernel that was compiled for "sim". `arguments` point to the runtime arguments' values in
/// order (a pointer argument's value is the host address). `config` gives grid, buffers and
/// checking; block, shared memory and sites are filled in from the kernel.
tilecrt::sim::LaunchResult simulate(const CompiledKernel &kernel, void **arguments,
                                    tilecrt::sim::LaunchConfig config);

} // namespace tilec

#endif // TILEC_DRIVER_COMPILER_H

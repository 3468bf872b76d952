// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a syntax tree to the tile dialect: what a caller says about a kernel, and the two entry
// points. A kernel is specialised while it is emitted: compile-time values are folded, dead
// branches are not even typed, calls are inlined.

#ifndef TILEC_IRGEN_IRGEN_H
#define TILEC_IRGEN_IRGEN_H

#include "tilec/Support/Diagnostic.h"
#include "tilec/Support/Processor.h"
#include "tilec/Syntax/AST.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilec {

/// One argument as the caller describes it.
struct ArgumentSpec {
  std::string name;
  /// Signature notation: "*fp32", "*fp32:16" (aligned), "*kfp16" (const), "i32", "i32:16", "u1",
  /// "tensordesc<fp16[128, 64]>", "tensordesc<fp16[128, 64]>:16" (sizes are multiples of 16),
  /// "constexpr" (the value is among the constants).
  std::string type;
};

/// A value for a constexpr parameter, or one that makes a plain parameter compile-time.
struct ConstantSpec {
  std::string name;
  /// Python literal text: an int, float, bool, None, string, tuple, dtype name ("fp16",
  /// "tl.float16"), or the name of a function in the file.
  std::string value;
};

class ModuleLoader;

/// Is told what the expressions of a kernel evaluate to, for editors. One expression may have
/// several values: in calls with other arguments, in unrolled loops.
class EvaluationObserver {
public:
  virtual ~EvaluationObserver() = default;
  /// `description` is a type ("fp32[64, 64]") or a compile-time value ("int 5").
  virtual void evaluated(SourceRange range, const std::string &description) = 0;
};

/// What it took to emit a kernel.
struct IRGenStatistics {
  /// Statements, expressions and iterations that were evaluated.
  uint64_t steps = 0;
  /// Operations made, those thrown away included.
  uint64_t ops = 0;
};

/// How a kernel is specialised.
struct SpecializationOptions {
  std::vector<ArgumentSpec> arguments;
  std::vector<ConstantSpec> constants;
  /// Warps of a program and pipeline stages. Not given: those of the autotune configuration in
  /// use, otherwise 4 and 3.
  std::optional<int> numWarps;
  std::optional<int> numStages;
  /// Values of integer arguments that the functions of `@triton.heuristics` may ask for. The kernel
  /// is one for launches with these values only.
  std::vector<std::pair<std::string, int64_t>> heuristicArguments;
  /// Keeps tl.device_assert and assert statements.
  bool debug = false;
  /// With `debug`, also checks that sums, differences and products of integers of less than 64 bits
  /// do not overflow.
  bool overflowChecks = true;
  /// Evaluation steps, which only runaway compile-time code needs, and operations of the kernel,
  /// which only unrolling without measure makes.
  uint64_t stepLimit = 10'000'000;
  uint64_t opLimit = 500'000;
  /// Elements of a range that a loop is unrolled over.
  uint64_t unrollLimit = 65'536;
};

struct IRGenOptions : SpecializationOptions {
  SpecializationOptions &specialization() { return *this; }

  /// Finds what the file imports; null: only modules of its own package are found.
  ModuleLoader *modules = nullptr;
  /// Kernel to compile. Empty: the only jit function that no other one mentions and that returns no
  /// value.
  std::string kernel;
  /// What code is made for.
  const Processor *processor = &defaultProcessor();
  /// Set to the number of evaluation steps in the kernel before the first error, for tools that
  /// compare signatures; may be null.
  uint64_t *stepsToError = nullptr;
  /// Reports warnings about the kernel and the functions it calls.
  bool warn = false;
  EvaluationObserver *observer = nullptr;
  /// Filled in when there is one.
  IRGenStatistics *statistics = nullptr;
};

/// One `triton.Config` of `@triton.autotune`.
struct AutotuneConfig {
  /// Name and value (Python literal text).
  std::vector<std::pair<std::string, std::string>> constants;
  std::optional<int> numWarps;
  std::optional<int> numStages;
  /// Programs of a cluster, CTAs that run one program together, and registers of a thread.
  std::optional<int> numCtas;
  std::optional<int> splitK;
  std::optional<int> maxRegisters;
};

/// A parameter as the source declares it.
struct KernelParam {
  enum class Kind { Plain, Constexpr, Typed };
  std::string name;
  Kind kind = Kind::Plain;
  /// Signature notation, for Typed.
  std::string type;
  bool hasDefault = false;
};

/// What can be known about a jit function without compiling it.
struct KernelInfo {
  std::string name;
  SourceRange range;
  std::vector<KernelParam> params;
  std::vector<AutotuneConfig> configs;
  std::vector<std::string> autotuneKey;
  /// Arguments that `reset_to_zero` and `restore_value` of `@triton.autotune` name.
  std::vector<std::string> resetToZero, restoreValue;
  /// `prune_configs_by`: where it stands, and what it has.
  SourceRange hostPruning;
  bool hasEarlyPruning = false, hasPerfModel = false;
  /// How many or what part of the configurations `top_k` leaves; 0 where it does not say so.
  int64_t topCount = 0;
  double topPart = 0;
  /// Configurations there are that cannot be evaluated at compile time; where they stand.
  SourceRange unknownConfigs;
  /// Parameters that `@triton.heuristics` computes.
  std::vector<std::string> heuristics;
  /// No other jit function of the file mentions it, and it returns no value.
  bool isEntry = false;
};

/// All jit functions of a file, in source order. Autotune configurations that cannot be evaluated
/// at compile time (made by host code) are left out and reported as warnings. `modules` as in
/// IRGenOptions. With `hidden` those as well that others of the same name hide, which are called
/// "Class.method".
std::vector<KernelInfo> listKernels(const ast::Module &module, SourceManager &sources,
                                    DiagnosticEngine &diagnostics, ModuleLoader *modules = nullptr,
                                    bool hidden = false);

/// The configurations that `early_config_prune` of `prune_configs_by` leaves for a launch with
/// these integer arguments: the function runs at compile time. An error says why it cannot.
llvm::Expected<std::vector<AutotuneConfig>>
pruneConfigs(const ast::Module &module, SourceManager &sources, llvm::StringRef kernel,
             llvm::ArrayRef<std::pair<std::string, int64_t>> integers,
             ModuleLoader *modules = nullptr);

/// The kernel that a compilation with this IRGenOptions::kernel takes; null when it would be an
/// error.
const ast::FunctionDef *findKernel(const ast::Module &module, llvm::StringRef name);

/// Emits the specialised kernel as a module with one `func.func` that has the attribute
/// `tile.kernel`; its arguments are the runtime parameters in order, with `tile.name`, `tile.type`
/// and `tile.divisibility`; a tensor descriptor `x` is the pointer `x`, the sizes `x.shape0`, ...
/// and the strides `x.stride0`, ... but the last, which is 1. The module has `tile.num_warps` and
/// `tile.num_stages` (i32). Returns null after errors. `sources` gets buffers for the texts of the
/// constants.
mlir::OwningOpRef<mlir::ModuleOp> generateTile(mlir::MLIRContext &context,
                                               const ast::Module &module, SourceManager &sources,
                                               const IRGenOptions &options,
                                               DiagnosticEngine &diagnostics);

/// What is wrong with the table of the language (Sema/Language.h): rows without a handler or a
/// function of the embedded library, or with two, and what has no row. Empty, as a test says.
std::vector<std::string> checkLanguage();

} // namespace tilec

#endif // TILEC_IRGEN_IRGEN_H

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of a compilation, described once: each has a name and a use, and the cache's key,
// saved launches, bundles, other processes and JSON follow from that by visitOptions(). A new
// option does not compile before it is described.

#ifndef TILEC_DRIVER_COMPILEOPTIONS_H
#define TILEC_DRIVER_COMPILEOPTIONS_H

#include "tilec/IRGen/IRGen.h"
#include "tilec/Sema/ModuleLoader.h"
#include "tilec/Support/WarningOptions.h"

#include "llvm/Support/JSON.h"

#include <type_traits>

namespace tilec {

class CompileCache;

/// The stages of a compilation, in order. `--emit` names: ast, tile, tilegpu, llvm-mlir, llvm, ptx,
/// cubin.
enum class Stage { AST, Tile, TileGPU, LLVMMLIR, LLVM, PTX, Cubin };

/// "ast", "tile", ...
llvm::StringRef stageName(Stage stage);
/// File extension of a stage's text: "ast", "tile.mlir", "tilegpu.mlir", "llvm.mlir", "ll", "ptx",
/// "cubin".
llvm::StringRef stageExtension(Stage stage);
std::optional<Stage> parseStage(llvm::StringRef name);
/// All stages in order.
llvm::ArrayRef<Stage> allStages();

/// Where external tools and bitcode are looked for first; empty means the usual places. The library
/// does not read the environment: a tool fills this from its options and environment variables.
struct ToolSearch {
  std::string ptxas;
  std::string cudaHome;
  std::string path;
  std::string libclc;
  std::string libdevice;
  /// The running program, for files that lie beside it in a portable installation.
  std::string executable;
};

/// Most CTAs that run one program together.
constexpr int mostSplitK = 8;

/// Most programs of a cluster that a kernel is compiled for.
constexpr int mostNumCtas = 8;

/// What becomes of the tile dialect.
struct LoweringOptions {
  /// Most registers of a thread; not given: the assembler's choice.
  std::optional<int> maxRegisters;
  /// "sm_80" .. "sm_120", "sm_90a", "sm_100a", "sim", or "sim:" and one of those: the simulator
  /// runs its code; "interp": the tile dialect as the front end makes it, for interpret().
  std::string target = defaultProcessor().name.str();
  /// Source lines in the PTX.
  bool lineInfo = true;
  /// Contracts multiply and add into fma.
  bool fpFusion = true;
  /// exp, exp2 and sigmoid of fp32 give 0 in place of subnormal numbers, which is faster.
  bool flushSubnormals = true;
  /// Counts instructions by class on the simulator.
  bool countInstructions = false;
  /// Loads through pointers become copies by the tensor memory access unit where that pays. The
  /// kernel takes tensor maps then, which whoever launches it has to make.
  bool tensorCopies = true;
  /// CTAs run one program after the other, as many as fit at once; not given: `persistentByCost`.
  std::optional<bool> persistent{};
  /// They do where that pays, in launches of more programs than run at once.
  bool persistentByCost = false;
  /// Where programs take different times, CTAs that run several take the next one from a counter,
  /// which whoever launches the kernel has to keep.
  bool programCounter = true;
  /// Programs of a cluster, neighbours along x, which copy blocks that several of them load for
  /// each other, where the kernel allows it; the grid's first size is a multiple. 1, 2, 4 or 8; not
  /// given: 1.
  std::optional<int> numCtas{};
  /// CTAs of a cluster that run one program together, where the kernel allows it: each has a part
  /// of the iterations of its loop of dots, and stores a part of the rows of the sums
  /// (tile-split-k). A power of two up to 8; not given: 1.
  std::optional<int> splitK{};
  /// Marks that each warp of some CTAs writes of what it does and waits for, at most; 0: none. The
  /// kernel takes a buffer for them then (tilecrt/TimelineBuffer.h).
  uint64_t timelineMarks = 0;
  uint64_t timelineFirstCta = 0, timelineLastCta = 3;
};

/// Whether so many programs can be a cluster: 1, 2, 4 or 8, which all GPUs that have clusters run.
bool canBeCluster(int numCtas);

/// What is wrong with programs of a cluster and CTAs of a program, in words; nothing when a cluster
/// can have them. One that is not given is 1.
std::optional<std::string> clusterProblem(std::optional<int> numCtas, std::optional<int> splitK);

/// The options that decide which code a kernel becomes.
struct CodeOptions : SpecializationOptions, LoweringOptions {};

/// Which kernel is compiled, what is wanted of it, and what it is compiled with.
struct RequestOptions {
  /// Where imported modules are looked for.
  ModuleSearch modules;
  /// Kernel name; empty: the file's only entry kernel.
  std::string kernel;
  /// The last stage wanted. For "sim" the kernel is compiled for the host after LLVMMLIR.
  Stage stopAfter = Stage::PTX;
  /// Stages whose text is kept in the result.
  std::vector<Stage> keep;
  /// Which warnings are given, and which are errors.
  WarningOptions warnings;
  /// Collects optimisation remarks as diagnostics of severity remark.
  bool remarks = false;
  ToolSearch tools;
  /// Kernels that were compiled before are taken from here, and new ones kept; null: neither. Used
  /// for PTX and cubins when no other stage is kept. What goes wrong with it is reported as
  /// remarks of the category "cache".
  CompileCache *cache = nullptr;
};

struct CompileOptions : CodeOptions, RequestOptions {
  CodeOptions &code() { return *this; }
  const CodeOptions &code() const { return *this; }
};

/// What an option is for, which decides where it goes.
enum class OptionUse {
  /// Decides which code a kernel becomes: in the cache's key, saved launches, bundles.
  Code,
  /// What the result has, and what is said about it: in the cache's key.
  Result,
  /// Names the source: the cache's key has the text that it leads to.
  Source,
  /// Names files of this machine: the cache's key has their contents.
  Machine,
  /// Means something to one call only, and goes nowhere.
  Call
};

/// Calls `visit(name, option)` for each option of the use Code, with the name that it has in files.
template <typename Options, typename Visitor>
void visitCodeOptions(Options &options, Visitor &&visit) {
  constexpr bool isConst = std::is_const_v<Options>;
  std::conditional_t<isConst, const SpecializationOptions, SpecializationOptions> &front = options;
  auto &[arguments, constants, numWarps, numStages, heuristicArguments, debug, overflowChecks,
         stepLimit, opLimit, unrollLimit] = front;
  visit("arguments", arguments);
  visit("constants", constants);
  visit("numWarps", numWarps);
  visit("numStages", numStages);
  visit("heuristicArguments", heuristicArguments);
  visit("debug", debug);
  visit("overflowChecks", overflowChecks);
  visit("stepLimit", stepLimit);
  visit("opLimit", opLimit);
  visit("unrollLimit", unrollLimit);
  std::conditional_t<isConst, const LoweringOptions, LoweringOptions> &back = options;
  auto &[maxRegisters, target, lineInfo, fpFusion, flushSubnormals, countInstructions, tensorCopies,
         persistent, persistentByCost, programCounter, numCtas, splitK, timelineMarks,
         timelineFirstCta, timelineLastCta] = back;
  visit("maxRegisters", maxRegisters);
  visit("target", target);
  visit("lineInfo", lineInfo);
  visit("fpFusion", fpFusion);
  visit("flushSubnormals", flushSubnormals);
  visit("countInstructions", countInstructions);
  visit("tensorCopies", tensorCopies);
  visit("persistent", persistent);
  visit("persistentByCost", persistentByCost);
  visit("programCounter", programCounter);
  visit("numCtas", numCtas);
  visit("splitK", splitK);
  visit("timelineMarks", timelineMarks);
  visit("timelineFirstCta", timelineFirstCta);
  visit("timelineLastCta", timelineLastCta);
}

/// The same for the options of `uses`, of which none but those have to be acceptable to `visit`.
template <OptionUse... uses, typename Options, typename Visitor>
void visitOptions(Options &options, Visitor &&visit) {
  constexpr auto has = [](OptionUse use) { return ((use == uses) || ...); };
  if constexpr (has(OptionUse::Code))
    visitCodeOptions(options, visit);
  std::conditional_t<std::is_const_v<Options>, const RequestOptions, RequestOptions> &request =
      options;
  auto &[modules, kernel, stopAfter, keep, warnings, remarks, tools, cache] = request;
  if constexpr (has(OptionUse::Source)) {
    visit("modules", modules);
    visit("kernel", kernel);
  }
  if constexpr (has(OptionUse::Result)) {
    visit("stopAfter", stopAfter);
    visit("warnings", warnings);
    visit("remarks", remarks);
  }
  if constexpr (has(OptionUse::Machine))
    visit("tools", tools);
  if constexpr (has(OptionUse::Call)) {
    visit("keep", keep);
    visit("cache", cache);
  }
}

/// As JSON: lists of pairs, numbers, flags and texts by name; numbers that are not given are left
/// out.
llvm::json::Object toJSON(const CodeOptions &options);
/// All but what goes nowhere, for another process.
llvm::json::Object toJSON(const CompileOptions &options);
/// And back. An option that is left out keeps its value; `path` says what is wrong with one that is
/// there.
bool fromJSON(const llvm::json::Value &value, CodeOptions &options, llvm::json::Path path);
bool fromJSON(const llvm::json::Value &value, CompileOptions &options, llvm::json::Path path);

} // namespace tilec

#endif // TILEC_DRIVER_COMPILEOPTIONS_H

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line as values: one struct per command, filled by its *CommandLine.cpp and read by
// the commands. Everything that can be checked without looking at a file is checked already.

#ifndef TILEC_TOOLS_TILEC_OPTIONS_H
#define TILEC_TOOLS_TILEC_OPTIONS_H

#include "tilec/Driver/Compiler.h"
#include "tilec/Driver/FileCheck.h"
#include "tilec/Explain/GpuLimits.h"
#include "tilec/Tuning/TuningConfig.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tilec::tool {

enum class TextFormat { Text, Json };

/// NAME=VALUE, split at the first '='; the name is not empty.
using NamedValue = std::pair<std::string, std::string>;

/// How the cache of compiled kernels is chosen on the command line.
struct CacheOptions {
  bool off = false;
  /// Empty: the environment decides.
  std::string folder;
};

/// What compile and run share.
struct KernelOptions {
  std::string file;
  /// What the command line says of the compilation, but for types of arguments and tools.
  CompileOptions options;
  /// Types of arguments, or their data.
  std::vector<NamedValue> arguments;
  /// Empty: the environment and the usual places decide.
  std::string ptxas;
  CacheOptions cache;
  TextFormat diagnosticsFormat = TextFormat::Text;
};

struct CompileCommand {
  KernelOptions kernel;
  std::string target = "sm_90a";
  /// The stage to write; nothing means all of them.
  std::optional<Stage> emit = Stage::PTX;
  /// A file, "-" for standard output, or a folder when all stages are written. Empty: not given.
  std::string output;
  bool remarks = false;
  /// Categories that are printed, as for isRemarkSelected; empty: all but what was done.
  std::vector<std::string> remarkFilter;
  TextFormat remarksFormat = TextFormat::Text;
  /// Remarks that count as errors: "perf" for all, otherwise a category of remarks.
  std::vector<std::string> remarksAsErrors;
  bool time = false;
  bool lineInfo = true;
};

enum class DeviceKind { Auto, Cuda, Simulator, Interpreter };

/// A check of one array after the run.
struct Expectation {
  std::string name;
  std::string path;
};

struct RunCommand {
  KernelOptions kernel;
  std::string grid;
  /// Arrays that are no arguments, for tables of addresses.
  std::vector<NamedValue> buffers;
  DeviceKind device = DeviceKind::Auto;
  int deviceNumber = 0;
  /// 'cuda:N' rather than 'cuda'.
  bool isDeviceNamed = false;
  /// Not given: on for the simulator.
  std::optional<bool> check;
  bool counters = false;
  /// Timed launches; not given: 100 on a GPU, 1 on the simulator.
  std::optional<unsigned> repeat;
  uint64_t seed = 0;
  std::vector<NamedValue> save;
  std::vector<Expectation> expect;
  std::optional<double> rtol;
  std::optional<double> atol;
  std::vector<std::string> print;
  /// Deduces no alignment and divisibility from the data.
  bool noSpecialize = false;
  /// A tuning database to take the configuration from; empty: none.
  std::string tuned;
  /// Bytes that a launch moves, an expression like the grid's. Empty: those of the arguments.
  std::string bytes;
  /// Floating-point operations of a launch, likewise. Empty: not known.
  std::string flops;
  bool json = false;
  /// A saved launch to be run again on the simulator, instead of the data; empty: none.
  /// `kernel.file` then replaces the saved source, unless it is empty.
  std::string replay;
  /// Where a launch that fails is saved; empty: where the environment says.
  std::string saveLaunches;
  /// Files for the timeline: trace events, or a picture where the name ends in .svg.
  std::vector<std::string> timelines;
};

/// Sizes of a sweep with their values at one point of it.
using SweptSizes = std::vector<std::pair<std::string, int64_t>>;

/// A page of measurements.
struct PageOptions {
  /// The file to write; empty: none.
  std::string file;
  /// Files with measurements that it shows, besides what is measured.
  std::vector<std::string> from;
};

struct BenchCommand {
  /// The kernel's data, grid and device. The lists below give its kernel, constants, num_warps,
  /// num_stages, num_ctas and split_k; each combination is measured.
  RunCommand run;
  /// Empty: the file's only entry kernel.
  std::vector<std::string> kernels;
  /// Sizes that data and grid have in braces.
  std::vector<std::pair<std::string, std::vector<int64_t>>> sweeps;
  std::vector<std::pair<std::string, std::vector<std::string>>> constants;
  /// Empty: the compiler's choice.
  std::vector<int> numWarps;
  std::vector<int> numStages;
  std::vector<int> numCtas;
  std::vector<int> splitK;
  unsigned warmup = 10;
  unsigned repeats = 100;
  bool flushL2 = true;
  /// The GPU that the time of each combination is predicted for; null: none.
  const explain::GpuLimits *predictedGpu = nullptr;
  /// Without a source file nothing is measured.
  PageOptions page;
};

struct TuneCommand {
  /// The kernel's data, grid and device. Its constants and launch options are in the lists below.
  RunCommand run;
  std::vector<std::pair<std::string, std::vector<std::string>>> constants;
  std::vector<int> numWarps;
  std::vector<int> numStages;
  std::vector<int> numCtas;
  std::vector<int> splitK;
  /// Files of the search space and of the database; empty: not given.
  std::string space, database;
  /// The space is what the model of products gives for the kernel's M, N and K.
  bool isProduct = false;
  /// Budgets; 0: none.
  unsigned mostConfigs = 0;
  double mostSeconds = 0;
  /// Time that a configuration may take in all, and what its repeats are to take.
  double timeoutSeconds = 10;
  double milliseconds = 20;
  unsigned repeats = 100;
  bool flushL2 = true;
  bool prune = true;
  /// Configurations to keep of those whose time is predicted, or their part; zeros: all.
  unsigned mostPredicted = 0;
  double predictedPart = 0;
  /// Threads that compile; 0: one for each core.
  unsigned jobs = 0;
  /// GPUs that measure; empty: that of `run`, and unless it is named all of its kind.
  std::vector<int> devices;
  /// Without a source file nothing is tuned.
  PageOptions page;
};

/// The hidden 'tilec tune-worker': measures for 'tilec tune' and programs that use the library.
struct TuneWorkerCommand {
  /// The socket to the program.
  int socket = -1;
};

/// 'tilec build': a bundle of kernels from a specification.
struct BuildCommand {
  std::string spec;
  /// The folder for the files.
  std::string output;
  /// NAME.h and NAME.c; NAME.tilec.
  bool writesC = true, writesFile = false;
  /// NAME.tilec has the sources.
  bool keepsSources = false;
  /// Where ptxas and the cache are.
  KernelOptions kernel;
};

/// What is different in the report that another one is compared with.
struct ExplainChange {
  /// Empty, or null: the same.
  std::string file, kernel, grid;
  const explain::GpuLimits *gpu = nullptr;
  TuningConfig config;
  /// The folder of what Triton has compiled; then there is nothing else.
  std::string triton;
};

/// Whether a file of 'tilec explain' is a bundle, by its name.
inline bool isBundle(llvm::StringRef file) { return file.ends_with(".tilec"); }

/// 'tilec explain': what a kernel loses time with.
struct ExplainCommand {
  /// The kernel, its data and grid, or a saved launch; `kernel.file` may be a bundle.
  RunCommand run;
  /// What times are predicted for; null: the GPU of a saved launch, else the usual one.
  const explain::GpuLimits *gpu = nullptr;
  bool json = false;
  /// As a page for a browser.
  bool html = false;
  /// The library for samples of a GPU; empty: where the environment says, or it usually is.
  std::string cupti;
  /// Simulates all programs rather than a sample.
  bool allPrograms = false;
  /// With what the warps of one CTA did.
  bool timeline = false;
  std::optional<ExplainChange> against;
  /// Empty: standard output.
  std::string output;
};

/// 'tilec tuned': prints databases, or merges them into one.
struct TunedCommand {
  std::vector<std::string> files;
  std::string output;
  bool json = false;
};

struct KernelsCommand {
  std::string file;
  std::vector<std::string> importRoots;
  bool json = false;
};

/// 'tilec check': every kernel of some files, with guessed signatures.
struct CheckCommand {
  /// Files, or folders of them.
  std::vector<std::string> paths;
  /// Without tools.
  FileCheckOptions options;
  std::string ptxas;
  bool verbose = false;
  bool json = false;
};

struct CacheCommand {
  enum class Action { Info, Clear, Verify, Prune };
  Action action = Action::Info;
  CacheOptions cache;
  /// Of prune; not given: the cache's limit.
  std::optional<uint64_t> maxBytes;
  bool json = false;
};

struct DoctorCommand {
  std::string ptxas;
};

enum class LayoutView { Hardware, Tensor, Both };

struct LayoutCommand {
  std::string layout;
  /// Sizes for a layout given by its bases.
  std::vector<int64_t> shape;
  LayoutView view = LayoutView::Hardware;
  /// Empty: no conversion is planned.
  std::string convertTo;
  int bits = 32;
  unsigned maxRows = 128;
};

using Command =
    std::variant<CompileCommand, RunCommand, BenchCommand, KernelsCommand, DoctorCommand,
                 LayoutCommand, CacheCommand, TuneCommand, TuneWorkerCommand, TunedCommand,
                 BuildCommand, CheckCommand, ExplainCommand>;

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_OPTIONS_H

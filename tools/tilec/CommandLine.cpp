// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only file that knows CLI11. CLI11 splits the words into options; values with a grammar of
// their own (stages, devices, NAME=VALUE) are taken as text and checked here, so that every message
// says what is accepted.

#include "CommandLine.h"

#include "CacheSetup.h"

#include "tilec/Support/NearestName.h"
#include "tilec/Support/RemarkCategory.h"
#include "tilec/Target/PTXTarget.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"

#include <CLI/CLI.hpp>

#include <cctype>
#include <cmath>

namespace tilec::tool {

namespace {

/// What is wrong with the command line.
struct UsageError {
  std::string message;
};

[[noreturn]] void usage(const llvm::Twine &message) { throw UsageError{message.str()}; }

constexpr const char *compileExamples =
    R"text(Types are written as in Triton: *fp32, *fp32:16 (16-byte aligned), *bf16, i32, i32:16
(a multiple of 16), i64, fp32, constexpr.

Examples:
  tilec compile add.tile --arg x=*fp32:16 --arg y=*fp32:16 --arg n=i32 --const BLOCK=1024
  tilec compile add.tile ... --target sm_80 --emit cubin -o add.cubin
  tilec compile add.tile ... --emit all -o stages/ --remarks --time)text";

constexpr const char *runExamples =
    R"text(DATA is one of
  randn:f32[1024x512]  rand:f16[77]  zeros:i32[8]  ones:...  empty:...  arange:...
  randint(0,10):i32[5]      an array filled here (random ones depend on --seed only)
  values:i32[3,5,7]         an array of these values
  x.npy, x.npy:bf16         an array in a file
  128, 0.5, 3:i64, i64:3    a number passed by value
  None                      no argument, a compile-time constant
  pointers(a,b,c*)          an i64 array with the addresses of other arrays
  desc(randn:f16[1024x512],128,BLOCK_K)
                            an array as a tensor descriptor, and the sizes of its block, EXPR each;
                            with ',nan' behind them, elements outside of it are NaN
Argument types are deduced: arrays are pointers to aligned memory, integers are i32 if they
fit and i64 otherwise, floats are fp32. An integer that is 1, with no type given, is a constant.
EXPR knows the arguments, the constants, x.size, x.shape0, x.shape1, ..., cdiv, min and max.

Examples:
  tilec run add.tile --grid "cdiv(n, BLOCK)" --arg x=randn:f32[1000] --arg y=zeros:f32[1000]
      --arg n=1000 --const BLOCK=256 --save y=out.npy --print y
  tilec run add.tile ... --device sim --counters
  tilec run add.tile ... --expect y=reference.npy --rtol 1e-5)text";

constexpr const char *benchExamples =
    R"text(DATA and EXPR are those of 'tilec run', and so are the types deduced for arguments.
VALUES and NAMES are lists: 'BLOCK=1024,2048' makes two rows. A comma inside brackets or quotes
separates nothing. Every combination of kernels, constants, warps and stages is a row. The arrays
are the same for all, and are copied to the GPU afresh for each.
GB/s is the bytes moved over the median time. With --device sim there are the simulator's counters
of one launch instead of times.

Examples:
  tilec bench softmax.tile --grid x_ptr.shape0 --arg x_ptr=randn:f32[8192x4096]
      --arg y_ptr=empty:f32[8192x4096] --arg x_stride=4096 --arg y_stride=4096 --arg n=4096
      --const BLOCK=4096 --num-warps 4,8,16
  tilec bench add.tile --grid "cdiv(n, BLOCK)" ... --const BLOCK=1024,2048 --json
  tilec bench add.tile ... --bytes "3 * x.bytes" --no-flush-l2
  tilec bench add.tile ... --device sim)text";

constexpr const char *tuneExamples =
    R"text(DATA, EXPR, VALUES and the types deduced are those of 'tilec bench'. Tried are the configurations of
the kernel's own decorators (@triton.autotune), or those of a file, combined with the lists given
here. SPACE is a file like
  {"constants": {"BLOCK_M": [64, 128], "BLOCK_N": [64, 128]}, "num_warps": [4, 8],
   "configs": [{"constants": {"GROUP": 8}, "num_stages": 3}]}
Configurations that cannot do well are left out before they are compiled. Every other one is
measured in a child process, on arrays as they were given; one that faults or hangs is reported, and
the search goes on. With --device sim a weighted sum of the simulator's counters is compared.

Examples:
  tilec tune matmul.py --grid "cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)" --arg a_ptr=randn:f16[4096x4096]
      ... --db tuned.json
  tilec tune add.tile --grid "cdiv(n, BLOCK)" ... --const BLOCK=512,1024 --num-warps 4,8
  tilec run matmul.py ... --tuned tuned.json)text";

constexpr const char *buildExamples =
    R"text(Compiles kernels ahead of time, on a machine without a GPU, into a C header and a C source with a
typed launch function for each. Programs need the CUDA driver at run time, and nothing of tilec.
SPEC is a JSON file like
  {"name": "ops", "targets": ["sm_80", "sm_90a"],
   "kernels": [{"file": "add.tile", "name": "add_f32", "grid": "cdiv(n, BLOCK)",
                "arguments": {"x": "*fp32:16", "y": "*fp32:16", "n": "i32"},
                "constants": {"BLOCK": 1024}, "num_warps": 4}]}

Examples:
  tilec build ops.json -o generated
  cc -c generated/ops.c && cc main.c ops.o -ldl -lpthread)text";

constexpr const char *layoutExamples =
    R"text(LAYOUT is a constructor or a list of bases with --shape:
  blocked(shape=[64,32], sizePerThread=[1,4], threadsPerWarp=[8,4], warpsPerCta=[4,1])
  default(shape=[64,32], numWarps=4)    mma(shape=[64,64], warpsPerCta=[2,2])
  wgmma(shape=[128,64], warpsPerCta=[4,1], instrN=64)
  operand(shape=[64,64], operand=0, kWidth=2, warpsPerCta=[2,2])
  shared(shape=[64,64], vec=8, perPhase=1, maxPhase=8)    tma(shape=[64,64], bits=16, swizzle=128)
  slice(PARENT, axis=1)    {register=[[0,1]], lane=[[1,0]], warp=[], block=[]}

Examples:
  tilec layout "default(shape=[16,16], numWarps=1)"
  tilec layout "mma(shape=[16,8], warpsPerCta=[1,1])" --view tensor
  tilec layout "default(shape=[64,64], numWarps=4)" --bits 16
      --convert-to "blocked(shape=[64,64], sizePerThread=[4,1], threadsPerWarp=[16,2],
                            warpsPerCta=[1,4], order=[0,1])")text";

constexpr const char *topExamples =
    R"text(Examples:
  tilec compile softmax.tile --arg x=*fp32:16 --arg y=*fp32:16 --arg n=i32:16 --const BLOCK=4096
  tilec run add.tile --grid "cdiv(n, BLOCK)" --arg x=randn:f32[1000] --arg y=zeros:f32[1000]
      --arg n=1000 --const BLOCK=256
  tilec bench add.tile --grid "cdiv(n, BLOCK)" ... --const BLOCK=1024,2048 --num-warps 4,8
  tilec doctor

Exit codes: 0 fine, 1 error in the input, 2 wrong command line, 3 internal error, 4 device or
tool unavailable.
Environment: TILEC_PTXAS, CUDA_HOME or CUDA_PATH, PATH (where ptxas is), TILEC_LIBCLC and
TILEC_LIBDEVICE (bitcode files); TILEC_CACHE_DIR (else XDG_CACHE_HOME/tilec, else
HOME/.cache/tilec), TILEC_CACHE_LIMIT (as in 2G), TILEC_SHARED_CACHE (a folder or
redis://HOST:PORT) and TILEC_NO_CACHE.)text";

constexpr const char *cacheExamples =
    R"text(Compiled kernels are kept in a folder that all processes share; what is corrupt or too old for
the limit is removed by itself.
  info    what is kept, and where          clear   remove everything
  verify  read all, remove what is bad     prune   remove the oldest down to the limit

Examples:
  tilec cache
  tilec cache prune --max-size 500M)text";

/// Option texts before they are checked.
struct RawOptions {
  KernelOptions kernel;
  std::vector<std::string> arguments, constants, buffers, save, expect, werror;
  int numWarps = 0, numStages = 0;
  std::string diagnosticsFormat = "text", remarksFormat = "text";
  std::string target = "sm_90a", emit, output, device = "auto", view = "hardware", shape;
  /// One entry for each '--remarks': "true" when it is given without categories.
  std::vector<std::string> remarks;
  bool time = false, noLineInfo = false;
  bool check = false, noCheck = false, counters = false, json = false, noSpecialize = false;
  std::string grid;
  unsigned repeat = 0;
  std::string seed = "0";
  double rtol = 0, atol = 0;
  std::vector<std::string> print;
  std::string warpsList, stagesList;
  BenchCommand bench;
  LayoutCommand layout;
  std::string cacheAction = "info", maxSize;
  TuneCommand tune;
  TunedCommand tuned;
  int workerDevice = -1;
  std::string tunedFile;
  BuildCommand build;
};

//===--------------------------------------------------------------------===//
// Options
//===--------------------------------------------------------------------===//

/// An option that may be given many times, with one value each.
void addRepeated(CLI::App &app, const std::string &name, std::vector<std::string> &values,
                 const std::string &what, const std::string &valueName) {
  app.add_option(name, values, what)->allow_extra_args(false)->type_name(valueName);
}

/// What every command that compiles has; the kernel's name, constants and launch come after it.
void addSourceOptions(CLI::App &app, RawOptions &raw, const char *argumentValue,
                      const char *argumentText) {
  app.add_option("FILE", raw.kernel.file, "Source file (.tile, or .py of which only kernels count)")
      ->required()
      ->type_name("");
  addRepeated(app, "--arg", raw.arguments, argumentText, argumentValue);
  app.add_flag("--debug", raw.kernel.debug, "Keep device assertions");
  app.add_option("--ptxas", raw.kernel.ptxas, "Path of NVIDIA's assembler")->type_name("PATH");
  app.add_flag("--no-cache", raw.kernel.cache.off, "Neither look up nor keep compiled kernels");
  app.add_option("--cache-dir", raw.kernel.cache.folder, "Folder of compiled kernels")
      ->type_name("DIR");
  app.add_option("--diagnostics-format", raw.diagnosticsFormat, "Errors and warnings as text, json")
      ->type_name("FORMAT");
}

void addKernelOptions(CLI::App &app, RawOptions &raw, const char *argumentValue,
                      const char *argumentText) {
  addSourceOptions(app, raw, argumentValue, argumentText);
  app.add_option("--kernel", raw.kernel.kernel, "Kernel to take; needed when the file has several")
      ->type_name("NAME");
  addRepeated(app, "--const", raw.constants, "Value of a compile-time parameter", "NAME=VALUE");
  app.add_option("--num-warps", raw.numWarps, "Warps of a program")->type_name("N");
  app.add_option("--num-stages", raw.numStages, "Stages of software pipelines")->type_name("N");
}

/// Data, grid and device, of the commands that launch.
void addLaunchOptions(CLI::App &app, RawOptions &raw, const char *devices) {
  app.add_option("--grid", raw.grid, "Number of programs in x, y, z")
      ->required()
      ->type_name("EXPR[,EXPR[,EXPR]]");
  addRepeated(app, "--buffer", raw.buffers, "Array that is no argument, for pointers(...)",
              "NAME=DATA");
  app.add_option("--device", raw.device, devices)->type_name("DEVICE");
  app.add_flag("--check,!--no-check", raw.check,
               "Look for races and wild accesses (simulator; on by default there)");
  app.add_option("--seed", raw.seed, "Seed of random data")->type_name("N");
  app.add_flag("--no-specialize", raw.noSpecialize,
               "Promise the compiler no alignment, divisibility or ones of the data");
}

CLI::App *addCompile(CLI::App &top, RawOptions &raw) {
  CLI::App *app = top.add_subcommand("compile", "Compile a kernel and write one stage, or all");
  addKernelOptions(*app, raw, "NAME=TYPE", "Type of a run-time parameter");
  app->add_option("--target", raw.target, "Processor: sm_80, sm_90a, sm_100, ..., or sim")
      ->type_name("TARGET");
  app->add_option("--emit", raw.emit,
                  "Stage to write: ast, tile, tilegpu, llvm-mlir, llvm, ptx (default), cubin, all")
      ->type_name("STAGE");
  app->add_option("-o,--output", raw.output,
                  "File to write (metadata goes to PATH.json), or the folder for --emit all")
      ->type_name("PATH");
  app->add_flag("--remarks", raw.remarks,
                "Say which optimisations did not apply, and why; --remarks=CATEGORY,... only those")
      ->type_name("[=CATEGORY,...]");
  app->add_option("--remarks-format", raw.remarksFormat, "Remarks as text, json")
      ->type_name("FORMAT");
  addRepeated(*app, "-W", raw.werror,
              "-Werror=perf makes remarks about speed errors, -Werror=CATEGORY those of a category",
              "error=CATEGORY");
  app->add_flag("--time", raw.time, "Print the time of each stage");
  app->add_flag("--no-line-info", raw.noLineInfo, "No source lines in the PTX and the cubin");
  std::string footer = compileExamples;
  footer += "\n\nCategories of remarks (and perf, passed, all):";
  for (const RemarkCategory &category : remarkCategories())
    footer += llvm::formatv("\n  {0,-19} {1}", category.name, category.meaning);
  app->footer(footer);
  return app;
}

CLI::App *addRun(CLI::App &top, RawOptions &raw) {
  CLI::App *app = top.add_subcommand("run", "Run a kernel on a GPU or on the simulator");
  addKernelOptions(*app, raw, "NAME=DATA", "Value of a run-time parameter");
  addLaunchOptions(*app, raw, "auto, cuda, cuda:N or sim");
  app->add_flag("--counters", raw.counters, "Count memory traffic and instructions (simulator)");
  app->add_option("--tuned", raw.tunedFile, "Take the configuration from a tuning database")
      ->type_name("FILE");
  app->add_option("--repeat", raw.repeat, "Timed launches; the median is printed")->type_name("N");
  addRepeated(*app, "--save", raw.save, "Write an array after the run", "NAME=F.npy");
  addRepeated(*app, "--expect", raw.expect, "Compare an array after the run", "NAME=F.npy");
  app->add_option("--rtol", raw.rtol, "Relative tolerance (default: by element type)")
      ->type_name("R");
  app->add_option("--atol", raw.atol, "Absolute tolerance (default: by element type)")
      ->type_name("A");
  addRepeated(*app, "--print", raw.print, "Print an array after the run", "NAME");
  app->add_flag("--json", raw.json, "Report as JSON");
  app->footer(runExamples);
  return app;
}

CLI::App *addBench(CLI::App &top, RawOptions &raw) {
  CLI::App *app = top.add_subcommand("bench", "Time kernels on a GPU, or count on the simulator");
  addSourceOptions(*app, raw, "NAME=DATA", "Value of a run-time parameter");
  app->add_option("--kernel", raw.kernel.kernel, "Kernels to take")->type_name("NAMES");
  addRepeated(*app, "--const", raw.constants, "Values of a compile-time parameter", "NAME=VALUES");
  app->add_option("--num-warps", raw.warpsList, "Warps of a program")->type_name("N,N,...");
  app->add_option("--num-stages", raw.stagesList, "Stages of software pipelines")
      ->type_name("N,N,...");
  addLaunchOptions(*app, raw, "cuda (default), cuda:N or sim");
  app->add_option("--tuned", raw.tunedFile, "Take what is not given from a tuning database")
      ->type_name("FILE");
  app->add_option("--warmup", raw.bench.warmup, "Launches before the timed ones (default 10)")
      ->type_name("N");
  app->add_option("--repeats", raw.bench.repeats, "Timed launches (default 100)")->type_name("N");
  app->add_flag("--flush-l2,!--no-flush-l2", raw.bench.flushL2,
                "Overwrite the L2 cache before each launch (default)");
  app->add_option("--bytes", raw.bench.run.bytes,
                  "Bytes that a launch moves (default: those of the argument arrays)")
      ->type_name("EXPR");
  app->add_flag("--json", raw.json, "Report as JSON");
  app->footer(benchExamples);
  return app;
}

CLI::App *addTune(CLI::App &top, RawOptions &raw) {
  CLI::App *app = top.add_subcommand("tune", "Find the fastest configuration of a kernel");
  addSourceOptions(*app, raw, "NAME=DATA", "Value of a run-time parameter");
  app->add_option("--kernel", raw.kernel.kernel, "Kernel to take; needed when the file has several")
      ->type_name("NAME");
  addRepeated(*app, "--const", raw.constants, "Values of a compile-time parameter", "NAME=VALUES");
  app->add_option("--num-warps", raw.warpsList, "Warps of a program")->type_name("N,N,...");
  app->add_option("--num-stages", raw.stagesList, "Stages of software pipelines")
      ->type_name("N,N,...");
  addLaunchOptions(*app, raw, "cuda (default: all of a kind), cuda:N or sim");
  app->add_option("--space", raw.tune.space, "Configurations to try, as JSON")->type_name("SPACE");
  app->add_option("--db", raw.tune.database, "Database to put the best one into")
      ->type_name("FILE");
  app->add_option("--max-configs", raw.tune.mostConfigs, "Most configurations to compile")
      ->type_name("N");
  app->add_option("--max-time", raw.tune.mostSeconds, "Begin nothing new after this time")
      ->type_name("SECONDS");
  app->add_option("--timeout", raw.tune.timeoutSeconds,
                  "Time after which a configuration hangs (default 10)")
      ->type_name("SECONDS");
  app->add_option("--time-each", raw.tune.milliseconds,
                  "Time of the timed launches of a configuration (default 20)")
      ->type_name("MILLISECONDS");
  app->add_option("--repeats", raw.tune.repeats, "Most timed launches (default 100)")
      ->type_name("N");
  app->add_flag("--flush-l2,!--no-flush-l2", raw.tune.flushL2,
                "Overwrite the L2 cache before each launch (default)");
  app->add_flag("--prune,!--no-prune", raw.tune.prune, "Leave out what cannot do well (default)");
  app->add_option("--jobs", raw.tune.jobs,
                  "Threads that compile (default: one a core); with sim: processes (default 1)")
      ->type_name("N");
  app->add_flag("--json", raw.json, "Report as JSON");
  // Of the children.
  app->add_option("--worker-socket", raw.tune.workerSocket)->group("");
  app->add_option("--worker-device", raw.workerDevice)->group("");
  app->footer(tuneExamples);
  return app;
}

CLI::App *addTuned(CLI::App &top, RawOptions &raw) {
  CLI::App *app = top.add_subcommand("tuned", "List tuning databases, or merge them");
  app->add_option("FILES", raw.tuned.files, "Databases")->required()->type_name("");
  app->add_option("-o,--output", raw.tuned.output, "Write all of them as one")->type_name("FILE");
  app->add_flag("--json", raw.json, "List as JSON");
  return app;
}

CLI::App *addBuild(CLI::App &top, RawOptions &raw) {
  CLI::App *app = top.add_subcommand("build", "Compile kernels ahead of time into C source");
  app->add_option("SPEC", raw.build.spec, "What to compile, as JSON")->required()->type_name("");
  app->add_option("-o,--output", raw.build.output, "Folder for NAME.h and NAME.c")
      ->required()
      ->type_name("DIR");
  app->add_option("--ptxas", raw.kernel.ptxas, "Path of NVIDIA's assembler")->type_name("PATH");
  app->add_flag("--no-cache", raw.kernel.cache.off, "Neither look up nor keep compiled kernels");
  app->add_option("--cache-dir", raw.kernel.cache.folder, "Folder of compiled kernels")
      ->type_name("DIR");
  app->footer(buildExamples);
  return app;
}

CLI::App *addKernels(CLI::App &top, RawOptions &raw) {
  CLI::App *app =
      top.add_subcommand("kernels", "List kernels, their parameters and configurations");
  app->add_option("FILE", raw.kernel.file, "Source file")->required()->type_name("");
  app->add_flag("--json", raw.json, "List as JSON");
  return app;
}

CLI::App *addDoctor(CLI::App &top, RawOptions &raw) {
  CLI::App *app = top.add_subcommand("doctor", "Say what this machine has and what is missing");
  app->add_option("--ptxas", raw.kernel.ptxas, "Path of NVIDIA's assembler")->type_name("PATH");
  return app;
}

CLI::App *addCache(CLI::App &top, RawOptions &raw) {
  CLI::App *app = top.add_subcommand("cache", "Look after the cache of compiled kernels");
  app->add_option("ACTION", raw.cacheAction, "info (default), clear, verify, prune")->type_name("");
  app->add_option("--cache-dir", raw.kernel.cache.folder, "Folder of compiled kernels")
      ->type_name("DIR");
  app->add_option("--max-size", raw.maxSize, "Of prune: what may stay (default: the limit)")
      ->type_name("SIZE");
  app->add_flag("--json", raw.json, "Report as JSON");
  app->footer(cacheExamples);
  return app;
}

CLI::App *addLayout(CLI::App &top, RawOptions &raw) {
  CLI::App *app = top.add_subcommand("layout", "Print a layout, or the plan of a conversion");
  app->add_option("LAYOUT", raw.layout.layout, "The layout")->required()->type_name("");
  app->add_option("--shape", raw.shape, "Tensor shape of a layout given by its bases")
      ->type_name("64x32");
  app->add_option("--view", raw.view, "hardware (lanes and registers), tensor (owners), both")
      ->type_name("VIEW");
  app->add_option("--convert-to", raw.layout.convertTo, "Plan the conversion to this layout")
      ->type_name("LAYOUT");
  app->add_option("--bits", raw.layout.bits, "Bits of an element, for --convert-to")
      ->type_name("N");
  app->add_option("--max-rows", raw.layout.maxRows, "Most lines of a view")->type_name("N");
  app->footer(layoutExamples);
  return app;
}

//===--------------------------------------------------------------------===//
// Checks
//===--------------------------------------------------------------------===//

std::string suggestion(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known) {
  llvm::StringRef nearest = nearestName(name, known);
  return nearest.empty() ? std::string() : ("; did you mean '" + nearest + "'?").str();
}

/// One of a list of words, as its index.
size_t chooseWord(llvm::StringRef option, llvm::StringRef text,
                  llvm::ArrayRef<llvm::StringRef> words) {
  const auto *found = llvm::find(words, text);
  if (found == words.end())
    usage("unknown value '" + text + "' for '" + option + "', expected one of " +
          llvm::join(words, ", ") + suggestion(text, words));
  return size_t(found - words.begin());
}

std::vector<NamedValue> splitNamed(llvm::StringRef option, const std::vector<std::string> &texts) {
  std::vector<NamedValue> result;
  for (llvm::StringRef text : texts) {
    auto [name, value] = text.split('=');
    name = name.trim();
    if (name.empty() || !text.contains('='))
      usage("'" + option + "' expects NAME=VALUE, got '" + text + "'");
    for (const NamedValue &other : result)
      if (other.first == name)
        usage("'" + option + " " + name + "=...' is given twice");
    result.emplace_back(name.str(), value.str());
  }
  return result;
}

TextFormat readFormat(llvm::StringRef option, llvm::StringRef text) {
  return chooseWord(option, text, {"text", "json"}) == 0 ? TextFormat::Text : TextFormat::Json;
}

KernelOptions readSourceOptions(RawOptions &raw) {
  KernelOptions options = std::move(raw.kernel);
  options.arguments = splitNamed("--arg", raw.arguments);
  options.constants = splitNamed("--const", raw.constants);
  for (const NamedValue &constant : options.constants)
    for (const NamedValue &argument : options.arguments)
      if (argument.first == constant.first)
        usage("'" + constant.first + "' is given by both '--arg' and '--const'");
  options.diagnosticsFormat = readFormat("--diagnostics-format", raw.diagnosticsFormat);
  return options;
}

int checkNumWarps(int value) {
  if (value < 1 || value > 32 || (value & (value - 1)) != 0)
    usage("'--num-warps' expects 1, 2, 4, 8, 16 or 32, got " + llvm::Twine(value));
  return value;
}

int checkNumStages(int value) {
  if (value < 1 || value > 16)
    usage("'--num-stages' expects 1 to 16, got " + llvm::Twine(value));
  return value;
}

KernelOptions readKernelOptions(const CLI::App &app, RawOptions &raw) {
  KernelOptions options = readSourceOptions(raw);
  if (app.count("--num-warps"))
    options.numWarps = checkNumWarps(raw.numWarps);
  if (app.count("--num-stages"))
    options.numStages = checkNumStages(raw.numStages);
  return options;
}

/// A category of remarks, or one of `more` words that stand for several.
std::string checkRemarkCategory(llvm::StringRef option, llvm::StringRef text,
                                llvm::ArrayRef<llvm::StringRef> more) {
  llvm::SmallVector<llvm::StringRef> words;
  for (const RemarkCategory &category : remarkCategories())
    words.push_back(category.name);
  words.append(more.begin(), more.end());
  return words[chooseWord(option, text, words)].str();
}

void readRemarkFilter(const RawOptions &raw, CompileCommand &command) {
  command.remarks = !raw.remarks.empty();
  for (llvm::StringRef list : raw.remarks) {
    if (list == "true")
      continue;
    llvm::SmallVector<llvm::StringRef> names;
    list.split(names, ',');
    for (llvm::StringRef name : names)
      command.remarkFilter.push_back(
          checkRemarkCategory("--remarks", name.trim(), {"perf", "passed", "all"}));
  }
}

Command readCompile(const CLI::App &app, RawOptions &raw) {
  CompileCommand command;
  command.kernel = readKernelOptions(app, raw);
  command.target = raw.target;
  llvm::StringRef processor = command.target;
  bool forHost = processor == "sim" || processor.consume_front("sim:");
  if (processor != "sim")
    if (llvm::Expected<PTXTarget> target = findPTXTarget(processor); !target)
      usage(llvm::toString(target.takeError()) + ", sim");

  llvm::SmallVector<llvm::StringRef> stages;
  for (Stage stage : allStages())
    stages.push_back(stageName(stage));
  stages.push_back("all");
  if (raw.emit.empty())
    raw.emit = forHost ? "llvm-mlir" : "ptx";
  size_t stage = chooseWord("--emit", raw.emit, stages);
  command.emit.reset();
  if (stage < allStages().size())
    command.emit = allStages()[stage];
  if (forHost && command.emit && *command.emit > Stage::LLVMMLIR)
    usage("target 'sim' has no stage '" + raw.emit +
          "', expected one of ast, tile, tilegpu, "
          "llvm-mlir, all");

  command.output = raw.output;
  if (app.count("--output") && raw.output.empty())
    usage("'-o' expects a path");
  if (!command.emit && (command.output.empty() || command.output == "-"))
    usage("'--emit all' needs a folder: '-o DIR'");
  if (command.emit == Stage::Cubin && command.output.empty())
    usage("'--emit cubin' writes binary data and needs a file: '-o PATH'");
  readRemarkFilter(raw, command);
  command.remarksFormat = readFormat("--remarks-format", raw.remarksFormat);
  for (llvm::StringRef warning : raw.werror) {
    if (!warning.consume_front("error=") || warning.empty())
      usage("unknown option '-W" + warning + "', expected '-Werror=perf' or '-Werror=CATEGORY'");
    command.remarksAsErrors.push_back(checkRemarkCategory("-Werror", warning, {"perf"}));
  }
  command.time = raw.time;
  command.lineInfo = !raw.noLineInfo;
  return command;
}

void readDevice(llvm::StringRef text, RunCommand &command) {
  auto [kind, number] = text.split(':');
  if (kind == "cuda" && text.contains(':')) {
    if (number.getAsInteger(10, command.deviceNumber) || command.deviceNumber < 0)
      usage("'--device' expects a device number after 'cuda:', got '" + number + "'");
    command.device = DeviceKind::Cuda;
    command.isDeviceNamed = true;
    return;
  }
  static constexpr DeviceKind kinds[] = {DeviceKind::Auto, DeviceKind::Cuda, DeviceKind::Simulator};
  command.device = kinds[chooseWord("--device", text, {"auto", "cuda", "sim"})];
}

std::optional<double> readTolerance(const CLI::App &app, const char *option, double value) {
  if (!app.count(option))
    return std::nullopt;
  if (!(value >= 0) || std::isinf(value))
    usage(llvm::Twine("'") + option + "' expects a number of at least 0");
  return value;
}

/// What addLaunchOptions added.
void readLaunchOptions(const CLI::App &app, const RawOptions &raw, RunCommand &command) {
  command.grid = raw.grid;
  command.buffers = splitNamed("--buffer", raw.buffers);
  readDevice(raw.device, command);
  if (app.count("--check"))
    command.check = raw.check;
  if (llvm::StringRef(raw.seed).getAsInteger(0, command.seed))
    usage("'--seed' expects a number of 64 bits, got '" + raw.seed + "'");
  command.noSpecialize = raw.noSpecialize;
  command.tuned = raw.tunedFile;
  command.json = raw.json;
}

Command readRun(const CLI::App &app, RawOptions &raw) {
  RunCommand command;
  command.kernel = readKernelOptions(app, raw);
  readLaunchOptions(app, raw, command);
  command.counters = raw.counters;
  bool needsSimulator = command.counters || command.check.value_or(false);
  if (needsSimulator && command.device == DeviceKind::Cuda)
    usage(llvm::Twine(command.counters ? "'--counters'" : "'--check'") +
          " needs the simulator: '--device sim'");
  if (needsSimulator)
    command.device = DeviceKind::Simulator;
  if (app.count("--repeat")) {
    if (raw.repeat < 1 || raw.repeat > 100000)
      usage("'--repeat' expects 1 to 100000, got " + llvm::Twine(raw.repeat));
    command.repeat = raw.repeat;
  }
  command.save = splitNamed("--save", raw.save);
  for (const NamedValue &value : splitNamed("--expect", raw.expect))
    command.expect.push_back({value.first, value.second});
  command.rtol = readTolerance(app, "--rtol", raw.rtol);
  command.atol = readTolerance(app, "--atol", raw.atol);
  command.print = raw.print;
  return command;
}

/// The parts of "a,(b,c),'d,e'" between commas outside brackets and quotes.
std::vector<std::string> splitList(llvm::StringRef option, llvm::StringRef text) {
  std::vector<std::string> parts;
  unsigned depth = 0;
  char quote = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : ',';
    if (quote != 0) {
      quote = c == quote ? 0 : quote;
      if (i < text.size())
        continue;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if ((c == ')' || c == ']' || c == '}') && depth > 0) {
      --depth;
    }
    // What is not closed is the compiler's to report.
    if (i < text.size() && (c != ',' || depth != 0))
      continue;
    llvm::StringRef part = text.slice(begin, i).trim();
    begin = i + 1;
    if (part.empty())
      usage("'" + option + "' has an empty value in '" + text + "'");
    if (llvm::is_contained(parts, part))
      usage("'" + option + "' has '" + part + "' twice");
    parts.push_back(part.str());
  }
  return parts;
}

std::vector<int> readNumbers(const CLI::App &app, llvm::StringRef option, llvm::StringRef text,
                             int (*check)(int)) {
  std::vector<int> numbers;
  if (!app.count(option.str()))
    return numbers;
  for (llvm::StringRef part : splitList(option, text)) {
    int number = 0;
    if (part.getAsInteger(10, number))
      usage("'" + option + "' expects numbers, got '" + part + "'");
    numbers.push_back(check(number));
  }
  return numbers;
}

Command readBench(const CLI::App &app, RawOptions &raw) {
  BenchCommand command = std::move(raw.bench);
  command.run.kernel = readSourceOptions(raw);
  if (app.count("--device") == 0)
    raw.device = "cuda";
  readLaunchOptions(app, raw, command.run);
  if (command.run.device == DeviceKind::Auto)
    usage("'--device' of a measurement expects cuda, cuda:N or sim, got 'auto'");
  if (command.run.check.value_or(false) && command.run.device != DeviceKind::Simulator)
    usage("'--check' needs the simulator: '--device sim'");
  command.run.counters = command.run.device == DeviceKind::Simulator;
  if (app.count("--bytes") && llvm::StringRef(command.run.bytes).trim().empty())
    usage("'--bytes' expects an expression");
  if (command.repeats < 1 || command.repeats > 100000)
    usage("'--repeats' expects 1 to 100000, got " + llvm::Twine(command.repeats));
  if (command.warmup > 100000)
    usage("'--warmup' expects 0 to 100000, got " + llvm::Twine(command.warmup));

  constexpr size_t mostRows = 1000;
  size_t rows = 1;
  auto count = [&](size_t values) {
    rows *= std::max<size_t>(values, 1);
    if (rows > mostRows)
      usage("more than " + llvm::Twine(mostRows) + " combinations of values");
  };
  if (app.count("--kernel"))
    command.kernels = splitList("--kernel", command.run.kernel.kernel);
  count(command.kernels.size());
  for (auto &[name, text] : command.run.kernel.constants) {
    command.constants.emplace_back(name, splitList("--const " + name, text));
    count(command.constants.back().second.size());
  }
  command.numWarps = readNumbers(app, "--num-warps", raw.warpsList, checkNumWarps);
  command.numStages = readNumbers(app, "--num-stages", raw.stagesList, checkNumStages);
  count(command.numWarps.size());
  count(command.numStages.size());
  return command;
}

Command readTune(const CLI::App &app, RawOptions &raw, const std::vector<std::string> &words) {
  TuneCommand command = std::move(raw.tune);
  command.words = words;
  command.run.kernel = readSourceOptions(raw);
  if (app.count("--device") == 0)
    raw.device = "cuda";
  readLaunchOptions(app, raw, command.run);
  if (command.run.device == DeviceKind::Auto)
    usage("'--device' of a measurement expects cuda, cuda:N or sim, got 'auto'");
  if (command.run.check.value_or(false) && command.run.device != DeviceKind::Simulator)
    usage("'--check' needs the simulator: '--device sim'");
  if (raw.workerDevice >= 0)
    command.run.deviceNumber = raw.workerDevice;
  for (auto &[name, text] : command.run.kernel.constants)
    command.constants.emplace_back(name, splitList("--const " + name, text));
  command.run.kernel.constants.clear();
  command.numWarps = readNumbers(app, "--num-warps", raw.warpsList, checkNumWarps);
  command.numStages = readNumbers(app, "--num-stages", raw.stagesList, checkNumStages);
  if (!(command.timeoutSeconds > 0) || command.timeoutSeconds > 86400)
    usage("'--timeout' expects seconds, more than 0 and at most 86400");
  if (!(command.milliseconds > 0) || command.milliseconds > 60000)
    usage("'--time-each' expects milliseconds, more than 0 and at most 60000");
  if (!(command.mostSeconds >= 0))
    usage("'--max-time' expects seconds");
  if (command.repeats < 1 || command.repeats > 100000)
    usage("'--repeats' expects 1 to 100000, got " + llvm::Twine(command.repeats));
  if (command.jobs > 256)
    usage("'--jobs' expects 1 to 256, got " + llvm::Twine(command.jobs));
  return command;
}

Command readCache(const CLI::App &app, const RawOptions &raw) {
  CacheCommand command;
  static constexpr CacheCommand::Action actions[] = {
      CacheCommand::Action::Info, CacheCommand::Action::Clear, CacheCommand::Action::Verify,
      CacheCommand::Action::Prune};
  command.action =
      actions[chooseWord("ACTION", raw.cacheAction, {"info", "clear", "verify", "prune"})];
  command.cache = raw.kernel.cache;
  command.json = raw.json;
  if (app.count("--max-size")) {
    if (command.action != CacheCommand::Action::Prune)
      usage("'--max-size' belongs to 'tilec cache prune'");
    command.maxBytes = parseSize(raw.maxSize);
    if (!command.maxBytes)
      usage("'--max-size' expects a size as in 500M or 2G, got '" + raw.maxSize + "'");
  }
  return command;
}

Command readLayout(RawOptions &raw) {
  LayoutCommand command = std::move(raw.layout);
  static constexpr LayoutView views[] = {LayoutView::Hardware, LayoutView::Tensor,
                                         LayoutView::Both};
  command.view = views[chooseWord("--view", raw.view, {"hardware", "tensor", "both"})];
  llvm::SmallVector<llvm::StringRef> extents;
  if (!raw.shape.empty())
    llvm::StringRef(raw.shape).split(extents, 'x');
  for (llvm::StringRef extent : extents) {
    int64_t value = 0;
    if (extent.getAsInteger(10, value) || value < 1)
      usage("'--shape' expects sizes as in 64x32, got '" + raw.shape + "'");
    command.shape.push_back(value);
  }
  static constexpr int widths[] = {1, 8, 16, 32, 64, 128};
  if (!llvm::is_contained(widths, command.bits))
    usage("'--bits' expects 1, 8, 16, 32, 64 or 128, got " + llvm::Twine(command.bits));
  if (command.maxRows < 1)
    usage("'--max-rows' expects at least 1");
  return command;
}

//===--------------------------------------------------------------------===//
// Errors
//===--------------------------------------------------------------------===//

/// CLI11's words in our style: lower-case start, one line.
std::string inOurStyle(std::string message) {
  while (!message.empty() && (message.back() == '\n' || message.back() == '.'))
    message.pop_back();
  std::replace(message.begin(), message.end(), '\n', ' ');
  llvm::StringRef rest = message;
  if (rest.consume_front("Could not convert: ")) {
    auto [option, value] = rest.split(" = ");
    return ("'" + option + "' expects a number, got '" + value + "'").str();
  }
  if (message.size() > 1 && std::islower(static_cast<unsigned char>(message[1])))
    message[0] = char(std::tolower(static_cast<unsigned char>(message[0])));
  return message;
}

/// The first word that no option took, with the nearest option.
std::string describeExtra(const CLI::App &app, const std::vector<std::string> &extras) {
  const std::string &word = extras.front();
  if (word.empty() || word[0] != '-')
    return "unexpected argument '" + word + "'";
  llvm::StringRef name = llvm::StringRef(word).split('=').first;
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options()) {
    for (const std::string &longName : option->get_lnames())
      names.push_back("--" + longName);
    for (const std::string &longName : option->get_fnames())
      names.push_back("--" + longName);
  }
  std::vector<llvm::StringRef> known(names.begin(), names.end());
  return ("unknown option '" + name + "'" + suggestion(name, known)).str();
}

ParsedCommandLine usageError(const std::string &message, const std::string &command) {
  ParsedCommandLine result;
  result.exitCode = ExitCode::Usage;
  result.text = "tilec: error: " + message + "\ntilec: note: '" +
                (command.empty() ? "tilec" : "tilec " + command) + " --help' shows the options\n";
  return result;
}

} // namespace

ParsedCommandLine parseCommandLine(const std::vector<std::string> &arguments) {
  RawOptions raw;
  CLI::App top("tilec compiles and runs tile kernels: Triton's kernel language, without Python.",
               "tilec");
  top.set_version_flag("--version", "tilec " TILEC_VERSION " (LLVM " LLVM_VERSION_STRING ")");
  top.require_subcommand(1);
  top.footer(topExamples);
  CLI::App *compile = addCompile(top, raw);
  CLI::App *run = addRun(top, raw);
  CLI::App *bench = addBench(top, raw);
  CLI::App *kernels = addKernels(top, raw);
  CLI::App *doctor = addDoctor(top, raw);
  CLI::App *layout = addLayout(top, raw);
  CLI::App *cache = addCache(top, raw);
  CLI::App *tune = addTune(top, raw);
  CLI::App *tuned = addTuned(top, raw);
  CLI::App *build = addBuild(top, raw);
  auto chosen = [&]() -> CLI::App * {
    return top.get_subcommands().empty() ? nullptr : top.get_subcommands().front();
  };
  auto chosenName = [&] { return chosen() ? chosen()->get_name() : std::string(); };

  static constexpr llvm::StringRef names[] = {"compile", "run",   "bench", "kernels", "doctor",
                                              "layout",  "cache", "tune",  "tuned",   "build"};
  if (!arguments.empty() && !llvm::StringRef(arguments[0]).starts_with("-") &&
      !llvm::is_contained(names, arguments[0]))
    return usageError("unknown command '" + arguments[0] + "'" + suggestion(arguments[0], names),
                      "");
  ParsedCommandLine result;
  try {
    top.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    if (*compile)
      result.command = readCompile(*compile, raw);
    else if (*run)
      result.command = readRun(*run, raw);
    else if (*bench)
      result.command = readBench(*bench, raw);
    else if (*kernels)
      result.command = KernelsCommand{raw.kernel.file, raw.json};
    else if (*doctor)
      result.command = DoctorCommand{raw.kernel.ptxas};
    else if (*layout)
      result.command = readLayout(raw);
    else if (*cache)
      result.command = readCache(*cache, raw);
    else if (*tune)
      result.command = readTune(*tune, raw, arguments);
    else if (*build)
      result.command = BuildCommand{raw.build.spec, raw.build.output, raw.kernel};
    else if (*tuned)
      result.command = TunedCommand{raw.tuned.files, raw.tuned.output, raw.json};
    return result;
  } catch (const CLI::CallForHelp &) {
    result.text = (chosen() ? chosen() : &top)->help();
    return result;
  } catch (const CLI::CallForVersion &version) {
    result.text = std::string(version.what()) + "\n";
    return result;
  } catch (const CLI::ExtrasError &) {
    const CLI::App &app = chosen() ? *chosen() : top;
    std::vector<std::string> extras = top.remaining(/*recurse=*/true);
    return usageError(extras.empty() ? "unexpected argument" : describeExtra(app, extras),
                      chosenName());
  } catch (const CLI::ParseError &error) {
    if (!chosen())
      return usageError(
          "no command given, expected compile, run, bench, build, tune, tuned, kernels, "
          "doctor, layout or cache",
          "");
    // A misspelt option is the better explanation of what is then missing.
    std::vector<std::string> extras = top.remaining(/*recurse=*/true);
    if (!extras.empty() && extras.front().size() > 1 && extras.front()[0] == '-')
      return usageError(describeExtra(*chosen(), extras), chosenName());
    return usageError(inOurStyle(error.what()), chosenName());
  } catch (const UsageError &error) {
    return usageError(error.message, chosenName());
  }
}

} // namespace tilec::tool

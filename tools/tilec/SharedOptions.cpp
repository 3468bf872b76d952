// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of options that several commands have.

#include "SharedOptions.h"

#include "OptionValues.h"

namespace tilec::tool {

namespace {

constexpr const char *numCtasText =
    "Programs of a cluster, which copy what they share for each other: 1, 2, 4 or 8";
constexpr const char *splitKText =
    "CTAs that run a program together, each a part of its loop of dots: 1, 2, 4 or 8";

void readDevice(llvm::StringRef text, RunCommand &command) {
  auto [kind, number] = text.split(':');
  if (kind == "cuda" && text.contains(':')) {
    if (number.getAsInteger(10, command.deviceNumber) || command.deviceNumber < 0)
      usage("'--device' expects a device number after 'cuda:', got '" + number + "'");
    command.device = DeviceKind::Cuda;
    command.isDeviceNamed = true;
    return;
  }
  static constexpr DeviceKind kinds[] = {DeviceKind::Auto, DeviceKind::Cuda, DeviceKind::Simulator,
                                         DeviceKind::Interpreter};
  command.device = kinds[chooseWord("--device", text, {"auto", "cuda", "sim", "interp"})];
}

} // namespace

void addCacheOptions(OptionSet &options, CacheOptions &cache) {
  options.addFlag("--no-cache", cache.off, "Neither look up nor keep compiled kernels");
  options.addValue("--cache-dir", cache.folder, "Folder of compiled kernels", "DIR");
}

void addImportRoots(OptionSet &options, std::vector<std::string> &roots) {
  options.addRepeated("-I", roots, "Folder to look for imported modules in", "DIR");
}

void addWarningOptions(OptionSet &options, std::vector<std::string> &texts) {
  options.addRepeated("-W", texts,
                      "-WNAME and -Wno-NAME switch a warning on and off, -Werror and -Werror=NAME "
                      "make errors of them; --help-warnings lists the names",
                      "NAME");
}

WarningOptions readWarnings(const std::vector<std::string> &texts) {
  WarningOptions warnings;
  for (const std::string &text : texts)
    if (std::optional<std::string> problem = warnings.apply(text))
      usage("unknown option '-W" + text + "': " + *problem);
  return warnings;
}

void addAssemblerOption(OptionSet &options, std::string &path) {
  options.addValue("--ptxas", path, "Path of NVIDIA's assembler", "PATH");
}

void SourceOptions::declare(OptionSet &options, const char *argumentValue,
                            const char *argumentText) {
  options.addWord("FILE", kernel.file, "Source file (.tile, or .py of which only kernels count)");
  options.require("FILE");
  addImportRoots(options, kernel.options.modules.roots);
  options.addRepeated("--arg", arguments, argumentText, argumentValue);
  options.addFlag("--debug", kernel.options.debug,
                  "Keep device assertions, and check that integers do not overflow");
  options.addFlag("--overflow-checks,!--no-overflow-checks", kernel.options.overflowChecks,
                  "With --debug, check integers (default)");
  options.addFlag("--tensor-copies,!--no-tensor-copies", kernel.options.tensorCopies,
                  "Copy what pointers lead to by TMA where that pays (default)");
  options.addFlag("--persistent,!--no-persistent", kernel.options.persistent,
                  "Launch as many CTAs as fit, which run one program after the other (launches on "
                  "a GPU: where that pays)");
  addAssemblerOption(options, kernel.ptxas);
  addCacheOptions(options, kernel.cache);
  options.addValue("--diagnostics-format", diagnosticsFormat, "Errors and warnings as text, json",
                   "FORMAT");
  addWarningOptions(options, warnings);
  options.addValue("--max-steps", maxSteps,
                   "Most steps of compile-time evaluation (default 10000000)", "N");
  options.addValue("--max-ops", maxOps, "Most operations that a kernel becomes (default 500000)",
                   "N");
  options.addValue("--max-unroll", maxUnroll,
                   "Most iterations of a loop at compile time (default 65536)", "N");
}

KernelOptions SourceOptions::read() {
  KernelOptions read = std::move(kernel);
  CompileOptions &options = read.options;
  read.arguments = splitNamed("--arg", arguments);
  for (auto &[name, value] : splitNamed("--const", constants)) {
    for (const NamedValue &argument : read.arguments)
      if (argument.first == name)
        usage("'" + name + "' is given by both '--arg' and '--const'");
    options.constants.push_back({name, value});
  }
  read.diagnosticsFormat = readFormat("--diagnostics-format", diagnosticsFormat);
  options.warnings = readWarnings(warnings);
  for (auto [limit, given] :
       {std::pair(&options.stepLimit, maxSteps), std::pair(&options.opLimit, maxOps),
        std::pair(&options.unrollLimit, maxUnroll)})
    if (given != 0)
      *limit = given;
  return read;
}

void SingleKernelOptions::declare(OptionSet &options, const char *argumentValue,
                                  const char *argumentText) {
  source.declare(options, argumentValue, argumentText);
  options.addValue("--kernel", source.kernel.options.kernel,
                   "Kernel to take; needed when the file has several", "NAME");
  options.addRepeated("--const", source.constants, "Value of a compile-time parameter",
                      "NAME=VALUE");
  options.addValue("--num-warps", numWarps, "Warps of a program", "N");
  options.addValue("--num-stages", numStages, "Stages of software pipelining", "N");
  options.addValue("--num-ctas", numCtas, numCtasText, "N");
  options.addValue("--split-k", splitK, splitKText, "N");
}

KernelOptions SingleKernelOptions::read(const OptionSet &options) {
  KernelOptions kernel = source.read();
  if (options.isGiven("--num-warps"))
    kernel.options.numWarps = checkNumWarps(numWarps);
  if (options.isGiven("--num-stages"))
    kernel.options.numStages = checkNumStages(numStages);
  if (options.isGiven("--num-ctas"))
    kernel.options.numCtas = checkNumCtas(numCtas);
  if (options.isGiven("--split-k"))
    kernel.options.splitK = checkSplitK(splitK);
  if (clusterProblem(kernel.options.numCtas, kernel.options.splitK))
    usage("'--num-ctas' of 2 and '--split-k' exclude each other: a cluster is for several programs "
          "or for one");
  return kernel;
}

void TimelineOptions::declare(OptionSet &options) {
  options.addValue("--timeline-ctas", ctas, "CTAs that the timeline shows (default 0-3)", "N[-N]");
  options.addValue("--timeline-marks", marks,
                   "Most marks of a warp in the timeline, two for each span (default 4096)", "N");
}

void TimelineOptions::read(const OptionSet &options, bool isAsked, CompileOptions &compile) const {
  for (const char *option : {"--timeline-ctas", "--timeline-marks"})
    if (options.isGiven(option) && !isAsked)
      usage(llvm::Twine("'") + option + "' needs '--timeline'");
  if (!isAsked)
    return;
  if (marks < 2 || marks > tilecrt::timeline::mostMarks)
    usage("'--timeline-marks' expects 2 to " + llvm::Twine(tilecrt::timeline::mostMarks) +
          ", got " + llvm::Twine(marks));
  auto [first, last] = llvm::StringRef(ctas).split('-');
  uint32_t begin = 0, end = 0;
  bool isOne = !llvm::StringRef(ctas).contains('-');
  if (first.getAsInteger(10, begin) || (!isOne && last.getAsInteger(10, end)) ||
      begin > uint32_t(INT32_MAX) || end > uint32_t(INT32_MAX))
    usage("'--timeline-ctas' expects a number or two of them, as in 0-3, got '" + ctas + "'");
  if (isOne)
    end = begin;
  if (begin > end)
    usage("'--timeline-ctas' expects the first CTA in front of the last, got '" + ctas + "'");
  if (end - begin >= tilecrt::timeline::mostCtas)
    usage("'--timeline-ctas' expects at most " + llvm::Twine(tilecrt::timeline::mostCtas) +
          " CTAs, got '" + ctas + "'");
  compile.timelineMarks = marks;
  compile.timelineFirstCta = begin;
  compile.timelineLastCta = end;
}

void ListedOptions::declare(OptionSet &options, SourceOptions &source) {
  options.addRepeated("--const", source.constants, "Values of a compile-time parameter",
                      "NAME=VALUES");
  options.addValue("--num-warps", numWarps, "Warps of a program", "N,N,...");
  options.addValue("--num-stages", numStages, "Stages of software pipelining", "N,N,...");
  options.addValue("--num-ctas", numCtas, numCtasText, "N,N");
  options.addValue("--split-k", splitK, splitKText, "N,N,...");
}

void PageFlags::declare(OptionSet &options) {
  options.addValue("--html", page.file, "Write a page for a browser as well", "FILE");
  options.addRepeated("--from", page.from,
                      "Show the measurements of a file on the page; without a source, only those",
                      "RESULT");
  for (const char *option : {"FILE", "--grid"})
    options.require(option, false);
}

PageOptions PageFlags::read(const OptionSet &options, llvm::ArrayRef<const char *> needed) {
  if (options.isGiven("--html") && page.file.empty())
    usage("'--html' expects a path");
  if (!page.from.empty() && page.file.empty())
    usage("'--from' needs '--html'");
  bool onlyShows = !page.from.empty() && !options.isGiven("FILE");
  for (const char *option : needed)
    if (onlyShows == options.isGiven(option))
      usage(onlyShows ? "'" + llvm::Twine(option) + "' needs a source file"
                      : llvm::Twine(option) + " is required");
  return page;
}

void LaunchOptions::declare(OptionSet &options, const char *devices) {
  options.addValue("--grid", grid, "Number of programs in x, y, z", "EXPR[,EXPR[,EXPR]]");
  options.require("--grid");
  options.addRepeated("--buffer", buffers, "Array that is no argument, for pointers(...)",
                      "NAME=DATA");
  options.addValue("--device", device, devices, "DEVICE");
  options.addFlag("--check,!--no-check", check,
                  "Look for races and out-of-bounds accesses (simulator; on by default there)");
  options.addValue("--seed", seed, "Seed of random data", "N");
  options.addFlag("--no-specialize", noSpecialize,
                  "Promise the compiler no alignment, divisibility or ones of the data");
}

void LaunchOptions::read(const OptionSet &options, RunCommand &command) const {
  command.grid = grid;
  command.buffers = splitNamed("--buffer", buffers);
  readDevice(device, command);
  if (options.isGiven("--check"))
    command.check = check;
  if (llvm::StringRef(seed).getAsInteger(0, command.seed))
    usage("'--seed' expects a number of 64 bits, got '" + seed + "'");
  command.noSpecialize = noSpecialize;
}

void LaunchOptions::readMeasured(const OptionSet &options, RunCommand &command) {
  if (!options.isGiven("--device"))
    device = "cuda";
  read(options, command);
  if (command.device == DeviceKind::Auto || command.device == DeviceKind::Interpreter)
    usage(llvm::Twine("'--device' of a measurement expects cuda, cuda:N or sim, got '") +
          (command.device == DeviceKind::Auto ? "auto'" : "interp'"));
  if (command.check.value_or(false) && command.device != DeviceKind::Simulator)
    usage("'--check' needs the simulator: '--device sim'");
}

} // namespace tilec::tool

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of 'tilec run'.

#include "CommandParser.h"
#include "OptionValues.h"
#include "SharedOptions.h"

#include <cmath>

namespace tilec::tool {

namespace {

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
  (DATA, DATA, ...)         a tuple, also of tuples; (name=DATA, ...) for one with names
Argument types are deduced: arrays are pointers to aligned memory, integers are i32 if they
fit and i64 otherwise, floats are fp32. An integer that is 1, with no type given, is a constant.
EXPR knows the arguments, the constants, x.size, x.shape0, x.shape1, ..., cdiv, min and max.

Examples:
  tilec run add.tile --grid "cdiv(n, BLOCK)" --arg x=randn:f32[1000] --arg y=zeros:f32[1000]
      --arg n=1000 --const BLOCK=256 --save y=out.npy --print y
  tilec run add.tile ... --device sim --counters
  tilec run add.tile ... --expect y=reference.npy --rtol 1e-5
  tilec run --check --replay launches/add-4711-1 --save y=y.npy)text";

std::optional<double> readTolerance(const OptionSet &options, const char *option, double value) {
  if (!options.isGiven(option))
    return std::nullopt;
  if (!(value >= 0) || std::isinf(value))
    usage(llvm::Twine("'") + option + "' expects a number of at least 0");
  return value;
}

/// What a saved launch decides cannot be given beside it.
void checkReplay(const OptionSet &options, const RunCommand &command) {
  if (command.replay.empty())
    usage("'--replay' expects the folder of a saved launch");
  for (const char *option : {"--arg", "--const", "--buffer", "--grid", "--kernel", "--num-warps",
                             "--num-stages", "--num-ctas", "--split-k", "--seed", "--tuned",
                             "--no-specialize", "--save-launches", "--timeline"})
    if (options.isGiven(option))
      usage(llvm::Twine("'") + option +
            "' cannot be given with '--replay': the saved launch says it");
  if (command.device == DeviceKind::Cuda)
    usage("'--replay' needs the simulator: '--device sim'");
}

class RunParser final : public CommandParser {
public:
  void declare(OptionSet &options) override;
  Command read(const OptionSet &options) override;

private:
  void readTimeline(const OptionSet &options, RunCommand &command) const;

  SingleKernelOptions kernel;
  LaunchOptions launch;
  bool counters = false;
  std::string tuned;
  unsigned repeat = 0;
  std::vector<std::string> save, expect, print;
  double rtol = 0, atol = 0;
  bool json = false;
  std::string replay, saveLaunches;
  std::vector<std::string> timelines;
  TimelineOptions timeline;
};

void RunParser::declare(OptionSet &options) {
  kernel.declare(options, "NAME=DATA", "Value of a run-time parameter");
  launch.declare(options, "auto, cuda, cuda:N, sim or interp");
  options.addFlag("--counters", counters, "Count memory traffic and instructions (simulator)");
  options.addValue("--tuned", tuned, "Take the configuration from a tuning database", "FILE");
  options.addValue("--repeat", repeat, "Timed launches; the median is printed", "N");
  options.addRepeated("--save", save, "Write an array after the run", "NAME=F.npy");
  options.addRepeated("--expect", expect, "Compare an array after the run", "NAME=F.npy");
  options.addValue("--rtol", rtol, "Relative tolerance (default: by element type)", "R");
  options.addValue("--atol", atol, "Absolute tolerance (default: by element type)", "A");
  options.addRepeated("--print", print, "Print an array after the run", "NAME");
  options.addFlag("--json", json, "Report as JSON");
  options.addRepeated("--timeline", timelines,
                      "Write what warps do and wait for: trace events for Perfetto, or a picture",
                      "F.json, F.svg");
  timeline.declare(options);
  options.addValue("--replay", replay, "Run a saved launch again on the simulator", "DIR");
  options.addValue("--save-launches", saveLaunches,
                   "Where to save a launch that fails, for --replay (or TILEC_SAVE_LAUNCHES)",
                   "DIR");
  // A saved launch has both.
  options.require("FILE", false);
  options.require("--grid", false);
  options.setFooter(runExamples);
}

void RunParser::readTimeline(const OptionSet &options, RunCommand &command) const {
  for (llvm::StringRef path : timelines)
    if (!path.ends_with(".json") && !path.ends_with(".svg"))
      usage("'--timeline' expects a file that ends in .json or .svg, got '" + path + "'");
  if (!timelines.empty() && command.device == DeviceKind::Interpreter)
    usage("'--timeline' needs warps: a GPU or the simulator");
  timeline.read(options, !timelines.empty(), command.kernel.options);
  command.timelines = timelines;
}

Command RunParser::read(const OptionSet &options) {
  RunCommand command;
  command.kernel = kernel.read(options);
  launch.read(options, command);
  readTimeline(options, command);
  command.tuned = tuned;
  command.json = json;
  command.counters = counters;
  command.replay = replay;
  command.saveLaunches = saveLaunches;
  if (options.isGiven("--replay")) {
    checkReplay(options, command);
    command.device = DeviceKind::Simulator;
  }
  for (const char *option : {"FILE", "--grid"})
    if (!options.isGiven("--replay") && !options.isGiven(option))
      usage(llvm::Twine(option) + " is required");
  bool needsSimulator = command.counters || command.check.value_or(false);
  if (needsSimulator &&
      (command.device == DeviceKind::Cuda || command.device == DeviceKind::Interpreter))
    usage(llvm::Twine(command.counters ? "'--counters'" : "'--check'") +
          " needs the simulator: '--device sim'");
  if (needsSimulator)
    command.device = DeviceKind::Simulator;
  if (options.isGiven("--repeat")) {
    if (repeat < 1 || repeat > 100000)
      usage("'--repeat' expects 1 to 100000, got " + llvm::Twine(repeat));
    command.repeat = repeat;
  }
  command.save = splitNamed("--save", save);
  for (const NamedValue &value : splitNamed("--expect", expect))
    command.expect.push_back({value.first, value.second});
  command.rtol = readTolerance(options, "--rtol", rtol);
  command.atol = readTolerance(options, "--atol", atol);
  command.print = print;
  return command;
}

} // namespace

std::unique_ptr<CommandParser> makeRunParser() { return std::make_unique<RunParser>(); }

} // namespace tilec::tool

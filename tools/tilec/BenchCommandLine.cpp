// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of 'tilec bench'.

#include "CommandParser.h"
#include "OptionValues.h"
#include "SharedOptions.h"
#include "Sweep.h"

namespace tilec::tool {

namespace {

constexpr const char *benchExamples =
    R"text(DATA and EXPR are those of 'tilec run', and so are the types deduced for arguments.
VALUES and NAMES are lists: 'BLOCK=1024,2048' makes two rows. A comma inside brackets or quotes
separates nothing. Every combination of kernels, constants, warps, stages and clusters is a row. The
arrays are the same for all, and are copied to the GPU afresh for each.
GB/s is the bytes moved over the median time. With --device sim there are the simulator's counters
of one launch instead of times; --predict adds the time that 'tilec explain' predicts.
--sweep N=1024,2048 measures at each value of N: what stands in braces in DATA, EXPR and VALUES is
evaluated with it. RESULT is what --json wrote, what 'tilec tune --json' wrote, or a result of
tools/bench.

Examples:
  tilec bench softmax.tile --grid x_ptr.shape0 --arg x_ptr=randn:f32[8192x4096]
      --arg y_ptr=empty:f32[8192x4096] --arg x_stride=4096 --arg y_stride=4096 --arg n=4096
      --const BLOCK=4096 --num-warps 4,8,16
  tilec bench add.tile --grid "cdiv(n, BLOCK)" ... --const BLOCK=1024,2048 --json
  tilec bench add.tile ... --bytes "3 * x.bytes" --no-flush-l2
  tilec bench add.tile ... --device sim --predict H200
  tilec bench softmax.tile --sweep N=256,1024,4096 --grid 8192 --arg x_ptr=randn:f32[8192x{N}] ...
      --const "BLOCK={next_power_of_2(N)}" --from triton.json --html softmax.html
  tilec bench --from before.json --from after.json --html both.html)text";

class BenchParser final : public CommandParser {
public:
  void declare(OptionSet &options) override;
  Command read(const OptionSet &options) override;

private:
  SourceOptions source;
  ListedOptions lists;
  LaunchOptions launch;
  PageFlags page;
  BenchCommand bench;
  std::string tuned, predicted;
  std::vector<std::string> sweeps;
  bool json = false;
};

void BenchParser::declare(OptionSet &options) {
  source.declare(options, "NAME=DATA", "Value of a run-time parameter");
  options.addValue("--kernel", source.kernel.options.kernel, "Kernels to take", "NAMES");
  lists.declare(options, source);
  launch.declare(options, "cuda (default), cuda:N or sim");
  options.addValue("--tuned", tuned, "Take what is not given from a tuning database", "FILE");
  options.addValue("--warmup", bench.warmup, "Launches before the timed ones (default 10)", "N");
  options.addValue("--repeats", bench.repeats, "Timed launches (default 100)", "N");
  options.addFlag("--flush-l2,!--no-flush-l2", bench.flushL2,
                  "Overwrite the L2 cache before each launch (default)");
  options.addValue("--bytes", bench.run.bytes,
                   "Bytes that a launch moves (default: those of the argument arrays)", "EXPR");
  options.addValue("--flops", bench.run.flops, "Floating-point operations of a launch", "EXPR");
  options.addRepeated("--sweep", sweeps, "Sizes to measure at, for braces in data and grid",
                      "NAME=N,N,...");
  options.addValue("--predict", predicted, "Predict the time of each row for a GPU", "GPU");
  options.addFlag("--json", json, "Report as JSON");
  page.declare(options);
  options.setFooter(benchExamples);
}

std::vector<std::pair<std::string, std::vector<int64_t>>>
readSweeps(const std::vector<std::string> &texts) {
  std::vector<std::pair<std::string, std::vector<int64_t>>> sweeps;
  for (const auto &[name, list] : splitNamed("--sweep", texts)) {
    std::vector<int64_t> &values = sweeps.emplace_back(name, std::vector<int64_t>()).second;
    for (llvm::StringRef text : splitList("--sweep " + name, list)) {
      int64_t value = 0;
      if (text.getAsInteger(0, value) || value < 1)
        usage("'--sweep " + llvm::Twine(name) + "' expects sizes, got '" + text + "'");
      values.push_back(value);
    }
  }
  return sweeps;
}

/// What stands in braces is wrong at all sizes or at none, but for divisions.
void checkBraces(const BenchCommand &command) {
  SweptSizes first;
  for (const auto &[name, values] : command.sweeps)
    first.emplace_back(name, values.front());
  RunCommand run = command.run;
  for (const auto &[name, values] : command.constants)
    for (const std::string &value : values)
      run.kernel.options.constants.push_back({name, value});
  if (tilecrt::Status filled = fillSizes(run, first); !filled.ok())
    usage(filled.message());
}

Command BenchParser::read(const OptionSet &options) {
  BenchCommand command = std::move(bench);
  command.page = page.read(options, {"FILE", "--grid"});
  command.run.kernel = source.read();
  launch.readMeasured(options, command.run);
  command.sweeps = readSweeps(sweeps);
  if (options.isGiven("--predict"))
    command.predictedGpu = readGpu(predicted);
  command.run.tuned = tuned;
  command.run.json = json;
  command.run.counters = command.run.device == DeviceKind::Simulator;
  if (options.isGiven("--bytes") && llvm::StringRef(command.run.bytes).trim().empty())
    usage("'--bytes' expects an expression");
  if (options.isGiven("--flops") && llvm::StringRef(command.run.flops).trim().empty())
    usage("'--flops' expects an expression");
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
  if (options.isGiven("--kernel"))
    command.kernels = splitList("--kernel", command.run.kernel.options.kernel);
  count(command.kernels.size());
  for (const auto &[name, values] : command.sweeps)
    count(values.size());
  for (auto &[name, text] : command.run.kernel.options.constants) {
    command.constants.emplace_back(name, splitList("--const " + name, text));
    count(command.constants.back().second.size());
  }
  command.numWarps = readNumbers(options, "--num-warps", lists.numWarps, checkNumWarps);
  command.numStages = readNumbers(options, "--num-stages", lists.numStages, checkNumStages);
  command.numCtas = readNumbers(options, "--num-ctas", lists.numCtas, checkNumCtas);
  command.splitK = readNumbers(options, "--split-k", lists.splitK, checkSplitK);
  count(command.numWarps.size());
  count(command.numStages.size());
  count(command.numCtas.size());
  count(command.splitK.size());
  checkBraces(command);
  return command;
}

} // namespace

std::unique_ptr<CommandParser> makeBenchParser() { return std::make_unique<BenchParser>(); }

} // namespace tilec::tool

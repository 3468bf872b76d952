// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of 'tilec tune'.

#include "CommandParser.h"
#include "OptionValues.h"
#include "SharedOptions.h"

namespace tilec::tool {

namespace {

constexpr const char *tuneExamples =
    R"text(DATA, EXPR, VALUES and the types deduced are those of 'tilec bench'. Tried are the configurations of
the kernel's own decorators (@triton.autotune), or those of a file, combined with the lists given
here. SPACE is a file like
  {"constants": {"BLOCK_M": [64, 128], "BLOCK_N": [64, 128]}, "num_warps": [4, 8],
   "configs": [{"constants": {"GROUP": 8}, "num_stages": 3}]}
or, of a matrix product, {"product": {"m": "M", "n": "N", "k": "K", "b_rows": false, "most": 12}}, which
--product is short for: the tiles that a model finds likely for the arguments M, N and K.
Configurations that cannot win are left out before they are compiled. Every other one is
measured in a child process, on arrays as they were given; one that faults or hangs is reported, and
the search goes on. With --device sim a weighted sum of the simulator's counters is compared. With
--predict those are measured whose time is predicted to be the least, as 'tilec explain' has it.

Examples:
  tilec tune matmul.py --grid "cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)" --arg a_ptr=randn:f16[4096x4096]
      ... --db tuned.json
  tilec tune add.tile --grid "cdiv(n, BLOCK)" ... --const BLOCK=512,1024 --num-warps 4,8
  tilec tune matmul.py ... --json --html matmul.html > matmul.json
  tilec tune --from matmul.json --html matmul.html
  tilec run matmul.py ... --tuned tuned.json)text";

int checkDeviceNumber(int value) {
  if (value < 0)
    usage("'--devices' expects numbers of devices, got " + llvm::Twine(value));
  return value;
}

class TuneParser final : public CommandParser {
public:
  void declare(OptionSet &options) override;
  Command read(const OptionSet &options) override;

private:
  SourceOptions source;
  ListedOptions lists;
  LaunchOptions launch;
  PageFlags page;
  TuneCommand tune;
  std::string devices, predicted;
  bool json = false;
};

/// "5" or "25%".
void readPredicted(llvm::StringRef text, TuneCommand &command) {
  unsigned number = 0;
  llvm::StringRef digits = text;
  bool isPart = digits.consume_back("%");
  if (digits.getAsInteger(10, number) || number < 1 || (isPart && number > 100))
    usage("'--predict' expects a number of configurations or a part of them as in 25%, got '" +
          text + "'");
  if (isPart)
    command.predictedPart = number / 100.0;
  else
    command.mostPredicted = number;
}

void TuneParser::declare(OptionSet &options) {
  source.declare(options, "NAME=DATA", "Value of a run-time parameter");
  options.addValue("--kernel", source.kernel.options.kernel,
                   "Kernel to take; needed when the file has several", "NAME");
  lists.declare(options, source);
  launch.declare(options, "cuda (default: all of a kind), cuda:N or sim");
  options.addValue("--devices", devices, "GPUs of one kind that measure together", "N,N,...");
  options.addValue("--space", tune.space, "Configurations to try, as JSON", "SPACE");
  options.addFlag("--product", tune.isProduct,
                  "Try the tiles that a model of products finds likely for M, N and K");
  options.addValue("--db", tune.database, "Database to put the best one into", "FILE");
  options.addValue("--max-configs", tune.mostConfigs, "Most configurations to compile", "N");
  options.addValue("--max-time", tune.mostSeconds, "Start no measurement after this time",
                   "SECONDS");
  options.addValue("--timeout", tune.timeoutSeconds,
                   "Time after which a configuration hangs (default 10)", "SECONDS");
  options.addValue("--time-each", tune.milliseconds,
                   "Time of the timed launches of a configuration (default 20)", "MILLISECONDS");
  options.addValue("--repeats", tune.repeats, "Most timed launches (default 100)", "N");
  options.addFlag("--flush-l2,!--no-flush-l2", tune.flushL2,
                  "Overwrite the L2 cache before each launch (default)");
  options.addFlag("--prune,!--no-prune", tune.prune,
                  "Leave out configurations that cannot win (default)");
  options.addValue("--predict", predicted,
                   "Measure only so many, or a part of those that are predicted to be the fastest",
                   "N, N%");
  options.addValue("--jobs", tune.jobs,
                   "Threads that compile (default: one a core); with sim: processes (default 1)",
                   "N");
  options.addFlag("--json", json, "Report as JSON");
  page.declare(options);
  options.setFooter(tuneExamples);
}

Command TuneParser::read(const OptionSet &options) {
  TuneCommand command = std::move(tune);
  command.page = page.read(options, {"FILE", "--grid"});
  command.run.kernel = source.read();
  launch.readMeasured(options, command.run);
  command.run.json = json;
  if (command.isProduct && !command.space.empty())
    usage("'--space' and '--product' both say what is tried");
  if (options.isGiven("--devices") && options.isGiven("--device"))
    usage("'--device' and '--devices' say the same");
  command.devices = readNumbers(options, "--devices", devices, checkDeviceNumber);
  for (auto &[name, text] : command.run.kernel.options.constants)
    command.constants.emplace_back(name, splitList("--const " + name, text));
  command.run.kernel.options.constants.clear();
  command.numWarps = readNumbers(options, "--num-warps", lists.numWarps, checkNumWarps);
  command.numStages = readNumbers(options, "--num-stages", lists.numStages, checkNumStages);
  command.numCtas = readNumbers(options, "--num-ctas", lists.numCtas, checkNumCtas);
  command.splitK = readNumbers(options, "--split-k", lists.splitK, checkSplitK);
  if (options.isGiven("--predict"))
    readPredicted(predicted, command);
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

class TuneWorkerParser final : public CommandParser {
public:
  void declare(OptionSet &options) override {
    options.addHidden("--worker-socket", command.socket);
    options.require("--worker-socket");
  }
  Command read(const OptionSet & /*options*/) override { return command; }

private:
  TuneWorkerCommand command;
};

} // namespace

std::unique_ptr<CommandParser> makeTuneWorkerParser() {
  return std::make_unique<TuneWorkerParser>();
}

std::unique_ptr<CommandParser> makeTuneParser() { return std::make_unique<TuneParser>(); }

} // namespace tilec::tool

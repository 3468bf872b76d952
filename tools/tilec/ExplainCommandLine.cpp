// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of 'tilec explain'.

#include "CommandParser.h"
#include "OptionValues.h"
#include "SharedOptions.h"

#include "tilec/Explain/GpuLimits.h"

namespace tilec::tool {

namespace {

constexpr const char *explainExamples =
    R"text(DATA and EXPR are those of 'tilec run'. The kernel runs on the simulator, which counts; times are
predicted for a GPU.

Examples:
  tilec explain softmax.tile --grid 64 --arg x=randn:f32[64x1000] --arg y=empty:f32[64x1000]
      --arg n=1000 --const BLOCK=1024
  tilec explain softmax.tile ... --gpu A100 --json -o softmax.json
  tilec explain --replay launches/softmax-4711-1)text";

class ExplainParser final : public CommandParser {
public:
  void declare(OptionSet &options) override;
  Command read(const OptionSet &options) override;

private:
  void checkInput(const OptionSet &options) const;

  SingleKernelOptions kernel;
  LaunchOptions launch;
  std::string tuned, gpu, output, replay;
  bool json = false, all = false, timeline = false;
};

void ExplainParser::declare(OptionSet &options) {
  kernel.declare(options, "NAME=DATA", "Value of a run-time parameter");
  launch.device = "sim";
  launch.declare(options, "sim (default): what counts the kernel's work");
  options.addValue("--gpu", gpu,
                   "GPU that times are predicted for (default: H200, or that of a saved launch)",
                   "NAME");
  options.addValue("--replay", replay, "Explain a saved launch", "DIR");
  options.addValue("--tuned", tuned, "Take the configuration from a tuning database", "FILE");
  options.addFlag("--json", json, "Write everything that is known as JSON");
  options.addFlag(
      "--timeline", timeline,
      "Add to the JSON what the warps of one CTA do and wait for, in the simulator's order");
  options.addFlag("--all-programs", all,
                  "Simulate all programs, however long it takes, rather than a sample");
  options.addValue("-o,--output", output, "File to write", "PATH");
  // A saved launch has both.
  options.require("FILE", false);
  options.require("--grid", false);
  options.setFooter(explainExamples);
}

/// What a saved launch decides cannot be given beside it.
void ExplainParser::checkInput(const OptionSet &options) const {
  bool isSaved = options.isGiven("--replay");
  if (isSaved && replay.empty())
    usage("'--replay' expects the folder of a saved launch");
  for (const char *option : {"FILE", "--grid"})
    if (!isSaved && !options.isGiven(option))
      usage(llvm::Twine(option) + " is required");
  for (const char *option :
       {"--arg", "--const", "--buffer", "--grid", "--kernel", "--num-warps", "--num-stages",
        "--num-ctas", "--split-k", "--seed", "--tuned", "--no-specialize"})
    if (isSaved && options.isGiven(option))
      usage(llvm::Twine("'") + option +
            "' cannot be given with '--replay': the saved launch says it");
}

Command ExplainParser::read(const OptionSet &options) {
  ExplainCommand command;
  command.run.kernel = kernel.read(options);
  launch.read(options, command.run);
  if (command.run.device != DeviceKind::Simulator)
    usage("'--device' of explain expects sim, got '" + llvm::Twine(launch.device) + "'");
  llvm::Expected<const explain::GpuLimits *> limits = explain::searchGpu(gpu);
  if (!limits)
    usage(llvm::toString(limits.takeError()));
  command.gpu = options.isGiven("--gpu") ? *limits : nullptr;
  command.run.tuned = tuned;
  command.run.replay = replay;
  checkInput(options);
  command.run.counters = true;
  command.json = json;
  if (timeline && !json)
    usage("'--timeline' needs '--json'");
  command.timeline = timeline;
  command.allPrograms = all;
  if (options.isGiven("--output") && output.empty())
    usage("'-o' expects a path");
  command.output = output;
  return command;
}

} // namespace

std::unique_ptr<CommandParser> makeExplainParser() { return std::make_unique<ExplainParser>(); }

} // namespace tilec::tool

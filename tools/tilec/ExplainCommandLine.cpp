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
  tilec explain softmax.tile ... --gpu A100 --json -o softmax.json)text";

class ExplainParser final : public CommandParser {
public:
  void declare(OptionSet &options) override;
  Command read(const OptionSet &options) override;

private:
  SingleKernelOptions kernel;
  LaunchOptions launch;
  std::string tuned, gpu, output;
  bool json = false, all = false, timeline = false;
};

void ExplainParser::declare(OptionSet &options) {
  kernel.declare(options, "NAME=DATA", "Value of a run-time parameter");
  launch.device = "sim";
  launch.declare(options, "sim (default): what counts the kernel's work");
  options.addValue("--gpu", gpu, "GPU that times are predicted for (default: H200)", "NAME");
  options.addValue("--tuned", tuned, "Take the configuration from a tuning database", "FILE");
  options.addFlag("--json", json, "Write everything that is known as JSON");
  options.addFlag(
      "--timeline", timeline,
      "Add to the JSON what the warps of one CTA do and wait for, in the simulator's order");
  options.addFlag("--all-programs", all,
                  "Simulate all programs, however long it takes, rather than a sample");
  options.addValue("-o,--output", output, "File to write", "PATH");
  options.setFooter(explainExamples);
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
  command.gpu = *limits;
  command.run.tuned = tuned;
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

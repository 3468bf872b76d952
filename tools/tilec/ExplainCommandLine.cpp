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
predicted for a GPU. With '--device cuda' it is launched on one as well, for its time and for
samples of what its warps wait for. CHANGES are words: NAME=VALUE for a constant, num_warps, num_stages, num_ctas,
split_k or max_registers, grid=EXPR or grid=(EXPR, EXPR), kernel=NAME, gpu=NAME, or a file. 'triton=FOLDER' is what
Triton has made of the same kernel: a folder of its cache.

Examples:
  tilec explain softmax.tile --grid 64 --arg x=randn:f32[64x1000] --arg y=empty:f32[64x1000]
      --arg n=1000 --const BLOCK=1024
  tilec explain softmax.tile ... -o softmax.html
  tilec explain softmax.tile ... --device cuda -o softmax.html
  tilec explain softmax.tile ... --gpu A100 --json -o softmax.json
  tilec explain softmax.tile ... --against "BLOCK=2048, num_warps=8"
  tilec explain softmax.tile ... --against triton=cache/MGAYDSNJ
  tilec explain --replay launches/softmax-4711-1
  tilec explain ops.tilec --kernel add_f32 --arg x=randn:f32[1000] ...)text";

/// The words of a text, between commas and spaces outside brackets and quotes.
std::vector<std::string> splitWords(llvm::StringRef option, llvm::StringRef text) {
  std::vector<std::string> words;
  for (const std::string &part : splitList(option, text)) {
    std::string word;
    int depth = 0;
    char quote = 0;
    for (char c : part + " ") {
      if (c == ' ' && depth == 0 && !quote) {
        if (!word.empty())
          words.push_back(std::move(word));
        word.clear();
        continue;
      }
      if (quote ? c == quote : c == '\'' || c == '"')
        quote = quote ? 0 : c;
      depth += !quote && (c == '(' || c == '[');
      depth -= !quote && (c == ')' || c == ']');
      word += c;
    }
  }
  return words;
}

int readCount(llvm::StringRef name, llvm::StringRef text) {
  int value = 0;
  if (text.getAsInteger(10, value))
    usage("'--against': '" + name + "' expects a number, got '" + text + "'");
  return value;
}

/// The expressions of a grid that may be written as a tuple is.
std::string readGridChange(llvm::StringRef text) {
  int depth = 0;
  for (auto [i, c] : llvm::enumerate(text)) {
    depth += (c == '(') - (c == ')');
    if (depth == 0)
      return (i > 0 && i + 1 == text.size() ? text.drop_front().drop_back() : text).str();
  }
  return text.str();
}

ExplainChange readChange(llvm::StringRef text) {
  ExplainChange change;
  if (text.trim(" ,").empty())
    usage("'--against' expects what is different, as in 'BLOCK=2048, num_warps=8'");
  // Its code has been compiled: there is nothing to change about it.
  if (llvm::StringRef folder = text.trim(); folder.consume_front("triton=")) {
    if (folder.empty())
      usage("'--against triton=' expects a folder of Triton's cache");
    change.triton = folder.str();
    return change;
  }
  std::vector<std::string> words = splitWords("--against", text);
  for (llvm::StringRef word : words) {
    auto [name, value] = word.split('=');
    if (!word.contains('=')) {
      if (!change.file.empty())
        usage("'--against' has two files, '" + change.file + "' and '" + word + "'");
      change.file = word.str();
    } else if (name.empty() || value.empty()) {
      usage("'--against' expects NAME=VALUE, got '" + word + "'");
    } else if (name == "kernel") {
      change.kernel = value.str();
    } else if (name == "grid") {
      change.grid = readGridChange(value);
    } else if (name == "gpu") {
      change.gpu = readGpu(value);
    } else if (name == "num_warps") {
      change.config.numWarps = checkNumWarps(readCount(name, value));
    } else if (name == "num_stages") {
      change.config.numStages = checkNumStages(readCount(name, value));
    } else if (name == "num_ctas") {
      change.config.numCtas = checkNumCtas(readCount(name, value));
    } else if (name == "split_k") {
      change.config.splitK = checkSplitK(readCount(name, value));
    } else if (name == "max_registers") {
      change.config.maxRegisters = readCount(name, value);
    } else {
      change.config.set(name, value);
    }
  }
  return change;
}

class ExplainParser final : public CommandParser {
public:
  void declare(OptionSet &options) override;
  Command read(const OptionSet &options) override;

private:
  void checkInput(const OptionSet &options, llvm::StringRef file) const;

  SingleKernelOptions kernel;
  LaunchOptions launch;
  std::string tuned, gpu, cupti, output, replay, against;
  bool json = false, html = false, all = false, timeline = false;
};

void ExplainParser::declare(OptionSet &options) {
  kernel.declare(options, "NAME=DATA", "Value of a run-time parameter");
  launch.device = "sim";
  launch.declare(options, "sim (default), cuda or cuda:N: a GPU for times and samples as well");
  options.addValue("--cupti", cupti, "Library for samples of a GPU (default: libcupti.so)", "PATH");
  options.addValue("--gpu", gpu,
                   "GPU that times are predicted for (default: H200, or that of a saved launch)",
                   "NAME");
  options.addValue("--replay", replay, "Explain a saved launch", "DIR");
  options.addValue("--tuned", tuned, "Take the configuration from a tuning database", "FILE");
  options.addValue("--against", against,
                   "Compare with another configuration, file, kernel or GPU, or with Triton's code",
                   "CHANGES");
  options.addFlag("--json", json, "Write everything that is known as JSON");
  options.addFlag("--html", html, "Write it as a page for a browser; so does '-o NAME.html'");
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

/// What a saved launch or a bundle decides cannot be given beside it.
void ExplainParser::checkInput(const OptionSet &options, llvm::StringRef file) const {
  bool isSaved = options.isGiven("--replay");
  if (isSaved && replay.empty())
    usage("'--replay' expects the folder of a saved launch");
  bool isBundled = isBundle(file);
  for (const char *option : {"FILE", "--grid"})
    if (!isSaved && !isBundled && !options.isGiven(option))
      usage(llvm::Twine(option) + " is required");
  for (const char *option :
       {"--const", "--num-warps", "--num-stages", "--num-ctas", "--split-k", "--tuned"})
    if (isBundled && options.isGiven(option))
      usage(llvm::Twine("'") + option + "' cannot be given with a bundle: its code has it");
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
  bool isGpu = command.run.device == DeviceKind::Cuda;
  if (!isGpu && command.run.device != DeviceKind::Simulator)
    usage("'--device' of explain expects sim, cuda or cuda:N, got '" + llvm::Twine(launch.device) +
          "'");
  if (!isGpu && options.isGiven("--cupti"))
    usage("'--cupti' needs '--device cuda'");
  if (options.isGiven("--cupti") && cupti.empty())
    usage("'--cupti' expects a path");
  for (const char *option : {"--gpu", "--replay"})
    if (isGpu && options.isGiven(option))
      usage(llvm::Twine("'") + option + "' cannot be given with '--device cuda'");
  command.cupti = cupti;
  if (options.isGiven("--gpu"))
    command.gpu = readGpu(gpu);
  if (options.isGiven("--against"))
    command.against = readChange(against);
  command.run.tuned = tuned;
  command.run.replay = replay;
  checkInput(options, command.run.kernel.file);
  command.run.counters = true;
  command.json = json;
  if (json && html)
    usage("'--json' and '--html' cannot be given together");
  command.html = html || (!json && llvm::StringRef(output).ends_with(".html"));
  if (timeline && !json && !command.html)
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

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of 'tilec check'.

#include "CommandParser.h"
#include "OptionValues.h"
#include "SharedOptions.h"

#include "tilec/Support/Processor.h"

namespace tilec::tool {

namespace {

constexpr const char *checkExamples =
    R"text(Compiles every kernel of the files, with types and values that are guessed from annotations,
names and uses; those of configurations, heuristics and defaults are taken as they are. Nothing is
kept. A PATH that is a folder stands for the .py and .tile files in it. --arg and --const apply to
the kernels that have such a parameter.
The exit code is 1 when a kernel fails. Each file is compiled in a process of its own, so that the
others are checked whatever happens.

Examples:
  tilec check kernels.py
  tilec check src/ --target sm_80 --stop-after cubin --json
  tilec check attention.py --kernel fwd --arg q=*bf16:16 --const HEAD_DIM=128)text";

class CheckParser final : public CommandParser {
public:
  void declare(OptionSet &options) override;
  Command read(const OptionSet &options) override;

private:
  CheckCommand check;
  std::vector<std::string> arguments, constants, warnings;
  std::string stage = "ptx";
  int jobs = 0;
};

void CheckParser::declare(OptionSet &options) {
  options.addWords("PATH", check.paths, "Source files, or folders of them");
  addImportRoots(options, check.options.compile.modules.roots);
  options.addRepeated("--kernel", check.options.kernels, "Kernel to check (default: all)", "NAME");
  options.addRepeated("--arg", arguments, "Type of a parameter", "NAME=TYPE");
  options.addRepeated("--const", constants, "Value of a compile-time parameter", "NAME=VALUE");
  options.addValue("--target", check.options.compile.target,
                   "Processor: sm_80, sm_90a, sm_100, ..., or sim", "TARGET");
  options.addValue("--stop-after", stage,
                   "Stage to reach: tile, tilegpu, llvm-mlir, llvm, ptx (default), cubin", "STAGE");
  addAssemblerOption(options, check.ptxas);
  addWarningOptions(options, warnings);
  options.addValue("--timeout", check.options.timeoutSeconds, "Time for one kernel (default 60)",
                   "SECONDS");
  options.addValue("-j,--jobs", jobs, "Files that are compiled at a time (default: all cores)",
                   "N");
  options.addFlag("--verbose", check.verbose, "Print the signatures that were used");
  options.addFlag("--json", check.json, "Report as JSON");
  options.setFooter(checkExamples);
}

Command CheckParser::read(const OptionSet & /*options*/) {
  CompileOptions &compile = check.options.compile;
  for (auto &[name, type] : splitNamed("--arg", arguments))
    compile.arguments.push_back({name, type});
  for (auto &[name, value] : splitNamed("--const", constants))
    compile.constants.push_back({name, value});
  compile.warnings = readWarnings(warnings);
  if (llvm::Expected<CompileTarget> found = findTarget(compile.target); !found)
    usage(llvm::toString(found.takeError()) + ", sim");
  llvm::SmallVector<llvm::StringRef> stages;
  for (Stage known : allStages().drop_front())
    stages.push_back(stageName(known));
  compile.stopAfter = allStages().drop_front()[chooseWord("--stop-after", stage, stages)];
  if (isSimulator(compile.target))
    compile.stopAfter = std::min(compile.stopAfter, Stage::LLVM);
  if (jobs < 0 || jobs > 1024)
    usage("'--jobs' expects a number from 0 to 1024, got " + llvm::Twine(jobs));
  check.options.jobs = unsigned(jobs);
  if (!(check.options.timeoutSeconds > 0))
    usage("'--timeout' expects a positive number of seconds");
  return std::move(check);
}

} // namespace

std::unique_ptr<CommandParser> makeCheckParser() { return std::make_unique<CheckParser>(); }

} // namespace tilec::tool

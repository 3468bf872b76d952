// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of 'tilec compile'.

#include "CommandParser.h"
#include "OptionValues.h"
#include "SharedOptions.h"

#include "tilec/Support/Processor.h"
#include "tilec/Support/RemarkCategory.h"

#include "llvm/Support/FormatVariadic.h"

namespace tilec::tool {

namespace {

constexpr const char *compileExamples =
    R"text(Types are written as in Triton: *fp32, *fp32:16 (16-byte aligned), *bf16, i32, i32:16
(a multiple of 16), i64, fp32, constexpr.

Examples:
  tilec compile add.tile --arg x=*fp32:16 --arg y=*fp32:16 --arg n=i32 --const BLOCK=1024
  tilec compile add.tile ... --target sm_80 --emit cubin -o add.cubin
  tilec compile add.tile ... --emit all -o stages/ --remarks --time)text";

/// A category of remarks, or one of `more` words that stand for several.
std::string checkRemarkCategory(llvm::StringRef option, llvm::StringRef text,
                                llvm::ArrayRef<llvm::StringRef> more) {
  llvm::SmallVector<llvm::StringRef> words;
  for (const RemarkCategory &category : remarkCategories())
    words.push_back(category.name);
  words.append(more.begin(), more.end());
  return words[chooseWord(option, text, words)].str();
}

void readRemarkFilter(const std::vector<std::string> &lists, CompileCommand &command) {
  command.remarks = !lists.empty();
  for (llvm::StringRef list : lists) {
    if (list == "true")
      continue;
    llvm::SmallVector<llvm::StringRef> names;
    list.split(names, ',');
    for (llvm::StringRef name : names)
      command.remarkFilter.push_back(
          checkRemarkCategory("--remarks", name.trim(), {"perf", "passed", "all"}));
  }
}

/// Takes the '-Werror=perf' and '-Werror=CATEGORY' that are about remarks; one name is both a
/// category and a warning.
void takeRemarkErrors(std::vector<std::string> &options, CompileCommand &command) {
  std::vector<std::string> rest;
  for (const std::string &option : options) {
    llvm::StringRef name = option;
    bool isError = name.consume_front("error=");
    if (isError && !findWarning(name) && name != "all" && name != "everything") {
      command.remarksAsErrors.push_back(checkRemarkCategory("-Werror", name, {"perf"}));
      continue;
    }
    if (isError && llvm::any_of(remarkCategories(),
                                [&](const RemarkCategory &known) { return known.name == name; }))
      command.remarksAsErrors.push_back(name.str());
    rest.push_back(option);
  }
  options = std::move(rest);
}

class CompileParser final : public CommandParser {
public:
  void declare(OptionSet &options) override;
  Command read(const OptionSet &options) override;

private:
  SingleKernelOptions kernel;
  std::string target = "sm_90a", emit, output;
  /// One entry for each '--remarks': "true" when it is given without categories.
  std::vector<std::string> remarks;
  std::string remarksFormat = "text";
  bool time = false, noLineInfo = false, withTimeline = false;
  TimelineOptions timeline;
};

void CompileParser::declare(OptionSet &options) {
  kernel.declare(options, "NAME=TYPE", "Type of a run-time parameter");
  options.addValue("--target", target, "Processor: sm_80, sm_90a, sm_100, ..., or sim", "TARGET");
  options.addValue("--emit", emit,
                   "Stage to write: ast, tile, tilegpu, llvm-mlir, llvm, ptx (default), cubin, all",
                   "STAGE");
  options.addValue("-o,--output", output,
                   "File to write (metadata goes to PATH.json), or the folder for --emit all",
                   "PATH");
  options.addFlagWithValues(
      "--remarks", remarks,
      "Say which optimisations did not apply, and why; --remarks=CATEGORY,... only those",
      "[=CATEGORY,...]");
  options.addValue("--remarks-format", remarksFormat, "Remarks as text, json", "FORMAT");
  options.addFlag("--time", time, "Print the time of each stage");
  options.addFlag("--no-line-info", noLineInfo, "No source lines in the PTX and the cubin");
  options.addFlag("--timeline", withTimeline,
                  "Let warps write what they do and wait for, into a buffer that the kernel takes");
  timeline.declare(options);
  std::string footer = compileExamples;
  footer += "\n\nCategories of remarks (and perf, passed, all), for --remarks and -Werror=:";
  for (const RemarkCategory &category : remarkCategories())
    footer += llvm::formatv("\n  {0,-19} {1}", category.name, category.meaning);
  options.setFooter(footer);
}

Command CompileParser::read(const OptionSet &options) {
  CompileCommand command;
  takeRemarkErrors(kernel.source.warnings, command);
  command.kernel = kernel.read(options);
  timeline.read(options, withTimeline, command.kernel.options);
  command.target = target;
  bool forHost = isSimulator(command.target);
  if (llvm::Expected<CompileTarget> found = findTarget(command.target); !found)
    usage(llvm::toString(found.takeError()) + ", sim");

  llvm::SmallVector<llvm::StringRef> stages;
  for (Stage stage : allStages())
    stages.push_back(stageName(stage));
  stages.push_back("all");
  if (emit.empty())
    emit = forHost ? "llvm-mlir" : "ptx";
  size_t stage = chooseWord("--emit", emit, stages);
  command.emit.reset();
  if (stage < allStages().size())
    command.emit = allStages()[stage];
  if (forHost && command.emit && *command.emit > Stage::LLVMMLIR)
    usage("target 'sim' has no stage '" + emit +
          "', expected one of ast, tile, tilegpu, "
          "llvm-mlir, all");

  command.output = output;
  if (options.isGiven("--output") && output.empty())
    usage("'-o' expects a path");
  if (!command.emit && (command.output.empty() || command.output == "-"))
    usage("'--emit all' needs a folder: '-o DIR'");
  if (command.emit == Stage::Cubin && command.output.empty())
    usage("'--emit cubin' writes binary data and needs a file: '-o PATH'");
  readRemarkFilter(remarks, command);
  command.remarksFormat = readFormat("--remarks-format", remarksFormat);
  command.time = time;
  command.lineInfo = !noLineInfo;
  return command;
}

} // namespace

std::unique_ptr<CommandParser> makeCompileParser() { return std::make_unique<CompileParser>(); }

} // namespace tilec::tool

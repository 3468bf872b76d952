// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only file that knows CLI11, which splits the words into options. Which options a command has
// and what their values mean is in a file for each command.

#include "CommandLine.h"

#include "CommandParser.h"
#include "OptionValues.h"

#include "tilec/Support/WarningOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"

#include <CLI/CLI.hpp>

#include <cctype>

namespace tilec::tool {

//===--------------------------------------------------------------------===//
// OptionSet
//===--------------------------------------------------------------------===//

void OptionSet::addWord(const std::string &name, std::string &value, const std::string &text) {
  app.add_option(name, value, text)->type_name("");
}

void OptionSet::addWords(const std::string &name, std::vector<std::string> &values,
                         const std::string &text) {
  app.add_option(name, values, text)->required()->type_name("");
}

void OptionSet::addValue(const std::string &name, std::string &value, const std::string &text,
                         const std::string &valueName) {
  app.add_option(name, value, text)->type_name(valueName);
}

void OptionSet::addValue(const std::string &name, int &value, const std::string &text,
                         const std::string &valueName) {
  app.add_option(name, value, text)->type_name(valueName);
}

void OptionSet::addValue(const std::string &name, unsigned &value, const std::string &text,
                         const std::string &valueName) {
  app.add_option(name, value, text)->type_name(valueName);
}

void OptionSet::addValue(const std::string &name, double &value, const std::string &text,
                         const std::string &valueName) {
  app.add_option(name, value, text)->type_name(valueName);
}

void OptionSet::addRepeated(const std::string &name, std::vector<std::string> &values,
                            const std::string &text, const std::string &valueName) {
  app.add_option(name, values, text)->allow_extra_args(false)->type_name(valueName);
}

void OptionSet::addFlag(const std::string &name, bool &value, const std::string &text) {
  app.add_flag(name, value, text);
}

void OptionSet::addFlag(const std::string &name, std::optional<bool> &value,
                        const std::string &text) {
  // A flag of a variable would be false when it is not given.
  app.add_flag_function(name, [&value](int64_t times) { value = times > 0; }, text);
}

void OptionSet::addFlagWithValues(const std::string &name, std::vector<std::string> &values,
                                  const std::string &text, const std::string &valueName) {
  app.add_flag(name, values, text)->type_name(valueName);
}

void OptionSet::addHidden(const std::string &name, int &value) {
  app.add_option(name, value)->group("");
}

void OptionSet::require(const std::string &name, bool isNeeded) {
  app.get_option(name)->required(isNeeded);
}

void OptionSet::setFooter(const std::string &text) { app.footer(text); }

bool OptionSet::isGiven(const std::string &name) const { return app.count(name) != 0; }

//===--------------------------------------------------------------------===//
// Commands
//===--------------------------------------------------------------------===//

namespace {

struct CommandEntry {
  const char *name, *text;
  std::unique_ptr<CommandParser> (*make)();
};

/// In the order of the help, which does not show those without a text.
constexpr CommandEntry commands[] = {
    {"compile", "Compile a kernel and write one stage, or all", makeCompileParser},
    {"run", "Run a kernel on a GPU, on the simulator or on the interpreter", makeRunParser},
    {"bench", "Time kernels on a GPU, or count on the simulator", makeBenchParser},
    {"explain", "Say what a kernel loses time with", makeExplainParser},
    {"check", "Compile every kernel of some files and report", makeCheckParser},
    {"kernels", "List kernels, their parameters and configurations", makeKernelsParser},
    {"doctor", "Say what this machine has and what is missing", makeDoctorParser},
    {"layout", "Print a layout, or the plan of a conversion", makeLayoutParser},
    {"cache", "Show or clean the cache of compiled kernels", makeCacheParser},
    {"tune", "Find the fastest configuration of a kernel", makeTuneParser},
    {"tune-worker", nullptr, makeTuneWorkerParser},
    {"tuned", "List tuning databases, or merge them", makeTunedParser},
    {"build", "Compile kernels ahead of time into C source", makeBuildParser},
};

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

//===--------------------------------------------------------------------===//
// Errors
//===--------------------------------------------------------------------===//

std::string describeWarnings() {
  std::string text = "Warnings; those marked with * are given unless switched off:\n";
  for (const WarningName &warning : warningNames())
    text += llvm::formatv("  {0} {1,-21} {2}\n", warning.isDefault ? "*" : " ", warning.name,
                          warning.meaning);
  return text +
         "-WNAME gives one, -Wno-NAME does not, -Werror=NAME makes an error of it, -Werror of "
         "all that are given;\n-Wall stands for those with a *, -Weverything for all.\n";
}

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
  CLI::App top("tilec compiles and runs tile kernels: Triton's kernel language, without Python.",
               "tilec");
  top.set_version_flag("--version", "tilec " TILEC_VERSION " (LLVM " LLVM_VERSION_STRING ")");
  top.require_subcommand(1);
  top.footer(topExamples);
  std::vector<llvm::StringRef> names, shownNames;
  std::vector<std::unique_ptr<CommandParser>> parsers;
  for (const CommandEntry &entry : commands) {
    names.push_back(entry.name);
    parsers.push_back(entry.make());
    CLI::App *command = top.add_subcommand(entry.name, entry.text ? entry.text : "");
    if (entry.text)
      shownNames.push_back(entry.name);
    else
      command->group("");
    OptionSet options(*command);
    parsers.back()->declare(options);
  }
  auto chosen = [&]() -> CLI::App * {
    return top.get_subcommands().empty() ? nullptr : top.get_subcommands().front();
  };
  auto chosenName = [&] { return chosen() ? chosen()->get_name() : std::string(); };

  if (llvm::is_contained(arguments, "--help-warnings")) {
    ParsedCommandLine listed;
    listed.text = describeWarnings();
    return listed;
  }
  if (!arguments.empty() && !llvm::StringRef(arguments[0]).starts_with("-") &&
      !llvm::is_contained(names, arguments[0]))
    return usageError(
        "unknown command '" + arguments[0] + "'" + suggestion(arguments[0], shownNames), "");
  ParsedCommandLine result;
  try {
    top.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    size_t index = size_t(llvm::find(names, chosenName()) - names.begin());
    result.command = parsers[index]->read(OptionSet(*chosen()));
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
      return usageError("no command given, expected compile, run, bench, explain, build, tune, "
                        "tuned, check, kernels, "
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

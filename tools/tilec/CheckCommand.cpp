// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec check: prints what checkFiles() finds, file by file, and a summary.

#include "Commands.h"
#include "Console.h"
#include "Environment.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

namespace tilec::tool {

namespace json = llvm::json;

namespace {

class Printer {
public:
  explicit Printer(const CheckCommand &checkCommand) : command(checkCommand) {}

  void print(const FileCheckReport &file);
  ExitCode finish();

private:
  ExitCode printSummary();

  const CheckCommand &command;
  std::map<std::string, unsigned> counts;
  unsigned numFiles = 0, numKernels = 0, badFiles = 0;
  std::vector<double> times;
  json::Array reports;
};

/// The messages of a file or kernel. Of a child that was lost there is one, which has no place.
std::string textOf(const json::Object &report, const std::string &path) {
  if (auto text = report.getString("text"))
    return text->str();
  std::string text;
  if (const json::Array *diagnostics = report.getArray("diagnostics"))
    for (const json::Value &diagnostic : *diagnostics) {
      auto name = report.getString("name"), why = diagnostic.getAsObject()->getString("message");
      text += "tilec: error: " + path + (name ? ": " + name->str() : "") + ": " + why->str() + "\n";
    }
  return text;
}

std::string listSignature(const json::Object &kernel) {
  std::string text;
  for (llvm::StringRef part : {"arguments", "constants"})
    if (const json::Object *entries = kernel.getObject(part)) {
      std::map<std::string, std::string> sorted;
      for (const auto &[name, value] : *entries)
        sorted[name.str()] = value.getAsString().value_or("").str();
      for (const auto &[name, value] : sorted)
        text += (text.empty() ? "" : ", ") + name + "=" + value;
    }
  return text;
}

} // namespace

void Printer::print(const FileCheckReport &file) {
  ++numFiles;
  std::string text;
  if (file.problem) {
    ++badFiles;
    text += textOf(*file.problem, file.path);
  }
  if (!file.problem && file.kernels.empty() && command.verbose)
    text += file.path + ": no kernels\n";
  for (const json::Object &kernel : file.kernels) {
    ++numKernels;
    std::string status = kernel.getString("status").value_or("internal").str();
    ++counts[status];
    if (std::optional<double> time = kernel.getNumber("milliseconds"))
      times.push_back(*time);
    text += textOf(kernel, file.path);
    text +=
        llvm::formatv("{0}: {1}: {2}", file.path, kernel.getString("name").value_or(""), status);
    if (command.verbose)
      text += " (" + listSignature(kernel) + ")";
    text += '\n';
  }
  if (!command.json) {
    (void)writeToStdout(text);
    return;
  }
  json::Array kernels;
  for (const json::Object &kernel : file.kernels) {
    json::Object entry = kernel;
    entry.erase("text");
    kernels.push_back(std::move(entry));
  }
  json::Object report{{"file", json::fixUTF8(file.path)}, {"kernels", std::move(kernels)}};
  if (file.problem)
    if (const json::Array *diagnostics = file.problem->getArray("diagnostics"))
      report["diagnostics"] = json::Array(*diagnostics);
  reports.push_back(std::move(report));
}

ExitCode Printer::printSummary() {
  llvm::sort(times);
  double median = times.empty() ? 0 : times[times.size() / 2];
  if (command.json) {
    json::Object statuses;
    for (const auto &[status, count] : counts)
      statuses[status] = count;
    json::Object all{{"files", std::move(reports)},
                     {"summary", json::Object{{"files", numFiles},
                                              {"badFiles", badFiles},
                                              {"kernels", numKernels},
                                              {"statuses", std::move(statuses)},
                                              {"medianMilliseconds", median}}}};
    return writeToStdout(llvm::formatv("{0:2}\n", json::Value(std::move(all))).str());
  }
  std::string text =
      llvm::formatv("{0} kernel{1} in {2} file{3}: {4} ok", numKernels, numKernels == 1 ? "" : "s",
                    numFiles, numFiles == 1 ? "" : "s", counts.count("ok") ? counts["ok"] : 0);
  for (const auto &[status, count] : counts)
    if (status != "ok")
      text += llvm::formatv(", {0} {1}", count, status);
  if (badFiles != 0)
    text += llvm::formatv(", {0} file{1} not parsed", badFiles, badFiles == 1 ? "" : "s");
  if (command.verbose && !times.empty())
    text += llvm::formatv("; median {0:F1} ms", median);
  (void)writeToStdout(text + "\n");
  return ExitCode::Ok;
}

ExitCode Printer::finish() {
  if (ExitCode written = printSummary(); written != ExitCode::Ok)
    return written;
  if (badFiles != 0 || counts["error"] != 0 || counts["timeout"] != 0)
    return ExitCode::InputError;
  if (counts["internal"] != 0 || counts["crash"] != 0)
    return ExitCode::Internal;
  return counts["ok"] == numKernels ? ExitCode::Ok : ExitCode::Unavailable;
}

ExitCode execute(const CheckCommand &command) {
  std::vector<std::string> files = listSourceFiles(command.paths);
  if (files.empty())
    return reportError("no source files in '" + llvm::join(command.paths, "', '") + "'");
  FileCheckOptions options = command.options;
  options.compile.tools = readToolSearch(command.ptxas);
  Printer printer(command);
  checkFiles(files, options, [&](const FileCheckReport &file) { printer.print(file); });
  return printer.finish();
}

} // namespace tilec::tool

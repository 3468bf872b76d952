// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec compile: one kernel to one stage, or to all of them as files.

#include "CacheSetup.h"
#include "Commands.h"
#include "CompileOutcome.h"
#include "Console.h"
#include "OutputFile.h"
#include "SourceFile.h"
#include "tilec/Support/Processor.h"
#include "tilec/Support/RemarkCategory.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <chrono>

namespace tilec::tool {

namespace {

/// The stages that a target has.
std::vector<Stage> stagesOf(llvm::StringRef target) {
  std::vector<Stage> stages = allStages().vec();
  if (isSimulator(target))
    stages.erase(llvm::find(stages, Stage::LLVM), stages.end());
  return stages;
}

CompileOptions makeOptions(const CompileCommand &command) {
  CompileOptions options = makeCompileOptions(command.kernel);
  for (const auto &[name, type] : command.kernel.arguments)
    options.arguments.push_back({name, type});
  options.target = command.target;
  options.keep = command.emit ? std::vector<Stage>{*command.emit} : stagesOf(command.target);
  options.stopAfter = options.keep.back();
  options.lineInfo = command.lineInfo;
  options.remarks = command.remarks || !command.remarksAsErrors.empty();
  return options;
}

bool countsAsError(const CompileCommand &command, const Diagnostic &diagnostic) {
  if (diagnostic.severity != Severity::Remark || diagnostic.category == "cache")
    return false;
  return llvm::any_of(command.remarksAsErrors, [&](llvm::StringRef name) {
    return name == "perf" ? isPerformanceRemark(diagnostic.category) : diagnostic.category == name;
  });
}

/// Prints diagnostics and remarks, each in its format. Returns true when remarks became errors.
bool report(const CompileCommand &command, const SourceManager &sources,
            const DiagnosticEngine &collected) {
  DiagnosticEngine diagnostics(/*limit=*/0), remarks;
  bool promoted = false;
  bool apart = command.remarksFormat != command.kernel.diagnosticsFormat;
  for (const Diagnostic &diagnostic : collected.getDiagnostics()) {
    bool isError = countsAsError(command, diagnostic);
    promoted |= isError;
    if (isError)
      copyDiagnostic(diagnostic, Severity::Error, diagnostics);
    else if (diagnostic.severity != Severity::Remark)
      copyDiagnostic(diagnostic, diagnostic.severity, diagnostics);
    else if (diagnostic.category == "cache")
      copyDiagnostic(diagnostic, Severity::Remark, diagnostics);
    else if (command.remarks && isRemarkSelected(diagnostic.category, command.remarkFilter))
      copyDiagnostic(diagnostic, Severity::Remark, apart ? remarks : diagnostics);
  }
  printDiagnostics(sources, diagnostics, command.kernel.diagnosticsFormat);
  if (apart && command.remarks)
    printDiagnostics(sources, remarks, command.remarksFormat);
  return promoted;
}

void printTimes(llvm::ArrayRef<StageTime> times) {
  double total = 0;
  for (const StageTime &time : times)
    total += time.milliseconds;
  std::string text = llvm::formatv("{0,-12}{1,10}{2,8}\n", "stage", "ms", "%");
  for (const StageTime &time : times)
    text += llvm::formatv("{0,-12}{1,10:F2}{2,8:F1}\n", time.name, time.milliseconds,
                          total > 0 ? 100 * time.milliseconds / total : 0.0);
  text += llvm::formatv("{0,-12}{1,10:F2}{2,8:F1}\n", "total", total, 100.0);
  writeToStderr(text);
}

/// Metadata goes beside the code that it is about.
bool hasMetadata(Stage stage) { return stage == Stage::PTX || stage == Stage::Cubin; }

ExitCode writeStage(const CompileCommand &command, const CompiledKernel &kernel) {
  auto text = kernel.stages.find(*command.emit);
  if (text == kernel.stages.end())
    return reportInternalError("stage '" + stageName(*command.emit) + "' was not kept");
  ExitCode code = writeOutput(command.output, text->second);
  bool toFile = !command.output.empty() && command.output != "-";
  if (code == ExitCode::Ok && toFile && hasMetadata(*command.emit))
    code = writeOutput(command.output + ".json", tilecrt::toJson(kernel.metadata));
  return code;
}

ExitCode writeAllStages(const CompileCommand &command, const CompiledKernel &kernel) {
  ExitCode code = makeFolder(command.output);
  auto write = [&](llvm::StringRef extension, llvm::StringRef content) {
    if (code != ExitCode::Ok)
      return;
    llvm::SmallString<256> path(command.output);
    llvm::sys::path::append(path, kernel.metadata.name + "." + extension);
    code = writeOutput(path, content);
  };
  for (const auto &[stage, text] : kernel.stages)
    write(stageExtension(stage), text);
  write("json", tilecrt::toJson(kernel.metadata));
  return code;
}

} // namespace

ExitCode execute(const CompileCommand &command) {
  SourceManager sources;
  std::optional<FileId> file = loadSource(sources, command.kernel.file);
  if (!file)
    return ExitCode::InputError;

  KernelCache cache(command.kernel.cache);
  CompileOptions options = makeOptions(command);
  auto start = std::chrono::steady_clock::now();
  cache.attachTo(options);
  Compiler compiler;
  std::chrono::duration<double, std::milli> setup = std::chrono::steady_clock::now() - start;
  DiagnosticEngine diagnostics;
  std::unique_ptr<CompiledKernel> kernel = compiler.compile(sources, *file, options, diagnostics);
  bool promoted = report(command, sources, diagnostics);
  if (!kernel)
    return reportFailure(compiler.lastFailure());
  if (command.time) {
    std::vector<StageTime> times = {{"setup", setup.count()}};
    times.insert(times.end(), kernel->times.begin(), kernel->times.end());
    printTimes(times);
  }
  if (promoted)
    return ExitCode::InputError;

  // Without ptxas the compiler still hands over everything up to the PTX.
  ExitCode incomplete = reportFailure(compiler.lastFailure());
  if (!command.emit) {
    ExitCode written = writeAllStages(command, *kernel);
    if (written == ExitCode::Ok && incomplete == ExitCode::Unavailable)
      reportNote("all stages but the cubin were written to '" + command.output + "'");
    return written == ExitCode::Ok ? incomplete : written;
  }
  return incomplete == ExitCode::Ok ? writeStage(command, *kernel) : incomplete;
}

} // namespace tilec::tool

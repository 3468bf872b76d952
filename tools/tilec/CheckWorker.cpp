// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CheckWorker.h.

#include "CheckWorker.h"

#include "Environment.h"

#include "tilec/Driver/KernelCheck.h"
#include "tilec/Syntax/Parser.h"

#include <chrono>

namespace tilec::tool {

namespace json = llvm::json;

namespace {

/// Puts the messages into a report, as text and as JSON.
void addMessages(json::Object &report, const SourceManager &sources,
                 const DiagnosticEngine &diagnostics) {
  report["text"] = json::fixUTF8(renderDiagnostics(sources, diagnostics));
  llvm::Expected<json::Value> list = json::parse(renderDiagnosticsAsJson(sources, diagnostics));
  if (list)
    report["diagnostics"] = std::move(*list);
  else
    llvm::consumeError(list.takeError());
}

class FileChecker {
public:
  FileChecker(const CheckCommand &checkCommand, LineChannel &lineChannel)
      : command(checkCommand), channel(lineChannel) {}

  void run(const std::string &path, size_t first);

private:
  bool isSelected(const KernelInfo &kernel, const ast::Module &tree) const {
    if (!command.kernels.empty())
      return llvm::is_contained(command.kernels, kernel.name);
    // What other files call is no kernel of its own either.
    const ast::FunctionDef *function = tree.findJitFunction(kernel.name);
    return kernel.isEntry && function && !needsBlocks(findParamUses(tree, *function));
  }
  void reportFile(const DiagnosticEngine &diagnostics) {
    json::Object report;
    addMessages(report, sources, diagnostics);
    channel.send(json::Object{{"file", std::move(report)}});
  }
  /// What is given on the command line and the kernel has.
  CompileOptions makeOptions(const KernelInfo &kernel) const;
  json::Object check(const KernelInfo &kernel, const ast::Module &tree, FileId file);

  const CheckCommand &command;
  LineChannel &channel;
  SourceManager sources;
  Compiler compiler;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

CompileOptions FileChecker::makeOptions(const KernelInfo &kernel) const {
  CompileOptions options;
  options.modules.roots = command.importRoots;
  options.kernel = kernel.name;
  options.target = command.target;
  options.stopAfter = command.stopAfter;
  options.warnings = warningsOfGuess(command.warnings);
  options.tools = readToolSearch(command.ptxas);
  auto has = [&](const std::string &name) {
    return llvm::any_of(kernel.params, [&](const KernelParam &p) { return p.name == name; });
  };
  for (const auto &[name, type] : command.arguments)
    if (has(name))
      options.arguments.push_back({name, type});
  for (const auto &[name, value] : command.constants)
    if (has(name))
      options.constants.push_back({name, value});
  return options;
}

json::Object FileChecker::check(const KernelInfo &kernel, const ast::Module &tree, FileId file) {
  auto start = std::chrono::steady_clock::now();
  CompileOptions options = makeOptions(kernel), reported;
  // What a later stage refuses may only be guessed too large; a bug of the compiler is reported.
  constexpr size_t attempts = 3;
  DiagnosticEngine diagnostics;
  std::unique_ptr<CompiledKernel> compiled;
  std::vector<PlausibleSignature> rejected;
  unsigned numTried = 0;
  Failure failure = Failure::None;
  while (true) {
    PlausibleSignature signature = findPlausibleSignature(context, sources, tree, kernel, options,
                                                          command.timeoutSeconds / 4, rejected);
    numTried += signature.numTried;
    if (!rejected.empty() && !signature.isAccepted)
      break;
    CompileOptions guessed = options;
    guessed.arguments = signature.arguments;
    guessed.constants = signature.constants;
    DiagnosticEngine messages;
    compiled = compiler.compile(sources, file, guessed, messages);
    bool isLate = !compiled && signature.isAccepted && compiler.lastFailure() == Failure::Input;
    if (rejected.empty() || !isLate) {
      diagnostics = std::move(messages);
      failure = compiler.lastFailure();
      reported = std::move(guessed);
    }
    if (!isLate)
      break;
    rejected.push_back(std::move(signature));
    if (rejected.size() == attempts)
      break;
  }
  std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;

  const char *status = "error";
  switch (failure) {
  case Failure::None:
    status = compiled ? "ok" : "error";
    break;
  case Failure::Input:
    break;
  case Failure::Unavailable:
    status = "unavailable";
    break;
  case Failure::Internal:
    status = "internal";
    break;
  }
  json::Object report{{"name", kernel.name},
                      {"line", int64_t(sources.getLineColumn(kernel.range).line)},
                      {"status", status},
                      {"milliseconds", elapsed.count()},
                      {"signaturesTried", int64_t(numTried)}};
  json::Object arguments, constants;
  for (const ArgumentSpec &argument : reported.arguments)
    arguments[argument.name] = argument.type;
  for (const ConstantSpec &constant : reported.constants)
    constants[constant.name] = constant.value;
  report["arguments"] = std::move(arguments);
  report["constants"] = std::move(constants);
  if (compiled) {
    json::Object times;
    for (const StageTime &time : compiled->times)
      times[time.name] = time.milliseconds;
    report["times"] = std::move(times);
  }
  addMessages(report, sources, diagnostics);
  return report;
}

void FileChecker::run(const std::string &path, size_t first) {
  DiagnosticEngine diagnostics;
  llvm::Expected<FileId> file = sources.loadFile(path);
  if (!file) {
    diagnostics.error(SourceRange(), llvm::toString(file.takeError()));
    return reportFile(diagnostics);
  }
  // Most files of a project are for the host only.
  if (getSourceLanguage(path) == SourceLanguage::Python &&
      !sources.getBuffer(*file)->getText().contains("jit"))
    return;
  std::unique_ptr<ast::Module> tree = parseModule(sources, *file, diagnostics);
  if (!tree || diagnostics.hasErrors())
    return reportFile(diagnostics);
  ModuleLoader modules(sources, {command.importRoots, {}});
  std::vector<KernelInfo> kernels = listKernels(*tree, sources, diagnostics, &modules,
                                                /*hidden=*/true);
  if (diagnostics.hasErrors())
    return reportFile(diagnostics);
  size_t index = 0;
  for (const KernelInfo &kernel : kernels) {
    if (!isSelected(kernel, *tree))
      continue;
    if (index++ < first)
      continue;
    channel.send(json::Object{{"begin", kernel.name},
                              {"index", int64_t(index - 1)},
                              {"line", int64_t(sources.getLineColumn(kernel.range).line)}});
    channel.send(check(kernel, *tree, *file));
  }
}

} // namespace

void checkFile(const CheckCommand &command, const std::string &path, size_t first,
               LineChannel &channel) {
  FileChecker(command, channel).run(path, first);
  channel.send(json::Object{{"end", true}});
}

} // namespace tilec::tool

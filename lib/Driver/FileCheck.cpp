// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FileCheck.h. A child compiles the kernels of one file, one after the other; what it finds
// goes to the parent as lines of JSON:
//   {"begin": NAME, "index": I, "line": L}         before a kernel is compiled
//   {"name": NAME, "status": ..., ...}             after it, an entry of the report
//   {"file": {...}}                                the file itself is wrong
//   {"end": true}
// The parent listens to several children, and starts others behind kernels that are lost.

#include "tilec/Driver/FileCheck.h"

#include "tilec/Driver/KernelCheck.h"
#include "tilec/Support/ChildProcess.h"
#include "tilec/Syntax/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <chrono>
#include <cstring>
#include <thread>

#include <poll.h>

namespace json = llvm::json;
using Clock = std::chrono::steady_clock;

namespace tilec {

std::vector<std::string> listSourceFiles(const std::vector<std::string> &paths) {
  std::vector<std::string> files;
  for (const std::string &path : paths) {
    if (!llvm::sys::fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    std::error_code error;
    for (llvm::sys::fs::recursive_directory_iterator entry(path, error, /*follow=*/false), end;
         entry != end && !error; entry.increment(error)) {
      llvm::StringRef name = entry->path();
      if ((name.ends_with(".py") || name.ends_with(".tile")) && !llvm::sys::fs::is_directory(name))
        found.push_back(name.str());
    }
    llvm::sort(found);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

//===----------------------------------------------------------------------------------===//
// The child
//===----------------------------------------------------------------------------------===//

namespace {

/// What a later stage refuses may only be guessed too large; then others are tried.
constexpr size_t mostAttempts = 3;

/// A kernel that was compiled, or was not.
struct Attempt {
  std::unique_ptr<CompiledKernel> kernel;
  Failure failure = Failure::None;
  /// The signature, and what was said with it.
  CompileOptions options;
  DiagnosticEngine diagnostics;
  unsigned numTried = 0;
};

class FileChecker {
public:
  FileChecker(const FileCheckOptions &checkOptions, LineChannel &lineChannel)
      : options(checkOptions), channel(lineChannel) {}

  void run(const std::string &path, size_t first);

private:
  bool isSelected(const KernelInfo &kernel, const ast::Module &tree) const;
  void reportFile(const DiagnosticEngine &diagnostics);
  /// What is given and the kernel has.
  CompileOptions optionsOf(const KernelInfo &kernel) const;
  Attempt compile(const KernelInfo &kernel, const ast::Module &tree, FileId file);
  json::Object check(const KernelInfo &kernel, const ast::Module &tree, FileId file);
  /// Puts the messages into a report, as text and as JSON.
  void addMessages(json::Object &report, const DiagnosticEngine &diagnostics) const;

  const FileCheckOptions &options;
  LineChannel &channel;
  SourceManager sources;
  Compiler compiler;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

} // namespace

void FileChecker::addMessages(json::Object &report, const DiagnosticEngine &diagnostics) const {
  report["text"] = json::fixUTF8(renderDiagnostics(sources, diagnostics));
  llvm::Expected<json::Value> list = json::parse(renderDiagnosticsAsJson(sources, diagnostics));
  if (list)
    report["diagnostics"] = std::move(*list);
  else
    llvm::consumeError(list.takeError());
}

void FileChecker::reportFile(const DiagnosticEngine &diagnostics) {
  json::Object report;
  addMessages(report, diagnostics);
  channel.send(json::Object{{"file", std::move(report)}});
}

bool FileChecker::isSelected(const KernelInfo &kernel, const ast::Module &tree) const {
  if (!options.kernels.empty())
    return llvm::is_contained(options.kernels, kernel.name);
  // What other files call is no kernel of its own either.
  const ast::FunctionDef *function = tree.findJitFunction(kernel.name);
  return kernel.isEntry && function && !needsBlocks(findParamUses(tree, *function));
}

CompileOptions FileChecker::optionsOf(const KernelInfo &kernel) const {
  CompileOptions result = options.compile;
  result.kernel = kernel.name;
  result.warnings = warningsOfGuess(result.warnings);
  auto isOfAnother = [&](const auto &given) {
    return llvm::none_of(kernel.params,
                         [&](const KernelParam &param) { return param.name == given.name; });
  };
  llvm::erase_if(result.arguments, isOfAnother);
  llvm::erase_if(result.constants, isOfAnother);
  return result;
}

Attempt FileChecker::compile(const KernelInfo &kernel, const ast::Module &tree, FileId file) {
  CompileOptions given = optionsOf(kernel);
  Attempt result;
  std::vector<PlausibleSignature> rejected;
  while (rejected.size() < mostAttempts) {
    PlausibleSignature signature = findPlausibleSignature(context, sources, tree, kernel, given,
                                                          options.timeoutSeconds / 4, rejected);
    result.numTried += signature.numTried;
    if (!rejected.empty() && !signature.isAccepted)
      break;
    CompileOptions guessed = given;
    guessed.arguments = signature.arguments;
    guessed.constants = signature.constants;
    DiagnosticEngine messages;
    std::unique_ptr<CompiledKernel> compiled = compiler.compile(sources, file, guessed, messages);
    // A bug of the compiler is reported.
    bool isLate = !compiled && signature.isAccepted && compiler.lastFailure() == Failure::Input;
    if (rejected.empty() || !isLate) {
      result.kernel = std::move(compiled);
      result.failure = compiler.lastFailure();
      result.diagnostics = std::move(messages);
      result.options = std::move(guessed);
    }
    if (!isLate)
      break;
    rejected.push_back(std::move(signature));
  }
  return result;
}

static const char *statusOf(const Attempt &attempt) {
  switch (attempt.failure) {
  case Failure::None:
    return attempt.kernel ? "ok" : "error";
  case Failure::Input:
    return "error";
  case Failure::Unavailable:
    return "unavailable";
  case Failure::Internal:
    return "internal";
  }
  return "internal";
}

json::Object FileChecker::check(const KernelInfo &kernel, const ast::Module &tree, FileId file) {
  auto start = std::chrono::steady_clock::now();
  Attempt attempt = compile(kernel, tree, file);
  std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
  json::Object arguments, constants;
  for (const ArgumentSpec &argument : attempt.options.arguments)
    arguments[argument.name] = argument.type;
  for (const ConstantSpec &constant : attempt.options.constants)
    constants[constant.name] = constant.value;
  json::Object report{{"name", kernel.name},
                      {"line", int64_t(sources.getLineColumn(kernel.range).line)},
                      {"status", statusOf(attempt)},
                      {"milliseconds", elapsed.count()},
                      {"signaturesTried", int64_t(attempt.numTried)},
                      {"arguments", std::move(arguments)},
                      {"constants", std::move(constants)}};
  if (attempt.kernel) {
    json::Object times;
    for (const StageTime &time : attempt.kernel->times)
      times[time.name] = time.milliseconds;
    report["times"] = std::move(times);
  }
  addMessages(report, attempt.diagnostics);
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
  ModuleLoader modules(sources, options.compile.modules);
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

//===----------------------------------------------------------------------------------===//
// The parent
//===----------------------------------------------------------------------------------===//

namespace {

/// What a child ends with after an exception.
constexpr int internalExitCode = 3;

/// One file, and the child that is at it.
struct Job {
  FileCheckReport report;
  size_t nextKernel = 0;
  /// The kernel that the child has begun; empty: none.
  std::string current;
  int64_t currentLine = 0;
  ChildProcess child;
  Clock::time_point deadline;
  bool isDone = false;
};

class Checker {
public:
  Checker(const std::vector<std::string> &files, const FileCheckOptions &checkOptions,
          llvm::function_ref<void(const FileCheckReport &)> consumer)
      : options(checkOptions), use(consumer), jobs(files.size()) {
    for (size_t i = 0; i < files.size(); ++i)
      jobs[i].report.path = files[i];
  }

  void run();

private:
  bool start(Job &job);
  void startSome();
  /// Waits until a child has said something or is late.
  void wait();
  /// Whether the file goes on: with its child, or with another one.
  bool serve(Job &job);
  /// Reaps a child that ended or is late; what it was at is reported unless it was done.
  void stop(Job &job, bool isLate);
  /// Takes in what a child has sent. False when the child is gone.
  bool receive(Job &job);
  void abandonKernel(Job &job, llvm::StringRef status, const std::string &why);
  Clock::time_point nextDeadline() const {
    return Clock::now() + std::chrono::milliseconds(int64_t(options.timeoutSeconds * 1000));
  }

  const FileCheckOptions &options;
  llvm::function_ref<void(const FileCheckReport &)> use;
  std::vector<Job> jobs;
  size_t nextJob = 0;
  std::vector<Job *> running;
};

} // namespace

bool Checker::start(Job &job) {
  job.current.clear();
  job.deadline = nextDeadline();
  return job.child.fork([&](LineChannel &channel) {
    closeStandardStreams();
    try {
      FileChecker(options, channel).run(job.report.path, job.nextKernel);
      channel.send(json::Object{{"end", true}});
    } catch (...) {
      return internalExitCode;
    }
    return 0;
  });
}

void Checker::abandonKernel(Job &job, llvm::StringRef status, const std::string &why) {
  json::Array diagnostics{json::Object{{"severity", "error"}, {"message", why}}};
  json::Object report{{"status", status}, {"diagnostics", std::move(diagnostics)}};
  if (job.current.empty()) {
    job.report.problem = std::move(report);
    job.isDone = true;
    return;
  }
  report["name"] = job.current;
  report["line"] = job.currentLine;
  job.report.kernels.push_back(std::move(report));
  ++job.nextKernel;
}

void Checker::stop(Job &job, bool isLate) {
  ProcessEnd end = job.child.wait(isLate ? 0 : -1);
  if (job.isDone)
    return;
  if (isLate)
    abandonKernel(job, "timeout",
                  llvm::formatv("takes more than {0} s (--timeout)", options.timeoutSeconds).str());
  else
    abandonKernel(job, "crash",
                  end.signal != 0 ? std::string("the compiler crashed: ") + ::strsignal(end.signal)
                                  : "the compiler ended with " + end.describe());
}

bool Checker::receive(Job &job) {
  while (std::optional<json::Object> line = job.child.getChannel().receive(0)) {
    if (line->get("end")) {
      job.isDone = true;
      return false;
    }
    if (json::Object *file = line->getObject("file")) {
      job.report.problem = std::move(*file);
      continue;
    }
    if (std::optional<llvm::StringRef> name = line->getString("begin")) {
      job.current = name->str();
      job.currentLine = line->getInteger("line").value_or(0);
      job.nextKernel = size_t(line->getInteger("index").value_or(0));
      job.deadline = nextDeadline();
      continue;
    }
    job.current.clear();
    ++job.nextKernel;
    job.report.kernels.push_back(std::move(*line));
  }
  return job.child.getChannel().isTimeUp();
}

void Checker::startSome() {
  unsigned most =
      options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  for (; running.size() < most && nextJob < jobs.size(); ++nextJob) {
    Job &job = jobs[nextJob];
    if (start(job)) {
      running.push_back(&job);
    } else {
      job.isDone = true;
      abandonKernel(job, "internal", "cannot start a process");
    }
  }
}

void Checker::wait() {
  std::vector<pollfd> pollers;
  Clock::time_point first = running.front()->deadline;
  for (Job *job : running) {
    pollers.push_back({job->child.getChannel().getDescriptor(), POLLIN, 0});
    first = std::min(first, job->deadline);
  }
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(first - Clock::now()).count();
  ::poll(pollers.data(), nfds_t(pollers.size()), int(std::clamp<int64_t>(left + 1, 1, 60000)));
}

bool Checker::serve(Job &job) {
  bool isAlive = receive(job);
  bool isLate = isAlive && Clock::now() >= job.deadline;
  if (isAlive && !isLate)
    return true;
  stop(job, isLate);
  if (!job.isDone && start(job))
    return true;
  job.isDone = true;
  return false;
}

void Checker::run() {
  auto next = jobs.begin();
  for (startSome(); !running.empty(); startSome()) {
    wait();
    llvm::erase_if(running, [&](Job *job) { return !serve(*job); });
    for (; next != jobs.end() && next->isDone; ++next)
      use(next->report);
  }
  for (; next != jobs.end(); ++next)
    use(next->report);
}

void checkFiles(const std::vector<std::string> &files, const FileCheckOptions &options,
                llvm::function_ref<void(const FileCheckReport &)> use) {
  Checker(files, options, use).run();
}

} // namespace tilec

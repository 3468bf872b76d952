// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec check: every kernel of some files, in child processes. A child that crashes or takes too
// long over a kernel loses that kernel only: another one goes on behind it.

#include "CheckWorker.h"
#include "Commands.h"
#include "Console.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <chrono>
#include <cstring>
#include <map>
#include <thread>

#include <poll.h>

namespace tilec::tool {

namespace json = llvm::json;
using Clock = std::chrono::steady_clock;

namespace {

/// The files that the paths of the command line stand for.
std::vector<std::string> collectFiles(const std::vector<std::string> &paths) {
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

/// One file, and the child that is at it.
struct Job {
  std::string path;
  size_t nextKernel = 0;
  /// The kernel that the child has begun; empty: none.
  std::string current;
  int64_t currentLine = 0;
  ChildProcess child;
  Clock::time_point deadline;
  std::vector<json::Object> kernels;
  std::optional<json::Object> fileReport;
  bool isDone = false;
};

class Checker {
public:
  explicit Checker(const CheckCommand &checkCommand) : command(checkCommand) {}

  ExitCode run();

private:
  bool start(Job &job);
  /// Reaps a child that ended or is late; what it was at is reported unless it was done.
  void stop(Job &job, bool isLate);
  /// Takes in what a child has sent. False when the child is gone.
  bool receive(Job &job);
  void abandonKernel(Job &job, llvm::StringRef status, const std::string &why);
  void work();
  void print(const Job &job);
  ExitCode finish();

  const CheckCommand &command;
  std::vector<Job> jobs;
  size_t numPrinted = 0;
  std::map<std::string, unsigned> counts;
  unsigned numKernels = 0, badFiles = 0;
  std::vector<double> times;
  json::Array reports;
};

bool Checker::start(Job &job) {
  job.current.clear();
  job.deadline = Clock::now() + std::chrono::milliseconds(int64_t(command.timeoutSeconds * 1000));
  return job.child.fork([&](LineChannel &channel) {
    closeStandardStreams();
    try {
      checkFile(command, job.path, job.nextKernel, channel);
    } catch (...) {
      return int(ExitCode::Internal);
    }
    return 0;
  });
}

void Checker::abandonKernel(Job &job, llvm::StringRef status, const std::string &why) {
  std::string place = job.current.empty() ? job.path : job.path + ": " + job.current;
  std::string text = "tilec: error: " + place + ": " + why + "\n";
  json::Array diagnostics{json::Object{{"severity", "error"}, {"message", why}}};
  json::Object report{
      {"status", status}, {"text", std::move(text)}, {"diagnostics", std::move(diagnostics)}};
  if (job.current.empty()) {
    job.fileReport = std::move(report);
    job.isDone = true;
    return;
  }
  report["name"] = job.current;
  report["line"] = job.currentLine;
  job.kernels.push_back(std::move(report));
  ++job.nextKernel;
}

void Checker::stop(Job &job, bool isLate) {
  ProcessEnd end = job.child.wait(isLate ? 0 : -1);
  if (job.isDone)
    return;
  if (isLate)
    abandonKernel(job, "timeout",
                  llvm::formatv("takes more than {0} s (--timeout)", command.timeoutSeconds).str());
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
      job.fileReport = std::move(*file);
      continue;
    }
    if (std::optional<llvm::StringRef> name = line->getString("begin")) {
      job.current = name->str();
      job.currentLine = line->getInteger("line").value_or(0);
      job.nextKernel = size_t(line->getInteger("index").value_or(0));
      job.deadline =
          Clock::now() + std::chrono::milliseconds(int64_t(command.timeoutSeconds * 1000));
      continue;
    }
    job.current.clear();
    ++job.nextKernel;
    job.kernels.push_back(std::move(*line));
  }
  return job.child.getChannel().isTimeUp();
}

void Checker::work() {
  unsigned most =
      command.jobs != 0 ? command.jobs : std::max(1u, std::thread::hardware_concurrency());
  size_t nextJob = 0;
  std::vector<Job *> running;
  while (true) {
    for (; running.size() < most && nextJob < jobs.size(); ++nextJob) {
      Job &job = jobs[nextJob];
      if (start(job)) {
        running.push_back(&job);
      } else {
        job.isDone = true;
        abandonKernel(job, "internal", "cannot start a process");
      }
    }
    if (running.empty())
      return;
    std::vector<pollfd> pollers;
    Clock::time_point first = running.front()->deadline;
    for (Job *job : running) {
      pollers.push_back({job->child.getChannel().getDescriptor(), POLLIN, 0});
      first = std::min(first, job->deadline);
    }
    auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(first - Clock::now()).count();
    ::poll(pollers.data(), nfds_t(pollers.size()), int(std::clamp<int64_t>(wait + 1, 1, 60000)));
    std::vector<Job *> goesOn;
    for (Job *job : running) {
      bool isAlive = receive(*job);
      bool isLate = isAlive && Clock::now() >= job->deadline;
      if (isAlive && !isLate) {
        goesOn.push_back(job);
        continue;
      }
      stop(*job, isLate);
      if (!job->isDone && start(*job))
        goesOn.push_back(job);
      else
        job->isDone = true;
    }
    running = std::move(goesOn);
    for (; numPrinted < jobs.size() && jobs[numPrinted].isDone; ++numPrinted)
      print(jobs[numPrinted]);
  }
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

void Checker::print(const Job &job) {
  std::string text;
  if (job.fileReport) {
    ++badFiles;
    text += job.fileReport->getString("text").value_or("").str();
  }
  if (!job.fileReport && job.kernels.empty() && !command.json && command.verbose)
    text += job.path + ": no kernels\n";
  for (const json::Object &kernel : job.kernels) {
    ++numKernels;
    std::string status = kernel.getString("status").value_or("internal").str();
    ++counts[status];
    if (std::optional<double> time = kernel.getNumber("milliseconds"))
      times.push_back(*time);
    text += kernel.getString("text").value_or("").str();
    text += llvm::formatv("{0}: {1}: {2}", job.path, kernel.getString("name").value_or(""), status);
    if (command.verbose)
      text += " (" + listSignature(kernel) + ")";
    text += '\n';
  }
  if (!command.json) {
    (void)writeToStdout(text);
    return;
  }
  json::Array kernels;
  for (const json::Object &kernel : job.kernels) {
    json::Object entry = kernel;
    entry.erase("text");
    kernels.push_back(std::move(entry));
  }
  json::Object report{{"file", json::fixUTF8(job.path)}, {"kernels", std::move(kernels)}};
  if (job.fileReport)
    if (const json::Array *diagnostics = job.fileReport->getArray("diagnostics"))
      report["diagnostics"] = json::Array(*diagnostics);
  reports.push_back(std::move(report));
}

ExitCode Checker::finish() {
  unsigned good = counts["ok"];
  llvm::sort(times);
  double median = times.empty() ? 0 : times[times.size() / 2];
  if (command.json) {
    json::Object statuses;
    for (const auto &[status, count] : counts)
      if (count != 0)
        statuses[status] = count;
    json::Object all{{"files", std::move(reports)},
                     {"summary", json::Object{{"files", jobs.size()},
                                              {"badFiles", badFiles},
                                              {"kernels", numKernels},
                                              {"statuses", std::move(statuses)},
                                              {"medianMilliseconds", median}}}};
    ExitCode written = writeToStdout(llvm::formatv("{0:2}\n", json::Value(std::move(all))).str());
    if (written != ExitCode::Ok)
      return written;
  } else {
    std::string text =
        llvm::formatv("{0} kernel{1} in {2} file{3}: {4} ok", numKernels,
                      numKernels == 1 ? "" : "s", jobs.size(), jobs.size() == 1 ? "" : "s", good);
    for (const auto &[status, count] : counts)
      if (status != "ok" && count != 0)
        text += llvm::formatv(", {0} {1}", count, status);
    if (badFiles != 0)
      text += llvm::formatv(", {0} file{1} not parsed", badFiles, badFiles == 1 ? "" : "s");
    if (command.verbose && !times.empty())
      text += llvm::formatv("; median {0:F1} ms", median);
    (void)writeToStdout(text + "\n");
  }
  if (badFiles != 0 || counts["error"] != 0 || counts["timeout"] != 0)
    return ExitCode::InputError;
  if (counts["internal"] != 0 || counts["crash"] != 0)
    return ExitCode::Internal;
  return good == numKernels ? ExitCode::Ok : ExitCode::Unavailable;
}

ExitCode Checker::run() {
  for (const std::string &path : collectFiles(command.paths)) {
    Job job;
    job.path = path;
    jobs.push_back(std::move(job));
  }
  if (jobs.empty())
    return reportError("no source files in '" + llvm::join(command.paths, "', '") + "'");
  work();
  for (; numPrinted < jobs.size(); ++numPrinted)
    print(jobs[numPrinted]);
  return finish();
}

} // namespace

ExitCode execute(const CheckCommand &command) { return Checker(command).run(); }

} // namespace tilec::tool

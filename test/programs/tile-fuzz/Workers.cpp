// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A child sends the verdict of every program that it has done. When it ends early, the program that
// it was at is the culprit, and another child goes on behind it.

#include "Workers.h"

#include "Generator.h"

#include "tilec/Support/ChildProcess.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/resource.h>

namespace tilec::fuzz {

namespace {

/// Seconds until a process that does not compute either is given up.
constexpr int kMostSilence = 600;

/// Ends this process when it computes for too long from now on.
void limitTime() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  auto used = rlim_t(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
  rlimit limit{used + kMostSeconds, RLIM_INFINITY};
  setrlimit(RLIMIT_CPU, &limit);
}

void send(LineChannel &channel, const Verdict &verdict) {
  channel.send(llvm::json::Object{{"kind", int64_t(verdict.kind)},
                                  {"text", llvm::json::fixUTF8(verdict.text)}});
}

std::optional<Verdict> receive(LineChannel &channel, int milliseconds) {
  std::optional<llvm::json::Object> record = channel.receive(milliseconds);
  if (!record)
    return std::nullopt;
  return Verdict{Verdict::Kind(record->getInteger("kind").value_or(0)),
                 record->getString("text").value_or("").str()};
}

/// How a child ended that sends nothing more; kills it when it does not end.
Verdict finish(ChildProcess &child, bool hangs) {
  ProcessEnd end = child.wait(hangs ? 0 : -1);
  if (hangs)
    return {Verdict::Kind::Hang, "no output for " + std::to_string(kMostSilence) + " seconds"};
  if (end.signal == SIGXCPU)
    return {Verdict::Kind::Hang, "no end after " + std::to_string(kMostSeconds) + " seconds"};
  if (end.signal != 0)
    return {Verdict::Kind::Crash, std::string("error: ") + strsignal(end.signal)};
  if (end.exitCode != 0)
    return {Verdict::Kind::Crash,
            "error: the process ended with status " + std::to_string(end.exitCode)};
  return {};
}

using Clock = std::chrono::steady_clock;

/// One of several that share the seeds: every jobs-th.
struct Worker {
  ChildProcess child;
  uint64_t next = 0;
  Clock::time_point lastSign;
};

} // namespace

Verdict runIsolated(const std::string &target, const Subject &subject) {
  ChildProcess child;
  bool started = child.fork([&](LineChannel &channel) {
    Differential differential(target);
    limitTime();
    send(channel, differential.run(subject));
    return 0;
  });
  if (!started)
    return {Verdict::Kind::Crash, "error: cannot start a process"};
  if (std::optional<Verdict> verdict = receive(child.getChannel(), kMostSilence * 1000))
    return *verdict;
  return finish(child, child.getChannel().isTimeUp());
}

void runSeeds(const std::string &target, uint64_t first, uint64_t count, int jobs,
              const std::function<bool(uint64_t, const Verdict &)> &report) {
  std::vector<Worker> workers{size_t(jobs)};
  uint64_t step = uint64_t(jobs), last = first + count;
  auto finishProgram = [&](Worker &worker, const Verdict &verdict) {
    worker.lastSign = Clock::now();
    uint64_t seed = worker.next;
    worker.next += step;
    return report(seed, verdict);
  };
  // False when there is nothing more to report.
  auto start = [&](Worker &worker) {
    worker.lastSign = Clock::now();
    auto work = [&](LineChannel &channel) {
      Differential differential(target);
      for (uint64_t seed = worker.next; seed < last; seed += step) {
        limitTime();
        send(channel, differential.run(subjectOf(generate(seed))));
      }
      return 0;
    };
    while (worker.next < last && !worker.child.fork(work))
      if (!finishProgram(worker, {Verdict::Kind::Crash, "error: cannot start a process"}))
        return false;
    return true;
  };
  for (size_t i = 0; i < workers.size(); ++i) {
    workers[i].next = first + i;
    if (!start(workers[i]))
      return;
  }
  while (true) {
    std::vector<pollfd> requests;
    for (Worker &worker : workers)
      if (worker.child.isRunning())
        requests.push_back({worker.child.getChannel().getDescriptor(), POLLIN, 0});
    if (requests.empty())
      return;
    if (poll(requests.data(), nfds_t(requests.size()), 1000) < 0 && errno != EINTR)
      return;
    for (Worker &worker : workers) {
      if (!worker.child.isRunning())
        continue;
      while (std::optional<Verdict> verdict = receive(worker.child.getChannel(), 0))
        if (!finishProgram(worker, *verdict))
          return;
      bool isOpen = worker.child.getChannel().isTimeUp();
      if (isOpen && Clock::now() - worker.lastSign <= std::chrono::seconds(kMostSilence))
        continue;
      Verdict verdict = finish(worker.child, /*hangs=*/isOpen);
      if (worker.next < last && !finishProgram(worker, verdict))
        return;
      if (!start(worker))
        return;
    }
  }
}

} // namespace tilec::fuzz

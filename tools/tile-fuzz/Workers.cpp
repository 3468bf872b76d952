// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A child writes a record for every program that it has done: the verdict's kind, the length of its
// text, the text. When it ends early, the program that it was at is the culprit, and another child
// goes on behind it.

#include "Workers.h"

#include "Generator.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilec::fuzz {

namespace {

/// Seconds until a process that does not compute either is given up.
constexpr int kMostSilence = 600;

bool writeAll(int file, const void *data, size_t bytes) {
  const char *from = static_cast<const char *>(data);
  while (bytes > 0) {
    ssize_t written = write(file, from, bytes);
    if (written <= 0)
      return false;
    from += written;
    bytes -= size_t(written);
  }
  return true;
}

struct RecordHeader {
  uint32_t kind;
  uint32_t bytes;
};

/// Ends this process when it computes for too long from now on.
void limitTime() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  auto used = rlim_t(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
  rlimit limit{used + kMostSeconds, RLIM_INFINITY};
  setrlimit(RLIMIT_CPU, &limit);
}

void send(int file, const Verdict &verdict) {
  RecordHeader header{uint32_t(verdict.kind), uint32_t(verdict.text.size())};
  if (!writeAll(file, &header, sizeof(header)) ||
      !writeAll(file, verdict.text.data(), verdict.text.size()))
    _exit(3);
}

/// A process with a pipe.
class Child {
public:
  /// Calls `work(pipe)` in the child.
  explicit Child(const std::function<void(int)> &work) {
    int ends[2];
    if (pipe(ends) != 0)
      return;
    process = fork();
    if (process == 0) {
      close(ends[0]);
      work(ends[1]);
      _exit(0);
    }
    close(ends[1]);
    file = ends[0];
  }
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;
  ~Child() {
    if (file >= 0)
      close(file);
    if (process > 0 && !isReaped) {
      kill(process, SIGKILL);
      waitpid(process, nullptr, 0);
    }
  }

  bool isRunning() const { return process > 0; }
  int getFile() const { return file; }

  /// Reads what there is; false at the end.
  bool read() {
    char buffer[4096];
    ssize_t bytes = ::read(file, buffer, sizeof(buffer));
    if (bytes <= 0)
      return false;
    data.append(buffer, size_t(bytes));
    return true;
  }

  /// The next whole record.
  bool take(Verdict &verdict) {
    RecordHeader header;
    if (data.size() < sizeof(header))
      return false;
    std::memcpy(&header, data.data(), sizeof(header));
    if (data.size() < sizeof(header) + header.bytes)
      return false;
    verdict.kind = Verdict::Kind(header.kind);
    verdict.text = data.substr(sizeof(header), header.bytes);
    data.erase(0, sizeof(header) + header.bytes);
    return true;
  }

  /// How it ended, after the end of its data; kills it when it does not end.
  Verdict finish(bool hangs) {
    if (hangs)
      kill(process, SIGKILL);
    int status = 0;
    waitpid(process, &status, 0);
    isReaped = true;
    if (hangs)
      return {Verdict::Kind::Hang, "no output for " + std::to_string(kMostSilence) + " seconds"};
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
      return {Verdict::Kind::Hang, "no end after " + std::to_string(kMostSeconds) + " seconds"};
    if (WIFSIGNALED(status))
      return {Verdict::Kind::Crash, std::string("error: ") + strsignal(WTERMSIG(status))};
    if (WEXITSTATUS(status) != 0)
      return {Verdict::Kind::Crash,
              "error: the process ended with status " + std::to_string(WEXITSTATUS(status))};
    return {};
  }

private:
  pid_t process = -1;
  int file = -1;
  bool isReaped = false;
  std::string data;
};

using Clock = std::chrono::steady_clock;

/// One of several that share the seeds: every jobs-th.
struct Worker {
  std::unique_ptr<Child> child;
  uint64_t next = 0;
  Clock::time_point lastSign;
};

} // namespace

Verdict runIsolated(const std::string &target, const Subject &subject) {
  Child child([&](int file) {
    Differential differential(target);
    limitTime();
    send(file, differential.run(subject));
  });
  if (!child.isRunning())
    return {Verdict::Kind::Crash, "error: cannot start a process"};
  Clock::time_point end = Clock::now() + std::chrono::seconds(kMostSilence);
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd request{child.getFile(), POLLIN, 0};
    int ready = poll(&request, 1, int(std::max<int64_t>(0, left)));
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready == 0)
      return child.finish(/*hangs=*/true);
    if (!child.read())
      break;
  }
  Verdict verdict, ending = child.finish(/*hangs=*/false);
  return child.take(verdict) ? verdict : ending;
}

void runSeeds(const std::string &target, uint64_t first, uint64_t count, int jobs,
              const std::function<bool(uint64_t, const Verdict &)> &report) {
  std::vector<Worker> workers{size_t(jobs)};
  uint64_t step = uint64_t(jobs), last = first + count;
  auto start = [&](Worker &worker) {
    worker.child.reset();
    if (worker.next >= last)
      return;
    worker.lastSign = Clock::now();
    worker.child = std::make_unique<Child>([&, begin = worker.next](int file) {
      Differential differential(target);
      for (uint64_t seed = begin; seed < last; seed += step) {
        limitTime();
        send(file, differential.run(subjectOf(generate(seed))));
      }
    });
  };
  for (size_t i = 0; i < workers.size(); ++i) {
    workers[i].next = first + i;
    start(workers[i]);
  }
  while (true) {
    std::vector<pollfd> requests;
    std::vector<Worker *> asked;
    for (Worker &worker : workers)
      if (worker.child) {
        requests.push_back({worker.child->getFile(), POLLIN, 0});
        asked.push_back(&worker);
      }
    if (requests.empty())
      return;
    if (poll(requests.data(), nfds_t(requests.size()), 1000) < 0 && errno != EINTR)
      return;
    for (size_t i = 0; i < asked.size(); ++i) {
      Worker &worker = *asked[i];
      bool hangs = Clock::now() - worker.lastSign > std::chrono::seconds(kMostSilence);
      bool isOpen = true;
      if (requests[i].revents != 0)
        isOpen = worker.child->read();
      else if (!hangs)
        continue;
      Verdict verdict;
      bool hadRecord = false;
      while (worker.child->take(verdict)) {
        hadRecord = true;
        worker.lastSign = Clock::now();
        uint64_t seed = worker.next;
        worker.next += step;
        if (!report(seed, verdict))
          return;
      }
      if (isOpen && (hadRecord || !hangs))
        continue;
      verdict = worker.child->finish(isOpen);
      if (worker.next < last) {
        uint64_t seed = worker.next;
        worker.next += step;
        if (!report(seed, verdict))
          return;
      }
      start(worker);
    }
  }
}

} // namespace tilec::fuzz

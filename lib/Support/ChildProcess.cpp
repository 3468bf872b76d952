// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ChildProcess.h.

#include "tilec/Support/ChildProcess.h"

#include "llvm/Support/FormatVariadic.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace json = llvm::json;

namespace tilec {

LineChannel::LineChannel(LineChannel &&other) noexcept
    : descriptor(std::exchange(other.descriptor, -1)), buffer(std::move(other.buffer)),
      timeUp(other.timeUp) {}

LineChannel &LineChannel::operator=(LineChannel &&other) noexcept {
  std::swap(descriptor, other.descriptor);
  std::swap(buffer, other.buffer);
  std::swap(timeUp, other.timeUp);
  return *this;
}

LineChannel::~LineChannel() {
  if (descriptor >= 0)
    ::close(descriptor);
}

bool LineChannel::send(json::Object object) {
  std::string line = llvm::formatv("{0}\n", json::Value(std::move(object))).str();
  for (size_t done = 0; done < line.size();) {
    ssize_t count = ::send(descriptor, line.data() + done, line.size() - done, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    done += size_t(count);
  }
  return true;
}

std::optional<json::Object> LineChannel::receive(int milliseconds) {
  timeUp = false;
  auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (true) {
    if (size_t newline = buffer.find('\n'); newline != std::string::npos) {
      llvm::Expected<json::Value> value = json::parse(llvm::StringRef(buffer).take_front(newline));
      buffer.erase(0, newline + 1);
      if (!value) {
        llvm::consumeError(value.takeError());
        return std::nullopt;
      }
      json::Object *object = value->getAsObject();
      return object ? std::optional<json::Object>(std::move(*object)) : std::nullopt;
    }
    int wait = -1;
    if (milliseconds >= 0)
      wait = int(std::max<int64_t>(0, std::chrono::duration_cast<std::chrono::milliseconds>(
                                          end - std::chrono::steady_clock::now())
                                          .count()));
    pollfd poller = {descriptor, POLLIN, 0};
    int ready = ::poll(&poller, 1, wait);
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready == 0) {
      timeUp = true;
      return std::nullopt;
    }
    char chunk[4096];
    ssize_t count = ready < 0 ? -1 : ::read(descriptor, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return std::nullopt;
    buffer.append(chunk, size_t(count));
  }
}

std::string ProcessEnd::describe() const {
  if (wasKilled)
    return "";
  return signal != 0 ? "signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")"
                     : "exit code " + std::to_string(exitCode);
}

ChildProcess::ChildProcess(ChildProcess &&other) noexcept
    : process(std::exchange(other.process, -1)), isGroup(other.isGroup),
      channel(std::move(other.channel)) {}

ChildProcess &ChildProcess::operator=(ChildProcess &&other) noexcept {
  std::swap(process, other.process);
  std::swap(isGroup, other.isGroup);
  std::swap(channel, other.channel);
  return *this;
}

ChildProcess::~ChildProcess() { wait(0); }

bool ChildProcess::start(const std::string &program, const std::vector<std::string> &arguments,
                         const std::string &socketOption) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return false;
  // In the child the socket is number 3, so that nothing else of ours is open there.
  constexpr int childSocket = 3;
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  words.push_back(socketOption);
  words.push_back(std::to_string(childSocket));
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int stream = 0; stream < 3; ++stream)
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  // dup2 onto itself would keep close-on-exec.
  int given = ends[1] == childSocket ? ::fcntl(ends[1], F_DUPFD_CLOEXEC, 10) : ends[1];
  posix_spawn_file_actions_adddup2(&actions, given, childSocket);
  pid_t child = -1;
  int error = ::posix_spawn(&child, program.c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (given != ends[1])
    ::close(given);
  ::close(ends[1]);
  channel = LineChannel(ends[0]);
  process = error == 0 ? child : -1;
  isGroup = false;
  return error == 0;
}

bool ChildProcess::fork(llvm::function_ref<int(LineChannel &)> work) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return false;
  pid_t child = ::fork();
  if (child < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    return false;
  }
  if (child == 0) {
    ::setpgid(0, 0);
    // There is nobody else to notice when it hangs.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::close(ends[0]);
    rlimit none = {0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    LineChannel parent(ends[1]);
    std::_Exit(work(parent));
  }
  ::setpgid(child, child);
  ::close(ends[1]);
  channel = LineChannel(ends[0]);
  process = child;
  isGroup = true;
  return true;
}

/// Reaps a child, waiting for it as long as that.
static bool reap(pid_t process, int milliseconds, int &status) {
  if (milliseconds < 0)
    return ::waitpid(process, &status, 0) == process;
  constexpr int step = 5;
  for (int waited = 0;; waited += step) {
    if (::waitpid(process, &status, WNOHANG) == process)
      return true;
    if (waited >= milliseconds)
      return false;
    ::poll(nullptr, 0, step);
  }
}

ProcessEnd ChildProcess::wait(int milliseconds) {
  ProcessEnd end;
  if (process <= 0)
    return end;
  int status = 0;
  end.wasKilled = !reap(process, milliseconds, status);
  // After its leader ended, a group may go on.
  if (end.wasKilled || isGroup)
    ::kill(isGroup ? -process : process, SIGKILL);
  if (end.wasKilled)
    ::waitpid(process, &status, 0);
  else if (WIFSIGNALED(status))
    end.signal = WTERMSIG(status);
  else
    end.exitCode = WEXITSTATUS(status);
  process = -1;
  channel = LineChannel();
  return end;
}

void closeStandardStreams() {
  int null = ::open("/dev/null", O_RDWR);
  for (int stream = 0; stream < 3 && null >= 0; ++stream)
    ::dup2(null, stream);
}

} // namespace tilec

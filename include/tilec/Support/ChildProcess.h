// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of JSON over a socket, and a child process at its other end: another program, or a copy of
// this one that does some work and may crash or hang.

#ifndef TILEC_SUPPORT_CHILDPROCESS_H
#define TILEC_SUPPORT_CHILDPROCESS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace tilec {

class LineChannel {
public:
  /// Takes the descriptor over; -1 is a closed channel.
  explicit LineChannel(int socket = -1) : descriptor(socket) {}
  LineChannel(LineChannel &&other) noexcept;
  LineChannel &operator=(LineChannel &&other) noexcept;
  ~LineChannel();

  /// False when nobody is at the other end.
  bool send(llvm::json::Object object);
  /// The next object. Nothing when time is up (-1: never), the other end is gone, or a line is no
  /// object.
  std::optional<llvm::json::Object> receive(int milliseconds);
  /// Whether the last receive ended because time was up.
  bool isTimeUp() const { return timeUp; }
  /// To wait for several channels at once.
  int getDescriptor() const { return descriptor; }

private:
  int descriptor;
  std::string buffer;
  bool timeUp = false;
};

/// How a process ended.
struct ProcessEnd {
  /// The signal that ended it, or its exit code.
  int signal = 0, exitCode = 0;
  /// It did not end in time.
  bool wasKilled = false;

  /// "signal 11 (Segmentation fault)", "exit code 1"; empty when it was killed.
  std::string describe() const;
};

/// A child process; killed with the object.
class ChildProcess {
public:
  ChildProcess() = default;
  ChildProcess(ChildProcess &&other) noexcept;
  ChildProcess &operator=(ChildProcess &&other) noexcept;
  ~ChildProcess();

  /// Starts a program; `socketOption` and the number of its end of the socket follow the arguments.
  /// Its standard streams are /dev/null. False when it cannot be started.
  bool start(const std::string &program, const std::vector<std::string> &arguments,
             const std::string &socketOption);
  /// Does `work` in a copy of this process, whose exit code it returns. What the copy starts ends
  /// with it, and it ends with the thread that called this. False when it cannot be started.
  bool fork(llvm::function_ref<int(LineChannel &)> work);

  bool isRunning() const { return process > 0; }
  LineChannel &getChannel() { return channel; }
  /// Waits until it has ended, and kills it after that time (-1: never).
  ProcessEnd wait(int milliseconds);

private:
  int process = -1;
  /// It and what it starts are a process group.
  bool isGroup = false;
  LineChannel channel;
};

/// Points the standard streams at /dev/null.
void closeStandardStreams();

} // namespace tilec

#endif // TILEC_SUPPORT_CHILDPROCESS_H

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of JSON over a socket, and a child process at its other end.

#ifndef TILEC_TUNING_WORKERPROCESS_H
#define TILEC_TUNING_WORKERPROCESS_H

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

private:
  int descriptor;
  std::string buffer;
  bool timeUp = false;
};

/// A child process; killed with the object.
class ChildProcess {
public:
  ChildProcess() = default;
  ChildProcess(ChildProcess &&other) noexcept;
  ChildProcess &operator=(ChildProcess &&other) noexcept;
  ~ChildProcess();

  /// Starts it; `socketOption` and the number of its end of the socket follow the arguments. Its
  /// standard streams are /dev/null. False when it cannot be started.
  bool start(const std::string &program, const std::vector<std::string> &arguments,
             const std::string &socketOption);
  bool isRunning() const { return process > 0; }
  LineChannel &getChannel() { return channel; }
  /// Ends it and says how it had ended, if it had by itself: "signal 11", "exit code 1".
  std::string stop();

private:
  int process = -1;
  LineChannel channel;
};

} // namespace tilec

#endif // TILEC_TUNING_WORKERPROCESS_H

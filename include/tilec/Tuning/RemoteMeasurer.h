// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measuring in a child process, which is replaced when a configuration ends it or never ends.
// Requests and answers are lines of JSON on a socket:
//   {"config": {...}, "grid": [8, 1, 1], "milliseconds": 20, "kernel": "FILE"}
//                                   FILE as of writeKernel; none where the child compiles
//   {"cost": 12.5, "samples": [...]}
//                                   or {"error": "...", "lost": true}, after which the child ends
// Before that there is the setup, if the parent has one, and the child's {"ready": true} or error.

#ifndef TILEC_TUNING_REMOTEMEASURER_H
#define TILEC_TUNING_REMOTEMEASURER_H

#include "tilec/Support/ChildProcess.h"
#include "tilec/Tuning/Tuner.h"

namespace tilec {

struct RemoteOptions {
  std::string program;
  std::vector<std::string> arguments;
  /// A folder for kernels that are handed over.
  std::string scratch;
  /// After this time a configuration hangs.
  double timeoutSeconds = 10;
  /// Sent first, to every child.
  std::optional<llvm::json::Value> setup;
  /// Adds to the request of a candidate.
  std::function<void(const Candidate &, llvm::json::Object &)> complete;
};

class RemoteMeasurer final : public Measurer {
public:
  explicit RemoteMeasurer(RemoteOptions remoteOptions) : options(std::move(remoteOptions)) {}

  std::string start() override;
  Measurement measure(const Candidate &candidate, double milliseconds) override;

private:
  RemoteOptions options;
  ChildProcess child;
};

} // namespace tilec

#endif // TILEC_TUNING_REMOTEMEASURER_H

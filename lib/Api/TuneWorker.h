// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measuring in a process of its own, with copies of the caller's memory. The setup that
// RemoteMeasurer sends to the child is
//   {"version": "0.1.0", "device": "cuda:0", "driver": "", "repeats": 100, "flushL2": true,
//    "flags": 0, "cluster": [0, 0, 0], "source": "FILE", "sourceName": "add.tile",
//    "buffers": [{"file": "FILE", "bytes": 4096, "skew": 0}],
//    "cleared": [{"buffer": 0, "offset": 0, "bytes": 4096}],
//    "arguments": [{"buffer": 0, "offset": 0}, {"bytes": "00040000"}]}
// On the simulator the child compiles: a request has "options", those of a compilation.

#ifndef TILEC_LIB_API_TUNEWORKER_H
#define TILEC_LIB_API_TUNEWORKER_H

#include "TuningLaunch.h"

#include "tilec/Tuning/RemoteMeasurer.h"

namespace tilec::api {

/// What a process of its own has to know. Pointers are used by prepare only.
struct TuneJob {
  std::shared_ptr<RunDevice> device;
  tilec_device_launch launch = {};
  const TuningLaunch *arguments = nullptr;
  const KernelInfo *info = nullptr;
  std::string sourceName, sourceText;
  /// Empty: beside this library.
  std::string worker;
  double timeoutSeconds = 10;
  unsigned repeats = 100;
  bool flushL2 = true;
  /// How a configuration is compiled, for the simulator.
  std::function<CompileOptions(const TuningConfig &)> optionsOf;
};

/// Owns the files that the children read.
class IsolatedMeasurer {
public:
  ~IsolatedMeasurer();
  tilec_status prepare(TuneJob job);
  std::unique_ptr<Measurer> take() { return std::move(measurer); }

private:
  tilec_status writeBuffers(const TuneJob &job, llvm::json::Object &setup);
  std::string scratch;
  std::unique_ptr<Measurer> measurer;
};

/// The child: serves the socket until the parent closes it.
void serveTuning(int socket);

} // namespace tilec::api

#endif // TILEC_LIB_API_TUNEWORKER_H

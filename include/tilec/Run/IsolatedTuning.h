// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measuring in processes of their own, with copies of a launch's memory: what a configuration does
// to a process (a fault, an endless loop, a lost device) ends that process only.

#ifndef TILEC_RUN_ISOLATEDTUNING_H
#define TILEC_RUN_ISOLATEDTUNING_H

#include "tilec/Run/RunDevice.h"
#include "tilec/Tuning/Tuner.h"
#include "tilecrt/data/DataSpec.h"

#include <variant>

namespace tilec {

/// A place in the memory of a launch, by the number of the piece.
struct MemoryPlace {
  size_t memory = 0;
  uint64_t offset = 0;
};

/// A piece of memory that every process has a copy of.
struct IsolatedMemory {
  /// What findings call it; a kernel that reads an argument of this name only may not write to it.
  std::string name;
  uint64_t bytes = 0;
  /// Where it begins within 256 bytes: a copy begins there, too.
  unsigned skew = 0;
  /// Copies the content.
  std::function<tilecrt::Status(char *)> read;
  /// Where the content has addresses, and which: they become those of the copies.
  std::vector<std::pair<uint64_t, MemoryPlace>> addresses;
};

struct IsolatedArgument {
  std::string name;
  /// An address, a number that becomes whatever type the kernel has, or the bytes.
  std::variant<MemoryPlace, tilecrt::NumberData, std::string> value;
};

struct IsolatedLaunch {
  std::vector<IsolatedMemory> memory;
  std::vector<IsolatedArgument> arguments;
  /// Becomes zero before each measurement: where, and how many bytes.
  std::vector<std::pair<MemoryPlace, uint64_t>> cleared;
  std::array<uint32_t, 3> cluster = {0, 0, 0};
  bool isProgrammatic = false, isCooperative = false;
};

struct IsolationOptions {
  /// The path of 'tilec'.
  std::string program;
  std::string sourceName, sourceText;
  /// The library of the driver; empty: the installed one.
  std::string driver;
  /// The simulator looks for faults.
  bool checks = false;
  double timeoutSeconds = 10;
  unsigned repeats = 100;
  bool flushL2 = true;
  /// Says how a configuration is compiled where the processes do that, for the simulator.
  TuningProblem *problem = nullptr;
};

/// Owns the files that the processes read.
class IsolatedTuning {
public:
  static tilecrt::Result<std::unique_ptr<IsolatedTuning>> create(const IsolatedLaunch &launch,
                                                                 IsolationOptions options);
  IsolatedTuning(const IsolatedTuning &) = delete;
  IsolatedTuning &operator=(const IsolatedTuning &) = delete;
  ~IsolatedTuning();

  /// Measures on "sim" or "cuda:0". Lives no longer than this.
  std::unique_ptr<Measurer> makeMeasurer(const std::string &device) const;

  /// Predicts times on a GPU of that name, with a sample of the launch on the simulator.
  std::unique_ptr<Measurer> makePredictor(const std::string &gpu, TuningProblem &problem) const;

private:
  std::unique_ptr<Measurer> makeRemote(const std::string &device, TuningProblem *compiled) const;
  explicit IsolatedTuning(IsolationOptions given) : options(std::move(given)) {}
  tilecrt::Status write(const IsolatedLaunch &launch);

  IsolationOptions options;
  std::string scratch;
  /// For all devices.
  llvm::json::Object setup;
};

/// The process: 'tilec tune-worker'. Serves the socket until its other end is closed.
void serveTuning(int socket);

} // namespace tilec

#endif // TILEC_RUN_ISOLATEDTUNING_H

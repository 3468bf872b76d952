// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a measurement prints: one row for each combination of values, for people or as JSON.

#ifndef TILEC_TOOLS_TILEC_BENCHREPORT_H
#define TILEC_TOOLS_TILEC_BENCHREPORT_H

#include "RunOutcome.h"

#include "tilecrt/cuda/TimeKernel.h"

namespace tilec::tool {

/// One combination and what became of it.
struct BenchRow {
  std::string kernel;
  /// The point of the sweep.
  SweptSizes sizes;
  /// Every constant of the command line with its value in this row.
  std::vector<ConstantSpec> constants;
  std::optional<int> numWarps;
  std::optional<int> numStages;
  std::optional<int> numCtas;
  std::optional<int> splitK;
  /// Of the compiled kernel.
  tilecrt::KernelMetadata metadata;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  uint64_t movedBytes = 0;
  std::optional<uint64_t> flops;
  /// Microseconds, where they are predicted.
  std::optional<double> predicted;
  /// On a GPU.
  tilecrt::cuda::Timing timing;
  /// On the simulator.
  RunOutcome simulation;
  /// Why there is no measurement; empty when there is one. And the first message about it.
  std::string failure, message;

  bool isMeasured() const { return failure.empty(); }
  /// Bytes a second, in units of 10^9; 0 when nothing was timed.
  double gigabytesPerSecond() const;
  /// 10^12 operations a second, where they are known and something was timed.
  std::optional<double> teraflopsPerSecond() const;
};

struct BenchReport {
  const BenchCommand &command;
  /// "NVIDIA H200 (cuda:0)" or "simulator".
  std::string device;
  std::vector<BenchRow> rows;
};

std::string printReport(const BenchReport &report);
std::string printReportAsJson(const BenchReport &report);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_BENCHREPORT_H

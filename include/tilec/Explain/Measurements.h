// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measurements of kernels from files, in one form whatever wrote them: 'tilec bench --json',
// 'tilec tune --json', tuning databases, the scripts of tools/bench that measure tilec beside its
// peers, and tables of Triton's 'perf_report'.

#ifndef TILEC_EXPLAIN_MEASUREMENTS_H
#define TILEC_EXPLAIN_MEASUREMENTS_H

#include "tilec/Explain/GpuLimits.h"

#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilec::explain {

/// What was measured: a kernel at one size of its data.
struct MeasuredCase {
  std::string kernel;
  /// What distinguishes it from other cases of the kernel: "8192x4096 fp32"; may be empty.
  std::string size;
  /// The numbers in the size with their names, and the words: {"rows", 8192}, "fp32".
  std::vector<std::pair<std::string, double>> sizes;
  std::string variant;
  /// Bytes that a launch moves, and its floating-point operations.
  std::optional<double> bytes, flops;

  bool operator==(const MeasuredCase &other) const;
};

/// One configuration at one case.
struct MeasuredRow {
  /// The case by its index, and the file.
  size_t which = 0, file = 0;
  /// "tilec", "triton", "cublas", or the kernel where several were measured beside each other.
  std::string provider;
  /// The text of the file where its parameters do not say everything; else empty.
  std::string configuration;
  std::vector<std::pair<std::string, std::string>> parameters;
  /// "measured", "same", "pruned", "failed", "waiting", with the reason.
  std::string state = "measured", reason;
  /// By name: "time" (median), "min", "mean", "p95", "predicted", "bound" in microseconds, "cost",
  /// "gbps" and "tflops" where a file has them instead of times, "registers", "spillBytes",
  /// "sharedBytes", "requests", "sectors", "overMinimum", "wavefronts", "conflicts", "findings".
  std::vector<std::pair<std::string, double>> values;
  /// Every timed launch in order, in microseconds.
  std::vector<double> samples;

  void add(std::string name, double value) { values.emplace_back(std::move(name), value); }
};

/// Where measurements come from.
struct MeasuredFile {
  std::string name;
  /// "bench", "tuning", "database", "comparison", "predictions", "table".
  std::string kind;
  std::string device;
  /// Of the device; null where it is no GPU of the table.
  const GpuLimits *gpu = nullptr;
  /// Names and values: repeats, versions of peers, the time of a search.
  std::vector<std::pair<std::string, std::string>> settings;
};

struct Measurements {
  std::vector<MeasuredFile> files;
  std::vector<MeasuredCase> cases;
  std::vector<MeasuredRow> rows;

  /// The index of a case, which is added unless it is there.
  size_t caseOf(MeasuredCase wanted);
  /// Adds all of another one.
  void append(Measurements other);
};

/// Adds what a file has. An error names the file and the place in it. `name` is the file's.
llvm::Error addMeasurements(Measurements &into, const std::string &name, llvm::StringRef text);

/// Numbers and words of a size: "8192x4096_fp32" has rows 8192 and columns 4096, "b4h32 s4096 bf16"
/// has b, h, and s.
void readSize(MeasuredCase &measured);

/// Everything as JSON, which the page draws from. docs/measurements.md describes it.
std::string writeMeasurements(const Measurements &measurements);

} // namespace tilec::explain

#endif // TILEC_EXPLAIN_MEASUREMENTS_H

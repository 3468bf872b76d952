// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the handles of the C interface stand for. All but the compiler are immutable once they have
// a handle.

#ifndef TILEC_LIB_API_OBJECTS_H
#define TILEC_LIB_API_OBJECTS_H

#include "SlotTable.h"
#include "Status.h"

#include "tilec/Bundle/Bundle.h"
#include "tilec/Cache/CompileCache.h"
#include "tilec/Driver/Compiler.h"
#include "tilec/Explain/Report.h"
#include "tilec/IRGen/KernelSelection.h"
#include "tilec/Tuning/TuningOutcome.h"

#include "tilecrt/Timeline.h"

#include <deque>
#include <mutex>

namespace tilec::api {

/// Compilers for the threads that compile at once, kept for the next ones.
class CompilerObject {
public:
  std::unique_ptr<Compiler> take() {
    std::lock_guard<std::mutex> lock(mutex);
    if (idle.empty())
      return std::make_unique<Compiler>();
    std::unique_ptr<Compiler> compiler = std::move(idle.back());
    idle.pop_back();
    return compiler;
  }
  void giveBack(std::unique_ptr<Compiler> compiler) {
    std::lock_guard<std::mutex> lock(mutex);
    idle.push_back(std::move(compiler));
  }

private:
  std::mutex mutex;
  std::vector<std::unique_ptr<Compiler>> idle;
};

struct KernelObject {
  explicit KernelObject(std::shared_ptr<const CompiledKernel> compiled);

  std::shared_ptr<const CompiledKernel> owner;
  const CompiledKernel &kernel;
  std::string metadata;
};

/// A tilec_diagnostic that owns its texts. It needs no source manager any more.
struct DiagnosticRecord {
  Severity severity;
  std::string file;
  LineColumn begin;
  LineColumn end;
  std::string message;
  std::string category;
  std::string rendered;
  std::optional<std::string> fix;
  LineColumn fixBegin;
  LineColumn fixEnd;
};

struct DiagnosticsObject {
  /// Flattens what the engine holds: notes come behind what they belong to.
  DiagnosticsObject(const SourceManager &sources, const DiagnosticEngine &engine);

  std::vector<DiagnosticRecord> records;
  std::string text;
  std::string json;
};

struct SourceObject {
  struct Kernel {
    const KernelInfo *info;
    uint32_t line;
    /// The autotune key; its texts belong to `info`.
    std::vector<const char *> key;
  };
  SourceManager sources;
  ParsedSource parsed;
  std::vector<Kernel> kernels;
};

/// The first error with its place, for tilec_last_error.
std::string summarize(const DiagnosticsObject &diagnostics);

/// A tilec_finding that owns its texts.
struct FindingRecord {
  tilecrt::sim::Finding finding;
  tilecrt::sim::Site place;
  std::string rendered;
  std::vector<int32_t> element;
};

/// A tilec_printed_line that owns its texts.
struct PrintedRecord {
  tilecrt::sim::PrintedLine line;
  tilecrt::sim::Site place;
  std::vector<int32_t> element;
};

struct ReportObject {
  std::vector<FindingRecord> findings;
  std::vector<PrintedRecord> printed;
  tilecrt::sim::Counters totals;
  std::string text;
};

/// A tilec_config that owns its texts; stays where it is.
struct ConfigRecord {
  explicit ConfigRecord(const TuningConfig &described);
  ConfigRecord(const ConfigRecord &) = delete;
  ConfigRecord &operator=(const ConfigRecord &) = delete;

  TuningConfig config;
  std::string text;
  std::vector<tilec_binding> bindings;
  /// What the others are pointed to by.
  tilec_config raw;
};

struct TuningObject {
  TuningOutcome outcome;
  /// In the order of their costs, with a record for each.
  std::vector<const Candidate *> order;
  std::deque<ConfigRecord> configs;
  bool fromDatabase = false;
  /// The best one's code; null without one.
  std::shared_ptr<KernelObject> kernel;
  std::string text, json;
};

struct ExplanationObject {
  std::shared_ptr<const explain::Report> report;
  std::string json, text;
  /// Made when it is asked for.
  std::once_flag once;
  std::string html;
};

struct TimelineObject {
  tilecrt::timeline::Timeline timeline;
  std::string text, json;
  /// Made when they are asked for.
  std::once_flag traced, drawn;
  std::string trace, svg;
};

struct BundleObject {
  explicit BundleObject(Bundle read);

  Bundle bundle;
  /// The manifest.
  std::string json;
};

using Bundles = SlotTable<tilec_bundle, BundleObject, 6>;
using Compilers = SlotTable<tilec_compiler, CompilerObject, 7>;
using Kernels = SlotTable<tilec_kernel, KernelObject, 8>;
using Diagnostics = SlotTable<tilec_diagnostics, DiagnosticsObject, 9>;
using Caches = SlotTable<tilec_cache, CompileCache, 10>;
using Sources = SlotTable<tilec_source, SourceObject, 11>;
using Reports = SlotTable<tilec_report, ReportObject, 12>;
using Tunings = SlotTable<tilec_tuning, TuningObject, 13>;
using Explanations = SlotTable<tilec_explanation, ExplanationObject, 14>;
using Timelines = SlotTable<tilec_timeline, TimelineObject, 15>;

} // namespace tilec::api

#endif // TILEC_LIB_API_OBJECTS_H

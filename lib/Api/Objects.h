// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the handles of the C interface stand for. All but the compiler are immutable once they have
// a handle.

#ifndef TILEC_LIB_API_OBJECTS_H
#define TILEC_LIB_API_OBJECTS_H

#include "Handles.h"
#include "Status.h"

#include "tilec/Cache/CompileCache.h"
#include "tilec/Driver/Compiler.h"

namespace tilec::api {

struct CompilerObject {
  /// One compilation at a time.
  std::mutex mutex;
  Compiler compiler;
};

struct KernelObject {
  explicit KernelObject(CompiledKernel compiled);

  CompiledKernel kernel;
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
    KernelInfo info;
    uint32_t line;
  };
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

using Compilers = HandleTable<tilec_compiler, CompilerObject>;
using Kernels = HandleTable<tilec_kernel, KernelObject>;
using Diagnostics = HandleTable<tilec_diagnostics, DiagnosticsObject>;
using Caches = HandleTable<tilec_cache, CompileCache>;
using Sources = HandleTable<tilec_source, SourceObject>;
using Reports = HandleTable<tilec_report, ReportObject>;

} // namespace tilec::api

#endif // TILEC_LIB_API_OBJECTS_H

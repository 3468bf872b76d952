// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnostics of a compilation as structured data.

#include "Objects.h"

using namespace tilec;
using namespace tilec::api;

static LineColumn endOf(const SourceManager &sources, SourceRange range) {
  return sources.getLineColumn(range.atEnd());
}

static void append(const SourceManager &sources, const Diagnostic &diagnostic,
                   std::vector<DiagnosticRecord> &records) {
  DiagnosticRecord record;
  record.severity = diagnostic.severity;
  record.file = sources.getFileName(diagnostic.range).str();
  record.begin = sources.getLineColumn(diagnostic.range);
  record.end = endOf(sources, diagnostic.range);
  record.message = diagnostic.message;
  record.category = diagnostic.category;
  record.rendered = renderDiagnostic(sources, diagnostic);
  if (diagnostic.fixIt) {
    record.fix = diagnostic.fixIt->replacement;
    record.fixBegin = sources.getLineColumn(diagnostic.fixIt->range);
    record.fixEnd = endOf(sources, diagnostic.fixIt->range);
  }
  records.push_back(std::move(record));
  for (const Diagnostic &note : diagnostic.notes)
    append(sources, note, records);
}

DiagnosticsObject::DiagnosticsObject(const SourceManager &sources, const DiagnosticEngine &engine) {
  for (const Diagnostic &diagnostic : engine.getDiagnostics())
    append(sources, diagnostic, records);
  text = renderDiagnostics(sources, engine);
  json = renderDiagnosticsAsJson(sources, engine);
}

static_assert(int(Severity::Error) == TILEC_SEVERITY_ERROR &&
              int(Severity::Warning) == TILEC_SEVERITY_WARNING &&
              int(Severity::Remark) == TILEC_SEVERITY_REMARK &&
              int(Severity::Note) == TILEC_SEVERITY_NOTE);

void tilec_diagnostics_destroy(tilec_diagnostics *diagnostics) {
  Diagnostics::get().erase(diagnostics);
}

size_t tilec_diagnostics_count(const tilec_diagnostics *diagnostics) {
  return factOf<Diagnostics>(diagnostics,
                             [](DiagnosticsObject &object) { return object.records.size(); });
}

tilec_status tilec_diagnostics_get(const tilec_diagnostics *diagnostics, size_t index,
                                   tilec_diagnostic *diagnostic) {
  return onHandle<Diagnostics>(diagnostics, [&](DiagnosticsObject &object) {
    if (index >= object.records.size())
      return failIndex("diagnostic", index, object.records.size());
    const DiagnosticRecord &record = object.records[index];
    tilec_diagnostic result = {};
    result.severity = tilec_severity(record.severity);
    result.file = record.file.c_str();
    result.line = record.begin.line;
    result.column = record.begin.column;
    result.end_line = record.end.line;
    result.end_column = record.end.column;
    result.message = record.message.c_str();
    result.category = record.category.c_str();
    result.rendered = record.rendered.c_str();
    if (record.fix) {
      result.fix = record.fix->c_str();
      result.fix_line = record.fixBegin.line;
      result.fix_column = record.fixBegin.column;
      result.fix_end_line = record.fixEnd.line;
      result.fix_end_column = record.fixEnd.column;
    }
    return writeStruct(result, diagnostic, "diagnostic");
  });
}

const char *tilec_diagnostics_text(const tilec_diagnostics *diagnostics) {
  return factOf<Diagnostics>(diagnostics,
                             [](DiagnosticsObject &object) { return object.text.c_str(); });
}

const char *tilec_diagnostics_json(const tilec_diagnostics *diagnostics) {
  return factOf<Diagnostics>(diagnostics,
                             [](DiagnosticsObject &object) { return object.json.c_str(); });
}

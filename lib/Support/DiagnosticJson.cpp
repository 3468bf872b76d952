// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnostics as JSON, for editors and scripts.

#include "tilec/Support/Diagnostic.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;

/// JSON strings are UTF-8; a file name or a piece of a binary file need not be.
static std::string makeText(llvm::StringRef text) {
  return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
}

static void writeRange(llvm::json::OStream &json, const SourceManager &sources, SourceRange range) {
  const SourceBuffer *buffer = sources.getBuffer(range.file);
  if (!buffer)
    return;
  LineColumn begin = buffer->getLineColumn(range.begin);
  LineColumn end = buffer->getLineColumn(range.end);
  json.attribute("file", makeText(buffer->getName()));
  json.attribute("line", static_cast<int64_t>(begin.line));
  json.attribute("column", static_cast<int64_t>(begin.column));
  json.attribute("endLine", static_cast<int64_t>(end.line));
  json.attribute("endColumn", static_cast<int64_t>(end.column));
}

static void writeDiagnostic(llvm::json::OStream &json, const SourceManager &sources,
                            const Diagnostic &diagnostic) {
  json.object([&] {
    json.attribute("severity", getSeverityName(diagnostic.severity));
    writeRange(json, sources, diagnostic.range);
    json.attribute("message", makeText(diagnostic.message));
    if (!diagnostic.category.empty())
      json.attribute("category", makeText(diagnostic.category));
    bool isWarning =
        diagnostic.severity == Severity::Warning || diagnostic.severity == Severity::Error;
    if (isWarning && findWarning(diagnostic.category))
      json.attribute("warning", diagnostic.category);
    if (!diagnostic.metrics.empty()) {
      json.attributeObject("metrics", [&] {
        for (const auto &[name, value] : diagnostic.metrics) {
          int64_t number = 0;
          if (llvm::StringRef(value).getAsInteger(10, number))
            json.attribute(makeText(name), makeText(value));
          else
            json.attribute(makeText(name), number);
        }
      });
    }
    if (!diagnostic.notes.empty()) {
      json.attributeArray("notes", [&] {
        for (const Diagnostic &note : diagnostic.notes)
          writeDiagnostic(json, sources, note);
      });
    }
    if (diagnostic.fixIt) {
      json.attributeObject("fixIt", [&] {
        writeRange(json, sources, diagnostic.fixIt->range);
        json.attribute("replacement", makeText(diagnostic.fixIt->replacement));
      });
    }
  });
}

std::string tilec::renderDiagnosticsAsJson(const SourceManager &sources,
                                           const DiagnosticEngine &engine) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, /*IndentSize=*/2);
  json.array([&] {
    for (const Diagnostic &diagnostic : engine.getDiagnostics())
      writeDiagnostic(json, sources, diagnostic);
  });
  json.flush();
  stream << '\n';
  stream.flush();
  return text;
}

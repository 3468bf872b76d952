// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collecting diagnostics, and the two things every rendering needs: counts and names.

#include "tilec/Support/Diagnostic.h"

using namespace tilec;

llvm::StringRef tilec::getSeverityName(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Remark:
    return "remark";
  case Severity::Note:
    return "note";
  }
  return "error";
}

Diagnostic &Diagnostic::addNote(SourceRange noteRange, const llvm::Twine &text) {
  Diagnostic note;
  note.severity = Severity::Note;
  note.range = noteRange;
  note.message = text.str();
  notes.push_back(std::move(note));
  return *this;
}

Diagnostic &Diagnostic::setFixIt(SourceRange fixRange, llvm::StringRef replacement) {
  fixIt = FixItHint{fixRange, replacement.str()};
  return *this;
}

Diagnostic &DiagnosticEngine::report(Severity severity, SourceRange range,
                                     const llvm::Twine &message, llvm::StringRef category) {
  if (severity == Severity::Warning) {
    switch (warningOptions.getLevel(category)) {
    case WarningOptions::Level::Ignored:
      return dropped = Diagnostic();
    case WarningOptions::Level::Error:
      severity = Severity::Error;
      break;
    case WarningOptions::Level::Warning:
      ++numWarnings;
      break;
    }
  }
  if (severity == Severity::Error) {
    ++numErrors;
    if (isErrorLimitReached()) {
      dropped = Diagnostic();
      if (numErrors > errorLimit + 1)
        return dropped;
      Diagnostic &last = diagnostics.emplace_back();
      last.message = "too many errors, stopping after " + std::to_string(errorLimit);
      return dropped;
    }
  }
  Diagnostic &diagnostic = diagnostics.emplace_back();
  diagnostic.severity = severity;
  diagnostic.range = range;
  diagnostic.message = message.str();
  diagnostic.category = category.str();
  return diagnostic;
}

void DiagnosticEngine::adopt(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::Warning)
    ++numWarnings;
  if (diagnostic.severity == Severity::Error)
    ++numErrors;
  diagnostics.push_back(std::move(diagnostic));
}

void DiagnosticEngine::clear() {
  diagnostics.clear();
  dropped = Diagnostic();
  numErrors = 0;
  numWarnings = 0;
}

std::string tilec::renderDiagnosticSummary(const DiagnosticEngine &engine) {
  std::string text;
  auto append = [&](unsigned count, const char *what) {
    if (count == 0)
      return;
    if (!text.empty())
      text += " and ";
    text += std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  append(engine.getNumErrors(), "error");
  append(engine.getNumWarnings(), "warning");
  return text.empty() ? text : text + " generated.\n";
}

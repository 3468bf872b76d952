// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnostics as values. Everybody reports into a DiagnosticEngine, which collects and counts;
// nothing is printed by the library. Rendering, as text in the manner of clang or as JSON, is a
// separate step that the caller asks for.

#ifndef TILEC_SUPPORT_DIAGNOSTIC_H
#define TILEC_SUPPORT_DIAGNOSTIC_H

#include "tilec/Support/SourceBuffer.h"
#include "tilec/Support/WarningOptions.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilec {

enum class Severity : uint8_t { Error, Warning, Remark, Note };

/// "error", "warning", "remark" or "note".
llvm::StringRef getSeverityName(Severity severity);

/// Text that would repair the program when it replaces `range` (an empty range inserts).
struct FixItHint {
  SourceRange range;
  std::string replacement;
};

/// One message with its place, and the notes that belong to it.
struct Diagnostic {
  Severity severity = Severity::Error;
  SourceRange range;
  std::string message;
  /// What kind of message it is, for filters: "syntax", "perf", the name of a warning, "call" for a
  /// note about a call on the way to the place, ... May be empty.
  std::string category;
  std::vector<Diagnostic> notes;
  std::optional<FixItHint> fixIt;
  /// What the message says, for programs: names and values, in order. JSON only; a value that is a
  /// decimal number becomes one.
  std::vector<std::pair<std::string, std::string>> metrics;

  /// Appends a note and returns this diagnostic, so that notes can be chained.
  Diagnostic &addNote(SourceRange noteRange, const llvm::Twine &text);
  /// Attaches a repair and returns this diagnostic.
  Diagnostic &setFixIt(SourceRange fixRange, llvm::StringRef replacement);
};

/// Collects diagnostics. After `errorLimit` errors one last "too many errors" is recorded and
/// further errors are counted but dropped. Not thread-safe: one engine per compilation.
class DiagnosticEngine {
public:
  static constexpr unsigned defaultErrorLimit = 20;

  explicit DiagnosticEngine(unsigned limit = defaultErrorLimit) : errorLimit(limit) {}

  /// Records a diagnostic. The reference stays valid until clear(); it can be used to add notes
  /// (adding them to a dropped diagnostic is harmless).
  Diagnostic &report(Severity severity, SourceRange range, const llvm::Twine &message,
                     llvm::StringRef category = "");
  /// Records a diagnostic of another engine, whatever the options about warnings are.
  void adopt(Diagnostic diagnostic);
  Diagnostic &error(SourceRange range, const llvm::Twine &message, llvm::StringRef category = "") {
    return report(Severity::Error, range, message, category);
  }
  Diagnostic &warning(SourceRange range, const llvm::Twine &message,
                      llvm::StringRef category = "") {
    return report(Severity::Warning, range, message, category);
  }
  Diagnostic &remark(SourceRange range, const llvm::Twine &message, llvm::StringRef category = "") {
    return report(Severity::Remark, range, message, category);
  }

  const std::deque<Diagnostic> &getDiagnostics() const { return diagnostics; }
  /// The one that was reported last, for further notes; null when there is none.
  Diagnostic *getLast() { return diagnostics.empty() ? nullptr : &diagnostics.back(); }
  /// Which warnings are kept, and which become errors.
  void setWarningOptions(WarningOptions options) { warningOptions = std::move(options); }

  bool hasErrors() const { return numErrors != 0; }
  unsigned getNumErrors() const { return numErrors; }
  unsigned getNumWarnings() const { return numWarnings; }
  /// Whether the error limit was passed, so that going on is of no use.
  bool isErrorLimitReached() const { return errorLimit != 0 && numErrors > errorLimit; }

  /// The largest number of errors kept; 0 means no limit.
  void setErrorLimit(unsigned limit) { errorLimit = limit; }

  void clear();

private:
  std::deque<Diagnostic> diagnostics;
  Diagnostic dropped;
  WarningOptions warningOptions;
  unsigned errorLimit;
  unsigned numErrors = 0;
  unsigned numWarnings = 0;
};

/// How diagnostics are rendered as text.
struct RenderOptions {
  /// ANSI colours as clang uses them.
  bool colors = false;
  /// Show the source line and the caret under it.
  bool snippets = true;
  /// Source lines wider than this are clipped around the caret.
  unsigned maxWidth = 120;
  unsigned tabWidth = 8;
};

/// Renders in clang's manner: `file:line:col: error: message`, the source line, a caret line.
std::string renderDiagnostic(const SourceManager &sources, const Diagnostic &diagnostic,
                             const RenderOptions &options = {});

/// Renders all that the engine holds, followed by nothing; see renderDiagnosticSummary.
std::string renderDiagnostics(const SourceManager &sources, const DiagnosticEngine &engine,
                              const RenderOptions &options = {});

/// "2 errors and 1 warning generated.\n", or the empty string when there are neither.
std::string renderDiagnosticSummary(const DiagnosticEngine &engine);

/// One JSON array: {severity, file, line, column, endLine, endColumn, message, category, warning,
/// metrics, notes, fixIt}. Deterministic, two-space indented, ends in a newline.
std::string renderDiagnosticsAsJson(const SourceManager &sources, const DiagnosticEngine &engine);

} // namespace tilec

#endif // TILEC_SUPPORT_DIAGNOSTIC_H

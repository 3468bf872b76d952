// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Colours follow clang: bold red for errors when standard error is a terminal.

#include "Console.h"

#include <cerrno>
#include <system_error>

#include <unistd.h>

namespace tilec::tool {

static bool stderrIsTerminal() {
  static const bool isTerminal = ::isatty(STDERR_FILENO) != 0;
  return isTerminal;
}

static void say(llvm::StringRef kind, const char *color, const llvm::Twine &message) {
  bool colors = stderrIsTerminal();
  std::string text = colors ? "\033[1mtilec: " : "tilec: ";
  if (colors)
    text += color;
  text += kind;
  text += ": ";
  if (colors)
    text += "\033[0m";
  text += message.str();
  text += '\n';
  writeToStderr(text);
}

ExitCode reportError(const llvm::Twine &message, ExitCode code) {
  say("error", "\033[31m", message);
  return code;
}

void reportWarning(const llvm::Twine &message) { say("warning", "\033[35m", message); }

void reportNote(const llvm::Twine &message) { say("note", "\033[36m", message); }

ExitCode reportInternalError(const llvm::Twine &message) {
  say("internal error", "\033[31m", message);
  reportNote("this is a bug in tilec " TILEC_VERSION "; please report it with the command line "
             "and the source file");
  return ExitCode::Internal;
}

ExitCode exitCodeOf(tilecrt::StatusCode code) {
  switch (code) {
  case tilecrt::StatusCode::ok:
    return ExitCode::Ok;
  case tilecrt::StatusCode::unavailable:
    return ExitCode::Unavailable;
  case tilecrt::StatusCode::internal:
    return ExitCode::Internal;
  case tilecrt::StatusCode::invalidArgument:
  case tilecrt::StatusCode::outOfResources:
  case tilecrt::StatusCode::deviceError:
  case tilecrt::StatusCode::ioError:
    return ExitCode::InputError;
  }
  return ExitCode::Internal;
}

ExitCode reportUnlessOk(const tilecrt::Status &status) {
  if (status.ok())
    return ExitCode::Ok;
  if (status.code() == tilecrt::StatusCode::internal)
    return reportInternalError(status.message());
  return reportError(status.message(), exitCodeOf(status.code()));
}

void copyDiagnostic(const Diagnostic &diagnostic, Severity severity, DiagnosticEngine &into) {
  Diagnostic copy = diagnostic;
  copy.severity = severity;
  into.adopt(std::move(copy));
}

void printDiagnostics(const SourceManager &sources, const DiagnosticEngine &diagnostics,
                      TextFormat format) {
  if (format == TextFormat::Json) {
    writeToStderr(renderDiagnosticsAsJson(sources, diagnostics));
    return;
  }
  RenderOptions options;
  options.colors = stderrIsTerminal();
  std::string text;
  bool located = false;
  for (const Diagnostic &diagnostic : diagnostics.getDiagnostics()) {
    located |= diagnostic.range.isValid();
    if (!diagnostic.range.isValid())
      text += options.colors ? "\033[1mtilec: " : "tilec: ";
    text += renderDiagnostic(sources, diagnostic, options);
  }
  if (located)
    text += renderDiagnosticSummary(diagnostics);
  writeToStderr(text);
}

/// Writes everything; 0 or the system's error number.
static int writeAll(int descriptor, llvm::StringRef text) {
  while (!text.empty()) {
    ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return errno;
    text = text.drop_front(size_t(written));
  }
  return 0;
}

ExitCode writeToStdout(llvm::StringRef text) {
  if (int error = writeAll(STDOUT_FILENO, text))
    return reportError("cannot write to standard output: " +
                       std::generic_category().message(error));
  return ExitCode::Ok;
}

// Nobody is left to be told when this fails.
void writeToStderr(llvm::StringRef text) { (void)writeAll(STDERR_FILENO, text); }

} // namespace tilec::tool

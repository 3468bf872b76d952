// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that the tool says on standard output and standard error.

#ifndef TILEC_TOOLS_TILEC_CONSOLE_H
#define TILEC_TOOLS_TILEC_CONSOLE_H

#include "ExitCode.h"
#include "Options.h"

#include "tilec/Support/Diagnostic.h"
#include "tilecrt/Result.h"

#include "llvm/ADT/Twine.h"

namespace tilec::tool {

/// "tilec: error: MESSAGE" on standard error; returns `code`.
ExitCode reportError(const llvm::Twine &message, ExitCode code = ExitCode::InputError);
/// "tilec: warning: MESSAGE" and "tilec: note: MESSAGE" on standard error.
void reportWarning(const llvm::Twine &message);
void reportNote(const llvm::Twine &message);
/// "tilec: internal error: MESSAGE" with what to do about it.
ExitCode reportInternalError(const llvm::Twine &message);
/// Reports a failure of the runtime and returns the exit code of its class; Ok for success.
ExitCode reportUnlessOk(const tilecrt::Status &status);
/// The exit code of a runtime failure's class.
ExitCode exitCodeOf(tilecrt::StatusCode code);

/// Prints all diagnostics on standard error and, as text, their number. Diagnostics without a place
/// are the tool's own.
void printDiagnostics(const SourceManager &sources, const DiagnosticEngine &diagnostics,
                      TextFormat format);

/// Appends a copy of `diagnostic` with another severity.
void copyDiagnostic(const Diagnostic &diagnostic, Severity severity, DiagnosticEngine &into);

/// Writes to standard output and flushes; an error (a full disk, say) is reported.
ExitCode writeToStdout(llvm::StringRef text);
void writeToStderr(llvm::StringRef text);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_CONSOLE_H

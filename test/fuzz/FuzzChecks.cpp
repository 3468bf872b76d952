// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FuzzChecks.h.

#include "FuzzChecks.h"

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>

using namespace tilec;

void fuzz::check(bool condition, const char *what, llvm::StringRef detail) {
  if (condition)
    return;
  std::fprintf(stderr, "property violated: %s\n%s\n", what, detail.str().c_str());
  std::abort();
}

static void checkRange(const SourceManager &sources, SourceRange range, llvm::StringRef message) {
  const SourceBuffer *buffer = sources.getBuffer(range.file);
  fuzz::check(!range.isValid() || buffer, "message in no file", message);
  fuzz::check(range.begin <= range.end && (!buffer || range.end <= buffer->size()),
              "range of a message", message);
}

std::string fuzz::checkDiagnostics(const SourceManager &sources,
                                   const DiagnosticEngine &diagnostics) {
  for (const Diagnostic &diagnostic : diagnostics.getDiagnostics()) {
    check(!diagnostic.message.empty(), "empty message");
    check(!llvm::StringRef(diagnostic.message).starts_with("internal error"),
          diagnostic.message.c_str());
    checkRange(sources, diagnostic.range, diagnostic.message);
    for (const auto &note : diagnostic.notes)
      checkRange(sources, note.range, note.message);
  }
  renderDiagnosticsAsJson(sources, diagnostics);
  return renderDiagnostics(sources, diagnostics);
}

long fuzz::MemoryWatch::getPeak() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

fuzz::MemoryWatch::~MemoryWatch() {
  constexpr long limit = 256 * 1024;
  long grown = getPeak() - before;
  check(grown <= limit, "memory", std::to_string(grown / 1024) + " MiB for one input");
}

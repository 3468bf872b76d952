// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the fuzzers check of every input: properties, messages that lie in the text, and the memory
// that one input took at most. libFuzzer's own limit is one for all inputs together.

#ifndef TILEC_TEST_FUZZ_FUZZCHECKS_H
#define TILEC_TEST_FUZZ_FUZZCHECKS_H

#include "tilec/Support/Diagnostic.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilec::fuzz {

/// Prints and aborts when a property does not hold.
void check(bool condition, const char *what, llvm::StringRef detail = "");

/// Renders all messages, which must lie in the text and say something, as text and as JSON.
std::string checkDiagnostics(const SourceManager &sources, const DiagnosticEngine &diagnostics);

/// While it lives, the process must not grow by more than an input may take.
class MemoryWatch {
public:
  MemoryWatch() : before(getPeak()) {}
  ~MemoryWatch();

private:
  /// The most that was resident so far, in KiB.
  static long getPeak();
  long before;
};

} // namespace tilec::fuzz

#endif // TILEC_TEST_FUZZ_FUZZCHECKS_H

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that runs a list of cases on a GPU or on the simulator, compares every output with its
// reference and prints a table: tilec-examples and tilec-language-tests.

#ifndef TILEC_TEST_PROGRAMS_EXAMPLES_CASEPROGRAM_H
#define TILEC_TEST_PROGRAMS_EXAMPLES_CASEPROGRAM_H

#include "Case.h"

namespace tilec::harness {

struct CaseProgram {
  const char *name = "";
  /// The first line of --help.
  const char *about = "";
  std::vector<Case> (*cases)() = nullptr;
  /// Where the cases' files were when this was built; null when the cases have their texts with
  /// them. The program with files also has golden counters and cases for timing.
  const char *folder = nullptr;
};

/// Reads the command line and does what it says. Exit codes: 0 all passed, 1 some failed, 2 usage,
/// 4 the device (or ptxas) is not available.
int runCaseProgram(int argc, char **argv, const CaseProgram &program);

} // namespace tilec::harness

#endif // TILEC_TEST_PROGRAMS_EXAMPLES_CASEPROGRAM_H

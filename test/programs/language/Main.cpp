// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec-language-tests: every operation and type of the language against references, on the
// simulator or on a GPU.

#include "LanguageCases.h"

#include "test/programs/examples/CaseProgram.h"

int main(int argc, char **argv) {
  return tilec::harness::runCaseProgram(
      argc, argv,
      {"tilec-language-tests",
       "Runs small programs for every operation of the language and compares them with references",
       tilec::harness::language::languageCases});
}

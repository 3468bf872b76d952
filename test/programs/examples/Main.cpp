// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec-examples: runs the example kernels on a GPU or on the simulator and compares every output
// with a reference in double precision, or compares their counters with golden values.

#include "CaseProgram.h"
#include "Cases.h"

int main(int argc, char **argv) {
  return tilec::harness::runCaseProgram(
      argc, argv,
      {"tilec-examples",
       "Runs the example kernels and compares them with references in double precision",
       tilec::harness::allCases, TILEC_EXAMPLES_FOLDER});
}

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of kernels in tests: on the simulator with checking, on the interpreter, and on a GPU where
// there is one, against expected outputs. Inputs are random; TILEC_TEST_SEED repeats a run.

#ifndef TILEC_TEST_UNIT_EXECUTION_EXECUTION_H
#define TILEC_TEST_UNIT_EXECUTION_EXECUTION_H

#include "test/programs/examples/KernelDevice.h"
#include "test/programs/examples/KernelRun.h"

#include <gtest/gtest.h>

namespace tilec::harness::test {

/// Every element as expected.
inline constexpr tilecrt::Tolerance kExact{0, 0};

/// The seed of this process, printed on first use.
uint64_t testSeed();

/// A builder for a kernel of test/execution/Inputs.
RunBuilder kernelOf(const std::string &file, const std::string &kernel);

/// Runs on every device at hand and expects completion, no finding, and matching outputs; the
/// simulator runs the code of the default processor, and of `processors` too.
void expectRun(RunBuilder &builder, const std::vector<std::string> &processors = {});

/// Runs on the simulator, the code of the default processor or of `processor`, and gives what it
/// says; a run that was not possible is a test failure.
Outcome simulateRun(RunBuilder &builder, const std::string &processor = "");

/// The path of an input file.
std::string inputPath(const std::string &file);

} // namespace tilec::harness::test

#endif // TILEC_TEST_UNIT_EXECUTION_EXECUTION_H

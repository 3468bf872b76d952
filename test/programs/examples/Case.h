// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel with a reference as a test case: which kernel, on which type and size.

#ifndef TILEC_TEST_PROGRAMS_EXAMPLES_CASE_H
#define TILEC_TEST_PROGRAMS_EXAMPLES_CASE_H

#include "KernelRun.h"

#include <functional>
#include <string>
#include <vector>

namespace tilec::harness {

/// When a case is run.
enum class Scale {
  /// Always; one per example.
  Quick,
  /// In the full list.
  Full,
  /// Only when asked for: sizes for a GPU, which are timed.
  Large
};

struct Case {
  /// The kernel, with what distinguishes the variant: "softmax", "gelu tanh".
  std::string kernel;
  DType type = DType::f32;
  /// "1823x781", "10000".
  std::string size;
  Scale scale = Scale::Full;
  /// Makes the inputs and the expected outputs.
  std::function<Result<KernelRun>(uint64_t seed)> build;
  /// Programs wait for each other: counters depend on how often they look.
  bool waitsForOthers = false;

  /// What --filter matches: "softmax f32 1823x781".
  std::string name() const;
};

/// "m x n" as a size is written.
std::string sizeText(std::initializer_list<int64_t> extents);

} // namespace tilec::harness

#endif // TILEC_TEST_PROGRAMS_EXAMPLES_CASE_H

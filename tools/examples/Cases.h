// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The examples as test cases: which kernel, on which type and size, against which reference.

#ifndef TILEC_TOOLS_EXAMPLES_CASES_H
#define TILEC_TOOLS_EXAMPLES_CASES_H

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

  /// What --filter matches: "softmax f32 1823x781".
  std::string name() const;
};

/// Each appends the cases of one family of examples.
void addPointwiseCases(std::vector<Case> &cases);
void addRowwiseCases(std::vector<Case> &cases);
void addMatrixCases(std::vector<Case> &cases);
void addTensorListCases(std::vector<Case> &cases);
void addNormalisationCases(std::vector<Case> &cases);
void addTransformerCases(std::vector<Case> &cases);
void addQuantisationCases(std::vector<Case> &cases);
void addAtomicCases(std::vector<Case> &cases);
void addMatmulCases(std::vector<Case> &cases);
void addQuantisedMatmulCases(std::vector<Case> &cases);
void addGroupedMatmulCases(std::vector<Case> &cases);
void addAttentionCases(std::vector<Case> &cases);
void addAttentionBackwardCases(std::vector<Case> &cases);
void addDecodeAttentionCases(std::vector<Case> &cases);
void addGroupedAttentionCases(std::vector<Case> &cases);

/// All cases, family by family.
std::vector<Case> allCases();

/// "m x n" as a size is written.
std::string sizeText(std::initializer_list<int64_t> extents);

} // namespace tilec::harness

#endif // TILEC_TOOLS_EXAMPLES_CASES_H

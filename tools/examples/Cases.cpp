// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families of cases brought together.

#include "Cases.h"

namespace tilec::harness {

std::string Case::name() const { return kernel + " " + tilecrt::dtypeName(type) + " " + size; }

std::vector<Case> allCases() {
  std::vector<Case> cases;
  addPointwiseCases(cases);
  addRowwiseCases(cases);
  addMatrixCases(cases);
  addTensorListCases(cases);
  addNormalisationCases(cases);
  addTransformerCases(cases);
  addQuantisationCases(cases);
  addAtomicCases(cases);
  addMatmulCases(cases);
  addQuantisedMatmulCases(cases);
  addGroupedMatmulCases(cases);
  addAttentionCases(cases);
  addAttentionBackwardCases(cases);
  addDecodeAttentionCases(cases);
  addGroupedAttentionCases(cases);
  return cases;
}

std::string sizeText(std::initializer_list<int64_t> extents) {
  std::string text;
  for (int64_t extent : extents)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

} // namespace tilec::harness

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families of cases brought together.

#include "Cases.h"

namespace tilec::harness {

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

} // namespace tilec::harness

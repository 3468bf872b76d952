// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The examples as test cases: which kernel, on which type and size, against which reference.

#ifndef TILEC_TEST_PROGRAMS_EXAMPLES_CASES_H
#define TILEC_TEST_PROGRAMS_EXAMPLES_CASES_H

#include "Case.h"

namespace tilec::harness {

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

} // namespace tilec::harness

#endif // TILEC_TEST_PROGRAMS_EXAMPLES_CASES_H

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families brought together.

#include "LanguageCases.h"

namespace tilec::harness::language {

std::vector<Case> languageCases() {
  std::vector<Case> cases;
  addArithmeticCases(cases);
  addCastCases(cases);
  addMathCases(cases);
  addReduceCases(cases);
  addShapeCases(cases);
  addMemoryCases(cases);
  addOrderCases(cases);
  addMatrixCases(cases);
  addRandomCases(cases);
  addFunctionCases(cases);
  addInlineCases(cases);
  addLibdeviceCases(cases);
  return cases;
}

} // namespace tilec::harness::language

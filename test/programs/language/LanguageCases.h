// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of cases, one function per family of operations.

#ifndef TILEC_TEST_PROGRAMS_LANGUAGE_LANGUAGECASES_H
#define TILEC_TEST_PROGRAMS_LANGUAGE_LANGUAGECASES_H

#include "test/programs/examples/Case.h"

namespace tilec::harness::language {

void addArithmeticCases(std::vector<Case> &cases);
void addCastCases(std::vector<Case> &cases);
void addMathCases(std::vector<Case> &cases);
void addFunctionCases(std::vector<Case> &cases);
void addMatrixCases(std::vector<Case> &cases);
void addMemoryCases(std::vector<Case> &cases);
void addOrderCases(std::vector<Case> &cases);
void addRandomCases(std::vector<Case> &cases);
void addInlineCases(std::vector<Case> &cases);
void addLibdeviceCases(std::vector<Case> &cases);
void addReduceCases(std::vector<Case> &cases);
void addShapeCases(std::vector<Case> &cases);

std::vector<Case> languageCases();

} // namespace tilec::harness::language

#endif // TILEC_TEST_PROGRAMS_LANGUAGE_LANGUAGECASES_H

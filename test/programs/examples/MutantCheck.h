// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutation testing of the cases: every kernel with one barrier, wait, fence or arrival less runs on
// the simulator, which has to find it, or give another result.

#ifndef TILEC_TEST_PROGRAMS_EXAMPLES_MUTANTCHECK_H
#define TILEC_TEST_PROGRAMS_EXAMPLES_MUTANTCHECK_H

#include "Case.h"
#include "KernelDevice.h"
#include "Options.h"

namespace tilec::harness {

enum class MutantOutcome { AllFound, SomeSurvive, Failed };

/// Prints those that survive, and compares them with the list of those that may, with the reason.
MutantOutcome checkMutants(const CaseProgram &program, const std::vector<Case> &cases,
                           const CompilerPlaces &places, const Options &options);

} // namespace tilec::harness

#endif // TILEC_TEST_PROGRAMS_EXAMPLES_MUTANTCHECK_H

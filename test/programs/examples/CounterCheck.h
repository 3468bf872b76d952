// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec-examples --counters: the examples' counters against their golden values.

#ifndef TILEC_TEST_PROGRAMS_EXAMPLES_COUNTERCHECK_H
#define TILEC_TEST_PROGRAMS_EXAMPLES_COUNTERCHECK_H

#include "Cases.h"
#include "KernelDevice.h"
#include "Options.h"

namespace tilec::harness {

/// Whether a case has digests: each kernel for 8-, 16-, 32- and 64-bit types at sizes of more than
/// one element. (bf16 has the accesses of f16.)
bool isRepresentative(const Case &example);

/// Whether it has golden counters, too: programs that wait for each other have none, for how often
/// they look is left to chance.
bool isCounted(const Case &example);

enum class CounterOutcome { AsGolden, Different, Unavailable };

/// Measures the cases, prints what differs from the file that the options name, or rewrites the
/// file when they say so.
CounterOutcome checkCounters(const std::vector<Case> &cases, const CompilerPlaces &places,
                             const Options &options);

} // namespace tilec::harness

#endif // TILEC_TEST_PROGRAMS_EXAMPLES_COUNTERCHECK_H

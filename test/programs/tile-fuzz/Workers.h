// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs run in child processes, so that a crash or an endless loop of the compiler is one more
// verdict.

#ifndef TILEC_TEST_PROGRAMS_TILE_FUZZ_WORKERS_H
#define TILEC_TEST_PROGRAMS_TILE_FUZZ_WORKERS_H

#include "Differential.h"

#include <functional>

namespace tilec::fuzz {

/// Seconds of processor time that one program may take.
constexpr int kMostSeconds = 30;

/// Runs one subject in a child process.
Verdict runIsolated(const std::string &target, const Subject &subject);

/// Runs the programs of seeds first, first + 1, ... in `jobs` processes and calls `report` for each
/// when it is done; stops early when that says false.
void runSeeds(const std::string &target, uint64_t first, uint64_t count, int jobs,
              const std::function<bool(uint64_t, const Verdict &)> &report);

} // namespace tilec::fuzz

#endif // TILEC_TEST_PROGRAMS_TILE_FUZZ_WORKERS_H

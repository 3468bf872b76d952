// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a failing program smaller while it keeps failing in the same way.

#ifndef TILEC_TEST_PROGRAMS_TILE_FUZZ_REDUCER_H
#define TILEC_TEST_PROGRAMS_TILE_FUZZ_REDUCER_H

#include "Differential.h"

#include <functional>

namespace tilec::fuzz {

/// Runs at most `budget` smaller programs through `test`, which says whether a program still fails.
Program reduce(Program program, const std::function<bool(const Program &)> &test, int budget);

} // namespace tilec::fuzz

#endif // TILEC_TEST_PROGRAMS_TILE_FUZZ_REDUCER_H

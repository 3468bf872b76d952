// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes random programs: well typed, in bounds, without races, and with numbers that stay small and
// do not hang on roundings (Bounds.cpp), so that any difference between two runs is a bug.

#ifndef TILEC_TEST_PROGRAMS_TILE_FUZZ_GENERATOR_H
#define TILEC_TEST_PROGRAMS_TILE_FUZZ_GENERATOR_H

#include "Program.h"

namespace tilec::fuzz {

/// The program of a seed. Its bounds are computed.
Program generate(uint64_t seed);

/// The simplest expression of a type.
ExprPtr makeOne(const Type &type);

} // namespace tilec::fuzz

#endif // TILEC_TEST_PROGRAMS_TILE_FUZZ_GENERATOR_H

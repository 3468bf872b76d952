// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the families of kernels with one row of a matrix per program have in common.

#ifndef TILEC_TEST_PROGRAMS_EXAMPLES_ROWCASES_H
#define TILEC_TEST_PROGRAMS_EXAMPLES_ROWCASES_H

#include "Cases.h"

namespace tilec::harness {

/// Builds the run for a type, a number of rows and of columns, a number of warps (zero: as many as
/// suit the row) and a seed.
using BuildRows = Result<KernelRun> (*)(DType, int64_t, int64_t, int, uint64_t);

/// The cases of a kernel in three float types: ragged, aligned, full and smallest rows, other
/// numbers of warps, and large matrices.
void addRowCases(std::vector<Case> &cases, const std::string &name, BuildRows build);

/// The cases of a kernel with rows that fill the registers of a multiprocessor: whole and masked
/// blocks of 65536 elements with 16 and 32 warps, and large matrices.
void addWideRowCases(std::vector<Case> &cases, const std::string &name, BuildRows build);

/// Adds BLOCK, the power of two that holds a row, warps to suit unless some are given, one program
/// per row, and the bytes of `passes` passes over the matrix.
void launchRows(RunBuilder &builder, DType type, int64_t rows, int64_t columns, int warps,
                uint64_t passes);

} // namespace tilec::harness

#endif // TILEC_TEST_PROGRAMS_EXAMPLES_ROWCASES_H

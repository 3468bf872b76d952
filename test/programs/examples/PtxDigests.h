// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec-examples --digests: a digest of every kernel's PTX for several processors, so that a change
// which is meant to leave the code as it is can be seen to do so.

#ifndef TILEC_TEST_PROGRAMS_EXAMPLES_PTXDIGESTS_H
#define TILEC_TEST_PROGRAMS_EXAMPLES_PTXDIGESTS_H

#include "CaseProgram.h"
#include "KernelDevice.h"
#include "Options.h"

namespace tilec::harness {

enum class DigestOutcome { AsKept, Different, Failed };

/// Compiles the cases' kernels to PTX, compares their digests with those of the file that the
/// options name and prints what differs, or rewrites the file when they say so. With a folder for
/// the PTX it is written there, for a diff between two builds.
DigestOutcome checkDigests(const CaseProgram &program, const std::vector<Case> &cases,
                           const CompilerPlaces &places, const Options &options);

} // namespace tilec::harness

#endif // TILEC_TEST_PROGRAMS_EXAMPLES_PTXDIGESTS_H

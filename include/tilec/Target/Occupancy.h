// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many CTAs of a kernel a multiprocessor holds at a time, and whether a few registers less
// would let in one more. Limits: CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability".

#ifndef TILEC_TARGET_OCCUPANCY_H
#define TILEC_TARGET_OCCUPANCY_H

#include "tilec/Support/Processor.h"
#include <optional>

namespace tilec {

/// What one CTA takes.
struct CtaFootprint {
  int threads = 0;
  int registersPerThread = 0;
  int sharedBytes = 0;
};

/// CTAs that fit at a time.
int residentCtas(const Processor &processor, const CtaFootprint &cta);

/// The number of CTAs to ask the assembler for, when few threads are resident, registers are what
/// keeps one CTA more out and `percent` of them less would let it in; nothing otherwise.
std::optional<int> ctasWithinReach(const Processor &processor, const CtaFootprint &cta,
                                   int percent);

} // namespace tilec

#endif // TILEC_TARGET_OCCUPANCY_H

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which configurations are not worth compiling, and why: resources that do not fit, and a roofline
// model of the time that is left.

#ifndef TILEC_TUNING_PRUNING_H
#define TILEC_TUNING_PRUNING_H

#include "tilec/Analysis/KernelEstimate.h"
#include "tilec/Support/Processor.h"

#include "tilecrt/KernelMetadata.h"

#include <array>
#include <optional>
#include <string>

namespace tilec {

/// What the model knows about a GPU.
struct TuningTarget {
  const Processor *processor = &defaultProcessor();
  int multiprocessors = 132;
};

/// Why a kernel of this estimate cannot do well, in words; nothing when it can.
std::optional<std::string> refuse(const KernelEstimate &estimate, const TuningTarget &target);
/// The same for what was compiled.
std::optional<std::string> refuse(const tilecrt::KernelMetadata &metadata,
                                  const TuningTarget &target);

/// A lower bound of the time of a launch in microseconds: products at the peak of the tensor cores,
/// accesses at the bandwidth of the L2 cache, in whole waves of programs, or of what the `splitK`
/// CTAs of one do. Nothing when the work of a program is not known.
std::optional<double> rooflineMicroseconds(const KernelEstimate &estimate,
                                           const std::array<uint32_t, 3> &grid,
                                           const TuningTarget &target, uint32_t splitK = 1);

/// A configuration is dropped when its bound is this many times the least one of all, or than what
/// a launch takes anyway.
constexpr double rooflineSlack = 4;
constexpr double launchMicroseconds = 2;

} // namespace tilec

#endif // TILEC_TUNING_PRUNING_H

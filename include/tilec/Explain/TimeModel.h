// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a launch, predicted from what the simulator has counted: how long each unit of the
// GPU is busy with it, and how long warps wait. docs/explain.md has the terms in words.

#ifndef TILEC_EXPLAIN_TIMEMODEL_H
#define TILEC_EXPLAIN_TIMEMODEL_H

#include "tilec/Explain/Report.h"

namespace tilec::explain {

/// What a launch does, all its CTAs together.
struct LaunchWork {
  tilecrt::sim::Counters counters;
  /// Atomics of integers and of floats on the address that gets the most of them, and all on 128
  /// bytes.
  double hottestIntegers = 0, hottestFloats = 0, hottestLineAtomics = 0;
  /// Of the sectors that are loaded, those that asynchronous copies load, and those that threads
  /// find in the first cache since programs of the same multiprocessor load them, too.
  double copiedSectors = 0, sharedSectors = 0;
  /// And those that the CTA itself has loaded just before.
  double reloadedSectors = 0;
  /// Atomics that the second cache does together with others.
  double mergedAtomics = 0;
  /// Different bytes of global memory.
  double readBytes = 0, writtenBytes = 0;
  /// Accesses of a warp to local memory, in wavefronts: spilled registers.
  double spillWavefronts = 0;
  /// Programs, where CTAs run several.
  double ctas = 1;
  int threadsPerCta = 32;
  /// CTAs that a multiprocessor holds at a time.
  int residentCtas = 1;
  /// Shared memory of a CTA.
  double sharedBytes = 0;
  /// Loads that a warp waits for one after the other, in one CTA; and those of copies that run
  /// ahead, by how many iterations.
  double loadRounds = 0, copyRounds = 0, copiesAhead = 1;
  /// Operands of the dots.
  unsigned operandBits = 16;
};

/// The prediction; its terms are in a fixed order.
Time predictTime(const LaunchWork &work, const GpuLimits &gpu);

/// The part of the latency of memory that a warp takes for an instruction.
double latenciesOfInstruction(const GpuLimits &gpu);

/// The term of that name; zero when there is none.
double termOf(const Time &time, llvm::StringRef name);

/// Where the launch is under the roof of the GPU.
Roofline rooflineOf(const LaunchWork &work, const GpuLimits &gpu, double time);

/// The part that `part` has of the predicted time of `all`: of each unit its share of the work,
/// weighted by how long the unit is busy.
double shareOf(const Counts &part, const Counts &all, const Time &time);

/// Cycles of one multiprocessor that would do it all with each unit after the other: what stands
/// for the time where there is no launch to predict, as in tuning on the simulator.
double busyCycles(const tilecrt::sim::Counters &counters);

} // namespace tilec::explain

#endif // TILEC_EXPLAIN_TIMEMODEL_H

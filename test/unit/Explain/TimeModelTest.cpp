// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the time model says of launches that are bound by one thing, and how it moves with it.

#include "tilec/Explain/TimeModel.h"

#include "tilecrt/sim/SimAbi.h"

#include <gtest/gtest.h>

namespace tilec::explain {
namespace {

const GpuLimits &h200() { return *findGpu("NVIDIA H200", ""); }

/// Reads and writes so many bytes, each once.
LaunchWork copyOf(double bytes, double ctas) {
  LaunchWork work;
  work.readBytes = work.writtenBytes = bytes;
  work.counters.globalLoadSectors = work.counters.globalStoreSectors = uint64_t(bytes / 32);
  work.ctas = ctas;
  work.threadsPerCta = 128;
  work.residentCtas = 16;
  work.loadRounds = 1;
  return work;
}

TEST(TimeModel, a_large_copy_is_bound_by_memory) {
  LaunchWork work = copyOf(1e9, 1e5);
  Time time = predictTime(work, h200());
  EXPECT_EQ(time.bound, "memory");
  // Two gigabytes at 4.3 TB/s and a little more.
  EXPECT_GT(time.predicted, 2e9 / (h200().bandwidth * 1e3));
  EXPECT_LT(time.predicted, 1.4 * 2e9 / (h200().bandwidth * 1e3));
  EXPECT_GT(rooflineOf(work, h200(), time.predicted).ofLimit, 0.7);
}

TEST(TimeModel, nothing_to_do_takes_a_launch) {
  Time time = predictTime(copyOf(32, 1), h200());
  EXPECT_EQ(time.bound, "launch");
  EXPECT_LT(time.predicted, 2 * h200().launchTime);
}

TEST(TimeModel, sectors_that_nobody_needs_cost_time) {
  LaunchWork work = copyOf(1e8, 1e4);
  double coalesced = predictTime(work, h200()).predicted;
  work.counters.globalLoadSectors *= 8;
  Time time = predictTime(work, h200());
  EXPECT_EQ(time.bound, "cache");
  EXPECT_GT(time.predicted, 2 * coalesced);
}

TEST(TimeModel, few_multiprocessors_get_more_of_the_cache_each) {
  LaunchWork work = copyOf(1e6, 1e4);
  work.counters.globalLoadSectors *= 100;
  double all = termOf(predictTime(work, h200()), "cache");
  work.ctas = 120;
  EXPECT_DOUBLE_EQ(termOf(predictTime(work, h200()), "cache"), all);
  // A quarter of them do not have half of it.
  work.ctas = 33;
  double few = termOf(predictTime(work, h200()), "cache");
  EXPECT_GT(few, 2 * all);
  EXPECT_LT(few, 3 * all);
}

TEST(TimeModel, dots_by_warpgroups_are_faster_than_by_warps) {
  LaunchWork work;
  work.ctas = 512;
  work.threadsPerCta = 256;
  work.counters.multiplyAdds = uint64_t(1) << 36;
  work.counters.wgmmas = 1 << 20;
  Time groups = predictTime(work, h200());
  EXPECT_EQ(groups.bound, "tensor");
  work.counters.wgmmas = 0;
  work.counters.mmas = 1 << 24;
  EXPECT_GT(predictTime(work, h200()).predicted, 1.4 * groups.predicted);
  // Half as wide operands are computed twice as fast.
  work.operandBits = 8;
  EXPECT_LT(predictTime(work, h200()).predicted, groups.predicted);
}

TEST(TimeModel, one_program_more_than_multiprocessors_is_a_second_wave) {
  LaunchWork work;
  work.threadsPerCta = 512;
  auto timeOf = [&](double ctas) {
    work.ctas = ctas;
    work.counters.instructions[tilecrt::sim::abi::ClassFloat] = uint64_t(ctas * 512 * 1e5);
    return predictTime(work, h200());
  };
  Time full = timeOf(132), more = timeOf(133);
  EXPECT_EQ(full.bound, "issue");
  EXPECT_EQ(termOf(full, "tail"), 0);
  EXPECT_GT(termOf(more, "tail"), 0.9 * termOf(more, "issue"));
  EXPECT_GT(more.predicted, 1.8 * full.predicted);
  // Half of the multiprocessors take as long as all of them.
  EXPECT_NEAR(timeOf(66).predicted, full.predicted, 0.01 * full.predicted);
}

TEST(TimeModel, multiplications_of_integers_have_fewer_lanes) {
  LaunchWork work;
  work.ctas = 132;
  work.counters.instructions[tilecrt::sim::abi::ClassInteger] = uint64_t(1) << 36;
  double sums = termOf(predictTime(work, h200()), "issue");
  work.counters.instructions[tilecrt::sim::abi::ClassMultiply] = uint64_t(1) << 35;
  // Half as many take as long again, though they could be issued beside the others.
  EXPECT_NEAR(termOf(predictTime(work, h200()), "issue"), sums / 0.6, 1e-6 * sums);
}

TEST(TimeModel, atomics_of_floats_take_longer) {
  LaunchWork work;
  work.ctas = 1024;
  work.hottestIntegers = 32768;
  // 0.735 ns for each.
  EXPECT_NEAR(termOf(predictTime(work, h200()), "atomics"), 24.1, 0.1);
  work.hottestFloats = 32768;
  EXPECT_NEAR(termOf(predictTime(work, h200()), "atomics"), 57.5, 0.5);
}

TEST(TimeModel, programs_that_wait_run_in_whole_waves) {
  LaunchWork work;
  work.threadsPerCta = 128;
  work.residentCtas = 4;
  work.loadRounds = 100;
  auto timeOf = [&](double ctas) {
    work.ctas = ctas;
    return termOf(predictTime(work, h200()), "latency");
  };
  EXPECT_DOUBLE_EQ(timeOf(100), timeOf(4 * 132));
  EXPECT_DOUBLE_EQ(timeOf(4 * 132 + 1), 2 * timeOf(4 * 132));
}

TEST(TimeModel, copies_ahead_hide_latency) {
  LaunchWork work = copyOf(1e6, 132);
  work.loadRounds = 0;
  work.copyRounds = 100;
  work.copiesAhead = 1;
  double waiting = predictTime(work, h200()).predicted;
  work.copiesAhead = 4;
  EXPECT_LT(predictTime(work, h200()).predicted, 0.5 * waiting);
}

TEST(TimeModel, shares_follow_the_work) {
  LaunchWork work = copyOf(1e8, 1e4);
  Counts all, part;
  all.counters = work.counters;
  part.counters.globalLoadSectors = work.counters.globalLoadSectors;
  Time time = predictTime(work, h200());
  EXPECT_NEAR(shareOf(part, all, time), 0.5, 0.1);
  EXPECT_NEAR(shareOf(all, all, time), 1, 0.1);
  EXPECT_EQ(shareOf(Counts(), all, time), 0);
}

TEST(GpuLimits, are_found_by_name_and_by_processor) {
  EXPECT_EQ(findGpu("", "sm_90a")->name, "NVIDIA H200");
  EXPECT_EQ(findGpu("NVIDIA H100 80GB HBM3", "sm_90a")->bandwidth, 3350);
  EXPECT_EQ(findGpu("", "sm_80")->processor, "sm_80");
  EXPECT_EQ(findGpu("unknown", "sm_120")->facts().computeCapability, 120);
  EXPECT_EQ(findGpu("", "no processor"), findGpu("", "sm_90a"));
  EXPECT_NEAR(h200().tensorPeak(16), 990, 10);
  EXPECT_NEAR(h200().tensorPeak(8), 1980, 20);

  llvm::Expected<const GpuLimits *> found = searchGpu("a100");
  ASSERT_TRUE(bool(found));
  EXPECT_EQ((*found)->processor, "sm_80");
  llvm::Expected<const GpuLimits *> unknown = searchGpu("voodoo");
  ASSERT_FALSE(bool(unknown));
  EXPECT_EQ(
      llvm::toString(unknown.takeError()).find("unknown GPU 'voodoo', expected one of NVIDIA"), 0u);
}

} // namespace
} // namespace tilec::explain

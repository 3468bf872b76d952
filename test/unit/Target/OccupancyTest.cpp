// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Occupancy arithmetic against values of NVIDIA's occupancy calculator.

#include "tilec/Target/Occupancy.h"

#include <gtest/gtest.h>

using namespace tilec;

TEST(Occupancy, RegistersThreadsAndSharedMemoryLimitCtas) {
  const Processor &sm = *llvm::cantFail(findProcessor("sm_90"));
  EXPECT_EQ(residentCtas(sm, {128, 32, 0}), 16);
  EXPECT_EQ(residentCtas(sm, {128, 40, 0}), 12);
  EXPECT_EQ(residentCtas(sm, {256, 68, 0}), 3);
  EXPECT_EQ(residentCtas(sm, {512, 128, 0}), 1);
  EXPECT_EQ(residentCtas(sm, {32, 16, 0}), 32);
  EXPECT_EQ(residentCtas(sm, {128, 32, 100 * 1024}), 2);
  EXPECT_EQ(residentCtas(*llvm::cantFail(findProcessor("sm_86")), {1024, 32, 0}), 1);
}

TEST(Occupancy, OneMoreCtaIsInReachOnlyWhenRegistersKeepItOut) {
  const Processor &sm = *llvm::cantFail(findProcessor("sm_90"));
  EXPECT_EQ(ctasWithinReach(sm, {256, 68, 0}, 15), 4);
  EXPECT_EQ(ctasWithinReach(sm, {256, 68, 0}, 5), std::nullopt);
  EXPECT_EQ(ctasWithinReach(sm, {128, 54, 0}, 15), 10);
  // Enough threads.
  EXPECT_EQ(ctasWithinReach(sm, {128, 46, 0}, 15), std::nullopt);
  EXPECT_EQ(ctasWithinReach(sm, {512, 36, 0}, 15), std::nullopt);
  // Full, by threads.
  EXPECT_EQ(ctasWithinReach(sm, {128, 32, 0}, 15), std::nullopt);
  // Shared memory is the limit.
  EXPECT_EQ(ctasWithinReach(sm, {128, 40, 100 * 1024}, 50), std::nullopt);
  // From one CTA to two would take half the registers.
  EXPECT_EQ(ctasWithinReach(sm, {512, 128, 0}, 15), std::nullopt);
}

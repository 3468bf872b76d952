// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sectors of one warp-wide access, counted from a layout and steps, against numbers that a person
// can check.

#include "tilec/Analysis/Coalescing.h"
#include "tilec/Layout/TensorLayouts.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilec;

namespace {

AddressStep bytes(int64_t constant) {
  AddressStep step;
  step.constant = constant;
  return step;
}

/// A step of so many bytes times something unknown. The counter only asks whether there is a
/// factor.
AddressStep unknownFactor() {
  AddressStep step;
  step.factor = Value::getFromOpaquePointer(reinterpret_cast<const void *>(uintptr_t(8)));
  step.scale = 4;
  return step;
}

AxisInfo facts(std::vector<int64_t> contiguity, std::vector<int64_t> divisibility, int64_t unit) {
  AxisInfo info;
  info.contiguity.assign(contiguity.begin(), contiguity.end());
  info.divisibility.assign(divisibility.begin(), divisibility.end());
  info.constancy.assign(contiguity.size(), 1);
  info.unit = unit;
  return info;
}

void expectCount(const SectorCount &count, unsigned sectors, unsigned minimum, bool isUpperBound) {
  EXPECT_EQ(count.sectors, sectors);
  EXPECT_EQ(count.minimum, minimum);
  EXPECT_EQ(count.isUpperBound, isUpperBound);
}

TEST(SectorCount, ContiguousVectorsTouchWhatTheyNeed) {
  LinearLayout layout = blockedLayout({1024}, {4}, {32}, {4}, {0});
  expectCount(countSectors(layout, {4, 0}, 4, {bytes(4)}, facts({1024}, {16}, 4)), 16, 16, false);
  // One element at a time in the same layout: lanes are 16 bytes apart.
  expectCount(countSectors(layout, {1, 0}, 4, {bytes(4)}, facts({1024}, {16}, 4)), 16, 4, false);
}

TEST(SectorCount, AnUnalignedStartMayCostOneMore) {
  LinearLayout layout = blockedLayout({1024}, {1}, {32}, {4}, {0});
  expectCount(countSectors(layout, {1, 0}, 4, {bytes(4)}, facts({1024}, {4}, 4)), 5, 4, true);
  expectCount(countSectors(layout, {1, 0}, 2, {bytes(2)}, facts({1024}, {2}, 2)), 3, 2, true);
  expectCount(countSectors(layout, {1, 0}, 4, {bytes(4)}, facts({1024}, {16}, 4)), 4, 4, false);
}

TEST(SectorCount, ConstantStrides) {
  LinearLayout layout = blockedLayout({1024}, {1}, {32}, {4}, {0});
  expectCount(countSectors(layout, {1, 0}, 4, {bytes(8)}, facts({1}, {8}, 4)), 8, 4, false);
  expectCount(countSectors(layout, {1, 0}, 4, {bytes(-8)}, facts({1}, {8}, 4)), 9, 4, false);
  expectCount(countSectors(layout, {1, 0}, 4, {bytes(4096)}, facts({1}, {16}, 4)), 32, 4, false);
  // All lanes at one address.
  expectCount(countSectors(layout, {1, 0}, 4, {bytes(0)}, facts({1}, {16}, 4)), 1, 1, false);
}

TEST(SectorCount, UnknownStridesAreFarApart) {
  LinearLayout layout = blockedLayout({128, 4}, {1, 4}, {32, 1}, {4, 1}, {1, 0});
  expectCount(
      countSectors(layout, {4, 1}, 4, {unknownFactor(), bytes(4)}, facts({1, 4}, {16, 16}, 4)), 32,
      16, true);
  expectCount(countSectors(layout, {4, 1}, 4, {AddressStep::unknown(), bytes(4)},
                           facts({1, 4}, {16, 16}, 4)),
              32, 16, true);
}

TEST(SectorCount, RunsOfUnknownSteps) {
  LinearLayout layout = blockedLayout({1024}, {1}, {32}, {4}, {0});
  // Runs of eight elements: a sector each.
  expectCount(countSectors(layout, {1, 0}, 4, {AddressStep::unknown()}, facts({8}, {32}, 4)), 4, 4,
              true);
  // Equal values in groups of four.
  AxisInfo equal = facts({1}, {4}, 4);
  equal.constancy[0] = 4;
  expectCount(countSectors(layout, {1, 0}, 4, {AddressStep::unknown()}, equal), 8, 1, true);
}

TEST(SectorCount, ReplicatedLanesCountOnce) {
  LinearLayout layout = blockedLayout({8}, {1}, {32}, {4}, {0});
  expectCount(countSectors(layout, {1, 0}, 4, {bytes(4)}, facts({8}, {16}, 4)), 1, 1, false);
}

} // namespace

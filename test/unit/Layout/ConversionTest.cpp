// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion plans executed on a model of the machine: warps of lanes with register files, and one
// shared memory. Every element carries its own number, so a wrong move cannot go unseen.

#include "tilec/Layout/Conversion.h"

#include "RandomLayouts.h"

namespace tilec {
namespace {

using ConversionRandom = RandomLayoutTest;

/// values[warp][lane][register]
using Machine = std::vector<std::vector<std::vector<int64_t>>>;

/// Every position holds the number of the element that the layout puts there.
Machine holding(const LinearLayout &layout) {
  Machine machine(layout.getInDimSize(kWarp));
  for (size_t w = 0; w < machine.size(); ++w) {
    machine[w].resize(layout.getInDimSize(kLane));
    for (size_t l = 0; l < machine[w].size(); ++l)
      for (int32_t r = 0; r < layout.getInDimSize(kRegister); ++r)
        machine[w][l].push_back(int64_t(
            layout.applyToFlat({{kRegister, r}, {kLane, int32_t(l)}, {kWarp, int32_t(w)}})));
  }
  return machine;
}

bool parity(int32_t x) { return __builtin_popcount(unsigned(x)) & 1; }

void applySelects(std::vector<int64_t> &file, const SelectLayer &layer, int lane, int warp) {
  std::vector<int64_t> old = file;
  // What is not computed must not be used.
  std::fill(file.begin(), file.end(), -1);
  bool p = parity(lane & layer.laneMask) ^ parity(warp & layer.warpMask);
  for (int32_t r : layer.live)
    file.at(r) = p ? old.at(r ^ layer.registerXor) : old.at(r);
}

Machine runShuffles(const ShufflePlan &plan, Machine machine) {
  for (size_t w = 0; w < machine.size(); ++w) {
    auto &warp = machine[w];
    for (size_t l = 0; l < warp.size(); ++l)
      for (const SelectLayer &layer : plan.sendSelects)
        applySelects(warp[l], layer, int(l), int(w));
    auto got = warp;
    for (size_t l = 0; l < warp.size(); ++l) {
      got[l].clear();
      for (size_t k = 0; k < plan.sendRegister.size(); ++k) {
        int32_t lane = plan.needsShuffle(k) ? plan.sourceLane(k, int(l), int(w)) : int(l);
        if (plan.isXorShuffle()) {
          EXPECT_EQ(plan.sourceLane(k, int(l), int(w)), int(l) ^ plan.laneXor[k]);
        }
        got[l].push_back(warp.at(lane).at(plan.sendRegister[k]));
      }
      for (const SelectLayer &layer : plan.receiveSelects)
        applySelects(got[l], layer, int(l), int(w));
    }
    for (size_t l = 0; l < warp.size(); ++l) {
      warp[l].clear();
      for (int32_t r : plan.resultRegister)
        warp[l].push_back(got[l].at(r));
    }
  }
  return machine;
}

int64_t offsetOf(const SharedAccess &access, int32_t r, int l, int w) {
  return int64_t(access.offsets.sublayout({kRegister, kLane, kWarp, kBlock}, {kOffset})
                     .applyToFlat({{kRegister, r}, {kLane, l}, {kWarp, w}}));
}

Machine runShared(const ConversionPlan &plan, const Machine &from, const LinearLayout &dst) {
  std::vector<int64_t> memory(plan.shared.bufferElements, -1);
  for (size_t w = 0; w < from.size(); ++w)
    for (size_t l = 0; l < from[w].size(); ++l)
      for (size_t k = 0; k < plan.storeRegisters.size(); ++k) {
        int64_t &cell = memory.at(offsetOf(plan.shared.store, int32_t(k), int(l), int(w)));
        int64_t value = from[w][l].at(plan.storeRegisters[k]);
        EXPECT_TRUE(cell == -1 || cell == value) << "two values for one place";
        cell = value;
      }
  Machine to = holding(dst);
  for (size_t w = 0; w < to.size(); ++w)
    for (size_t l = 0; l < to[w].size(); ++l)
      for (size_t r = 0; r < to[w][l].size(); ++r)
        to[w][l][r] =
            memory.at(offsetOf(plan.shared.load, plan.loadRegisterMap[r], int(l), int(w)));
  return to;
}

Machine run(const ConversionPlan &plan, const LinearLayout &src, const LinearLayout &dst) {
  Machine machine = holding(src);
  switch (plan.kind) {
  case ConversionKind::None:
    EXPECT_EQ(src.getInDimSize(kRegister), dst.getInDimSize(kRegister));
    return machine;
  case ConversionKind::Registers:
    for (auto &warp : machine)
      for (auto &lane : warp) {
        auto old = lane;
        lane.clear();
        for (int32_t r : plan.registerMap)
          lane.push_back(old.at(r));
      }
    return machine;
  case ConversionKind::Shuffles:
    return runShuffles(plan.shuffle, machine);
  case ConversionKind::SharedMemory:
    return runShared(plan, machine, dst);
  case ConversionKind::CrossBlock:
    break;
  }
  ADD_FAILURE() << "no plan";
  return machine;
}

LinearLayout registerLayout(std::vector<uint64_t> registers, std::vector<uint64_t> lanes,
                            std::vector<uint64_t> warps, int32_t size) {
  return LinearLayout::fromFlatBases({{kRegister.str(), registers},
                                      {kLane.str(), lanes},
                                      {kWarp.str(), warps},
                                      {kBlock.str(), {}}},
                                     {{"dim0", size}});
}

TEST(Conversion, equal_layouts_need_nothing) {
  LinearLayout layout = defaultBlockedLayout({16, 16}, 4);
  EXPECT_EQ(planConversion(layout, layout, 32).kind, ConversionKind::None);
  // Replicated warps stay where they are.
  LinearLayout replicated = defaultBlockedLayout({32}, 4);
  EXPECT_EQ(planConversion(replicated, replicated, 32).kind, ConversionKind::None);
}

TEST(Conversion, register_permutation_is_a_renaming) {
  LinearLayout src = registerLayout({1, 2}, {4, 8, 16, 32, 64}, {}, 128);
  LinearLayout dst = registerLayout({2, 1}, {4, 8, 16, 32, 64}, {}, 128);
  ConversionPlan plan = planConversion(src, dst, 32);
  EXPECT_EQ(plan.kind, ConversionKind::Registers);
  EXPECT_EQ(plan.registerMap, (std::vector<int32_t>{0, 2, 1, 3}));
}

TEST(Conversion, replicas_are_read_in_place) {
  // The source is replicated over lane bit 4 and both warps, the destination is not: every thread
  // already has what it needs and only drops the rest.
  LinearLayout src = registerLayout({16, 32}, {1, 2, 4, 8, 0}, {0}, 64);
  LinearLayout dst = registerLayout({}, {1, 2, 4, 8, 16}, {32}, 64);
  ConversionPlan plan = planConversion(src, dst, 32);
  EXPECT_EQ(plan.kind, ConversionKind::Shuffles);
  EXPECT_EQ(plan.shuffle.numShuffles(), 0);
  EXPECT_EQ(run(plan, src, dst), holding(dst));
}

TEST(Conversion, one_swap_takes_half_the_shuffles) {
  LinearLayout src = registerLayout({1, 2}, {4, 8, 16, 32, 64}, {}, 128);
  LinearLayout dst = registerLayout({4, 2}, {1, 8, 16, 32, 64}, {}, 128);
  ConversionPlan plan = planConversion(src, dst, 32);
  ASSERT_EQ(plan.kind, ConversionKind::Shuffles);
  EXPECT_TRUE(plan.shuffle.isXorShuffle());
  EXPECT_EQ(plan.shuffle.numShuffles(), 2);
  EXPECT_EQ(plan.shuffle.numSelects(), 8);
  EXPECT_EQ(run(plan, src, dst), holding(dst));
}

TEST(Conversion, lane_permutation_needs_no_selects) {
  LinearLayout src = registerLayout({1}, {2, 4, 8, 16, 32}, {}, 64);
  LinearLayout dst = registerLayout({1}, {4, 2, 32, 8, 16}, {}, 64);
  ConversionPlan plan = planConversion(src, dst, 32);
  ASSERT_EQ(plan.kind, ConversionKind::Shuffles);
  EXPECT_EQ(plan.shuffle.numSelects(), 0);
  EXPECT_EQ(plan.shuffle.numShuffles(), 2);
  EXPECT_EQ(run(plan, src, dst), holding(dst));
}

TEST(Conversion, warps_meet_in_shared_memory) {
  LinearLayout src = registerLayout({1}, {2, 4, 8, 16, 32}, {64}, 128);
  LinearLayout dst = registerLayout({64}, {2, 4, 8, 16, 32}, {1}, 128);
  ConversionPlan plan = planConversion(src, dst, 32);
  EXPECT_EQ(plan.kind, ConversionKind::SharedMemory);
  EXPECT_EQ(run(plan, src, dst), holding(dst));
}

TEST(Conversion, blocks_are_kept_apart) {
  auto withBlock = [](uint64_t reg, uint64_t block) {
    return LinearLayout::fromFlatBases({{kRegister.str(), {reg}},
                                        {kLane.str(), {2, 4, 8, 16, 32}},
                                        {kWarp.str(), {}},
                                        {kBlock.str(), {block}}},
                                       {{"dim0", 128}});
  };
  EXPECT_EQ(planConversion(withBlock(1, 64), withBlock(64, 1), 32).kind,
            ConversionKind::CrossBlock);
  EXPECT_EQ(planConversion(withBlock(1, 64), withBlock(1, 64), 32).kind, ConversionKind::None);
}

TEST_F(ConversionRandom, map_names_the_same_element) {
  for (int trial = 0; trial < 300; ++trial) {
    auto shape = randomShape(2, pick(0, 12));
    int warps = pick(0, 3);
    LinearLayout src = randomDistributed(shape, warps, pick(0, 1));
    LinearLayout dst = randomDistributed(shape, warps, pick(0, 1));
    LinearLayout map = conversionMap(src, dst);
    EXPECT_TRUE(map.compose(src).equalUpToDimOrder(dst)) << src << "\n" << dst;
  }
}

/// Plans `trials` random conversions, runs them, and counts the kinds.
class RandomPlans : public RandomLayoutTest {
protected:
  void check(const LinearLayout &src, const LinearLayout &dst, const ConversionOptions &options) {
    int32_t bitwidth = 8 << pick(0, 3);
    ConversionPlan plan = planConversion(src, dst, bitwidth, options);
    ++counts[plan.kind];
    EXPECT_EQ(run(plan, src, dst), holding(dst))
        << "seed " << seed << "\nsrc " << src << "\ndst " << dst << "\nkind "
        << conversionKindName(plan.kind).str();
    if (plan.kind == ConversionKind::Shuffles) {
      for (size_t k = 0; k < plan.shuffle.sendRegister.size(); ++k)
        EXPECT_LT(plan.shuffle.sendRegister[k], src.getInDimSize(kRegister));
    }
  }

  /// The same layout with register and lane bits exchanged at random and `zeros` lanes emptied.
  LinearLayout shuffledWithinWarp(const LinearLayout &layout) {
    std::vector<uint64_t> registers = layout.getFlatBases(kRegister).vec();
    std::vector<uint64_t> lanes = layout.getFlatBases(kLane).vec();
    for (int swaps = pick(0, 4); swaps > 0 && !registers.empty(); --swaps)
      std::swap(registers[pick(0, int(registers.size()) - 1)], lanes[pick(0, 4)]);
    if (pick(0, 1))
      std::shuffle(lanes.begin(), lanes.end(), rng);
    if (pick(0, 1))
      std::shuffle(registers.begin(), registers.end(), rng);
    return LinearLayout::fromFlatBases({{kRegister.str(), registers},
                                        {kLane.str(), lanes},
                                        {kWarp.str(), layout.getFlatBases(kWarp).vec()},
                                        {kBlock.str(), {}}},
                                       layout.getOutDims());
  }

  std::map<ConversionKind, int> counts;
};

TEST_F(RandomPlans, any_pair) {
  for (int trial = 0; trial < 400; ++trial) {
    auto shape = randomShape(2, pick(0, 11));
    int warps = pick(0, 2);
    check(randomDistributed(shape, warps, pick(0, 1)), randomDistributed(shape, warps, pick(0, 1)),
          {});
  }
}

TEST_F(RandomPlans, within_a_warp_by_shuffles) {
  ConversionOptions options;
  options.forceShuffles = true;
  for (int trial = 0; trial < 1500; ++trial) {
    auto shape = randomShape(2, pick(0, 9));
    LinearLayout src = randomDistributed(shape, pick(0, 2), pick(0, 1));
    check(src, shuffledWithinWarp(src), options);
  }
  EXPECT_GT(counts[ConversionKind::Shuffles], 500);
  EXPECT_EQ(counts[ConversionKind::SharedMemory], 0);
}

TEST_F(RandomPlans, one_warp_never_needs_shared_memory_without_replication) {
  ConversionOptions options;
  options.forceShuffles = true;
  for (int trial = 0; trial < 500; ++trial) {
    auto shape = randomShape(2, pick(5, 9));
    LinearLayout src = randomDistributed(shape, 0), dst = randomDistributed(shape, 0);
    check(src, dst, options);
    if (src.isInvertible() && dst.isInvertible()) {
      ConversionPlan plan = planConversion(src, dst, 32, options);
      EXPECT_NE(plan.kind, ConversionKind::SharedMemory) << src << "\n" << dst;
    }
  }
  std::cout << "shared " << counts[ConversionKind::SharedMemory] << ", shuffles "
            << counts[ConversionKind::Shuffles] << "\n";
}

TEST_F(RandomPlans, forced_shared_memory) {
  ConversionOptions options;
  options.forceShared = true;
  for (int trial = 0; trial < 300; ++trial) {
    auto shape = randomShape(2, pick(0, 11));
    int warps = pick(0, 2);
    LinearLayout src = randomDistributed(shape, warps, pick(0, 1));
    LinearLayout dst =
        pick(0, 1) ? shuffledWithinWarp(src) : randomDistributed(shape, warps, pick(0, 1));
    check(src, dst, options);
  }
}

TEST_F(RandomPlans, linear_but_not_distributed_sources) {
  // Sources whose lanes are XORs of tensor bits: register layouts read from text may be such.
  ConversionOptions options;
  options.forceShuffles = true;
  for (int trial = 0; trial < 300; ++trial) {
    int total = pick(5, 9);
    auto shape = randomShape(2, total);
    auto make = [&] {
      return randomLayout({kRegister, kLane, kWarp, kBlock}, {total - 5 + pick(0, 2), 5, 0, 0},
                          shape);
    };
    LinearLayout src = make(), dst = make();
    if (src.isSurjective() && dst.isSurjective())
      check(src, dst, options);
  }
}

} // namespace
} // namespace tilec

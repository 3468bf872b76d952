// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Minimum cuts against trying all assignments, on small random problems.

#include "lib/Transforms/TileGPU/Layout/MinCut.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>

using namespace tilec;

namespace {

struct PairCost {
  unsigned yes, no;
  double cost;
};

/// Costs of single variables (no, yes) and of pairs.
struct Problem {
  std::vector<std::pair<double, double>> single;
  std::vector<PairCost> pairs;

  double costOf(const std::vector<bool> &assignment) const {
    double cost = 0;
    for (size_t i = 0; i < single.size(); ++i)
      cost += assignment[i] ? single[i].second : single[i].first;
    for (const PairCost &pair : pairs)
      if (assignment[pair.yes] && !assignment[pair.no])
        cost += pair.cost;
    return cost;
  }

  std::vector<bool> solve() const {
    MinCut cut;
    for (auto [no, yes] : single)
      cut.addVariable(no, yes);
    for (const PairCost &pair : pairs)
      cut.addPairCost(pair.yes, pair.no, pair.cost);
    return cut.solve();
  }
};

TEST(MinCut, FindsTheCheapestAssignment) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    Problem problem;
    unsigned count = 1 + random() % 8;
    for (unsigned i = 0; i < count; ++i)
      problem.single.emplace_back(random() % 20, random() % 20);
    for (unsigned i = random() % 24; i-- > 0;)
      problem.pairs.push_back(
          {unsigned(random() % count), unsigned(random() % count), double(random() % 12)});
    double best = problem.costOf(std::vector<bool>(count));
    for (unsigned bits = 1; bits < 1u << count; ++bits) {
      std::vector<bool> assignment;
      for (unsigned i = 0; i < count; ++i)
        assignment.push_back((bits >> i) & 1);
      best = std::min(best, problem.costOf(assignment));
    }
    EXPECT_EQ(problem.costOf(problem.solve()), best) << "round " << round;
  }
}

TEST(MinCut, StaysWithNoAmongEquals) {
  MinCut cut;
  unsigned a = cut.addVariable(3, 3), b = cut.addVariable();
  cut.addPairCost(a, b, 5);
  cut.addPairCost(b, a, 5);
  EXPECT_EQ(cut.solve(), std::vector<bool>({false, false}));
}

TEST(MinCut, ForbidsWhatIsForbidden) {
  // The first variable wants yes and drags the second one along, whatever that costs.
  MinCut cut;
  unsigned a = cut.addVariable(1000, 0), b = cut.addVariable(0, 900);
  cut.addPairCost(a, b, MinCut::kForbidden);
  EXPECT_EQ(cut.solve(), std::vector<bool>({true, true}));
}

TEST(MinCut, LongChains) {
  // A chain as long as a large kernel, pulled at both ends: cut at its weakest place.
  constexpr unsigned kCount = 20000;
  MinCut cut;
  for (unsigned i = 0; i < kCount; ++i)
    cut.addVariable(i == 0 ? 100 : 0, i == kCount - 1 ? 100 : 0);
  for (unsigned i = 0; i + 1 < kCount; ++i)
    cut.addPairCost(i, i + 1, i == 12345 ? 10 : 50);
  std::vector<bool> result = cut.solve();
  EXPECT_EQ(std::count(result.begin(), result.end(), true), 12346);
}

} // namespace

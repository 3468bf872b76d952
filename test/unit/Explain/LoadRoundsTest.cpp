// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often a warp waits for loads, in code that is written here: line 1 of the source loads.

#include "lib/Explain/LoadRounds.h"

#include <gtest/gtest.h>

namespace tilec::explain {
namespace {

class LoadRounds : public ::testing::Test {
protected:
  LoadRounds() {
    report.files.push_back({"k.tile", 1, {}});
    for (int line : {1, 2})
      report.lines.emplace_back().line = line;
    StageText &sass = report.stages.emplace_back();
    sass.name = "sass";
    line(1).bytesPerThread = 4;
  }

  LineLoads &line(int number) { return loads[{"k.tile", number}]; }

  void label(const std::string &name) { add(name + ":", {}); }
  void code(const std::string &instruction, size_t fromLine = 1) {
    add("        /*0010*/                   " + instruction + " ;", {fromLine - 1});
  }
  void add(const std::string &text, std::vector<size_t> source) {
    report.stages.back().lines.push_back(text);
    report.stages.back().source.push_back(std::move(source));
  }
  double rounds(double ofInstruction = 0) {
    return findLoadRounds(report, loads, ofInstruction).value_or(-1);
  }

  Report report;
  std::map<std::pair<std::string, int>, LineLoads> loads;
};

TEST_F(LoadRounds, are_unknown_without_code) {
  EXPECT_EQ(rounds(), -1);
  report.stages.clear();
  EXPECT_EQ(rounds(), -1);
}

TEST_F(LoadRounds, loads_before_the_first_use_are_one) {
  line(1).bytesPerThread = 12;
  code("LDG.E R4, desc[UR6][R2.64]");
  code("@!P0 LDG.E R5, desc[UR6][R2.64+0x4]");
  code("LDG.E.CONSTANT R6, desc[UR6][R2.64+0x8]");
  code("FADD R4, R4, R5");
  code("FADD R4, R4, R6");
  code("EXIT");
  EXPECT_DOUBLE_EQ(rounds(), 1);
}

TEST_F(LoadRounds, a_use_in_between_makes_two) {
  line(1).bytesPerThread = 24;
  code("LDG.E.128 R4, desc[UR6][R2.64]");
  code("FADD R0, R7, 1");
  code("LDG.E.64 R4, desc[UR6][R2.64]");
  EXPECT_DOUBLE_EQ(rounds(), 2);
}

TEST_F(LoadRounds, instructions_in_the_meantime_shorten_waits) {
  line(1).bytesPerThread = 12;
  code("LDG.E R4, desc[UR6][R2.64]");
  code("LDG.E R5, desc[UR6][R2.64]");
  code("FADD R0, R4, 1");
  code("LDG.E R4, desc[UR6][R2.64]");
  code("FADD R0, R5, 1");
  code("FADD R0, R4, 1");
  EXPECT_DOUBLE_EQ(rounds(), 2);
  EXPECT_NEAR(rounds(0.1), 0.8 + 0.8, 1e-9);
  EXPECT_NEAR(rounds(0.6), 0, 1e-9);
}

TEST_F(LoadRounds, an_address_that_is_loaded_is_waited_for) {
  line(2).bytesPerThread = 4;
  code("LDG.E.64 R4, desc[UR6][R2.64]");
  code("LDG.E R8, desc[UR6][R4.64]", 2);
  line(1).bytesPerThread = 8;
  EXPECT_DOUBLE_EQ(rounds(), 2);
}

TEST_F(LoadRounds, asynchronous_copies_are_no_loads) {
  code("LDGSTS.E.BYPASS.128 [R4], desc[UR6][R2.64]");
  EXPECT_EQ(rounds(), -1);
}

TEST_F(LoadRounds, loops_count_as_often_as_they_load) {
  line(1).bytesPerThread = 40;
  label(".L_x_1");
  code("LDG.E R4, desc[UR6][R2.64]");
  code("FADD R0, R0, R4");
  code("@P0 BRA `(.L_x_1)");
  EXPECT_DOUBLE_EQ(rounds(), 10);
}

TEST_F(LoadRounds, unrolled_loops_take_what_they_can) {
  // Four iterations at once, and one for what is left.
  label(".L_x_1");
  for (int i = 4; i < 8; ++i)
    code("LDG.E R" + std::to_string(i) + ", desc[UR6][R2.64]");
  code("@P0 BRA `(.L_x_1)");
  label(".L_x_2");
  code("LDG.E R4, desc[UR6][R2.64]");
  code("@P0 BRA `(.L_x_2)");
  EXPECT_DOUBLE_EQ(rounds(), 1);
  line(1).bytesPerThread = 4 * 11;
  EXPECT_DOUBLE_EQ(rounds(), 2 + 3);
}

TEST_F(LoadRounds, caches_are_faster_than_memory) {
  code("LDG.E R4, desc[UR6][R2.64]");
  double memory = rounds();
  line(1).missingTwice = 0;
  double second = rounds();
  line(1).missing = 0;
  double first = rounds();
  EXPECT_LT(second, memory);
  EXPECT_LT(first, second);
  EXPECT_GT(first, 0);
  // Of two that are under way together, half of which are in the first cache, one is waited for.
  line(1).missing = 0.5;
  line(1).bytesPerThread = 8;
  code("LDG.E R5, desc[UR6][R2.64]");
  EXPECT_DOUBLE_EQ(rounds(), second);
}

} // namespace
} // namespace tilec::explain

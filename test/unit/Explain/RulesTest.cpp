// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rule on a report that has what it is about, and on one that does not.

#include "lib/Explain/Rules/Rules.h"

#include "tilecrt/sim/SimAbi.h"

#include <gtest/gtest.h>

namespace tilec::explain {
namespace {

using tilecrt::sim::Counters;
namespace abi = tilecrt::sim::abi;

/// A report of a kernel at line 1 with counts at line 3.
class Rules : public ::testing::Test {
protected:
  Rules() {
    report.gpu = findGpu("NVIDIA H200", "");
    report.files.push_back({"k.tile",
                            1,
                            {"def k(x, n, BLOCK: tl.constexpr):",
                             "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)",
                             "    tl.store(x + i, tl.load(x + i))"}});
    report.kernelLine = 1;
    for (int line : {1, 2, 3})
      report.lines.emplace_back().line = line;
    work.ctas = 10000;
    work.threadsPerCta = 128;
    work.residentCtas = 8;
    work.loadRounds = 1;
  }

  std::vector<Suggestion> apply(const Counters &counters, uint64_t hottest = 0) {
    CallPath path;
    path.stack = {{"k", 0, 3}};
    path.counts.counters = counters;
    path.counts.hottest.integers = hottest;
    report.calls = {path};
    work.counters = counters;
    work.hottestIntegers = double(hottest);
    report.time = predictTime(work, *report.gpu);
    return applyRules(report, work, 3);
  }

  /// What a launch of 10000 CTAs of four warps loads, with so many sectors for each request.
  Counters loads(uint64_t sectors) {
    Counters c;
    c.globalLoadRequests = 10000 * 4 * 8;
    c.globalLoadSectors = c.globalLoadRequests * sectors;
    c.globalLoadIdealSectors = c.globalLoadRequests * 4;
    c.globalLoadBytes = c.globalLoadRequests * 128;
    c.globalLoadLanes = c.globalLoadRequests * 32;
    return c;
  }

  Report report;
  LaunchWork work;
};

TEST_F(Rules, coalesced_loads_have_nothing_to_say) { EXPECT_TRUE(apply(loads(4)).empty()); }

TEST_F(Rules, uncoalesced_loads_say_why) {
  Tensor tensor;
  tensor.line = 2;
  tensor.access = {"load", 32, 128, 32, 4, false, "neighbours are far apart", "transpose it"};
  report.tensors = {tensor};
  std::vector<Suggestion> found = apply(loads(32));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].rule, "uncoalesced");
  EXPECT_EQ(found[0].line, LineIndex(2));
  EXPECT_NE(found[0].text.find(
                "32.0 sectors of 32 bytes instead of 4.0: neighbours are far apart; transpose it"),
            std::string::npos)
      << found[0].text;
  EXPECT_GT(found[0].factor, 2);
  EXPECT_LT(found[0].gain, report.time.predicted);
}

TEST_F(Rules, bank_conflicts) {
  Counters c = loads(4);
  c.sharedLoadRequests = 1 << 20;
  c.sharedLoadWavefronts = c.sharedLoadRequests * 16;
  c.sharedLoadIdealWavefronts = c.sharedLoadRequests;
  std::vector<Suggestion> found = apply(c);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "bank-conflicts");
  c.sharedLoadWavefronts = c.sharedLoadRequests;
  EXPECT_TRUE(apply(c).empty());
}

TEST_F(Rules, serial_atomics_are_those_beyond_one_of_each_program) {
  Counters c;
  c.globalAtomics = 1280000;
  std::vector<Suggestion> found = apply(c, 1280000);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].rule, "serial-atomics");
  c.globalAtomics = 10000;
  EXPECT_TRUE(apply(c, 10000).empty());
}

TEST_F(Rules, serial_atomics_of_floats_promise_more) {
  Counters c;
  c.globalAtomics = 1280000;
  std::vector<Suggestion> integers = apply(c, 1280000);
  CallPath path;
  path.stack = {{"k", 0, 3}};
  path.counts.counters = c;
  path.counts.hottest.floats = 1280000;
  report.calls = {path};
  work.hottestIntegers = 0;
  work.hottestFloats = 1280000;
  report.time = predictTime(work, *report.gpu);
  std::vector<Suggestion> floats = applyRules(report, work, 3);
  ASSERT_FALSE(integers.empty());
  ASSERT_FALSE(floats.empty());
  EXPECT_EQ(floats[0].rule, "serial-atomics");
  EXPECT_GT(floats[0].gain, 2 * integers[0].gain);
}

TEST_F(Rules, atomics_of_many_programs_ask_for_larger_blocks) {
  report.launch.arguments.push_back({"BLOCK", "", Argument::Kind::Constant, "", {}, 0, "1024"});
  work.hottestLineAtomics = 640000;
  Counters c;
  c.globalAtomics = 640000;
  std::vector<Suggestion> found = apply(c, 10000);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].rule, "serial-atomics");
  EXPECT_NE(found[0].text.find("raise BLOCK from 1024 to 4096"), std::string::npos)
      << found[0].text;
}

TEST_F(Rules, small_tiles_of_a_dot_ask_for_larger_ones) {
  for (const char *name : {"BLOCK", "BLOCK_K"})
    report.launch.arguments.push_back({name, "", Argument::Kind::Constant, "", {}, 0, "64"});
  ScheduledLoop loop;
  loop.steps = {{"start-copies", "", {}}, {"compute", "tilegpu.wgmma 64x64xf32", {}}};
  report.schedule.loops = {loop};
  Counters c;
  c.multiplyAdds = uint64_t(1) << 30;
  c.wgmmas = 1;
  c.bulkLoadBytes = uint64_t(1) << 34;
  std::vector<Suggestion> found = apply(c);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].rule, "block-size");
  EXPECT_EQ(found[0].line, LineIndex(1));
  EXPECT_NE(
      found[0].text.find("blocks of 64 x 64 load each operand often: raise BLOCK from 64 to 128"),
      std::string::npos)
      << found[0].text;
  report.schedule.loops[0].steps[1].op = "tilegpu.wgmma 128x256xf32";
  EXPECT_TRUE(apply(c).empty());
}

TEST_F(Rules, spills_are_at_the_line_with_the_most_registers) {
  report.resources.spillBytes = 400;
  report.resources.registers = 255;
  report.lines[1].registers = 90;
  report.lines[2].registers = 255;
  work.spillWavefronts = 1e7;
  std::vector<Suggestion> found = apply(loads(4));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].rule, "spills");
  EXPECT_EQ(found[0].line, LineIndex(2));
  report.resources.spillBytes = 0;
  work.spillWavefronts = 0;
  EXPECT_TRUE(apply(loads(4)).empty());
}

TEST_F(Rules, tail_is_at_the_number_of_the_program) {
  work.threadsPerCta = 512;
  work.ctas = 133;
  Counters c;
  c.instructions[abi::ClassFloat] = uint64_t(1) << 34;
  std::vector<Suggestion> found = apply(c);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].rule, "tail");
  EXPECT_EQ(found[0].line, LineIndex(1));
  work.ctas = 132;
  EXPECT_TRUE(apply(c).empty());
}

TEST_F(Rules, masked_elements_count_when_they_are_most) {
  report.launch.arguments.push_back({"BLOCK", "", Argument::Kind::Constant, "", {}, 0, "4096"});
  Counters c = loads(4);
  c.instructions[abi::ClassFloat] = uint64_t(1) << 34;
  c.globalLoadMaskedLanes = c.globalLoadLanes * 9 / 10;
  std::vector<Suggestion> found = apply(c);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].rule, "masked");
  EXPECT_EQ(found[0].line, LineIndex(2));
  EXPECT_NE(found[0].text.find("90 % of the elements are masked off"), std::string::npos);
  EXPECT_NE(found[0].text.find("BLOCK = 4096"), std::string::npos);
  c.globalLoadMaskedLanes = c.globalLoadLanes / 4;
  EXPECT_TRUE(apply(c).empty());
}

TEST_F(Rules, small_programs_ask_for_larger_blocks) {
  report.launch.arguments.push_back({"BLOCK", "", Argument::Kind::Constant, "", {}, 0, "32"});
  work.ctas = 200000;
  Counters c;
  c.globalLoadRequests = 200000;
  c.globalLoadSectors = c.globalLoadIdealSectors = 200000 * 4;
  c.globalLoadBytes = 200000 * 128;
  std::vector<Suggestion> found = apply(c);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].rule, "block-size");
  EXPECT_EQ(found[0].line, LineIndex(1));
  EXPECT_NE(found[0].text.find("raise BLOCK from 32 to"), std::string::npos) << found[0].text;
}

TEST_F(Rules, blocks_that_hold_a_whole_row_stay) {
  report.files[0].lines[1] = "    i = tl.program_id(0) * n + tl.arange(0, BLOCK)";
  report.launch.arguments.push_back({"BLOCK", "", Argument::Kind::Constant, "", {}, 0, "1024"});
  work.ctas = 4;
  Counters c;
  c.instructions[abi::ClassFloat] = uint64_t(1) << 32;
  std::vector<Suggestion> found = apply(c);
  ASSERT_FALSE(found.empty());
  EXPECT_NE(found[0].text.find("split the work of a program"), std::string::npos);
  EXPECT_EQ(found[0].text.find("lower BLOCK"), std::string::npos) << found[0].text;
}

TEST_F(Rules, few_programs_leave_multiprocessors_idle) {
  work.ctas = 4;
  Counters c;
  c.instructions[abi::ClassFloat] = uint64_t(1) << 32;
  std::vector<Suggestion> found = apply(c);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].rule, "block-size");
  EXPECT_NE(found[0].text.find("4 programs leave 128 of 132 multiprocessors without work"),
            std::string::npos);
}

TEST_F(Rules, loads_that_wait_for_each_other) {
  work.ctas = 132;
  work.loadRounds = 500;
  std::vector<Suggestion> found = apply(loads(4));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].rule, "in-flight");
  report.schedule.obstacles = {{LineIndex(2), "the loop writes what it loads"}};
  found = apply(loads(4));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].rule, "pipeline");
  EXPECT_NE(found[0].text.find("the loop writes what it loads"), std::string::npos);
}

TEST_F(Rules, dots_off_the_tensor_cores_take_the_words_of_the_remark) {
  Remark remark;
  remark.category = "dot";
  remark.message = "dot runs on other units";
  report.remarks = {remark};
  report.lines[2].remarks = {0};
  Counters c = loads(4);
  c.instructions[abi::ClassFloat] = uint64_t(1) << 36;
  std::vector<Suggestion> found = apply(c);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].rule, "tensor-cores");
  EXPECT_EQ(found[0].text, "dot runs on other units");
}

TEST_F(Rules, the_largest_gains_come_first_and_no_more_than_asked) {
  report.resources.spillBytes = 400;
  report.lines[2].registers = 255;
  work.spillWavefronts = 3e7;
  Counters c = loads(32);
  c.sharedLoadRequests = 1 << 20;
  c.sharedLoadWavefronts = c.sharedLoadRequests * 32;
  c.sharedLoadIdealWavefronts = c.sharedLoadRequests;
  std::vector<Suggestion> found = apply(c);
  ASSERT_GE(found.size(), 2u);
  for (size_t i = 0; i + 1 < found.size(); ++i)
    EXPECT_GE(found[i].gain, found[i + 1].gain);
  EXPECT_LE(found.size(), 3u);
}

} // namespace
} // namespace tilec::explain

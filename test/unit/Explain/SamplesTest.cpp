// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From samples at program counters to lines of the source, calls and a verdict in words.

#include "lib/Explain/Samples.h"

#include "gmock/gmock.h"

namespace tilec::explain {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A kernel that calls a function from two places, with a division that the assembler added.
class SampleTest : public ::testing::Test {
protected:
  SampleTest() {
    file = llvm::cantFail(sources.addBuffer("k.tile", "def twice(x):\n"
                                                      "    return x + x\n"
                                                      "\n"
                                                      "def k(x):\n"
                                                      "    a = twice(x)\n"
                                                      "    return twice(a) / x\n"));
    report.kernel = "k";
    lines.emplace(sources, file, report);
    StageText &sass = report.stages.emplace_back();
    sass.name = "sass";
    auto row = [&](const char *text, std::vector<int> at = {}) {
      sass.lines.emplace_back(text);
      sass.source.emplace_back();
      for (int line : at)
        sass.source.back().push_back(*lines->add("k.tile", line));
    };
    row("k:");
    row(".text.k:");
    row("        /*0000*/                   LDC R1, c[0x0][0x28] ;", {4});
    row("        /*0010*/                   FADD R1, R2, R2 ;", {2});
    row(".L_x_0:");
    row("        /*0020*/                   CALL.REL.NOINC `($__internal_0_$div) ;", {6});
    row("        /*0030*/                   EXIT ;");
    row("$__internal_0_$div:");
    row("        /*0040*/                   MUFU.RCP R1, R2 ;", {6});
    row(".text.other:");
    row("        /*0000*/                   NOP ;", {5});
    report.calls.resize(3);
    report.calls[0].stack = {{"k", 0, 5}, {"twice", 0, 2}};
    report.calls[0].share = 0.6;
    report.calls[1].stack = {{"k", 0, 6}, {"twice", 0, 2}};
    report.calls[1].share = 0.2;
    report.calls[2].stack = {{"k", 0, 6}};
    report.calls[2].share = 0.2;
    samples.reasons = {"smsp__pcsamp_sample_count", reason("wait"), reason("wait_not_issued"),
                       reason("long_scoreboard"), reason("barrier")};
    samples.launches = 3;
    samples.periodCycles = 1024;
  }

  static std::string reason(const char *name) {
    return std::string("smsp__pcsamp_warps_issue_stalled_") + name;
  }

  /// By the index of the reason above.
  void take(const char *function, uint64_t offset, size_t index, uint64_t count) {
    samples.counts.push_back({function, offset, index, count});
    samples.total += count;
  }

  void collect() {
    GpuRun run;
    run.cold = run.warm = 1;
    run.samples = samples;
    collectSamples(run, *lines, report);
  }

  const SourceLine &lineAt(int number) { return report.lines[*lines->add(size_t(0), number)]; }

  SourceManager sources;
  FileId file = 0;
  Report report;
  std::optional<LineTable> lines;
  tilecrt::cuda::PcSamples samples;
};

TEST_F(SampleTest, instructions_are_found_by_function_and_offset) {
  SassIndex index(report.stages.front());
  EXPECT_EQ(index.find("k", 0), 2u);
  EXPECT_EQ(index.find("k", 0x10), 3u);
  EXPECT_EQ(index.find("k", 0x20), 5u);
  EXPECT_FALSE(index.find("k", 8));
  // Both by its own name and behind the kernel.
  EXPECT_EQ(index.find("$__internal_0_$div", 0), 8u);
  EXPECT_EQ(index.find("k", 0x40), 8u);
  EXPECT_TRUE(index.isAdded(8));
  EXPECT_FALSE(index.isAdded(5));
  EXPECT_EQ(index.find("other", 0), 10u);
  EXPECT_TRUE(index.knows("other"));
  EXPECT_FALSE(index.knows("memset"));
}

TEST_F(SampleTest, reasons_have_words) {
  EXPECT_EQ(stallOf(reason("long_scoreboard")), "long_scoreboard");
  EXPECT_FALSE(stallOf(reason("long_scoreboard_not_issued"))) << "counted with its reason";
  EXPECT_FALSE(stallOf("smsp__pcsamp_sample_count"));
  EXPECT_FALSE(stallOf("smsp__pcsamp_samples_data_dropped"));
  EXPECT_EQ(stallOf("smsp__pcsamp_warp_stall_wait"), "wait");
  EXPECT_EQ(describeStall("barrier"), "waits for other warps at a barrier");
  EXPECT_EQ(describeStall("something_new"), "waits");
}

TEST_F(SampleTest, lines_have_samples_by_reason) {
  take("k", 0x10, 1, 10);
  take("k", 0x10, 2, 9);
  take("k", 0x10, 3, 30);
  take("k", 0x20, 1, 5);
  take("k", 0x30, 4, 2);
  take("memset", 0x10, 1, 1000);
  collect();
  const Samples &found = *report.samples;
  EXPECT_EQ(found.absent, "");
  EXPECT_EQ(found.count, 47u);
  EXPECT_EQ(found.unplaced, 2u) << "at an instruction without a line";
  EXPECT_EQ(found.launches, 3u);
  ASSERT_EQ(found.reasons.size(), 3u);
  EXPECT_EQ(found.reasons[0].name, "long_scoreboard");
  EXPECT_EQ(found.reasons[0].count, 30u);
  EXPECT_EQ(found.reasons[1].name, "wait");
  EXPECT_EQ(found.reasons[1].count, 15u);
  EXPECT_EQ(found.reasons[2].name, "barrier");
  EXPECT_EQ(lineAt(2).samples, 40u);
  EXPECT_THAT(lineAt(2).stalls, ElementsAre(30, 10, 0));
  EXPECT_EQ(lineAt(6).samples, 5u);
  EXPECT_EQ(lineAt(4).samples, 0u);
}

TEST_F(SampleTest, callers_share_the_samples_of_a_function_as_its_time) {
  take("k", 0x10, 1, 40);
  take("k", 0x20, 1, 4);
  take("k", 0, 1, 3);
  collect();
  EXPECT_DOUBLE_EQ(report.calls[0].samples, 30);
  EXPECT_DOUBLE_EQ(report.calls[1].samples, 10);
  EXPECT_DOUBLE_EQ(report.calls[2].samples, 4);
  EXPECT_DOUBLE_EQ(lineAt(5).allSamples, 30);
  EXPECT_DOUBLE_EQ(lineAt(6).allSamples, 14);
  EXPECT_DOUBLE_EQ(lineAt(2).allSamples, 40);
  EXPECT_EQ(lineAt(5).samples, 0u);
  // A line that the simulator counted nothing at is a call of the kernel's.
  ASSERT_EQ(report.calls.size(), 4u);
  EXPECT_EQ(report.calls[3].stack.front().function, "k");
  EXPECT_EQ(report.calls[3].stack.front().line, 4);
  EXPECT_DOUBLE_EQ(report.calls[3].samples, 3);
}

TEST_F(SampleTest, what_the_assembler_added_is_shared_among_the_lines_that_call_it) {
  report.stages.front().source[8] = {*lines->add(size_t(0), 5), *lines->add(size_t(0), 6)};
  take("$__internal_0_$div", 0, 1, 7);
  collect();
  EXPECT_EQ(lineAt(5).samples, 4u);
  EXPECT_EQ(lineAt(6).samples, 3u);
}

TEST_F(SampleTest, without_samples_there_is_a_reason) {
  GpuRun run;
  run.noSamples = "CUPTI was not found";
  collectSamples(run, *lines, report);
  EXPECT_EQ(report.samples->absent, "CUPTI was not found");
  samples.total = 9;
  samples.dropped = 9;
  samples.isBufferFull = true;
  collect();
  EXPECT_EQ(report.samples->absent, "CUPTI gave none in 3 launches: 9 taken, 9 of them lost, the "
                                    "buffer of the hardware was full");
  take("other_kernel", 0x10, 1, 4);
  collect();
  EXPECT_THAT(report.samples->absent, HasSubstr("the first one is 'other_kernel' + 0x10"));
  report.stages.front().absent = "nvdisasm was not found";
  collect();
  EXPECT_THAT(report.samples->absent, HasSubstr("without the SASS: nvdisasm was not found"));
}

} // namespace
} // namespace tilec::explain

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table and the JSON of times, which no test without a GPU gets to otherwise.

#include "tools/tilec/BenchReport.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::tool;
using testing::HasSubstr;

namespace {

BenchRow row(const char *block, int warps, double median) {
  BenchRow made;
  made.kernel = "add";
  made.constants = {{"BLOCK", block}, {"FAST", "True"}};
  made.numWarps = warps;
  made.metadata.numWarps = uint32_t(warps);
  made.metadata.registers = 24;
  made.metadata.spillBytes = 0;
  made.grid = {1024, 2, 1};
  made.movedBytes = 12000000;
  made.timing.median = median;
  made.timing.min = median - 1;
  made.timing.p95 = median + 1.25;
  return made;
}

class BenchReportTest : public testing::Test {
protected:
  void SetUp() override {
    command.run.device = DeviceKind::Cuda;
    command.constants = {{"BLOCK", {"512", "1024"}}, {"FAST", {"True"}}};
    command.numWarps = {4};
    command.repeats = 20;
    report.rows = {row("512", 4, 6), row("1024", 4, 4)};
  }

  BenchCommand command;
  BenchReport report{command, "GPU (cuda:0)", {}};
};

TEST_F(BenchReportTest, TableOfTimes) {
  EXPECT_EQ(printReport(report),
            "device  GPU (cuda:0)\n"
            "times   20 launches after 10 to warm up, L2 flushed\n"
            "kernel  BLOCK  warps    grid  regs  spill B  shared B  median us  min us  p95 us     "
            "bytes    GB/s\n"
            "add       512      4  1024x2    24        0         0       6.00    5.00    7.25  "
            "12000000  2000.0\n"
            "add      1024      4  1024x2    24        0         0       4.00    3.00    5.25  "
            "12000000  3000.0\n"
            "best    add BLOCK=1024 num_warps=4: 4.00 us, 3000.0 GB/s\n");
}

TEST_F(BenchReportTest, RowsThatFailedAndUnknownRegisters) {
  report.rows[1].failure = "the kernel does not compile";
  report.rows[0].metadata.registers = report.rows[0].metadata.spillBytes = -1;
  std::string text = printReport(report);
  EXPECT_THAT(text, HasSubstr("1024x2     -        -         0 "));
  EXPECT_THAT(text, HasSubstr("add      1024      4  failed\n"));
  // One row is no choice.
  EXPECT_EQ(text.find("best"), std::string::npos);
}

TEST_F(BenchReportTest, Json) {
  report.rows[1].failure = "the launch failed";
  std::string text = printReportAsJson(report);
  for (const char *expected :
       {"\"device\": \"GPU (cuda:0)\"", "\"flushL2\": true", "\"medianUs\": 6", "\"minUs\": 5",
        "\"p95Us\": 7.25", "\"gigabytesPerSecond\": 2000", "\"bytes\": 12000000",
        "\"registers\": 24", "\"FAST\": \"True\"", "\"error\": \"the launch failed\""})
    EXPECT_THAT(text, HasSubstr(expected));
}

} // namespace

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels with planted mistakes: the simulator must find each, of the right kind and on the right
// line; and the same kernel with every barrier in place must be clean.

#include "BarrierRemoval.h"
#include "Execution.h"

#include <fstream>

namespace tilec::harness::test {
namespace {

using tilecrt::sim::FindingKind;

/// The number of the line of mistakes.tile that contains a text, from 1; 0 when there is none.
int lineOf(const std::string &text) {
  std::ifstream file(inputPath("mistakes.tile"));
  std::string line;
  for (int number = 1; std::getline(file, line); ++number)
    if (line.find(text) != std::string::npos)
      return number;
  return 0;
}

/// The finding of a kind, and that its first line points at the line with the given text.
void expectFinding(const tilecrt::sim::LaunchResult &result,
                   const std::vector<std::string> &findings, FindingKind kind,
                   const std::string &lineText) {
  int line = lineOf(lineText);
  ASSERT_NE(line, 0) << "no line has '" << lineText << "'";
  std::string place = "mistakes.tile:" + std::to_string(line) + ":";
  std::string all = result.error;
  for (size_t i = 0; i < result.findings.size(); ++i) {
    all += "\n" + findings[i];
    bool isAtLine = findings[i].find(place) != std::string::npos;
    if (result.findings[i].kind == kind && isAtLine)
      return;
  }
  ADD_FAILURE() << "expected '" << tilecrt::sim::findingKindName(kind) << "' at " << place
                << ", got:" << all;
}

void expectFinding(const Outcome &outcome, FindingKind kind, const std::string &lineText) {
  expectFinding(outcome.simulation, outcome.findings, kind, lineText);
}

RunBuilder mistake(const std::string &kernel) { return kernelOf("mistakes.tile", kernel); }

TEST(MistakeTest, loadOutOfBounds) {
  for (int64_t n : {1000, 1023, 800}) {
    RunBuilder builder = mistake("load_without_mask");
    builder.randn("x_ptr", DType::f32, {n}).unchecked("out_ptr", DType::f32, {n});
    builder.i32("n", n).constant("BLOCK", 256).grid(4);
    Outcome outcome = simulateRun(builder);
    expectFinding(outcome, FindingKind::OutOfBoundsGlobal, "x = tl.load(x_ptr + offsets)  # out");
    ASSERT_FALSE(outcome.findings.empty());
    EXPECT_NE(outcome.findings[0].find("'x_ptr'"), std::string::npos) << outcome.findings[0];
  }
}

TEST(MistakeTest, storeOutOfBounds) {
  RunBuilder builder = mistake("store_without_mask");
  builder.randn("x_ptr", DType::f16, {1001}).unchecked("out_ptr", DType::f16, {1001});
  builder.i32("n", 1001).constant("BLOCK", 256).grid(4);
  Outcome outcome = simulateRun(builder);
  expectFinding(outcome, FindingKind::OutOfBoundsGlobal, "tl.store(out_ptr + offsets, x)  # out");
}

TEST(MistakeTest, loadBeforeTheBuffer) {
  RunBuilder builder = mistake("before_the_start");
  builder.randn("x_ptr", DType::f32, {64}).unchecked("out_ptr", DType::f32, {64});
  builder.constant("BLOCK", 64);
  expectFinding(simulateRun(builder), FindingKind::OutOfBoundsGlobal, "one element before");
}

TEST(MistakeTest, globalRaceOfTwoWriters) {
  RunBuilder builder = mistake("programs_share_a_word");
  builder.arange("x_ptr", DType::f32, {8}).unchecked("out_ptr", DType::f32, {1}).grid(8);
  Outcome outcome = simulateRun(builder);
  expectFinding(outcome, FindingKind::GlobalRaceWriteWrite, "every program, different values");
  ASSERT_FALSE(outcome.simulation.findings.empty());
  EXPECT_TRUE(outcome.simulation.findings[0].hasOther);
}

TEST(MistakeTest, globalRaceOfReaderAndWriter) {
  RunBuilder builder = mistake("read_of_a_neighbour");
  builder.randn("x_ptr", DType::f32, {1025});
  builder.changes("x_ptr", [](HostArray &) {}).i32("n", 1024).constant("BLOCK", 128).grid(8);
  Outcome outcome = simulateRun(builder);
  bool found = false;
  for (size_t i = 0; i < outcome.findings.size(); ++i)
    if (outcome.simulation.findings[i].kind == FindingKind::GlobalRaceReadWrite) {
      // Both parties are named.
      found = true;
      for (const char *text : {"while the next program", "writes it here"})
        EXPECT_NE(outcome.findings[i].find("mistakes.tile:" + std::to_string(lineOf(text)) + ":"),
                  std::string::npos)
            << outcome.findings[i];
    }
  EXPECT_TRUE(found) << outcome.failure;
}

TEST(MistakeTest, writeToAnInput) {
  RunBuilder builder = mistake("write_to_an_input");
  builder.randn("x_ptr", DType::f32, {128}).unchecked("out_ptr", DType::f32, {128});
  builder.constant("BLOCK", 128);
  expectFinding(simulateRun(builder), FindingKind::ReadOnlyWrite, "x is only read");
}

TEST(MistakeTest, everyMissingBarrierIsASharedMemoryRace) {
  constexpr int64_t n = 1024;
  std::vector<float> x(n, 0.5f), out(n);
  auto runWithout = [&](int removed, unsigned &barriers) {
    SimulatedKernel kernel;
    kernel.path = inputPath("mistakes.tile");
    kernel.kernel = "row_sums";
    kernel.arguments = {{"x_ptr", "*fp32:16"}, {"out_ptr", "*fp32:16"}};
    kernel.constants = {{"N", std::to_string(n)}};
    kernel.buffers = {{x.data(), x.size() * 4, "x_ptr", true},
                      {out.data(), out.size() * 4, "out_ptr", false}};
    kernel.removedBarrier = removed;
    BarrierOutcome outcome = runWithoutBarrier(kernel);
    EXPECT_EQ(outcome.error, "");
    barriers = outcome.barriers;
    return outcome;
  };
  unsigned barriers = 0;
  BarrierOutcome whole = runWithout(-1, barriers);
  EXPECT_TRUE(whole.launch.clean()) << (whole.findings.empty() ? "" : whole.findings[0]);
  ASSERT_GE(barriers, 1u);
  for (unsigned removed = 0; removed < barriers; ++removed) {
    SCOPED_TRACE("barrier " + std::to_string(removed));
    unsigned left = 0;
    BarrierOutcome outcome = runWithout(static_cast<int>(removed), left);
    ASSERT_FALSE(outcome.launch.findings.empty());
    FindingKind kind = outcome.launch.findings[0].kind;
    EXPECT_TRUE(kind == FindingKind::SharedRaceRAW || kind == FindingKind::SharedRaceWAR ||
                kind == FindingKind::SharedRaceWAW || kind == FindingKind::UninitializedShared)
        << outcome.findings[0];
    expectFinding(outcome.launch, outcome.findings, kind, "# across warps");
  }
}

} // namespace
} // namespace tilec::harness::test

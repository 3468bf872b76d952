// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of measurements: lists of values, and what is said to wrong ones.

#include "tools/tilec/CommandLine.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::tool;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

namespace {

ParsedCommandLine parse(std::vector<std::string> more) {
  std::vector<std::string> arguments = {"bench", "a.tile", "--grid", "1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return parseCommandLine(arguments);
}

BenchCommand bench(std::vector<std::string> more) {
  ParsedCommandLine line = parse(std::move(more));
  EXPECT_EQ(line.text, "");
  if (!line.command || !std::holds_alternative<BenchCommand>(*line.command)) {
    ADD_FAILURE() << "no measurement";
    return {};
  }
  return std::get<BenchCommand>(*line.command);
}

std::string usageOf(std::vector<std::string> more) {
  ParsedCommandLine line = parse(std::move(more));
  EXPECT_FALSE(line.command);
  EXPECT_EQ(line.exitCode, ExitCode::Usage);
  return line.text;
}

TEST(BenchCommandLine, Defaults) {
  BenchCommand command = bench({});
  EXPECT_EQ(command.run.kernel.file, "a.tile");
  EXPECT_EQ(command.run.grid, "1");
  EXPECT_EQ(command.run.device, DeviceKind::Cuda);
  EXPECT_FALSE(command.run.counters);
  EXPECT_EQ(command.run.bytes, "");
  EXPECT_FALSE(command.run.json);
  EXPECT_THAT(command.kernels, IsEmpty());
  EXPECT_THAT(command.constants, IsEmpty());
  EXPECT_THAT(command.numWarps, IsEmpty());
  EXPECT_THAT(command.numStages, IsEmpty());
  EXPECT_THAT(command.numCtas, IsEmpty());
  EXPECT_THAT(command.splitK, IsEmpty());
  EXPECT_EQ(command.warmup, 10u);
  EXPECT_EQ(command.repeats, 100u);
  EXPECT_TRUE(command.flushL2);
}

TEST(BenchCommandLine, Everything) {
  BenchCommand command = bench({"--kernel",     "f,g",
                                "--arg",        "x=randn:f32[4]",
                                "--const",      "B=1, 2",
                                "--const",      "C=(1,2),[3,4]",
                                "--const",      "OP='a,b',\"\"",
                                "--num-warps",  "4,8,16",
                                "--device",     "cuda:1",
                                "--num-stages", "2,3",
                                "--num-ctas",   "1,2",
                                "--split-k",    "1,4,2",
                                "--warmup",     "0",
                                "--repeats",    "7",
                                "--bytes",      "2 * x.bytes",
                                "--seed",       "5",
                                "--json",       "--no-flush-l2"});
  EXPECT_THAT(command.kernels, ElementsAre("f", "g"));
  EXPECT_THAT(command.run.kernel.arguments, ElementsAre(Pair("x", "randn:f32[4]")));
  EXPECT_THAT(command.constants, ElementsAre(Pair("B", ElementsAre("1", "2")),
                                             Pair("C", ElementsAre("(1,2)", "[3,4]")),
                                             Pair("OP", ElementsAre("'a,b'", "\"\""))));
  EXPECT_THAT(command.numWarps, ElementsAre(4, 8, 16));
  EXPECT_THAT(command.numStages, ElementsAre(2, 3));
  EXPECT_THAT(command.numCtas, ElementsAre(1, 2));
  EXPECT_THAT(command.splitK, ElementsAre(1, 4, 2));
  EXPECT_EQ(command.run.device, DeviceKind::Cuda);
  EXPECT_EQ(command.run.deviceNumber, 1);
  EXPECT_EQ(command.warmup, 0u);
  EXPECT_EQ(command.repeats, 7u);
  EXPECT_EQ(command.run.bytes, "2 * x.bytes");
  EXPECT_EQ(command.run.seed, 5u);
  EXPECT_TRUE(command.run.json);
  EXPECT_FALSE(command.flushL2);
}

TEST(BenchCommandLine, Simulator) {
  BenchCommand command = bench({"--device", "sim", "--no-check"});
  EXPECT_EQ(command.run.device, DeviceKind::Simulator);
  EXPECT_TRUE(command.run.counters);
  EXPECT_EQ(command.run.check, false);
}

TEST(BenchCommandLine, Mistakes) {
  EXPECT_THAT(usageOf({"--device", "auto"}), HasSubstr("expects cuda, cuda:N or sim"));
  EXPECT_THAT(usageOf({"--check"}), HasSubstr("'--check' needs the simulator"));
  EXPECT_THAT(usageOf({"--const", "B="}), HasSubstr("'--const B' has an empty value"));
  EXPECT_THAT(usageOf({"--const", "B=1,1"}), HasSubstr("'--const B' has '1' twice"));
  EXPECT_THAT(usageOf({"--const", "B"}), HasSubstr("expects NAME=VALUE"));
  EXPECT_THAT(usageOf({"--kernel", "f,"}), HasSubstr("'--kernel' has an empty value"));
  EXPECT_THAT(usageOf({"--num-warps", "4,5"}), HasSubstr("8, 16 or 32, got 5"));
  EXPECT_THAT(usageOf({"--num-warps", "x"}), HasSubstr("expects numbers, got 'x'"));
  EXPECT_THAT(usageOf({"--num-stages", "0"}), HasSubstr("expects 1 to 16, got 0"));
  EXPECT_THAT(usageOf({"--num-ctas", "2,5"}), HasSubstr("expects 1, 2, 4 or 8, got 5"));
  EXPECT_THAT(usageOf({"--split-k", "2,3"}), HasSubstr("expects 1, 2, 4 or 8, got 3"));
  EXPECT_THAT(usageOf({"--repeats", "0"}), HasSubstr("expects 1 to 100000, got 0"));
  EXPECT_THAT(usageOf({"--warmup", "100001"}), HasSubstr("expects 0 to 100000"));
  EXPECT_THAT(usageOf({"--bytes", " "}), HasSubstr("expects an expression"));
  EXPECT_THAT(usageOf({"--arg", "B=1", "--const", "B=1"}), HasSubstr("both"));
  std::string many = "B=0";
  for (int i = 1; i < 400; ++i)
    many += "," + std::to_string(i);
  EXPECT_THAT(usageOf({"--const", many, "--num-warps", "2,4,8"}),
              HasSubstr("more than 1000 combinations"));
}

} // namespace

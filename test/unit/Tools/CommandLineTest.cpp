// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line as values: what becomes of each option, and what is said to wrong ones.

#include "tools/tilec/CommandLine.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::tool;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

namespace {

template <typename T> T parseAs(std::vector<std::string> arguments) {
  ParsedCommandLine line = parseCommandLine(arguments);
  EXPECT_EQ(line.exitCode, ExitCode::Ok);
  EXPECT_EQ(line.text, "");
  if (!line.command || !std::holds_alternative<T>(*line.command)) {
    ADD_FAILURE() << "no command of this kind";
    return T();
  }
  return std::get<T>(*line.command);
}

/// The error of a wrong command line.
std::string usageOf(std::vector<std::string> arguments) {
  ParsedCommandLine line = parseCommandLine(arguments);
  EXPECT_FALSE(line.command);
  EXPECT_EQ(line.exitCode, ExitCode::Usage);
  return line.text;
}

TEST(CommandLine, CompileDefaults) {
  auto command = parseAs<CompileCommand>({"compile", "a.tile"});
  EXPECT_EQ(command.kernel.file, "a.tile");
  EXPECT_EQ(command.kernel.options.kernel, "");
  EXPECT_EQ(command.target, "sm_90a");
  EXPECT_EQ(command.emit, Stage::PTX);
  EXPECT_EQ(command.output, "");
  EXPECT_FALSE(command.remarks);
  EXPECT_FALSE(command.time);
  EXPECT_TRUE(command.lineInfo);
  EXPECT_FALSE(command.kernel.options.numWarps);
}

TEST(CommandLine, CompileEverything) {
  auto command = parseAs<CompileCommand>({"compile",
                                          "--kernel",
                                          "k",
                                          "--arg",
                                          "x=*fp32:16",
                                          "--arg=n=i32",
                                          "a.tile",
                                          "--const",
                                          "B=[1,2]=3",
                                          "--num-warps",
                                          "8",
                                          "--num-stages",
                                          "2",
                                          "--target",
                                          "sm_80",
                                          "--emit",
                                          "cubin",
                                          "-o",
                                          "out",
                                          "--remarks",
                                          "--remarks-format",
                                          "json",
                                          "-Werror=perf",
                                          "-Werror=memory-coalescing",
                                          "--time",
                                          "--debug",
                                          "--no-line-info",
                                          "--ptxas",
                                          "/p",
                                          "--diagnostics-format",
                                          "json"});
  EXPECT_EQ(command.kernel.options.kernel, "k");
  EXPECT_THAT(command.kernel.arguments, ElementsAre(Pair("x", "*fp32:16"), Pair("n", "i32")));
  ASSERT_EQ(command.kernel.options.constants.size(), 1u);
  EXPECT_EQ(command.kernel.options.constants[0].name, "B");
  EXPECT_EQ(command.kernel.options.constants[0].value, "[1,2]=3");
  EXPECT_EQ(command.kernel.options.numWarps, 8);
  EXPECT_EQ(command.kernel.options.numStages, 2);
  EXPECT_EQ(command.target, "sm_80");
  EXPECT_EQ(command.emit, Stage::Cubin);
  EXPECT_EQ(command.output, "out");
  EXPECT_TRUE(command.remarks);
  EXPECT_EQ(command.remarksFormat, TextFormat::Json);
  EXPECT_THAT(command.remarksAsErrors, ElementsAre("perf", "memory-coalescing"));
  EXPECT_TRUE(command.time);
  EXPECT_TRUE(command.kernel.options.debug);
  EXPECT_FALSE(command.lineInfo);
  EXPECT_EQ(command.kernel.ptxas, "/p");
  EXPECT_EQ(command.kernel.diagnosticsFormat, TextFormat::Json);
}

TEST(CommandLine, EmitAllAndSim) {
  auto all = parseAs<CompileCommand>({"compile", "a.tile", "--emit", "all", "-o", "dir"});
  EXPECT_FALSE(all.emit);
  auto sim = parseAs<CompileCommand>({"compile", "a.tile", "--target", "sim"});
  EXPECT_EQ(sim.emit, Stage::LLVMMLIR);
}

TEST(CommandLine, RepeatedOptionsDoNotSwallowTheFile) {
  auto command = parseAs<CompileCommand>({"compile", "--arg", "x=i32", "a.tile"});
  EXPECT_EQ(command.kernel.file, "a.tile");
}

TEST(CommandLine, RunDevices) {
  auto run = [](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"run", "a.tile", "--grid", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return parseAs<RunCommand>(arguments);
  };
  EXPECT_EQ(run({}).device, DeviceKind::Auto);
  EXPECT_EQ(run({"--device", "sim"}).device, DeviceKind::Simulator);
  EXPECT_EQ(run({"--device", "cuda"}).deviceNumber, 0);
  EXPECT_EQ(run({"--device", "cuda:2"}).deviceNumber, 2);
  EXPECT_EQ(run({"--device", "cuda:2"}).device, DeviceKind::Cuda);
  // What only the simulator can do chooses it.
  EXPECT_EQ(run({"--counters"}).device, DeviceKind::Simulator);
  EXPECT_EQ(run({"--check"}).device, DeviceKind::Simulator);
  EXPECT_EQ(run({"--no-check"}).device, DeviceKind::Auto);
  EXPECT_EQ(run({"--check"}).check, true);
  EXPECT_EQ(run({"--no-check"}).check, false);
  EXPECT_EQ(run({}).check, std::nullopt);
}

TEST(CommandLine, RunOptions) {
  auto command = parseAs<RunCommand>({"run",
                                      "a.tile",
                                      "--grid",
                                      "cdiv(n, B),4",
                                      "--arg",
                                      "x=randn:f32[4]",
                                      "--arg",
                                      "n=-4",
                                      "--buffer",
                                      "b=zeros:f32[1]",
                                      "--repeat",
                                      "7",
                                      "--seed",
                                      "18446744073709551615",
                                      "--save",
                                      "x=a=b.npy",
                                      "--expect",
                                      "x=e.npy",
                                      "--rtol",
                                      "1e-3",
                                      "--atol",
                                      "0",
                                      "--print",
                                      "x",
                                      "--print",
                                      "b",
                                      "--no-specialize",
                                      "--json"});
  EXPECT_EQ(command.grid, "cdiv(n, B),4");
  EXPECT_THAT(command.kernel.arguments, ElementsAre(Pair("x", "randn:f32[4]"), Pair("n", "-4")));
  EXPECT_THAT(command.buffers, ElementsAre(Pair("b", "zeros:f32[1]")));
  EXPECT_EQ(command.repeat, 7u);
  EXPECT_EQ(command.seed, UINT64_MAX);
  EXPECT_THAT(command.save, ElementsAre(Pair("x", "a=b.npy")));
  ASSERT_EQ(command.expect.size(), 1u);
  EXPECT_EQ(command.expect[0].path, "e.npy");
  EXPECT_EQ(command.rtol, 1e-3);
  EXPECT_EQ(command.atol, 0.0);
  EXPECT_THAT(command.print, ElementsAre("x", "b"));
  EXPECT_TRUE(command.noSpecialize);
  EXPECT_TRUE(command.json);
}

TEST(CommandLine, Layout) {
  auto command = parseAs<LayoutCommand>({"layout", "{register=[[0,1]]}", "--shape", "64x32",
                                         "--view", "both", "--convert-to", "x", "--bits", "16"});
  EXPECT_EQ(command.layout, "{register=[[0,1]]}");
  EXPECT_THAT(command.shape, ElementsAre(64, 32));
  EXPECT_EQ(command.view, LayoutView::Both);
  EXPECT_EQ(command.convertTo, "x");
  EXPECT_EQ(command.bits, 16);
}

TEST(CommandLine, HelpAndVersionAreTexts) {
  for (auto arguments : {std::vector<std::string>{"--help"}, {"run", "--help"}, {"--version"}}) {
    ParsedCommandLine line = parseCommandLine(arguments);
    EXPECT_FALSE(line.command);
    EXPECT_EQ(line.exitCode, ExitCode::Ok);
    EXPECT_THAT(line.text, HasSubstr("tilec"));
  }
}

TEST(CommandLine, UsageErrors) {
  EXPECT_THAT(usageOf({}), HasSubstr("no command given"));
  EXPECT_THAT(usageOf({""}), HasSubstr("unknown command ''"));
  EXPECT_THAT(usageOf({"runs"}), HasSubstr("did you mean 'run'?"));
  EXPECT_THAT(usageOf({"compile"}), HasSubstr("FILE is required"));
  EXPECT_THAT(usageOf({"compile", "a", "--outptu", "x"}), HasSubstr("did you mean '--output'?"));
  EXPECT_THAT(usageOf({"compile", "a", "b"}), HasSubstr("unexpected argument 'b'"));
  EXPECT_THAT(usageOf({"compile", "a", "--arg"}), HasSubstr("--arg"));
  EXPECT_THAT(usageOf({"compile", "a", "--emit", "x"}), HasSubstr("unknown value 'x'"));
  EXPECT_THAT(usageOf({"compile", "a", "--target", "x"}), HasSubstr("unknown target 'x'"));
  EXPECT_THAT(usageOf({"compile", "a", "-o", ""}), HasSubstr("'-o' expects a path"));
  EXPECT_THAT(usageOf({"compile", "a", "--num-warps", "64"}), HasSubstr("got 64"));
  EXPECT_THAT(usageOf({"compile", "a", "--num-ctas", "3"}),
              HasSubstr("expects 1, 2, 4 or 8, got 3"));
  EXPECT_THAT(usageOf({"compile", "a", "--split-k", "16"}), HasSubstr("2, 4 or 8, got 16"));
  EXPECT_THAT(usageOf({"compile", "a", "--split-k", "2", "--num-ctas", "2"}),
              HasSubstr("'--num-ctas' of 2 and '--split-k' exclude each other"));
  EXPECT_THAT(usageOf({"run", "a"}), HasSubstr("--grid is required"));
  EXPECT_THAT(usageOf({"run", "a", "--grid", "1", "--rtol", "nan"}), HasSubstr("at least 0"));
  EXPECT_THAT(usageOf({"run", "a", "--grid", "1", "--seed", "-1"}),
              HasSubstr("expects a number of 64 bits"));
  EXPECT_THAT(usageOf({"run", "a", "--grid", "1", "--device", "cuda:-1"}),
              HasSubstr("device number"));
  EXPECT_THAT(usageOf({"layout", "x", "--shape", "0x4"}), HasSubstr("'--shape' expects"));
  EXPECT_THAT(usageOf({"layout", "x", "--max-rows", "0"}), HasSubstr("at least 1"));
}

} // namespace

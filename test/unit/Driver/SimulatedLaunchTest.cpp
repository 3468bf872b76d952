// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the metadata makes of a launch on the simulator.

#include "tilec/Driver/Compiler.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tilec;
using tilecrt::sim::LaunchConfig;
using tilecrt::sim::LaunchResult;
using tilecrt::sim::LaunchStatus;

namespace {

/// Writes the CTAs of the launch, one element by each.
constexpr const char *kCount = R"(@triton.jit
def count(x):
    tl.store(x + tl.program_id(0) + tl.program_id(1) * tl.num_programs(0), tl.num_programs(0))
)";

/// As if the CTAs of a cluster ran one program together.
std::unique_ptr<CompiledKernel> compileSplit(uint32_t splitK) {
  SourceManager sources;
  FileId file = llvm::cantFail(sources.addBuffer("count.tile", kCount));
  CompileOptions options;
  options.arguments = {{"x", "*i32"}};
  options.numWarps = 1;
  options.target = "sim";
  DiagnosticEngine diagnostics;
  std::unique_ptr<CompiledKernel> kernel = Compiler().compile(sources, file, options, diagnostics);
  EXPECT_TRUE(kernel) << renderDiagnostics(sources, diagnostics);
  if (kernel)
    kernel->metadata.splitK = kernel->metadata.clusterX = splitK;
  return kernel;
}

LaunchResult launch(const CompiledKernel &kernel, std::vector<int32_t> &data, LaunchConfig config) {
  config.buffers.push_back({data.data(), data.size() * sizeof(int32_t), "x", false});
  int32_t *x = data.data();
  void *arguments[] = {&x};
  return simulate(kernel, arguments, config);
}

TEST(SimulatedLaunch, GridsCountProgramsOfSeveralCtas) {
  std::unique_ptr<CompiledKernel> kernel = compileSplit(4);
  ASSERT_TRUE(kernel);
  std::vector<int32_t> data(24);
  LaunchConfig config;
  config.grid = {3, 2, 1};
  LaunchResult result = launch(*kernel, data, config);
  EXPECT_TRUE(result.clean()) << result.error;
  EXPECT_THAT(data, testing::Each(12));
  // The last CTA writes behind the end: that is the last program.
  data.resize(23);
  result = launch(*kernel, data, config);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].thread.cta, (std::array<uint32_t, 3>{2, 1, 0}));
}

TEST(SimulatedLaunch, WhatNoLaunchCanHaveIsRefused) {
  std::unique_ptr<CompiledKernel> kernel = compileSplit(4);
  ASSERT_TRUE(kernel);
  std::vector<int32_t> data(8);
  LaunchConfig config;
  config.grid = {uint32_t(1) << 30, 1, 1};
  LaunchResult result = launch(*kernel, data, config);
  EXPECT_EQ(result.status, LaunchStatus::Invalid);
  EXPECT_EQ(result.error, "grid of 1073741824 programs of 4 CTAs each in x, expected at most "
                          "2147483647 CTAs");
  config.grid = {2, 1, 1};
  config.cluster = {2, 1, 1};
  result = launch(*kernel, data, config);
  EXPECT_EQ(result.status, LaunchStatus::Invalid);
  EXPECT_EQ(result.error, "the launch has clusters of its own, the code is for those of the 4 CTAs "
                          "that run a program");
}

} // namespace

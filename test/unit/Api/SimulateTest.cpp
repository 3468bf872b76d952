// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulating through the public interface: results, findings, and launches that are refused.

#include "Kernels.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>
#include <numeric>
#include <thread>

using namespace tilec;
using namespace tilec::test;
using testing::HasSubstr;

namespace {

class ApiSimulate : public testing::Test {
protected:
  void SetUp() override {
    Compilation compiled = Compiler().compileText("add.tile", addSource, addOptions("sim"));
    ASSERT_TRUE(compiled) << compiled.text;
    kernel = std::move(compiled.kernel);
    std::iota(x.begin(), x.end(), 0.0f);
  }

  Kernel kernel;
  std::vector<float> x = std::vector<float>(300), y = std::vector<float>(300, 0.5f),
                     out = std::vector<float>(300);
  Launch launch = {{3, 1, 1}};
};

} // namespace

TEST_F(ApiSimulate, computesAndCounts) {
  launch.counters = true;
  const std::vector<float> &input = x;
  Report report = kernel.simulate(launch, buffer(input), buffer(y), buffer(out), int32_t(x.size()));
  ASSERT_TRUE(report) << report.message << report.text;
  for (size_t i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i], x[i] + 0.5f);
  EXPECT_EQ(report.text, "");
  EXPECT_EQ(report.counters.global_store_bytes, out.size() * sizeof(float));
  EXPECT_GE(report.counters.global_load_sectors, report.counters.global_load_ideal_sectors);
}

TEST_F(ApiSimulate, findingsAreStructured) {
  // One element too many is asked for.
  Report report = kernel.simulate(launch, buffer(x), buffer(y), buffer(out), int32_t(301));
  EXPECT_EQ(report.status, TILEC_INPUT_ERROR);
  ASSERT_FALSE(report.findings.empty());
  const Finding &finding = report.findings.front();
  EXPECT_EQ(finding.kind, "out-of-bounds");
  EXPECT_EQ(finding.file, "add.tile");
  EXPECT_EQ(finding.line, 5u);
  EXPECT_EQ(finding.program, (std::array<uint32_t, 3>{2, 0, 0}));
  EXPECT_THAT(finding.rendered, HasSubstr("add.tile:5:"));
  EXPECT_THAT(report.text, HasSubstr(finding.rendered));
  EXPECT_THAT(report.message, HasSubstr(finding.message));
}

TEST_F(ApiSimulate, readOnlyBuffers) {
  const std::vector<float> &constant = out;
  Report report = kernel.simulate(launch, buffer(x), buffer(y), buffer(constant), int32_t(300));
  EXPECT_EQ(report.status, TILEC_INPUT_ERROR);
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings.front().kind, "read-only-write");
  EXPECT_THAT(report.findings.front().message, HasSubstr("out"));
}

TEST_F(ApiSimulate, wrongArgumentsAreRefused) {
  auto expectRefused = [](const Report &report, const char *message) {
    EXPECT_EQ(report.status, TILEC_INVALID_ARGUMENT);
    EXPECT_EQ(report.message, message);
  };
  expectRefused(kernel.simulate(launch, buffer(x), buffer(y), buffer(out)),
                "kernel 'add' takes 4 arguments, got 3");
  expectRefused(kernel.simulate(launch, buffer(x), buffer(y), buffer(out), int64_t(300)),
                "kernel 'add': argument 'n' ('i32') takes 4 bytes, got 8");
  launch.grid = {0, 1, 1};
  expectRefused(kernel.simulate(launch, buffer(x), buffer(y), buffer(out), int32_t(300)),
                "launching kernel 'add': grid size 0 in x, expected 1 to 2147483647");
  expectRefused(
      kernel.simulate(launch, {{nullptr, 8}, {nullptr, 8}, {nullptr, 8}, {nullptr, 4}}, {}),
      "kernel 'add': argument 'x' ('*kfp32') has no value");
}

TEST_F(ApiSimulate, promisesOfTheSignatureAreChecked) {
  Options options = addOptions("sim");
  options.arguments[3] = {"n", "i32:16"};
  options.arguments[0] = {"x", "*fp32:16"};
  Compilation compiled = Compiler().compileText("add.tile", addSource, options);
  ASSERT_TRUE(compiled) << compiled.text;
  Report report = compiled.kernel.simulate(launch, buffer(x), buffer(y), buffer(out), int32_t(300));
  EXPECT_EQ(report.status, TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(report.message, HasSubstr("'n' ('i32') was compiled for multiples of 16, got 300"));
  alignas(16) float aligned[304] = {};
  Report shifted = compiled.kernel.simulate(launch, buffer(aligned + 1, 300), buffer(y),
                                            buffer(out), int32_t(288));
  EXPECT_EQ(shifted.status, TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(shifted.message, HasSubstr("'x'"));
}

TEST_F(ApiSimulate, onlyHostCodeCanBeSimulated) {
  Compilation device = Compiler().compileText("add.tile", addSource, addOptions("sm_90a"));
  Options options = addOptions("sim");
  options.stopAfter = TILEC_STAGE_TILE;
  Compilation early = Compiler().compileText("add.tile", addSource, options);
  for (const Compilation *compiled : {&device, &early}) {
    ASSERT_TRUE(*compiled) << compiled->text;
    Report report =
        compiled->kernel.simulate(launch, buffer(x), buffer(y), buffer(out), int32_t(300));
    EXPECT_EQ(report.status, TILEC_INVALID_ARGUMENT);
    EXPECT_THAT(report.message, HasSubstr("has no host code"));
  }
}

TEST_F(ApiSimulate, printedLines) {
  Options options;
  options.target = "sim";
  options.arguments = {{"n", "i32"}};
  Compilation compiled = Compiler().compileText(
      "print.tile", "@triton.jit\ndef show(n):\n    tl.device_print(\"n is\", n)\n", options);
  ASSERT_TRUE(compiled) << compiled.text;
  Report report = compiled.kernel.simulate({{2, 1, 1}}, int32_t(7));
  ASSERT_TRUE(report) << report.text;
  ASSERT_FALSE(report.printed.empty());
  EXPECT_THAT(report.printed.front().text, HasSubstr("7"));
  EXPECT_EQ(report.printed.back().program[0], 1u);
  EXPECT_EQ(report.printed.back().file, "print.tile");
  EXPECT_EQ(report.printed.back().line, 3u);
  EXPECT_TRUE(report.printed.back().coordinates.empty());
}

TEST_F(ApiSimulate, oneKernelFromTwoThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([this, i] {
      std::vector<float> result(300);
      for (int round = 0; round < 5; ++round) {
        int32_t n = 100 * (i + 1);
        Report report = kernel.simulate(launch, buffer(x), buffer(y), buffer(result), n);
        EXPECT_TRUE(report) << report.text;
        EXPECT_EQ(result[size_t(n) - 1], float(n) - 0.5f);
        EXPECT_EQ(result[size_t(n)], 0.0f);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

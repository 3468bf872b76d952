// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that several CTAs run together (--split-k): every count of iterations around that of the
// CTAs, from any first one, with grids of several axes, which count programs.

#include "DotTolerance.h"

#include "tilec/Driver/Compiler.h"
#include "llvm/Support/MemoryBuffer.h"

namespace tilec::harness::test {
namespace {

struct SplitCase {
  int parts = 2;
  bool descriptors = true, roles = false;
  int stages = 3;
  int64_t m = 100, n = 40, batches = 1, first = 0, steps = 0;
};

void expectSplit(const SplitCase &c) {
  SCOPED_TRACE(::testing::Message()
               << c.parts << " CTAs, iterations " << c.first << " to " << c.first + c.steps << ", "
               << c.stages << " stages, roles " << c.roles << ", descriptors " << c.descriptors
               << ", " << c.m << " x " << c.n << ", " << c.batches << " batches");
  constexpr int64_t blockM = 64, blockN = 32, step = 32;
  int64_t begin = c.first * step, end = begin + c.steps * step;
  // The last iteration is not whole, where there are pointers as where there are descriptors.
  int64_t k = std::max<int64_t>(step, end - 8);
  RunBuilder builder = kernelOf("split-k.tile", "product");
  builder.randn("a_ptr", DType::f16, {c.batches, c.m, k}).randn("b_ptr", DType::f16, {k, c.n});
  builder.randn("bias_ptr", DType::f32, {c.n});
  builder.output(
      "out_ptr", DType::f32, {c.batches, c.m, c.n},
      [&](HostArray &out) {
        const HostArray &a = builder.array("a_ptr"), &b = builder.array("b_ptr");
        for (int64_t row = 0; row < c.batches * c.m; ++row)
          for (int64_t j = 0; j < c.n; ++j) {
            double sum = builder.array("bias_ptr").at(uint64_t(j));
            for (int64_t x = begin; x < std::min(end, k); ++x)
              sum += a.at(uint64_t(row * k + x)) * b.at(uint64_t(x * c.n + j));
            out.set(uint64_t(row * c.n + j), std::max(sum, 0.0) * 0.5 + double(row % c.m));
          }
      },
      dotTolerance(DType::f16, DType::f32, k, false));
  builder.i32("M", int32_t(c.m)).i32("N", int32_t(c.n)).i32("K", int32_t(k));
  builder.i32("first", int32_t(c.first)).i32("end", int32_t(c.first + c.steps));
  builder.constant("BLOCK_M", blockM).constant("BLOCK_N", blockN).constant("STEP", step);
  builder.constant("STAGES", c.stages).constant("ROLES", c.roles ? "True" : "False");
  builder.constant("DESCRIPTORS", c.descriptors ? "True" : "False");
  builder.constant("BATCHES", c.batches).warps(4).splitK(c.parts);
  expectRun(builder.grid(uint64_t((c.m + blockM - 1) / blockM),
                         uint64_t((c.n + blockN - 1) / blockN), uint64_t(c.batches)));
}

/// The CTAs of a program in the code of a kernel that was to have `parts` of them.
uint32_t splitOf(int parts, bool descriptors, bool roles, const char *target) {
  auto text = llvm::MemoryBuffer::getFile(inputPath("split-k.tile"));
  EXPECT_TRUE(bool(text));
  SourceManager sources;
  FileId file = llvm::cantFail(sources.addBuffer("split-k.tile", (*text)->getBuffer()));
  CompileOptions options;
  options.kernel = "product";
  options.arguments = {{"a_ptr", "*fp16:16"},   {"b_ptr", "*fp16:16"}, {"bias_ptr", "*fp32:16"},
                       {"out_ptr", "*fp32:16"}, {"M", "i32"},          {"N", "i32:8"},
                       {"K", "i32:8"},          {"first", "i32"},      {"end", "i32"}};
  options.constants = {{"BLOCK_M", "64"},
                       {"BLOCK_N", "32"},
                       {"STEP", "32"},
                       {"STAGES", "3"},
                       {"ROLES", roles ? "True" : "False"},
                       {"DESCRIPTORS", descriptors ? "True" : "False"},
                       {"BATCHES", "1"}};
  options.numWarps = 4;
  options.splitK = parts;
  options.target = target;
  DiagnosticEngine diagnostics;
  auto compiled = Compiler().compile(sources, file, options, diagnostics);
  EXPECT_TRUE(compiled) << renderDiagnostics(sources, diagnostics);
  return compiled ? compiled->metadata.splitK : 0;
}

TEST(SplitK, whatIsRunIsSplit) {
  for (int parts : {2, 4, 8})
    for (const char *target : {"sm_90a", "sm_90", "sim"}) {
      EXPECT_EQ(splitOf(parts, /*descriptors=*/true, /*roles=*/false, target), uint32_t(parts));
      EXPECT_EQ(splitOf(parts, /*descriptors=*/false, /*roles=*/false, target), uint32_t(parts));
    }
  EXPECT_EQ(splitOf(4, /*descriptors=*/true, /*roles=*/true, "sim"), 4u);
  EXPECT_EQ(splitOf(4, /*descriptors=*/true, /*roles=*/false, "sm_80"), 1u);
}

TEST(SplitK, anyNumberOfIterations) {
  for (int parts : {2, 4, 8})
    for (bool descriptors : {true, false})
      for (int64_t steps : {0, 1, parts - 1, parts, parts + 1, 3 * parts + 1}) {
        SplitCase c;
        c.parts = parts, c.descriptors = descriptors, c.steps = steps, c.first = steps / 2;
        expectSplit(c);
      }
}

TEST(SplitK, warpsWithRoles) {
  for (int parts : {2, 4})
    for (int stages : {2, 3})
      for (int64_t steps : {0, 1, parts, stages * parts, (stages + 1) * parts + 1}) {
        SplitCase c;
        c.parts = parts, c.stages = stages, c.steps = steps, c.roles = true;
        expectSplit(c);
      }
}

TEST(SplitK, anyGrid) {
  for (auto [m, n, batches] :
       {std::tuple<int64_t, int64_t, int64_t>(40, 24, 1), {64, 200, 2}, {250, 72, 3}}) {
    SplitCase c;
    c.parts = 4, c.m = m, c.n = n, c.batches = batches, c.steps = 6;
    expectSplit(c);
    c.descriptors = false;
    expectSplit(c);
  }
}

// Findings name the program, which is one for several CTAs.
TEST(SplitK, findings) {
  constexpr int64_t block = 32, k = 64;
  RunBuilder builder = kernelOf("split-k.tile", "wild");
  builder.randn("a_ptr", DType::f16, {3 * block, k}).randn("b_ptr", DType::f16, {k, block});
  builder.unchecked("out_ptr", DType::f32, {3 * block - 1, block});
  builder.i32("N", int32_t(block)).i32("K", int32_t(k));
  builder.constant("BLOCK", block).constant("STEP", 32).warps(1).splitK(4);
  Outcome outcome = simulateRun(builder.grid(3));
  ASSERT_FALSE(outcome.simulation.findings.empty());
  for (const tilecrt::sim::Finding &finding : outcome.simulation.findings)
    EXPECT_EQ(finding.thread.cta, (std::array<uint32_t, 3>{2, 0, 0}));
}

} // namespace
} // namespace tilec::harness::test

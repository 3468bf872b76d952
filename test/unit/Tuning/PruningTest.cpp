// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The autotuner's parts: what is refused before it is compiled, and the children that measure.

#include "tilec/Tuning/Pruning.h"
#include "tilec/Tuning/HandedKernel.h"

#include "gtest/gtest.h"

#include <chrono>

using namespace tilec;
namespace json = llvm::json;

namespace {

constexpr const char *kMatmul = R"(
@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        a = tl.load(a_ptr + m[:, None] * K + (start + k)[None, :])
        b = tl.load(b_ptr + (start + k)[:, None] * N + n[None, :])
        acc += tl.dot(a, b)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(tl.float16))
)";

/// `divisor`: of the matrices' rows.
KernelEstimate estimateMatmul(const char *bm, const char *bn, const char *bk, int warps, int stages,
                              int divisor = 1) {
  SourceManager sources;
  FileId file = llvm::cantFail(sources.addBuffer("m.tile", kMatmul));
  CompileOptions options;
  options.arguments = {{"a_ptr", "*fp16:16"}, {"b_ptr", "*fp16:16"}, {"c_ptr", "*fp16:16"},
                       {"M", "i32"},          {"N", "i32"},          {"K", "i32"}};
  if (divisor != 1)
    options.arguments[4].type = options.arguments[5].type = "i32:" + std::to_string(divisor);
  options.constants = {{"BM", bm}, {"BN", bn}, {"BK", bk}};
  options.numWarps = warps;
  options.numStages = stages;
  llvm::StringMap<int64_t> arguments;
  arguments["K"] = 4096;
  Compiler compiler;
  DiagnosticEngine diagnostics;
  std::optional<KernelEstimate> estimate =
      compiler.estimate(sources, file, options, arguments, diagnostics);
  EXPECT_TRUE(estimate) << renderDiagnostics(sources, diagnostics);
  return estimate.value_or(KernelEstimate());
}

TEST(KernelEstimate, Matmul) {
  KernelEstimate estimate = estimateMatmul("128", "64", "32", 4, 3);
  EXPECT_EQ(estimate.numWarps, 4);
  EXPECT_EQ(estimate.sharedBytes, 3 * (128 * 32 + 32 * 64) * 2);
  EXPECT_EQ(estimate.carriedRegisters, 128 * 64 / 128);
  EXPECT_TRUE(estimate.isWorkKnown);
  EXPECT_EQ(estimate.operandBits, 16u);
  EXPECT_EQ(estimate.tensorOps, 2.0 * 128 * 64 * 4096);
  EXPECT_EQ(estimate.globalBytes, 2.0 * (128 + 64) * 4096 + 2.0 * 128 * 64);
}

// Tensor copies of products whose columns, or rows, are those of one instruction (tile-widen-dots,
// tile-transpose-dots): what their blocks have beyond them is not there.
TEST(KernelEstimate, ColumnsOfOneInstruction) {
  for (auto [bm, bn] : {std::pair("256", "168"), {"168", "256"}}) {
    KernelEstimate estimate = estimateMatmul(bm, bn, "64", 8, 4, 16);
    EXPECT_EQ(estimate.sharedBytes, 4 * (256 + 168) * 64 * 2);
    EXPECT_EQ(estimate.carriedRegisters, 168);
    EXPECT_EQ(estimate.tensorOps, 2.0 * 256 * 168 * 4096);
    EXPECT_EQ(estimate.globalBytes, 2.0 * (256 + 168) * 4096 + 2.0 * 256 * 168);
    EXPECT_FALSE(refuse(estimate, TuningTarget()));
  }
}

TEST(Pruning, ResourcesBeforeCompiling) {
  TuningTarget target;
  EXPECT_FALSE(refuse(estimateMatmul("128", "128", "64", 8, 3), target));
  EXPECT_EQ(refuse(estimateMatmul("128", "256", "64", 8, 6), target),
            "its 6 stages take 294912 bytes of shared memory, of 232448");
  EXPECT_EQ(refuse(estimateMatmul("256", "256", "16", 4, 2), target),
            "its loop carries 512 registers per thread, of 255");
  // Fits sm_90, not sm_80's neighbour.
  TuningTarget small;
  small.processor = llvm::cantFail(findProcessor("sm_86"));
  EXPECT_FALSE(refuse(estimateMatmul("128", "128", "64", 8, 4), target));
  EXPECT_TRUE(refuse(estimateMatmul("128", "128", "64", 8, 4), small));
}

TEST(Pruning, ResourcesAfterCompiling) {
  TuningTarget target;
  tilecrt::KernelMetadata metadata;
  metadata.threadsPerCta = 256;
  metadata.registers = 128;
  EXPECT_FALSE(refuse(metadata, target));
  metadata.dynamicSharedBytes = 300000;
  EXPECT_EQ(refuse(metadata, target), "it takes 300000 bytes of shared memory, of 232448");
  metadata.dynamicSharedBytes = 0;
  metadata.threadsPerCta = 1024;
  EXPECT_EQ(refuse(metadata, target), "no program of 1024 threads with 128 registers fits on a "
                                      "multiprocessor");
}

TEST(Pruning, Roofline) {
  TuningTarget target;
  auto bound = [&](const char *bm, const char *bn, uint32_t m, uint32_t n) {
    return rooflineMicroseconds(estimateMatmul(bm, bn, "64", 4, 3), {m, n, 1}, target);
  };
  // The same product in smaller tiles moves more, and a lone huge tile leaves the GPU empty.
  EXPECT_GT(*bound("16", "16", 256, 256), 3 * *bound("128", "128", 32, 32));
  EXPECT_GT(*bound("256", "256", 4, 4), *bound("128", "128", 8, 8));
  // Few tiles with a long K take a part of the time where several CTAs share each, many do not.
  KernelEstimate tile = estimateMatmul("128", "128", "64", 4, 3);
  double alone = *rooflineMicroseconds(tile, {16, 1, 1}, target);
  EXPECT_DOUBLE_EQ(*rooflineMicroseconds(tile, {16, 1, 1}, target, 8), alone / 8);
  EXPECT_DOUBLE_EQ(*rooflineMicroseconds(tile, {132 * 4, 1, 1}, target, 4),
                   *rooflineMicroseconds(tile, {132 * 4, 1, 1}, target));
  KernelEstimate unknown;
  unknown.isWorkKnown = false;
  EXPECT_FALSE(rooflineMicroseconds(unknown, {1, 1, 1}, target));
}

TEST(HandedKernel, KernelsAreHandedOver) {
  CompiledKernel kernel;
  kernel.metadata.name = "k";
  kernel.metadata.target = "sm_90a";
  kernel.ptx = "ptx";
  kernel.cubin = std::string("a\0b", 3);
  std::string bytes = encodeKernel(kernel);
  auto again = decodeKernel(bytes);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ((*again)->cubin, kernel.cubin);
  EXPECT_EQ((*again)->metadata.name, "k");
  EXPECT_FALSE(decodeKernel(llvm::StringRef(bytes).drop_back()).ok());
}

} // namespace

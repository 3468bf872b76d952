// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a compilation's key depends on, and that a cached kernel is the one that would be compiled.

#include "ChangedOptions.h"
#include "tilec/Driver/Compiler.h"
#include "tilec/Target/HostJIT.h"

#include "gtest/gtest.h"

using namespace tilec;

namespace {

constexpr const char *kSource = R"(import triton
import triton.language as tl

SCALE = 3
UNUSED = 4

@triton.jit
def helper(x):
    return x * SCALE

@triton.jit
def other(x_ptr):
    tl.store(x_ptr, 1.0)

@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(x_ptr + offs, helper(x), mask=offs < n)
)";

struct Outcome {
  CacheLevel level = CacheLevel::None;
  std::string ptx, metadata;
  std::string messages;
};

/// Compiles with the cache and without, and expects the same result.
class KernelCachingTest : public ::testing::Test {
protected:
  KernelCachingTest() {
    options.kernel = "kernel";
    options.arguments = {{"x_ptr", "*fp32"}, {"n", "i32"}};
    options.constants = {{"BLOCK", "128"}};
  }

  Outcome compileOnce(const std::string &source, const std::string &path, CompileCache *used) {
    SourceManager sources;
    FileId file = llvm::cantFail(sources.addBuffer(path, source));
    DiagnosticEngine diagnostics;
    CompileOptions withCache = options;
    withCache.cache = used;
    std::unique_ptr<CompiledKernel> kernel =
        compiler.compile(sources, file, withCache, diagnostics);
    Outcome outcome;
    outcome.messages = renderDiagnostics(sources, diagnostics);
    if (!kernel)
      return outcome;
    outcome.level = kernel->cacheLevel;
    outcome.ptx = kernel->ptx;
    outcome.metadata = tilecrt::toJson(kernel->metadata);
    return outcome;
  }

  bool isHit(const std::string &source, const std::string &path = "k.py") {
    Outcome cached = compileOnce(source, path, &cache);
    Outcome fresh = compileOnce(source, path, nullptr);
    EXPECT_FALSE(fresh.ptx.empty()) << fresh.messages;
    EXPECT_EQ(cached.ptx, fresh.ptx);
    EXPECT_EQ(cached.metadata, fresh.metadata);
    EXPECT_EQ(cached.messages, fresh.messages);
    return cached.level != CacheLevel::None;
  }

  static std::string replaced(std::string text, const std::string &from, const std::string &to) {
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  }

  CompileOptions options;
  Compiler compiler;
  CompileCache cache{CacheConfig{}};
};

TEST_F(KernelCachingTest, SameAgain) {
  EXPECT_FALSE(isHit(kSource));
  EXPECT_TRUE(isHit(kSource));
}

TEST_F(KernelCachingTest, PlacesDoNotCount) {
  EXPECT_FALSE(isHit(kSource));
  EXPECT_TRUE(isHit(kSource, "/another/folder/name.py"));
  EXPECT_TRUE(isHit("# a comment\n\n" + std::string(kSource)));
  EXPECT_TRUE(isHit(replaced(kSource, "    x = tl.load", "    # words\n\n    x  =  tl.load")));
  EXPECT_TRUE(isHit(replaced(kSource, "return x * SCALE", "return x   * SCALE  # three")));
}

TEST_F(KernelCachingTest, OtherCodeDoesNotCount) {
  EXPECT_FALSE(isHit(kSource));
  EXPECT_TRUE(isHit(replaced(kSource, "tl.store(x_ptr, 1.0)", "tl.store(x_ptr + 1, 1.0)")));
  EXPECT_TRUE(isHit(replaced(kSource, "UNUSED = 4", "UNUSED = 5")));
}

TEST_F(KernelCachingTest, ReachedCodeCounts) {
  EXPECT_FALSE(isHit(kSource));
  EXPECT_FALSE(isHit(replaced(kSource, "SCALE = 3", "SCALE = 5")));
  EXPECT_FALSE(isHit(replaced(kSource, "x * SCALE", "x + SCALE")));
  EXPECT_FALSE(isHit(replaced(kSource, "offs < n)\n", "offs < n, other=1.0)\n")));
  EXPECT_FALSE(isHit(replaced(kSource, "mask=offs < n)\n", "mask=offs <= n)\n")));
  // The same tokens, another structure.
  std::string nested = replaced(kSource, "    return x * SCALE\n",
                                "    if SCALE > 5:\n        x = x + 1\n    return x * SCALE\n");
  EXPECT_FALSE(isHit(nested));
  EXPECT_FALSE(isHit(replaced(nested, "        x = x + 1\n    return",
                              "        x = x + 1\n"
                              "        x = x\n    return")));
}

TEST_F(KernelCachingTest, OptionsCount) {
  EXPECT_FALSE(isHit(kSource));
  test::changeEach<OptionUse::Code, OptionUse::Result>(options, [&](const std::string &changed) {
    EXPECT_FALSE(isHit(kSource)) << changed;
    // Without an assembler there is no cubin to keep.
    EXPECT_TRUE(isHit(kSource) || options.stopAfter == Stage::Cubin) << changed;
  });
  EXPECT_TRUE(isHit(kSource));
  options.arguments[0].type = "*fp16";
  EXPECT_FALSE(isHit(kSource));
}

TEST_F(KernelCachingTest, RemarksComeBack) {
  options.remarks = true;
  options.arguments[0].type = "*fp32";
  EXPECT_FALSE(isHit(kSource));
  Outcome cached = compileOnce(kSource, "k.py", &cache);
  EXPECT_EQ(cached.level, CacheLevel::Memory);
  EXPECT_NE(cached.messages.find("remark:"), std::string::npos);
  // They name lines.
  EXPECT_FALSE(isHit("\n" + std::string(kSource)));
}

TEST_F(KernelCachingTest, ErrorsAreNotKept) {
  std::string wrong = replaced(kSource, "helper(x)", "helpr(x)");
  Outcome first = compileOnce(wrong, "k.py", &cache), again = compileOnce(wrong, "k.py", &cache);
  EXPECT_TRUE(first.ptx.empty() && again.ptx.empty());
  EXPECT_EQ(first.messages, again.messages);
  EXPECT_NE(first.messages.find("error:"), std::string::npos);
  EXPECT_EQ(cache.getStatistics().stores, 0u);
}

TEST_F(KernelCachingTest, OtherStagesAreNotKept) {
  options.keep = {Stage::Tile, Stage::PTX};
  EXPECT_FALSE(Compiler::canUseCache(options));
  options.keep = {Stage::PTX};
  EXPECT_TRUE(Compiler::canUseCache(options));
  options.stopAfter = Stage::LLVM;
  EXPECT_FALSE(Compiler::canUseCache(options));
  options = CompileOptions();
  EXPECT_TRUE(Compiler::canUseCache(options));
}

/// Runs on the simulator 150 of 200 elements of a buffer that holds `size`; the values, and the
/// place of what was found.
std::pair<std::vector<float>, std::string> runOnHost(const CompiledKernel &kernel, size_t size) {
  std::vector<float> values(200);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i);
  void *pointer = values.data();
  int32_t n = 150;
  void *arguments[] = {&pointer, &n};
  tilecrt::sim::LaunchConfig config;
  config.grid = {2, 1, 1};
  config.hostThreads = 1;
  config.buffers = {{values.data(), size * sizeof(float), "x_ptr", false}};
  tilecrt::sim::LaunchResult result = simulate(kernel, arguments, config);
  std::string found;
  config.sites = &kernel.host->sites();
  for (const auto &finding : result.findings)
    found += describeFinding(finding, config) + "\n";
  return {values, found};
}

TEST_F(KernelCachingTest, HostCode) {
  options.target = "sim";
  auto compile = [&](const std::string &source, const std::string &path, CompileCache *used) {
    SourceManager sources;
    FileId file = llvm::cantFail(sources.addBuffer(path, source));
    DiagnosticEngine diagnostics;
    CompileOptions withCache = options;
    withCache.cache = used;
    std::unique_ptr<CompiledKernel> kernel =
        compiler.compile(sources, file, withCache, diagnostics);
    EXPECT_TRUE(kernel && kernel->host) << renderDiagnostics(sources, diagnostics);
    return kernel;
  };
  std::string moved = "# a comment\n\n" + std::string(kSource);
  auto first = compile(kSource, "k.py", &cache);
  auto again = compile(kSource, "k.py", &cache);
  auto cached = compile(moved, "/another/k.py", &cache);
  auto fresh = compile(moved, "/another/k.py", nullptr);
  ASSERT_TRUE(first && again && cached && fresh);
  EXPECT_EQ(first->cacheLevel, CacheLevel::None);
  EXPECT_EQ(again->cacheLevel, CacheLevel::Memory);
  EXPECT_EQ(cached->cacheLevel, CacheLevel::Memory);
  EXPECT_EQ(tilecrt::toJson(cached->metadata), tilecrt::toJson(fresh->metadata));
  first.reset();
  // The results, and of a buffer that is too small the findings with their places, are the same.
  for (size_t size : {200, 100}) {
    auto [values, found] = runOnHost(*cached, size);
    auto [expectedValues, expectedFound] = runOnHost(*fresh, size);
    EXPECT_EQ(values, expectedValues);
    EXPECT_EQ(found, expectedFound);
    EXPECT_EQ(values[99], 297.0f);
    EXPECT_EQ(found.empty(), size == 200) << found;
  }
  EXPECT_NE(runOnHost(*again, 100).second.find("k.py:18:"), std::string::npos)
      << runOnHost(*again, 100).second;
  EXPECT_NE(runOnHost(*cached, 100).second.find("/another/k.py:20:"), std::string::npos);
  // What decides about the code.
  auto isKnown = [&](auto change) {
    CompileOptions before = options;
    change(options);
    auto kernel = compile(kSource, "k.py", &cache);
    options = before;
    return kernel && kernel->cacheLevel != CacheLevel::None;
  };
  EXPECT_TRUE(isKnown([](CompileOptions &) {}));
  EXPECT_FALSE(isKnown([](CompileOptions &o) { o.target = "sim:sm_80"; }));
  EXPECT_FALSE(isKnown([](CompileOptions &o) { o.countInstructions = true; }));
  EXPECT_FALSE(isKnown([](CompileOptions &o) { o.tensorCopies = false; }));
  EXPECT_FALSE(isKnown([](CompileOptions &o) { o.persistent = false; }));
  EXPECT_FALSE(isKnown([](CompileOptions &o) { o.numCtas = 2; }));
  EXPECT_FALSE(isKnown([](CompileOptions &o) { o.splitK = 2; }));
  EXPECT_FALSE(isKnown([](CompileOptions &o) { o.timelineMarks = 64; }));
  EXPECT_FALSE(isKnown([](CompileOptions &o) { o.numWarps = 1; }));
  options.keep = {Stage::Tile};
  EXPECT_FALSE(Compiler::canUseCache(options));
  options.keep.clear();
  options.stopAfter = Stage::LLVMMLIR;
  EXPECT_FALSE(Compiler::canUseCache(options));
}

TEST_F(KernelCachingTest, FunctionsInConstantsCount) {
  std::string source = R"(import triton
import triton.language as tl

@triton.jit
def twice(x):
    return x * 2

@triton.jit
def kernel(x_ptr, F: tl.constexpr):
    tl.store(x_ptr, F(tl.load(x_ptr)))
)";
  options.arguments = {{"x_ptr", "*fp32"}};
  options.constants = {{"F", "twice"}};
  EXPECT_FALSE(isHit(source));
  EXPECT_TRUE(isHit(source));
  EXPECT_FALSE(isHit(replaced(source, "x * 2", "x * 4")));
}

TEST_F(KernelCachingTest, NamesInFStringsCount) {
  std::string source = R"(import triton
import triton.language as tl

WIDTH = 5

@triton.jit
def kernel(x_ptr):
    tl.device_print(f"width {WIDTH}", tl.load(x_ptr))
)";
  options.arguments = {{"x_ptr", "*fp32"}};
  options.constants = {};
  EXPECT_FALSE(isHit(source));
  EXPECT_FALSE(isHit(replaced(source, "WIDTH = 5", "WIDTH = 6")));
}

} // namespace

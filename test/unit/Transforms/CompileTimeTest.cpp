// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large generated kernels, with conflicting layouts or short of registers: compiling four times as
// many operations takes about four times as long. Growth is what is limited, not time, since
// machines and builds differ; docs/performance.md has measured times.

#include "tilec/Driver/Compiler.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tilec/Conversion/TileToTileGPU/Passes.h"
#include "tilec/Driver/Registration.h"
#include "tilec/Transforms/TileGPU/Passes.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <ctime>

using namespace tilec;

namespace {

/// Kernels of repeated steps that mix a tensor read by rows, x, and one read by columns, t. "@" is
/// the number of the step. `last` is repeated behind all steps.
struct Family {
  const char *name;
  const char *step;
  const char *last = "";
};

const Family kFamilies[] = {
    {"Chain", "    x = x * x + @.0\n    x = x * 1.5 + t\n"},
    {"Sums", "    x = x * tl.sum(x, axis=1)[:, None] + t\n"
             "    t = t + tl.sum(t, axis=0)[None, :] * x\n"},
    {"Loads", "    x += t * tl.load(x_ptr + r * s + c + @ * 8).to(tl.float32)\n"
              "    x += tl.load(x_ptr + r + c * s + @ * 8).to(tl.float32)\n"},
    {"LoadSums", "    w = tl.load(x_ptr + r * s + c + @ * 8).to(tl.float32)\n"
                 "    x = x * tl.sum(x * w, axis=1)[:, None] + w\n"},
    // All loaded tensors are live at once.
    {"Kept",
     "    w@ = tl.load(x_ptr + r * s + c + @ * 8).to(tl.float32)\n"
     "    x += tl.sum(x * w@, axis=1)[:, None]\n",
     "    x += w@\n"},
};

std::string kernelText(const Family &family, unsigned steps) {
  std::string text = R"(@triton.jit
def large(x_ptr, y_ptr, s, N: tl.constexpr):
    r = tl.arange(0, N)[:, None]
    c = tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + r * s + c).to(tl.float32)
    t = tl.load(x_ptr + r + c * s).to(tl.float32)
)";
  for (const char *part : {family.step, family.last})
    for (unsigned i = 1; i <= steps; ++i)
      for (char letter : llvm::StringRef(part))
        text += letter == '@' ? std::to_string(i) : std::string(1, letter);
  return text + "    tl.store(y_ptr + r * s + c, x)\n";
}

/// A kernel compiled to PTX, by the fastest of some runs.
struct Compiled {
  /// Of the processor.
  double milliseconds = HUGE_VAL;
  /// Of the passes on tensors with layouts.
  double tileGPUMilliseconds = HUGE_VAL;
  /// The module before it gets layouts.
  std::string tile;
  int64_t operations() const { return llvm::StringRef(tile).count(" = "); }
};

Compiled compile(const std::string &text, unsigned runs = 1) {
  Compiled result;
  SourceManager sources;
  FileId file = llvm::cantFail(sources.addBuffer("large.tile", text));
  CompileOptions options;
  options.arguments = {{"x_ptr", "*fp16:16"}, {"y_ptr", "*fp32:16"}, {"s", "i32:16"}};
  options.constants = {{"N", "32"}};
  options.keep = {Stage::Tile};
  for (unsigned run = 0; run < runs; ++run) {
    DiagnosticEngine diagnostics;
    std::clock_t start = std::clock();
    auto kernel = Compiler().compile(sources, file, options, diagnostics);
    double all = 1000.0 * double(std::clock() - start) / CLOCKS_PER_SEC;
    EXPECT_TRUE(kernel);
    if (!kernel)
      return result;
    result.tile = kernel->stages[Stage::Tile];
    for (const StageTime &stage : kernel->times)
      if (stage.name == "tilegpu")
        result.tileGPUMilliseconds = std::min(result.tileGPUMilliseconds, stage.milliseconds);
    result.milliseconds = std::min(result.milliseconds, all);
  }
  return result;
}

/// Milliseconds of the processor that choosing layouts takes; the shortest of three runs.
double timeOfLayouts(const std::string &tile) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  double best = HUGE_VAL;
  for (int run = 0; run < 3; ++run) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(tile, &context);
    EXPECT_TRUE(module);
    if (!module)
      return 0;
    mlir::PassManager before(&context), layouts(&context);
    before.addPass(createConvertTileToTileGPUPass());
    before.addNestedPass<mlir::func::FuncOp>(createTileGPUCoalescePass());
    layouts.addNestedPass<mlir::func::FuncOp>(createTileGPUSelectLayoutsPass());
    layouts.enableVerifier(false);
    EXPECT_TRUE(mlir::succeeded(before.run(*module)));
    std::clock_t start = std::clock();
    EXPECT_TRUE(mlir::succeeded(layouts.run(*module)));
    best = std::min(best, 1000.0 * double(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

class CompileTime : public testing::TestWithParam<Family> {};

TEST_P(CompileTime, IsLinear) {
  int64_t fewOperations = compile(kernelText(GetParam(), 10)).operations();
  int64_t perStep = (compile(kernelText(GetParam(), 20)).operations() - fewOperations) / 10;
  ASSERT_GT(perStep, 0);
  Compiled small = compile(kernelText(GetParam(), unsigned(500 / perStep)), 3);
  std::string largeText = kernelText(GetParam(), unsigned(2000 / perStep));
  Compiled large = compile(largeText, 2);
  // 4 would be linear, 16 is quadratic. A busy machine may stretch a run, hardly each of several.
  auto mostFor = [](double few) { return 12 * few + 50; };
  auto isStretched = [&] {
    return large.milliseconds >= mostFor(small.milliseconds) ||
           large.tileGPUMilliseconds >= mostFor(small.tileGPUMilliseconds);
  };
  for (int run = 0; run < 4 && isStretched(); ++run) {
    Compiled again = compile(largeText);
    large.milliseconds = std::min(large.milliseconds, again.milliseconds);
    large.tileGPUMilliseconds = std::min(large.tileGPUMilliseconds, again.tileGPUMilliseconds);
  }
  double smallLayouts = timeOfLayouts(small.tile), largeLayouts = timeOfLayouts(large.tile);
  RecordProperty("operations", std::to_string(large.operations()));
  RecordProperty("milliseconds", std::to_string(large.milliseconds));
  RecordProperty("milliseconds_of_a_quarter", std::to_string(small.milliseconds));
  RecordProperty("milliseconds_of_tilegpu", std::to_string(large.tileGPUMilliseconds));
  RecordProperty("milliseconds_for_layouts", std::to_string(largeLayouts));
  EXPECT_GT(large.operations(), 1800);
  EXPECT_LT(large.milliseconds, mostFor(small.milliseconds));
  EXPECT_LT(large.tileGPUMilliseconds, mostFor(small.tileGPUMilliseconds));
  EXPECT_LT(largeLayouts, mostFor(smallLayouts));
  // A second is the goal for 2000 operations; machines and builds that check themselves are slower.
  EXPECT_LT(large.milliseconds, 10000);
}

INSTANTIATE_TEST_SUITE_P(Kernels, CompileTime, testing::ValuesIn(kFamilies),
                         [](const auto &info) { return info.param.name; });

} // namespace

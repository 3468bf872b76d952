// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the access patterns of the simplest examples must be, whatever the golden counters say:
// every sector is touched once, and a transpose meets no bank twice. Checking is on, results are
// compared.

#include "Execution.h"

#include "test/programs/examples/KernelCounters.h"

namespace tilec::harness::test {
namespace {

constexpr uint64_t kSectorBytes = 32;

std::string exampleFolder() {
  const char *moved = std::getenv("TILEC_SOURCE_DIR");
  return std::string(moved ? moved : TILEC_SOURCE_FOLDER) + "/examples";
}

RunBuilder examplesKernel(const std::string &file, const std::string &kernel) {
  return RunBuilder(file, kernel, testSeed());
}

/// The counters of a run that passes its checks and gives the right result.
tilecrt::sim::Counters countersOf(RunBuilder &builder, KernelDevice &simulator);

tilecrt::sim::Counters countersOf(RunBuilder &builder) {
  static const std::unique_ptr<KernelDevice> simulator = [] {
    CompilerPlaces places = placesOfProcess();
    places.sourceFolder = exampleFolder();
    return makeSimDevice(places);
  }();
  return countersOf(builder, *simulator);
}

tilecrt::sim::Counters countersOf(RunBuilder &builder, KernelDevice &simulator) {
  Result<KernelRun> run = builder.take();
  if (!run) {
    ADD_FAILURE() << run.message();
    return {};
  }
  RunOptions options;
  options.counters = true;
  Result<Outcome> outcome = simulator.run(*run, options);
  if (!outcome) {
    ADD_FAILURE() << outcome.message();
    return {};
  }
  Verdict verdict = judge(*run, *outcome);
  EXPECT_TRUE(verdict.passed) << verdict.reason;
  return outcome->simulation.totals;
}

void expectMinimumSectors(const tilecrt::sim::Counters &counters, uint64_t readBytes,
                          uint64_t writtenBytes) {
  EXPECT_EQ(counters.globalLoadSectors, readBytes / kSectorBytes);
  EXPECT_EQ(counters.globalStoreSectors, writtenBytes / kSectorBytes);
  // 16 bytes a lane, but for the end.
  EXPECT_GE(counters.globalLoadSectors, counters.globalLoadRequests * 15);
  EXPECT_GE(counters.globalStoreSectors, counters.globalStoreRequests * 15);
}

uint64_t bytesOf(DType type, int64_t count) {
  return static_cast<uint64_t>(count) * tilecrt::dtypeSize(type);
}

TEST(Counters, vectorAddTouchesEachSectorOnce) {
  for (DType type : {DType::f32, DType::f16, DType::bf16})
    for (int64_t n : {4096, 10016, 65536})
      for (int warps : {1, 4, 8}) {
        SCOPED_TRACE(std::string(tilecrt::dtypeName(type)) + " " + std::to_string(n) + " warps " +
                     std::to_string(warps));
        constexpr int64_t block = 2048;
        RunBuilder builder = examplesKernel("01-vector-add.tile", "add_masked");
        builder.randint("x_ptr", type, {n}, -100, 100).randint("y_ptr", type, {n}, -100, 100);
        builder.output(
            "out_ptr", type, {n},
            [&](HostArray &out) {
              for (uint64_t i = 0; i < out.size(); ++i)
                out.set(i, builder.array("x_ptr").at(i) + builder.array("y_ptr").at(i));
            },
            kExact);
        builder.i32("n", n).constant("BLOCK", block).warps(warps);
        builder.grid(static_cast<uint64_t>((n + block - 1) / block));
        tilecrt::sim::Counters counters = countersOf(builder);
        EXPECT_EQ(counters.globalLoadSectors, 2 * bytesOf(type, n) / kSectorBytes);
        EXPECT_EQ(counters.globalStoreSectors, bytesOf(type, n) / kSectorBytes);
        EXPECT_EQ(counters.sharedLoadRequests + counters.sharedStoreRequests, 0u);
      }
}

TEST(Counters, copyTouchesEachSectorOnce) {
  for (DType type : {DType::i8, DType::f16, DType::f32, DType::i64})
    for (int64_t n : {4096, 10016, 65536}) {
      SCOPED_TRACE(std::string(tilecrt::dtypeName(type)) + " " + std::to_string(n));
      constexpr int64_t block = 4096;
      RunBuilder builder = examplesKernel("15-copy.tile", "copy");
      builder.randint("x_ptr", type, {n}, 0, 100);
      builder.output(
          "y_ptr", type, {n},
          [&](HostArray &out) {
            for (uint64_t i = 0; i < out.size(); ++i)
              out.set(i, builder.array("x_ptr").at(i));
          },
          kExact);
      builder.i32("n", n).constant("BLOCK", block);
      builder.grid(static_cast<uint64_t>((n + block - 1) / block));
      expectMinimumSectors(countersOf(builder), bytesOf(type, n), bytesOf(type, n));
    }
}

TEST(Counters, softmaxTouchesEachSectorOnce) {
  constexpr int64_t rows = 5;
  for (DType type : {DType::f32, DType::f16, DType::bf16})
    for (int64_t columns : {1024, 2048, 4000})
      for (int warps : {4, 8}) {
        SCOPED_TRACE(std::string(tilecrt::dtypeName(type)) + " " + std::to_string(columns) +
                     " warps " + std::to_string(warps));
        int64_t block = columns == 4000 ? 4096 : columns;
        RunBuilder builder = examplesKernel("05-softmax.tile", "softmax");
        builder.randn("x_ptr", type, {rows, columns}).unchecked("y_ptr", type, {rows, columns});
        builder.i32("x_stride", columns).i32("y_stride", columns).i32("n", columns);
        builder.constant("BLOCK", block).warps(warps).grid(rows);
        uint64_t bytes = bytesOf(type, rows * columns);
        tilecrt::sim::Counters counters = countersOf(builder);
        EXPECT_EQ(counters.globalLoadSectors, bytes / kSectorBytes);
        EXPECT_EQ(counters.globalStoreSectors, bytes / kSectorBytes);
        EXPECT_EQ(counters.sharedLoadWavefronts, counters.sharedLoadIdealWavefronts);
        EXPECT_EQ(counters.sharedStoreWavefronts, counters.sharedStoreIdealWavefronts);
      }
}

TEST(Counters, transposeHasNoBankConflicts) {
  for (DType type : {DType::f32, DType::f16, DType::i8})
    for (int64_t tile : {32, 64, 128})
      for (int warps : {1, 2, 4, 8}) {
        SCOPED_TRACE(std::string(tilecrt::dtypeName(type)) + " tile " + std::to_string(tile) +
                     " warps " + std::to_string(warps));
        constexpr int64_t rows = 128, columns = 256;
        RunBuilder builder = examplesKernel("10-transpose-copy.tile", "transpose_copy");
        builder.randint("x_ptr", type, {rows, columns}, -100, 100);
        builder.output(
            "y_ptr", type, {columns, rows},
            [&](HostArray &out) {
              for (int64_t i = 0; i < columns * rows; ++i)
                out.set(static_cast<uint64_t>(i), builder.array("x_ptr").at(static_cast<uint64_t>(
                                                      i % rows * columns + i / rows)));
            },
            kExact);
        builder.i32("m", rows).i32("n", columns).constant("TILE", tile).warps(warps);
        builder.grid(rows / tile, columns / tile);
        tilecrt::sim::Counters counters = countersOf(builder);
        uint64_t bytes = bytesOf(type, rows * columns);
        EXPECT_EQ(counters.globalLoadSectors, bytes / kSectorBytes);
        EXPECT_EQ(counters.globalStoreSectors, bytes / kSectorBytes);
        EXPECT_GT(counters.sharedLoadRequests, 0u);
        EXPECT_EQ(counters.sharedLoadWavefronts, counters.sharedLoadIdealWavefronts);
        EXPECT_EQ(counters.sharedStoreWavefronts, counters.sharedStoreIdealWavefronts);
      }
}

TEST(Counters, productsOfWarpsHaveNoBankConflicts) {
  CompilerPlaces places = placesOfProcess();
  places.sourceFolder = inputPath("");
  std::unique_ptr<KernelDevice> simulator = makeSimDevice(places, "sm_89");
  const std::tuple<DType, DType, const char *> kinds[] = {
      {DType::f16, DType::f32, "tl.float32"},    {DType::bf16, DType::f32, "tl.float32"},
      {DType::f32, DType::f32, "tl.float32"},    {DType::i8, DType::i32, "tl.int32"},
      {DType::f8e4m3, DType::f32, "tl.float32"}, {DType::f64, DType::f64, "tl.float64"}};
  for (auto [type, result, text] : kinds)
    for (int64_t step : {32, 64})
      for (int warps : {4, 8})
        for (bool transA : {false, true})
          for (bool transB : {false, true}) {
            SCOPED_TRACE(std::string(tilecrt::dtypeName(type)) + " step " + std::to_string(step) +
                         " warps " + std::to_string(warps) + (transA ? " transA" : "") +
                         (transB ? " transB" : ""));
            constexpr int64_t m = 64, n = 64;
            int64_t k = 2 * step;
            RunBuilder builder("dots.tile", "dot_steps", testSeed());
            bool isWide = type == DType::f64 && step == 64;
            if (isWide)
              continue; // beyond the shared memory of sm_89
            builder.fill("a_ptr", type, {m, k}, [](uint64_t i) { return double(i % 3); });
            builder.fill("b_ptr", type, {k, n}, [](uint64_t i) { return double(i % 5); });
            builder.unchecked("out_ptr", result, {m, n});
            builder.i32("K", k).constant("lda", transA ? m : k).constant("ldb", transB ? k : n);
            builder.constant("M", m).constant("N", n).constant("STEP", step);
            builder.constant("TRANS_A", transA ? 1 : 0).constant("TRANS_B", transB ? 1 : 0);
            builder.constant("PRECISION", "\"tf32\"").constant("OUT", text).warps(warps);
            tilecrt::sim::Counters counters = countersOf(builder, *simulator);
            EXPECT_GT(counters.sharedLoadRequests, 0u);
            EXPECT_EQ(counters.sharedLoadWavefronts, counters.sharedLoadIdealWavefronts);
            EXPECT_EQ(counters.sharedStoreWavefronts, counters.sharedStoreIdealWavefronts);
          }
}

TEST(Counters, ptxIsRead) {
  CounterValues values;
  countPtx(".visible .entry k(\n"
           "\t.param .u64 k_param_0\n"
           ")\n"
           "{\n"
           "\t.reg .b32 \t%r<9>;\n"
           "// a comment;\n"
           "\tld.param.b64 \t%rd1, [k_param_0];\n"
           "$L__BB0_1:\n"
           "\t// begin inline asm\n"
           "\t@%p1 ld.global.L1::evict_last.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];\n"
           "\t// end inline asm\n"
           "\tld.shared.v4.b32 \t{%r1, %r2, %r3, %r4}, [%r5];\n"
           "\t@!%p1 st.global.b16 \t[%rd1], %rs1;\n"
           "\tatom.global.add.u8 \t%r1, [%rd1], 1;\n"
           "\tret;\n"
           "}",
           values);
  EXPECT_EQ(values[Counter::Instructions], 6);
  EXPECT_EQ(values[Counter::WidestAccess], 128);
  EXPECT_EQ(values[Counter::NarrowestAccess], 16);
  countPtx("", values);
  EXPECT_EQ(values[Counter::Instructions], 0);
  EXPECT_EQ(values[Counter::WidestAccess], 0);
}

} // namespace
} // namespace tilec::harness::test

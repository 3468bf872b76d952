// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as MLIR text, through convert-nvvm-to-sim and the host JIT, on the simulator.

#include "HostKernelFixture.h"

#include "tilecrt/sim/SimAbi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <thread>

using namespace tilec;
using tilecrt::sim::Finding;
using tilecrt::sim::FindingKind;
using tilecrt::sim::LaunchConfig;
using tilecrt::sim::LaunchResult;
using tilecrt::sim::LaunchStatus;

namespace {

/// z[i] = x[i] + y[i] for i < n, four elements a thread.
constexpr llvm::StringLiteral vectorAdd = R"mlir(
  llvm.func @add(%x: !llvm.ptr<1> {llvm.align = 16 : i64}, %y: !llvm.ptr<1>, %z: !llvm.ptr<1>,
                 %n: i32)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
    %tid = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32 loc("add.tile":5:3)
    %pid = nvvm.read.ptx.sreg.ctaid.x : i32 loc("add.tile":4:3)
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %c512 = llvm.mlir.constant(512 : i32) : i32
    %a0 = llvm.mul %pid, %c512 : i32
    %a1 = llvm.mul %tid, %c4 : i32
    %i = llvm.add %a0, %a1 : i32
    %p = llvm.icmp "slt" %i, %n : i32
    %px = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %py = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %pz = llvm.getelementptr %z[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %vx = tilegpu.ld_global %px if %p : !llvm.ptr<1> -> vector<4xi32> loc("add.tile":7:12)
    %vy = tilegpu.ld_global %py if %p : !llvm.ptr<1> -> vector<4xi32>
      loc(callsite("lib.tile":33:4 at "add.tile":8:12))
    %fx = llvm.bitcast %vx : vector<4xi32> to vector<4xf32>
    %fy = llvm.bitcast %vy : vector<4xi32> to vector<4xf32>
    %s = llvm.fadd %fx, %fy : vector<4xf32>
    %sz = llvm.bitcast %s : vector<4xf32> to vector<4xi32>
    tilegpu.st_global %sz, %pz if %p : vector<4xi32>, !llvm.ptr<1> loc("add.tile":10:3)
    llvm.return
  }
)mlir";

/// out[cta] = sum of the CTA's 128 elements: butterfly in the warp, shared memory across warps.
constexpr llvm::StringLiteral blockSum = R"mlir(
  llvm.func @sum(%x: !llvm.ptr<1>, %out: !llvm.ptr<1>)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %pid = nvvm.read.ptx.sreg.ctaid.x : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %clamp = llvm.mlir.constant(31 : i32) : i32
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c2 = llvm.mlir.constant(2 : i32) : i32
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %c5 = llvm.mlir.constant(5 : i32) : i32
    %c8 = llvm.mlir.constant(8 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %c128 = llvm.mlir.constant(128 : i32) : i32
    %first = llvm.mul %pid, %c128 : i32
    %i = llvm.add %first, %tid : i32
    %px = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %w = tilegpu.ld_global %px : !llvm.ptr<1> -> i32
    %v0 = llvm.bitcast %w : i32 to f32
    %s0 = nvvm.shfl.sync bfly %all, %v0, %c16, %clamp : f32 -> f32
    %v1 = llvm.fadd %v0, %s0 : f32
    %s1 = nvvm.shfl.sync bfly %all, %v1, %c8, %clamp : f32 -> f32
    %v2 = llvm.fadd %v1, %s1 : f32
    %s2 = nvvm.shfl.sync bfly %all, %v2, %c4, %clamp : f32 -> f32
    %v3 = llvm.fadd %v2, %s2 : f32
    %s3 = nvvm.shfl.sync bfly %all, %v3, %c2, %clamp : f32 -> f32
    %v4 = llvm.fadd %v3, %s3 : f32
    %s4 = nvvm.shfl.sync bfly %all, %v4, %c1, %clamp {return_value_and_is_valid}
      : f32 -> !llvm.struct<(f32, i1)>
    %s4v = llvm.extractvalue %s4[0] : !llvm.struct<(f32, i1)>
    %v5 = llvm.fadd %v4, %s4v : f32
    %base = tilegpu.shared_base : !llvm.ptr<3>
    %warp = llvm.lshr %tid, %c5 : i32
    %lane = llvm.and %tid, %clamp : i32
    %isFirst = llvm.icmp "eq" %lane, %c0 : i32
    %slot = llvm.getelementptr inbounds %base[%warp] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %vw = llvm.bitcast %v5 : f32 to i32
    tilegpu.st_shared %vw, %slot if %isFirst : i32, !llvm.ptr<3> loc("sum.tile":20:3)
    BARRIER
    %four = tilegpu.ld_shared %base : !llvm.ptr<3> -> vector<4xi32> loc("sum.tile":22:7)
    %ff = llvm.bitcast %four : vector<4xi32> to vector<4xf32>
    %e0 = llvm.extractelement %ff[%c0 : i32] : vector<4xf32>
    %e1 = llvm.extractelement %ff[%c1 : i32] : vector<4xf32>
    %c3 = llvm.mlir.constant(3 : i32) : i32
    %e2 = llvm.extractelement %ff[%c2 : i32] : vector<4xf32>
    %e3 = llvm.extractelement %ff[%c3 : i32] : vector<4xf32>
    %t0 = llvm.fadd %e0, %e1 : f32
    %t1 = llvm.fadd %e2, %e3 : f32
    %t = llvm.fadd %t0, %t1 : f32
    %tw = llvm.bitcast %t : f32 to i32
    %isZero = llvm.icmp "eq" %tid, %c0 : i32
    %po = llvm.getelementptr %out[%pid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    tilegpu.st_global %tw, %po if %isZero : i32, !llvm.ptr<1>
    llvm.return
  }
)mlir";

class HostJITTest : public HostKernelFixture {};

TEST_F(HostJITTest, AddsVectors) {
  for (unsigned optLevel : {0u, 1u, 2u}) {
    auto kernel = compile(vectorAdd, false, optLevel);
    ASSERT_TRUE(kernel);
    EXPECT_EQ(kernel->name(), "add");
    int32_t n = 1000;
    // Sectors are counted by address.
    alignas(256) std::array<float, 1024> x, y, z;
    for (int i = 0; i < 1024; ++i) {
      x[i] = 0.5f * i;
      y[i] = 3.0f - i;
      z[i] = -1.0f;
    }
    void *px = x.data(), *py = y.data(), *pz = z.data();
    LaunchConfig config;
    config.grid = {2, 1, 1};
    config.block = {128, 1, 1};
    config.buffers = {bufferOf(x, "x"), bufferOf(y, "y"), bufferOf(z, "z")};
    config.counters = true;
    LaunchResult result = launch(*kernel, {&px, &py, &pz, &n}, config);
    EXPECT_TRUE(result.clean()) << describe(result, *kernel);
    for (int i = 0; i < 1024; ++i)
      EXPECT_EQ(z[i], i < n ? x[i] + y[i] : -1.0f) << i;
    EXPECT_EQ(result.totals.globalLoadBytes, 8000u);
    EXPECT_EQ(result.totals.globalStoreBytes, 4000u);
    EXPECT_EQ(result.totals.globalLoadSectors, result.totals.globalLoadIdealSectors);
  }
}

TEST_F(HostJITTest, FindsOutOfBoundsAtItsLine) {
  auto kernel = compile(vectorAdd);
  ASSERT_TRUE(kernel);
  int32_t n = 512;
  std::vector<float> x(512), y(512), z(500);
  void *px = x.data(), *py = y.data(), *pz = z.data();
  LaunchConfig config;
  config.block = {128, 1, 1};
  config.buffers = {bufferOf(x, "x"), bufferOf(y, "y"), bufferOf(z, "z")};
  LaunchResult result = launch(*kernel, {&px, &py, &pz, &n}, config);
  ASSERT_EQ(result.findings.size(), 1u) << describe(result, *kernel);
  const Finding &finding = result.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::OutOfBoundsGlobal);
  EXPECT_EQ(finding.count, 3u);
  EXPECT_EQ(finding.thread.thread, 125u);
  const tilecrt::sim::Site &site = kernel->sites().at(finding.site);
  EXPECT_EQ(site.file, "add.tile");
  EXPECT_EQ(site.line, 10);
  EXPECT_EQ(site.col, 3);
  EXPECT_EQ(site.what, "store of 16 bytes");
}

TEST_F(HostJITTest, NamesTheCallerOfInlinedCode) {
  auto kernel = compile(vectorAdd);
  ASSERT_TRUE(kernel);
  ASSERT_EQ(kernel->sites().size(), 3u);
  const tilecrt::sim::Site &site = kernel->sites()[1];
  EXPECT_EQ(site.file, "lib.tile");
  EXPECT_EQ(site.line, 33);
  EXPECT_EQ(site.what, "load of 16 bytes, called from add.tile:8");
}

TEST_F(HostJITTest, SumsThroughShufflesAndSharedMemory) {
  auto kernel = compile(replaced(blockSum, "BARRIER", "nvvm.barrier"));
  ASSERT_TRUE(kernel);
  std::vector<float> x(512), out(4);
  for (int i = 0; i < 512; ++i)
    x[i] = static_cast<float>((i * 37) % 101);
  void *px = x.data(), *po = out.data();
  LaunchConfig config;
  config.grid = {4, 1, 1};
  config.block = {128, 1, 1};
  config.sharedBytes = 16;
  config.counters = true;
  config.buffers = {bufferOf(x, "x"), bufferOf(out, "out")};
  LaunchResult result = launch(*kernel, {&px, &po}, config);
  EXPECT_TRUE(result.clean()) << describe(result, *kernel);
  for (int cta = 0; cta < 4; ++cta) {
    double expected = 0;
    for (int i = 0; i < 128; ++i)
      expected += x[cta * 128 + i];
    EXPECT_EQ(out[cta], expected);
  }
  EXPECT_EQ(result.totals.shuffles, 4u * 4u * 5u);
  EXPECT_EQ(result.totals.barriers, 16u);
}

TEST_F(HostJITTest, FindsTheMissingBarrier) {
  auto kernel = compile(replaced(blockSum, "BARRIER", ""));
  ASSERT_TRUE(kernel);
  std::vector<float> x(128), out(1);
  void *px = x.data(), *po = out.data();
  LaunchConfig config;
  config.block = {128, 1, 1};
  config.sharedBytes = 16;
  config.buffers = {bufferOf(x, "x"), bufferOf(out, "out")};
  LaunchResult result = launch(*kernel, {&px, &po}, config);
  ASSERT_FALSE(result.findings.empty());
  bool foundRace = false;
  for (const Finding &finding : result.findings) {
    bool isRace =
        finding.kind == FindingKind::SharedRaceRAW || finding.kind == FindingKind::SharedRaceWAR;
    if (!isRace)
      continue;
    foundRace = true;
    std::vector<int> lines = {kernel->sites().at(finding.site).line,
                              kernel->sites().at(finding.otherSite).line};
    EXPECT_THAT(lines, testing::UnorderedElementsAre(20, 22));
  }
  EXPECT_TRUE(foundRace) << describe(result, *kernel);
}

TEST_F(HostJITTest, FindsAStoreOutsideTheSharedWindow) {
  auto kernel = compile(replaced(blockSum, "BARRIER", "nvvm.barrier0"));
  ASSERT_TRUE(kernel);
  std::vector<float> x(128), out(1);
  void *px = x.data(), *po = out.data();
  LaunchConfig config;
  config.block = {128, 1, 1};
  config.sharedBytes = 12;
  config.buffers = {bufferOf(x, "x"), bufferOf(out, "out")};
  LaunchResult result = launch(*kernel, {&px, &po}, config);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].kind, FindingKind::OutOfWindowShared);
}

TEST_F(HostJITTest, CountsInstructionsByClass) {
  auto kernel = compile(vectorAdd, /*count=*/true);
  ASSERT_TRUE(kernel);
  int32_t n = 512;
  std::vector<float> x(512), y(512), z(512);
  void *px = x.data(), *py = y.data(), *pz = z.data();
  LaunchConfig config;
  config.block = {128, 1, 1};
  config.counters = true;
  config.buffers = {bufferOf(x, "x"), bufferOf(y, "y"), bufferOf(z, "z")};
  LaunchResult result = launch(*kernel, {&px, &py, &pz, &n}, config);
  EXPECT_TRUE(result.clean()) << describe(result, *kernel);
  using namespace tilecrt::sim::abi;
  EXPECT_EQ(result.totals.instructions[ClassFloat], 128u);
  EXPECT_EQ(result.totals.instructions[ClassMemory], 3u * 128u);
  EXPECT_EQ(result.totals.instructions[ClassInteger], 7u * 128u);
  EXPECT_EQ(result.totals.instructions[ClassControl], 128u);
}

TEST_F(HostJITTest, PrintsCoordinatesAndValues) {
  auto kernel = compile(R"mlir(
    llvm.func @print(%x: i1, %y: i64, %z: f16) attributes {nvvm.kernel} {
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %c1 = llvm.mlir.constant(1 : i32) : i32
      %p = llvm.icmp "eq" %tid, %c1 : i32
      tilegpu.thread_print "y = ", %y at (%tid, %c1) if %p {is_signed, widths = array<i32: 1, 3>} : i64
      tilegpu.thread_print "z = ", %z at () if %p : f16
      tilegpu.thread_print "x = ", %x at (%tid) if %p : i1
      tilegpu.thread_print "y: ", %y at () if %p {hex} : i64
      tilegpu.thread_print "no value" at () if %p
      llvm.return
    }
  )mlir");
  ASSERT_TRUE(kernel);
  uint8_t x = 1;
  int64_t y = -5;
  uint16_t z = 0x3e00;
  LaunchConfig config;
  config.block = {2, 1, 1};
  LaunchResult result = launch(*kernel, {&x, &y, &z}, config);
  EXPECT_TRUE(result.clean()) << describe(result, *kernel);
  ASSERT_EQ(result.printed.size(), 5u);
  EXPECT_EQ(result.printed[0].text, "pid (0, 0, 0) idx (1,   1)y = -5");
  EXPECT_EQ(result.printed[1].text, "pid (0, 0, 0) idx ()z = 1.500000");
  EXPECT_EQ(result.printed[2].text, "pid (0, 0, 0) idx (1)x = 1");
  EXPECT_EQ(result.printed[3].text, "pid (0, 0, 0) idx ()y: 0xfffffffffffffffb");
  EXPECT_EQ(result.printed[4].text, "pid (0, 0, 0) no value");
}

TEST_F(HostJITTest, StopsAtAFailedAssertion) {
  auto kernel = compile(R"mlir(
    llvm.func @check(%n: i32) attributes {nvvm.kernel} {
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %p = llvm.icmp "slt" %tid, %n : i32
      tilegpu.thread_assert %p, "n fits" loc("check.tile":3:5)
      llvm.return
    }
  )mlir");
  ASSERT_TRUE(kernel);
  int32_t n = 2;
  LaunchConfig config;
  config.block = {4, 1, 1};
  LaunchResult result = launch(*kernel, {&n}, config);
  EXPECT_EQ(result.status, LaunchStatus::Stopped);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].kind, FindingKind::AssertFailed);
  EXPECT_EQ(kernel->sites().at(result.findings[0].site).line, 3);
  EXPECT_THAT(result.findings[0].message, testing::HasSubstr("n fits"));
}

TEST_F(HostJITTest, StopsAnEndlessLoop) {
  auto kernel = compile(R"mlir(
    llvm.func @spin() attributes {nvvm.kernel} {
      llvm.br ^loop
    ^loop:
      llvm.br ^loop
    }
  )mlir");
  ASSERT_TRUE(kernel);
  LaunchConfig config;
  config.maxStepsPerThread = 1000;
  LaunchResult result = launch(*kernel, {}, config);
  EXPECT_EQ(result.status, LaunchStatus::Stopped);
}

TEST_F(HostJITTest, AddsAtomically) {
  auto kernel = compile(R"mlir(
    llvm.func @count(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %one = llvm.mlir.constant(1.0 : f32) : f32
      %old = llvm.atomicrmw fadd %out, %one monotonic : !llvm.ptr<1>, f32
      %base = tilegpu.shared_base : !llvm.ptr<3>
      %c0 = llvm.mlir.constant(0 : i32) : i32
      %c7 = llvm.mlir.constant(7 : i32) : i32
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %isFirst = llvm.icmp "eq" %tid, %c0 : i32
      tilegpu.st_shared %c0, %base if %isFirst : i32, !llvm.ptr<3>
      nvvm.barrier
      %pair = llvm.cmpxchg %base, %c0, %c7 acq_rel monotonic : !llvm.ptr<3>, i32
      %won = llvm.extractvalue %pair[1] : !llvm.struct<(i32, i1)>
      %add = llvm.zext %won : i1 to i32
      %p1 = llvm.getelementptr %out[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      %old2 = llvm.atomicrmw add %p1, %add monotonic : !llvm.ptr<1>, i32
      llvm.return
    }
  )mlir");
  ASSERT_TRUE(kernel);
  std::vector<float> out(2);
  void *po = out.data();
  LaunchConfig config;
  config.grid = {3, 1, 1};
  config.block = {64, 1, 1};
  config.sharedBytes = 4;
  config.buffers = {bufferOf(out, "out")};
  LaunchResult result = launch(*kernel, {&po}, config);
  EXPECT_TRUE(result.clean()) << describe(result, *kernel);
  EXPECT_EQ(out[0], 192.0f);
  int32_t winners;
  std::memcpy(&winners, &out[1], sizeof(winners));
  EXPECT_EQ(winners, 3);
}

TEST_F(HostJITTest, RefusesUnknownKernels) {
  auto module = lower(vectorAdd);
  ASSERT_TRUE(module);
  HostOptions options;
  options.kernel = "other";
  auto kernel = compileForHost(*module, options);
  ASSERT_FALSE(kernel);
  EXPECT_EQ(llvm::toString(kernel.takeError()), "the module has no kernel 'other'");
}

TEST_F(HostJITTest, KeepsKernelsApartFromTheLibrary) {
  std::string text = replaced(
      elementKernel("f64", "f64", "%r = llvm.call @__tilec_math_erf_f64(%v) : (f64) -> f64",
                    "llvm.func @__tilec_math_erf_f64(f64) -> f64"),
      "@f(", "@erf(");
  EXPECT_EQ(map<double>(text, std::vector<double>{0.5}), (std::vector<double>{std::erf(0.5)}));
  auto kernel = compile(text);
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->name(), "erf");
}

TEST_F(HostJITTest, ReportsSymbolsThatNobodyDefines) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"mlir(
    llvm.func @getenv(!llvm.ptr) -> !llvm.ptr
    llvm.func @k_entry(%args: !llvm.ptr) attributes {tilec.kernel_entry = "k"} {
      %0 = llvm.call @getenv(%args) : (!llvm.ptr) -> !llvm.ptr
      llvm.return
    }
  )mlir",
                                                        &context);
  ASSERT_TRUE(module);
  auto kernel = compileForHost(*module, {});
  ASSERT_FALSE(kernel);
  EXPECT_THAT(llvm::toString(kernel.takeError()), testing::HasSubstr("getenv"));
}

TEST_F(HostJITTest, ReportsWhatTheBackEndCannotDo) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"mlir(
    llvm.func @k_entry(%args: !llvm.ptr) attributes {tilec.kernel_entry = "k"} {
      %c0 = llvm.mlir.constant(0 : i32) : i32
      %0 = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"() : () -> i32
      %p = llvm.getelementptr %args[0] : (!llvm.ptr) -> !llvm.ptr, i32
      llvm.store %0, %p : i32, !llvm.ptr
      llvm.return
    }
  )mlir",
                                                        &context);
  ASSERT_TRUE(module);
  auto kernel = compileForHost(*module, {});
  ASSERT_FALSE(kernel);
  EXPECT_THAT(llvm::toString(kernel.takeError()), testing::HasSubstr("nvvm"));
}

TEST_F(HostJITTest, CompilesInSeveralThreads) {
  auto compileOften = [](int *sum) {
    mlir::MLIRContext own(dialects(), mlir::MLIRContext::Threading::DISABLED);
    for (int i = 0; i < 5; ++i) {
      auto module = mlir::parseSourceString<mlir::ModuleOp>(vectorAdd, &own);
      mlir::PassManager passes(&own);
      passes.addPass(createConvertNVVMToSimPass());
      if (failed(passes.run(*module)))
        return;
      auto kernel = compileForHost(*module, {});
      if (!kernel)
        return llvm::consumeError(kernel.takeError());
      *sum += (*kernel)->entry() != nullptr;
    }
  };
  int sums[4] = {};
  std::vector<std::thread> threads;
  for (int &sum : sums)
    threads.emplace_back(compileOften, &sum);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_THAT(sums, testing::Each(5));
}

TEST_F(HostJITTest, PrintsLLVM) {
  auto module = lower(vectorAdd);
  ASSERT_TRUE(module);
  auto text = translateToHostLLVM(*module, {});
  ASSERT_TRUE(static_cast<bool>(text)) << llvm::toString(text.takeError());
  EXPECT_THAT(*text, testing::HasSubstr("define void @add_entry(ptr"));
  EXPECT_THAT(*text, testing::Not(testing::HasSubstr("@add.device(")));
}

} // namespace

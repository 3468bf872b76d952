// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small matrix products written in NVVM and thread-level operations, from global memory to global
// memory, on the simulator: cp.async with ldmatrix and mma.sync, and TMA with barrier objects and
// wgmma. Each is also run with a wait or a fence left out.

#include "HostKernelFixture.h"

#include "tilecrt/sim/TensorMap.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace tilec;
using tilecrt::sim::Finding;
using tilecrt::sim::FindingKind;
using tilecrt::sim::LaunchConfig;
using tilecrt::sim::LaunchResult;
using tilecrt::sim::TensorMap;
using tilecrt::sim::TensorMapFields;
using tilecrt::sim::TensorMapSwizzle;
using tilecrt::sim::TensorMapType;

namespace {

/// z (16 x 8, f32) = x (16 x 16, f16) * y (16 x 8, f16), one warp.
constexpr llvm::StringLiteral warpProduct = R"mlir(
  llvm.func @product(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %z: !llvm.ptr<1>)
      attributes {nvvm.kernel} {
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c2 = llvm.mlir.constant(2 : i32) : i32
    %c3 = llvm.mlir.constant(3 : i32) : i32
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %c8 = llvm.mlir.constant(8 : i32) : i32
    %c15 = llvm.mlir.constant(15 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %c64 = llvm.mlir.constant(64 : i32) : i32
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    %base = tilegpu.shared_base : !llvm.ptr<3>
    %at = llvm.mul %lane, %c16 : i32
    %sx = llvm.getelementptr %base[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %gx = llvm.getelementptr %x[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
    nvvm.cp.async.shared.global %sx, %gx, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    // y has 256 bytes: the other lanes fill with zeros.
    %by = llvm.getelementptr %base[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %sy = llvm.getelementptr %by[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %gy = llvm.getelementptr %y[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
    %inside = llvm.icmp "slt" %lane, %c16 : i32
    %bytes = llvm.select %inside, %c16, %c0 : i1, i32
    nvvm.cp.async.shared.global %sy, %gy, 16, cache = cg, %bytes : !llvm.ptr<3>, !llvm.ptr<1>, i32
      loc("product.tile":7:1)
    nvvm.cp.async.commit.group
    WAIT
    nvvm.bar.warp.sync %all : i32
    %row = llvm.and %lane, %c15 : i32
    %half = llvm.lshr %lane, %c4 : i32
    %ax0 = llvm.mul %row, %c32 : i32
    %ax1 = llvm.mul %half, %c16 : i32
    %ax = llvm.add %ax0, %ax1 : i32
    %pa = llvm.getelementptr %base[%ax] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %a = nvvm.ldmatrix %pa {num = 4 : i32, layout = #nvvm.mma_layout<row>,
        shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>,
        eltType = #nvvm.ld_st_matrix_elt_type<b16>}
      : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)> loc("product.tile":9:1)
    %ay = llvm.mul %row, %c16 : i32
    %pb = llvm.getelementptr %by[%ay] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %b = nvvm.ldmatrix %pb {num = 2 : i32, layout = #nvvm.mma_layout<col>,
        shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>,
        eltType = #nvvm.ld_st_matrix_elt_type<b16>}
      : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
    %a0w = llvm.extractvalue %a[0] : !llvm.struct<(i32, i32, i32, i32)>
    %a1w = llvm.extractvalue %a[1] : !llvm.struct<(i32, i32, i32, i32)>
    %a2w = llvm.extractvalue %a[2] : !llvm.struct<(i32, i32, i32, i32)>
    %a3w = llvm.extractvalue %a[3] : !llvm.struct<(i32, i32, i32, i32)>
    %b0w = llvm.extractvalue %b[0] : !llvm.struct<(i32, i32)>
    %b1w = llvm.extractvalue %b[1] : !llvm.struct<(i32, i32)>
    PRODUCT
    %group = llvm.lshr %lane, %c2 : i32
    %part = llvm.and %lane, %c3 : i32
    %o0 = llvm.mul %group, %c8 : i32
    %o1 = llvm.mul %part, %c2 : i32
    %o2 = llvm.add %o0, %o1 : i32
    %o3 = llvm.add %o2, %c1 : i32
    %o4 = llvm.add %o2, %c64 : i32
    %o5 = llvm.add %o4, %c1 : i32
    %z0 = llvm.getelementptr %z[%o2] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %z1 = llvm.getelementptr %z[%o3] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %z2 = llvm.getelementptr %z[%o4] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %z3 = llvm.getelementptr %z[%o5] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %d0, %z0 : f32, !llvm.ptr<1>
    llvm.store %d1, %z1 : f32, !llvm.ptr<1>
    llvm.store %d2, %z2 : f32, !llvm.ptr<1>
    llvm.store %d3, %z3 : f32, !llvm.ptr<1>
    llvm.return
  }
)mlir";

constexpr llvm::StringLiteral nvvmProduct = R"mlir(
    %a0 = llvm.bitcast %a0w : i32 to vector<2xf16>
    %a1 = llvm.bitcast %a1w : i32 to vector<2xf16>
    %a2 = llvm.bitcast %a2w : i32 to vector<2xf16>
    %a3 = llvm.bitcast %a3w : i32 to vector<2xf16>
    %b0 = llvm.bitcast %b0w : i32 to vector<2xf16>
    %b1 = llvm.bitcast %b1w : i32 to vector<2xf16>
    %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%zero, %zero, %zero, %zero]
        {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
         shape = #nvvm.shape<m = 16, n = 8, k = 16>}
      : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
    %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
    %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
    %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
)mlir";

constexpr llvm::StringLiteral threadProduct = R"mlir(
    %d0, %d1, %d2, %d3 = tilegpu.thread_mma %a0w, %a1w, %a2w, %a3w * %b0w, %b1w +
        %zero, %zero, %zero, %zero as f16, f16, f32
      : i32, i32, i32, i32 * i32, i32 + f32, f32, f32, f32 -> f32, f32, f32, f32
)mlir";

/// Random halves of small values: the bits, and the values.
struct Halves {
  Halves(std::mt19937 &random, size_t count) : bits(count), values(count) {
    for (size_t i = 0; i < count; ++i) {
      int steps = static_cast<int>(random() % 65) - 32;
      values[i] = steps / 16.0;
      bits[i] = static_cast<uint16_t>(encode(steps));
    }
  }
  /// steps / 16 as a half.
  static unsigned encode(int steps) {
    if (steps == 0)
      return 0;
    unsigned magnitude = static_cast<unsigned>(std::abs(steps));
    unsigned top = 31 - static_cast<unsigned>(__builtin_clz(magnitude));
    unsigned mantissa = (magnitude << (10 - top)) & 0x3ff;
    return (steps < 0 ? 0x8000u : 0u) | (top - 4 + 15) << 10 | mantissa;
  }
  std::vector<uint16_t> bits;
  std::vector<double> values;
};

class HostMatrixTest : public HostKernelFixture {
protected:
  LaunchResult runWarpProduct(const std::string &text, bool expectsValues) {
    std::mt19937 random(7);
    Halves x(random, 256), y(random, 128);
    alignas(16) std::array<uint16_t, 256> xs;
    alignas(16) std::array<uint16_t, 128> ys;
    std::copy(x.bits.begin(), x.bits.end(), xs.begin());
    std::copy(y.bits.begin(), y.bits.end(), ys.begin());
    std::vector<float> z(128, NAN);
    kernel = compile(text);
    if (!kernel)
      return {};
    void *px = xs.data(), *py = ys.data(), *pz = z.data();
    LaunchConfig config;
    config.block = {32, 1, 1};
    config.sharedBytes = 1024;
    config.counters = true;
    config.buffers = {bufferOf(xs, "x"), bufferOf(ys, "y"), bufferOf(z, "z")};
    LaunchResult result = launch(*kernel, {&px, &py, &pz}, config);
    for (size_t i = 0; i < 16 && expectsValues; ++i)
      for (size_t j = 0; j < 8; ++j) {
        double sum = 0;
        for (size_t k = 0; k < 16; ++k)
          sum += x.values[i * 16 + k] * y.values[k * 8 + j];
        EXPECT_EQ(z[i * 8 + j], static_cast<float>(sum)) << i << " " << j;
      }
    return result;
  }

  const tilecrt::sim::Site &siteOf(const Finding &finding) const {
    return kernel->sites().at(static_cast<size_t>(finding.site));
  }

  static const Finding *find(const LaunchResult &result, FindingKind kind) {
    for (const Finding &finding : result.findings)
      if (finding.kind == kind)
        return &finding;
    return nullptr;
  }

  std::unique_ptr<HostKernel> kernel;
};

TEST_F(HostMatrixTest, MultipliesInAWarp) {
  for (llvm::StringRef product : {nvvmProduct, threadProduct}) {
    std::string text = replaced(warpProduct.str(), "WAIT", "nvvm.cp.async.wait.group 0");
    LaunchResult result = runWarpProduct(replaced(text, "PRODUCT", product), true);
    ASSERT_TRUE(kernel);
    EXPECT_TRUE(result.clean()) << describe(result, *kernel);
    EXPECT_EQ(result.totals.mmas, 1u);
    EXPECT_EQ(result.totals.multiplyAdds, 2048u);
    EXPECT_EQ(result.totals.asyncCopies, 64u);
  }
}

TEST_F(HostMatrixTest, FindsTheMissingWaitForACopy) {
  std::string text = replaced(warpProduct.str(), "WAIT", "nvvm.cp.async.wait.group 1");
  LaunchResult result = runWarpProduct(replaced(text, "PRODUCT", nvvmProduct), false);
  ASSERT_TRUE(kernel);
  const Finding *early = find(result, FindingKind::AsyncReadEarly);
  ASSERT_TRUE(early) << describe(result, *kernel);
  EXPECT_EQ(siteOf(*early).line, 9);
  EXPECT_EQ(siteOf(*early).what, "matrix load");
}

TEST_F(HostMatrixTest, MultipliesEightBitFloats) {
  // Each lane makes its own fragments: all of A is 1.5 (e4m3), all of B -2 (e5m2).
  kernel = compile(R"mlir(
    llvm.func @product(%z: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %a = llvm.mlir.constant(0x3c3c3c3c : i32) : i32
      %b = llvm.mlir.constant(0xc0c0c0c0 : i32) : i32
      %c = llvm.mlir.constant(0.5 : f32) : f32
      %d:4 = tilegpu.thread_mma %a, %a, %a, %a * %b, %b + %c, %c, %c, %c
        as f8E4M3FN, f8E5M2, f32
        : i32, i32, i32, i32 * i32, i32 + f32, f32, f32, f32 -> f32, f32, f32, f32
      %p = llvm.getelementptr %z[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      llvm.store %d#3, %p : f32, !llvm.ptr<1>
      llvm.return
    })mlir");
  ASSERT_TRUE(kernel);
  std::vector<float> z(32);
  void *pz = z.data();
  LaunchConfig config;
  config.block = {32, 1, 1};
  config.buffers = {bufferOf(z, "z")};
  LaunchResult result = launch(*kernel, {&pz}, config);
  EXPECT_TRUE(result.clean()) << describe(result, *kernel);
  EXPECT_EQ(z, std::vector<float>(32, 32 * -3.0f + 0.5f));
}

TEST_F(HostMatrixTest, RoundsToTf32) {
  const std::pair<const char *, std::vector<uint32_t>> cases[] = {
      {"rna", {0x3f802000, 0x3f802000, 0x3f804000, 0x7f800000, 0xbf802000, 0x7fffffff}},
      {"rn", {0x3f800000, 0x3f802000, 0x3f804000, 0x7f800000, 0xbf800000, 0x7fffffff}},
      {"rz", {0x3f800000, 0x3f800000, 0x3f802000, 0x7f800000, 0xbf800000, 0x7fffffff}}};
  for (auto &[mode, expected] : cases) {
    std::vector<uint32_t> x = {0x3f801000, 0x3f801001, 0x3f803000,
                               0x7f800000, 0xbf801000, 0xffc00001};
    auto y = map<uint32_t>(replaced(R"mlir(
      llvm.func @f(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {nvvm.kernel} {
        %tid = nvvm.read.ptx.sreg.tid.x : i32
        %px = llvm.getelementptr %x[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
        %py = llvm.getelementptr %y[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
        %v = llvm.load %px : !llvm.ptr<1> -> f32
        %r = nvvm.convert.float.to.tf32 %v {rnd = #nvvm.fp_rnd_mode<MODE>}
        llvm.store %r, %py : i32, !llvm.ptr<1>
        llvm.return
      })mlir",
                                    "MODE", mode),
                           x);
    EXPECT_EQ(y, expected) << mode;
  }
}

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

std::string repeated(unsigned count, llvm::StringRef text, llvm::StringRef separator) {
  std::string result;
  for (unsigned i = 0; i < count; ++i)
    result += (i ? separator.str() : "") + replaced(text.str(), "#", std::to_string(i));
  return result;
}

/// z (64 x 64, f32) = x (64 x 64, f16) * transpose of y (64 x 64, f16), one warpgroup. The K loop
/// is NVVM's wgmma on a struct, or the thread-level operations on registers.
std::string warpgroupProduct(bool threadLevel) {
  std::string structure = "!llvm.struct<(" + repeated(32, "f32", ", ") + ")>";
  std::string registers = repeated(32, "f32", ", ");
  std::string text = R"mlir(
  llvm.func @product(%mx: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant},
                     %my: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant},
                     %mz: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %mzg = llvm.addrspacecast %mz : !llvm.ptr<1> to !llvm.ptr
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c2 = llvm.mlir.constant(2 : i32) : i32
    %c3 = llvm.mlir.constant(3 : i32) : i32
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %c5 = llvm.mlir.constant(5 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %c31 = llvm.mlir.constant(31 : i32) : i32
    %c64 = llvm.mlir.constant(64 : i32) : i32
    %bytes = llvm.mlir.constant(16384 : i32) : i32
    %base = tilegpu.shared_base : !llvm.ptr<3>
    %sy = llvm.getelementptr %base[8192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %mbar = llvm.getelementptr %base[16384] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %first = llvm.icmp "eq" %tid, %c0 : i32
    llvm.cond_br %first, ^init, ^started
  ^init:
    nvvm.mbarrier.init %mbar, %c1 : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
    llvm.br ^started
  ^started:
    nvvm.barrier0
    nvvm.mbarrier.arrive.expect_tx %mbar, %bytes, predicate = %first : !llvm.ptr<3>, i32, i1
    %sxc = llvm.addrspacecast %base : !llvm.ptr<3> to !llvm.ptr<7>
    nvvm.cp.async.bulk.tensor.shared.cluster.global %sxc, %mx, %mbar, box[%c0, %c0]
      predicate = %first : !llvm.ptr<7>, !llvm.ptr loc("product.tile":4:1)
    %syc = llvm.addrspacecast %sy : !llvm.ptr<3> to !llvm.ptr<7>
    nvvm.cp.async.bulk.tensor.shared.cluster.global %syc, %my, %mbar, box[%c0, %c0]
      predicate = %first : !llvm.ptr<7>, !llvm.ptr loc("product.tile":5:1)
    WAIT
    // Bits 62 and 32 to 45: 128-byte swizzle, 1024 bytes from eight rows to the next.
    %fixed = llvm.mlir.constant(4611686293305294848 : i64) : i64
    %four64 = llvm.mlir.constant(4 : i64) : i64
    %two64 = llvm.mlir.constant(2 : i64) : i64
    %ax = llvm.ptrtoint %base : !llvm.ptr<3> to i64
    %ay = llvm.ptrtoint %sy : !llvm.ptr<3> to i64
    %ux = llvm.lshr %ax, %four64 : i64
    %uy = llvm.lshr %ay, %four64 : i64
    %dx = llvm.or %fixed, %ux : i64
    %dy = llvm.or %fixed, %uy : i64
    PRODUCT
    nvvm.barrier0
    %warp = llvm.lshr %tid, %c5 : i32
    %lane = llvm.and %tid, %c31 : i32
    %group = llvm.lshr %lane, %c2 : i32
    %part = llvm.and %lane, %c3 : i32
    %r0 = llvm.mul %warp, %c16 : i32
    %r1 = llvm.add %r0, %group : i32
    %r2 = llvm.mul %r1, %c64 : i32
    %r3 = llvm.mul %part, %c2 : i32
    %place = llvm.add %r2, %r3 : i32
    %own = llvm.getelementptr %base[%place] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    STORES
    FENCE
    nvvm.barrier0
    nvvm.cp.async.bulk.tensor.global.shared.cta %mzg, %base, box[%c0, %c0], predicate = %first
      : !llvm.ptr, !llvm.ptr<3> loc("product.tile":12:1)
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0
    llvm.return
  }
)mlir";
  std::string nvvm = R"mlir(
    %none = llvm.mlir.zero : STRUCT
    llvm.br ^loop(%c0, %dx, %dy, %none : i32, i64, i64, STRUCT)
  ^loop(%step: i32, %kx: i64, %ky: i64, %acc: STRUCT):
    nvvm.wgmma.fence.aligned
    %next = nvvm.wgmma.mma_async %kx, %ky, %acc, <m = 64, n = 64, k = 16>, D [<f32>, <one>],
        A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : STRUCT -> STRUCT
        loc("product.tile":8:1)
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 1
    %nextX = llvm.add %kx, %two64 : i64
    %nextY = llvm.add %ky, %two64 : i64
    %nextStep = llvm.add %step, %c1 : i32
    %more = llvm.icmp "slt" %nextStep, %c4 : i32
    llvm.cond_br %more, ^loop(%nextStep, %nextX, %nextY, %next : i32, i64, i64, STRUCT), ^after
  ^after:
    LANDED
)mlir";
  std::string stores;
  for (unsigned i = 0; i < 32; ++i) {
    std::string n = std::to_string(i);
    nvvm +=
        "%v" + n + " = llvm.extractvalue %next[" + n + "] : STRUCT loc(\"product.tile\":10:1)\n";
    unsigned offset = i / 4 * 8 + i / 2 % 2 * 512 + i % 2;
    stores += "%w" + n + " = llvm.bitcast %v" + n + " : f32 to i32\n%s" + n +
              " = llvm.getelementptr %own[" + std::to_string(offset) +
              "] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32\ntilegpu.st_shared %w" + n + ", %s" + n +
              " : i32, !llvm.ptr<3> loc(\"product.tile\":11:1)\n";
  }
  std::string thread = "%false = llvm.mlir.constant(false) : i1\n%none = llvm.mlir.undef : f32\n";
  for (unsigned step = 0; step < 4; ++step) {
    std::string n = std::to_string(step), last = std::to_string(step - 1);
    thread += "%o" + n + " = llvm.mlir.constant(" + std::to_string(2 * step) + " : i64) : i64\n" +
              "%x" + n + " = llvm.add %dx, %o" + n + " : i64\n" + "%y" + n + " = llvm.add %dy, %o" +
              n + " : i64\n" + (step == 0 ? "nvvm.wgmma.fence.aligned\n" : "") + "%d" + n +
              ":32 = tilegpu.thread_wgmma desc %x" + n + " * %y" + n + " + " +
              repeated(32, step == 0 ? "%none" : "%d" + last + "@#", ", ") +
              (step == 0 ? " if %false" : "") + " n = 64 as f16, f16, f32 : " + registers + " -> " +
              registers + " loc(\"product.tile\":8:1)\n";
  }
  thread = replaced(thread, "@", "#");
  thread += "nvvm.wgmma.commit.group.sync.aligned\nLANDED\n";
  text = replaced(text, "PRODUCT", threadLevel ? thread : nvvm);
  text = replaced(text, "STORES", stores);
  return replaced(text, "STRUCT", structure);
}

const std::string waitForCopies =
    "nvvm.mbarrier.try_wait.parity %mbar, %c0, %c64 : !llvm.ptr<3>, i32, i32";
const std::string proxyFence =
    "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}";

/// The wait that leaves `pending` groups in flight.
std::string waitForProducts(bool threadLevel, int pending) {
  std::string n = std::to_string(pending), registers = repeated(32, "f32", ", ");
  if (!threadLevel)
    return "nvvm.wgmma.wait.group.sync.aligned " + n;
  std::string text = "%e:32 = tilegpu.thread_wgmma_wait " + n + ", " +
                     replaced(repeated(32, "%d3@#", ", "), "@", "#") + " : " + registers + " -> " +
                     registers + "\n";
  // Something that the stores can name.
  for (unsigned i = 0; i < 32; ++i) {
    std::string v = std::to_string(i);
    text += "%v" + v + " = llvm.freeze %e#" + v + " : f32 loc(\"product.tile\":10:1)\n";
  }
  return text;
}

class HostWgmmaTest : public HostMatrixTest {
protected:
  LaunchResult run(const std::string &text, bool expectsValues) {
    std::mt19937 random(11);
    Halves x(random, 4096), y(random, 4096);
    struct alignas(64) Memory {
      uint16_t x[4096], y[4096];
      float z[4096];
      TensorMap mapX, mapY, mapZ;
    };
    auto memory = std::make_unique<Memory>();
    std::copy(x.bits.begin(), x.bits.end(), memory->x);
    std::copy(y.bits.begin(), y.bits.end(), memory->y);
    auto encode = [](void *address, TensorMapType type, uint64_t rowBytes, TensorMapSwizzle swizzle,
                     TensorMap &map) {
      TensorMapFields fields;
      fields.type = type;
      fields.rank = 2;
      fields.address = reinterpret_cast<uint64_t>(address);
      fields.dims = {64, 64};
      fields.strides = {rowBytes};
      fields.box = {64, 64};
      fields.swizzle = swizzle;
      EXPECT_EQ(encodeTensorMap(fields, map), "");
    };
    encode(memory->x, TensorMapType::F16, 128, TensorMapSwizzle::Bytes128, memory->mapX);
    encode(memory->y, TensorMapType::F16, 128, TensorMapSwizzle::Bytes128, memory->mapY);
    encode(memory->z, TensorMapType::F32, 256, TensorMapSwizzle::None, memory->mapZ);
    kernel = compile(text);
    if (!kernel)
      return {};
    LaunchConfig config;
    config.block = {128, 1, 1};
    config.sharedBytes = 16384 + 8;
    config.maxFindings = 1000; // One for each pair of places.
    config.counters = true;
    config.buffers = {{memory->x, sizeof(memory->x), "x", true},
                      {memory->y, sizeof(memory->y), "y", true},
                      {memory->z, sizeof(memory->z), "z", false}};
    void *mapZ = &memory->mapZ;
    LaunchResult result = launch(*kernel, {&memory->mapX, &memory->mapY, &mapZ}, config);
    for (size_t i = 0; i < 64 && expectsValues; ++i)
      for (size_t j = 0; j < 64; ++j) {
        double sum = 0;
        for (size_t k = 0; k < 64; ++k)
          sum += x.values[i * 64 + k] * y.values[j * 64 + k];
        EXPECT_EQ(memory->z[i * 64 + j], static_cast<float>(sum)) << i << " " << j;
      }
    return result;
  }

  static std::string complete(bool threadLevel, const std::string &wait, const std::string &landed,
                              const std::string &fence) {
    std::string text = replaced(warpgroupProduct(threadLevel), "WAIT", wait);
    return replaced(replaced(text, "LANDED", landed), "FENCE", fence);
  }
};

TEST_F(HostWgmmaTest, MultipliesInAWarpgroup) {
  for (bool threadLevel : {false, true}) {
    LaunchResult result = run(
        complete(threadLevel, waitForCopies, waitForProducts(threadLevel, 0), proxyFence), true);
    ASSERT_TRUE(kernel);
    EXPECT_TRUE(result.clean()) << describe(result, *kernel);
    EXPECT_EQ(result.totals.wgmmas, 16u);
    EXPECT_EQ(result.totals.multiplyAdds, 64u * 64 * 64);
    EXPECT_EQ(result.totals.bulkLoadBytes, 16384u);
    EXPECT_EQ(result.totals.bulkStoreBytes, 16384u);
  }
}

TEST_F(HostWgmmaTest, FindsTheMissingWaitForTheCopies) {
  LaunchResult result = run(complete(true, "", waitForProducts(true, 0), proxyFence), false);
  ASSERT_TRUE(kernel);
  const Finding *early = find(result, FindingKind::AsyncReadEarly);
  ASSERT_TRUE(early) << describe(result, *kernel);
  EXPECT_EQ(siteOf(*early).line, 8);
  EXPECT_EQ(kernel->sites().at(static_cast<size_t>(early->otherSite)).what, "tensor copy");
}

TEST_F(HostWgmmaTest, FindsTheMissingProxyFence) {
  LaunchResult result = run(complete(true, waitForCopies, waitForProducts(true, 0), ""), false);
  ASSERT_TRUE(kernel);
  const Finding *missing = find(result, FindingKind::ProxyFenceMissing);
  ASSERT_TRUE(missing) << describe(result, *kernel);
  EXPECT_EQ(siteOf(*missing).line, 12);
  EXPECT_EQ(kernel->sites().at(static_cast<size_t>(missing->otherSite)).line, 11);
}

TEST_F(HostWgmmaTest, FindsTheMissingWaitForTheProducts) {
  for (bool threadLevel : {false, true}) {
    LaunchResult result = run(
        complete(threadLevel, waitForCopies, waitForProducts(threadLevel, 1), proxyFence), false);
    ASSERT_TRUE(kernel);
    const Finding *early = find(result, FindingKind::WgmmaRegisterInUse);
    ASSERT_TRUE(early) << describe(result, *kernel);
    EXPECT_EQ(siteOf(*early).line, 10);
    EXPECT_EQ(kernel->sites().at(static_cast<size_t>(early->otherSite)).line, 8);
    // The stores go over the operands.
    EXPECT_TRUE(find(result, FindingKind::AsyncOverwrite)) << describe(result, *kernel);
  }
}

} // namespace

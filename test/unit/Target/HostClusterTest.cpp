// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of a cluster of two CTAs from MLIR to the simulator: a ring of one slot that CTA 0 fills
// in both by multicast, released by arrivals at CTA 0.

#include "HostKernelFixture.h"

#include "tilecrt/sim/TensorMap.h"

using namespace tilec;
using namespace tilecrt::sim;

namespace {

/// y[CTA][tile][thread] = x[tile][31 - thread], four tiles of 32 numbers. `%empty` is an object for
/// two arrivals, one of each CTA, `%full` one for the own CTA's.
constexpr const char *kernelText = R"mlir(
llvm.func @f(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant},
             %y: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.cluster_dim = array<i32: 2, 1, 1>} {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %c2 = llvm.mlir.constant(2 : i32) : i32
  %c4 = llvm.mlir.constant(4 : i32) : i32
  %c31 = llvm.mlir.constant(31 : i32) : i32
  %c32 = llvm.mlir.constant(32 : i32) : i32
  %c128 = llvm.mlir.constant(128 : i32) : i32
  %mask = llvm.mlir.constant(MASK : i16) : i16
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
  %slot = tilegpu.shared_base : !llvm.ptr<3>
  %full = llvm.getelementptr %slot[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %empty = llvm.getelementptr %slot[136] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %slots = llvm.addrspacecast %slot : !llvm.ptr<3> to !llvm.ptr<7>
  %emptyOf0 = nvvm.mapa %empty, %c0 : !llvm.ptr<3> -> !llvm.ptr<7>
  %first = llvm.icmp "eq" %tid, %c0 : i32
  %isCta0 = llvm.icmp "eq" %rank, %c0 : i32
  %loads = llvm.and %first, %isCta0 : i1
  llvm.cond_br %first, ^init, ^made
^init:
  nvvm.mbarrier.init %full, %c1 : !llvm.ptr<3>, i32 loc("ring.tile":1:1)
  nvvm.mbarrier.init %empty, %c2 : !llvm.ptr<3>, i32 loc("ring.tile":2:1)
  nvvm.fence.mbarrier.init
  llvm.br ^made
^made:
  nvvm.cluster.arrive.relaxed {aligned}
  nvvm.cluster.wait {aligned}
  llvm.br ^loop(%c0 : i32)
^loop(%tile: i32):
  %parity = llvm.and %tile, %c1 : i32
  %before = llvm.xor %parity, %c1 : i32
  llvm.cond_br %first, ^expect, ^take
^expect:
  nvvm.mbarrier.arrive.expect_tx %full, %c128 : !llvm.ptr<3>, i32
  llvm.cond_br %loads, ^load, ^take
^load:
  nvvm.mbarrier.try_wait.parity %empty, %before, %c128 : !llvm.ptr<3>, i32, i32
    loc("ring.tile":4:1)
  nvvm.cp.async.bulk.tensor.shared.cluster.global %slots, %map, %full, box[%c0, %tile]
    multicast_mask = %mask : !llvm.ptr<7>, !llvm.ptr loc("ring.tile":5:1)
  llvm.br ^take
^take:
  nvvm.mbarrier.try_wait.parity %full, %parity, %c128 : !llvm.ptr<3>, i32, i32
    loc("ring.tile":6:1)
  %mirrored = llvm.sub %c31, %tid : i32
  %own = llvm.getelementptr %slot[%mirrored] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %v = llvm.load %own : !llvm.ptr<3> -> i32 loc("ring.tile":7:1)
  %row = llvm.mul %rank, %c4 : i32
  %line = llvm.add %row, %tile : i32
  %start = llvm.mul %line, %c32 : i32
  %place = llvm.add %start, %tid : i32
  %out = llvm.getelementptr %y[%place] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %v, %out : i32, !llvm.ptr<1>
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  %all = llvm.mlir.constant(-1 : i32) : i32
  nvvm.bar.warp.sync %all : i32
  llvm.cond_br %first, ^release, ^step
^release:
  nvvm.mbarrier.arrive %emptyOf0 {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
    loc("ring.tile":8:1)
  llvm.br ^step
^step:
  %next = llvm.add %tile, %c1 : i32
  %more = llvm.icmp "slt" %next, %c4 : i32
  llvm.cond_br %more, ^loop(%next : i32), ^end
^end:
  END
  llvm.return
}
)mlir";

constexpr const char *endBarrier = "nvvm.cluster.arrive {aligned}\n  nvvm.cluster.wait {aligned}";

class HostClusterTest : public HostKernelFixture {
protected:
  LaunchResult run(const std::string &mask, const std::string &end) {
    struct alignas(64) Memory {
      uint32_t x[128];
      TensorMap map;
    };
    auto memory = std::make_unique<Memory>();
    for (uint32_t i = 0; i < 128; ++i)
      memory->x[i] = 3 * i + 1;
    TensorMapFields fields;
    fields.type = TensorMapType::U32;
    fields.rank = 2;
    fields.address = reinterpret_cast<uint64_t>(memory->x);
    fields.dims = {32, 4};
    fields.strides = {128};
    fields.box = {32, 1};
    EXPECT_EQ(encodeTensorMap(fields, memory->map), "");
    kernel = compile(replaced(replaced(kernelText, "MASK", mask), "END", end));
    if (!kernel)
      return {};
    y.assign(256, 0);
    LaunchConfig config;
    config.grid = config.cluster = {2, 1, 1};
    config.block = {32, 1, 1};
    config.sharedBytes = 144;
    config.buffers = {{memory->x, sizeof(memory->x), "x", true}, bufferOf(y, "y")};
    void *py = y.data();
    return launch(*kernel, {&memory->map, &py}, config);
  }

  std::unique_ptr<HostKernel> kernel;
  std::vector<uint32_t> y;
};

TEST_F(HostClusterTest, RunsARingOfTwoCtas) {
  LaunchResult result = run("3", endBarrier);
  ASSERT_TRUE(kernel);
  EXPECT_TRUE(result.clean()) << describe(result, *kernel);
  for (uint32_t i = 0; i < 256; ++i)
    EXPECT_EQ(y[i], 3 * (i / 32 % 4 * 32 + 31 - i % 32) + 1) << i;
}

TEST_F(HostClusterTest, FindsWhatTheRingLacks) {
  LaunchResult result = run("3", "");
  ASSERT_TRUE(kernel);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings.front().kind, FindingKind::CtaNotRunning) << describe(result, *kernel);
  EXPECT_EQ(kernel->sites()[static_cast<size_t>(result.findings.front().site)].line, 8);
  result = run("1", endBarrier);
  ASSERT_TRUE(kernel);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings.front().kind, FindingKind::Deadlock);
  EXPECT_NE(result.findings.front().message.find(
                "the barrier object at offset 128 of CTA 1 of the cluster"),
            std::string::npos)
      << describe(result, *kernel);
}

} // namespace

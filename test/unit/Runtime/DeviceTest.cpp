// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same handles over the real driver: PTX is loaded, launched, timed, and refused. Skipped with
// the reason where there is no driver or device.

#include "tilecrt/cuda/DeviceBuffer.h"
#include "tilecrt/cuda/LaunchArguments.h"
#include "tilecrt/cuda/Module.h"
#include "tilecrt/cuda/TimeKernel.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

using namespace tilecrt;
using namespace tilecrt::cuda;

namespace {

/// out[i] = a[i] + b[i] for i < n, by way of dynamic shared memory.
const char *const addPtx = R"(.version 7.0
.target sm_70
.address_size 64
.extern .shared .align 16 .b8 scratch[];
.visible .entry add(.param .u64 pa, .param .u64 pb, .param .u64 po, .param .u32 pn)
{
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %d<10>;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2;
  ld.param.u32 %r4, [pn];
  setp.ge.u32 %p, %r3, %r4;
  @%p ret;
  ld.param.u64 %d0, [pa];
  ld.param.u64 %d1, [pb];
  ld.param.u64 %d2, [po];
  cvta.to.global.u64 %d0, %d0;
  cvta.to.global.u64 %d1, %d1;
  cvta.to.global.u64 %d2, %d2;
  mul.wide.u32 %d3, %r3, 4;
  add.u64 %d4, %d0, %d3;
  add.u64 %d5, %d1, %d3;
  add.u64 %d6, %d2, %d3;
  ld.global.f32 %f0, [%d4];
  ld.global.f32 %f1, [%d5];
  add.f32 %f2, %f0, %f1;
  mov.u32 %r5, scratch;
  mad.lo.u32 %r5, %r2, 4, %r5;
  st.shared.f32 [%r5], %f2;
  ld.shared.f32 %f3, [%r5];
  st.global.f32 [%d6], %f3;
  ret;
}
)";

class DeviceTest : public ::testing::Test {
protected:
  void SetUp() override {
    Result<Driver> driver = Driver::open();
    if (!driver.ok())
      GTEST_SKIP() << driver.message();
    Result<Device> device = Device::open(*driver);
    if (!device.ok())
      GTEST_SKIP() << device.message();
    Result<Context> created = Context::create(*device);
    ASSERT_TRUE(created.ok()) << created.message();
    context.emplace(std::move(*created));
  }

  DeviceBuffer buffer(uint64_t bytes) {
    Result<DeviceBuffer> made = DeviceBuffer::create(*context, bytes);
    EXPECT_TRUE(made.ok()) << made.message();
    return std::move(*made);
  }

  std::optional<Context> context;
};

TEST_F(DeviceTest, properties_are_plausible) {
  const DeviceProperties &facts = context->device().properties();
  EXPECT_FALSE(facts.name.empty());
  EXPECT_GE(facts.computeMajor, 7);
  EXPECT_GT(facts.smCount, 0);
  EXPECT_EQ(facts.warpSize, 32);
  EXPECT_EQ(facts.maxGrid[0], 2147483647);
  EXPECT_EQ(facts.maxGrid[1], 65535);
  EXPECT_GE(facts.sharedPerBlockOptIn, facts.sharedPerBlock);
  EXPECT_GT(facts.totalMemoryBytes, uint64_t(1) << 30);
}

TEST_F(DeviceTest, kernel_runs_with_small_and_large_shared_memory) {
  constexpr uint32_t n = 100000;
  std::vector<float> a(n), b(n), sum(n, -1.0f);
  for (uint32_t i = 0; i < n; ++i) {
    a[i] = float(i % 1000) * 0.5f;
    b[i] = float(i % 77);
  }
  Result<Stream> stream = Stream::create(*context);
  Result<Module> module = Module::load(*context, addPtx);
  ASSERT_TRUE(stream.ok()) << stream.message();
  ASSERT_TRUE(module.ok()) << module.message();
  Result<Kernel> kernel = module->kernel("add");
  ASSERT_TRUE(kernel.ok()) << kernel.message();
  EXPECT_GT(kernel->attributes().registers, 0);
  EXPECT_EQ(kernel->attributes().maxThreadsPerBlock, 1024);

  DeviceBuffer da = buffer(4 * n), db = buffer(4 * n), out = buffer(4 * n);
  ASSERT_TRUE(da.copyFrom(a.data(), 4 * n).ok());
  ASSERT_TRUE(db.copyFromAsync(b.data(), 4 * n, *stream).ok());
  LaunchArguments arguments;
  arguments.addPointer(da.address());
  arguments.addPointer(db.address());
  arguments.addPointer(out.address());
  arguments.add(n);
  for (uint64_t shared : {uint64_t(1024), uint64_t(64 * 1024)}) {
    ASSERT_TRUE(out.fillAsync(0xff, *stream).ok());
    LaunchShape shape;
    shape.grid.x = (n + 255) / 256;
    shape.block.x = 256;
    shape.dynamicSharedBytes = shared;
    Status launched = kernel->launch(shape, *stream, arguments.pointers());
    ASSERT_TRUE(launched.ok()) << launched.message();
    ASSERT_TRUE(stream->synchronize().ok());
    ASSERT_TRUE(out.copyTo(sum.data(), 4 * n).ok());
    for (uint32_t i = 0; i < n; ++i)
      ASSERT_EQ(sum[i], a[i] + b[i]) << i;

    Result<Timing> timing = timeKernel(*context, *stream, [&](const Stream &on) {
      return kernel->launch(shape, on, arguments.pointers());
    });
    ASSERT_TRUE(timing.ok()) << timing.message();
    EXPECT_GT(timing->min, 0.0);
    EXPECT_GE(timing->median, timing->min);
    EXPECT_LT(timing->median, 1000.0);
  }
  Result<int> blocks = kernel->maxActiveBlocksPerSm(256, 1024);
  ASSERT_TRUE(blocks.ok());
  EXPECT_GE(*blocks, 1);
}

// The launch is refused here; the context must still work afterwards.
TEST_F(DeviceTest, bad_launch_does_not_poison_the_context) {
  Result<Module> module = Module::load(*context, addPtx);
  ASSERT_TRUE(module.ok()) << module.message();
  Result<Kernel> kernel = module->kernel("add");
  ASSERT_TRUE(kernel.ok());
  LaunchShape shape;
  shape.block.x = 4096;
  Status refused = kernel->launch(shape, Stream::borrow(*context, nullptr), nullptr);
  EXPECT_EQ(refused.code(), StatusCode::invalidArgument);
  EXPECT_TRUE(context->synchronize().ok());
}

TEST_F(DeviceTest, bad_ptx_comes_back_with_the_compilers_words) {
  Result<Module> module = Module::load(*context, std::string(addPtx) + "\nthis is no ptx\n");
  ASSERT_FALSE(module.ok());
  EXPECT_NE(module.message().find("ptx"), std::string::npos) << module.message();
  EXPECT_NE(module.message().find("\n"), std::string::npos) << module.message();
  EXPECT_FALSE(Module::load(*context, "garbage").ok());
}

TEST_F(DeviceTest, missing_kernel_and_huge_buffer_are_values) {
  Result<Module> module = Module::load(*context, addPtx);
  ASSERT_TRUE(module.ok());
  EXPECT_EQ(module->kernel("subtract").code(), StatusCode::invalidArgument);
  EXPECT_EQ(DeviceBuffer::create(*context, uint64_t(1) << 50).code(), StatusCode::outOfResources);
}

TEST_F(DeviceTest, events_order_streams) {
  Result<Stream> first = Stream::create(*context);
  Result<Stream> second = Stream::create(*context);
  Result<Event> start = Event::create(*context);
  Result<Event> stop = Event::create(*context);
  ASSERT_TRUE(first.ok() && second.ok() && start.ok() && stop.ok());
  DeviceBuffer memory = buffer(1 << 24);
  ASSERT_TRUE(start->record(*first).ok());
  ASSERT_TRUE(memory.fillAsync(3, *first).ok());
  ASSERT_TRUE(stop->record(*first).ok());
  ASSERT_TRUE(second->wait(*stop).ok());
  unsigned char byte = 0;
  ASSERT_TRUE(memory.copyToAsync(&byte, 1, *second, (1 << 24) - 1).ok());
  ASSERT_TRUE(second->synchronize().ok());
  EXPECT_EQ(byte, 3);
  Result<float> elapsed = start->elapsedMsTo(*stop);
  ASSERT_TRUE(elapsed.ok()) << elapsed.message();
  EXPECT_GT(*elapsed, 0.0f);
}

} // namespace

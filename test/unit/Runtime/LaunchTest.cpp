// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches over the fake driver: limits checked before any call, shared memory opt-in, clusters,
// and arguments against metadata.

#include "FakeDriver.h"

#include "tilecrt/cuda/LaunchArguments.h"

#include <optional>

using namespace tilecrt;
using namespace tilecrt::cuda;

namespace {

class LaunchTest : public fake::FakeDriverTest {
protected:
  void SetUp() override {
    FakeDriverTest::SetUp();
    owner.emplace(context());
  }

  void TearDown() override {
    owner.reset();
    FakeDriverTest::TearDown();
  }

  Kernel kernel() {
    Result<Module> module = Module::load(*owner, "x");
    EXPECT_TRUE(module.ok());
    Result<Kernel> entry = module->kernel("add");
    EXPECT_TRUE(entry.ok());
    clearCalls();
    return std::move(*entry);
  }

  static LaunchShape shape(Dim3 grid, Dim3 block, uint64_t shared = 0) {
    LaunchShape result;
    result.grid = grid;
    result.block = block;
    result.dynamicSharedBytes = shared;
    return result;
  }

  /// Launches and expects a refusal that ends in `text`, without any driver call.
  void expectRefused(const LaunchShape &bad, const std::string &text) {
    Kernel add = kernel();
    Status status = add.launch(bad, Stream::borrow(*owner, nullptr), nullptr);
    EXPECT_EQ(status.code(), StatusCode::invalidArgument);
    EXPECT_EQ(status.message(), "cannot launch kernel 'add': " + text);
    EXPECT_EQ(calls(), "");
  }

  std::optional<Context> owner;
};

TEST_F(LaunchTest, launch_passes_shape_stream_and_arguments) {
  Kernel add = kernel();
  LaunchArguments arguments;
  arguments.add(int32_t(11));
  arguments.add(int32_t(22));
  Stream stream = Stream::borrow(*owner, reinterpret_cast<CUstream>(uintptr_t(0x77)));
  ASSERT_TRUE(add.launch(shape({10, 2, 3}, {128, 1, 1}, 1024), stream, arguments.pointers()).ok());
  EXPECT_EQ(calls(), "cuLaunchKernelEx");
  const CUlaunchConfig &config = fake::state().launch;
  EXPECT_EQ(config.gridDimX, 10u);
  EXPECT_EQ(config.gridDimY, 2u);
  EXPECT_EQ(config.gridDimZ, 3u);
  EXPECT_EQ(config.blockDimX, 128u);
  EXPECT_EQ(config.sharedMemBytes, 1024u);
  EXPECT_EQ(config.hStream, stream.handle());
  EXPECT_EQ(config.numAttrs, 0u);
  EXPECT_EQ(fake::state().launchedInts, (std::vector<int>{11, 22}));
}

TEST_F(LaunchTest, grid_of_zero) {
  expectRefused(shape({0, 1, 1}, {32, 1, 1}),
                "the grid is 0 x 1 x 1, every dimension must be at least 1");
  expectRefused(shape({1, 1, 0}, {32, 1, 1}),
                "the grid is 1 x 1 x 0, every dimension must be at least 1");
}

TEST_F(LaunchTest, grid_beyond_the_device) {
  expectRefused(shape({uint64_t(1) << 31, 1, 1}, {32, 1, 1}),
                "the grid is 2147483648 x 1 x 1, its x dimension is limited to 2147483647");
  expectRefused(shape({1, 65536, 1}, {32, 1, 1}),
                "the grid is 1 x 65536 x 1, its y dimension is limited to 65535");
  // Would be 1 if it were cut to 32 bits.
  expectRefused(shape({(uint64_t(1) << 32) + 1, 1, 1}, {32, 1, 1}),
                "the grid is 4294967297 x 1 x 1, its x dimension is limited to 2147483647");
}

TEST_F(LaunchTest, block_of_zero_or_too_large) {
  expectRefused(shape({1, 1, 1}, {0, 1, 1}),
                "the block is 0 x 1 x 1, every dimension must be at least 1");
  expectRefused(shape({1, 1, 1}, {1025, 1, 1}),
                "the block is 1025 x 1 x 1, its x dimension is limited to 1024");
  expectRefused(shape({1, 1, 1}, {512, 4, 1}),
                "the block is 512 x 4 x 1, 2048 threads; the device's limit is 1024");
}

TEST_F(LaunchTest, block_beyond_the_kernels_registers) {
  fake::state().functionAttributes[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = 256;
  fake::state().functionAttributes[CU_FUNC_ATTRIBUTE_NUM_REGS] = 255;
  expectRefused(shape({1, 1, 1}, {512, 1, 1}),
                "the block is 512 x 1 x 1, 512 threads; with 255 registers per thread the "
                "kernel's limit is 256");
}

TEST_F(LaunchTest, shared_memory_beyond_opt_in) {
  fake::state().functionAttributes[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = 1024;
  expectRefused(shape({1, 1, 1}, {32, 1, 1}, 232448),
                "232448 bytes of dynamic and 1024 bytes of static shared memory per block; the "
                "device's limit is 232448 together");
}

TEST_F(LaunchTest, shared_memory_over_48k_is_raised_once) {
  Kernel add = kernel();
  Stream stream = Stream::borrow(*owner, nullptr);
  ASSERT_TRUE(add.launch(shape({1, 1, 1}, {32, 1, 1}, 49152), stream, nullptr).ok());
  EXPECT_EQ(calls(), "cuLaunchKernelEx");
  clearCalls();
  ASSERT_TRUE(add.launch(shape({1, 1, 1}, {32, 1, 1}, 100000), stream, nullptr).ok());
  ASSERT_TRUE(add.launch(shape({1, 1, 1}, {32, 1, 1}, 90000), stream, nullptr).ok());
  EXPECT_EQ(calls(), "cuFuncSetAttribute cuLaunchKernelEx cuLaunchKernelEx");
  ASSERT_EQ(fake::state().functionSettings.size(), 1u);
  EXPECT_EQ(fake::state().functionSettings[0],
            std::make_pair(int(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), 100000));
}

// Static memory counts towards the 48 KiB that need no opt-in.
TEST_F(LaunchTest, static_shared_memory_counts) {
  fake::state().functionAttributes[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = 16;
  Kernel add = kernel();
  ASSERT_TRUE(
      add.launch(shape({1, 1, 1}, {32, 1, 1}, 49152), Stream::borrow(*owner, nullptr), nullptr)
          .ok());
  EXPECT_EQ(calls(), "cuFuncSetAttribute cuLaunchKernelEx");
}

TEST_F(LaunchTest, clusters_become_an_attribute) {
  Kernel add = kernel();
  LaunchShape clustered = shape({8, 2, 1}, {128, 1, 1});
  clustered.cluster = {2, 1, 1};
  Stream stream = Stream::borrow(*owner, nullptr);
  ASSERT_TRUE(add.launch(clustered, stream, nullptr).ok());
  EXPECT_EQ(calls(), "cuLaunchKernelEx");
  ASSERT_EQ(fake::state().launchAttributes.size(), 1u);
  EXPECT_EQ(fake::state().launchAttributes[0].id, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  EXPECT_EQ(fake::state().launchAttributes[0].value.clusterDim.x, 2u);
  clearCalls();
  clustered.grid.x = 16;
  clustered.cluster = {16, 1, 1};
  ASSERT_TRUE(add.launch(clustered, stream, nullptr).ok());
  EXPECT_EQ(calls(), "cuFuncSetAttribute cuLaunchKernelEx");
}

TEST_F(LaunchTest, bad_clusters_are_refused) {
  LaunchShape clustered = shape({7, 1, 1}, {128, 1, 1});
  clustered.cluster = {2, 1, 1};
  expectRefused(clustered, "the grid is 7 x 1 x 1, not a multiple of the cluster 2 x 1 x 1");
  clustered.cluster = {0, 1, 1};
  expectRefused(clustered, "the cluster is 0 x 1 x 1, every dimension must be at least 1");
  clustered.cluster = {8, 4, 1};
  expectRefused(clustered, "the cluster is 8 x 4 x 1, 32 blocks; the limit is 16");
}

TEST_F(LaunchTest, each_program_has_its_blocks) {
  Kernel add = kernel();
  LaunchShape split = shape({7, 3, 1}, {128, 1, 1});
  split.cluster = {4, 1, 1};
  split.splitK = 4;
  ASSERT_TRUE(add.launch(split, Stream::borrow(*owner, nullptr), nullptr).ok());
  EXPECT_EQ(fake::state().launch.gridDimX, 28u);
  EXPECT_EQ(fake::state().launch.gridDimY, 3u);
  ASSERT_EQ(fake::state().launchAttributes.size(), 1u);
  EXPECT_EQ(fake::state().launchAttributes[0].value.clusterDim.x, 4u);
  split.grid = {uint64_t(1) << 29, 1, 1};
  expectRefused(split, "the grid is 536870912 x 1 x 1 programs of 4 blocks each, 2147483648 blocks "
                       "in x; the limit is 2147483647");
  split.grid.x -= 1;
  EXPECT_TRUE(add.checkLaunch(split).ok());
  // One cluster is asked about, not one for each of its blocks.
  fake::state().activeClusters = 10;
  Result<uint64_t> resident = add.residentBlocks(split);
  ASSERT_TRUE(resident.ok()) << resident.message();
  EXPECT_EQ(*resident, 40u);
  EXPECT_EQ(fake::state().launch.gridDimX, 4u);
}

TEST_F(LaunchTest, persistent_kernels_run_grids_that_are_no_whole_clusters) {
  Kernel add = kernel();
  Stream stream = Stream::borrow(*owner, nullptr);
  LaunchShape persistent = shape({7, 1, 1}, {128, 1, 1});
  persistent.cluster = {2, 1, 1};
  persistent.residentBlocks = 264;
  ASSERT_TRUE(add.launch(persistent, stream, nullptr).ok());
  EXPECT_EQ(fake::state().launch.gridDimX, 8u);
  persistent.grid = {1001, 1, 1};
  ASSERT_TRUE(add.launch(persistent, stream, nullptr).ok());
  EXPECT_EQ(fake::state().launch.gridDimX, 264u);
}

TEST_F(LaunchTest, resident_blocks_are_whole_clusters) {
  Kernel add = kernel();
  LaunchShape wanted = shape({1, 1, 1}, {256, 1, 1});
  wanted.dynamicSharedBytes = 100000;
  Result<uint64_t> single = add.residentBlocks(wanted);
  ASSERT_TRUE(single.ok());
  EXPECT_EQ(*single, 8u * 132);
  EXPECT_EQ(calls(), "cuFuncSetAttribute cuOccupancyMaxActiveBlocksPerMultiprocessor");
  clearCalls();
  wanted.cluster = {2, 2, 1};
  fake::state().activeClusters = 31;
  Result<uint64_t> clustered = add.residentBlocks(wanted);
  ASSERT_TRUE(clustered.ok()) << clustered.message();
  EXPECT_EQ(*clustered, 4u * 31);
  EXPECT_EQ(calls(), "cuOccupancyMaxActiveClusters");
  EXPECT_EQ(fake::state().launch.gridDimX, 4u);
  EXPECT_EQ(fake::state().launch.blockDimX, 256u);
  EXPECT_EQ(fake::state().launch.sharedMemBytes, 100000u);
  ASSERT_EQ(fake::state().launchAttributes.size(), 1u);
  EXPECT_EQ(fake::state().launchAttributes[0].value.clusterDim.x, 4u);
  // One at least runs.
  fake::state().activeClusters = 0;
  EXPECT_EQ(*add.residentBlocks(wanted), 4u);
  fake::state().failures["cuOccupancyMaxActiveClusters"] = CUDA_ERROR_INVALID_VALUE;
  EXPECT_FALSE(add.residentBlocks(wanted).ok());
}

TEST_F(LaunchTest, failed_launch_names_the_kernel) {
  Kernel add = kernel();
  fake::state().failures["cuLaunchKernelEx"] = CUDA_ERROR_LAUNCH_FAILED;
  Status status =
      add.launch(shape({1, 1, 1}, {32, 1, 1}), Stream::borrow(*owner, nullptr), nullptr);
  EXPECT_EQ(status.code(), StatusCode::deviceError);
  EXPECT_EQ(status.message().rfind("launching kernel 'add': cuLaunchKernelEx failed with "
                                   "CUDA_ERROR_LAUNCH_FAILED (719)",
                                   0),
            0u)
      << status.message();
}

TEST_F(LaunchTest, stream_of_another_context_is_refused) {
  fake::state().deviceCount = 2;
  Result<Device> second = Device::open(driver(), 1);
  ASSERT_TRUE(second.ok());
  Result<Context> other = Context::create(*second);
  ASSERT_TRUE(other.ok());
  Kernel add = kernel();
  Status status =
      add.launch(shape({1, 1, 1}, {32, 1, 1}), Stream::borrow(*other, nullptr), nullptr);
  EXPECT_EQ(status.message(), "cannot launch kernel 'add': the stream belongs to another context");
}

TEST_F(LaunchTest, occupancy_is_reported) {
  Kernel add = kernel();
  Result<int> blocks = add.maxActiveBlocksPerSm(256, 100000);
  ASSERT_TRUE(blocks.ok());
  EXPECT_EQ(*blocks, 8);
  EXPECT_EQ(calls(), "cuFuncSetAttribute cuOccupancyMaxActiveBlocksPerMultiprocessor");
}

TEST(LaunchArguments, check_names_the_argument) {
  KernelMetadata metadata;
  metadata.name = "add";
  metadata.arguments = {{"x", "*fp32", ArgumentKind::pointer, 8, 16, true},
                        {"n", "i32", ArgumentKind::integer, 4, 16, false},
                        {"eps", "fp32", ArgumentKind::floating, 4, 1, false}};
  auto make = [](uint64_t pointer, int32_t n) {
    LaunchArguments arguments;
    arguments.addPointer(pointer);
    arguments.add(n);
    arguments.add(0.5f);
    return arguments;
  };
  EXPECT_TRUE(make(0x1000, 64).check(metadata).ok());
  EXPECT_TRUE(make(0x1000, -64).check(metadata).ok());
  EXPECT_EQ(make(0x1004, 64).check(metadata).message(),
            "kernel 'add': argument 'x' ('*fp32') was compiled for multiples of 16, got 4100");
  EXPECT_EQ(make(0x1000, 65).check(metadata).message(),
            "kernel 'add': argument 'n' ('i32') was compiled for multiples of 16, got 65");
  LaunchArguments few;
  few.addPointer(0);
  EXPECT_EQ(few.check(metadata).message(), "kernel 'add': expected 3 arguments, got 1");
  LaunchArguments wide;
  wide.addPointer(0);
  wide.add(int64_t(64));
  wide.add(0.5f);
  EXPECT_EQ(wide.check(metadata).message(),
            "kernel 'add': argument 'n' ('i32') takes 4 bytes, got 8");
}

} // namespace

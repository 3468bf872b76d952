// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prepared launches over the fake driver: one driver call a launch, attributes, updates in place,
// and tensor maps that are encoded only when what feeds them changed.

#include "FakeDriver.h"

#include "tilecrt/cuda/PreparedLaunch.h"

#include <cstring>
#include <optional>
#include <set>

using namespace tilecrt;
using namespace tilecrt::cuda;

namespace {

class PreparedLaunchTest : public fake::FakeDriverTest {
protected:
  void SetUp() override {
    FakeDriverTest::SetUp();
    owner.emplace(context());
    metadata.name = "add";
    metadata.target = "sm_90a";
    metadata.arguments = {{"x", "*fp16", ArgumentKind::pointer, 8, 16, false},
                          {"m", "i32", ArgumentKind::integer, 4, 1, false},
                          {"n", "i32", ArgumentKind::integer, 4, 16, false},
                          {"eps", "fp32", ArgumentKind::floating, 4, 1, false}};
    shape.grid = {4, 2, 1};
    shape.block = {128, 1, 1};
  }
  void TearDown() override {
    owner.reset();
    FakeDriverTest::TearDown();
  }

  Result<PreparedLaunch> prepare() {
    Result<Module> module = Module::load(*owner, "x");
    EXPECT_TRUE(module.ok());
    Result<Kernel> entry = module->kernel("add");
    EXPECT_TRUE(entry.ok());
    clearCalls();
    const void *arguments[] = {&x, &m, &n, &eps};
    return PreparedLaunch::create(std::make_shared<Kernel>(std::move(*entry)),
                                  std::make_shared<const KernelMetadata>(metadata), shape,
                                  arguments);
  }
  void addTensorMap() {
    TensorMapArgument map;
    map.elementType = "fp16";
    map.shape = {"%1", "%2"};
    map.strides = {"%2"};
    map.box = {64, 64};
    metadata.tensorMaps = {map};
  }

  std::optional<Context> owner;
  KernelMetadata metadata;
  LaunchShape shape;
  uint64_t x = 0x1000;
  int32_t m = 8, n = 64;
  float eps = 0.5f;
};

TEST_F(PreparedLaunchTest, oneDriverCallEach) {
  Result<PreparedLaunch> prepared = prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.message();
  PreparedLaunch moved = std::move(*prepared);
  EXPECT_EQ(calls(), "");
  CUstream stream = reinterpret_cast<CUstream>(uintptr_t(0x77));
  ASSERT_TRUE(moved.launch(stream).ok());
  ASSERT_TRUE(moved.launch(stream).ok());
  EXPECT_EQ(calls(), "cuLaunchKernelEx cuLaunchKernelEx");
  EXPECT_EQ(fake::state().launch.gridDimX, 4u);
  EXPECT_EQ(fake::state().launch.gridDimY, 2u);
  EXPECT_EQ(fake::state().launch.blockDimX, 128u);
  EXPECT_EQ(fake::state().launch.hStream, stream);
  EXPECT_EQ(fake::state().launch.numAttrs, 0u);
  EXPECT_EQ(fake::state().launchedInts, (std::vector<int>{0x1000, 8}));
}

TEST_F(PreparedLaunchTest, argumentsAndGridChangeInPlace) {
  Result<PreparedLaunch> prepared = prepare();
  ASSERT_TRUE(prepared.ok());
  m = 9;
  ASSERT_TRUE(prepared->setArgument(1, &m, sizeof m).ok());
  ASSERT_TRUE(prepared->setGrid({7, 1, 1}).ok());
  ASSERT_TRUE(prepared->launch(nullptr).ok());
  EXPECT_EQ(fake::state().launchedInts, (std::vector<int>{0x1000, 9}));
  EXPECT_EQ(fake::state().launch.gridDimX, 7u);
}

TEST_F(PreparedLaunchTest, persistentKernelsHaveAsManyBlocksAsFit) {
  shape.residentBlocks = 6;
  metadata.isPersistent = true;
  metadata.arguments.clear();
  Result<PreparedLaunch> prepared = prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.message();
  PreparedLaunch moved = std::move(*prepared);
  ASSERT_TRUE(moved.launch(nullptr).ok());
  EXPECT_EQ(fake::state().launch.gridDimX, 6u);
  EXPECT_EQ(fake::state().launch.gridDimY, 1u);
  // The kernel is told of all programs.
  EXPECT_EQ(fake::state().launchedInts, (std::vector<int>{4, 2}));
  EXPECT_EQ(moved.launchShape().grid.y, 2u);
  ASSERT_TRUE(moved.setGrid({5, 1, 1}).ok());
  ASSERT_TRUE(moved.launch(nullptr).ok());
  EXPECT_EQ(fake::state().launch.gridDimX, 5u);
  EXPECT_EQ(fake::state().launchedInts, (std::vector<int>{5, 1}));
  EXPECT_FALSE(moved.setGrid({uint64_t(1) << 30, 2, 1}).ok());
  EXPECT_FALSE(moved.setGrid({0, 1, 1}).ok());
}

TEST_F(PreparedLaunchTest, countersOfProgramsAreThoseOfStreams) {
  shape.residentBlocks = 6;
  metadata.arguments.clear();
  metadata.isPersistent = metadata.hasProgramCounter = true;
  Result<PreparedLaunch> prepared = prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.message();
  PreparedLaunch moved = std::move(*prepared);
  auto launchOn = [&](uintptr_t number) {
    CUstream stream = reinterpret_cast<CUstream>(number);
    EXPECT_TRUE(moved.launch(stream).ok());
    // Behind the numbers of programs.
    CUdeviceptr counter = 0;
    std::memcpy(&counter, moved.arguments()[3], sizeof counter);
    return counter;
  };
  CUdeviceptr first = launchOn(0x77), second = launchOn(0x78);
  EXPECT_NE(calls().find("cuMemAlloc"), std::string::npos);
  EXPECT_NE(first, second);
  clearCalls();
  EXPECT_EQ(launchOn(0x77), first);
  EXPECT_EQ(launchOn(0x78), second);
  EXPECT_EQ(calls(), "cuLaunchKernelEx cuLaunchKernelEx");

  // Graphs may run beside each other and beside launches.
  CUstream captured = reinterpret_cast<CUstream>(uintptr_t(0x77));
  fake::state().captures[captured] = 0;
  CUdeviceptr third = launchOn(0x77), fourth = launchOn(0x77);
  fake::state().captures.erase(captured);
  EXPECT_EQ(std::set<CUdeviceptr>({first, second, third, fourth}).size(), 4u);
  EXPECT_EQ(launchOn(0x77), first);

  // A page has room for 2048.
  fake::state().captures[captured] = 0;
  clearCalls();
  std::set<CUdeviceptr> all;
  for (int i = 0; i < 3000; ++i)
    all.insert(launchOn(0x77));
  fake::state().captures.erase(captured);
  EXPECT_EQ(all.size(), 3000u);
  EXPECT_EQ(all.count(first) + all.count(second) + all.count(third) + all.count(fourth), 0u);
}

TEST_F(PreparedLaunchTest, countersOfProgramsThatCannotBeMade) {
  shape.residentBlocks = 6;
  metadata.isPersistent = metadata.hasProgramCounter = true;
  Result<PreparedLaunch> prepared = prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.message();
  for (const char *call : {"cuMemAlloc", "cuMemsetD8Async", "cuStreamIsCapturing", "cuStreamGetId",
                           "cuThreadExchangeStreamCaptureMode"}) {
    fake::state().failures[call] = CUDA_ERROR_OUT_OF_MEMORY;
    Status launched = prepared->launch(nullptr);
    EXPECT_FALSE(launched.ok()) << call;
    EXPECT_NE(launched.message().find(call), std::string::npos) << launched.message();
    fake::state().failures.clear();
  }
  EXPECT_TRUE(prepared->launch(nullptr).ok());
}

TEST_F(PreparedLaunchTest, persistentKernelsHaveWholeClusters) {
  shape.residentBlocks = 5;
  shape.cluster = {2, 2, 1};
  Result<PreparedLaunch> prepared = prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.message();
  ASSERT_TRUE(prepared->launch(nullptr).ok());
  EXPECT_EQ(fake::state().launch.gridDimX, 8u);
  ASSERT_EQ(fake::state().launchAttributes.size(), 1u);
  EXPECT_EQ(fake::state().launchAttributes[0].value.clusterDim.x, 4u);
  EXPECT_EQ(fake::state().launchAttributes[0].value.clusterDim.y, 1u);
}

TEST_F(PreparedLaunchTest, gridsCountProgramsOfSeveralBlocks) {
  metadata.splitK = metadata.clusterX = shape.splitK = 2;
  shape.cluster = {2, 1, 1};
  Result<PreparedLaunch> prepared = prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.message();
  ASSERT_TRUE(prepared->launch(nullptr).ok());
  EXPECT_EQ(fake::state().launch.gridDimX, 8u);
  EXPECT_EQ(fake::state().launch.gridDimY, 2u);
  ASSERT_TRUE(prepared->setGrid({5, 1, 1}).ok());
  ASSERT_TRUE(prepared->launch(nullptr).ok());
  EXPECT_EQ(fake::state().launch.gridDimX, 10u);
  EXPECT_EQ(prepared->launchShape().grid.x, 5u);
  EXPECT_FALSE(prepared->setGrid({uint64_t(1) << 30, 1, 1}).ok());
}

TEST_F(PreparedLaunchTest, codeWithClustersHasNoOthers) {
  metadata.clusterX = 2;
  shape.cluster = {4, 1, 1};
  EXPECT_EQ(prepare().message(),
            "kernel 'add': the cluster is 4 x 1 x 1, the code is for clusters of 2 x 1 x 1");
  shape.cluster = {};
  EXPECT_FALSE(prepare().ok());
}

TEST_F(PreparedLaunchTest, wrongUpdatesAreRefused) {
  Result<PreparedLaunch> prepared = prepare();
  ASSERT_TRUE(prepared.ok());
  int64_t wide = 64;
  EXPECT_EQ(prepared->setArgument(4, &n, 4).message(),
            "kernel 'add' has no argument 4: there are 4");
  EXPECT_EQ(prepared->setArgument(2, &wide, sizeof wide).message(),
            "kernel 'add': argument 'n' ('i32') takes 4 bytes, got 8");
  EXPECT_EQ(prepared->setArgument(2, nullptr, 4).message(),
            "kernel 'add': argument 'n' ('i32') has no value");
  n = 65;
  EXPECT_EQ(prepared->setArgument(2, &n, 4).message(),
            "kernel 'add': argument 'n' ('i32') was compiled for multiples of 16, got 65");
  EXPECT_FALSE(prepared->setGrid({0, 1, 1}).ok());
  ASSERT_TRUE(prepared->launch(nullptr).ok());
  EXPECT_EQ(fake::state().launch.gridDimX, 4u);
  EXPECT_FALSE(prepare().ok());
}

TEST_F(PreparedLaunchTest, attributes) {
  shape.cluster = {2, 1, 1};
  shape.programmatic = shape.cooperative = true;
  Result<PreparedLaunch> prepared = prepare();
  ASSERT_TRUE(prepared.ok());
  ASSERT_TRUE(prepared->launch(nullptr).ok());
  const auto &attributes = fake::state().launchAttributes;
  ASSERT_EQ(attributes.size(), 3u);
  EXPECT_EQ(attributes[0].id, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  EXPECT_EQ(attributes[0].value.clusterDim.x, 2u);
  EXPECT_EQ(attributes[1].id, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
  EXPECT_EQ(attributes[1].value.programmaticStreamSerializationAllowed, 1);
  EXPECT_EQ(attributes[2].id, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
  EXPECT_EQ(attributes[2].value.cooperative, 1);
}

TEST_F(PreparedLaunchTest, sharedMemoryIsRaisedBeforehand) {
  shape.dynamicSharedBytes = 100000;
  Result<PreparedLaunch> prepared = prepare();
  ASSERT_TRUE(prepared.ok());
  EXPECT_EQ(calls(), "cuFuncSetAttribute");
}

TEST_F(PreparedLaunchTest, tensorMapsFollowWhatFeedsThem) {
  addTensorMap();
  Result<PreparedLaunch> prepared = prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.message();
  EXPECT_EQ(calls(), "cuTensorMapEncodeTiled");
  clearCalls();
  ASSERT_TRUE(prepared->launch(nullptr).ok());
  // The same values, and one that no map is made from.
  ASSERT_TRUE(prepared->setArgument(0, &x, sizeof x).ok());
  ASSERT_TRUE(prepared->setArgument(3, &eps, sizeof eps).ok());
  ASSERT_TRUE(prepared->launch(nullptr).ok());
  EXPECT_EQ(calls(), "cuLaunchKernelEx cuLaunchKernelEx");
  clearCalls();
  m = 16;
  x = 0x2000;
  ASSERT_TRUE(prepared->setArgument(0, &x, sizeof x).ok());
  ASSERT_TRUE(prepared->setArgument(1, &m, sizeof m).ok());
  ASSERT_TRUE(prepared->launch(nullptr).ok());
  ASSERT_TRUE(prepared->launch(nullptr).ok());
  EXPECT_EQ(calls(), "cuTensorMapEncodeTiled cuLaunchKernelEx cuLaunchKernelEx");
}

TEST_F(PreparedLaunchTest, badTensorIsRefused) {
  addTensorMap();
  m = 0;
  EXPECT_NE(prepare().message().find("the size 0 in dimension 0"), std::string::npos);
  m = 8;
  Result<PreparedLaunch> prepared = prepare();
  ASSERT_TRUE(prepared.ok());
  m = 0;
  ASSERT_TRUE(prepared->setArgument(1, &m, sizeof m).ok());
  clearCalls();
  EXPECT_EQ(prepared->launch(nullptr).code(), StatusCode::invalidArgument);
  EXPECT_EQ(calls(), "");
}

TEST_F(PreparedLaunchTest, failedLaunchNamesTheKernel) {
  Result<PreparedLaunch> prepared = prepare();
  ASSERT_TRUE(prepared.ok());
  fake::state().failures["cuLaunchKernelEx"] = CUDA_ERROR_LAUNCH_FAILED;
  EXPECT_EQ(prepared->launch(nullptr).message().rfind(
                "launching kernel 'add': cuLaunchKernelEx failed with CUDA_ERROR_LAUNCH_FAILED", 0),
            0u);
}

} // namespace

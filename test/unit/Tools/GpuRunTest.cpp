// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs over the fake driver: the order of the driver's calls, what is launched, and which failures
// come back.

#include "tools/tilec/GpuRun.h"

#include "test/unit/Runtime/FakeDriver.h"

#include "gmock/gmock.h"

using namespace tilec;
using namespace tilec::tool;
using namespace tilecrt::cuda;
using testing::HasSubstr;

namespace {

class GpuRunTest : public fake::FakeDriverTest {
protected:
  void SetUp() override {
    FakeDriverTest::SetUp();
    kernel.metadata.name = "add";
    kernel.metadata.target = "sm_90a";
    kernel.metadata.threadsPerCta = 128;
    kernel.metadata.arguments = {{"n", "i32", tilecrt::ArgumentKind::integer, 4, 1, false},
                                 {"x", "*fp32", tilecrt::ArgumentKind::pointer, 8, 16, false}};
    kernel.ptx = "x";
    plan.arrays.push_back({"x", *tilecrt::HostArray::create(tilecrt::DType::f32, {4}), {}});
    tilecrt::fillArange(plan.arrays[0].data);
    tilecrt::NumberData number;
    number.integer = 7;
    plan.arguments = {{"n", number}, {"x", size_t(0)}};
    plan.grid = {3, 2, 1};
    command.repeat = 2;
    fake::state().elapsed = {0.5f};
  }

  CompiledKernel kernel;
  RunPlan plan;
  RunCommand command;
};

TEST_F(GpuRunTest, launches_once_and_then_for_time) {
  std::shared_ptr<RunDevice> gpu = makeCudaDevice(context());
  clearCalls();
  tilecrt::Result<RunOutcome> outcome = runOnGpu(gpu, kernel, plan, command);
  ASSERT_TRUE(outcome.ok()) << outcome.message();
  EXPECT_EQ(fake::state().launch.gridDimX, 3u);
  EXPECT_EQ(fake::state().launch.gridDimY, 2u);
  EXPECT_EQ(fake::state().launch.blockDimX, 128u);
  EXPECT_EQ(fake::state().launchedInts[0], 7);
  // One launch for the results, two to warm up, two timed.
  EXPECT_EQ(std::count(fake::state().calls.begin(), fake::state().calls.end(),
                       std::string("cuLaunchKernelEx")),
            5);
  // The results come back before anything is timed.
  auto at = [](const char *call) {
    return std::find(fake::state().calls.begin(), fake::state().calls.end(), call);
  };
  EXPECT_LT(at("cuMemcpyDtoHAsync"), at("cuEventCreate"));
  EXPECT_EQ(outcome->time.median, 500.0);
  EXPECT_FALSE(outcome->simulated);
  EXPECT_THAT(outcome->device, HasSubstr("(cuda:0)"));
  EXPECT_EQ(plan.arrays[0].data.at(3), 3.0);
}

TEST_F(GpuRunTest, measures_without_copying_back) {
  std::shared_ptr<RunDevice> gpu = makeCudaDevice(context());
  clearCalls();
  TimingOptions options;
  options.warmup = 3;
  options.repeats = 4;
  fake::state().elapsed = {0.004f, 0.001f, 0.002f, 0.009f};
  tilecrt::Result<Timing> timing = timeOnGpu(gpu, kernel, plan, options);
  ASSERT_TRUE(timing.ok()) << timing.message();
  // One launch alone, whose failure would be the kernel's, then those that the options ask for.
  EXPECT_EQ(std::count(fake::state().calls.begin(), fake::state().calls.end(),
                       std::string("cuLaunchKernelEx")),
            8);
  EXPECT_EQ(calls().find("cuMemcpyDtoH"), std::string::npos);
  EXPECT_NEAR(timing->median, 3.0, 1e-4);
  EXPECT_NEAR(timing->p95, 9.0, 1e-4);
  fake::state().failuresAfter["cuLaunchKernelEx"] = {"cuStreamSynchronize",
                                                     CUDA_ERROR_ILLEGAL_ADDRESS};
  timing = timeOnGpu(gpu, kernel, plan, options);
  EXPECT_EQ(timing.code(), tilecrt::StatusCode::deviceError);
  EXPECT_THAT(timing.message(), HasSubstr("--device sim --check"));
}

TEST_F(GpuRunTest, device_errors_name_the_simulator) {
  std::shared_ptr<RunDevice> gpu = makeCudaDevice(context());
  fake::state().failuresAfter["cuLaunchKernelEx"] = {"cuStreamSynchronize",
                                                     CUDA_ERROR_ILLEGAL_ADDRESS};
  tilecrt::Result<RunOutcome> outcome = runOnGpu(gpu, kernel, plan, command);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.code(), tilecrt::StatusCode::deviceError);
  EXPECT_THAT(outcome.message(), HasSubstr("--device sim --check"));
}

TEST_F(GpuRunTest, wrong_target_is_refused_before_loading) {
  std::shared_ptr<RunDevice> gpu = makeCudaDevice(context());
  kernel.metadata.target = "sm_100a";
  clearCalls();
  EXPECT_FALSE(runOnGpu(gpu, kernel, plan, command).ok());
  EXPECT_EQ(calls().find("cuModuleLoad"), std::string::npos);
}

TEST_F(GpuRunTest, too_little_memory_names_the_array) {
  std::shared_ptr<RunDevice> gpu = makeCudaDevice(context());
  fake::state().failures["cuMemAlloc"] = CUDA_ERROR_OUT_OF_MEMORY;
  tilecrt::Result<RunOutcome> outcome = runOnGpu(gpu, kernel, plan, command);
  EXPECT_EQ(outcome.code(), tilecrt::StatusCode::outOfResources);
  EXPECT_THAT(outcome.message(), HasSubstr("array 'x'"));
}

TEST_F(GpuRunTest, targets) {
  auto target = [](int major, int minor) {
    DeviceProperties device;
    device.name = "GPU";
    device.computeMajor = major;
    device.computeMinor = minor;
    tilecrt::Result<std::string> result = targetOf(device);
    return result.ok() ? *result : result.message();
  };
  EXPECT_EQ(target(9, 0), "sm_90a");
  EXPECT_EQ(target(8, 0), "sm_80");
  EXPECT_EQ(target(8, 6), "sm_86");
  EXPECT_EQ(target(10, 0), "sm_100a");
  // One that tilec does not know yet: PTX of the newest older one is compiled by the driver.
  EXPECT_EQ(target(9, 1), "sm_90");
  EXPECT_THAT(target(6, 1), HasSubstr("needs sm_70 or newer"));
}

} // namespace

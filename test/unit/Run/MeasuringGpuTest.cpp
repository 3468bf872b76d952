// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU made of the fake driver and the fake CUPTI, as libraries: times, samples, and what is left
// when one of them fails.

#include "tilec/Run/MeasuringGpu.h"

#include "test/unit/Runtime/FakeDriverState.h"

#include "gmock/gmock.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace tilec;
using testing::HasSubstr;
using tilecrt::Result;

namespace {

template <typename Function> Function fakeFunction(const char *name) {
  return reinterpret_cast<Function>(
      dlsym(dlopen(TILEC_TEST_FAKE_DRIVER, RTLD_NOW | RTLD_LOCAL), name));
}

/// The state of the fake in its library.
tilecrt::cuda::fake::State &fakeCuda() {
  return *fakeFunction<tilecrt::cuda::fake::State *(*)()>("tilecFakeDriverState")();
}

class MeasuringGpuTest : public testing::Test {
protected:
  void SetUp() override {
    fakeFunction<void (*)()>("tilecFakeDriverReset")();
    kernel.metadata.name = "k";
    kernel.metadata.target = "sm_90a";
    kernel.metadata.threadsPerCta = 128;
    kernel.metadata.arguments = {{"n", "i32", tilecrt::ArgumentKind::integer, 4, 1, false},
                                 {"m", "i32", tilecrt::ArgumentKind::integer, 4, 1, false}};
    kernel.cubin = "x";
    // Milliseconds: 40 us.
    fakeCuda().elapsed = {0.04f};
  }
  void TearDown() override {
    for (const char *name : {"FAKE_CUPTI_SAMPLES", "FAKE_CUPTI_FAIL", "FAKE_CUPTI_FULL"})
      unsetenv(name);
  }

  Result<explain::GpuRun> measure(const std::string &cupti = TILEC_TEST_FAKE_CUPTI) {
    Result<std::unique_ptr<MeasuringGpu>> gpu =
        MeasuringGpu::open(0, {cupti}, TILEC_TEST_FAKE_DRIVER);
    if (!gpu)
      return gpu.status();
    fakeCuda().calls.clear();
    return (*gpu)->measure(
        [&](const std::shared_ptr<RunDevice> &device) -> Result<std::unique_ptr<ArrayLaunch>> {
          Result<std::unique_ptr<ArrayLaunch>> launch = ArrayLaunch::create(device);
          if (!launch)
            return launch;
          TILECRT_RETURN_IF_ERROR(
              (*launch)->bind(kernel, {std::vector<char>(4), std::vector<char>(4)}, {2, 1, 1}));
          return launch;
        },
        1830);
  }

  static size_t countOf(const char *call) {
    const std::vector<std::string> &calls = fakeCuda().calls;
    return size_t(std::count(calls.begin(), calls.end(), call));
  }

  CompiledKernel kernel;
};

TEST_F(MeasuringGpuTest, times_and_samples) {
  setenv("FAKE_CUPTI_SAMPLES", "k:0x10:wait:30", 1);
  Result<explain::GpuRun> run = measure();
  ASSERT_TRUE(run.ok()) << run.message();
  EXPECT_NEAR(*run->cold, 40, 1e-3);
  EXPECT_NEAR(*run->warm, 40, 1e-3);
  ASSERT_TRUE(run->samples) << run->noSamples;
  EXPECT_EQ(run->samples->counts.size(), 1u);
  EXPECT_EQ(run->samples->launches, 10u);
  // Once for the times, and again where the sampler knows of it.
  EXPECT_EQ(countOf("cuModuleLoadDataEx"), 2u);
  EXPECT_EQ(countOf("cuModuleUnload"), 2u);
}

TEST_F(MeasuringGpuTest, a_full_buffer_is_sampled_more_slowly) {
  setenv("FAKE_CUPTI_SAMPLES", "k:0x10:wait:30", 1);
  setenv("FAKE_CUPTI_FULL", "12", 1);
  Result<explain::GpuRun> run = measure();
  ASSERT_TRUE(run.ok()) << run.message();
  ASSERT_TRUE(run->samples) << run->noSamples;
  EXPECT_FALSE(run->samples->isBufferFull);
  EXPECT_EQ(run->samples->periodCycles, 8192u) << "of 512, four times as many twice";
  EXPECT_EQ(countOf("cuModuleLoadDataEx"), 4u);
}

TEST_F(MeasuringGpuTest, without_cupti_there_are_times) {
  Result<explain::GpuRun> run = measure("/nowhere/libcupti.so");
  ASSERT_TRUE(run.ok()) << run.message();
  EXPECT_TRUE(run->cold && run->warm);
  EXPECT_FALSE(run->samples);
  EXPECT_EQ(run->noSamples, "CUPTI was not found: tried '/nowhere/libcupti.so'");
  setenv("FAKE_CUPTI_FAIL", "cuptiPCSamplingEnable:35", 1);
  run = measure();
  ASSERT_TRUE(run.ok()) << run.message();
  EXPECT_TRUE(run->cold && run->warm);
  EXPECT_THAT(run->noSamples, HasSubstr("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)"));
}

TEST_F(MeasuringGpuTest, a_launch_that_fails_is_an_error) {
  fakeCuda().failures["cuLaunchKernelEx"] = tilecrt::cuda::CUDA_ERROR_LAUNCH_FAILED;
  EXPECT_EQ(measure().code(), tilecrt::StatusCode::deviceError);
  fakeCuda().failures["cuInit"] = tilecrt::cuda::CUDA_ERROR_NO_DEVICE;
  EXPECT_EQ(measure().code(), tilecrt::StatusCode::unavailable);
}

TEST(SamplingPlans, short_and_long_kernels) {
  SamplingPlan plan = planSampling(5, 1830);
  EXPECT_EQ(plan.launches, 10u);
  EXPECT_EQ(plan.periodLog2, 7u);
  plan = planSampling(1000, 1830);
  EXPECT_EQ(plan.launches, 4u);
  EXPECT_EQ(plan.periodLog2, 14u);
  plan = planSampling(1e9, 1830);
  EXPECT_EQ(plan.launches, 1u);
  EXPECT_EQ(plan.periodLog2, 22u);
}

} // namespace

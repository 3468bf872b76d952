// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices, streams and memory through the C interface: the simulator, CUDA over the fake driver,
// and what a machine can lack.

#include "FakeCuda.h"

#include "gmock/gmock.h"

#include <numeric>

using namespace tilec::test;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

/// Every test runs on both kinds of device.
class ApiDevice : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    resetFakeCuda();
    device = openDevice(GetParam());
    ASSERT_NE(device, nullptr);
  }
  void TearDown() override { tilec_device_destroy(device); }

  tilec_device *device = nullptr;
};

TEST_P(ApiDevice, memoryGoesThereAndBack) {
  std::vector<float> values(1000), back(1000);
  std::iota(values.begin(), values.end(), 0.0f);
  size_t bytes = values.size() * sizeof(float);
  void *first = nullptr, *second = nullptr, *stream = nullptr;
  ASSERT_EQ(tilec_memory_alloc(device, bytes, &first), TILEC_OK);
  ASSERT_EQ(tilec_memory_alloc(device, bytes, &second), TILEC_OK);
  EXPECT_EQ(uintptr_t(first) % 256, 0u);
  ASSERT_EQ(tilec_stream_create(device, &stream), TILEC_OK);
  ASSERT_EQ(tilec_memory_upload(device, first, values.data(), bytes, stream), TILEC_OK);
  ASSERT_EQ(tilec_memory_copy(device, second, first, bytes, stream), TILEC_OK);
  ASSERT_EQ(tilec_stream_wait(device, nullptr, stream), TILEC_OK);
  ASSERT_EQ(tilec_memory_fill(device, first, 0, bytes, nullptr), TILEC_OK);
  ASSERT_EQ(tilec_memory_download(device, back.data(), second, bytes, stream), TILEC_OK);
  ASSERT_EQ(tilec_stream_synchronize(device, stream), TILEC_OK);
  ASSERT_EQ(tilec_device_synchronize(device), TILEC_OK);
  EXPECT_EQ(back, values);
  EXPECT_EQ(tilec_memory_free(device, first), TILEC_OK);
  EXPECT_EQ(tilec_memory_free(device, first), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("freed already"));
  EXPECT_EQ(tilec_memory_free(device, &bytes), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_memory_free(device, nullptr), TILEC_OK);
  EXPECT_EQ(tilec_stream_destroy(device, stream), TILEC_OK);
  EXPECT_EQ(tilec_stream_destroy(device, stream), TILEC_INVALID_ARGUMENT);
  // `second` is freed with its device.
}

TEST_P(ApiDevice, nothingIsCopiedFromNowhere) {
  char byte = 0;
  void *memory = &byte;
  EXPECT_EQ(tilec_memory_alloc(device, 0, &memory), TILEC_OK);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(tilec_memory_upload(device, nullptr, &byte, 0, nullptr), TILEC_OK);
  EXPECT_EQ(tilec_memory_upload(device, nullptr, &byte, 1, nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "to is null, the size is 1");
  EXPECT_EQ(tilec_memory_download(device, &byte, nullptr, 1, nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "from is null, the size is 1");
  EXPECT_EQ(tilec_memory_fill(device, nullptr, 0, 1, nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_memory_alloc(device, 1, nullptr), TILEC_INVALID_ARGUMENT);
}

TEST(ApiSimDevice, copiesStayInside) {
  tilec_device *device = openDevice("sim");
  void *memory = nullptr;
  char bytes[32] = {};
  ASSERT_EQ(tilec_memory_alloc(device, 16, &memory), TILEC_OK);
  EXPECT_EQ(tilec_memory_upload(device, memory, bytes, 17, nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "a copy of 17 bytes is not within memory of tilec_memory_alloc");
  EXPECT_EQ(tilec_memory_fill(device, static_cast<char *>(memory) + 8, 1, 9, nullptr),
            TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_memory_fill(device, static_cast<char *>(memory) + 8, 1, 8, nullptr), TILEC_OK);
  EXPECT_EQ(tilec_memory_download(device, bytes, bytes, 1, nullptr), TILEC_INVALID_ARGUMENT);
  tilec_device_destroy(device);
}

TEST_P(ApiDevice, outOfMemory) {
  fakeCuda().failures["cuMemAlloc"] = tilecrt::cuda::CUDA_ERROR_OUT_OF_MEMORY;
  void *memory = nullptr;
  EXPECT_EQ(tilec_memory_alloc(device, size_t(1) << 60, &memory), TILEC_OUT_OF_RESOURCES);
  EXPECT_EQ(memory, nullptr);
  EXPECT_THAT(tilec_last_error(), HasSubstr(std::to_string(size_t(1) << 60)));
}

TEST_P(ApiDevice, describesItself) {
  auto info = sizedStruct<tilec_device_info>();
  ASSERT_EQ(tilec_device_get_info(device, &info), TILEC_OK);
  EXPECT_GT(info.memory_bytes, 0u);
  uint64_t freeBytes = 0, totalBytes = 0;
  EXPECT_EQ(tilec_device_memory(device, &freeBytes, &totalBytes), TILEC_OK);
  EXPECT_LE(freeBytes, totalBytes);
  EXPECT_EQ(tilec_device_memory(device, nullptr, nullptr), TILEC_OK);
  if (std::string(GetParam()) == "sim") {
    EXPECT_STREQ(info.target, "sim");
    EXPECT_STREQ(info.name, "simulator");
  } else {
    EXPECT_STREQ(info.target, "sm_90a");
    EXPECT_STREQ(info.name, "Fake H100");
    EXPECT_EQ(info.multiprocessors, 132u);
    EXPECT_EQ(info.driver_version, 12040);
    EXPECT_NE(info.context, nullptr);
  }
}

TEST_P(ApiDevice, deadHandlesAreRefused) {
  tilec_device *dead = openDevice(GetParam());
  tilec_device_destroy(dead);
  tilec_device_destroy(dead);
  for (tilec_device *bad : {dead, static_cast<tilec_device *>(nullptr),
                            reinterpret_cast<tilec_device *>(uintptr_t(77))}) {
    void *memory = nullptr;
    EXPECT_EQ(tilec_memory_alloc(bad, 4, &memory), TILEC_INVALID_ARGUMENT);
    EXPECT_STREQ(tilec_last_error(), "not a live handle of a tilec_device");
    EXPECT_EQ(tilec_device_synchronize(bad), TILEC_INVALID_ARGUMENT);
    EXPECT_EQ(tilec_stream_create(bad, &memory), TILEC_INVALID_ARGUMENT);
    EXPECT_EQ(tilec_stream_wait(bad, memory, nullptr), TILEC_INVALID_ARGUMENT);
    EXPECT_EQ(tilec_graph_begin(bad, &memory), TILEC_INVALID_ARGUMENT);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ApiDevice, testing::Values("sim", "cuda"),
                         [](const auto &kind) { return std::string(kind.param); });

tilec_status openWith(const char *name, const char *driver) {
  auto options = sizedStruct<tilec_device_options>();
  options.driver = driver;
  tilec_device *device = nullptr;
  tilec_status status = tilec_device_open(name, &options, &device);
  EXPECT_EQ(device != nullptr, status == TILEC_OK);
  tilec_device_destroy(device);
  return status;
}

TEST(ApiDriver, versionAndCount) {
  resetFakeCuda();
  int32_t version = 0;
  size_t count = 0;
  EXPECT_EQ(tilec_driver_version(TILEC_TEST_FAKE_DRIVER, &version), TILEC_OK);
  EXPECT_EQ(version, 12040);
  EXPECT_EQ(tilec_device_count(TILEC_TEST_FAKE_DRIVER, &count), TILEC_OK);
  EXPECT_EQ(count, 1u);
}

TEST(ApiDriver, none) {
  int32_t version = 0;
  EXPECT_EQ(openWith("cuda", "/nonexistent/libcuda.so"), TILEC_UNAVAILABLE);
  EXPECT_THAT(tilec_last_error(),
              StartsWith("no CUDA driver found: tried '/nonexistent/libcuda.so'"));
  EXPECT_EQ(tilec_driver_version("/nonexistent/libcuda.so", &version), TILEC_UNAVAILABLE);
  EXPECT_EQ(tilec_memory_device("/nonexistent/libcuda.so", &version, &version), TILEC_UNAVAILABLE);
  EXPECT_EQ(tilec_memory_device(nullptr, &version, nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(openWith("sim", "/nonexistent/libcuda.so"), TILEC_OK);
}

TEST(ApiDriver, tooOld) {
  resetFakeCuda();
  fakeCuda().driverVersion = 11040;
  EXPECT_EQ(openWith("cuda", TILEC_TEST_FAKE_DRIVER), TILEC_UNAVAILABLE);
  EXPECT_STREQ(tilec_last_error(),
               "the CUDA driver is for CUDA 11.4; a driver for CUDA 12.0 or newer is needed");
  fakeCuda().missing = {"cuLaunchKernelEx", "cuTensorMapEncodeTiled"};
  EXPECT_EQ(openWith("cuda", TILEC_TEST_FAKE_DRIVER), TILEC_UNAVAILABLE);
  EXPECT_THAT(tilec_last_error(),
              HasSubstr("is for CUDA 11.4 and lacks 'cuLaunchKernelEx', 'cuTensorMapEncodeTiled'; "
                        "a driver for CUDA 12.0 or newer is needed"));
}

TEST(ApiDriver, noDevice) {
  resetFakeCuda();
  fakeCuda().failures["cuInit"] = tilecrt::cuda::CUDA_ERROR_NO_DEVICE;
  EXPECT_EQ(openWith("cuda", TILEC_TEST_FAKE_DRIVER), TILEC_UNAVAILABLE);
  EXPECT_THAT(tilec_last_error(), HasSubstr("CUDA_ERROR_NO_DEVICE"));
  resetFakeCuda();
  EXPECT_EQ(openWith("cuda:1", TILEC_TEST_FAKE_DRIVER), TILEC_UNAVAILABLE);
  EXPECT_STREQ(tilec_last_error(), "there is no CUDA device 1: the driver offers 1 device");
}

TEST(ApiDriver, wrongNames) {
  for (const char *name : {"", "gpu", "cuda:", "cuda:x", "cuda:12345", "sim:1"}) {
    EXPECT_EQ(openWith(name, nullptr), TILEC_INVALID_ARGUMENT) << name;
    EXPECT_THAT(tilec_last_error(), HasSubstr("expected 'cuda', 'cuda:N' or 'sim'"));
  }
  EXPECT_EQ(openWith(nullptr, nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_device_open("sim", nullptr, nullptr), TILEC_INVALID_ARGUMENT);
}

} // namespace

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Saving launches that fail, through the public interface: on the simulator, and over the fake
// driver with failures of launches and of the waiting for them. Replaying is the tool's, and tested
// there.

#include "FakeCuda.h"

#include "gmock/gmock.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include <unistd.h>

using namespace tilec;
using namespace tilec::test;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

namespace {

constexpr int32_t count = 300;

/// Every test runs on both kinds of device.
class ApiSave : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    resetFakeCuda();
    root = fs::temp_directory_path() /
           ("tilec-save-" + std::to_string(getpid()) + "-" + std::to_string(++number));
    fs::remove_all(root);
    DeviceOptions options;
    options.driver = TILEC_TEST_FAKE_DRIVER;
    options.save.folder = root.string();
    options.save.maxFailures = 4;
    device = Device::open(GetParam(), options);
    ASSERT_TRUE(device) << device.status().message;
    Options compile = addOptions(device.isSimulator() ? "sim" : "sm_90a");
    Compilation compiled = Compiler().compileText("add.tile", addSource, compile);
    ASSERT_TRUE(compiled) << compiled.text;
    add = Function::load(device, compiled.kernel);
    x = DeviceBuffer<float>(device, std::vector<float>(count, 1.0f));
    y = DeviceBuffer<float>(device, std::vector<float>(count, 2.0f));
    out = DeviceBuffer<float>(device, std::vector<float>(count, 3.0f));
    ASSERT_TRUE(out) << out.status().message;
    fakeCuda().calls.clear();
  }
  void TearDown() override { fs::remove_all(root); }

  bool isSimulator() const { return device.isSimulator(); }
  size_t folders() const {
    return size_t(std::distance(fs::directory_iterator(root), fs::directory_iterator()));
  }
  /// A launch with one element too many; on the fake GPU, waiting for it fails.
  Status launchBroken() {
    n = count + 1;
    fakeCuda().failuresAfter["cuLaunchKernelEx"] = {"cuCtxSynchronize",
                                                    tilecrt::cuda::CUDA_ERROR_ILLEGAL_ADDRESS};
    Status status = add.launch(shape, x, y, out, n);
    fakeCuda().failuresAfter.clear();
    fakeCuda().failures.clear();
    return status;
  }
  static std::string textOf(const fs::path &path) {
    std::ifstream stream(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  }

  static int number;
  fs::path root;
  Device device;
  Function add;
  DeviceBuffer<float> x, y, out;
  int32_t n = count;
  DeviceLaunch shape = {{3, 1, 1}};
};

int ApiSave::number = 0;

TEST_P(ApiSave, nothingStaysOfGoodLaunches) {
  ASSERT_TRUE(add.launch(shape, x, y, out, n));
  EXPECT_EQ(folders(), 0u);
  if (!isSimulator()) {
    EXPECT_EQ(fakeCalls(), "cuCtxSynchronize cuMemcpyDtoH cuMemcpyDtoH cuMemcpyDtoH "
                           "cuLaunchKernelEx cuCtxSynchronize");
  }
  std::vector<float> result;
  ASSERT_TRUE(out.download(result));
  if (isSimulator()) {
    EXPECT_EQ(result[10], 3.0f);
  }
  EXPECT_STREQ(tilec_last_saved_launch(), "");
}

TEST_P(ApiSave, failuresAreSaved) {
  Status failed = launchBroken();
  EXPECT_EQ(failed.code, isSimulator() ? TILEC_INPUT_ERROR : TILEC_DEVICE_ERROR);
  ASSERT_NE(failed.savedLaunch, "") << failed.message;
  EXPECT_THAT(failed.message, HasSubstr("tilec run --check --replay " + failed.savedLaunch));
  EXPECT_EQ(folders(), 1u);
  fs::path folder = failed.savedLaunch;
  EXPECT_EQ(folder.parent_path(), root);
  EXPECT_EQ(textOf(folder / "kernel.tile"), addSource);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(fs::file_size(folder / ("buffer-" + std::to_string(i) + ".bin")),
              count * sizeof(float));
  // The memory as it was before the launch.
  std::vector<float> before(count);
  std::string bytes = textOf(folder / "buffer-2.bin");
  std::copy_n(bytes.data(), bytes.size(), reinterpret_cast<char *>(before.data()));
  EXPECT_EQ(before, std::vector<float>(count, 3.0f));
  std::string json = textOf(folder / "launch.json");
  EXPECT_THAT(json, HasSubstr("\"outcome\": \"failed\""));
  EXPECT_THAT(json, HasSubstr("\"name\": \"add.tile\""));
  EXPECT_THAT(json, HasSubstr(isSimulator() ? "out-of-bounds" : "cuCtxSynchronize"));
  // A later failure is another call's.
  EXPECT_FALSE(add.launch(shape, x));
  EXPECT_STREQ(tilec_last_saved_launch(), "");
}

TEST_P(ApiSave, preparedLaunchesAndAliases) {
  PreparedLaunch prepared = add.prepare(shape, x, x, out, n);
  ASSERT_TRUE(prepared) << prepared.status().message;
  ASSERT_TRUE(prepared.launch());
  int32_t more = count + 1;
  ASSERT_TRUE(prepared.set(3, more));
  // One float further: two arguments of one buffer.
  ASSERT_TRUE(prepared.set(1, x.data() + 1));
  fakeCuda().failures["cuLaunchKernelEx"] = tilecrt::cuda::CUDA_ERROR_LAUNCH_FAILED;
  Status failed = prepared.launch();
  EXPECT_FALSE(failed);
  ASSERT_NE(failed.savedLaunch, "") << failed.message;
  std::string json = textOf(fs::path(failed.savedLaunch) / "launch.json");
  EXPECT_THAT(json, HasSubstr("\"name\": \"x, y\""));
  EXPECT_THAT(json, HasSubstr("\"offset\": 4,"));
  EXPECT_FALSE(fs::exists(fs::path(failed.savedLaunch) / "buffer-2.bin"));
}

TEST_P(ApiSave, refusedLaunchesAreNot) {
  shape.cluster = {20, 1, 1};
  Status refused = add.launch(shape, x, y, out, n);
  if (!isSimulator()) {
    EXPECT_EQ(refused.code, TILEC_INVALID_ARGUMENT);
  }
  EXPECT_EQ(refused.savedLaunch, "");
  EXPECT_EQ(folders(), 0u);
}

TEST_P(ApiSave, onAndOff) {
  ASSERT_TRUE(device.saveLaunches({}));
  EXPECT_EQ(launchBroken().savedLaunch, "");
  SaveOptions options;
  options.folder = (root / "other").string();
  options.keepLast = 2;
  ASSERT_TRUE(device.saveLaunches(options));
  n = count;
  for (int i = 0; i < 4; ++i)
    ASSERT_TRUE(add.launch(shape, x, y, out, n));
  EXPECT_EQ(std::distance(fs::directory_iterator(options.folder), fs::directory_iterator()), 2);
  EXPECT_EQ(fs::path(launchBroken().savedLaunch).parent_path(), fs::path(options.folder));
  // Too much memory: the launch is made, its failure says why there is nothing.
  options.maxBytes = 1000;
  ASSERT_TRUE(device.saveLaunches(options));
  Status failed = launchBroken();
  EXPECT_EQ(failed.savedLaunch, "");
  EXPECT_THAT(failed.message, HasSubstr("the launch was not saved: the kernel's memory has 1200 "
                                        "bytes or more, at most 1000 are saved"));
}

TEST_P(ApiSave, onlySoManyFailures) {
  for (int i = 0; i < 6; ++i) {
    Status failed = launchBroken();
    EXPECT_EQ(failed.savedLaunch.empty(), i >= 4) << i;
    EXPECT_EQ(failed.code, isSimulator() ? TILEC_INPUT_ERROR : TILEC_DEVICE_ERROR);
  }
  EXPECT_EQ(folders(), 4u);
}

TEST_P(ApiSave, graphs) {
  PreparedLaunch prepared = add.prepare(shape, x, y, out, count + 1);
  Graph graph = Graph::record({&prepared});
  ASSERT_TRUE(graph) << graph.status().message;
  EXPECT_EQ(folders(), 0u) << "recording ran it";
  fakeCuda().failures["cuCtxSynchronize"] = tilecrt::cuda::CUDA_ERROR_ILLEGAL_ADDRESS;
  Status failed = graph.launch();
  EXPECT_FALSE(failed);
  if (isSimulator()) {
    EXPECT_NE(failed.savedLaunch, "");
  } else {
    EXPECT_THAT(failed.message, HasSubstr("launches of a graph are not saved"));
  }
}

TEST_P(ApiSave, manyThreads) {
  SaveOptions options;
  options.folder = root.string();
  options.keepLast = 3;
  ASSERT_TRUE(device.saveLaunches(options));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      DeviceBuffer<float> own(device, count);
      for (int round = 0; round < 5; ++round) {
        Status status = add.launch(shape, x, y, own, count);
        EXPECT_TRUE(status) << status.message;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(folders(), 3u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ApiSave, testing::Values("sim", "cuda"),
                         [](const auto &kind) { return std::string(kind.param); });

TEST(ApiSaveOptions, wrongOnes) {
  auto options = sizedStruct<tilec_device_options>();
  auto save = sizedStruct<tilec_save_options>();
  options.save_launches = &save;
  tilec_device *device = nullptr;
  EXPECT_EQ(tilec_device_open("sim", &options, &device), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "save options: the folder is null or empty");
  save.folder = "/proc/no/such/folder";
  EXPECT_EQ(tilec_device_open("sim", &options, &device), TILEC_INPUT_ERROR);
  EXPECT_THAT(tilec_last_error(), HasSubstr("cannot make the folder '/proc/no/such/folder'"));
  save.struct_size = 1;
  EXPECT_EQ(tilec_device_open("sim", &options, &device), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(device, nullptr);
  EXPECT_EQ(tilec_device_save_launches(nullptr, nullptr), TILEC_INVALID_ARGUMENT);
  device = openDevice("sim");
  EXPECT_EQ(tilec_device_save_launches(device, &save), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_device_save_launches(device, nullptr), TILEC_OK);
  tilec_device_destroy(device);
}

TEST(ApiSaveOptions, fromTheEnvironment) {
  setenv("TILEC_SAVE_LAUNCHES", "/tmp/launches", 1);
  EXPECT_EQ(DeviceOptions().save.folder, "/tmp/launches");
  unsetenv("TILEC_SAVE_LAUNCHES");
  EXPECT_EQ(DeviceOptions().save.folder, "");
}

/// Memory that is not the device's own, foreign addresses, and work that failed before.
TEST(ApiCudaSave, otherMemory) {
  resetFakeCuda();
  fs::path root = fs::temp_directory_path() / ("tilec-save-other-" + std::to_string(getpid()));
  DeviceOptions options;
  options.driver = TILEC_TEST_FAKE_DRIVER;
  Device other = Device::open("cuda", options);
  options.save.folder = root.string();
  Device device = Device::open("cuda", options);
  Compilation compiled = Compiler().compileText("add.tile", addSource, addOptions("sm_90a"));
  Function add = Function::load(device, compiled.kernel);
  // Another owner's memory is found through the driver, nowhere is nowhere.
  DeviceBuffer<float> foreign(other, std::vector<float>(100, 5.0f));
  float *nowhere = reinterpret_cast<float *>(uintptr_t(0x1230));
  fakeCuda().failures["cuLaunchKernelEx"] = tilecrt::cuda::CUDA_ERROR_LAUNCH_FAILED;
  Status failed = add.launch({}, foreign.data() + 10, nowhere, foreign, 1);
  ASSERT_NE(failed.savedLaunch, "") << failed.message;
  EXPECT_EQ(fs::file_size(fs::path(failed.savedLaunch) / "buffer-0.bin"), 400u);
  EXPECT_FALSE(fs::exists(fs::path(failed.savedLaunch) / "buffer-1.bin"));
  fakeCuda().failures = {{"cuMemGetAddressRange", tilecrt::cuda::CUDA_ERROR_NOT_FOUND},
                         {"cuLaunchKernelEx", tilecrt::cuda::CUDA_ERROR_LAUNCH_FAILED}};
  failed = add.launch({}, foreign, foreign, foreign, 1);
  EXPECT_EQ(fs::file_size(fs::path(failed.savedLaunch) / "buffer-0.bin"), 400u);

  fakeCuda().failures = {{"cuCtxSynchronize", tilecrt::cuda::CUDA_ERROR_ILLEGAL_ADDRESS}};
  failed = add.launch({}, foreign, foreign, foreign, 1);
  EXPECT_EQ(failed.code, TILEC_DEVICE_ERROR);
  EXPECT_THAT(failed.message, HasSubstr("before the launch of kernel 'add': cuCtxSynchronize"));
  EXPECT_EQ(failed.savedLaunch, "");
  // A stream that somebody else captures is let alone.
  fakeCuda().captures[nullptr] = 0;
  fakeCuda().calls.clear();
  EXPECT_TRUE(add.launch({}, foreign, foreign, foreign, 1));
  EXPECT_EQ(fakeCalls(), "cuLaunchKernelEx");
  fs::remove_all(root);
}

TEST(ApiCudaSave, imagesHaveNoSource) {
  resetFakeCuda();
  fs::path root = fs::temp_directory_path() / ("tilec-save-image-" + std::to_string(getpid()));
  DeviceOptions options;
  options.driver = TILEC_TEST_FAKE_DRIVER;
  options.save.folder = root.string();
  Device device = Device::open("cuda", options);
  Compilation compiled = Compiler().compileText("add.tile", addSource, addOptions("sm_90a"));
  std::string metadata = tilec_kernel_metadata(compiled.kernel.handle());
  std::string ptx = tilec_kernel_ptx(compiled.kernel.handle());
  tilec_image image = {metadata.data(), metadata.size(), ptx.c_str(), ptx.size()};
  Function add = Function::load(device, &image, 1);
  ASSERT_TRUE(add) << add.status().message;
  float *none = nullptr;
  fakeCuda().failures["cuLaunchKernelEx"] = tilecrt::cuda::CUDA_ERROR_LAUNCH_FAILED;
  Status failed = add.launch({}, none, none, none, 0);
  EXPECT_EQ(failed.savedLaunch, "");
  EXPECT_THAT(failed.message, HasSubstr("the launch was not saved: the source of kernel 'add' is "
                                        "not known"));
  fs::remove_all(root);
}

} // namespace

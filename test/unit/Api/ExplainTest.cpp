// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explaining launches over the C interface: of kernels and of calls, on the host's memory and on
// that of the fake GPU, and what cannot be explained.

#include "FakeCuda.h"

#include "gmock/gmock.h"

#include <filesystem>
#include <numeric>

#include <unistd.h>

using namespace tilec;
using namespace tilec::test;
using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

namespace {

constexpr int32_t count = 300;

tilec_call_value integer(int64_t value) {
  tilec_call_value made = {TILEC_VALUE_INTEGER, 0, 0, {}};
  made.value.integer = value;
  return made;
}

tilec_call_value pointer(const void *value) {
  tilec_call_value made = {TILEC_VALUE_POINTER, TILEC_TYPE_FP32, 0, {}};
  made.value.pointer = value;
  return made;
}

const char incrementSource[] = R"(@triton.jit
def increment(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)
)";

class ApiExplain : public testing::Test {
protected:
  void SetUp() override {
    resetFakeCuda();
    std::iota(x.begin(), x.end(), 0.0f);
    y.assign(count, 0.5f);
    out.assign(count, 7.0f);
  }
  void TearDown() override {
    tilec_explanation_destroy(explanation);
    tilec_jit_destroy(jit);
  }

  tilec_status explain(const Kernel &kernel, const tilec_explain_options *options = nullptr) {
    tilec_buffer buffers[] = {{x.data(), sizeof(float) * x.size(), "x", TILEC_BUFFER_READ_ONLY},
                              {y.data(), sizeof(float) * y.size(), "y", TILEC_BUFFER_READ_ONLY},
                              {out.data(), sizeof(float) * out.size(), "out", 0}};
    const void *pointers[] = {x.data(), y.data(), out.data()};
    tilec_value values[] = {{&pointers[0], sizeof(void *)},
                            {&pointers[1], sizeof(void *)},
                            {&pointers[2], sizeof(void *)},
                            {&n, sizeof n}};
    tilec_launch launch = {};
    launch.struct_size = sizeof launch;
    launch.grid[0] = 3;
    launch.grid[1] = launch.grid[2] = 1;
    launch.arguments = values;
    launch.num_arguments = 4;
    launch.buffers = buffers;
    launch.num_buffers = 3;
    return tilec_kernel_explain(kernel.handle(), &launch, options, &explanation);
  }
  tilec_status explainCall(const std::vector<tilec_call_value> &values, tilec_device *device,
                           const tilec_buffer *buffers, size_t numBuffers, uint32_t programs = 2) {
    tilec_jit_options options = {};
    options.struct_size = sizeof options;
    options.name = "increment.tile";
    options.text = incrementSource;
    options.length = sizeof incrementSource - 1;
    if (tilec_status status = tilec_jit_create(device, &options, &jit))
      return status;
    tilec_call call = {};
    call.struct_size = sizeof call;
    call.grid[0] = programs;
    call.grid[1] = call.grid[2] = 1;
    call.values = values.data();
    call.num_values = values.size();
    call.buffers = buffers;
    call.num_buffers = numBuffers;
    return tilec_jit_explain(jit, &call, nullptr, &explanation);
  }
  std::string json() const { return tilec_explanation_json(explanation); }

  std::vector<float> x = std::vector<float>(count), y, out;
  int32_t n = count;
  tilec_explanation *explanation = nullptr;
  tilec_jit *jit = nullptr;
};

} // namespace

TEST_F(ApiExplain, explainsALaunchOfAKernelForAnyTarget) {
  for (const char *target : {"sim", "sm_80"}) {
    Compilation compiled = Compiler().compileText("add.tile", addSource, addOptions(target));
    ASSERT_TRUE(compiled) << compiled.text;
    ASSERT_EQ(explain(compiled.kernel), TILEC_OK) << tilec_last_error();
    EXPECT_THAT(tilec_explanation_text(explanation), HasSubstr("bound by"));
    EXPECT_THAT(tilec_explanation_html(explanation), StartsWith("<!DOCTYPE html>"));
    EXPECT_THAT(json(), HasSubstr("\"target\":\"sm_90a\""));
    EXPECT_THAT(json(), HasSubstr("\"grid\":[3,1,1]"));
    EXPECT_THAT(json(),
                HasSubstr("{\"name\":\"x\",\"type\":\"*kfp32\",\"kind\":\"array\",\"dtype\":"
                          "\"f32\",\"shape\":[300],\"bytes\":1200}"));
    EXPECT_THAT(json(), HasSubstr("\"footprint\":{\"read\":24"));
    EXPECT_THAT(json(), HasSubstr("\"findings\": []"));
    EXPECT_THAT(out, testing::Each(7.0f));
    tilec_explanation_destroy(explanation);
  }
}

TEST_F(ApiExplain, takesAGpuAndATimeline) {
  Compilation compiled = Compiler().compileText("add.tile", addSource, addOptions("sim"));
  tilec_explain_options options = {};
  options.struct_size = sizeof options;
  options.gpu = "a100";
  options.flags = TILEC_EXPLAIN_TIMELINE | TILEC_EXPLAIN_ALL_PROGRAMS;
  ASSERT_EQ(explain(compiled.kernel, &options), TILEC_OK) << tilec_last_error();
  EXPECT_THAT(json(), HasSubstr("\"target\":\"sm_80\""));
  EXPECT_THAT(json(), HasSubstr("\"timeline\": {\"isOrder\":true"));
  options.gpu = "voodoo";
  EXPECT_EQ(explain(compiled.kernel, &options), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(explanation, nullptr);
  EXPECT_THAT(tilec_last_error(), HasSubstr("unknown GPU 'voodoo'"));
  options.gpu = nullptr;
  options.flags = 64;
  EXPECT_EQ(explain(compiled.kernel, &options), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("unknown flags 0x40"));
}

TEST_F(ApiExplain, launchesOnAGpu) {
  Compilation compiled = Compiler().compileText("add.tile", addSource, addOptions("sim"));
  auto options = sizedStruct<tilec_explain_options>();
  options.device = "cuda:0";
  options.driver = TILEC_TEST_FAKE_DRIVER;
  options.cupti = TILEC_TEST_FAKE_CUPTI;
  options.search_path = getenv("PATH");
  setenv("FAKE_CUPTI_SAMPLES", "add:0:wait:3", /*overwrite=*/1);
  // Milliseconds.
  fakeCuda().elapsed = {0.5f};
  ASSERT_EQ(explain(compiled.kernel, &options), TILEC_OK) << tilec_last_error();
  unsetenv("FAKE_CUPTI_SAMPLES");
  EXPECT_THAT(json(), HasSubstr("\"device\":\"cuda\""));
  EXPECT_THAT(json(), HasSubstr("\"measured\":500"));
  EXPECT_THAT(json(), HasSubstr("\"measuredWarm\":500"));
  EXPECT_THAT(json(), testing::AnyOf(HasSubstr("\"samples\": {\"count\":"),
                                     HasSubstr("nvdisasm was not found")));
  EXPECT_THAT(fakeCalls(), HasSubstr("cuLaunchKernel"));
  // Nothing came back from there.
  EXPECT_THAT(out, testing::Each(7.0f));
}

TEST_F(ApiExplain, saysWhatAGpuDoesNotGive) {
  Compilation compiled = Compiler().compileText("add.tile", addSource, addOptions("sim"));
  auto options = sizedStruct<tilec_explain_options>();
  options.device = "cuda";
  options.driver = TILEC_TEST_FAKE_DRIVER;
  options.cupti = "/nowhere/libcupti.so";
  ASSERT_EQ(explain(compiled.kernel, &options), TILEC_OK) << tilec_last_error();
  EXPECT_THAT(json(), HasSubstr("\"samples\": {\"absent\":\"CUPTI was not found"));
  tilec_explanation_destroy(explanation);
  options.driver = "/nowhere/libcuda.so.1";
  ASSERT_EQ(explain(compiled.kernel, &options), TILEC_OK) << tilec_last_error();
  EXPECT_THAT(json(), HasSubstr("\"measured\":null"));
  EXPECT_THAT(json(), HasSubstr("\"samples\": {\"absent\":\""));
  tilec_explanation_destroy(explanation);
  // A copy of the memory is elsewhere than what is in it.
  options.driver = TILEC_TEST_FAKE_DRIVER;
  const float *inside = x.data() + 4;
  std::memcpy(y.data(), &inside, sizeof inside);
  ASSERT_EQ(explain(compiled.kernel, &options), TILEC_OK) << tilec_last_error();
  EXPECT_THAT(json(), HasSubstr("\"absent\":\"its memory holds addresses"));
  tilec_explanation_destroy(explanation);
  explanation = nullptr;
  options.device = "sim";
  EXPECT_EQ(explain(compiled.kernel, &options), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("there is no GPU 'sim': expected 'cuda' or 'cuda:N'"));
  options.device = "cuda";
  options.gpu = "A100";
  EXPECT_EQ(explain(compiled.kernel, &options), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("'gpu' and 'device' exclude each other"));
  options.gpu = nullptr;
  EXPECT_EQ(tilec_explain_saved("nowhere", &options, &explanation), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("the memory of a saved launch is for the simulator"));
}

TEST_F(ApiExplain, faultsAreFindings) {
  Compilation compiled = Compiler().compileText("add.tile", addSource, addOptions("sim"));
  n = count + 1;
  ASSERT_EQ(explain(compiled.kernel), TILEC_OK) << tilec_last_error();
  EXPECT_THAT(json(), HasSubstr("\"kind\":\"out-of-bounds\""));
}

TEST_F(ApiExplain, putsMemoryOfTheProgramBack) {
  Device device = Device::open("sim");
  tilec_buffer buffer = {x.data(), sizeof(float) * x.size(), "x", 0};
  ASSERT_EQ(
      explainCall({pointer(x.data()), integer(count), integer(256)}, device.handle(), &buffer, 1),
      TILEC_OK)
      << tilec_last_error();
  EXPECT_THAT(json(), HasSubstr("\"findings\": []"));
  for (int32_t i = 0; i < count; ++i)
    ASSERT_EQ(x[size_t(i)], float(i));
}

TEST_F(ApiExplain, findsMemoryOfTheDevice) {
  DeviceOptions fake;
  fake.driver = TILEC_TEST_FAKE_DRIVER;
  for (const Device &device : {Device::open("sim"), Device::open("cuda:0", fake)}) {
    ASSERT_TRUE(device) << device.status().message;
    DeviceBuffer<float> memory(device, x);
    ASSERT_TRUE(memory) << memory.status().message;
    ASSERT_EQ(explainCall({pointer(memory.data()), integer(count), integer(256)}, device.handle(),
                          nullptr, 0),
              TILEC_OK)
        << tilec_last_error();
    EXPECT_THAT(json(), HasSubstr("\"findings\": []"));
    EXPECT_THAT(json(), HasSubstr("\"footprint\":{\"read\":12"));
    std::vector<float> now(count);
    ASSERT_TRUE(memory.download(now));
    EXPECT_EQ(now, x);
    tilec_explanation_destroy(explanation);
    tilec_jit_destroy(jit);
  }
}

TEST_F(ApiExplain, readsSavedLaunches) {
  fs::path root = fs::temp_directory_path() / ("tilec-explain-" + std::to_string(getpid()));
  fs::remove_all(root);
  DeviceOptions options;
  options.save.folder = root.string();
  Device device = Device::open("sim", options);
  Compilation compiled = Compiler().compileText("add.tile", addSource, addOptions("sim"));
  Function add = Function::load(device, compiled.kernel);
  DeviceBuffer<float> a(device, x), b(device, y), sum(device, out);
  Status failed = add.launch({{3, 1, 1}}, a, b, sum, int32_t(count + 1));
  ASSERT_NE(failed.savedLaunch, "") << failed.message;
  ASSERT_EQ(tilec_explain_saved(failed.savedLaunch.c_str(), nullptr, &explanation), TILEC_OK)
      << tilec_last_error();
  EXPECT_THAT(json(), HasSubstr("\"kind\":\"out-of-bounds\""));
  EXPECT_THAT(json(), HasSubstr("\"shape\":[300],\"bytes\":1200}"));
  fs::remove_all(root);
}

TEST_F(ApiExplain, comparesTwo) {
  Options few = addOptions("sim"), many = addOptions("sim");
  many.constants = {{"BLOCK", "1024"}};
  Compilation first = Compiler().compileText("add.tile", addSource, few),
              second = Compiler().compileText("add.tile", addSource, many);
  ASSERT_EQ(explain(first.kernel), TILEC_OK) << tilec_last_error();
  tilec_explanation *here = explanation, *there = nullptr;
  ASSERT_EQ(explain(second.kernel), TILEC_OK) << tilec_last_error();
  there = explanation;
  EXPECT_EQ(tilec_explanation_compare(here, nullptr, &explanation), TILEC_INVALID_ARGUMENT);
  ASSERT_EQ(tilec_explanation_compare(here, there, &explanation), TILEC_OK) << tilec_last_error();
  EXPECT_THAT(json(), HasSubstr("\"against\": {\"schema\":1"));
  EXPECT_THAT(tilec_explanation_json(here), HasSubstr("\"against\": null"));
  EXPECT_THAT(tilec_explanation_text(explanation), HasSubstr("against   add: BLOCK=1024"));
  tilec_explanation_destroy(here);
  tilec_explanation_destroy(there);
}

/// The folder has a kernel 'add_masked' for sm_90, without sources that could be read.
TEST_F(ApiExplain, standsBesideWhatTritonHasCompiled) {
  std::string source = addSource;
  source.replace(source.find("def add("), 8, "def add_masked(");
  Compilation compiled = Compiler().compileText("add.tile", source, addOptions("sim"));
  ASSERT_TRUE(compiled) << compiled.text;
  auto options = sizedStruct<tilec_explain_options>();
  options.triton = TILEC_TEST_TRITON_FOLDER;
  ASSERT_EQ(explain(compiled.kernel, &options), TILEC_OK) << tilec_last_error();
  EXPECT_THAT(
      json(),
      HasSubstr("\"against\": {\"schema\":1,\"compiler\":\"triton\",\"version\":\"3.6.0\""));
  EXPECT_THAT(tilec_explanation_text(explanation), HasSubstr("by Triton 3.6.0"));
  tilec_explanation_destroy(explanation);
  explanation = nullptr;
  options.gpu = "A100";
  EXPECT_EQ(explain(compiled.kernel, &options), TILEC_INPUT_ERROR);
  EXPECT_THAT(tilec_last_error(), HasSubstr("has code for sm_90, the report is for sm_80"));
  options.gpu = nullptr;
  options.triton = "/nowhere";
  EXPECT_EQ(explain(compiled.kernel, &options), TILEC_INPUT_ERROR);
  EXPECT_THAT(tilec_last_error(), HasSubstr("cannot read '/nowhere'"));
  options.triton = TILEC_TEST_TRITON_FOLDER;
  EXPECT_EQ(tilec_explain_saved("nowhere", &options, &explanation), TILEC_INPUT_ERROR);
  EXPECT_EQ(explanation, nullptr);
}

TEST_F(ApiExplain, saysWhatItIsFor) {
  const char *target = nullptr;
  ASSERT_EQ(tilec_explain_target(nullptr, &target), TILEC_OK);
  EXPECT_STREQ(target, "sm_90a");
  auto options = sizedStruct<tilec_explain_options>();
  options.gpu = "a100";
  ASSERT_EQ(tilec_explain_target(&options, &target), TILEC_OK);
  EXPECT_STREQ(target, "sm_80");
  options.gpu = "voodoo";
  EXPECT_EQ(tilec_explain_target(&options, &target), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(target, nullptr);
  EXPECT_EQ(tilec_explain_target(nullptr, nullptr), TILEC_INVALID_ARGUMENT);
  options.gpu = nullptr;
  options.device = "cuda";
  options.driver = TILEC_TEST_FAKE_DRIVER;
  ASSERT_EQ(tilec_explain_target(&options, &target), TILEC_OK);
  EXPECT_STREQ(target, "sm_90a");
}

TEST_F(ApiExplain, refusesWhatIsNoLaunch) {
  Compilation compiled = Compiler().compileText("add.tile", addSource, addOptions("sim"));
  EXPECT_EQ(tilec_kernel_explain(nullptr, nullptr, nullptr, &explanation), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_kernel_explain(compiled.kernel.handle(), nullptr, nullptr, &explanation),
            TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("launch is null"));
  tilec_launch launch = {};
  launch.struct_size = sizeof launch;
  EXPECT_EQ(tilec_kernel_explain(compiled.kernel.handle(), &launch, nullptr, &explanation),
            TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("argument"));
  Device device = Device::open("sim");
  EXPECT_EQ(explainCall({pointer(x.data()), integer(count), integer(256)}, device.handle(), nullptr,
                        0, /*programs=*/0),
            TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_explain_saved("nowhere", nullptr, &explanation), TILEC_INPUT_ERROR);
  EXPECT_THAT(tilec_last_error(), HasSubstr("cannot read 'nowhere/launch.json'"));
  EXPECT_EQ(tilec_explanation_html(nullptr), nullptr);
  EXPECT_EQ(tilec_explanation_text(nullptr), nullptr);
}

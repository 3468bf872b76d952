// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bundles over the C interface: on the simulator, and which code a GPU gets.

#include "FakeCuda.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>
#include <unistd.h>

using namespace tilec::test;
using testing::HasSubstr;
using testing::Not;

namespace {

const char source[] = R"(@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr, SCALE: tl.constexpr = 1.5):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, (tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask)) * SCALE, mask=mask)

@triton.jit
def tell(out, a, b, c):
    tl.store(out, a + b + c)
)";

const char specification[] =
    R"json({"name": "ops", "targets": ["sm_80", "sm_90a", "sim"], "kernels": [
  {"file": "ops.tile", "kernel": "add", "name": "add_f32", "grid": "cdiv(n, BLOCK)",
   "arguments": {"x": "*fp32:16", "y": "*fp32:16", "out": "*fp32:16", "n": "i32"},
   "constants": {"BLOCK": 64}},
  {"file": "ops.tile", "kernel": "add", "name": "add_f64", "cluster": [1], "cooperative": true,
   "arguments": {"x": "*fp64", "y": "*fp64", "out": "*fp64", "n": "i64:4"},
   "constants": {"BLOCK": 32, "SCALE": 0.5}},
  {"file": "ops.tile", "kernel": "tell", "arguments": {"out": "*i64", "a": "u8", "b": "i1", "c": "i64"}}]})json";

tilec_call_value integer(int64_t value) {
  tilec_call_value made = {TILEC_VALUE_INTEGER, 0, 0, {}};
  made.value.integer = value;
  return made;
}

tilec_call_value pointer(const void *value, tilec_type type = TILEC_TYPE_FP32) {
  tilec_call_value made = {TILEC_VALUE_POINTER, uint16_t(type), 0, {}};
  made.value.pointer = value;
  return made;
}

tilec_call_value constant(const char *text) {
  tilec_call_value made = {TILEC_VALUE_CONSTANT, 0, 0, {}};
  made.value.constant = tilec_constant(text);
  return made;
}

class ApiBundle : public testing::Test {
protected:
  static void SetUpTestSuite() {
    // Shards of the suite run at once.
    folder = testing::TempDir() + "tilec-bundle-test-" + std::to_string(getpid());
    std::string make = "mkdir -p " + folder;
    ASSERT_EQ(std::system(make.c_str()), 0);
    std::ofstream(folder + "/ops.tile") << source;
    std::ofstream(folder + "/ops.json") << specification;
    // PTX only: there need not be a ptxas.
    std::string build = std::string(TILEC_TEST_TOOL) + " build " + folder + "/ops.json -o " +
                        folder + " --emit bundle --ptxas /nowhere 2> /dev/null";
    ASSERT_EQ(std::system(build.c_str()), 0);
    path = folder + "/ops.tilec";
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder); }
  void SetUp() override {
    resetFakeCuda();
    ASSERT_EQ(tilec_bundle_open(path.c_str(), &bundle), TILEC_OK) << tilec_last_error();
  }
  void TearDown() override {
    tilec_jit_destroy(jit);
    tilec_device_destroy(device);
    tilec_bundle_destroy(bundle);
  }

  tilec_status open(const char *kernel, const char *deviceName = "sim") {
    tilec_jit_destroy(jit);
    tilec_device_destroy(device);
    device = openDevice(deviceName);
    return tilec_bundle_create_jit(bundle, kernel, device, &jit);
  }
  tilec_status launch(const std::vector<tilec_call_value> &values,
                      uint32_t flags = TILEC_LAUNCH_BUNDLED_GRID) {
    auto call = sizedStruct<tilec_call>();
    call.values = values.data();
    call.num_values = values.size();
    call.flags = flags;
    std::fill(call.grid, call.grid + 3, 1u);
    call.buffers = buffers.data();
    call.num_buffers = buffers.size();
    return tilec_jit_launch(jit, &call, &variant);
  }
  std::string refusal(const std::vector<tilec_call_value> &values, uint32_t flags = 0) {
    EXPECT_EQ(launch(values, flags), TILEC_INVALID_ARGUMENT);
    return tilec_last_error();
  }

  static std::string folder, path;
  tilec_bundle *bundle = nullptr;
  tilec_device *device = nullptr;
  tilec_jit *jit = nullptr;
  uint32_t variant = 0;
  std::vector<tilec_buffer> buffers;
};

std::string ApiBundle::folder, ApiBundle::path;

/// Arrays of 100 elements.
template <typename T> struct Arrays {
  Arrays() {
    std::iota(x, x + 100, T(0));
    std::fill(y, y + 100, T(0.5));
  }
  std::vector<tilec_buffer> buffers() {
    return {{x, sizeof x, "x", 0}, {y, sizeof y, "y", 0}, {out, sizeof out, "out", 0}};
  }
  alignas(16) T x[100], y[100], out[100] = {};
};

} // namespace

TEST_F(ApiBundle, launchesWithoutCompiling) {
  ASSERT_EQ(open("add_f32"), TILEC_OK) << tilec_last_error();
  Arrays<float> arrays;
  buffers = arrays.buffers();
  ASSERT_EQ(launch({pointer(arrays.x), pointer(arrays.y), pointer(arrays.out), integer(100)}),
            TILEC_OK)
      << tilec_last_error();
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(arrays.out[i], (i + 0.5f) * 1.5f);
  // The bundle may go before what was made from it.
  tilec_bundle_destroy(bundle);
  ASSERT_EQ(launch({pointer(arrays.x), pointer(arrays.x), pointer(arrays.out), integer(96),
                    integer(64), constant("...")}),
            TILEC_OK)
      << tilec_last_error();
  EXPECT_EQ(variant, 1u) << "96 is a multiple of 16";
  EXPECT_EQ(arrays.out[95], 95 * 3.0f);
  EXPECT_EQ(arrays.out[96], 96.5f * 1.5f);
  // A grid of the caller's own, and one of no programs.
  EXPECT_EQ(launch({pointer(arrays.y), pointer(arrays.y), pointer(arrays.out), integer(100)}, 0),
            TILEC_OK);
  EXPECT_EQ(arrays.out[63], 1.5f);
  EXPECT_EQ(arrays.out[64], 64 * 3.0f);
  EXPECT_EQ(launch({pointer(arrays.x), pointer(arrays.y), pointer(arrays.out), integer(0)}),
            TILEC_OK);
}

TEST_F(ApiBundle, constantsAreTheBundles) {
  ASSERT_EQ(open("add_f32"), TILEC_OK);
  Arrays<float> arrays;
  buffers = arrays.buffers();
  std::vector<tilec_call_value> values = {pointer(arrays.x), pointer(arrays.y), pointer(arrays.out),
                                          integer(100), integer(64)};
  EXPECT_EQ(launch(values), TILEC_OK) << tilec_last_error();
  tilec_call_value real = {TILEC_VALUE_FLOAT, 0, 0, {}};
  real.value.real = 1.5;
  values.push_back(real);
  EXPECT_EQ(launch(values), TILEC_OK) << tilec_last_error();
  values[5].value.real = 2.5;
  EXPECT_THAT(refusal(values), HasSubstr("argument 'SCALE' is 2.5E+0, the code has 1.5"));
  values[5] = constant("0x10");
  EXPECT_THAT(refusal(values), HasSubstr("argument 'SCALE' is 0x10"));
  values.resize(4);
  values.push_back(integer(32));
  EXPECT_THAT(refusal(values), HasSubstr("argument 'BLOCK' is 32, the code has 64"));
}

TEST_F(ApiBundle, entriesOfOneKernelAreChosenByTheValues) {
  ASSERT_EQ(open("add"), TILEC_OK) << tilec_last_error();
  Arrays<double> wide;
  Arrays<float> narrow;
  buffers = wide.buffers();
  std::vector<tilec_call_value> values = {pointer(wide.x, TILEC_TYPE_FP64),
                                          pointer(wide.y, TILEC_TYPE_FP64),
                                          pointer(wide.out, TILEC_TYPE_FP64), integer(32)};
  ASSERT_EQ(launch(values, 0), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(wide.out[31], 31.5 * 0.5);
  EXPECT_THAT(refusal(values, TILEC_LAUNCH_BUNDLED_GRID),
              HasSubstr("kernel 'add' has no grid of its own"));
  buffers = narrow.buffers();
  ASSERT_EQ(launch({pointer(narrow.x), pointer(narrow.y), pointer(narrow.out), integer(64)}),
            TILEC_OK)
      << tilec_last_error();
  EXPECT_EQ(narrow.out[63], 63.5f * 1.5f);

  std::string error =
      refusal({pointer(narrow.x + 1), pointer(narrow.y), pointer(narrow.out), integer(64)});
  EXPECT_THAT(error, HasSubstr("no code of bundle 'ops' takes these values"));
  EXPECT_THAT(error, HasSubstr("add_f32 for sim: argument 'x' is no multiple of 16, the code takes "
                               "*fp32:16"));
  EXPECT_THAT(error, HasSubstr("add_f64 for sim: argument 'x' is *fp32, the code takes *fp64"));
}

TEST_F(ApiBundle, withoutTensorCopiesWhereNoMapIsThere) {
  const char product[] = R"(@triton.jit
def product(a, b, out, stride, K, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for start in range(0, K, BLOCK):
        x = tl.load(a + i[:, None] * stride + (start + i)[None, :])
        y = tl.load(b + (start + i)[:, None] * BLOCK + i[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(out + i[:, None] * BLOCK + i[None, :], acc)
)";
  const char entry[] =
      R"json({"file": "dots.tile", "grid": "1", "constants": {"BLOCK": 64}, "arguments":
  {"a": "*fp16:16", "b": "*fp16:16", "out": "*fp32:16", "stride": "i32:16", "K": "i32:16"}, "name": )json";
  std::ofstream(folder + "/dots.tile") << product;
  std::ofstream(folder + "/dots.json")
      << R"({"name": "dots", "targets": ["sim"], "kernels": [)" << entry << R"("copying"}, )"
      << entry << R"("plain", "tensor_copies": false}]})";
  std::string build = std::string(TILEC_TEST_TOOL) + " build " + folder + "/dots.json -o " +
                      folder + " --emit bundle 2> /dev/null";
  ASSERT_EQ(std::system(build.c_str()), 0);
  tilec_bundle_destroy(bundle);
  ASSERT_EQ(tilec_bundle_open((folder + "/dots.tilec").c_str(), &bundle), TILEC_OK);
  std::vector<uint16_t> a(64 * 64), b(64 * 64, 0x3c00);
  std::fill_n(a.begin(), 64, 0x3c00);
  std::vector<float> out(64 * 64);
  buffers = {{a.data(), a.size() * 2, "a", 0},
             {b.data(), b.size() * 2, "b", 0},
             {out.data(), out.size() * 4, "out", 0}};
  std::vector<tilec_call_value> values = {pointer(a.data() + 63 * 64, TILEC_TYPE_FP16),
                                          pointer(b.data(), TILEC_TYPE_FP16), pointer(out.data()),
                                          integer(-64), integer(64)};
  ASSERT_EQ(open("product"), TILEC_OK) << tilec_last_error();
  ASSERT_EQ(launch(values), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(out[62 * 64], 0.0f);
  EXPECT_EQ(out[63 * 64], 64.0f);
  ASSERT_EQ(open("plain"), TILEC_OK);
  EXPECT_EQ(launch(values), TILEC_OK) << tilec_last_error();
  ASSERT_EQ(open("copying"), TILEC_OK);
  EXPECT_THAT(refusal(values), HasSubstr("the tensor of argument 'a' has the stride -64"));
}

TEST_F(ApiBundle, divisibilityOtherThan16IsCheckedAtEveryLaunch) {
  ASSERT_EQ(open("add_f64"), TILEC_OK);
  Arrays<double> wide;
  buffers = wide.buffers();
  std::vector<tilec_call_value> values = {pointer(wide.x, TILEC_TYPE_FP64),
                                          pointer(wide.y, TILEC_TYPE_FP64),
                                          pointer(wide.out, TILEC_TYPE_FP64), integer(20)};
  ASSERT_EQ(launch(values, 0), TILEC_OK) << tilec_last_error();
  values[3] = integer(21); // Of the same kind.
  EXPECT_THAT(refusal(values), HasSubstr("argument 'n' is no multiple of 4"));
}

TEST_F(ApiBundle, valuesThatFit) {
  ASSERT_EQ(open("tell"), TILEC_OK);
  alignas(16) int64_t out = 0;
  buffers = {{&out, sizeof out, "out", 0}};
  tilec_call_value truth = {TILEC_VALUE_BOOL, 0, 0, {}};
  truth.value.integer = 1;
  auto values = [&](tilec_call_value a, tilec_call_value b) {
    return std::vector<tilec_call_value>{pointer(&out, TILEC_TYPE_I64), a, b, integer(1000)};
  };
  ASSERT_EQ(launch(values(integer(200), truth), 0), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(out, 1201);
  // One is no constant here.
  ASSERT_EQ(launch(values(integer(1), integer(0)), 0), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(out, 1001);
  EXPECT_THAT(refusal(values(integer(-1), truth)), HasSubstr("argument 'a' is -1"));
  ASSERT_EQ(launch(values(integer(7), truth), 0), TILEC_OK);
  EXPECT_THAT(refusal(values(integer(256 + 7), truth)), HasSubstr("argument 'a' is 263"));
  EXPECT_THAT(refusal(values(integer(1), integer(2))), HasSubstr("'b' is 2, the code takes i1"));
  EXPECT_THAT(refusal({pointer(&out, TILEC_TYPE_I64), integer(1), truth}),
              HasSubstr("argument 'c' is missing"));
  EXPECT_THAT(refusal({pointer(&out, TILEC_TYPE_U64), integer(1), truth, integer(1)}),
              HasSubstr("argument 'out' is *u64, the code takes *i64"));
  EXPECT_THAT(refusal(values(constant("1.0"), truth)), HasSubstr("argument 'a' is 1.0"));
}

TEST_F(ApiBundle, threadsThatLaunchFirst) {
  ASSERT_EQ(open("add"), TILEC_OK);
  std::vector<std::thread> threads;
  std::vector<Arrays<float>> arrays(4);
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&, number] {
      Arrays<float> &mine = arrays[size_t(number)];
      std::vector<tilec_buffer> memory = mine.buffers();
      for (int n = 1; n <= 100; n += 9) {
        tilec_call_value values[] = {pointer(mine.x), pointer(mine.y), pointer(mine.out),
                                     integer(n)};
        auto call = sizedStruct<tilec_call>();
        call.values = values;
        call.num_values = 4;
        call.flags = TILEC_LAUNCH_BUNDLED_GRID;
        call.buffers = memory.data();
        call.num_buffers = memory.size();
        ASSERT_EQ(tilec_jit_launch(jit, &call, nullptr), TILEC_OK) << tilec_last_error();
      }
      ASSERT_EQ(mine.out[99], 99.5f * 1.5f);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(tilec_jit_num_variants(jit), 2u);
}

TEST_F(ApiBundle, gpusGetTheirCode) {
  ASSERT_EQ(open("add_f64", "cuda"), TILEC_OK) << tilec_last_error();
  std::vector<tilec_call_value> values = {pointer(nullptr, TILEC_TYPE_FP64),
                                          pointer(nullptr, TILEC_TYPE_FP64),
                                          pointer(nullptr, TILEC_TYPE_FP64), integer(64)};
  fakeCalls();
  ASSERT_EQ(launch(values, 0), TILEC_OK) << tilec_last_error();
  EXPECT_THAT(fakeCalls(), HasSubstr("cuModuleLoadData"));
  EXPECT_EQ(fakeCuda().launchAttributes.size(), 1u) << "cooperative";
  auto call = sizedStruct<tilec_call>();
  call.values = values.data();
  call.num_values = values.size();
  tilec_kernel *kernel = nullptr;
  ASSERT_EQ(tilec_jit_get_kernel(jit, &call, &kernel), TILEC_OK);
  auto info = sizedStruct<tilec_kernel_info>();
  ASSERT_EQ(tilec_kernel_get_info(kernel, &info), TILEC_OK);
  EXPECT_STREQ(info.target, "sm_90a");
  tilec_kernel_destroy(kernel);
  EXPECT_THAT(tilec_jit_describe(jit, &call), HasSubstr(R"(["SCALE","0.5"])"));
  // Another kind of values has the same code: nothing is loaded.
  fakeCalls();
  values[3] = integer(4);
  ASSERT_EQ(launch(values, 0), TILEC_OK) << tilec_last_error();
  EXPECT_THAT(fakeCalls(), Not(HasSubstr("cuModuleLoad")));
}

TEST_F(ApiBundle, codeThatTheDriverRefuses) {
  ASSERT_EQ(open("tell", "cuda"), TILEC_OK) << tilec_last_error();
  std::vector<tilec_call_value> values = {pointer(nullptr, TILEC_TYPE_I64), integer(3), integer(1),
                                          integer(2)};
  for (const char *call : {"cuModuleLoadDataEx", "cuModuleLoadData"})
    fakeCuda().failures[call] = tilecrt::cuda::CUresult(222);
  EXPECT_NE(launch(values, 0), TILEC_OK);
  EXPECT_THAT(tilec_last_error(), HasSubstr("tell for sm_90a: "));
  EXPECT_THAT(tilec_last_error(), HasSubstr("tell for sm_80: "));
}

TEST_F(ApiBundle, devicesWithoutCode) {
  for (auto [attribute, value] : {std::pair(75, 7), std::pair(76, 5)})
    fakeCuda().deviceAttributes[attribute] = value;
  EXPECT_EQ(open("add", "cuda"), TILEC_UNAVAILABLE);
  EXPECT_THAT(tilec_last_error(), HasSubstr("bundle 'ops' has no code of 'add_f32' for sm_75; it "
                                            "has some for "));
  EXPECT_THAT(tilec_last_error(), HasSubstr("PTX for sm_80"));
}

TEST_F(ApiBundle, whatIsWrong) {
  tilec_bundle *other = nullptr;
  EXPECT_EQ(tilec_bundle_open((folder + "/none").c_str(), &other), TILEC_INPUT_ERROR);
  EXPECT_THAT(tilec_last_error(), HasSubstr("/none': No such file"));
  EXPECT_EQ(tilec_bundle_open((folder + "/ops.json").c_str(), &other), TILEC_INPUT_ERROR);
  EXPECT_THAT(tilec_last_error(), HasSubstr("ops.json' is not a bundle of tilec's"));
  EXPECT_EQ(other, nullptr);
  EXPECT_EQ(tilec_bundle_open(nullptr, &other), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_bundle_open(path.c_str(), nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_bundle_read(nullptr, 5, &other), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_bundle_read(nullptr, 0, &other), TILEC_INPUT_ERROR);
  EXPECT_EQ(tilec_bundle_describe(nullptr), nullptr);
  EXPECT_THAT(tilec_bundle_describe(bundle), HasSubstr(R"("name":"add_f64")"));

  EXPECT_EQ(open("sub"), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("bundle 'ops' has no kernel 'sub'; it has add_f32, "
                                            "add_f64, tell"));
  EXPECT_EQ(tilec_bundle_create_jit(bundle, nullptr, device, &jit), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_bundle_create_jit(bundle, "tell", nullptr, &jit), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_bundle_create_jit(nullptr, "tell", device, &jit), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_bundle_create_jit(bundle, "tell", device, nullptr), TILEC_INVALID_ARGUMENT);

  ASSERT_EQ(open("tell"), TILEC_OK);
  std::vector<tilec_call_value> values(5, integer(1));
  EXPECT_THAT(refusal(values), HasSubstr("1 values are too many"));
  auto call = sizedStruct<tilec_call>();
  call.num_warps = 8;
  EXPECT_EQ(tilec_jit_find(jit, &call, &variant), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("num_warps is 8, the code has 4"));
  call.num_warps = 0;
  call.compile_flags = TILEC_COMPILE_DEBUG;
  EXPECT_EQ(tilec_jit_find(jit, &call, &variant), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("compiled already"));
}

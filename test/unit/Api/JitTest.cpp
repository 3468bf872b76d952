// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that specialise themselves: kinds of values, launches on the simulator, refusals.

#include "Kernels.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <numeric>
#include <thread>

using namespace tilec;
using namespace tilec::test;
using testing::HasSubstr;
using testing::Not;

namespace {

tilec_call_value integer(int64_t value) {
  tilec_call_value made = {TILEC_VALUE_INTEGER, 0, 0, {}};
  made.value.integer = value;
  return made;
}

tilec_call_value real(double value) {
  tilec_call_value made = {TILEC_VALUE_FLOAT, 0, 0, {}};
  made.value.real = value;
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

tilec_call_value tuple(uint64_t count, const char *fields = nullptr) {
  tilec_call_value made = {TILEC_VALUE_TUPLE, 0, fields ? uint32_t(tilec_constant(fields)) : 0, {}};
  made.value.unsigned_integer = count;
  return made;
}

class ApiJit : public testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(tilec_device_open("sim", nullptr, &device), TILEC_OK); }
  void TearDown() override {
    tilec_jit_destroy(jit);
    tilec_device_destroy(device);
  }

  tilec_status create(const char *code) {
    source = code;
    options.struct_size = sizeof options;
    options.name = "kernel.tile";
    options.text = source.data();
    options.length = source.size();
    return tilec_jit_create(device, &options, &jit);
  }
  tilec_call callOf(const std::vector<tilec_call_value> &values) {
    tilec_call call = {};
    call.struct_size = sizeof call;
    call.values = values.data();
    call.num_values = values.size();
    std::fill(call.grid, call.grid + 3, 1u);
    return call;
  }
  std::string describe(const std::vector<tilec_call_value> &values) {
    tilec_call call = callOf(values);
    const char *text = tilec_jit_describe(jit, &call);
    return text ? text : tilec_last_error();
  }

  std::string source;
  tilec_device *device = nullptr;
  tilec_jit *jit = nullptr;
  tilec_jit_options options = {};
};

const char pairSource[] = R"(@triton.jit
def pair(x, a, b: tl.constexpr, c: tl.int64, d=None):
    tl.store(x, a + b + c)
)";

} // namespace

TEST_F(ApiJit, launchesWithMemoryOfTheProgram) {
  ASSERT_EQ(create(addSource), TILEC_OK) << tilec_last_error();
  std::vector<float> x(300), y(300, 0.5f), out(300);
  std::iota(x.begin(), x.end(), 0.0f);
  std::vector<tilec_call_value> values = {pointer(x.data()), pointer(y.data()), pointer(out.data()),
                                          integer(300), integer(128)};
  tilec_call call = callOf(values);
  call.grid[0] = 3;
  tilec_buffer buffers[] = {{x.data(), 1200, "x", TILEC_BUFFER_READ_ONLY},
                            {y.data(), 1200, "y", 0},
                            {out.data(), 1200, "out", 0}};
  call.buffers = buffers;
  call.num_buffers = 3;
  uint32_t variant = 7;
  ASSERT_EQ(tilec_jit_launch(jit, &call, &variant), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(variant, 0u);
  for (size_t i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i], x[i] + 0.5f);

  values[3] = integer(301);
  EXPECT_EQ(tilec_jit_launch(jit, &call, &variant), TILEC_INPUT_ERROR);
  EXPECT_THAT(tilec_last_error(), HasSubstr("out-of-bounds"));
  EXPECT_EQ(tilec_jit_num_variants(jit), 1u);

  call.num_buffers = 0;
  EXPECT_EQ(tilec_jit_launch(jit, &call, nullptr), TILEC_INPUT_ERROR) << "memory nobody gave";
}

/// A small natural number.
static uint16_t halfOf(unsigned number) {
  unsigned exponent = 0;
  while (number >> (exponent + 1))
    ++exponent;
  return number ? uint16_t((exponent + 15) << 10 | ((number << (10 - exponent)) & 0x3ff)) : 0;
}

TEST_F(ApiJit, withoutTensorCopiesWhereNoMapIsThere) {
  constexpr int64_t rows = 64, k = 128;
  ASSERT_EQ(create(R"(@triton.jit
def product(a, b, out, first, stride, K, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for start in range(0, K, BLOCK):
        x = tl.load(a + first + i[:, None] * stride + (start + i)[None, :])
        y = tl.load(b + (start + i)[:, None] * BLOCK + i[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(out + i[:, None] * BLOCK + i[None, :], acc)
)"),
            TILEC_OK)
      << tilec_last_error();
  std::vector<uint16_t> a(rows * k), b(k * rows, halfOf(1));
  for (unsigned row = 0; row < rows; ++row)
    a[row * k + row] = halfOf(row);
  std::vector<float> out(rows * rows);
  tilec_buffer buffers[] = {{a.data(), a.size() * 2, "a", TILEC_BUFFER_READ_ONLY},
                            {b.data(), b.size() * 2, "b", TILEC_BUFFER_READ_ONLY},
                            {out.data(), out.size() * 4, "out", 0}};
  auto valuesOf = [&](bool backwards) -> std::vector<tilec_call_value> {
    return {pointer(a.data(), TILEC_TYPE_FP16),
            pointer(b.data(), TILEC_TYPE_FP16),
            pointer(out.data()),
            integer(backwards ? (rows - 1) * k : 0),
            integer(backwards ? -k : k),
            integer(k),
            integer(rows)};
  };
  auto check = [&](bool backwards) {
    for (size_t row = 0; row < rows; ++row)
      ASSERT_EQ(out[row * rows], float(backwards ? rows - 1 - row : row));
    std::fill(out.begin(), out.end(), -1.0f);
  };
  for (bool backwards : {false, true, false, true}) {
    std::vector<tilec_call_value> values = valuesOf(backwards);
    tilec_call call = callOf(values);
    call.buffers = buffers;
    call.num_buffers = 3;
    uint32_t launched = 7, found = 7;
    ASSERT_EQ(tilec_jit_launch(jit, &call, &launched), TILEC_OK) << tilec_last_error();
    check(backwards);
    ASSERT_EQ(tilec_jit_find(jit, &call, &found), TILEC_OK) << tilec_last_error();
    EXPECT_EQ(launched, uint32_t(backwards));
    EXPECT_EQ(found, launched);
    tilec_prepared *prepared = nullptr;
    ASSERT_EQ(tilec_jit_prepare(jit, &call, &prepared), TILEC_OK) << tilec_last_error();
    ASSERT_EQ(tilec_prepared_launch(prepared, nullptr), TILEC_OK) << tilec_last_error();
    check(backwards);
    tilec_prepared_destroy(prepared);
  }
  EXPECT_EQ(tilec_jit_num_variants(jit), 2u);
}

TEST_F(ApiJit, kindsAreThoseOfTriton) {
  ASSERT_EQ(create(pairSource), TILEC_OK) << tilec_last_error();
  alignas(16) float x[8];
  auto none = tilec_call_value{TILEC_VALUE_NONE, 0, 0, {}};
  EXPECT_EQ(describe({pointer(x), integer(5), integer(2), integer(1), none}),
            R"({"arguments":[["x","*fp32:16"],["a","i32"],["c","i64"]],)"
            R"("constants":[["b","2"],["d","None"]]})");
  EXPECT_EQ(describe({pointer(x + 1), integer(1), constant("0.5"), integer(32)}),
            R"({"arguments":[["x","*fp32"],["c","i64:16"]],"constants":[["a","1"],["b","0.5"]]})");
  EXPECT_THAT(
      describe({pointer(x, TILEC_TYPE_BF16), integer(int64_t(1) << 40), integer(2), integer(3)}),
      HasSubstr(R"([["x","*bf16:16"],["a","i64:16"],["c","i64"]])"));
  EXPECT_THAT(describe({pointer(x), real(1), integer(2), integer(3)}),
              HasSubstr(R"(["a","fp32"])"));
  EXPECT_THAT(describe({pointer(x), tuple(2), integer(1), real(2), integer(2), integer(3)}),
              HasSubstr(R"(["a.1","fp32"])"));
  EXPECT_THAT(
      describe({pointer(x), tuple(2, "low,high"), integer(7), real(2), integer(2), integer(3)}),
      HasSubstr(R"(["a.low","i32"],["a.high","fp32"])"));
}

TEST_F(ApiJit, multiplesOfEightAreAKindOfIndices) {
  const char strided[] = R"(@triton.jit
def scaled(x):
    return x * 2

@triton.jit
def strided(x, stride, bound, width, through, stored, size: tl.constexpr):
    rows = tl.program_id(0) * size + tl.arange(0, size)
    places = rows[:, None] * stride + rows[None, :] // width + scaled(through)
    tl.store(x + places, stored, mask=rows[:, None] < bound)
)";
  ASSERT_EQ(create(strided), TILEC_OK) << tilec_last_error();
  alignas(16) float x[8];
  auto ofAll = [&](int64_t value) {
    return describe({pointer(x), integer(value), integer(value), integer(value), integer(value),
                     integer(value), integer(4)});
  };
  EXPECT_THAT(ofAll(24), HasSubstr(R"(["stride","i32:8"],["bound","i32:8"],["width","i32:8"],)"
                                   R"(["through","i32:8"],["stored","i32"])"));
  EXPECT_THAT(ofAll(-8), HasSubstr(R"(["stride","i32:8"])"));
  EXPECT_THAT(ofAll(int64_t(3) << 35), HasSubstr(R"(["stride","i64:16"])"));
  EXPECT_THAT(ofAll(48), HasSubstr(R"(["stored","i32:16"])"));
  EXPECT_THAT(ofAll(12), HasSubstr(R"(["stride","i32"])"));
  // Addresses are multiples of 16 or not.
  EXPECT_THAT(describe({pointer(x + 2), integer(8), integer(8), integer(8), integer(8), integer(8),
                        integer(4)}),
              HasSubstr(R"(["x","*fp32"],["stride","i32:8"])"));
  tilec_jit_destroy(jit);

  const char *unaligned[] = {"stride"};
  options.unaligned = unaligned;
  options.num_unaligned = 1;
  const char *types[] = {"*fp32", "i64", "i32", "i32", "i32", "i32"};
  options.signature = types;
  options.num_signature = 6;
  ASSERT_EQ(create(strided), TILEC_OK) << tilec_last_error();
  auto ofSignature = [&](int64_t value) {
    return describe({pointer(x), integer(value), integer(value), integer(value), integer(value),
                     integer(value)});
  };
  std::string eight = ofSignature(40);
  EXPECT_THAT(eight, HasSubstr(R"(["stride","i64"],["bound","i32:8"])"));
  EXPECT_NE(eight, ofSignature(41));
  EXPECT_NE(eight, ofSignature(48));
  EXPECT_EQ(eight, ofSignature(56));
}

TEST_F(ApiJit, programsSayMoreOfParameters) {
  const tilec_binding parameters[] = {{"a", "constexpr"}, {"x", "const"}};
  const char *unspecialized[] = {"c"};
  options.parameters = parameters;
  options.num_parameters = 2;
  options.unspecialized = unspecialized;
  options.num_unspecialized = 1;
  ASSERT_EQ(create(pairSource), TILEC_OK) << tilec_last_error();
  alignas(16) float x[8];
  EXPECT_EQ(describe({pointer(x), integer(5), integer(2), integer(16)}),
            R"({"arguments":[["x","*kfp32:16"],["c","i64"]],"constants":[["a","5"],["b","2"]]})");
}

TEST_F(ApiJit, signatures) {
  const char *types[] = {"*kfp32", "fp64", "u64", "u1"};
  options.signature = types;
  options.num_signature = 3;
  const char fourSource[] = R"(@triton.jit
def four(x, BLOCK: tl.constexpr, a, n, flag=False):
    tl.store(x, a + n + BLOCK)
)";
  ASSERT_EQ(create(fourSource), TILEC_OK) << tilec_last_error();
  alignas(16) float x[4];
  // What a pointer says of itself does not count, and 16.0 is no multiple of 16.
  std::vector<tilec_call_value> values = {pointer(x, TILEC_TYPE_I8), real(16), integer(48)};
  EXPECT_EQ(describe(values), R"({"arguments":[["x","*kfp32:16"],["a","fp64"],["n","u64:16"]],)"
                              R"("constants":[]})");
  values[1] = integer(1);
  values[2] = integer(1);
  EXPECT_EQ(describe(values),
            R"({"arguments":[["x","*kfp32:16"],["a","fp64"]],"constants":[["n","1"]]})");
  values[2] = real(2);
  EXPECT_EQ(describe(values), "argument 'n' cannot be a float: the signature has u64");
  tilec_jit_destroy(jit);

  options.num_signature = 4;
  ASSERT_EQ(create(fourSource), TILEC_OK) << tilec_last_error();
  tilec_jit_destroy(jit);
  types[1] = "float";
  EXPECT_EQ(create(fourSource), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "options: 'float' in the signature is no type of a parameter");
  options.num_signature = 2;
  EXPECT_EQ(create(fourSource), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(),
               "kernel 'four' takes 4 arguments (x, a, n, flag), the signature has 2");
}

TEST_F(ApiJit, preparedLaunchesTakeValues) {
  const char *types[] = {"*fp32", "fp32", "i32"};
  options.signature = types;
  options.num_signature = 3;
  ASSERT_EQ(create("@triton.jit\ndef three(x, a, n):\n    tl.store(x, a + n)\n"), TILEC_OK)
      << tilec_last_error();
  void *memory = nullptr;
  ASSERT_EQ(tilec_memory_alloc(device, 16, &memory), TILEC_OK);
  std::vector<tilec_call_value> values = {pointer(memory), real(0.5), integer(3)};
  values[1] = {TILEC_VALUE_BITS, 0, 0, {}};
  values[1].value.unsigned_integer = 0x3f000000;
  tilec_call call = callOf(values);
  tilec_prepared *prepared = nullptr;
  ASSERT_EQ(tilec_jit_prepare(jit, &call, &prepared), TILEC_OK) << tilec_last_error();
  ASSERT_EQ(tilec_prepared_launch(prepared, nullptr), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(*static_cast<float *>(memory), 3.5f);
  tilec_call_value five = integer(5), wide = integer(int64_t(1) << 40), none = {};
  ASSERT_EQ(tilec_prepared_set_value(prepared, 2, &five), TILEC_OK) << tilec_last_error();
  ASSERT_EQ(tilec_prepared_launch(prepared, nullptr), TILEC_OK);
  EXPECT_EQ(*static_cast<float *>(memory), 5.5f);
  EXPECT_EQ(tilec_prepared_set_value(prepared, 2, &wide), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "argument 'n' is 1099511627776, which is no i32");
  EXPECT_EQ(tilec_prepared_set_value(prepared, 2, &none), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(),
               "argument 2 has another kind of value than the launch was prepared with");
  EXPECT_EQ(tilec_prepared_set_value(prepared, 3, &five), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_prepared_set_value(prepared, 2, nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_prepared_set_value(nullptr, 2, &five), TILEC_INVALID_ARGUMENT);
  tilec_prepared_destroy(prepared);
}

TEST_F(ApiJit, valuesBecomeTheArgumentsOfTheCode) {
  ASSERT_EQ(create(R"(@triton.jit
def mixed(out, n, t, flag, scale: tl.float64):
    tl.store(out, n + t[0] + tl.where(flag, 100, 0) + scale * t[1])
)"),
            TILEC_OK)
      << tilec_last_error();
  float out = 0;
  auto yes = tilec_call_value{TILEC_VALUE_BOOL, 0, 0, {}};
  yes.value.integer = 1;
  std::vector<tilec_call_value> values = {pointer(&out), integer(-3), tuple(2),  integer(7),
                                          real(0.5),     yes,         integer(4)};
  tilec_call call = callOf(values);
  tilec_buffer buffer = {&out, sizeof out, "out", 0};
  call.buffers = &buffer;
  call.num_buffers = 1;
  ASSERT_EQ(tilec_jit_launch(jit, &call, nullptr), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(out, 106.0f);
}

TEST_F(ApiJit, manyThreadsCompileOnce) {
  ASSERT_EQ(create(addSource), TILEC_OK);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      std::vector<float> x(128), out(128);
      std::vector<tilec_call_value> values = {pointer(x.data()), pointer(x.data()),
                                              pointer(out.data()), integer(127), integer(128)};
      tilec_call call = callOf(values);
      tilec_buffer buffers[] = {{x.data(), 512, "x", 0}, {out.data(), 512, "out", 0}};
      call.buffers = buffers;
      call.num_buffers = 2;
      EXPECT_EQ(tilec_jit_launch(jit, &call, nullptr), TILEC_OK) << tilec_last_error();
    });
  for (std::thread &thread : threads)
    thread.join();
  // Vectors of floats are aligned to 16 bytes by the allocator, or they are not: one kind or more.
  EXPECT_LE(tilec_jit_num_variants(jit), 8u);
}

TEST_F(ApiJit, refusals) {
  EXPECT_EQ(create("@triton.jit\ndef broken(:\n"), TILEC_INPUT_ERROR);
  EXPECT_THAT(tilec_last_error(), HasSubstr("kernel.tile:2:"));
  ASSERT_EQ(create(pairSource), TILEC_OK);
  float x = 0;
  EXPECT_THAT(describe({pointer(&x), integer(2), pointer(&x), integer(3)}),
              HasSubstr("'b' is a tl.constexpr, and cannot be a pointer"));
  EXPECT_THAT(describe({pointer(&x, tilec_type(99)), integer(2), integer(2), integer(3)}),
              HasSubstr("unknown element type 99"));
  EXPECT_THAT(describe({pointer(&x), tuple(9)}), HasSubstr("a tuple of 9 elements"));
  auto none = tilec_call_value{TILEC_VALUE_NONE, 0, 0, {}};
  EXPECT_THAT(describe({none, none, none, none, none, none}), HasSubstr("1 values are too many"));
  EXPECT_EQ(tilec_jit_launch(jit, nullptr, nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_jit_num_variants(jit), 0u);

  const char *wrong[] = {"nobody"};
  tilec_jit *other = nullptr;
  options.unaligned = wrong;
  options.num_unaligned = 1;
  EXPECT_EQ(tilec_jit_create(device, &options, &other), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("'nobody', which is no parameter"));
}

TEST_F(ApiJit, refusedCallsAreNotCompiledAgain) {
  int compilations = 0;
  options.compiled = [](void *context, const tilec_jit_event *) { ++*static_cast<int *>(context); };
  options.context = &compilations;
  ASSERT_EQ(create("@triton.jit\ndef odd(x, N: tl.constexpr):\n"
                   "    tl.static_assert(N % 2 == 1, 'N is odd')\n    tl.store(x, N)\n"),
            TILEC_OK)
      << tilec_last_error();
  float x = 0;
  std::vector<tilec_call_value> values = {pointer(&x), integer(2)};
  tilec_call call = callOf(values);
  EXPECT_EQ(tilec_jit_launch(jit, &call, nullptr), TILEC_INPUT_ERROR);
  std::string first = tilec_last_error();
  EXPECT_THAT(first, HasSubstr("N is odd"));
  tilec_device_synchronize(nullptr); // Another failure.
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(tilec_jit_launch(jit, &call, nullptr), TILEC_INPUT_ERROR);
    EXPECT_EQ(tilec_last_error(), first);
  }
  EXPECT_EQ(compilations, 1);
  values[1] = integer(4);
  EXPECT_EQ(tilec_jit_launch(jit, &call, nullptr), TILEC_INPUT_ERROR);
  values[1] = integer(3);
  tilec_buffer buffer = {&x, sizeof x, "x", 0};
  call.buffers = &buffer;
  call.num_buffers = 1;
  EXPECT_EQ(tilec_jit_launch(jit, &call, nullptr), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(x, 3.0f);
  EXPECT_EQ(compilations, 3);
  EXPECT_EQ(tilec_jit_num_variants(jit), 1u);
}

TEST_F(ApiJit, flagsOfCalls) {
  tilec_options compile = {};
  compile.struct_size = sizeof compile;
  compile.target = "sm_90a";
  options.options = &compile;
  tilec_device_destroy(std::exchange(device, nullptr));
  ASSERT_EQ(create("@triton.jit\ndef power(x, n):\n"
                   "    tl.store(x + n * n, tl.sigmoid(tl.load(x + n)))\n"),
            TILEC_OK)
      << tilec_last_error();
  alignas(16) float x[4];
  std::vector<tilec_call_value> values = {pointer(x), integer(3)};
  tilec_call call = callOf(values);
  auto ptxWith = [&](uint32_t flags) -> std::string {
    call.compile_flags = flags;
    tilec_kernel *kernel = nullptr;
    EXPECT_EQ(tilec_jit_get_kernel(jit, &call, &kernel), TILEC_OK) << tilec_last_error();
    std::string ptx = kernel ? tilec_kernel_ptx(kernel) : "";
    tilec_kernel_destroy(kernel);
    return ptx;
  };
  std::string plain = ptxWith(0);
  EXPECT_THAT(plain, AllOf(HasSubstr("ex2.approx.ftz.f32"), HasSubstr("rcp.approx.ftz.f32")));
  EXPECT_THAT(plain, Not(HasSubstr("__assertfail")));
  EXPECT_THAT(ptxWith(TILEC_COMPILE_KEEP_SUBNORMALS),
              AllOf(HasSubstr("ex2.approx.f32"), HasSubstr("div.full.f32")));
  EXPECT_EQ(ptxWith(TILEC_COMPILE_NO_OVERFLOW_CHECKS), plain);
  EXPECT_THAT(ptxWith(TILEC_COMPILE_DEBUG), HasSubstr("__assertfail"));
  EXPECT_THAT(ptxWith(TILEC_COMPILE_DEBUG | TILEC_COMPILE_NO_OVERFLOW_CHECKS),
              Not(HasSubstr("__assertfail")));
  // Nobody would give the kernel its buffer.
  call.compile_flags = TILEC_COMPILE_TIMELINE;
  tilec_kernel *kernel = nullptr;
  EXPECT_EQ(tilec_jit_get_kernel(jit, &call, &kernel), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("TILEC_COMPILE_TIMELINE is for kernels"));
}

TEST_F(ApiJit, compilesWithoutADevice) {
  tilec_options compile = {};
  compile.struct_size = sizeof compile;
  compile.target = "sm_90a";
  options.options = &compile;
  tilec_device_destroy(std::exchange(device, nullptr));
  ASSERT_EQ(create(addSource), TILEC_OK) << tilec_last_error();
  alignas(16) float x[4];
  std::vector<tilec_call_value> values = {pointer(x), pointer(x), pointer(x), integer(4),
                                          integer(128)};
  tilec_call call = callOf(values);
  call.num_warps = 8;
  tilec_kernel *kernel = nullptr;
  ASSERT_EQ(tilec_jit_get_kernel(jit, &call, &kernel), TILEC_OK) << tilec_last_error();
  EXPECT_THAT(tilec_kernel_ptx(kernel), HasSubstr(".reqntid 256"));
  tilec_kernel_destroy(kernel);
  EXPECT_EQ(tilec_jit_launch(jit, &call, nullptr), TILEC_INVALID_ARGUMENT);
  call.num_warps = 3;
  EXPECT_EQ(tilec_jit_get_kernel(jit, &call, &kernel), TILEC_INVALID_ARGUMENT);
}

TEST(ApiTypes, namesAndNumbers) {
  EXPECT_EQ(tilec_type_of("fp32"), TILEC_TYPE_FP32);
  EXPECT_EQ(tilec_type_of("fp8e4nv"), TILEC_TYPE_FP8E4NV);
  EXPECT_EQ(tilec_type_of("*fp32"), TILEC_TYPE_NONE);
  EXPECT_EQ(tilec_type_of(nullptr), TILEC_TYPE_NONE);
  for (int type = TILEC_TYPE_U1; type <= TILEC_TYPE_FP8E4B15; ++type)
    EXPECT_EQ(tilec_type_of(tilec_type_name(tilec_type(type))), type);
  EXPECT_EQ(tilec_type_name(TILEC_TYPE_NONE), nullptr);
  EXPECT_EQ(tilec_constant("a"), tilec_constant("a"));
  EXPECT_NE(tilec_constant("a"), tilec_constant("b"));
  EXPECT_EQ(tilec_constant(nullptr), 0u);
}

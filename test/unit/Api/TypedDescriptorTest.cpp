// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typed kernels that take tensor descriptors and 16-bit floats by value: results on the simulator,
// specialisation, and how often the driver encodes tensor maps.

#include "FakeCuda.h"

#include "gmock/gmock.h"

#include <algorithm>

using namespace tilec;
using namespace tilec::test;
using testing::HasSubstr;

namespace {

// Rows of blocks: out = x * scale + shift.
const char scaleSource[] = R"(@triton.jit
def scale(x, out, by, shift):
    for row in range(0, x.shape[0], x.block_shape[0]):
        for column in range(0, x.shape[1], x.block_shape[1]):
            value = x.load([row, column]).to(tl.float32) * by.to(tl.float32) + shift.to(tl.float32)
            out.store([row, column], value.to(out.dtype))
)";

using Tensor = TensorDescriptor<Half, 2>;
using Scale =
    TypedKernel<void(TensorDescriptor<const Half, 2>, TensorDescriptor<Half, 2>, Half, BFloat16)>;

std::vector<Half> ramp(size_t size) {
  std::vector<Half> values;
  for (size_t i = 0; i < size; ++i)
    values.push_back(Half::of(float(i % 512)));
  return values;
}

class TypedDescriptorSim : public testing::Test {
protected:
  Device device = Device::open("sim");
  Scale scale{device, Source::text("scale.tile", scaleSource)};
  DeviceBuffer<Half> x{device, ramp(2048)}, out{device, std::vector<Half>(512, Half::of(-1.0f))};
  Half two = Half::of(2.0f);
  BFloat16 half = BFloat16::of(0.5f);
  Tensor tensorX{x.data(), {16, 32}, {16, 16}}, tensorOut{out.data(), {16, 32}, {16, 16}};

  float at(size_t index) {
    std::vector<Half> result;
    EXPECT_TRUE(out.download(result));
    return result[index].toFloat();
  }
};

TEST_F(TypedDescriptorSim, calls) {
  ASSERT_TRUE(scale) << scale.status().message;
  Status done = scale({}, tensorX, tensorOut, two, half);
  ASSERT_TRUE(done) << done.message;
  for (size_t i : {0, 17, 255, 511})
    EXPECT_EQ(at(i), 2.0f * float(i) + 0.5f);
}

TEST_F(TypedDescriptorSim, partOfARow) {
  // 10 x 20 of rows of 32: the rest stays.
  Tensor partX(x.data(), {10, 20}, {32}, {16, 16}), partOut(out.data(), {10, 20}, {32}, {16, 16});
  Status done = scale({}, partX, partOut, two, half);
  ASSERT_TRUE(done) << done.message;
  EXPECT_EQ(at(9 * 32 + 19), 2.0f * float(9 * 32 + 19) + 0.5f);
  EXPECT_EQ(at(9 * 32 + 20), -1.0f);
  EXPECT_EQ(at(10 * 32), -1.0f);
}

TEST_F(TypedDescriptorSim, specialises) {
  auto call = [&](const Tensor &from) {
    Tensor to = tensorOut;
    to.block = from.block;
    Status done = scale({}, from, to, two, half);
    EXPECT_TRUE(done) << done.message;
    return scale.numVariants();
  };
  EXPECT_EQ(call(tensorX), 1u);
  Tensor other = tensorX;
  other.data += 64;
  other.shape = {32, 16};
  EXPECT_EQ(call(other), 1u) << "multiples of 16 as before";
  other.shape = {8, 16};
  EXPECT_EQ(call(other), 2u) << "not all sizes are multiples of 16";
  other.strides = {8};
  EXPECT_EQ(call(other), 2u) << "strides are multiples of 16 bytes at all times";
  other.block = {8, 16};
  other.shape = tensorX.shape;
  EXPECT_EQ(call(other), 3u) << "another block";
  other.padsWithNan = true;
  EXPECT_EQ(call(other), 4u) << "NaN outside";
  EXPECT_EQ(call(tensorX), 4u);
}

TEST_F(TypedDescriptorSim, wrongTensors) {
  Tensor wrong = tensorX;
  wrong.data += 1;
  Status refused = scale({}, wrong, tensorOut, two, half);
  EXPECT_EQ(refused.code, TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(refused.message, HasSubstr("argument 'x' ('*fp16')"));
  wrong = tensorX;
  wrong.strides = {33};
  refused = scale({}, wrong, tensorOut, two, half);
  EXPECT_EQ(refused.code, TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(refused.message, HasSubstr("argument 'x.stride0' ('i64')"));
  wrong = tensorX;
  wrong.block = {16, 24};
  refused = scale({}, wrong, tensorOut, two, half);
  EXPECT_EQ(refused.code, TILEC_INPUT_ERROR) << "a block that is no power of two";
  EXPECT_THAT(refused.message, HasSubstr("scale.tile:"));
  wrong.shape = {-1, 16};
  wrong.block = tensorX.block;
  refused = scale({}, wrong, tensorOut, two, half);
  EXPECT_EQ(refused.code, TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(refused.message, HasSubstr("the size -1 in dimension 0"));
}

TEST_F(TypedDescriptorSim, prepared) {
  auto prepared = scale.prepare({}, tensorX, tensorOut, two, half);
  ASSERT_TRUE(prepared) << prepared.status().message;
  ASSERT_TRUE(prepared.launch());
  EXPECT_EQ(at(5), 10.5f);
  Tensor changed = tensorX;
  changed.data += 32;
  changed.shape = {16, 16};
  ASSERT_TRUE(prepared.set<0>(changed));
  ASSERT_TRUE(prepared.set<2>(Half::of(4.0f)));
  ASSERT_TRUE(prepared.launch());
  EXPECT_EQ(at(5), 4.0f * 37 + 0.5f);
  changed.shape = {16, 17};
  EXPECT_THAT(prepared.set<0>(changed).message,
              HasSubstr("argument 'x.shape1' ('i32') was compiled for multiples of 16, got 17"));
  changed = tensorX;
  changed.block = {8, 16};
  EXPECT_EQ(prepared.set<0>(changed).message,
            "argument 0 has another block than the launch was prepared with");
  changed = tensorX;
  changed.strides = {9};
  EXPECT_THAT(prepared.set<0>(changed).message, HasSubstr("argument 'x.stride0' ('i64')"));
  EXPECT_EQ(prepared.set<1>(changed).code, TILEC_INVALID_ARGUMENT);
  ASSERT_TRUE(prepared.launch()) << "refused values change nothing";
  EXPECT_EQ(at(5), 4.0f * 37 + 0.5f);
}

TEST_F(TypedDescriptorSim, withoutTheTypes) {
  Options options;
  options.target = "sim";
  options.arguments = {{"x", "tensordesc<fp16[16, 16]>"},
                       {"out", "tensordesc<fp16[16, 16]>"},
                       {"by", "fp16"},
                       {"shift", "bf16"}};
  Compilation compiled = Compiler().compileText("scale.tile", scaleSource, options);
  ASSERT_TRUE(compiled) << compiled.text;
  Function function = Function::load(device, compiled.kernel);
  Status done = function.launch({}, tensorX, tensorOut, two, half);
  ASSERT_TRUE(done) << done.message;
  EXPECT_EQ(at(7), 14.5f);
  PreparedLaunch prepared = function.prepare({}, tensorX, tensorOut, two, half);
  Tensor behind(x.data() + 8, {1, 32}, {16, 16});
  ASSERT_TRUE(prepared.set(0, behind));
  ASSERT_TRUE(prepared.launch());
  EXPECT_EQ(at(7), 30.5f);
  EXPECT_FALSE(prepared.set(6, behind)) << "there are not that many arguments";
}

int numEncodings() {
  const std::vector<std::string> &calls = fakeCuda().calls;
  return int(std::count(calls.begin(), calls.end(), "cuTensorMapEncodeTiled"));
}

// A map is encoded when what it is made from was not there lately.
TEST(TypedDescriptorCuda, keepsMaps) {
  resetFakeCuda();
  DeviceOptions options;
  options.driver = TILEC_TEST_FAKE_DRIVER;
  Device device = Device::open("cuda", options);
  ASSERT_TRUE(device) << device.status().message;
  Scale scale(device, Source::text("scale.tile", scaleSource));
  auto *memory = reinterpret_cast<Half *>(uintptr_t(0x10000));
  Tensor x(memory, {64, 64}, {16, 16}), out(memory + 0x1000, {64, 64}, {16, 16});
  auto encodings = [&](const Tensor &from) {
    fakeCuda().calls.clear();
    Status done = scale({}, from, out, Half::of(1.0f), BFloat16::of(1.0f));
    EXPECT_TRUE(done) << done.message;
    return numEncodings();
  };
  EXPECT_EQ(encodings(x), 2);
  EXPECT_EQ(encodings(x), 0);
  EXPECT_EQ(fakeCalls(), "cuLaunchKernelEx");
  Tensor other = x;
  other.data += 8;
  EXPECT_EQ(encodings(other), 1) << "another pointer";
  other.shape[0] = 32;
  EXPECT_EQ(encodings(other), 1) << "another size";
  other.strides[0] = 128;
  EXPECT_EQ(encodings(other), 1) << "another stride";
  EXPECT_EQ(encodings(x), 0) << "still there";
  for (int i = 1; i <= 4; ++i) {
    other.data += 8;
    EXPECT_EQ(encodings(other), 1);
  }
  EXPECT_EQ(encodings(x), 1) << "four others came after it";
  auto prepared = scale.prepare({}, x, out, Half::of(1.0f), BFloat16::of(1.0f));
  ASSERT_TRUE(prepared) << prepared.status().message;
  fakeCuda().calls.clear();
  ASSERT_TRUE(prepared.set<0>(x));
  ASSERT_TRUE(prepared.launch());
  EXPECT_EQ(numEncodings(), 0);
  ASSERT_TRUE(prepared.set<0>(other));
  EXPECT_FALSE(prepared.set<0>(Tensor()));
  ASSERT_TRUE(prepared.launch());
  EXPECT_EQ(numEncodings(), 1);
}

} // namespace

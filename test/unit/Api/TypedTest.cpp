// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ wrapper of devices and typed kernels: values, specialisation, what is refused, and many
// threads that compile and launch at once.

#include "FakeCuda.h"

#include "gmock/gmock.h"

#include <numeric>
#include <thread>

using namespace tilec;
using namespace tilec::test;
using testing::HasSubstr;

namespace {

using Add = TypedKernel<void(const float *, const float *, float *, int32_t)>;

Options blockOf(int size) {
  Options options;
  options.constants = {{"BLOCK", std::to_string(size)}};
  return options;
}

std::vector<float> ramp(size_t size) {
  std::vector<float> values(size);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

class TypedSim : public testing::Test {
protected:
  Device device = Device::open("sim");
  Add add{device, Source::text("add.tile", addSource), blockOf(128)};
};

TEST_F(TypedSim, calls) {
  ASSERT_TRUE(add) << add.status().message;
  DeviceBuffer<float> x(device, ramp(300)), y(device, std::vector<float>(300, 0.5f));
  DeviceBuffer<float> out(device, 300);
  Status done = add({{3, 1, 1}}, x, y, out, 300);
  ASSERT_TRUE(done) << done.message;
  std::vector<float> result;
  ASSERT_TRUE(out.download(result));
  for (size_t i = 0; i < result.size(); ++i)
    ASSERT_EQ(result[i], float(i) + 0.5f);
  // Raw pointers and spans.
  EXPECT_TRUE(add({{1, 1, 1}}, x.data() + 1, y.span(), out.span(2, 50), 50));
  ASSERT_TRUE(out.download(result));
  EXPECT_EQ(result[3], 2.5f);
}

TEST_F(TypedSim, specialises) {
  DeviceBuffer<float> x(device, ramp(300)), y(device, ramp(300)), out(device, 300);
  auto call = [&](const float *from, int32_t n) {
    Status done = add({{3, 1, 1}}, from, y, out, n);
    EXPECT_TRUE(done) << done.message;
    return add.numVariants();
  };
  EXPECT_EQ(call(x.data(), 299), 1u);
  EXPECT_EQ(call(x.data(), 298), 1u);
  EXPECT_EQ(call(x.data(), 288), 2u);
  EXPECT_EQ(call(x.data(), 0), 2u);
  EXPECT_EQ(call(x.data(), 1), 3u);
  EXPECT_EQ(call(x.data() + 1, 7), 4u);
  EXPECT_EQ(call(x.data() + 4, 7), 4u) << "16 bytes on, a multiple again";
  Add copy = add;
  EXPECT_TRUE(copy.compile(x, y, out, 5));
  EXPECT_EQ(copy.numVariants(), 4u);
}

TEST_F(TypedSim, preparedAndGraph) {
  DeviceBuffer<float> x(device, ramp(300)), y(device, ramp(300)), out(device, 300);
  auto first = add.prepare({{3, 1, 1}}, x, y, out, 300);
  ASSERT_TRUE(first) << first.status().message;
  auto second = add.prepare({{3, 1, 1}}, x, out, y, 300);
  Graph graph = Graph::record({&first.launchHandle(), &second.launchHandle()});
  ASSERT_TRUE(graph) << graph.status().message;
  ASSERT_TRUE(graph.launch());
  std::vector<float> result;
  ASSERT_TRUE(y.download(result));
  EXPECT_EQ(result[10], 30.0f);
  ASSERT_TRUE(first.set<3>(10));
  ASSERT_TRUE(first.set<0>(y));
  ASSERT_TRUE(first.launch());
  ASSERT_TRUE(out.download(result));
  EXPECT_EQ(result[9], 54.0f);
  EXPECT_EQ(result[10], 20.0f);
  EXPECT_TRUE(first.setGrid({1, 1, 1}));
  EXPECT_FALSE(first.setGrid({0, 1, 1}));
  // An address that is no multiple of 16 was not compiled for.
  Status refused = first.set<0>(x.data() + 1);
  EXPECT_EQ(refused.code, TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(refused.message, HasSubstr("was compiled for multiples of 16"));
  auto one = add.prepare({{1, 1, 1}}, x, y, out, 1);
  EXPECT_TRUE(one.set<3>(1));
  EXPECT_EQ(one.set<3>(2).message,
            "argument 3 was 1 when the launch was prepared, and is compiled in");
  EXPECT_TRUE(one.set<2>(y));
  EXPECT_TRUE(one.launch());
}

TEST_F(TypedSim, recordsABody) {
  DeviceBuffer<float> x(device, ramp(300)), y(device, ramp(300)), out(device, 300);
  Graph graph = Graph::record(device, [&](void *stream) {
    Status filled = out.fill(0, stream);
    return filled ? add({{1, 1, 1}, stream}, x, y, out, 100) : filled;
  });
  ASSERT_TRUE(graph) << graph.status().message;
  ASSERT_TRUE(graph.launch());
  std::vector<float> result;
  ASSERT_TRUE(out.download(result));
  EXPECT_EQ(result[99], 198.0f);
  EXPECT_EQ(result[100], 0.0f);
  Graph broken =
      Graph::record(device, [&](void *stream) { return add({{0, 1, 1}, stream}, x, y, out, 100); });
  EXPECT_FALSE(broken);
  EXPECT_THAT(broken.status().message, HasSubstr("every dimension must be at least 1"));
}

TEST_F(TypedSim, otherTypes) {
  static const char source[] = R"(@triton.jit
def mix(h, b, flag, wide, scale, out):
    value = tl.load(h).to(tl.float32) + tl.load(b).to(tl.float32) * scale
    tl.store(out, tl.where(flag, value + wide.to(tl.float32), 0.0).to(tl.float64))
)";
  TypedKernel<void(const Half *, const BFloat16 *, bool, uint64_t, double, double *)> mix(
      device, Source::text("mix.tile", source));
  ASSERT_TRUE(mix) << mix.status().message;
  DeviceBuffer<Half> h(device, std::vector<Half>{{0x3c00}});
  DeviceBuffer<BFloat16> b(device, std::vector<BFloat16>{{0x4000}});
  DeviceBuffer<double> out(device, 1);
  Status done = mix({}, h, b, true, uint64_t(7), 0.5, out);
  ASSERT_TRUE(done) << done.message;
  std::vector<double> result;
  ASSERT_TRUE(out.download(result));
  EXPECT_EQ(result[0], 9.0);
}

TEST_F(TypedSim, failuresAreValues) {
  TypedKernel<void(const float *, float *)> few(device, Source::text("add.tile", addSource),
                                                blockOf(128));
  EXPECT_FALSE(few);
  EXPECT_EQ(few.status().message,
            "kernel 'add' takes 4 arguments (x, y, out, n), the signature has 2");
  DeviceBuffer<float> x(device, 4);
  EXPECT_EQ(few({}, x, x).code, TILEC_INVALID_ARGUMENT);
  Add missing(device, Source::file("/nonexistent.tile"));
  EXPECT_EQ(missing.status().message, "cannot read '/nonexistent.tile'");
  Add wrong(device, Source::text("bad.tile", "def (\n"));
  EXPECT_EQ(wrong.status().code, TILEC_INPUT_ERROR);
  EXPECT_THAT(wrong.status().message, HasSubstr("bad.tile:1:"));
  Add none(device, Source::text("none.tile", "x = 1\n"));
  EXPECT_EQ(none.status().message,
            "none.tile:1:1: no kernel in this file: no function is decorated with @triton.jit");
  Add many(device, Source::text("two.tile", "@triton.jit\ndef a(x): pass\n"
                                            "@triton.jit\ndef b(x): pass\n"));
  EXPECT_THAT(many.status().message,
              HasSubstr("the file has several kernels; choose one by its name"));
  // Wrong in a way that only compiling tells.
  TypedKernel<void(const float *)> typo(
      device, Source::text("typo.tile", "@triton.jit\ndef typo(x):\n    tl.laod(x)\n"));
  ASSERT_TRUE(typo);
  Status failed = typo({}, x);
  EXPECT_EQ(failed.code, TILEC_INPUT_ERROR);
  EXPECT_THAT(failed.message, HasSubstr("typo.tile:3:"));
  EXPECT_EQ(typo.numVariants(), 0u);
  // A call without a constant.
  Add noBlock(device, Source::text("add.tile", addSource));
  EXPECT_FALSE(noBlock({}, x, x, x, 4));
  EXPECT_FALSE(Add()({}, x, x, x, 4));
}

TEST(TypedDevice, emptyObjectsSayWhy) {
  Device device = Device::open("cuda:77", {"/nonexistent/libcuda.so"});
  EXPECT_FALSE(device);
  EXPECT_THAT(device.status().message, HasSubstr("no CUDA driver found"));
  DeviceBuffer<int> buffer(device, 4);
  EXPECT_FALSE(buffer);
  EXPECT_FALSE(buffer.upload({1, 2, 3, 4}));
  Add add(device, Source::text("add.tile", addSource));
  EXPECT_EQ(add.status().message, device.status().message);
  EXPECT_FALSE(Function::load(device, Kernel()));
  EXPECT_FALSE(Function().launch({}));
  EXPECT_FALSE(PreparedLaunch().launch());
  EXPECT_FALSE(Graph().launch());
  EXPECT_FALSE(Stream(device));
  Device sim = Device::open("sim");
  DeviceBuffer<int> four(sim, 4);
  EXPECT_EQ(four.upload({1, 2, 3}).message, "the buffer has 4 elements, got 3");
}

TEST(TypedCuda, oneLaunchACall) {
  resetFakeCuda();
  DeviceOptions options;
  options.driver = TILEC_TEST_FAKE_DRIVER;
  Device device = Device::open("cuda", options);
  ASSERT_TRUE(device) << device.status().message;
  Add add(device, Source::text("add.tile", addSource), blockOf(128));
  DeviceBuffer<float> x(device, 32), y(device, 32), out(device, 32);
  ASSERT_TRUE(add({{1, 1, 1}}, x, y, out, 32)) << add.status().message;
  fakeCalls();
  ASSERT_TRUE(add({{1, 1, 1}}, x, y, out, 16));
  EXPECT_EQ(fakeCalls(), "cuLaunchKernelEx");
}

TEST(TypedCuda, imagesOfCompiledKernels) {
  resetFakeCuda();
  DeviceOptions options;
  options.driver = TILEC_TEST_FAKE_DRIVER;
  Device device = Device::open("cuda", options);
  Kernel kernel = Compiler().compileText("add.tile", addSource, addOptions("sm_80")).kernel;
  tilec_image image = {kernel.metadata().data(), kernel.metadata().size(), kernel.ptx().data(),
                       kernel.ptx().size()};
  Function add = Function::load(device, &image, 1);
  ASSERT_TRUE(add) << add.status().message;
  DeviceBuffer<float> x(device, 32);
  EXPECT_TRUE(add.launch({}, x, x, x, int32_t(32)));
  EXPECT_FALSE(Function::load(device, nullptr, 0));
}

// Eight threads, each on all of three kernels: every kind is compiled once.
TEST(TypedThreads, compileAndLaunchAtOnce) {
  Device device = Device::open("sim", {"", false, 1});
  std::vector<Add> kernels;
  for (int block : {32, 64, 128})
    kernels.emplace_back(device, Source::text("add.tile", addSource), blockOf(block));
  DeviceBuffer<float> x(device, ramp(128)), y(device, ramp(128));
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      DeviceBuffer<float> out(device, 128);
      for (int round = 0; round < 12; ++round) {
        int32_t n = 1 + (t + round) % 4 * 16 + round % 2;
        Status done = kernels[size_t(t + round) % 3]({{4, 1, 1}}, x, y, out, n);
        EXPECT_TRUE(done) << done.message;
        std::vector<float> result;
        EXPECT_TRUE(out.download(result));
        EXPECT_EQ(result[size_t(n - 1)], 2.0f * float(n - 1));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const Add &kernel : kernels)
    EXPECT_LE(kernel.numVariants(), 3u);
}

} // namespace

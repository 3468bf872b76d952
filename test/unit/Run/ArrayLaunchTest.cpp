// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches with arrays of the host, on the simulator and on the interpreter: the same steps give
// the same results, and what the kernel may touch is what was added.

#include "tilec/Run/ArrayLaunch.h"

#include "gmock/gmock.h"

#include <cstring>
#include <numeric>

using namespace tilec;
using testing::Each;
using testing::HasSubstr;

namespace {

constexpr const char *scaleSource = R"(@triton.jit
def scale(x, out, n):
    i = tl.program_id(0) * 32 + tl.arange(0, 32)
    tl.store(out + i, tl.load(x + i, i < n) * 2, i < n)
)";

template <typename T> std::vector<char> bytesOf(T value) {
  const char *bytes = reinterpret_cast<const char *>(&value);
  return {bytes, bytes + sizeof value};
}

class ArrayLaunchTest : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    llvm::Expected<FileId> file = sources.addBuffer("scale.tile", scaleSource);
    ASSERT_TRUE(bool(file));
    CompileOptions options;
    options.target = GetParam();
    options.arguments = {{"x", "*fp32"}, {"out", "*fp32"}, {"n", "i32"}};
    kernel = compiler.compile(sources, *file, options, diagnostics);
    ASSERT_TRUE(kernel) << renderDiagnostics(sources, diagnostics);
    // Apart, so that a message names the right one.
    SimulatorOptions simulator;
    simulator.gapBytes = size_t(1) << 20;
    if (options.target == "sim")
      device = makeSimDevice(simulator);
    else
      device = makeInterpreterDevice(compiler, sources, diagnostics, simulator.gapBytes);
    std::iota(x.begin(), x.end(), 0.0f);
  }

  /// A launch with both arrays, of which the kernel sees `visible` elements of `out`.
  std::unique_ptr<ArrayLaunch> start(size_t visible, int32_t n) {
    tilecrt::Result<std::unique_ptr<ArrayLaunch>> launch = ArrayLaunch::create(device);
    EXPECT_TRUE((*launch)->add({"x", reinterpret_cast<char *>(x.data()), sizeof x, 0, sizeof x,
                                /*isReadOnly=*/true}));
    EXPECT_TRUE((*launch)->add(
        {"out", reinterpret_cast<char *>(out.data()), sizeof out, 0, visible * sizeof(float)}));
    EXPECT_TRUE((*launch)->upload());
    const std::vector<uint64_t> &addresses = (*launch)->addresses();
    bound = (*launch)->bind(*kernel, {bytesOf(addresses[0]), bytesOf(addresses[1]), bytesOf(n)},
                            {2, 1, 1});
    return std::move(*launch);
  }

  SourceManager sources;
  DiagnosticEngine diagnostics;
  Compiler compiler;
  std::unique_ptr<CompiledKernel> kernel;
  std::shared_ptr<RunDevice> device;
  tilecrt::Status bound;
  std::array<float, 64> x, out = {};
};

TEST_P(ArrayLaunchTest, runsAndBringsTheArraysBack) {
  std::unique_ptr<ArrayLaunch> launch = start(64, 40);
  ASSERT_TRUE(bound) << bound.message();
  LaunchOutcome ended = launch->run();
  ASSERT_TRUE(ended.ok()) << ended.status.message();
  EXPECT_THAT(out, Each(0.0f)) << "nothing comes back by itself";
  ASSERT_TRUE(launch->download());
  EXPECT_EQ(out[39], 78.0f);
  EXPECT_EQ(out[40], 0.0f);
  // Again, on what is on the device.
  out[0] = 5;
  ASSERT_TRUE(launch->run().ok());
  ASSERT_TRUE(launch->download());
  EXPECT_EQ(out[0], 0.0f);
}

TEST_P(ArrayLaunchTest, readsWhatIsOnTheDeviceBesideTheArrays) {
  std::unique_ptr<ArrayLaunch> launch = start(64, 40);
  ASSERT_TRUE(bound) << bound.message();
  ASSERT_TRUE(launch->run().ok());
  auto contents = launch->readBack();
  ASSERT_TRUE(contents) << contents.message();
  ASSERT_EQ(contents->size(), 2u);
  EXPECT_EQ((*contents)[0].first, "x");
  EXPECT_EQ((*contents)[1].first, "out");
  float last = 0;
  std::memcpy(&last, &(*contents)[1].second[39 * sizeof last], sizeof last);
  EXPECT_EQ(last, 78.0f);
  EXPECT_THAT(out, Each(0.0f));
}

TEST_P(ArrayLaunchTest, memoryOfTheDeviceHasNoArray) {
  tilecrt::Result<std::unique_ptr<ArrayLaunch>> launch = ArrayLaunch::create(device);
  ASSERT_TRUE(launch);
  ASSERT_TRUE((*launch)->add({"scratch", nullptr, 256}));
  EXPECT_NE((*launch)->addresses()[0], 0u);
  EXPECT_TRUE((*launch)->upload());
  EXPECT_TRUE((*launch)->download());
  auto contents = (*launch)->readBack();
  ASSERT_TRUE(contents);
  EXPECT_TRUE(contents->empty());
}

TEST_P(ArrayLaunchTest, negative_whatIsNotVisibleIsAFault) {
  std::unique_ptr<ArrayLaunch> launch = start(30, 40);
  ASSERT_TRUE(bound) << bound.message();
  LaunchOutcome ended = launch->run();
  EXPECT_FALSE(ended.ok());
  EXPECT_TRUE(ended.isFault);
  std::string said = ended.status.message() + renderDiagnostics(sources, diagnostics);
  EXPECT_THAT(said, HasSubstr("'out'"));
}

TEST_P(ArrayLaunchTest, negative_argumentsAreChecked) {
  tilecrt::Result<std::unique_ptr<ArrayLaunch>> launch = ArrayLaunch::create(device);
  ASSERT_TRUE(launch);
  tilecrt::Status few = (*launch)->bind(*kernel, {bytesOf(uint64_t(0))}, {1, 1, 1});
  EXPECT_THAT(few.message(), HasSubstr("has 3 arguments, not 1"));
  tilecrt::Status wide = (*launch)->bind(
      *kernel, {bytesOf(uint64_t(0)), bytesOf(uint64_t(0)), bytesOf(int64_t(4))}, {1, 1, 1});
  EXPECT_THAT(wide.message(), HasSubstr("argument 'n' ('i32') takes 4 bytes, got 8"));
}

TEST_P(ArrayLaunchTest, emptyArraysHavePlacesOfTheirOwn) {
  tilecrt::Result<std::unique_ptr<ArrayLaunch>> launch = ArrayLaunch::create(device);
  ASSERT_TRUE(launch);
  ASSERT_TRUE((*launch)->add({"a"}));
  ASSERT_TRUE((*launch)->add({"b"}));
  EXPECT_NE((*launch)->addresses()[0], (*launch)->addresses()[1]);
  EXPECT_TRUE((*launch)->upload());
  EXPECT_TRUE((*launch)->download());
}

TEST_P(ArrayLaunchTest, memoryIsGivenBack) {
  auto isFree = [&] { return device->freeAndTotalMemory()->first; };
  uint64_t before = isFree();
  std::unique_ptr<ArrayLaunch> launch = start(64, 1);
  EXPECT_EQ(before - isFree(), sizeof x + sizeof out);
  launch.reset();
  EXPECT_EQ(isFree(), before);
}

INSTANTIATE_TEST_SUITE_P(Devices, ArrayLaunchTest, testing::Values("sim", "interp"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The autotuner through the C interface and the C++ wrapper: what is tried, what happens to memory,
// faults, isolation, the database, and kernels that tune themselves. On the simulator, and on CUDA
// over the fake driver, whose times are made up.

#include "FakeCuda.h"

#include "gmock/gmock.h"

#include <cstdio>
#include <numeric>
#include <thread>
#include <unistd.h>

using namespace tilec;
using namespace tilec::test;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

/// Adds to `out`, so that a second run has another result. "wild" reads behind `x`, "wrong" does
/// not compile, "endless" never ends.
const char kernelSource[] = R"(@triton.autotune(configs=[
    triton.Config({"BLOCK": 64}, num_warps=1),
    triton.Config({"BLOCK": 256}, num_warps=2)], key=["n"], reset_to_zero=["sums"])
@triton.jit
def scale(x, out, sums, n, BLOCK: tl.constexpr, MODE: tl.constexpr = "good"):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    if MODE == "wild":
        mask = at < n + 4096
    if MODE == "wrong":
        mask = at < m
    v = tl.load(x + at, mask=mask)
    if MODE == "endless":
        i = n
        while i > 0:
            i = i * 2 // 2 + n - i
            v += i.to(tl.float32)
    tl.store(out + at, tl.load(out + at, mask=at < n) + 2 * v, mask=at < n)
    tl.atomic_add(sums + tl.program_id(0), tl.sum(v))
)";

class Tune : public testing::Test {
protected:
  static constexpr int32_t n = 500;

  void SetUp() override {
    resetFakeCuda();
    DeviceOptions deviceOptions;
    deviceOptions.driver = TILEC_TEST_FAKE_DRIVER;
    deviceOptions.hostThreads = 1;
    device = Device::open(deviceName(), deviceOptions);
    ASSERT_TRUE(device) << device.status().message;
    std::vector<float> ramp(n);
    std::iota(ramp.begin(), ramp.end(), 0.0f);
    x = DeviceBuffer<float>(device, ramp);
    out = DeviceBuffer<float>(device, std::vector<float>(n, 1.0f));
    sums = DeviceBuffer<float>(device, std::vector<float>(16, 7.0f));
    options.arguments = {
        {"x", "*kfp32:16"}, {"out", "*fp32:16"}, {"sums", "*fp32:16"}, {"n", "i32"}};
    how.grid = "cdiv(n, BLOCK)";
    how.jobs = 2;
  }
  virtual const char *deviceName() const { return "sim"; }

  Tuning tune() {
    return tilec::tune(device, Source::text("scale.tile", kernelSource), options, how, launch, x,
                       out, sums, n);
  }
  static std::string nameOf(uint32_t state) {
    switch (state) {
    case TILEC_CANDIDATE_WAITING:
      return "waiting:";
    case TILEC_CANDIDATE_PRUNED:
      return "pruned:";
    case TILEC_CANDIDATE_FAILED:
      return "failed:";
    case TILEC_CANDIDATE_SAME:
      return "same:";
    default:
      return "measured:";
    }
  }
  /// The state and reason of the configuration of such a text.
  static std::string stateOf(const Tuning &tuning, const std::string &text) {
    for (const TuneCandidate &candidate : tuning.candidates)
      if (candidate.config.text.find(text) != std::string::npos)
        return nameOf(candidate.state) + (" " + candidate.reason);
    return "not there";
  }
  void expectMemoryUnchanged() {
    std::vector<float> values;
    ASSERT_TRUE(out.download(values));
    EXPECT_EQ(values, std::vector<float>(n, 1.0f));
    ASSERT_TRUE(sums.download(values));
    EXPECT_EQ(values, std::vector<float>(16, 7.0f));
  }
  /// A path that is not there.
  std::string temporary(const char *name) {
    std::string path = testing::TempDir() + "tilec-tune-" + std::to_string(getpid()) + name;
    std::remove(path.c_str());
    return path;
  }

  Device device;
  DeviceBuffer<float> x, out, sums;
  Options options;
  TuneOptions how;
  DeviceLaunch launch;
};

using TuneSim = Tune;

TEST_F(TuneSim, findsTheBest) {
  std::vector<std::string> steps;
  how.progress = [&](const TuneProgress &progress) {
    steps.push_back(std::to_string(progress.done) + "/" + std::to_string(progress.total));
    EXPECT_FALSE(progress.last.empty());
    return true;
  };
  Tuning tuning = tune();
  ASSERT_TRUE(tuning) << tuning.status.message;
  ASSERT_EQ(tuning.candidates.size(), 2u);
  EXPECT_EQ(steps, (std::vector<std::string>{"1/2", "2/2"}));
  EXPECT_EQ(tuning.unit, "cost");
  EXPECT_FALSE(tuning.fromDatabase);
  ASSERT_TRUE(tuning.best());
  const Config &best = tuning.best()->config;
  EXPECT_LE(tuning.candidates[0].cost, tuning.candidates[1].cost);
  EXPECT_EQ(tuning.best()->grid[0], uint32_t((n + best["BLOCK"] - 1) / best["BLOCK"]));
  EXPECT_EQ(best["NONE"], 0);
  EXPECT_THAT(tuning.text, HasSubstr("scale on simulator, 2 configurations: 2 measured"));
  EXPECT_THAT(tuning.json, HasSubstr("\"best\""));
  expectMemoryUnchanged();

  // The kernel of the best one is there to be launched.
  EXPECT_EQ(tuning.kernel.info().num_warps, uint32_t(best.numWarps));
  Function function = Function::load(device, tuning.kernel);
  ASSERT_TRUE(function.launch({tuning.best()->grid}, x, out, sums, n));
  std::vector<float> values;
  ASSERT_TRUE(out.download(values));
  EXPECT_EQ(values[100], 201.0f);

  // The same numbers every time.
  EXPECT_EQ(tune().candidates[0].cost, tuning.candidates[0].cost);
}

TEST_F(TuneSim, faultsLoseOneConfiguration) {
  how.space = R"({"constants": {"BLOCK": [64], "MODE": ["'good'", "'wild'", "'wrong'"]}})";
  Tuning tuning = tune();
  ASSERT_TRUE(tuning) << tuning.status.message;
  EXPECT_EQ(tuning.candidates.size(), 3u);
  EXPECT_EQ(tuning.best()->config.find("MODE"), "'good'");
  EXPECT_THAT(stateOf(tuning, "wild"), StartsWith("failed: scale.tile:"));
  EXPECT_THAT(stateOf(tuning, "wild"), HasSubstr("out-of-bounds"));
  EXPECT_THAT(stateOf(tuning, "wrong"), StartsWith("failed: does not compile: line"));
  expectMemoryUnchanged();

  how.space = R"({"constants": {"BLOCK": [64], "MODE": ["'wrong'"]}})";
  Tuning none = tune();
  EXPECT_EQ(none.status.code, TILEC_INPUT_ERROR);
  EXPECT_THAT(none.status.message, StartsWith("no configuration of 'scale' could be measured: "));
  EXPECT_EQ(none.candidates.size(), 1u);
  EXPECT_FALSE(none.best());
  EXPECT_FALSE(none.kernel);
}

TEST_F(TuneSim, theCallerSaysMoreThanTheSource) {
  options.constants = {{"BLOCK", "128"}};
  EXPECT_EQ(tune().candidates.size(), 2u) << "of different warps";
  options.numWarps = 4;
  Tuning one = tune();
  ASSERT_EQ(one.candidates.size(), 1u) << one.status.message;
  EXPECT_EQ(one.best()->config.text, "BLOCK=128, num_warps=4");

  options = Options();
  options.arguments = {{"x", "*fp32"}, {"out", "*fp32"}, {"sums", "*fp32"}, {"n", "i32"}};
  how.grid.clear();
  how.makeGrid = [](const Config &config) {
    return std::array<uint32_t, 3>{uint32_t((n + config["BLOCK"] - 1) / config["BLOCK"]), 1, 1};
  };
  how.space = R"({"constants": {"BLOCK": [32, 64, 128]}, "num_warps": [1]})";
  how.maxConfigs = 2;
  Tuning some = tune();
  ASSERT_TRUE(some) << some.status.message;
  EXPECT_THAT(stateOf(some, "BLOCK=128"), StartsWith("waiting: the budget is 2 configurations"));
  EXPECT_EQ(some.best()->grid[0],
            (n + some.best()->config["BLOCK"] - 1) / some.best()->config["BLOCK"]);
  how.progress = [](const TuneProgress &) { return false; };
  how.jobs = 1;
  EXPECT_THAT(stateOf(tune(), "BLOCK=64"), StartsWith("waiting: the search was stopped"));
}

TEST_F(TuneSim, whatTheSourceClears) {
  // The sums are read by nobody else: a kernel that fails when they are not zero shows it.
  std::string source = kernelSource;
  source.insert(source.find("    at = "), "    tl.device_assert(tl.load(sums) == 0.0)\n");
  options.flags = TILEC_COMPILE_DEBUG;
  options.constants = {{"BLOCK", "512"}};
  Source text = Source::text("scale.tile", source);
  Tuning tuning = tilec::tune(device, text, options, how, launch, x, out, sums, n);
  EXPECT_TRUE(tuning) << tuning.status.message;
  expectMemoryUnchanged();
}

TEST_F(TuneSim, database) {
  how.database = temporary("database.json");
  Tuning first = tune();
  ASSERT_TRUE(first) << first.status.message;
  Tuning second = tune();
  ASSERT_TRUE(second) << second.status.message;
  EXPECT_TRUE(second.fromDatabase);
  EXPECT_EQ(second.candidates.size(), 1u);
  EXPECT_EQ(second.best()->config.text, first.best()->config.text);
  EXPECT_EQ(second.best()->cost, first.best()->cost);
  EXPECT_TRUE(second.kernel);
  how.again = true;
  EXPECT_FALSE(tune().fromDatabase);

  // A later compilation, with the sizes of the same bucket.
  options.target = "sim";
  options.tuningDatabase = how.database;
  options.tuningSizes = {{"n", "400"}};
  Compilation tuned = Compiler().compileText("scale.tile", kernelSource, options);
  ASSERT_TRUE(tuned) << tuned.message;
  EXPECT_EQ(tuned.kernel.info().num_warps, uint32_t(first.best()->config.numWarps));
  EXPECT_TRUE(tuned.diagnostics.empty());
  options.numWarps = 8;
  EXPECT_EQ(Compiler().compileText("scale.tile", kernelSource, options).kernel.info().num_warps,
            8u);
  options.tuningSizes = {{"n", "4000"}};
  Compilation other = Compiler().compileText("scale.tile", kernelSource, options);
  ASSERT_TRUE(other);
  EXPECT_THAT(other.text, HasSubstr("has no configuration of 'scale' on 'simulator'"));
  options.tuningSizes = {{"n", "many"}};
  EXPECT_EQ(Compiler().compileText("scale.tile", kernelSource, options).status,
            TILEC_INVALID_ARGUMENT);
  options.tuningSizes.clear();

  std::FILE *file = std::fopen(how.database.c_str(), "w");
  std::fputs("[]", file);
  std::fclose(file);
  options.tuningDatabase.clear();
  EXPECT_THAT(tune().status.message, HasSubstr("not a tuning database"));
  options.tuningDatabase = how.database;
  Compilation broken = Compiler().compileText("scale.tile", kernelSource, options);
  EXPECT_EQ(broken.status, TILEC_INPUT_ERROR);
  EXPECT_THAT(broken.message, HasSubstr("not a tuning database"));
  std::remove(how.database.c_str());
}

TEST_F(TuneSim, isolated) {
  how.isolate = true;
  how.worker = TILEC_TEST_TOOL;
  how.timeoutSeconds = 3;
  how.space = R"({"constants": {"BLOCK": [64], "MODE": ["'good'", "'wild'", "'endless'"]}})";
  Tuning tuning = tune();
  ASSERT_TRUE(tuning) << tuning.status.message;
  EXPECT_EQ(tuning.best()->config.find("MODE"), "'good'");
  EXPECT_THAT(stateOf(tuning, "wild"), HasSubstr("out-of-bounds"));
  EXPECT_THAT(stateOf(tuning, "endless"), StartsWith("failed: hangs: no result after 3.0 s"));
  expectMemoryUnchanged();
  // Its cost is the one of this process.
  how.isolate = false;
  how.space = R"({"constants": {"BLOCK": [64], "MODE": ["'good'"]}})";
  EXPECT_EQ(tune().best()->cost, tuning.best()->cost);

  how.isolate = true;
  how.worker = "/nonexistent/tilec";
  EXPECT_EQ(tune().status.code, TILEC_UNAVAILABLE);
  how.worker = "/bin/true";
  EXPECT_THAT(tune().status.message, HasSubstr("the measuring process ended: exit code 0"));
}

TEST_F(TuneSim, wrongCalls) {
  auto message = [&] {
    Tuning tuning = tune();
    EXPECT_FALSE(tuning);
    EXPECT_FALSE(tuning.status.code == TILEC_OK);
    return tuning.status.message;
  };
  auto with = [&](auto change) {
    Options oldOptions = options;
    TuneOptions oldHow = how;
    DeviceLaunch oldLaunch = launch;
    change();
    std::string text = message();
    options = oldOptions;
    how = oldHow;
    launch = oldLaunch;
    return text;
  };
  EXPECT_THAT(with([&] { options.arguments.pop_back(); }),
              HasSubstr("takes 3 arguments of those types, got 4"));
  EXPECT_THAT(with([&] { options.kernel = "other"; }), HasSubstr("no kernel named 'other'"));
  EXPECT_THAT(with([&] { options.target = "sm_90a"; }),
              HasSubstr("target 'sm_90a' does not run on 'simulator'"));
  EXPECT_THAT(with([&] { options.tuningDatabase = "x"; }), HasSubstr("tuning_d"));
  EXPECT_THAT(with([&] { how.grid = "cdiv(n, BLOK)"; }), HasSubstr("BLOK"));
  EXPECT_THAT(with([&] { how.grid = "n - n"; }), HasSubstr("grid"));
  EXPECT_THAT(with([&] {
                how.grid.clear();
                launch.grid = {0, 1, 1};
              }),
              HasSubstr("every dimension must be at least 1"));
  EXPECT_THAT(
      with([&] { how.makeGrid = [](const Config &) { return std::array<uint32_t, 3>{1, 1, 1}; }; }),
      HasSubstr("both grid and make_grid"));
  EXPECT_THAT(with([&] { how.space = "{"; }), StartsWith("the search space: "));
  EXPECT_THAT(with([&] { how.milliseconds = -1; }), HasSubstr("milliseconds is not a number"));
  EXPECT_THAT(with([&] { how.repeats = 1000000; }), HasSubstr("at most 100000"));
  EXPECT_THAT(with([&] { how.jobs = 1000; }), HasSubstr("at most 256"));
  EXPECT_THAT(with([&] { how.database = "/nonexistent/folder/db.json"; }),
              HasSubstr("cannot write"));
  float host[4] = {};
  EXPECT_THAT(with([&] { how.buffers = {buffer(host, 4)}; }), HasSubstr("is not within memory"));
  EXPECT_THAT(with([&] {
                int stream = 0;
                launch.stream = &stream;
              }),
              HasSubstr("not a stream"));
  Tuning foreign = tilec::tune(device, Source::text("scale.tile", kernelSource), options, how,
                               launch, &host[0], out, sums, n);
  EXPECT_THAT(foreign.status.message,
              HasSubstr("the memory that argument 'x' points to is not known"));
  Tuning broken = tilec::tune(device, Source::text("a.tile", "def ("), options, how, launch);
  EXPECT_EQ(broken.status.code, TILEC_INPUT_ERROR);
  EXPECT_FALSE(broken.diagnostics.empty());
  EXPECT_FALSE(tilec::tune(device, Source::file("/nonexistent"), options, how, launch));
  EXPECT_FALSE(
      tilec::tune(Device(), Source::text("scale.tile", kernelSource), options, how, launch));
}

TEST_F(TuneSim, handles) {
  tilec_tuning *tuning = nullptr;
  auto raw = sizedStruct<tilec_tune_options>();
  EXPECT_EQ(tilec_tune_file(device.handle(), "/nonexistent", nullptr, &tuning, nullptr),
            TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_tune_file(device.handle(), nullptr, &raw, &tuning, nullptr),
            TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_tune_file(device.handle(), "/nonexistent", &raw, nullptr, nullptr),
            TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_tune_file(device.handle(), "/nonexistent", &raw, &tuning, nullptr),
            TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("launch is null"));
  auto call = sizedStruct<tilec_device_launch>();
  call.grid[0] = call.grid[1] = call.grid[2] = 1;
  raw.launch = &call;
  tilec_diagnostics *diagnostics = nullptr;
  EXPECT_EQ(tilec_tune_file(device.handle(), "/nonexistent", &raw, &tuning, &diagnostics),
            TILEC_INPUT_ERROR);
  EXPECT_EQ(tuning, nullptr);
  EXPECT_EQ(tilec_diagnostics_count(diagnostics), 1u);
  tilec_diagnostics_destroy(diagnostics);

  const char empty[] = "@triton.jit\ndef nothing():\n    pass\n";
  ASSERT_EQ(
      tilec_tune_text(device.handle(), nullptr, empty, sizeof empty - 1, &raw, &tuning, nullptr),
      TILEC_OK)
      << tilec_last_error();
  auto info = sizedStruct<tilec_tuning_info>();
  ASSERT_EQ(tilec_tuning_get_info(tuning, &info), TILEC_OK);
  EXPECT_STREQ(info.kernel, "nothing");
  EXPECT_STREQ(info.best->text, "the defaults");
  auto candidate = sizedStruct<tilec_candidate>();
  EXPECT_EQ(tilec_tuning_get_candidate(tuning, 1, &candidate), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_tuning_get_candidate(tuning, 0, nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_tuning_get_kernel(tuning, nullptr), TILEC_INVALID_ARGUMENT);
  tilec_tuning_destroy(tuning);
  tilec_tuning_destroy(tuning);
  EXPECT_EQ(tilec_tuning_get_info(tuning, &info), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_tuning_text(tuning), nullptr);
  EXPECT_EQ(tilec_tuning_json(nullptr), nullptr);
}

class TuneCuda : public Tune {
protected:
  const char *deviceName() const override { return "cuda"; }
};

TEST_F(TuneCuda, timesOnTheDevice) {
  Stream stream(device);
  launch.stream = stream.handle();
  // Two measurements of a configuration (three runs, then five), and the finalists once more.
  fakeCuda().elapsed.assign(8, 3.0f);
  fakeCuda().elapsed.resize(16, 2.0f);
  options.ptxas = "/nonexistent";
  how.jobs = 1;
  how.prune = false;
  how.milliseconds = 1;
  fakeCalls();
  Tuning tuning = tune();
  ASSERT_TRUE(tuning) << tuning.status.message;
  EXPECT_EQ(tuning.unit, "us");
  EXPECT_EQ(tuning.candidates.size(), 2u);
  EXPECT_TRUE(tuning.kernel);
  EXPECT_FALSE(tuning.kernel.ptx().empty());
  EXPECT_THAT(fakeCalls(), HasSubstr("cuLaunchKernelEx"));
  EXPECT_EQ(fakeCuda().memory.size(), 3u) << "the copies are freed";
  expectMemoryUnchanged();
}

TEST_F(TuneCuda, aFaultIsReported) {
  options.ptxas = "/nonexistent";
  how.jobs = 1;
  size_t calls = 0;
  how.progress = [&](const TuneProgress &) {
    if (++calls == 1)
      fakeCuda().failures["cuStreamSynchronize"] = fakeCuda().failures["cuCtxSynchronize"] =
          tilecrt::cuda::CUDA_ERROR_ILLEGAL_ADDRESS;
    return true;
  };
  Tuning tuning = tune();
  EXPECT_EQ(tuning.status.code, TILEC_DEVICE_ERROR);
  EXPECT_THAT(tuning.status.message, HasSubstr("has made the device unusable"));
  ASSERT_EQ(tuning.candidates.size(), 2u);
  EXPECT_TRUE(tuning.best()) << "the one that was measured before";
  EXPECT_EQ(tuning.candidates[1].state, TILEC_CANDIDATE_FAILED);
}

TEST_F(TuneCuda, copiesThatDoNotFitGoToTheHost) {
  options.ptxas = "/nonexistent";
  how.jobs = 1;
  how.flushL2 = false;
  fakeCuda().failures["cuMemAlloc"] = tilecrt::cuda::CUDA_ERROR_OUT_OF_MEMORY;
  Tuning tuning = tune();
  EXPECT_TRUE(tuning) << tuning.status.message;
  fakeCuda().failures.clear();
  expectMemoryUnchanged();
}

using Scale = TunedKernel<void(const float *, float *, float *, int32_t)>;

class TunedSim : public Tune {
protected:
  Scale make() {
    return Scale(
        device, Source::text("scale.tile", kernelSource),
        [this](const Config &config, const float *, float *, float *, int32_t size) {
          ++grids;
          int64_t block = config["BLOCK"];
          return std::array<uint32_t, 3>{uint32_t((size + block - 1) / block), 1, 1};
        },
        Options(), how);
  }
  std::atomic<int> grids{0};
};

TEST_F(TunedSim, tunesOncePerBucket) {
  Scale scale = make();
  ASSERT_TRUE(scale) << scale.status().message;
  EXPECT_EQ(scale.numTuned(), 0u);
  Status done = scale({}, x, out, sums, n);
  ASSERT_TRUE(done) << done.message;
  EXPECT_EQ(scale.numTuned(), 1u);
  std::vector<float> values;
  ASSERT_TRUE(out.download(values));
  EXPECT_EQ(values[100], 201.0f) << "the search left no trace";
  int before = grids;
  ASSERT_TRUE(scale({}, x, out, sums, 400));
  EXPECT_EQ(grids, before + 1) << "no search";
  EXPECT_EQ(scale.numTuned(), 1u);
  ASSERT_TRUE(scale({}, x, out, sums, 100));
  ASSERT_TRUE(scale({}, x, out, sums, 1));
  EXPECT_EQ(scale.numTuned(), 3u);
  Config config;
  ASSERT_TRUE(scale.configure(config, {}, x, out, sums, 120));
  EXPECT_EQ(scale.numTuned(), 3u);
  EXPECT_NE(config["BLOCK"], 0);
}

TEST_F(TunedSim, manyThreads) {
  Scale scale = make();
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([&, i] {
      DeviceBuffer<float> to(device, std::vector<float>(n, 0.0f)), count(device, 16);
      failures += !scale({}, x, to, count, i % 2 == 0 ? n : 100);
      std::vector<float> values;
      failures += !to.download(values) || values[99] != 198.0f;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(scale.numTuned(), 2u);
}

TEST_F(TunedSim, failures) {
  how.space = R"({"constants": {"BLOCK": [64], "MODE": ["'wrong'"]}})";
  Scale scale = make();
  Status done = scale({}, x, out, sums, n);
  EXPECT_EQ(done.code, TILEC_INPUT_ERROR);
  EXPECT_THAT(done.message, HasSubstr("no configuration of 'scale' could be measured"));
  EXPECT_EQ(scale.numTuned(), 0u);
  EXPECT_FALSE(Scale());
  EXPECT_FALSE(Scale()({}, x, out, sums, n));
  TunedKernel<void(int32_t)> none(device, Source::text("scale.tile", kernelSource), nullptr);
  EXPECT_THAT(none.status().message, HasSubstr("no function for the grid"));
  TunedKernel<void(int32_t)> other(
      device, Source::text("scale.tile", kernelSource),
      [](const Config &, int32_t) { return std::array<uint32_t, 3>{1, 1, 1}; });
  EXPECT_THAT(other.status().message, HasSubstr("takes 4 arguments"));
}

TEST_F(TunedSim, takesTheDatabase) {
  how.database = temporary("tuned.json");
  ASSERT_TRUE(make()({}, x, out, sums, n));
  size_t calls = 0;
  how.progress = [&](const TuneProgress &) { return ++calls != 0; };
  Scale again = make();
  ASSERT_TRUE(again({}, x, out, sums, n));
  EXPECT_EQ(calls, 0u);
  EXPECT_EQ(again.numTuned(), 1u);
  std::remove(how.database.c_str());
  // The lock file.
  std::remove((how.database + ".lock").c_str());
}

} // namespace

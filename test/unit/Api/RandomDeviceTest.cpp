// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random sequences of calls on devices: live, destroyed, null and foreign handles, wrong numbers
// and sizes. Every failure has a message, and nothing crashes, from one thread or from several that
// share their handles.

#include "FakeCuda.h"

#include <filesystem>
#include <random>
#include <thread>

using namespace tilec;
using namespace tilec::test;

namespace {

/// Handles that threads give each other.
template <typename Handle> class Shared {
public:
  void add(Handle *handle) {
    std::lock_guard<std::mutex> lock(mutex);
    if (handle)
      handles.push_back(handle);
  }
  Handle *any(unsigned number) {
    std::lock_guard<std::mutex> lock(mutex);
    return handles.empty() ? nullptr : handles[number % handles.size()];
  }

private:
  std::mutex mutex;
  std::vector<Handle *> handles;
};

struct Handles {
  Shared<tilec_device> devices;
  Shared<tilec_function> functions;
  Shared<tilec_prepared> prepared;
  Shared<tilec_graph> graphs;
  Shared<tilec_tuning> tunings;
  Shared<void> streams;
  /// Memory that lives as long as the test.
  tilec_device *owner = nullptr;
  void *memory = nullptr;
  Kernel host, gpu;
  /// Where launches are saved.
  std::string folder;
};

class RandomDeviceCaller {
public:
  /// Only a caller that is alone touches the memory: kernels of several would race for it.
  RandomDeviceCaller(Handles &shared, unsigned seed, bool isAlone)
      : all(shared), random(seed), alone(isAlone) {}

  void step() {
    if (below(200) == 0)
      return tune();
    switch (below(17)) {
    case 16:
      return save();
    case 0:
      return open();
    case 1:
      return one() ? tilec_device_destroy(any(all.devices)) : streams();
    case 2:
    case 3:
      return load();
    case 4:
      return few() ? tilec_function_destroy(any(all.functions)) : query();
    case 5:
    case 6:
    case 7:
      return launch();
    case 8:
    case 9:
      return prepare();
    case 10:
      return few() ? tilec_prepared_destroy(any(all.prepared)) : update();
    case 11:
      return update();
    case 12:
    case 13:
      return record();
    case 14:
      return few() ? tilec_graph_destroy(any(all.graphs)) : replay();
    default:
      return memory();
    }
  }

private:
  unsigned below(unsigned bound) { return unsigned(random() % bound); }
  bool one() { return below(16) == 0; }
  bool few() { return below(4) == 0; }

  template <typename Handle> Handle *any(Shared<Handle> &handles) {
    if (below(12) == 0)
      return reinterpret_cast<Handle *>(uintptr_t(2 * below(64))); // Handles are odd.
    // A handle of another type now and then.
    if (below(12) == 0)
      return reinterpret_cast<Handle *>(all.prepared.any(unsigned(random())));
    return handles.any(unsigned(random()));
  }
  void *anyStream() { return few() ? any(all.streams) : nullptr; }
  void check(tilec_status status) {
    if (status != TILEC_OK) {
      EXPECT_STRNE(tilec_last_error(), "");
    }
  }

  void open() {
    auto options = sizedStruct<tilec_device_options>();
    options.driver = one() ? "/nonexistent" : TILEC_TEST_FAKE_DRIVER;
    options.simulate_flags = below(8) == 0 ? 7 : 0;
    options.host_threads = 1;
    auto save = sizedStruct<tilec_save_options>();
    save.folder = one() ? "" : all.folder.c_str();
    options.save_launches = few() ? &save : nullptr;
    options.event = [](void *, const tilec_device_event *event) {
      EXPECT_STRNE(event->text, "");
      EXPECT_STREQ(event->kernel, "add");
    };
    static const char *const names[] = {"sim", "sim", "cuda", "cuda:9", "", nullptr};
    tilec_device *device = nullptr;
    check(
        tilec_device_open(names[below(6)], one() ? nullptr : &options, one() ? nullptr : &device));
    all.devices.add(device);
  }
  void save() {
    auto options = sizedStruct<tilec_save_options>();
    options.struct_size = one() ? below(sizeof options) : sizeof options;
    options.folder = one() ? nullptr : one() ? "/proc/none" : all.folder.c_str();
    options.max_bytes = few() ? below(4096) : 0;
    options.max_failures = below(3);
    options.keep_last = below(3);
    check(tilec_device_save_launches(any(all.devices), few() ? nullptr : &options));
    EXPECT_NE(tilec_last_saved_launch(), nullptr);
  }
  void streams() {
    void *stream = nullptr;
    tilec_device *device = any(all.devices);
    check(tilec_stream_create(device, one() ? nullptr : &stream));
    all.streams.add(stream);
    check(tilec_stream_synchronize(device, anyStream()));
    if (few())
      check(tilec_stream_destroy(device, any(all.streams)));
  }
  void load() {
    tilec_function *function = nullptr;
    const Kernel &kernel = below(3) != 0 ? all.host : all.gpu;
    check(tilec_function_load(any(all.devices), one() ? nullptr : kernel.handle(),
                              one() ? nullptr : &function));
    all.functions.add(function);
  }
  void query() {
    auto info = sizedStruct<tilec_function_info>();
    check(tilec_function_get_info(any(all.functions), one() ? nullptr : &info));
    auto device = sizedStruct<tilec_device_info>();
    device.struct_size = one() ? below(sizeof device) : sizeof device;
    check(tilec_device_get_info(any(all.devices), &device));
    check(tilec_device_synchronize(any(all.devices)));
  }

  /// Fills a launch of `add`, mostly a good one.
  tilec_device_launch makeLaunch() {
    for (void *&pointer : pointers)
      pointer = one() ? nullptr : all.memory;
    n = !alone ? 0 : int32_t(below(8) == 0 ? random() : 64);
    values[0] = {&pointers[0], one() ? 4u : 8u};
    values[1] = {&pointers[1], 8};
    values[2] = {one() ? nullptr : &pointers[2], 8};
    values[3] = {&n, 4};
    auto launch = sizedStruct<tilec_device_launch>();
    launch.struct_size = one() ? below(sizeof launch) : sizeof launch;
    launch.grid[0] = one() ? 0 : 1;
    launch.grid[1] = launch.grid[2] = 1;
    launch.flags = below(8) == 0 ? below(8) : 0;
    launch.cluster[0] = one() ? below(20) : 0;
    launch.arguments = one() ? nullptr : values;
    launch.num_arguments = one() ? below(6) : 4;
    launch.stream = anyStream();
    return launch;
  }
  void launch() {
    tilec_device_launch launch = makeLaunch();
    check(tilec_function_launch(any(all.functions), one() ? nullptr : &launch));
  }
  void prepare() {
    tilec_device_launch launch = makeLaunch();
    tilec_prepared *prepared = nullptr;
    check(tilec_function_prepare(any(all.functions), &launch, one() ? nullptr : &prepared));
    all.prepared.add(prepared);
  }
  void update() {
    tilec_prepared *prepared = any(all.prepared);
    int32_t value = alone ? int32_t(below(64)) : 0;
    check(tilec_prepared_set_argument(prepared, below(5), one() ? nullptr : &value, 4));
    check(tilec_prepared_set_grid(prepared, below(3), 1, 1));
    check(tilec_prepared_launch(prepared, anyStream()));
  }
  void record() {
    tilec_graph *graph = nullptr;
    if (few()) {
      tilec_device *device = any(all.devices);
      void *stream = any(all.streams);
      check(tilec_graph_begin(device, stream));
      check(tilec_prepared_launch(any(all.prepared), stream));
      check(tilec_graph_end(device, stream, &graph));
    } else {
      tilec_prepared *launches[3];
      for (tilec_prepared *&launch : launches)
        launch = any(all.prepared);
      check(tilec_graph_record(one() ? nullptr : launches, below(4), one() ? nullptr : &graph));
    }
    all.graphs.add(graph);
  }
  /// Mostly from a database that is not there, or refused before: a search takes long.
  void tune() {
    tilec_device_launch launch = makeLaunch();
    launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
    // Searches of several threads would save and restore the same memory.
    for (void *&pointer : pointers)
      pointer = alone ? pointer : nullptr;
    const tilec_binding types[] = {
        {"x", "*kfp32"}, {"y", "*kfp32"}, {"out", "*fp32"}, {one() ? "m" : "n", "i32"}};
    const tilec_binding constants[] = {{"BLOCK", "64"}};
    auto compile = sizedStruct<tilec_options>();
    compile.arguments = one() ? nullptr : types;
    compile.num_arguments = one() ? below(4) : 4;
    compile.constants = constants;
    compile.num_constants = one() ? 0 : 1;
    compile.ptxas = "/nonexistent";
    auto options = sizedStruct<tilec_tune_options>();
    options.struct_size = one() ? below(sizeof options) : sizeof options;
    options.options = one() ? nullptr : &compile;
    options.launch = one() ? nullptr : &launch;
    options.grid = few() ? "cdiv(n, BLOCK)" : one() ? "n +" : nullptr;
    options.space = few() ? "{\"num_warps\": [1, 2]}" : one() ? "[]" : nullptr;
    options.database = one() ? "/nonexistent/db.json" : nullptr;
    options.flags = below(8) == 0 ? below(32) & ~TILEC_TUNE_ISOLATE : 0;
    options.max_configs = below(3);
    options.max_seconds = one() ? -1 : 0;
    options.jobs = 1;
    options.repeats = 5;
    options.milliseconds = 0.1;
    tilec_tuning *tuning = nullptr;
    tilec_diagnostics *diagnostics = nullptr;
    check(tilec_tune_text(any(all.devices), one() ? nullptr : "add.tile", addSource,
                          one() ? 10 : sizeof addSource - 1, one() ? nullptr : &options,
                          one() ? nullptr : &tuning, &diagnostics));
    tilec_diagnostics_destroy(diagnostics);
    all.tunings.add(tuning);
    for (int i = 0; i < 4; ++i)
      askTuning();
  }
  void askTuning() {
    tilec_tuning *tuning = any(all.tunings);
    auto info = sizedStruct<tilec_tuning_info>();
    info.struct_size = one() ? below(sizeof info) : sizeof info;
    check(tilec_tuning_get_info(tuning, one() ? nullptr : &info));
    auto candidate = sizedStruct<tilec_candidate>();
    check(tilec_tuning_get_candidate(tuning, below(4), one() ? nullptr : &candidate));
    tilec_kernel *kernel = nullptr;
    check(tilec_tuning_get_kernel(tuning, one() ? nullptr : &kernel));
    tilec_kernel_destroy(kernel);
    tilec_tuning_text(tuning);
    tilec_tuning_json(tuning);
    if (few())
      tilec_tuning_destroy(tuning);
  }
  void replay() { check(tilec_graph_launch(any(all.graphs), anyStream())); }
  void memory() {
    char bytes[64] = {};
    size_t size = below(80);
    void *target = alone ? all.memory : nullptr;
    check(tilec_memory_upload(all.owner, one() ? nullptr : target, bytes, size % 64, anyStream()));
    check(tilec_memory_fill(all.owner, target, 0, size, anyStream()));
    check(tilec_memory_free(any(all.devices), bytes));
    void *other = nullptr;
    tilec_device *device = any(all.devices);
    check(tilec_memory_alloc(device, one() ? SIZE_MAX - below(4096) : size, &other));
    if (other) {
      check(tilec_memory_free(device, other));
    }
  }

  Handles &all;
  std::mt19937 random;
  bool alone;
  void *pointers[3] = {};
  int32_t n = 0;
  tilec_value values[4] = {};
};

class ApiRandomDevice : public testing::Test {
protected:
  void SetUp() override {
    resetFakeCuda();
    all.host = Compiler().compileText("add.tile", addSource, addOptions("sim")).kernel;
    all.gpu = Compiler().compileText("add.tile", addSource, addOptions("sm_90a")).kernel;
    all.owner = openDevice("sim");
    ASSERT_EQ(tilec_memory_alloc(all.owner, 512, &all.memory), TILEC_OK);
    all.devices.add(openDevice("sim"));
    all.devices.add(openDevice("cuda"));
    tilec_function *function = nullptr;
    ASSERT_EQ(tilec_function_load(all.owner, all.host.handle(), &function), TILEC_OK);
    all.functions.add(function);
    seed = std::random_device()();
    all.folder = (std::filesystem::temp_directory_path() / ("tilec-random-" + std::to_string(seed)))
                     .string();
  }
  void TearDown() override { std::filesystem::remove_all(all.folder); }

  Handles all;
  unsigned seed = 0;
};

TEST_F(ApiRandomDevice, oneThread) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomDeviceCaller caller(all, seed, true);
  for (int i = 0; i < 4000; ++i)
    caller.step();
}

TEST_F(ApiRandomDevice, fourThreads) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i)
    threads.emplace_back([this, i] {
      RandomDeviceCaller caller(all, seed + i, false);
      for (int call = 0; call < 800; ++call)
        caller.step();
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace

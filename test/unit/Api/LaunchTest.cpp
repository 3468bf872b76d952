// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launching through the C interface: on the simulator with results, over the fake driver with the
// driver's calls; what is refused.

#include "FakeCuda.h"

#include "gmock/gmock.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <thread>

using namespace tilec;
using namespace tilec::test;
using testing::HasSubstr;

namespace {

constexpr int32_t count = 300;

/// The kernel `add` on a device, with its memory.
class LaunchFixture {
public:
  explicit LaunchFixture(const char *name, uint32_t simulateFlags = 0) {
    resetFakeCuda();
    device = openDevice(name, simulateFlags);
    auto info = sizedStruct<tilec_device_info>();
    tilec_device_get_info(device, &info);
    Compilation compiled = Compiler().compileText("add.tile", addSource, addOptions(info.target));
    kernel = std::move(compiled.kernel);
    EXPECT_EQ(tilec_function_load(device, kernel.handle(), &function), TILEC_OK)
        << tilec_last_error() << compiled.text;
    for (void **memory : {&x, &y, &out})
      EXPECT_EQ(tilec_memory_alloc(device, count * sizeof(float), memory), TILEC_OK);
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 0.0f);
    write(x, values);
    write(y, std::vector<float>(count, 0.5f));
    values.assign(count, -1.0f);
    write(out, values);
    launch.grid[0] = 3;
    launch.grid[1] = launch.grid[2] = 1;
    launch.arguments = arguments;
    launch.num_arguments = 4;
    fakeCuda().calls.clear();
  }
  ~LaunchFixture() {
    tilec_function_destroy(function);
    tilec_device_destroy(device);
  }

  void write(void *memory, const std::vector<float> &values) {
    EXPECT_EQ(
        tilec_memory_upload(device, memory, values.data(), values.size() * sizeof(float), nullptr),
        TILEC_OK);
  }
  std::vector<float> read(void *memory) {
    std::vector<float> values(count);
    EXPECT_EQ(tilec_memory_download(device, values.data(), memory, count * sizeof(float), nullptr),
              TILEC_OK);
    return values;
  }
  tilec_prepared *prepare() {
    tilec_prepared *prepared = nullptr;
    EXPECT_EQ(tilec_function_prepare(function, &launch, &prepared), TILEC_OK) << tilec_last_error();
    return prepared;
  }

  tilec_device *device = nullptr;
  Kernel kernel;
  tilec_function *function = nullptr;
  void *x = nullptr, *y = nullptr, *out = nullptr;
  int32_t n = count;
  tilec_value arguments[4] = {{&x, 8}, {&y, 8}, {&out, 8}, {&n, 4}};
  tilec_device_launch launch = sizedStruct<tilec_device_launch>();
};

TEST(ApiSimLaunch, computes) {
  LaunchFixture add("sim", TILEC_SIMULATE_CHECK);
  ASSERT_EQ(tilec_function_launch(add.function, &add.launch), TILEC_OK) << tilec_last_error();
  std::vector<float> out = add.read(add.out);
  for (int i = 0; i < count; ++i)
    ASSERT_EQ(out[size_t(i)], float(i) + 0.5f);
}

TEST(ApiSimLaunch, findingsAreMessages) {
  LaunchFixture add("sim");
  add.n = count + 1;
  EXPECT_EQ(tilec_function_launch(add.function, &add.launch), TILEC_INPUT_ERROR);
  EXPECT_THAT(tilec_last_error(), HasSubstr("add.tile:5:"));
  EXPECT_THAT(tilec_last_error(), HasSubstr("out-of-bounds"));
  // Memory that is not the device's.
  std::vector<float> host(count);
  float *pointer = host.data();
  add.n = count;
  add.arguments[2] = {&pointer, 8};
  EXPECT_EQ(tilec_function_launch(add.function, &add.launch), TILEC_INPUT_ERROR);
}

TEST(ApiSimLaunch, preparedAndGraph) {
  LaunchFixture add("sim");
  tilec_prepared *prepared = add.prepare();
  ASSERT_EQ(tilec_prepared_launch(prepared, nullptr), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(add.read(add.out)[10], 10.5f);
  // out = x + y; then y = x + out.
  tilec_prepared *second = add.prepare();
  ASSERT_EQ(tilec_prepared_set_argument(second, 1, &add.out, 8), TILEC_OK);
  ASSERT_EQ(tilec_prepared_set_argument(second, 2, &add.y, 8), TILEC_OK);
  tilec_prepared *both[] = {prepared, second};
  tilec_graph *graph = nullptr;
  ASSERT_EQ(tilec_graph_record(both, 2, &graph), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(add.read(add.y)[10], 0.5f) << "recording ran it";
  // What was recorded does not change any more.
  int32_t none = 0;
  ASSERT_EQ(tilec_prepared_set_argument(second, 3, &none, 4), TILEC_OK);
  tilec_prepared_destroy(prepared);
  ASSERT_EQ(tilec_graph_launch(graph, nullptr), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(add.read(add.y)[10], 20.5f);
  ASSERT_EQ(tilec_graph_launch(graph, nullptr), TILEC_OK);
  EXPECT_EQ(add.read(add.y)[10], 40.5f);
  tilec_prepared_destroy(second);
  tilec_graph_destroy(graph);
  EXPECT_EQ(tilec_graph_launch(graph, nullptr), TILEC_INVALID_ARGUMENT);
}

TEST(ApiSimLaunch, copiesAreRecorded) {
  LaunchFixture add("sim");
  void *stream = nullptr;
  ASSERT_EQ(tilec_stream_create(add.device, &stream), TILEC_OK);
  ASSERT_EQ(tilec_graph_begin(add.device, stream), TILEC_OK);
  EXPECT_EQ(tilec_graph_begin(add.device, stream), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_stream_synchronize(add.device, stream), TILEC_INVALID_ARGUMENT);
  add.launch.stream = stream;
  ASSERT_EQ(tilec_memory_copy(add.device, add.y, add.x, count * 4, stream), TILEC_OK);
  ASSERT_EQ(tilec_function_launch(add.function, &add.launch), TILEC_OK);
  tilec_graph *graph = nullptr;
  ASSERT_EQ(tilec_graph_end(add.device, stream, &graph), TILEC_OK);
  EXPECT_EQ(add.read(add.out)[10], -1.0f);
  ASSERT_EQ(tilec_graph_launch(graph, stream), TILEC_OK);
  EXPECT_EQ(add.read(add.out)[10], 20.0f);
  tilec_graph_destroy(graph);
  EXPECT_EQ(tilec_graph_end(add.device, stream, &graph), TILEC_INVALID_ARGUMENT);
}

TEST(ApiSimLaunch, handlesDieInAnyOrder) {
  LaunchFixture add("sim");
  tilec_prepared *prepared = add.prepare();
  tilec_function_destroy(add.function);
  EXPECT_EQ(tilec_function_launch(add.function, &add.launch), TILEC_INVALID_ARGUMENT);
  add.kernel = Kernel();
  void *out = add.out;
  tilec_device *device = add.device;
  tilec_device_destroy(device);
  EXPECT_EQ(tilec_prepared_launch(prepared, nullptr), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(static_cast<float *>(out)[10], 10.5f);
  tilec_prepared_destroy(prepared);
  EXPECT_EQ(tilec_prepared_launch(prepared, nullptr), TILEC_INVALID_ARGUMENT);
}

TEST(ApiSimLaunch, printedLinesReachTheHost) {
  std::vector<std::string> lines;
  auto options = sizedStruct<tilec_device_options>();
  options.print = [](void *context, const char *line) {
    static_cast<std::vector<std::string> *>(context)->push_back(line);
  };
  options.print_context = &lines;
  tilec_device *device = nullptr;
  ASSERT_EQ(tilec_device_open("sim", &options, &device), TILEC_OK);
  Options compile;
  compile.target = "sim";
  compile.arguments = {{"n", "i32"}};
  Compilation compiled = Compiler().compileText(
      "print.tile", "@triton.jit\ndef show(n):\n    tl.device_print(\"n is\", n)\n", compile);
  tilec_function *function = nullptr;
  ASSERT_EQ(tilec_function_load(device, compiled.kernel.handle(), &function), TILEC_OK);
  int32_t n = 7;
  tilec_value value = {&n, sizeof n};
  auto launch = sizedStruct<tilec_device_launch>();
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
  launch.arguments = &value;
  launch.num_arguments = 1;
  ASSERT_EQ(tilec_function_launch(function, &launch), TILEC_OK);
  ASSERT_FALSE(lines.empty());
  EXPECT_THAT(lines.front(), HasSubstr("7"));
  tilec_function_destroy(function);
  tilec_device_destroy(device);
}

TEST(ApiSimLaunch, eventsHavePlaces) {
  struct Event {
    tilec_event_kind kind;
    std::string kernel, finding, text, file;
    uint32_t line;
    std::array<uint32_t, 3> program;
    std::vector<int32_t> element;
  };
  std::vector<Event> events;
  DeviceOptions options;
  options.event = [&](const tilec_device_event &event) {
    EXPECT_EQ(event.struct_size, sizeof event);
    events.push_back({event.kind,
                      event.kernel,
                      event.finding,
                      event.text,
                      event.file,
                      event.line,
                      {event.program[0], event.program[1], event.program[2]},
                      {event.coordinates, event.coordinates + event.num_coordinates}});
  };
  Device device = Device::open("sim", options);
  Options compile;
  compile.target = "sim";
  compile.flags = TILEC_COMPILE_DEBUG;
  compile.arguments = {{"bad", "i32"}};
  Compilation compiled = Compiler().compileText("dir/show.tile", R"(@triton.jit
def show(bad):
    at = tl.arange(0, 2)[:, None] * 4 + tl.arange(0, 4)[None, :]
    tl.device_print("at", at)
    tl.device_assert(at + tl.program_id(1) * 8 != bad, "good")
    tl.device_assert(bad < 100, "small")
)",
                                                compile);
  ASSERT_TRUE(compiled) << compiled.text;
  Function show = Function::load(device, compiled.kernel);
  ASSERT_TRUE(show.launch({{1, 2, 1}}, int32_t(50)));
  ASSERT_EQ(events.size(), 16u);
  EXPECT_EQ(events[0].kind, TILEC_EVENT_PRINTED);
  EXPECT_EQ(events[0].kernel, "show");
  EXPECT_EQ(events[0].finding, "");
  EXPECT_EQ(events[0].file, "dir/show.tile");
  EXPECT_EQ(events[0].line, 4u);
  std::vector<bool> seen(16);
  for (const Event &event : events) {
    ASSERT_EQ(event.element.size(), 2u);
    int at = event.element[0] * 4 + event.element[1];
    seen[size_t(at) + 8 * event.program[1]] = true;
    EXPECT_THAT(event.text, HasSubstr("at: " + std::to_string(at)));
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 16);

  events.clear();
  Status failed = show.launch({{1, 2, 1}}, int32_t(14));
  EXPECT_EQ(failed.code, TILEC_INPUT_ERROR);
  EXPECT_THAT(failed.message, HasSubstr("dir/show.tile:5:5: assert-failed: good"));
  EXPECT_THAT(failed.message, HasSubstr("element (1, 2)"));
  ASSERT_GE(events.size(), 2u);
  EXPECT_THAT(events[events.size() - 2].text,
              HasSubstr("pid (0, 1, 0) idx (1, 2) assert 'good': 0"));
  const Event &last = events.back();
  EXPECT_EQ(last.kind, TILEC_EVENT_FINDING);
  EXPECT_EQ(last.finding, "assert-failed");
  EXPECT_EQ(last.text, "good");
  EXPECT_EQ(last.line, 5u);
  EXPECT_EQ(last.program, (std::array<uint32_t, 3>{0, 1, 0}));
  EXPECT_EQ(last.element, (std::vector<int32_t>{1, 2}));
  // About a scalar: no element.
  events.clear();
  EXPECT_FALSE(show.launch({}, int32_t(200)));
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back().text, "small");
  EXPECT_TRUE(events.back().element.empty());
}

TEST(ApiSimLaunch, clusters) {
  LaunchFixture add("sim");
  add.launch.grid[0] = 4;
  add.launch.cluster[0] = 2;
  add.launch.cluster[1] = add.launch.cluster[2] = 1;
  EXPECT_EQ(tilec_function_launch(add.function, &add.launch), TILEC_OK) << tilec_last_error();
  add.launch.grid[0] = 3;
  EXPECT_EQ(tilec_function_launch(add.function, &add.launch), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("not a multiple of the cluster 2 x 1 x 1"));
}

TEST(ApiSimLaunch, onePreparedFromManyThreads) {
  LaunchFixture add("sim");
  tilec_prepared *prepared = add.prepare();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        EXPECT_EQ(tilec_prepared_set_argument(prepared, 3, &add.n, 4), TILEC_OK);
        EXPECT_EQ(tilec_prepared_launch(prepared, nullptr), TILEC_OK) << tilec_last_error();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  tilec_prepared_destroy(prepared);
}

TEST(ApiCudaLaunch, oneDriverCall) {
  LaunchFixture add("cuda");
  add.launch.stream = reinterpret_cast<void *>(uintptr_t(0x77));
  ASSERT_EQ(tilec_function_launch(add.function, &add.launch), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(fakeCalls(), "cuLaunchKernelEx");
  EXPECT_EQ(fakeCuda().launch.gridDimX, 3u);
  EXPECT_EQ(fakeCuda().launch.blockDimX, 128u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(fakeCuda().launch.hStream), 0x77u);
  tilec_prepared *prepared = add.prepare();
  EXPECT_EQ(tilec_prepared_launch(prepared, nullptr), TILEC_OK);
  EXPECT_EQ(tilec_prepared_set_grid(prepared, 5, 1, 1), TILEC_OK);
  EXPECT_EQ(tilec_prepared_launch(prepared, nullptr), TILEC_OK);
  EXPECT_EQ(fakeCalls(), "cuLaunchKernelEx cuLaunchKernelEx");
  EXPECT_EQ(fakeCuda().launch.gridDimX, 5u);
  tilec_prepared_destroy(prepared);
}

TEST(ApiCudaLaunch, attributes) {
  LaunchFixture add("cuda");
  add.launch.flags = TILEC_LAUNCH_PROGRAMMATIC | TILEC_LAUNCH_COOPERATIVE;
  add.launch.grid[0] = 16;
  add.launch.cluster[0] = 16;
  add.launch.cluster[1] = add.launch.cluster[2] = 1;
  ASSERT_EQ(tilec_function_launch(add.function, &add.launch), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(fakeCalls(), "cuFuncSetAttribute cuLaunchKernelEx");
  EXPECT_EQ(fakeCuda().launchAttributes.size(), 3u);
  add.launch.grid[0] = 3;
  EXPECT_EQ(tilec_function_launch(add.function, &add.launch), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("not a multiple of the cluster 16 x 1 x 1"));
}

TEST(ApiCudaLaunch, graphsAreCaptured) {
  LaunchFixture add("cuda");
  tilec_prepared *prepared = add.prepare();
  tilec_prepared *twice[] = {prepared, prepared};
  tilec_graph *graph = nullptr;
  ASSERT_EQ(tilec_graph_record(twice, 2, &graph), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(fakeCalls(),
            "cuStreamCreate cuStreamBeginCapture cuLaunchKernelEx cuLaunchKernelEx "
            "cuStreamEndCapture cuGraphInstantiateWithFlags cuGraphDestroy cuStreamDestroy");
  ASSERT_EQ(fakeCuda().graphs.size(), 1u);
  EXPECT_EQ(fakeCuda().graphs.begin()->second, 2);
  // The graph keeps the code loaded.
  tilec_prepared_destroy(prepared);
  tilec_function_destroy(add.function);
  EXPECT_EQ(fakeCalls(), "");
  EXPECT_EQ(tilec_graph_launch(graph, nullptr), TILEC_OK);
  tilec_graph_destroy(graph);
  EXPECT_EQ(fakeCalls(), "cuGraphLaunch cuGraphExecDestroy cuModuleUnload");
}

TEST(ApiCudaLaunch, brokenRecordings) {
  LaunchFixture add("cuda");
  tilec_prepared *prepared = add.prepare();
  tilec_graph *graph = nullptr;
  fakeCuda().failures["cuLaunchKernelEx"] = tilecrt::cuda::CUDA_ERROR_LAUNCH_FAILED;
  EXPECT_EQ(tilec_graph_record(&prepared, 1, &graph), TILEC_DEVICE_ERROR);
  EXPECT_THAT(tilec_last_error(), HasSubstr("launching kernel 'add': cuLaunchKernelEx failed"));
  EXPECT_EQ(graph, nullptr);
  EXPECT_TRUE(fakeCuda().captures.empty());
  fakeCuda().failures.clear();
  EXPECT_EQ(tilec_graph_record(nullptr, 1, &graph), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_graph_record(&prepared, 0, &graph), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_graph_begin(add.device, nullptr), TILEC_INVALID_ARGUMENT);
  tilec_prepared_destroy(prepared);
  EXPECT_EQ(tilec_graph_record(&prepared, 1, &graph), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "not a live handle of a tilec_prepared");
}

TEST(ApiSimLaunch, descriptorsAsArguments) {
  Options options;
  options.target = "sim";
  options.arguments = {{"x", "tensordesc<fp32[16, 16]>"}, {"out", "tensordesc<fp32[16, 16]>"}};
  Compilation compiled = Compiler().compileText("twice.tile", R"(@triton.jit
def twice(x, out):
    out.store([0, 0], x.load([0, 0]) * 2)
)",
                                                options);
  ASSERT_TRUE(compiled) << compiled.text;
  Device device = Device::open("sim");
  Function twice = Function::load(device, compiled.kernel);
  DeviceBuffer<float> x(device, std::vector<float>(256, 3.0f)), out(device, 256);
  int32_t size = 16;
  int64_t stride = 16;
  PreparedLaunch prepared = twice.prepare({}, x, size, size, stride, out, size, size, stride);
  ASSERT_TRUE(prepared) << prepared.status().message;
  ASSERT_TRUE(prepared.launch());
  std::vector<float> result;
  ASSERT_TRUE(out.download(result));
  EXPECT_EQ(result, std::vector<float>(256, 6.0f));
  EXPECT_FALSE(twice.launch({}, x, out));
}

TEST(ApiSimLaunch, tuplesAsArguments) {
  Options options;
  options.target = "sim";
  options.arguments = {{"x", "(*fp32, (i32, None))"}, {"out.0", "*fp32"}, {"out.1", "*fp32"}};
  Compilation compiled = Compiler().compileText("both.tile", R"(@triton.jit
def both(x, out):
    data, (offset, nothing) = x
    value = tl.load(data + offset)
    for i in tl.static_range(len(out)):
        tl.store(out[i], value + i if nothing is None else 0.0)
)",
                                                options);
  ASSERT_TRUE(compiled) << compiled.text;
  std::vector<std::string> names;
  for (const Argument &argument : compiled.kernel.arguments())
    names.push_back(std::string(argument.name));
  EXPECT_EQ(names, (std::vector<std::string>{"x.0", "x.1.0", "out.0", "out.1"}));
  Device device = Device::open("sim");
  Function both = Function::load(device, compiled.kernel);
  DeviceBuffer<float> x(device, std::vector<float>{1, 2, 3}), first(device, 1), second(device, 1);
  ASSERT_TRUE(both.launch({}, x, int32_t(2), first, second));
  std::vector<float> result;
  ASSERT_TRUE(second.download(result));
  EXPECT_EQ(result, std::vector<float>{4});
}

TEST(ApiCudaLaunch, streamDestroyedWhileRecorded) {
  LaunchFixture add("cuda");
  for (int round = 0; round < 2; ++round) {
    void *stream = nullptr;
    ASSERT_EQ(tilec_stream_create(add.device, &stream), TILEC_OK);
    // The fake gives the same handle again.
    EXPECT_EQ(tilec_graph_begin(add.device, stream), TILEC_OK) << tilec_last_error();
    EXPECT_EQ(tilec_graph_begin(add.device, stream), TILEC_INVALID_ARGUMENT);
    ASSERT_EQ(tilec_stream_destroy(add.device, stream), TILEC_OK);
    tilec_graph *graph = nullptr;
    EXPECT_EQ(tilec_graph_end(add.device, stream, &graph), TILEC_INVALID_ARGUMENT);
  }
}

TEST(ApiCudaLaunch, otherArchitecture) {
  resetFakeCuda();
  fakeCuda().deviceAttributes[tilecrt::cuda::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] = 8;
  tilec_device *device = openDevice("cuda");
  Compilation compiled = Compiler().compileText("add.tile", addSource, addOptions("sm_90a"));
  tilec_function *function = nullptr;
  EXPECT_EQ(tilec_function_load(device, compiled.kernel.handle(), &function),
            TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "kernel 'add': code for 'sm_90a' does not run on 'Fake H100', "
                                   "which is 'sm_80'");
  EXPECT_EQ(function, nullptr);
  tilec_device_destroy(device);
}

TEST(ApiLaunch, kernelsOfTheOtherKind) {
  resetFakeCuda();
  tilec_device *sim = openDevice("sim"), *cuda = openDevice("cuda");
  Compilation host = Compiler().compileText("add.tile", addSource, addOptions("sim"));
  Compilation gpu = Compiler().compileText("add.tile", addSource, addOptions("sm_80"));
  tilec_function *function = nullptr;
  EXPECT_EQ(tilec_function_load(cuda, host.kernel.handle(), &function), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("for target 'sim' has no code for 'Fake H100'"));
  EXPECT_EQ(tilec_function_load(sim, gpu.kernel.handle(), &function), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("has no host code"));
  EXPECT_EQ(tilec_function_load(cuda, gpu.kernel.handle(), &function), TILEC_OK);
  auto info = sizedStruct<tilec_function_info>();
  EXPECT_EQ(tilec_function_get_info(function, &info), TILEC_OK);
  EXPECT_EQ(info.registers, 40);
  EXPECT_EQ(info.programs_per_multiprocessor, 8);
  EXPECT_NE(info.handle, nullptr);
  tilec_function_destroy(function);
  EXPECT_EQ(tilec_function_load(sim, nullptr, &function), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_function_load(nullptr, gpu.kernel.handle(), &function), TILEC_INVALID_ARGUMENT);
  tilec_device_destroy(sim);
  tilec_device_destroy(cuda);
}

TEST(ApiCudaLaunch, imagesOfCompiledKernels) {
  resetFakeCuda();
  tilec_device *device = openDevice("cuda");
  std::vector<tilec_image> images;
  std::vector<Kernel> kernels;
  for (const char *target : {"sm_100a", "sm_80"}) {
    kernels.push_back(Compiler().compileText("add.tile", addSource, addOptions(target)).kernel);
    images.push_back({kernels.back().metadata().data(), kernels.back().metadata().size(),
                      kernels.back().ptx().data(), kernels.back().ptx().size()});
  }
  tilec_function *function = nullptr;
  ASSERT_EQ(tilec_function_load_image(device, images.data(), 2, &function), TILEC_OK)
      << tilec_last_error();
  int32_t n = 4;
  uint64_t address = 0;
  tilec_value values[] = {{&address, 8}, {&address, 8}, {&address, 8}, {&n, 4}};
  auto launch = sizedStruct<tilec_device_launch>();
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
  launch.arguments = values;
  launch.num_arguments = 4;
  EXPECT_EQ(tilec_function_launch(function, &launch), TILEC_OK) << tilec_last_error();
  tilec_function_destroy(function);
  EXPECT_EQ(tilec_function_load_image(device, images.data(), 1, &function), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("code for 'sm_100a' does not run on 'Fake H100'"));
  EXPECT_EQ(tilec_function_load_image(device, images.data(), 0, &function), TILEC_INVALID_ARGUMENT);
  images[1].metadata_size /= 2;
  EXPECT_EQ(tilec_function_load_image(device, &images[1], 1, &function), TILEC_INVALID_ARGUMENT);
  images[1].code = nullptr;
  EXPECT_EQ(tilec_function_load_image(device, &images[1], 1, &function), TILEC_INVALID_ARGUMENT);
  tilec_device_destroy(device);
}

/// Refusals are the same on both kinds of device.
class ApiLaunchRefused : public testing::TestWithParam<const char *> {};

TEST_P(ApiLaunchRefused, wrongLaunches) {
  LaunchFixture add(GetParam());
  tilec_prepared *prepared = nullptr;
  auto expectRefused = [&](auto change, const char *message) {
    tilec_device_launch launch = add.launch;
    tilec_value arguments[4];
    std::copy(add.arguments, add.arguments + 4, arguments);
    launch.arguments = arguments;
    change(launch, arguments);
    EXPECT_EQ(tilec_function_launch(add.function, &launch), TILEC_INVALID_ARGUMENT);
    EXPECT_STREQ(tilec_last_error(), message);
    EXPECT_EQ(tilec_function_prepare(add.function, &launch, &prepared), TILEC_INVALID_ARGUMENT);
    EXPECT_STREQ(tilec_last_error(), message);
    EXPECT_EQ(prepared, nullptr);
  };
  expectRefused([](tilec_device_launch &launch, tilec_value *) { launch.num_arguments = 3; },
                "kernel 'add' takes 4 arguments, got 3");
  expectRefused([](tilec_device_launch &launch, tilec_value *) { launch.arguments = nullptr; },
                "launch: arguments are null");
  expectRefused([](tilec_device_launch &, tilec_value *values) { values[3].size = 8; },
                "kernel 'add': argument 'n' ('i32') takes 4 bytes, got 8");
  expectRefused([](tilec_device_launch &, tilec_value *values) { values[0].data = nullptr; },
                "kernel 'add': argument 'x' ('*kfp32') has no value");
  expectRefused([](tilec_device_launch &launch, tilec_value *) { launch.grid[1] = 0; },
                "launch: the grid is 3 x 0 x 1, every dimension must be at least 1");
  expectRefused([](tilec_device_launch &launch, tilec_value *) { launch.flags = 4; },
                "launch: unknown flags 4");
  expectRefused([](tilec_device_launch &launch, tilec_value *) { launch.struct_size = 0; },
                "launch: struct_size is 0, expected 64");
  EXPECT_EQ(tilec_function_launch(add.function, nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_function_launch(nullptr, &add.launch), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_function_prepare(add.function, &add.launch, nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(fakeCalls(), "");
}

TEST_P(ApiLaunchRefused, wrongUpdates) {
  LaunchFixture add(GetParam());
  tilec_prepared *prepared = add.prepare();
  EXPECT_EQ(tilec_prepared_set_argument(prepared, 9, &add.n, 4), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_prepared_set_argument(prepared, 3, &add.n, 8), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_prepared_set_argument(prepared, 3, nullptr, 4), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_prepared_set_grid(prepared, 1, 1, 0), TILEC_INVALID_ARGUMENT);
  // Handles of another type.
  EXPECT_EQ(tilec_prepared_launch(reinterpret_cast<tilec_prepared *>(add.function), nullptr),
            TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_graph_launch(reinterpret_cast<tilec_graph *>(prepared), nullptr),
            TILEC_INVALID_ARGUMENT);
  tilec_function_destroy(reinterpret_cast<tilec_function *>(prepared));
  EXPECT_EQ(tilec_prepared_launch(prepared, nullptr), TILEC_OK) << tilec_last_error();
  tilec_prepared_destroy(prepared);
  // Its slot is used again, its number is not.
  tilec_prepared *next = add.prepare();
  EXPECT_NE(next, prepared);
  EXPECT_EQ(tilec_prepared_launch(prepared, nullptr), TILEC_INVALID_ARGUMENT);
  tilec_prepared_destroy(next);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ApiLaunchRefused, testing::Values("sim", "cuda"),
                         [](const auto &kind) { return std::string(kind.param); });

} // namespace

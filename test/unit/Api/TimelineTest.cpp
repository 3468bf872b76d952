// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timelines over the C interface.

#include "FakeCuda.h"

#include <cstdio>
#include <fstream>
#include <gmock/gmock.h>
#include <numeric>
#include <sstream>

using namespace tilec;
using namespace tilec::test;
using testing::HasSubstr;

namespace {

constexpr uint32_t grid[3] = {3, 1, 1};

Options timelineOptions() {
  Options options = addOptions("sim");
  options.flags = TILEC_COMPILE_TIMELINE;
  return options;
}

std::string textOf(const std::string &path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(ApiTimeline, kernelsWriteIt) {
  Compilation compiled = Compiler().compileText("add.tile", addSource, timelineOptions());
  ASSERT_TRUE(compiled) << compiled.text;
  const Kernel &kernel = compiled.kernel;
  ASSERT_EQ(kernel.info().num_arguments, 5u);
  EXPECT_EQ(kernel.arguments()[4].type, "*i64");
  std::vector<uint64_t> marks(kernel.timelineSize() / 8);
  ASSERT_FALSE(marks.empty());
  std::vector<float> x(300, 1), y(300, 2), out(300);
  Report report =
      kernel.simulate({{3, 1, 1}}, buffer(x), buffer(y), buffer(out), int32_t(300), buffer(marks));
  ASSERT_TRUE(report) << report.text;
  EXPECT_EQ(out[299], 3);
  std::string path = testing::TempDir() + "/tilec-timeline";
  Status json = kernel.writeTimeline(grid, marks.data(), 8 * marks.size(), path + ".json");
  ASSERT_TRUE(json) << json.message;
  EXPECT_THAT(textOf(path + ".json"), HasSubstr("\"file\": \"add.tile:5\""));
  Status svg = kernel.writeTimeline(grid, marks.data(), 8 * marks.size(), path + ".svg");
  ASSERT_TRUE(svg) << svg.message;
  EXPECT_THAT(textOf(path + ".svg"), HasSubstr("Timeline of add"));
  for (const char *ending : {".json", ".svg"})
    std::remove((path + ending).c_str());

  Status shorter = kernel.writeTimeline(grid, marks.data(), 16, path + ".json");
  EXPECT_EQ(shorter.code, TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(shorter.message, HasSubstr("the timeline's buffer has 2 words"));
  Status nowhere = kernel.writeTimeline(grid, marks.data(), 8 * marks.size(), "/nowhere/t.json");
  EXPECT_THAT(nowhere.message, HasSubstr("/nowhere/t.json"));

  tilec_timeline *timeline = nullptr;
  ASSERT_EQ(
      tilec_kernel_read_timeline(kernel.handle(), grid, marks.data(), 8 * marks.size(), &timeline),
      TILEC_OK)
      << tilec_last_error();
  EXPECT_STREQ(tilec_timeline_text(timeline), "kernel 'add': 12 warps, 36 spans\n");
  EXPECT_STREQ(tilec_timeline_json(timeline),
               "{\"droppedMarks\":0,\"isOrder\":true,\"kernel\":\"add\",\"spans\":36,"
               "\"waits\":[],\"warps\":12}");
  EXPECT_THAT(tilec_timeline_trace(timeline), HasSubstr("traceEvents"));
  EXPECT_THAT(tilec_timeline_svg(timeline), HasSubstr("Timeline of add"));
  tilec_timeline_destroy(timeline);
  EXPECT_EQ(tilec_timeline_text(timeline), nullptr);
  EXPECT_EQ(tilec_kernel_read_timeline(kernel.handle(), nullptr, nullptr, 0, &timeline),
            TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "grid is null");
}

TEST(ApiTimeline, otherKernelsHaveNone) {
  Compilation compiled = Compiler().compileText("add.tile", addSource, addOptions("sim"));
  ASSERT_TRUE(compiled) << compiled.text;
  EXPECT_EQ(compiled.kernel.timelineSize(), 0u);
  Status status = compiled.kernel.writeTimeline(grid, nullptr, 0, "t.json");
  EXPECT_EQ(status.message, "kernel 'add' was compiled without a timeline");
}

const char incrementSource[] = R"(@triton.jit
def increment(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)
)";

/// Calls of a kernel that specialises itself.
class ApiCallTimeline : public testing::Test {
protected:
  void SetUp() override {
    resetFakeCuda();
    std::iota(x.begin(), x.end(), 0.0f);
  }
  void TearDown() override {
    tilec_timeline_destroy(timeline);
    tilec_jit_destroy(jit);
    tilec_device_destroy(device);
  }

  void open(const char *name) {
    device = openDevice(name);
    auto options = sizedStruct<tilec_jit_options>();
    options.name = "increment.tile";
    options.text = incrementSource;
    options.length = sizeof incrementSource - 1;
    ASSERT_EQ(tilec_jit_create(device, &options, &jit), TILEC_OK) << tilec_last_error();
  }
  tilec_status launch(const tilec_timeline_options *options = nullptr, void *memory = nullptr,
                      void *stream = nullptr) {
    tilec_call_value values[] = {{TILEC_VALUE_POINTER, TILEC_TYPE_FP32, 0, {}},
                                 {TILEC_VALUE_INTEGER, 0, 0, {}},
                                 {TILEC_VALUE_INTEGER, 0, 0, {}}};
    values[0].value.pointer = memory ? memory : x.data();
    values[1].value.integer = int64_t(x.size());
    values[2].value.integer = 128;
    tilec_buffer buffer = {x.data(), sizeof(float) * x.size(), "x", 0};
    auto call = sizedStruct<tilec_call>();
    call.grid[0] = 3;
    call.grid[1] = call.grid[2] = 1;
    call.values = values;
    call.num_values = 3;
    call.stream = stream;
    call.buffers = &buffer;
    call.num_buffers = memory ? 0 : 1;
    tilec_timeline_destroy(std::exchange(timeline, nullptr));
    return tilec_jit_launch_timeline(jit, &call, options, &variant, &timeline);
  }

  std::vector<float> x = std::vector<float>(300);
  tilec_device *device = nullptr;
  tilec_jit *jit = nullptr;
  tilec_timeline *timeline = nullptr;
  uint32_t variant = 7;
};

TEST_F(ApiCallTimeline, launchesAsEver) {
  open("sim");
  for (float launches : {1, 2}) {
    ASSERT_EQ(launch(), TILEC_OK) << tilec_last_error();
    EXPECT_EQ(x[299], 299 + launches);
    EXPECT_EQ(variant, 0u);
    EXPECT_STREQ(tilec_timeline_text(timeline), "kernel 'increment': 12 warps, 24 spans\n");
  }
  // The code with a timeline is none of the kernel's.
  EXPECT_EQ(tilec_jit_num_variants(jit), 1u);
  auto options = sizedStruct<tilec_timeline_options>();
  options.first_cta = 2;
  options.num_ctas = 5;
  options.marks = 3;
  ASSERT_EQ(launch(&options), TILEC_OK) << tilec_last_error();
  EXPECT_STREQ(tilec_timeline_text(timeline),
               "kernel 'increment': 4 warps, 8 spans; 4 marks found no room\n");
  EXPECT_EQ(x[299], 302);
}

TEST_F(ApiCallTimeline, wrongOptionsLaunchNothing) {
  open("sim");
  auto refuses = [&](uint32_t first, uint32_t ctas, uint32_t marks, const char *message) {
    auto options = sizedStruct<tilec_timeline_options>();
    options.first_cta = first;
    options.num_ctas = ctas;
    options.marks = marks;
    EXPECT_EQ(launch(&options), TILEC_INVALID_ARGUMENT);
    EXPECT_THAT(tilec_last_error(), HasSubstr(message));
    EXPECT_EQ(timeline, nullptr);
  };
  refuses(3, 1, 0, "the timeline begins with CTA 3, the grid has 3");
  refuses(0, 1025, 0, "shows 1025 CTAs from 0 on, expected at most 1024");
  refuses(UINT32_MAX, 2, 0, "expected at most 1024 of a grid");
  refuses(0, 0, 1, "marks is 1, expected 2 to 1048576");
  EXPECT_EQ(x[299], 299);
}

TEST_F(ApiCallTimeline, graphsHaveNone) {
  open("cuda");
  void *memory = nullptr, *stream = nullptr;
  ASSERT_EQ(tilec_memory_alloc(device, sizeof(float) * x.size(), &memory), TILEC_OK);
  ASSERT_EQ(tilec_stream_create(device, &stream), TILEC_OK);
  ASSERT_EQ(tilec_graph_begin(device, stream), TILEC_OK);
  EXPECT_EQ(launch(nullptr, memory, stream), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(),
               "the launch of kernel 'increment' is recorded for a graph: it has no timeline");
  tilec_graph *graph = nullptr;
  ASSERT_EQ(tilec_graph_end(device, stream, &graph), TILEC_OK) << tilec_last_error();
  tilec_graph_destroy(graph);
  // The fake GPU runs nothing, which leaves no marks.
  fakeCalls();
  EXPECT_EQ(launch(nullptr, memory, stream), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "no CTA of 0 to 3 has written a timeline");
  std::string calls = fakeCalls();
  EXPECT_THAT(calls, testing::ContainsRegex("cuMemAlloc.*cuMemsetD8.*cuLaunchKernel.*cuMemcpyDtoH.*"
                                            "cuStreamSynchronize.*cuMemFree"));
}

} // namespace

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that are wrong in themselves: null, stale and foreign handles, structs of other versions,
// and random sequences of all of it. Every one is a status with a message.

#include "Kernels.h"
#include "Layouts.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>
#include <random>

using namespace tilec;
using namespace tilec::test;
using testing::HasSubstr;

TEST(ApiHandles, nullIsAnErrorAndDestroyingItIsNot) {
  EXPECT_EQ(tilec_compiler_create(nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "compiler is null");
  tilec_kernel *kernel = nullptr;
  EXPECT_EQ(tilec_compile_text(nullptr, "a", "", 0, nullptr, &kernel, nullptr),
            TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "not a live handle of a tilec_compiler");
  EXPECT_EQ(tilec_kernel_simulate(nullptr, nullptr, nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_kernel_ptx(nullptr), nullptr);
  EXPECT_EQ(tilec_diagnostics_count(nullptr), 0u);
  EXPECT_EQ(tilec_report_text(nullptr), nullptr);
  tilec_compiler_destroy(nullptr);
  tilec_kernel_destroy(nullptr);
  tilec_diagnostics_destroy(nullptr);
  tilec_report_destroy(nullptr);
}

// Programs that were written for the old names go on.
TEST(ApiHandles, oldNames) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  EXPECT_EQ(tilec_simulate(nullptr, nullptr, nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_prepare(nullptr, nullptr, nullptr), TILEC_INVALID_ARGUMENT);
#pragma GCC diagnostic pop
}

TEST(ApiHandles, staleAndForeign) {
  tilec_compiler *compiler = nullptr;
  ASSERT_EQ(tilec_compiler_create(&compiler), TILEC_OK);
  tilec_kernel_info info = {};
  info.struct_size = sizeof info;
  // A compiler's handle, and an address, as a kernel's.
  EXPECT_EQ(tilec_kernel_get_info(reinterpret_cast<tilec_kernel *>(compiler), &info),
            TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_kernel_get_info(reinterpret_cast<tilec_kernel *>(&info), &info),
            TILEC_INVALID_ARGUMENT);
  tilec_compiler_destroy(compiler);
  tilec_compiler_destroy(compiler);
  tilec_kernel *kernel = nullptr;
  EXPECT_EQ(tilec_compile_text(compiler, "a", "", 0, nullptr, &kernel, nullptr),
            TILEC_INVALID_ARGUMENT);
}

TEST(ApiHandles, structsOfOtherVersions) {
  tilec_compiler *compiler = nullptr;
  ASSERT_EQ(tilec_compiler_create(&compiler), TILEC_OK);
  tilec_kernel *kernel = nullptr;
  auto compileWith = [&](const tilec_options &options) {
    return tilec_compile_text(compiler, "add.tile", addSource, std::strlen(addSource), &options,
                              &kernel, nullptr);
  };
  struct Newer {
    tilec_options known;
    void *unknown;
  } newer = {};
  newer.known.struct_size = sizeof newer;
  EXPECT_EQ(compileWith(newer.known), TILEC_INPUT_ERROR); // Types are missing.
  newer.unknown = &newer;
  EXPECT_EQ(compileWith(newer.known), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("newer than version"));
  // An older caller's struct ends after `target`; what lies behind is not read.
  tilec_options older = {};
  older.struct_size = offsetof(tilec_options, arguments);
  older.num_warps = 77;
  EXPECT_EQ(compileWith(older), TILEC_INPUT_ERROR);
  tilec_options unset = {};
  EXPECT_EQ(compileWith(unset), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("struct_size is 0"));
  EXPECT_EQ(kernel, nullptr);

  Kernel good = Compiler().compileText("add.tile", addSource, addOptions("sim")).kernel;
  tilec_kernel_info info;
  std::memset(&info, 0x5a, sizeof info);
  info.struct_size = offsetof(tilec_kernel_info, num_warps);
  ASSERT_EQ(tilec_kernel_get_info(good.handle(), &info), TILEC_OK);
  EXPECT_STREQ(info.target, "sim");
  EXPECT_EQ(info.num_warps, 0x5a5a5a5au) << "written behind the caller's struct";
  tilec_compiler_destroy(compiler);
}

TEST(ApiHandles, versionAndStatusNames) {
  EXPECT_STREQ(tilec_version(), TILEC_VERSION);
  EXPECT_STREQ(tilec_status_name(TILEC_UNAVAILABLE), "unavailable");
  EXPECT_STREQ(tilec_status_name(-5), "unknown status");
}

namespace {

/// Calls functions at random with live, destroyed, null and foreign handles.
class RandomCaller {
public:
  explicit RandomCaller(unsigned seed) : random(seed) {}

  void step() {
    switch (below(12)) {
    case 0:
      return create();
    case 1:
    case 2:
      return compile();
    case 3:
      return simulate();
    case 4:
      return tilec_compiler_destroy(any(compilers));
    case 5:
      return tilec_kernel_destroy(any(kernels));
    case 6:
      return tilec_diagnostics_destroy(any(diagnostics));
    case 7:
      return tilec_report_destroy(any(reports));
    case 8:
      return queryKernel();
    case 9:
      return queryDiagnostics();
    default:
      return queryReport();
    }
  }

  void destroyAll() {
    for (tilec_compiler *handle : compilers)
      tilec_compiler_destroy(handle);
    for (tilec_kernel *handle : kernels)
      tilec_kernel_destroy(handle);
    for (tilec_diagnostics *handle : diagnostics)
      tilec_diagnostics_destroy(handle);
    for (tilec_report *handle : reports)
      tilec_report_destroy(handle);
  }

private:
  unsigned below(unsigned bound) { return unsigned(random() % bound); }

  template <typename Handle> Handle *any(const std::vector<Handle *> &handles) {
    if (handles.empty() || below(8) == 0)
      return reinterpret_cast<Handle *>(uintptr_t(2 * below(64))); // Handles are odd.
    return handles[below(unsigned(handles.size()))];
  }
  template <typename Struct> Struct sized() {
    Struct result = {};
    result.struct_size = below(8) == 0 ? below(16) : sizeof(Struct);
    return result;
  }
  void check(tilec_status status) {
    if (status != TILEC_OK) {
      EXPECT_STRNE(tilec_last_error(), "");
    }
  }

  void create() {
    tilec_compiler *compiler = nullptr;
    check(tilec_compiler_create(below(8) == 0 ? nullptr : &compiler));
    if (compiler)
      compilers.push_back(compiler);
  }
  void compile() {
    static const tilec_binding arguments[] = {
        {"x", "*fp32"}, {"y", "*fp32"}, {"out", "*fp32"}, {"n", "i32"}, {nullptr, "i32"}};
    static const tilec_binding constants[] = {{"BLOCK", "128"}};
    static const char *const targets[] = {"sim", "sim", "sm_90a", "sm_1", nullptr};
    auto options = sized<tilec_options>();
    options.target = targets[below(5)];
    options.arguments = below(8) == 0 ? nullptr : arguments;
    options.num_arguments = below(4) == 0 ? below(6) : 4;
    options.constants = constants;
    options.num_constants = 1;
    options.num_warps = below(4) == 0 ? int32_t(below(200)) - 100 : 0;
    options.stop_after = tilec_stage(below(4) == 0 ? below(12) : 0);
    options.keep_stages = below(4) == 0 ? below(1024) : 0;
    options.flags = below(4) == 0 ? below(64) : 0;
    size_t length = below(4) == 0 ? below(sizeof addSource) : sizeof addSource - 1;
    tilec_kernel *kernel = nullptr;
    tilec_diagnostics *messages = nullptr;
    check(tilec_compile_text(any(compilers), below(2) ? "add.tile" : nullptr, addSource, length,
                             below(8) == 0 ? nullptr : &options, below(8) == 0 ? nullptr : &kernel,
                             below(8) == 0 ? nullptr : &messages));
    if (kernel)
      kernels.push_back(kernel);
    if (messages)
      diagnostics.push_back(messages);
  }
  void simulate() {
    static float memory[256];
    float *pointer = memory;
    int32_t n = 200;
    tilec_value values[] = {{&pointer, sizeof pointer},
                            {&pointer, sizeof pointer},
                            {&pointer, sizeof pointer},
                            {below(8) == 0 ? nullptr : &n, below(8) == 0 ? 8u : 4u}};
    tilec_buffer buffers[] = {{memory, sizeof memory, nullptr, below(8) == 0 ? 2u : 0u}};
    auto launch = sized<tilec_launch>();
    launch.grid[0] = below(8) == 0 ? 0 : 2;
    launch.grid[1] = launch.grid[2] = 1;
    launch.flags = below(5);
    launch.arguments = below(8) == 0 ? nullptr : values;
    launch.num_arguments = below(8) == 0 ? 3 : 4;
    launch.buffers = buffers;
    launch.num_buffers = 1;
    tilec_report *report = nullptr;
    check(tilec_kernel_simulate(any(kernels), &launch, below(8) == 0 ? nullptr : &report));
    if (report)
      reports.push_back(report);
  }
  void queryKernel() {
    tilec_kernel *kernel = any(kernels);
    auto info = sized<tilec_kernel_info>();
    auto argument = sized<tilec_argument>();
    size_t size = 0;
    check(tilec_kernel_get_info(kernel, below(8) == 0 ? nullptr : &info));
    check(tilec_kernel_get_argument(kernel, below(6), &argument));
    tilec_kernel_ptx(kernel);
    tilec_kernel_cubin(kernel, below(2) ? &size : nullptr);
    tilec_kernel_stage(kernel, tilec_stage(below(12)), below(2) ? &size : nullptr);
    tilec_kernel_metadata(kernel);
    tilec_kernel_timeline_size(kernel);
    uint32_t grid[3] = {below(2), 1, 1};
    uint64_t marks[4] = {};
    check(tilec_kernel_write_timeline(kernel, below(8) == 0 ? nullptr : grid,
                                      below(8) == 0 ? nullptr : marks, below(33),
                                      "/nowhere/t.json"));
    tilec_timeline *timeline = nullptr;
    check(
        tilec_kernel_read_timeline(kernel, grid, marks, below(33), below(8) ? &timeline : nullptr));
    tilec_timeline_destroy(timeline);
  }
  void queryDiagnostics() {
    tilec_diagnostics *handle = any(diagnostics);
    auto diagnostic = sized<tilec_diagnostic>();
    check(tilec_diagnostics_get(handle, below(4), &diagnostic));
    tilec_diagnostics_count(handle);
    tilec_diagnostics_text(handle);
    tilec_diagnostics_json(handle);
  }
  void queryReport() {
    tilec_report *handle = any(reports);
    auto finding = sized<tilec_finding>();
    auto line = sized<tilec_printed_line>();
    auto counters = sized<tilec_counters>();
    check(tilec_report_get_finding(handle, below(3), &finding));
    check(tilec_report_get_line(handle, below(3), &line));
    check(tilec_report_get_counters(handle, &counters));
    tilec_report_text(handle);
  }

  std::mt19937 random;
  std::vector<tilec_compiler *> compilers;
  std::vector<tilec_kernel *> kernels;
  std::vector<tilec_diagnostics *> diagnostics;
  std::vector<tilec_report *> reports;
};

} // namespace

TEST(ApiHandles, randomCalls) {
  unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomCaller caller(seed);
  for (int i = 0; i < 1000; ++i)
    caller.step();
  caller.destroyAll();
}

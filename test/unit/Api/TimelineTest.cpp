// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timelines over the C interface.

#include "Kernels.h"

#include <cstdio>
#include <fstream>
#include <gmock/gmock.h>
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
}

TEST(ApiTimeline, otherKernelsHaveNone) {
  Compilation compiled = Compiler().compileText("add.tile", addSource, addOptions("sim"));
  ASSERT_TRUE(compiled) << compiled.text;
  EXPECT_EQ(compiled.kernel.timelineSize(), 0u);
  Status status = compiled.kernel.writeTimeline(grid, nullptr, 0, "t.json");
  EXPECT_EQ(status.message, "kernel 'add' was compiled without a timeline");
}

} // namespace

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers of marks as spans, and as files.

#include "tilecrt/Timeline.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tilecrt;
using namespace tilecrt::timeline;

namespace {

/// A kernel with events 0 (an iteration), 1 (a dot of one group), 2 (a wait that leaves one in
/// flight) and 3 (a wait for all).
KernelMetadata kernelOf(uint32_t capacity, std::vector<TimelineRole> roles) {
  KernelMetadata kernel;
  kernel.name = "k<1>";
  kernel.target = "sm_90a";
  kernel.timeline = {capacity, 4, 5, std::move(roles), {}};
  kernel.timeline.events = {{0, "iteration", "dir/k.tile", 3, 1, 0},
                            {1, "dot", "dir/k.tile", 4, 1, 1},
                            {2, "dot-wait", "dir/k.tile", 4, 1, 1},
                            {3, "dot-wait", "dir/k.tile", 5, 1, 0}};
  return kernel;
}

/// The buffer, as a kernel writes it.
class Buffer {
public:
  explicit Buffer(const KernelMetadata &kernel)
      : words(wordsOf(kernel.timeline)), capacity(kernel.timeline.capacity) {}

  uint64_t &header(uint32_t warp, HeaderWord word) {
    return words[warp * wordsOfWarp(capacity) + uint32_t(word)];
  }
  /// Cycles, and nanoseconds, of the whole warp.
  void begin(uint32_t warp, uint32_t processor, uint64_t clock, uint64_t time) {
    header(warp, HeaderWord::processor) = processor + 1;
    header(warp, HeaderWord::beginClock) = clock;
    header(warp, HeaderWord::beginTime) = time;
  }
  void mark(uint32_t warp, uint32_t event, bool isEnd, uint64_t clock) {
    uint64_t &count = header(warp, HeaderWord::count);
    if (count < capacity)
      words[warp * wordsOfWarp(capacity) + headerWords + count] =
          (clock & 0xffffffff) << 32 | (2 * event + (isEnd ? 1 : 0));
    ++count;
  }
  void end(uint32_t warp, uint64_t clock, uint64_t time) {
    header(warp, HeaderWord::endClock) = clock;
    header(warp, HeaderWord::endTime) = time;
  }
  Result<Timeline> read(const KernelMetadata &kernel) {
    return timeline::read(kernel, {8, 1, 1}, words.data(), words.size());
  }

  std::vector<uint64_t> words;
  uint32_t capacity;
};

TEST(Timeline, clocks_become_microseconds_of_the_launch) {
  KernelMetadata kernel = kernelOf(16, {{"", 1}});
  Buffer buffer(kernel);
  // Two cycles a nanosecond; the second CTA, on another multiprocessor, begins a microsecond later.
  uint64_t turn = uint64_t(1) << 32;
  buffer.begin(0, 7, turn - 1000, 50000);
  buffer.mark(0, 0, false, turn - 500);
  buffer.mark(0, 0, true, turn + 500);
  buffer.end(0, turn + 3000, 52000);
  buffer.begin(1, 9, 10, 51000);
  buffer.end(1, 4010, 53000);
  Result<Timeline> read = buffer.read(kernel);
  ASSERT_TRUE(read.ok()) << read.message();
  ASSERT_EQ(read->warps.size(), 2u);
  EXPECT_FALSE(read->isOrder);
  const Warp &first = read->warps[0], &second = read->warps[1];
  EXPECT_EQ(first.cta, 4u);
  EXPECT_EQ(second.cta, 5u);
  EXPECT_EQ(second.processor, 9u);
  EXPECT_NEAR(first.begin, 0, 1e-9);
  EXPECT_NEAR(first.end, 2, 1e-9);
  EXPECT_NEAR(second.begin, 1, 1e-9);
  ASSERT_EQ(first.spans.size(), 1u);
  EXPECT_NEAR(first.spans[0].begin, 0.25, 1e-9);
  EXPECT_NEAR(first.spans[0].end, 0.75, 1e-9);
}

TEST(Timeline, spans_nest_and_count) {
  KernelMetadata kernel = kernelOf(16, {{"", 1}});
  kernel.target = "sim";
  Buffer buffer(kernel);
  buffer.begin(0, 0, 10, 0);
  for (uint64_t at : {20, 40}) {
    buffer.mark(0, 0, false, at);
    buffer.mark(0, 1, false, at + 2);
    buffer.mark(0, 1, true, at + 4);
    buffer.mark(0, 0, true, at + 10);
  }
  buffer.end(0, 100, 0);
  Result<Timeline> read = buffer.read(kernel);
  ASSERT_TRUE(read.ok()) << read.message();
  EXPECT_TRUE(read->isOrder);
  ASSERT_EQ(read->warps.size(), 1u);
  const std::vector<Span> &spans = read->warps[0].spans;
  ASSERT_EQ(spans.size(), 4u);
  EXPECT_EQ(spans[2].number, 1u);
  EXPECT_EQ(spans[3].number, 0u);
  EXPECT_EQ(spans[3].depth, 1u);
  EXPECT_EQ(spans[3].begin, 42);
  EXPECT_EQ(spans[3].end, 44);
}

// Two are started; the wait that leaves one is the end of the first, the next wait of the second.
TEST(Timeline, products_are_in_flight_until_a_wait_covers_them) {
  KernelMetadata kernel = kernelOf(16, {{"", 1}});
  kernel.target = "sim:sm_90a";
  Buffer buffer(kernel);
  buffer.begin(0, 0, 0, 0);
  uint64_t clock = 0;
  for (uint32_t event : {1, 1, 2, 3}) {
    buffer.mark(0, event, false, clock += 10);
    buffer.mark(0, event, true, clock += 10);
  }
  buffer.end(0, 100, 0);
  Result<Timeline> read = buffer.read(kernel);
  ASSERT_TRUE(read.ok()) << read.message();
  const std::vector<Flight> &flights = read->warps[0].flights;
  ASSERT_EQ(flights.size(), 2u);
  EXPECT_EQ(flights[0].begin, 10);
  EXPECT_EQ(flights[0].end, 60);
  EXPECT_EQ(flights[1].begin, 30);
  EXPECT_EQ(flights[1].end, 80);
  EXPECT_NE(flights[0].lane, flights[1].lane);
}

TEST(Timeline, marks_without_room_are_counted_and_spans_cut) {
  KernelMetadata kernel = kernelOf(3, {{"", 1}});
  kernel.target = "sim";
  Buffer buffer(kernel);
  buffer.begin(0, 0, 0, 0);
  buffer.mark(0, 0, false, 10);
  buffer.mark(0, 1, false, 20);
  buffer.mark(0, 1, true, 30);
  buffer.mark(0, 0, true, 40);
  buffer.end(0, 100, 0);
  Result<Timeline> read = buffer.read(kernel);
  ASSERT_TRUE(read.ok()) << read.message();
  EXPECT_EQ(read->droppedMarks(), 1u);
  ASSERT_EQ(read->countSpans(), 2u);
  EXPECT_TRUE(read->warps[0].spans[0].isCut);
  EXPECT_EQ(read->warps[0].spans[0].end, 30);
  EXPECT_FALSE(read->warps[0].spans[1].isCut);
}

TEST(Timeline, warps_have_roles_and_warpgroups) {
  KernelMetadata kernel = kernelOf(2, {{"compute", 8}, {"load", 4}});
  Buffer buffer(kernel);
  for (uint32_t warp = 0; warp < 12; ++warp) {
    buffer.begin(warp, 0, 0, 0);
    buffer.end(warp, 10, 10);
  }
  Result<Timeline> read = buffer.read(kernel);
  ASSERT_TRUE(read.ok()) << read.message();
  ASSERT_EQ(read->warps.size(), 12u);
  EXPECT_EQ(read->warps[3].role, "compute, warpgroup 0");
  EXPECT_EQ(read->warps[4].role, "compute, warpgroup 1");
  EXPECT_EQ(read->warps[8].role, "load");
}

TEST(Timeline, waits_are_shares_of_a_role) {
  KernelMetadata kernel = kernelOf(8, {{"compute", 8}, {"load", 4}});
  Buffer buffer(kernel);
  for (uint32_t warp : {0, 5, 9}) {
    buffer.begin(warp, 0, 0, 0);
    if (warp == 5) {
      buffer.mark(warp, 1, false, 100);
      buffer.mark(warp, 1, true, 200);
      buffer.mark(warp, 3, false, 200);
      buffer.mark(warp, 3, true, 700);
    }
    buffer.end(warp, 1000, 1000);
  }
  Result<Timeline> read = buffer.read(kernel);
  ASSERT_TRUE(read.ok()) << read.message();
  std::vector<RoleWaits> roles = waitsOf(*read);
  ASSERT_EQ(roles.size(), 2u);
  EXPECT_EQ(roles[0].role, "compute");
  ASSERT_EQ(roles[0].shares.size(), 1u);
  EXPECT_EQ(roles[0].shares[0].first, "dot-wait");
  EXPECT_NEAR(roles[0].shares[0].second, 0.25, 1e-9);
  EXPECT_EQ(roles[1].role, "load");
  EXPECT_TRUE(roles[1].shares.empty());

  Summary summary = summarize(*read);
  EXPECT_EQ(summary.warps, 3u);
  EXPECT_EQ(summary.spans, 2u);
  EXPECT_EQ(describeWaits(summary), std::vector<std::string>{"compute warps: wait for a dot 25%"});
  // Lengths of the simulator mean nothing.
  read->isOrder = true;
  EXPECT_TRUE(describeWaits(summarize(*read)).empty());
}

TEST(Timeline, a_grid_has_to_have_one_of_the_ctas) {
  KernelMetadata kernel = kernelOf(4, {{"", 1}});
  EXPECT_TRUE(checkCtas(kernel, {1, 5, 1}).ok());
  EXPECT_EQ(checkCtas(kernel, {2, 2, 1}).message(),
            "the timeline begins with CTA 4, the grid has 4");
  kernel.splitK = 2;
  EXPECT_TRUE(checkCtas(kernel, {2, 2, 1}).ok());
  kernel.timeline = {};
  EXPECT_TRUE(checkCtas(kernel, {1, 1, 1}).ok());
}

TEST(Timeline, damaged_buffers_are_refused) {
  KernelMetadata kernel = kernelOf(4, {{"", 1}});
  auto expectRefused = [&](auto damage, const char *message) {
    Buffer buffer(kernel);
    buffer.begin(0, 0, 0, 0);
    damage(buffer);
    Result<Timeline> read = buffer.read(kernel);
    EXPECT_EQ(read.message(), message);
  };
  expectRefused([](Buffer &b) { b.words.pop_back(); },
                "the timeline's buffer has 23 words, expected 24");
  expectRefused([](Buffer &b) { b.header(0, HeaderWord::processor) = 0; },
                "no CTA of 4 to 5 has written a timeline");
  expectRefused([](Buffer &b) { b.mark(0, 9, false, 1); },
                "timeline of warp 0 of CTA 4: a mark of event 9, which the kernel does not have");
  expectRefused([](Buffer &b) { b.mark(0, 1, true, 1); },
                "timeline of warp 0 of CTA 4: a span of event 1 ends that has not begun");
  kernel.timeline = {};
  EXPECT_EQ(read(kernel, {1, 1, 1}, nullptr, 0).message(),
            "kernel 'k<1>' was compiled without a timeline");
}

TEST(Timeline, files_have_names_and_places) {
  KernelMetadata kernel = kernelOf(16, {{"compute", 1}});
  Buffer buffer(kernel);
  buffer.begin(0, 7, 0, 0);
  buffer.mark(0, 1, false, 100);
  buffer.mark(0, 1, true, 200);
  buffer.mark(0, 3, false, 300);
  buffer.mark(0, 3, true, 900);
  buffer.end(0, 1000, 1000);
  Result<Timeline> read = buffer.read(kernel);
  ASSERT_TRUE(read.ok()) << read.message();
  nlohmann::json trace = nlohmann::json::parse(toTraceEvents(*read));
  std::map<std::string, nlohmann::json> byName;
  for (const nlohmann::json &event : trace["traceEvents"])
    byName[event["name"]] = event;
  EXPECT_EQ(byName["process_name"]["args"]["name"], "CTA 4 (4, 0, 0) on SM 7");
  // Of two CTAs for each program.
  kernel.splitK = kernel.clusterX = 2;
  EXPECT_NE(
      toTraceEvents(*timeline::read(kernel, {2, 2, 1}, buffer.words.data(), buffer.words.size()))
          .find("CTA 4 (0, 1, 0)"),
      std::string::npos);
  EXPECT_EQ(byName["wait for a dot"]["args"]["file"], "dir/k.tile:5");
  EXPECT_NEAR(byName["wait for a dot"]["ts"].get<double>(), 0.3, 1e-9);
  EXPECT_NEAR(byName["wait for a dot"]["dur"].get<double>(), 0.6, 1e-9);
  EXPECT_NEAR(byName["dot in flight"]["dur"].get<double>(), 0.8, 1e-9);
  std::string picture = toSvg(*read);
  EXPECT_NE(picture.find("Timeline of k&lt;1&gt;"), std::string::npos);
  EXPECT_NE(picture.find("wait for a dot, k.tile:5"), std::string::npos);
  EXPECT_EQ(picture.find("order"), std::string::npos);
}

} // namespace

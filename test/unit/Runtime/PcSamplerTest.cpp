// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sampling over the fake driver and a fake CUPTI that is opened as a library.

#include "FakeDriver.h"

#include "tilecrt/cuda/PcSampler.h"

#include <gmock/gmock.h>

#include <cstdlib>

using namespace tilecrt;
using namespace tilecrt::cuda;
using testing::HasSubstr;

namespace {

class PcSamplerTest : public fake::FakeDriverTest {
protected:
  void TearDown() override {
    for (const std::string &name : names)
      unsetenv(name.c_str());
    FakeDriverTest::TearDown();
  }

  void set(const char *name, const char *value) {
    setenv(name, value, 1);
    names.push_back(name);
  }

  static CuptiTable cupti() {
    Result<CuptiTable> table = loadCupti({TILEC_TEST_FAKE_CUPTI});
    EXPECT_TRUE(table.ok()) << table.message();
    return *table;
  }

  Result<PcSamples> sampleOnce(unsigned periodLog2 = 10) {
    Context here = context();
    PcSamplingOptions options;
    options.periodLog2 = periodLog2;
    Result<PcSampler> sampler = PcSampler::create(cupti(), here.shared(), options);
    if (!sampler)
      return sampler.status();
    return sampler->sample(3, [&] {
      ++works;
      return workEnds;
    });
  }

  std::vector<std::string> names;
  unsigned works = 0;
  Status workEnds;
};

TEST_F(PcSamplerTest, counts_have_function_offset_and_reason) {
  set("FAKE_CUPTI_SAMPLES", "k:0x10:long_scoreboard:30 k:0x10:selected:5 other:0x40:wait:2");
  Result<PcSamples> samples = sampleOnce();
  ASSERT_TRUE(samples.ok()) << samples.message();
  EXPECT_EQ(works, 1u);
  EXPECT_EQ(samples->launches, 3u);
  EXPECT_EQ(samples->periodCycles, 1024u);
  EXPECT_EQ(samples->total, 37u);
  EXPECT_EQ(samples->dropped, 0u);
  EXPECT_FALSE(samples->isBufferFull);
  ASSERT_EQ(samples->counts.size(), 3u);
  const PcCount &first = samples->counts[0], &last = samples->counts[2];
  EXPECT_EQ(first.function, "k");
  EXPECT_EQ(first.offset, 0x10u);
  EXPECT_EQ(samples->reasons[first.reason], "smsp__pcsamp_warps_issue_stalled_long_scoreboard");
  EXPECT_EQ(first.samples, 30u);
  EXPECT_EQ(last.function, "other");
  EXPECT_EQ(samples->reasons[last.reason], "smsp__pcsamp_warps_issue_stalled_wait");
}

TEST_F(PcSamplerTest, pages_are_read_to_the_end) {
  set("FAKE_CUPTI_PAGE", "1");
  set("FAKE_CUPTI_DROPPED", "7");
  set("FAKE_CUPTI_SAMPLES", "k:0:wait:1 k:16:wait:2 k:32:wait:3");
  Result<PcSamples> samples = sampleOnce();
  ASSERT_TRUE(samples.ok()) << samples.message();
  EXPECT_EQ(samples->counts.size(), 3u);
  EXPECT_EQ(samples->total, 6u);
  EXPECT_EQ(samples->dropped, 7u);
}

TEST_F(PcSamplerTest, late_data_is_waited_for) {
  set("FAKE_CUPTI_LATE", "2");
  set("FAKE_CUPTI_SAMPLES", "k:0:wait:1");
  Result<PcSamples> samples = sampleOnce();
  ASSERT_TRUE(samples.ok()) << samples.message();
  EXPECT_EQ(samples->counts.size(), 1u);
}

TEST_F(PcSamplerTest, what_lies_in_the_configured_buffer_is_found) {
  set("FAKE_CUPTI_MOVED", "1");
  set("FAKE_CUPTI_SAMPLES", "k:0:wait:4");
  Result<PcSamples> samples = sampleOnce();
  ASSERT_TRUE(samples.ok()) << samples.message();
  ASSERT_EQ(samples->counts.size(), 1u);
  EXPECT_EQ(samples->counts[0].samples, 4u);
}

TEST_F(PcSamplerTest, a_full_buffer_is_said) {
  set("FAKE_CUPTI_FULL", "12");
  set("FAKE_CUPTI_SAMPLES", "k:0:wait:4");
  Result<PcSamples> samples = sampleOnce(11);
  ASSERT_TRUE(samples.ok()) << samples.message();
  EXPECT_TRUE(samples->isBufferFull);
  EXPECT_TRUE(samples->counts.empty());
  samples = sampleOnce(12);
  ASSERT_TRUE(samples.ok()) << samples.message();
  EXPECT_FALSE(samples->isBufferFull);
  EXPECT_EQ(samples->counts.size(), 1u);
}

TEST_F(PcSamplerTest, missing_privileges_say_what_can_be_done) {
  set("FAKE_CUPTI_FAIL", "cuptiPCSamplingEnable:35");
  Result<PcSamples> samples = sampleOnce();
  EXPECT_EQ(samples.code(), StatusCode::unavailable);
  EXPECT_THAT(samples.message(),
              HasSubstr("cuptiPCSamplingEnable failed with CUPTI_ERROR_INSUFFICIENT_PRIVILEGES "
                        "(35); the driver lets only administrators profile"));
  EXPECT_EQ(works, 0u);
}

TEST_F(PcSamplerTest, every_call_may_fail) {
  for (const char *call :
       {"cuptiPCSamplingEnable", "cuptiPCSamplingGetNumStallReasons",
        "cuptiPCSamplingGetStallReasons", "cuptiPCSamplingSetConfigurationAttribute",
        "cuptiPCSamplingStart", "cuptiPCSamplingStop", "cuptiPCSamplingGetData"}) {
    set("FAKE_CUPTI_FAIL", (std::string(call) + ":999").c_str());
    Result<PcSamples> samples = sampleOnce();
    EXPECT_EQ(samples.code(), StatusCode::deviceError) << call;
    EXPECT_THAT(samples.message(),
                HasSubstr(std::string(call) + " failed with an unknown error (999)"));
  }
  // It was disabled each time.
  unsetenv("FAKE_CUPTI_FAIL");
  EXPECT_TRUE(sampleOnce().ok());
}

TEST_F(PcSamplerTest, work_that_fails_ends_it) {
  workEnds = deviceError("launch failed");
  Result<PcSamples> samples = sampleOnce();
  EXPECT_EQ(samples.message(), "launch failed");
  workEnds = Status();
  EXPECT_TRUE(sampleOnce().ok());
}

TEST_F(PcSamplerTest, periods_out_of_range_are_refused) {
  Result<PcSamples> samples = sampleOnce(4);
  EXPECT_THAT(samples.message(), HasSubstr("attribute 1 of the sampling"));
}

TEST(Cupti, without_a_library_every_name_is_said) {
  Result<CuptiTable> table = loadCupti({"libno-such-cupti.so", "/nowhere/libcupti.so.13"});
  EXPECT_EQ(table.code(), StatusCode::unavailable);
  EXPECT_EQ(table.message(),
            "CUPTI was not found: tried 'libno-such-cupti.so', '/nowhere/libcupti.so.13'");
  table = loadCupti({"libm.so.6"});
  EXPECT_THAT(table.message(), HasSubstr("the CUPTI library 'libm.so.6' lacks "
                                         "'cuptiGetResultString', 'cuptiPCSamplingEnable'"));
}

TEST(Cupti, is_looked_for_by_name_and_in_toolkits) {
  std::vector<std::string> places = cuptiLibraries("/opt/cuda");
  ASSERT_EQ(places.size(), 15u);
  EXPECT_EQ(places[0], "libcupti.so.13");
  EXPECT_EQ(places[3], "/opt/cuda/extras/CUPTI/lib64/libcupti.so.13");
  EXPECT_EQ(places[6], "/opt/cuda/lib64/libcupti.so.13");
  EXPECT_EQ(places[9], "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13");
  EXPECT_EQ(cuptiLibraries("").size(), 9u);
}

} // namespace

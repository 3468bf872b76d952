// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that are read from texts, and measurements of several files together.

#include "tilec/Explain/Measurements.h"

#include "gmock/gmock.h"

namespace tilec::explain {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

MeasuredCase sized(const char *text) {
  MeasuredCase measured;
  measured.size = text;
  readSize(measured);
  return measured;
}

TEST(Measurements, SizesOfTexts) {
  EXPECT_THAT(sized("16777216_fp32").sizes, ElementsAre(Pair("n", 16777216)));
  EXPECT_EQ(sized("16777216_fp32").variant, "fp32");
  EXPECT_THAT(sized("8192x4096_bf16").sizes,
              ElementsAre(Pair("rows", 8192), Pair("columns", 4096)));
  EXPECT_THAT(sized("16x8192x4096 e4m3 nt").sizes,
              ElementsAre(Pair("M", 16), Pair("N", 8192), Pair("K", 4096)));
  EXPECT_EQ(sized("16x8192x4096 e4m3 nt").variant, "e4m3 nt");
  EXPECT_THAT(sized("2x3x4x5").sizes, ElementsAre(Pair("size 1", 2), Pair("size 2", 3),
                                                  Pair("size 3", 4), Pair("size 4", 5)));
  MeasuredCase attention = sized("b4h32kv8 s4096 bf16 d128 page 16");
  EXPECT_THAT(attention.sizes, ElementsAre(Pair("b", 4), Pair("h", 32), Pair("kv", 8),
                                           Pair("s", 4096), Pair("d", 128)));
  EXPECT_EQ(attention.variant, "bf16 page 16");
  // A product in brackets and a word are what they are.
  EXPECT_THAT(sized("16x(4096x2048) ragged").sizes, IsEmpty());
  EXPECT_THAT(sized("").sizes, IsEmpty());
}

llvm::Error add(Measurements &all, const char *name, const char *rows) {
  return addMeasurements(
      all, name, std::string(R"-({"device": "NVIDIA H200 (cuda:0)", "rows": [)-") + rows + "]}");
}

TEST(Measurements, FilesHaveCasesInCommon) {
  Measurements all, more;
  ASSERT_FALSE(add(all, "a.json",
                   R"({"kernel": "k", "sizes": {"N": 64}, "medianUs": 2, "numWarps": 4},
                      {"kernel": "k", "sizes": {"N": 128}, "error": "no"})"));
  ASSERT_FALSE(add(more, "b.json",
                   R"({"kernel": "k", "sizes": {"N": 128.0}, "bytes": 8, "medianUs": 3,
                       "provider": "triton"})"));
  all.append(std::move(more));
  ASSERT_EQ(all.cases.size(), 2u);
  EXPECT_EQ(all.cases[1].size, "N=128");
  EXPECT_EQ(all.cases[1].bytes, 8);
  ASSERT_EQ(all.rows.size(), 3u);
  EXPECT_EQ(all.rows[1].state, "failed");
  EXPECT_EQ(all.rows[2].which, 1u);
  EXPECT_EQ(all.rows[2].file, 1u);
  EXPECT_EQ(all.rows[2].provider, "triton");
  ASSERT_NE(all.files[0].gpu, nullptr);
  EXPECT_EQ(all.files[0].gpu->name, "NVIDIA H200");
  EXPECT_THAT(all.rows[0].parameters, ElementsAre(Pair("num_warps", "4")));
}

TEST(Measurements, KernelsOfOneCommandAreBesideEachOther) {
  const char *rows = R"({"kernel": "a", "medianUs": 2}, {"kernel": "b", "medianUs": 3})";
  Measurements peers, command;
  ASSERT_FALSE(add(peers, "peers.json", rows));
  EXPECT_EQ(peers.cases.size(), 2u);
  ASSERT_FALSE(addMeasurements(command, "bench.json",
                               std::string(R"({"simulated": false, "rows": [)") + rows + "]}"));
  ASSERT_EQ(command.cases.size(), 1u);
  EXPECT_EQ(command.cases[0].kernel, "a, b");
  EXPECT_EQ(command.rows[1].provider, "b");
}

TEST(Measurements, AsJson) {
  Measurements all;
  ASSERT_FALSE(add(all, "a.json",
                   R"({"kernel": "k", "medianUs": 1.23456789, "samplesUs": [1, 2.5],
                       "registers": -1, "spillBytes": 0})"));
  std::string text = writeMeasurements(all);
  EXPECT_THAT(text, HasSubstr(R"("values":{"time":1.23457,"spillBytes":0},"samples":[1,2.5])"));
}

} // namespace
} // namespace tilec::explain

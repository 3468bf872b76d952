// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tool's own forms of DATA.

#include "tools/tilec/RunData.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tilec::tool;
using testing::ElementsAre;
using testing::HasSubstr;
using tilecrt::DType;
using tilecrt::HostArray;
using tilecrt::NumberData;

namespace {

std::string errorOf(std::string_view text) {
  tilecrt::Result<RunData> data = readRunData(text, {});
  EXPECT_FALSE(data.ok());
  return data.message();
}

TEST(RunData, Numbers) {
  auto number = [](std::string_view text) {
    tilecrt::Result<RunData> data = readRunData(text, {});
    EXPECT_TRUE(data.ok()) << data.message();
    return data.ok() ? std::get<NumberData>(*data) : NumberData();
  };
  EXPECT_EQ(number("-3").integer, -3);
  EXPECT_EQ(number("i64:123").integer, 123);
  EXPECT_EQ(number("i64:123").type, DType::i64);
  EXPECT_EQ(number("123:i64").type, DType::i64);
  EXPECT_EQ(number("fp16:0.5").real, 0.5);
  EXPECT_FALSE(number("1e3").isInteger);
}

TEST(RunData, None) { EXPECT_TRUE(std::holds_alternative<NoData>(*readRunData(" None ", {}))); }

TEST(RunData, Values) {
  auto data = readRunData("values:i64[9007199254740993, -1,0x10]", {});
  ASSERT_TRUE(data.ok()) << data.message();
  const HostArray &array = std::get<HostArray>(*data);
  EXPECT_EQ(array.dtype(), DType::i64);
  EXPECT_THAT(array.shape(), ElementsAre(3));
  // More digits than a double has.
  EXPECT_EQ(array.as<int64_t>()[0], 9007199254740993);
  EXPECT_EQ(array.as<int64_t>()[1], -1);
  EXPECT_EQ(array.as<int64_t>()[2], 16);

  auto halves = readRunData("values:f16[1,0.5]", {});
  ASSERT_TRUE(halves.ok());
  EXPECT_EQ(std::get<HostArray>(*halves).at(1), 0.5);
  auto empty = readRunData("values:f32[]", {});
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(std::get<HostArray>(*empty).size(), 0u);
}

TEST(RunData, ValueErrors) {
  EXPECT_THAT(errorOf("values:i32"), HasSubstr("expected values as in"));
  EXPECT_THAT(errorOf("values:q8[1]"), HasSubstr("unknown element type 'q8'"));
  EXPECT_THAT(errorOf("values:u8[256]"), HasSubstr("outside the range"));
  EXPECT_THAT(errorOf("values:u8[1,]"), HasSubstr("data ':u8'"));
  EXPECT_THAT(errorOf("pointers(a,,b)"), HasSubstr("empty name"));
  EXPECT_THAT(errorOf("pointers(a"), HasSubstr("pointers"));
}

TEST(RunData, Tables) {
  std::vector<RunArray> arrays(4);
  const char *names[] = {"table", "a0", "a1", "b"};
  for (size_t i = 0; i < 4; ++i)
    arrays[i].name = names[i];
  auto table = readRunData("pointers(b, a*)", {});
  ASSERT_TRUE(table.ok());
  auto members = resolveTable(std::get<PointerTable>(*table), arrays);
  ASSERT_TRUE(members.ok());
  EXPECT_THAT(*members, ElementsAre(3, 1, 2));
  EXPECT_FALSE(resolveTable({{"c*"}}, arrays).ok());

  arrays[0].data = std::move(*HostArray::create(DType::i64, {3}));
  arrays[0].table = *members;
  fillTables(arrays, {100, 200, 300, 400});
  EXPECT_EQ(arrays[0].data.as<uint64_t>()[0], 400u);
  EXPECT_EQ(arrays[0].data.as<uint64_t>()[2], 300u);
}

} // namespace

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counting and splitting of UTF-8, and of bytes that are none.

#include "tilec/Support/CodePoints.h"

#include "gtest/gtest.h"

using namespace tilec;

TEST(CodePointsTest, text) {
  EXPECT_EQ(countCodePoints(""), 0u);
  EXPECT_EQ(countCodePoints("naïve"), 5u);
  EXPECT_EQ(countCodePoints("😀€"), 2u);
  std::vector<llvm::StringRef> expected = {"a", "é", "😀"};
  EXPECT_EQ(splitCodePoints("aé😀"), expected);
  EXPECT_EQ(codePointNumber("😀"), 0x1F600u);
  EXPECT_EQ(codePointNumber("a"), 0x61u);
}

TEST(CodePointsTest, bytes_that_are_no_text) {
  llvm::StringRef cut("\xE2\x82", 2), alone("\x80", 1);
  EXPECT_EQ(countCodePoints(cut), 2u);
  EXPECT_EQ(firstCodePoint(alone), alone);
  EXPECT_EQ(codePointNumber(alone), 0x80u);
}

TEST(CodePointsTest, ascii) {
  EXPECT_TRUE(isAscii("plain"));
  EXPECT_FALSE(isAscii("é"));
}

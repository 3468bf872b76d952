// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moving places of PTX and metadata.

#include "../../../lib/Driver/SourceMove.h"

#include "gtest/gtest.h"

using namespace tilec;

namespace {

SourceMove makeMove() {
  return SourceMove("a.tile", {{2, 1}, {2, 5}, {3, 9}}, "dir/b.tile", {{12, 1}, {13, 2}, {14, 9}});
}

TEST(SourceMove, Places) {
  SourceMove move = makeMove();
  EXPECT_TRUE(move.isValid());
  EXPECT_FALSE(move.isIdentity());
  EXPECT_EQ(move.find({2, 1})->line, 12u);
  EXPECT_EQ(move.find({2, 3})->column, 3u);
  EXPECT_EQ(move.find({2, 6})->line, 13u);
  EXPECT_EQ(move.find({2, 6})->column, 3u);
  EXPECT_EQ(move.find({3, 0})->line, 14u);
  EXPECT_EQ(move.find({3, 0})->column, 0u);
  EXPECT_FALSE(move.find({3, 1}));
  EXPECT_FALSE(move.find({1, 1}));
  EXPECT_FALSE(move.find({4, 0}));
  EXPECT_EQ(move.find({0, 9})->column, 9u);
  EXPECT_FALSE(SourceMove("a", {{1, 1}}, "a", {}).isValid());
  EXPECT_TRUE(SourceMove("a", {{1, 1}}, "a", {{1, 1}}).isIdentity());
}

TEST(SourceMove, PTX) {
  std::string ptx = "// .loc is here\n\t.local .b8 x;\n\t.loc\t1 2 5\n\tadd.s32 %r1;\n"
                    "\t.loc\t1 3 9, function_name $L__info_string0, inlined_at 1 2 1\n"
                    "\t.loc\t2 7 7, function_name $L__x, inlined_at 1 2 1\n"
                    "\t.file\t1 \"a.tile\"\n\t.file\t2 \"lib.tile\"\n";
  ASSERT_TRUE(makeMove().movePTX(ptx));
  EXPECT_EQ(ptx, "// .loc is here\n\t.local .b8 x;\n\t.loc\t1 13 2\n\tadd.s32 %r1;\n"
                 "\t.loc\t1 14 9, function_name $L__info_string0, inlined_at 1 12 1\n"
                 "\t.loc\t2 7 7, function_name $L__x, inlined_at 1 12 1\n"
                 "\t.file\t1 \"dir/b.tile\"\n\t.file\t2 \"lib.tile\"\n");
  std::string unknown = "\t.loc\t1 99 5\n\t.file\t1 \"a.tile\"\n";
  EXPECT_FALSE(makeMove().movePTX(unknown));
}

TEST(SourceMove, Metadata) {
  tilecrt::KernelMetadata metadata;
  metadata.lineMap = {{0, "a.tile", 2, 5, "load"}, {1, "lib.tile", 2, 5, "load"}};
  ASSERT_TRUE(makeMove().moveMetadata(metadata));
  EXPECT_EQ(metadata.lineMap[0].file, "dir/b.tile");
  EXPECT_EQ(metadata.lineMap[0].line, 13u);
  EXPECT_EQ(metadata.lineMap[1].file, "lib.tile");
  EXPECT_EQ(metadata.lineMap[1].line, 2u);
}

} // namespace

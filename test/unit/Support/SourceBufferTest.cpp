// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source buffers: positions under every kind of line end, and the errors of loading files.

#include "tilec/Support/SourceBuffer.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace tilec;

static std::string at(const SourceBuffer &buffer, uint32_t offset) {
  LineColumn place = buffer.getLineColumn(offset);
  return std::to_string(place.line) + ":" + std::to_string(place.column);
}

TEST(SourceBuffer, positions_with_unix_line_ends) {
  SourceBuffer buffer("f", "ab\nc\n\nd");
  EXPECT_EQ(at(buffer, 0), "1:1");
  EXPECT_EQ(at(buffer, 2), "1:3");
  EXPECT_EQ(at(buffer, 3), "2:1");
  EXPECT_EQ(at(buffer, 5), "3:1");
  EXPECT_EQ(at(buffer, 6), "4:1");
  EXPECT_EQ(at(buffer, 7), "4:2");
  EXPECT_EQ(at(buffer, 1000), "4:2");
  EXPECT_EQ(buffer.getNumLines(), 4u);
  EXPECT_EQ(buffer.getLine(1), "ab");
  EXPECT_EQ(buffer.getLine(3), "");
  EXPECT_EQ(buffer.getLine(4), "d");
  EXPECT_EQ(buffer.getLine(0), "");
  EXPECT_EQ(buffer.getLine(5), "");
}

TEST(SourceBuffer, positions_with_dos_and_mac_line_ends) {
  SourceBuffer buffer("f", "a\r\nbb\rc\n");
  EXPECT_EQ(at(buffer, 3), "2:1");
  EXPECT_EQ(at(buffer, 6), "3:1");
  EXPECT_EQ(buffer.getLine(1), "a");
  EXPECT_EQ(buffer.getLine(2), "bb");
  EXPECT_EQ(buffer.getNumLines(), 3u);
}

TEST(SourceBuffer, line_directive_names_another_place) {
  SourceBuffer buffer("made", "#line 120 \"dir/kernels.py\"\nab\ncd\n");
  EXPECT_EQ(buffer.getName(), "dir/kernels.py");
  EXPECT_EQ(at(buffer, 27), "120:1");
  EXPECT_EQ(at(buffer, 31), "121:2");
  EXPECT_EQ(buffer.getLine(120), "ab");
  EXPECT_EQ(buffer.getLine(121), "cd");
  EXPECT_EQ(buffer.getLine(1), "");
  EXPECT_EQ(buffer.getLineStart(121), 30u);
  EXPECT_TRUE(buffer.hasLine(119));
  EXPECT_FALSE(buffer.hasLine(118));
  EXPECT_FALSE(buffer.hasLine(123));
}

TEST(SourceBuffer, what_is_no_line_directive) {
  for (const char *text :
       {"#line 1 \"f\"\n", "#line 12\n", "#line x \"f\"\n", "#line 12 \"\"\n", "# line 12 \"f\"\n",
        "\n#line 12 \"f\"\n", "#line 99999999999 \"f\"\n"}) {
    SourceBuffer buffer("own", text);
    EXPECT_EQ(buffer.getName(), "own") << text;
    EXPECT_EQ(at(buffer, 0), "1:1") << text;
  }
}

TEST(SourceBuffer, empty_text) {
  SourceBuffer buffer("f", "");
  EXPECT_EQ(at(buffer, 0), "1:1");
  EXPECT_EQ(buffer.getNumLines(), 0u);
  EXPECT_FALSE(buffer.findBadByte());
}

TEST(SourceBuffer, bad_bytes) {
  EXPECT_FALSE(SourceBuffer("f", "x = '\xC3\xA9'").findBadByte());
  auto nul = SourceBuffer("f", std::string("ab\0c", 4)).findBadByte();
  ASSERT_TRUE(nul);
  EXPECT_EQ(nul->offset, 2u);
  EXPECT_STREQ(nul->what, "a NUL byte");
  auto truncated = SourceBuffer("f", "abc\xC3").findBadByte();
  ASSERT_TRUE(truncated);
  EXPECT_EQ(truncated->offset, 3u);
  EXPECT_STREQ(truncated->what, "invalid UTF-8");
  EXPECT_TRUE(SourceBuffer("f", "\xED\xA0\x80").findBadByte()) << "a surrogate";
}

TEST(SourceManager, ranges_in_several_files) {
  SourceManager sources;
  FileId first = llvm::cantFail(sources.addBuffer("one", "hello"));
  FileId second = llvm::cantFail(sources.addBuffer("two", "\nworld"));
  EXPECT_NE(first, second);
  EXPECT_EQ(sources.getText({first, 1, 3}), "el");
  EXPECT_EQ(sources.getText({second, 1, 6}), "world");
  EXPECT_EQ(sources.getFileName({second, 0, 0}), "two");
  EXPECT_EQ(sources.getLineColumn({second, 2, 3}).line, 2u);
  EXPECT_EQ(sources.getText({}), "");
  EXPECT_EQ(sources.getFileName({}), "");
  EXPECT_EQ(sources.getBuffer(0), nullptr);
  EXPECT_EQ(sources.getBuffer(3), nullptr);
}

TEST(SourceManager, buffers_that_are_added_once) {
  SourceManager sources;
  FileId first = llvm::cantFail(sources.addBufferOnce("a", "1"));
  EXPECT_EQ(llvm::cantFail(sources.addBufferOnce("a", "1")), first);
  EXPECT_NE(llvm::cantFail(sources.addBufferOnce("a", "2")), first);
  EXPECT_NE(llvm::cantFail(sources.addBufferOnce("b", "1")), first);
  EXPECT_NE(llvm::cantFail(sources.addBuffer("a", "1")), first);
  EXPECT_EQ(sources.getNumBuffers(), 4u);
  std::string large(SourceBuffer::sizeLimit + 1, ' ');
  EXPECT_NE(llvm::toString(sources.addBufferOnce("a", large).takeError()), "");
  EXPECT_NE(llvm::toString(sources.addBufferOnce("a", large).takeError()), "");
}

TEST(SourceManager, too_large_text) {
  SourceManager sources;
  auto file = sources.addBuffer("big.tile", std::string(SourceBuffer::sizeLimit + 1, ' '));
  ASSERT_FALSE(static_cast<bool>(file));
  EXPECT_EQ(llvm::toString(file.takeError()),
            "'big.tile' is too large: the limit for a source file is 8 MiB");
  EXPECT_TRUE(
      static_cast<bool>(sources.addBuffer("fits.tile", std::string(SourceBuffer::sizeLimit, ' '))));
}

namespace {
/// A folder that goes away with the test.
class LoadFile : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tilec-source", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string path(llvm::StringRef name) {
    llvm::SmallString<128> full = folder;
    llvm::sys::path::append(full, name);
    return full.str().str();
  }
  std::string loadError(llvm::StringRef file) {
    auto id = sources.loadFile(file);
    return id ? "" : llvm::toString(id.takeError());
  }

  llvm::SmallString<128> folder;
  SourceManager sources;
};
} // namespace

TEST_F(LoadFile, text_is_read_as_it_is) {
  std::ofstream(path("a.tile"), std::ios::binary) << "x = 1\r\n";
  auto id = sources.loadFile(path("a.tile"));
  ASSERT_TRUE(static_cast<bool>(id));
  EXPECT_EQ(sources.getBuffer(*id)->getText(), "x = 1\r\n");
  EXPECT_EQ(sources.getBuffer(*id)->getName(), path("a.tile"));
}

TEST_F(LoadFile, empty_file) {
  std::ofstream(path("empty.tile"));
  auto id = sources.loadFile(path("empty.tile"));
  ASSERT_TRUE(static_cast<bool>(id));
  EXPECT_EQ(sources.getBuffer(*id)->size(), 0u);
}

TEST_F(LoadFile, missing_file) {
  EXPECT_EQ(loadError(path("no.tile")),
            "cannot open '" + path("no.tile") + "': no such file or directory");
}

TEST_F(LoadFile, folder_in_place_of_file) {
  EXPECT_EQ(loadError(folder), "cannot read '" + folder.str().str() + "': it is a directory");
}

TEST_F(LoadFile, too_large_file) {
  std::ofstream(path("big.py")) << std::string(SourceBuffer::sizeLimit + 1, 'x');
  EXPECT_EQ(loadError(path("big.py")),
            "'" + path("big.py") + "' is too large: the limit for a source file is 8 MiB");
}

TEST_F(LoadFile, endless_device) {
  if (!llvm::sys::fs::exists("/dev/zero"))
    GTEST_SKIP() << "no /dev/zero on this system";
  EXPECT_EQ(loadError("/dev/zero"),
            "'/dev/zero' is too large: the limit for a source file is 8 MiB");
}

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .npy files: round trips, what NumPy itself writes, every kind of damage, and writes that fail.

#include "tilecrt/data/NpyFile.h"
#include "tilecrt/data/AtomicFile.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

using namespace tilecrt;

namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test.
class NpyFileTest : public ::testing::Test {
protected:
  void SetUp() override {
    const auto *info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder = fs::path(::testing::TempDir()) /
             ("tilec-npy-" + std::string(info->name()) + "-" + std::to_string(::getpid()));
    fs::remove_all(folder);
    fs::create_directories(folder);
  }

  void TearDown() override { fs::remove_all(folder); }

  std::string path(const std::string &name) const { return (folder / name).string(); }

  std::string writeBytes(const std::string &name, const std::string &bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

  static std::string readBytes(const std::string &file) {
    std::ifstream in(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }

  size_t filesInFolder() const {
    return size_t(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  /// A version 1 file with this header and these bytes behind it.
  std::string file(const std::string &header, const std::string &data) const {
    std::string bytes = "\x93NUMPY";
    bytes += {'\x01', '\x00', char(header.size() & 0xff), char(header.size() >> 8)};
    return writeBytes("x.npy", bytes + header + data);
  }

  void expectError(const std::string &name, const std::string &part,
                   const NpyReadOptions &options = {}) const {
    Result<HostArray> array = readNpy(name, options);
    ASSERT_FALSE(array.ok()) << part;
    EXPECT_EQ(array.code(), StatusCode::invalidArgument) << array.message();
    EXPECT_NE(array.message().find(part), std::string::npos) << array.message();
    EXPECT_NE(array.message().find(name), std::string::npos) << array.message();
  }

  fs::path folder;
};

HostArray make(DType type, std::vector<int64_t> shape) {
  Result<HostArray> array = HostArray::create(type, std::move(shape));
  EXPECT_TRUE(array.ok());
  return std::move(*array);
}

TEST_F(NpyFileTest, every_type_and_rank_round_trips) {
  for (DType type : allDTypes)
    for (const std::vector<int64_t> &shape :
         {std::vector<int64_t>{}, {5}, {3, 4}, {2, 1, 3}, {0}, {4, 0}}) {
      HostArray before = make(type, shape);
      fillArange(before);
      ASSERT_TRUE(writeNpy(path("a.npy"), before).ok());
      NpyReadOptions options;
      if (dtypeSize(type) == 1 && isFloat(type))
        options.as = type;
      Result<HostArray> after = readNpy(path("a.npy"), options);
      ASSERT_TRUE(after.ok()) << after.message();
      EXPECT_EQ(after->describe(), before.describe());
      EXPECT_EQ(std::memcmp(after->data(), before.data(), before.byteSize()), 0);
    }
  EXPECT_EQ(filesInFolder(), 1u);
}

TEST_F(NpyFileTest, header_is_what_numpy_writes) {
  HostArray array = make(DType::f32, {3, 4});
  ASSERT_TRUE(writeNpy(path("a.npy"), array).ok());
  std::string bytes = readBytes(path("a.npy"));
  EXPECT_EQ(bytes.size(), 128u + 48u);
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(bytes.substr(10, 61), "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }  ");
  EXPECT_EQ(bytes[127], '\n');
  ASSERT_TRUE(writeNpy(path("a.npy"), make(DType::i8, {7})).ok());
  EXPECT_NE(readBytes(path("a.npy")).find("'descr': '|i1', 'fortran_order': False, 'shape': (7,)"),
            std::string::npos);
}

TEST_F(NpyFileTest, versions_2_and_3_are_read) {
  std::string header = "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }\n";
  for (char version : {'\x02', '\x03'}) {
    std::string bytes = "\x93NUMPY";
    bytes += {version, '\x00', char(header.size()), 0, 0, 0};
    Result<HostArray> array =
        readNpy(writeBytes("b.npy", bytes + header + std::string("\x05\x00\xff\xff", 4)));
    ASSERT_TRUE(array.ok()) << array.message();
    EXPECT_EQ(array->at(0), 5);
    EXPECT_EQ(array->at(1), -1);
  }
}

TEST_F(NpyFileTest, header_may_be_written_otherwise) {
  Result<HostArray> array = readNpy(
      file("  {\"shape\":(2L,1),'fortran_order':False , 'descr':'=u1'}", std::string("\x01\x02")));
  ASSERT_TRUE(array.ok()) << array.message();
  EXPECT_EQ(array->describe(), "u8[2x1]");
}

TEST_F(NpyFileTest, bytes_after_the_array_are_ignored) {
  EXPECT_TRUE(
      readNpy(file("{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}", "\x01more")).ok());
}

TEST_F(NpyFileTest, raw_bits_need_a_type_when_ambiguous) {
  std::string one = file("{'descr': '|V1', 'fortran_order': False, 'shape': (1,)}", "\x38");
  expectError(one, "say which float it is");
  NpyReadOptions options;
  options.as = DType::f8e4m3;
  Result<HostArray> array = readNpy(one, options);
  ASSERT_TRUE(array.ok());
  EXPECT_EQ(array->at(0), 1.0);
  options.as = DType::f16;
  expectError(one, "dtype '|V1' cannot be taken as 'f16'", options);
  std::string two =
      file("{'descr': '<u2', 'fortran_order': False, 'shape': (1,)}", std::string("\x80\x3f", 2));
  EXPECT_EQ(readNpy(two)->dtype(), DType::u16);
  options.as = DType::bf16;
  EXPECT_EQ(readNpy(two, options)->at(0), 1.0);
  std::string raw =
      file("{'descr': '<V2', 'fortran_order': False, 'shape': (1,)}", std::string("\x80\x3f", 2));
  EXPECT_EQ(readNpy(raw)->dtype(), DType::bf16);
}

TEST_F(NpyFileTest, damaged_files_are_named_errors) {
  expectError(writeBytes("e.npy", ""), "not an .npy file: it has 0 bytes");
  expectError(writeBytes("e.npy", "hello, this is text"), "not an .npy file: the first six bytes");
  expectError(writeBytes("e.npy", std::string("\x93NUMPY\x09\x00\x01\x00 ", 11)),
              "format version 9.0 is not supported");
  expectError(writeBytes("e.npy", std::string("\x93NUMPY\x01\x00\xff\x00{", 11)),
              "the file ends inside the header");
  expectError(writeBytes("e.npy", std::string("\x93NUMPY\x02\x00\x01\x00", 10)),
              "the file ends inside the header");
  expectError(writeBytes("e.npy", std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14)),
              "the header has 4294967295 bytes, the limit is 1048576");
}

TEST_F(NpyFileTest, damaged_headers_are_located) {
  auto expectHeader = [&](const std::string &header, const std::string &part) {
    expectError(file(header, "12345678"), part);
  };
  expectHeader("", "bad header at byte 0: expected '{'");
  expectHeader("{", "expected a string");
  expectHeader("{'descr", "a string is not closed");
  expectHeader("{'descr' '<f4'}", "expected ':'");
  expectHeader("{}", "'descr', 'fortran_order' and 'shape' are all needed");
  expectHeader("{'descr': '<f4', 'descr': '<f4'}", "unexpected or repeated key 'descr'");
  expectHeader("{'desk': '<f4'}", "unexpected or repeated key 'desk'");
  expectHeader("{'descr': '<f4', 'fortran_order': Maybe}", "expected True or False");
  expectHeader("{'descr': '<f4', 'fortran_order': False, 'shape': 3}", "expected '('");
  expectHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}", "expected a dimension");
  expectHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (3 4)}", "expected ',' or ')'");
  expectHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
               "does not fit 64 bits");
  expectHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} extra",
               "unexpected text after the dictionary");
  std::string many = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (int i = 0; i < 33; ++i)
    many += "1,";
  expectHeader(many + ")}", "more than 32 dimensions");
}

TEST_F(NpyFileTest, unsupported_contents_are_named) {
  auto expectDescr = [&](const std::string &descr, const std::string &part) {
    expectError(file("{'descr': " + descr + ", 'fortran_order': False, 'shape': (1,)}", "12345678"),
                part);
  };
  expectDescr("'>f4'", "dtype '>f4' is big-endian");
  expectDescr("'|O'", "holds Python objects");
  expectDescr("[('a', '<f4')]", "a structured dtype");
  expectDescr("'<c8'", "dtype '<c8' is not supported");
  expectDescr("'<U4'", "is not supported");
  expectDescr("''", "is not supported");
  expectDescr("'<f16'", "is not supported");
  expectError(file("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1)}", "1234"),
              "Fortran order");
}

TEST_F(NpyFileTest, truncated_or_absurd_shapes_allocate_nothing) {
  auto shaped = [&](const std::string &shape) {
    return file("{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + "}", "12345678");
  };
  expectError(shaped("(2,)"), "the shape needs 16 bytes of elements, there are 8");
  expectError(shaped("(1000000000000,)"), "the file is cut off");
  expectError(shaped("(4611686018427387904, 4611686018427387904)"), "more than 2^64");
  EXPECT_TRUE(readNpy(shaped("(4611686018427387904, 4611686018427387904, 0)")).ok());
  NpyReadOptions small;
  small.maxBytes = 4;
  expectError(shaped("(1,)"), "the array has 8 bytes, the limit is 4", small);
}

// Any prefix of a good file, and any byte of its header flipped, is an error or an array; never a
// crash.
TEST_F(NpyFileTest, every_prefix_and_every_flipped_byte_is_survived) {
  HostArray array = make(DType::i32, {4});
  fillArange(array);
  ASSERT_TRUE(writeNpy(path("good.npy"), array).ok());
  std::string good = readBytes(path("good.npy"));
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(readNpy(writeBytes("p.npy", good.substr(0, length))).ok()) << length;
  for (size_t i = 0; i < 128; ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = char(bad[i] ^ (1 << bit));
      Result<HostArray> read = readNpy(writeBytes("p.npy", bad));
      if (!read.ok())
        EXPECT_EQ(read.code(), StatusCode::invalidArgument) << read.message();
    }
}

TEST_F(NpyFileTest, unreadable_paths_are_io_errors) {
  Result<HostArray> missing = readNpy(path("missing.npy"));
  EXPECT_EQ(missing.code(), StatusCode::ioError);
  EXPECT_EQ(missing.message(),
            "cannot open '" + path("missing.npy") + "': No such file or directory");
  EXPECT_EQ(readNpy(folder.string()).code(), StatusCode::ioError);
  EXPECT_EQ(readNpy("/dev/zero").code(), StatusCode::ioError);
  EXPECT_EQ(readNpy("").code(), StatusCode::ioError);
}

TEST_F(NpyFileTest, full_disk_is_an_io_error) {
  if (!fs::exists("/dev/full"))
    GTEST_SKIP() << "no /dev/full here";
  Status status = writeNpy("/dev/full", make(DType::f32, {1000}));
  EXPECT_EQ(status.code(), StatusCode::ioError);
  EXPECT_EQ(status.message(), "cannot write '/dev/full': No space left on device");
}

TEST_F(NpyFileTest, failed_write_leaves_nothing_behind) {
  Status status = writeNpy(path("no/such/folder.npy"), make(DType::f32, {2}));
  EXPECT_EQ(status.code(), StatusCode::ioError);
  EXPECT_EQ(writeNpy(folder.string(), make(DType::f32, {2})).code(), StatusCode::ioError);
  EXPECT_EQ(filesInFolder(), 0u);
}

TEST_F(NpyFileTest, writing_through_a_link_keeps_the_link) {
  ASSERT_TRUE(writeNpy(path("real.npy"), make(DType::f32, {1})).ok());
  fs::create_symlink(path("real.npy"), path("link.npy"));
  ASSERT_TRUE(writeNpy(path("link.npy"), make(DType::f32, {9})).ok());
  EXPECT_TRUE(fs::is_symlink(path("link.npy")));
  EXPECT_EQ(readNpy(path("real.npy"))->size(), 9u);
  EXPECT_EQ(filesInFolder(), 2u);
}

TEST_F(NpyFileTest, chunks_are_joined) {
  ASSERT_TRUE(writeFileAtomically(path("t"), {{"abc", 3}, {nullptr, 0}, {"de", 2}}).ok());
  EXPECT_EQ(readBytes(path("t")), "abcde");
  ASSERT_TRUE(writeFileAtomically(path("t"), {}).ok());
  EXPECT_EQ(readBytes(path("t")), "");
}

} // namespace

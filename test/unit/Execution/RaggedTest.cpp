// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masked kernels on sizes around multiples of a block: none, one, and one more or less than a whole
// number of blocks. The passes that split off whole blocks must not touch an element too many.

#include "Execution.h"

namespace tilec::harness::test {
namespace {

constexpr int64_t kBlock = 256;

std::vector<int64_t> raggedSizes(int64_t block) {
  return {0, 1, block - 1, block, block + 1, 2 * block - 1, 2 * block, 7 * block + 16};
}

std::string sizeName(const ::testing::TestParamInfo<int64_t> &info) {
  return "n" + std::to_string(info.param);
}

uint64_t blocksOf(int64_t n, int64_t block) {
  return static_cast<uint64_t>(std::max<int64_t>(1, (n + block - 1) / block));
}

class RaggedTest : public ::testing::TestWithParam<int64_t> {};

TEST_P(RaggedTest, copyBlocks) {
  int64_t n = GetParam();
  for (DType type : {DType::i8, DType::f16, DType::f32}) {
    RunBuilder builder = kernelOf("ragged.tile", "copy_blocks");
    builder.randint("x_ptr", type, {n}, -100, 100);
    builder.output(
        "out_ptr", type, {n},
        [&](HostArray &out) {
          for (int64_t i = 0; i < n; ++i)
            out.set(i, builder.array("x_ptr").at(i));
        },
        kExact);
    builder.i32("n", n).constant("BLOCK", kBlock).warps(1).grid(blocksOf(n, kBlock));
    expectRun(builder);
  }
}

TEST_P(RaggedTest, lengthOf64Bits) {
  int64_t n = GetParam();
  RunBuilder builder = kernelOf("ragged.tile", "copy_blocks");
  builder.randint("x_ptr", DType::i16, {n}, -100, 100);
  builder.output(
      "out_ptr", DType::i16, {n},
      [&](HostArray &out) {
        for (int64_t i = 0; i < n; ++i)
          out.set(i, builder.array("x_ptr").at(i));
      },
      kExact);
  builder.scalar("n", DType::i64, n).constant("BLOCK", kBlock).warps(1).grid(blocksOf(n, kBlock));
  expectRun(builder);
}

TEST_P(RaggedTest, clip) {
  int64_t n = GetParam();
  int64_t size = static_cast<int64_t>(blocksOf(n, kBlock)) * kBlock;
  for (int64_t first : {-5, 0, 100}) {
    RunBuilder builder = kernelOf("ragged.tile", "clip");
    builder.randint("x_ptr", DType::i32, {n}, -100, 100);
    builder.output(
        "out_ptr", DType::i32, {size},
        [&](HostArray &out) {
          for (int64_t i = 0; i < size; ++i)
            out.set(i, i < n && i >= first ? builder.array("x_ptr").at(i) : -1.0);
        },
        kExact);
    builder.i32("first", first).i32("n", n).constant("BLOCK", kBlock).warps(1);
    builder.grid(blocksOf(n, kBlock));
    expectRun(builder);
  }
}

TEST_P(RaggedTest, sumSteps) {
  int64_t n = GetParam();
  // Starting in the middle of a block, and behind the end.
  for (int64_t first : {int64_t(0), int64_t(3), n + 1}) {
    RunBuilder builder = kernelOf("ragged.tile", "sum_steps");
    builder.randint("x_ptr", DType::i16, {n}, -100, 100);
    builder.output(
        "out_ptr", DType::i32, {1},
        [&](HostArray &out) {
          double sum = 0;
          for (int64_t i = first; i < n; ++i)
            sum += builder.array("x_ptr").at(i);
          out.set(0, sum);
        },
        kExact);
    builder.i32("first", first).i32("n", n).constant("BLOCK", kBlock).warps(1);
    expectRun(builder);
  }
}

TEST_P(RaggedTest, sumCounted) {
  int64_t n = GetParam();
  RunBuilder builder = kernelOf("ragged.tile", "sum_counted");
  builder.randint("x_ptr", DType::i16, {n}, -10, 10);
  builder.output(
      "out_ptr", DType::i32, {1},
      [&](HostArray &out) {
        double total = 0;
        for (int64_t start = 0; start < n; start += kBlock) {
          total *= 3;
          for (int64_t i = start; i < std::min(n, start + kBlock); ++i)
            total += builder.array("x_ptr").at(i);
        }
        out.set(0, total);
      },
      kExact);
  builder.i32("n", n).constant("BLOCK", kBlock).warps(1);
  expectRun(builder);
}

TEST_P(RaggedTest, copyGridStride) {
  int64_t n = GetParam();
  for (uint64_t programs : {1, 3}) {
    RunBuilder builder = kernelOf("ragged.tile", "copy_grid_stride");
    builder.randint("x_ptr", DType::i8, {n}, -100, 100);
    builder.output(
        "out_ptr", DType::i8, {n},
        [&](HostArray &out) {
          for (int64_t i = 0; i < n; ++i)
            out.set(i, builder.array("x_ptr").at(i));
        },
        kExact);
    builder.i32("n", n).constant("BLOCK", kBlock).warps(1).grid(programs);
    expectRun(builder);
  }
}

/// A matrix of rows of `cols` elements, 1024 elements apart.
class RaggedMatrixTest : public ::testing::TestWithParam<int64_t> {
protected:
  static constexpr int64_t kStride = 1024, kCols = 64;
};

TEST_P(RaggedMatrixTest, copyTiles) {
  int64_t cols = GetParam();
  for (int64_t rows : {1, 7, 8, 9}) {
    RunBuilder builder = kernelOf("ragged.tile", "copy_tiles");
    builder.randint("x_ptr", DType::f32, {rows, kStride}, -100, 100);
    builder.fill("out_ptr", DType::f32, {rows, kStride}, [](uint64_t) { return 5.0; });
    builder.changes(
        "out_ptr",
        [&](HostArray &out) {
          for (int64_t i = 0; i < rows * kStride; ++i)
            out.set(i, i % kStride < cols ? builder.array("x_ptr").at(i) : 5.0);
        },
        kExact);
    builder.i32("stride", kStride).i32("rows", rows).i32("cols", cols);
    builder.constant("ROWS", 8).constant("COLS", kCols).warps(1);
    builder.grid(blocksOf(rows, 8), blocksOf(cols, kCols));
    expectRun(builder);
  }
}

TEST_P(RaggedMatrixTest, sumRows) {
  int64_t cols = GetParam();
  for (int64_t rows : {1, 63, 64, 129}) {
    RunBuilder builder = kernelOf("ragged.tile", "sum_rows");
    builder.randint("x_ptr", DType::i16, {rows, kStride}, -100, 100);
    builder.output(
        "out_ptr", DType::i32, {rows},
        [&](HostArray &out) {
          for (int64_t i = 0; i < rows; ++i) {
            double sum = 0;
            for (int64_t j = 0; j < cols; ++j)
              sum += builder.array("x_ptr").at(i * kStride + j);
            out.set(i, sum);
          }
        },
        kExact);
    builder.i32("stride", kStride).i32("rows", rows).i32("cols", cols);
    builder.constant("ROWS", 64).constant("COLS", kCols).warps(1);
    expectRun(builder);
  }
}

INSTANTIATE_TEST_SUITE_P(All, RaggedTest, ::testing::ValuesIn(raggedSizes(kBlock)), sizeName);
INSTANTIATE_TEST_SUITE_P(All, RaggedMatrixTest, ::testing::ValuesIn(raggedSizes(64)), sizeName);

} // namespace
} // namespace tilec::harness::test

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block pointers and tensor descriptors: blocks that stick out of the tensor on any side, padding,
// ranks, reductions, and descriptors that control flow carries.

#include "Execution.h"

#include <limits>

namespace tilec::harness::test {
namespace {

struct Corner {
  int64_t row, column;
};

void copyCorner(const std::string &kernel, DType type, Corner corner, bool padsWithNan,
                int64_t blockM = 16, int64_t blockN = 32) {
  constexpr int64_t m = 20, n = 24;
  RunBuilder builder = kernelOf("block-access.tile", kernel);
  if (tilecrt::isFloat(type))
    builder.randn("x_ptr", type, {m, n});
  else
    builder.randint("x_ptr", type, {m, n}, -100, 100);
  builder.output(
      "out_ptr", type, {blockM, blockN},
      [&](HostArray &out) {
        double padding = padsWithNan ? std::numeric_limits<double>::quiet_NaN() : 0;
        for (int64_t i = 0; i < blockM * blockN; ++i) {
          int64_t row = corner.row + i / blockN, column = corner.column + i % blockN;
          bool isInside = row >= 0 && row < m && column >= 0 && column < n;
          auto place = static_cast<uint64_t>(row * n + column);
          out.set(static_cast<uint64_t>(i), isInside ? builder.array("x_ptr").at(place) : padding);
        }
      },
      kExact);
  builder.i32("m", m).i32("n", n).i32("stride", n);
  builder.i32("row", corner.row).i32("col", corner.column);
  builder.constant("M", blockM).constant("N", blockN);
  builder.constant("PADDING", padsWithNan ? "'nan'" : "'zero'");
  SCOPED_TRACE(kernel + " at " + std::to_string(corner.row) + ", " + std::to_string(corner.column));
  expectRun(builder);
}

const Corner corners[] = {{0, 0}, {-3, -5}, {4, 8}, {13, 0}, {-20, 0}, {100, 1000}, {19, -31}};

TEST(BlockAccessTest, blockPointersAtEveryEdge) {
  for (Corner corner : corners) {
    copyCorner("copy_blocks", DType::f32, corner, false);
    copyCorner("copy_blocks", DType::f16, corner, true);
    copyCorner("copy_blocks", DType::i8, corner, false);
  }
}

TEST(BlockAccessTest, descriptorsAtEveryEdge) {
  for (Corner corner : corners) {
    copyCorner("copy_descriptor", DType::f32, corner, true);
    copyCorner("copy_descriptor", DType::bf16, corner, false);
    copyCorner("copy_descriptor", DType::i16, corner, false);
  }
}

TEST(BlockAccessTest, blocksThatAreNoPowersOfTwo) {
  for (Corner corner : corners) {
    copyCorner("copy_blocks", DType::f32, corner, true, 12, 24);
    copyCorner("copy_blocks", DType::i8, corner, false, 3, 37);
    copyCorner("copy_descriptor", DType::f32, corner, true, 12, 24);
    copyCorner("copy_descriptor", DType::f16, corner, false, 5, 40);
  }
}

TEST(BlockAccessTest, blockPointersAdvance) {
  const std::pair<int64_t, int64_t> sizes[] = {{1, 64}, {64, 64}, {200, 64}, {200, 48}};
  for (const auto &size : sizes) {
    const int64_t n = size.first, block = size.second;
    RunBuilder builder = kernelOf("block-access.tile", "advance_blocks");
    builder.randn("x_ptr", DType::f32, {n});
    builder.output("out_ptr", DType::f32, {block}, [&](HostArray &out) {
      for (int64_t i = 0; i < block; ++i) {
        double sum = 0;
        for (int64_t j = i; j < n; j += block)
          sum +=
              (j / block % 2 == 0 ? 1 : -1) * builder.array("x_ptr").at(static_cast<uint64_t>(j));
        out.set(static_cast<uint64_t>(i), sum);
      }
    });
    builder.i32("n", n).constant("N", block);
    expectRun(builder);
  }
}

TEST(BlockAccessTest, threeDimensions) {
  constexpr int64_t b = 3, m = 5, n = 24;
  for (auto [blockB, blockM, blockN] :
       {std::tuple<int64_t, int64_t, int64_t>{2, 4, 16}, {3, 5, 12}, {3, 3, 24}}) {
    RunBuilder builder = kernelOf("block-access.tile", "copy_3d");
    builder.randint("x_ptr", DType::i32, {b, m, n}, -100, 100);
    builder.output(
        "out_ptr", DType::i32, {b, m, n},
        [&](HostArray &out) {
          for (uint64_t i = 0; i < out.size(); ++i)
            out.set(i, builder.array("x_ptr").at(i) + 1);
        },
        kExact);
    builder.i32("b", b).i32("m", m).i32("n", n);
    builder.constant("B", blockB).constant("M", blockM).constant("N", blockN);
    expectRun(builder);
  }
}

TEST(BlockAccessTest, reductions) {
  constexpr int64_t m = 7, n = 12, programs = 5;
  for (auto [type, blockM, blockN] : {std::tuple<DType, int64_t, int64_t>{DType::f32, 8, 16},
                                      {DType::i32, 8, 16},
                                      {DType::i32, 7, 12}}) {
    RunBuilder builder = kernelOf("block-access.tile", "add_descriptor");
    builder.randint("x_ptr", type, {m, n}, -100, 100);
    builder.randint("out_ptr", type, {m, n}, -100, 100);
    builder.changes(
        "out_ptr",
        [&](HostArray &out) {
          for (uint64_t i = 0; i < out.size(); ++i)
            out.set(i, builder.array("out_ptr").at(i) + programs * builder.array("x_ptr").at(i));
        },
        kExact);
    builder.i32("m", m).i32("n", n).constant("M", blockM).constant("N", blockN).grid(programs);
    expectRun(builder);
  }
}

TEST(BlockAccessTest, descriptorsInControlFlow) {
  constexpr int64_t n = 100, block = 32;
  for (int64_t which : {0, 1}) {
    RunBuilder builder = kernelOf("block-access.tile", "choose_descriptor");
    builder.randint("x_ptr", DType::f32, {n}, -9, 9).randint("y_ptr", DType::f32, {n}, -9, 9);
    builder.output(
        "out_ptr", DType::f32, {block},
        [&](HostArray &out) {
          for (int64_t i = 0; i < block; ++i) {
            double sum = 0;
            bool isX = which == 1;
            for (int64_t start = 0; start < n; start += block, isX = !isX) {
              auto place = static_cast<uint64_t>(start + i);
              bool isInside = start + i < (isX ? n : n / 2);
              sum *= 2;
              if (isInside)
                sum += builder.array(isX ? "x_ptr" : "y_ptr").at(place);
            }
            out.set(static_cast<uint64_t>(i), sum);
          }
        },
        kExact);
    builder.i32("n", n).i32("which", which).constant("N", block);
    expectRun(builder);
  }
}

} // namespace
} // namespace tilec::harness::test

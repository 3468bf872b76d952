// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What callers get wrong, or nearly so: sizes of zero and one in each family of examples, rows that
// fit nowhere on the chip, unaligned pointers, masks that are all false, strides of zero and below,
// arrays with more than 2^31 elements.

#include "Execution.h"

#include "tilec/Driver/Compiler.h"

#include <cmath>
#include <functional>
#include <sys/mman.h>

namespace tilec::harness::test {
namespace {

RunBuilder exampleOf(const std::string &file, const std::string &kernel) {
  return kernelOf("../../../examples/" + file, kernel);
}

//===----------------------------------------------------------------------===//
// Sizes of zero and one
//===----------------------------------------------------------------------===//

/// A family of examples at a size of none or one; `block` elements are what a program has room for.
struct Family {
  const char *name;
  std::function<RunBuilder(int64_t n, int64_t block)> build;
};

/// Rows of n elements, one row; outputs that hold a constant for n of one.
RunBuilder rowOf(const char *file, const char *kernel, int64_t n, const char *block,
                 int64_t blockSize) {
  RunBuilder builder = exampleOf(file, kernel);
  builder.randn("x_ptr", DType::f32, {n}).constant(block, blockSize);
  return builder;
}

/// The output that is a function of the only element of the input, if there is one.
void addOutput(RunBuilder &builder, const char *name, DType type, int64_t n,
               const std::function<double(double)> &value) {
  builder.output(name, type, {n}, [&](HostArray &out) {
    if (n > 0)
      out.set(0, value(builder.array("x_ptr").at(0)));
  });
}

double identity(double x) { return x; }
double one(double) { return 1; }
double none(double) { return 0; }

RunBuilder pointwise(const char *file, const char *kernel, int64_t n, int64_t block) {
  RunBuilder builder = rowOf(file, kernel, n, "BLOCK", block);
  builder.i32("n", n);
  return builder;
}

const Family kFamilies[] = {
    {"vectorAdd",
     [](int64_t n, int64_t block) {
       RunBuilder builder = pointwise("01-vector-add.tile", "add_masked", n, block);
       builder.fill("y_ptr", DType::f32, {n}, [](uint64_t) { return 2.0; });
       addOutput(builder, "out_ptr", DType::f32, n, [](double x) { return x + 2; });
       return builder;
     }},
    {"copy",
     [](int64_t n, int64_t block) {
       RunBuilder builder = pointwise("15-copy.tile", "copy", n, block);
       addOutput(builder, "y_ptr", DType::f32, n, identity);
       return builder;
     }},
    {"softmax",
     [](int64_t n, int64_t block) {
       RunBuilder builder = pointwise("05-softmax.tile", "softmax", n, block);
       addOutput(builder, "y_ptr", DType::f32, n, one);
       builder.i32("x_stride", n).i32("y_stride", n);
       return builder;
     }},
    {"onlineSoftmax",
     [](int64_t n, int64_t block) {
       RunBuilder builder = pointwise("11-online-softmax.tile", "online_softmax", n, block);
       addOutput(builder, "y_ptr", DType::f32, n, one);
       builder.i32("stride", n);
       return builder;
     }},
    {"logSoftmax",
     [](int64_t n, int64_t block) {
       RunBuilder builder = pointwise("16-log-softmax.tile", "log_softmax", n, block);
       addOutput(builder, "y_ptr", DType::f32, n, none);
       builder.i32("stride", n);
       return builder;
     }},
    {"layerNorm",
     [](int64_t n, int64_t block) {
       RunBuilder builder = pointwise("06-layer-norm.tile", "layer_norm", n, block);
       builder.fill("w_ptr", DType::f32, {n}, [](uint64_t) { return 2.0; });
       builder.fill("b_ptr", DType::f32, {n}, [](uint64_t) { return 0.5; });
       addOutput(builder, "y_ptr", DType::f32, n, [](double) { return 0.5; });
       // The mean of nothing is whatever 0 / 0 is.
       if (n > 0) {
         addOutput(builder, "mean_ptr", DType::f32, 1, identity);
         addOutput(builder, "rstd_ptr", DType::f32, 1, [](double) { return 4.0; });
       } else {
         builder.unchecked("mean_ptr", DType::f32, {1}).unchecked("rstd_ptr", DType::f32, {1});
       }
       builder.i32("stride", n).f32("eps", 0.0625);
       return builder;
     }},
    {"rmsNorm",
     [](int64_t n, int64_t block) {
       RunBuilder builder = pointwise("07-rms-norm.tile", "rms_norm", n, block);
       builder.fill("w_ptr", DType::f32, {n}, [](uint64_t) { return 2.0; });
       addOutput(builder, "y_ptr", DType::f32, n,
                 [](double x) { return 2 * x / std::sqrt(x * x + 0.25); });
       builder.i32("stride", n).f32("eps", 0.25);
       return builder;
     }},
    {"rowSum",
     [](int64_t n, int64_t block) {
       RunBuilder builder = pointwise("08-row-sum.tile", "row_sum", n, block);
       builder.output("out_ptr", DType::f32, {1}, [&](HostArray &out) {
         out.set(0, n > 0 ? builder.array("x_ptr").at(0) : 0.0);
       });
       builder.i32("stride", n).i32("m", 1).constant("ROWS", 1);
       return builder;
     }},
    {"noRows",
     [](int64_t n, int64_t block) {
       RunBuilder builder = rowOf("08-row-sum.tile", "row_sum", n, "BLOCK", block);
       builder.output("out_ptr", DType::f32, {n}, [&](HostArray &out) {
         if (n > 0)
           out.set(0, builder.array("x_ptr").at(0));
       });
       builder.i32("stride", 1)
           .i32("m", n)
           .i32("n", 1)
           .constant("ROWS", std::min<int64_t>(block, 8));
       return builder;
     }},
    {"columnSum",
     [](int64_t n, int64_t block) {
       RunBuilder builder = rowOf("09-column-sum.tile", "column_sum", n, "ROWS", block);
       builder.output("out_ptr", DType::f32, {1}, [&](HostArray &out) {
         out.set(0, n > 0 ? builder.array("x_ptr").at(0) : 0.0);
       });
       builder.i32("stride", 1).i32("m", n).i32("n", 1).constant("COLS", 1);
       return builder;
     }},
    {"transpose",
     [](int64_t n, int64_t block) {
       RunBuilder builder =
           rowOf("10-transpose-copy.tile", "transpose_copy", n, "TILE", block > 1 ? 32 : 1);
       addOutput(builder, "y_ptr", DType::f32, n, identity);
       builder.i32("m", n).i32("n", 1);
       return builder;
     }},
    {"rowMaximum",
     [](int64_t n, int64_t block) {
       RunBuilder builder = pointwise("20-max-and-sum.tile", "row_max", n, block);
       builder.output("value_ptr", DType::f32, {1}, [&](HostArray &out) {
         out.set(0, n > 0 ? builder.array("x_ptr").at(0) : -INFINITY);
       });
       builder.output("index_ptr", DType::i64, {1}, [](HostArray &out) { out.set(0, 0); });
       builder.i32("stride", n);
       return builder;
     }},
    {"fullSum",
     [](int64_t n, int64_t block) {
       RunBuilder builder = pointwise("20-max-and-sum.tile", "sum_partials", n, block);
       builder.output("partial_ptr", DType::f32, {1}, [&](HostArray &out) {
         out.set(0, n > 0 ? builder.array("x_ptr").at(0) : 0.0);
       });
       return builder;
     }},
    {"cumulativeSum",
     [](int64_t n, int64_t block) {
       RunBuilder builder = pointwise("31-cumulative-sum.tile", "cumulative_sum", n, block);
       addOutput(builder, "y_ptr", DType::f32, n, identity);
       builder.i32("stride", n);
       return builder;
     }},
    {"crossEntropy",
     [](int64_t n, int64_t block) {
       RunBuilder builder = pointwise("21-cross-entropy.tile", "cross_entropy", n, block);
       // Of no classes none is the target.
       builder.values("target_ptr", DType::i64, {n > 0 ? 0.0 : -100.0});
       builder.fill("loss_ptr", DType::f32, {1}, [](uint64_t) { return 5.0; });
       builder.changes("loss_ptr", [](HostArray &out) { out.set(0, 0); });
       builder.unchecked("lse_ptr", DType::f32, {1});
       builder.i32("stride", n).i32("ignored", -100);
       return builder;
     }},
    {"histogram",
     [](int64_t n, int64_t block) {
       RunBuilder builder = exampleOf("14-histogram-atomics.tile", "histogram");
       builder.fill("x_ptr", DType::i32, {n}, [](uint64_t) { return 2.0; });
       builder.fill("counts_ptr", DType::i32, {4}, [](uint64_t i) { return double(i); });
       builder.changes(
           "counts_ptr",
           [n](HostArray &out) {
             for (uint64_t i = 0; i < 4; ++i)
               out.set(i, double(i) + (i == 2 ? double(n) : 0));
           },
           kExact);
       builder.i32("n", n).constant("BLOCK", block);
       return builder;
     }},
    {"scatterAdd",
     [](int64_t n, int64_t block) {
       RunBuilder builder = rowOf("13-scatter-add.tile", "scatter_add", n, "COLS", block);
       builder.fill("index_ptr", DType::i32, {n}, [](uint64_t) { return 1.0; });
       builder.fill("out_ptr", DType::f32, {2}, [](uint64_t i) { return double(i); });
       builder.changes("out_ptr", [&](HostArray &out) {
         out.set(0, 0);
         out.set(1, 1 + (n > 0 ? builder.array("x_ptr").at(0) : 0.0));
       });
       builder.i32("n", n).i32("width", 1).constant("ROWS", 1);
       return builder;
     }},
    {"embedding",
     [](int64_t n, int64_t block) {
       RunBuilder builder = exampleOf("25-embedding.tile", "embedding");
       builder.randn("table_ptr", DType::f32, {2});
       builder.fill("index_ptr", DType::i64, {n}, [](uint64_t) { return 1.0; });
       builder.output("out_ptr", DType::f32, {n}, [&](HostArray &out) {
         if (n > 0)
           out.set(0, builder.array("table_ptr").at(1));
       });
       builder.i32("m", n).i32("n", 1).constant("ROWS", 2).constant("COLS", block);
       return builder;
     }},
    {"quantise",
     [](int64_t n, int64_t block) {
       RunBuilder builder = pointwise("26-quantise-int8.tile", "quantise_int8", n, block);
       addOutput(builder, "q_ptr", DType::i8, n, [](double x) { return x < 0 ? -127 : 127; });
       builder.output("scale_ptr", DType::f32, {1}, [&](HostArray &out) {
         out.set(0, n > 0 ? std::fabs(builder.array("x_ptr").at(0)) / 127 : 1e-30 / 127);
       });
       builder.i32("stride", n);
       return builder;
     }},
};

class SmallestSizes : public ::testing::TestWithParam<Family> {};

TEST_P(SmallestSizes, areRight) {
  for (int64_t n : {0, 1})
    for (int64_t block : {1, 2, 256})
      for (int warps : {1, 4}) {
        SCOPED_TRACE(std::to_string(n) + " in " + std::to_string(block));
        RunBuilder builder = GetParam().build(n, block);
        builder.warps(warps);
        expectRun(builder);
      }
}

INSTANTIATE_TEST_SUITE_P(All, SmallestSizes, ::testing::ValuesIn(kFamilies),
                         [](const auto &info) { return info.param.name; });

//===----------------------------------------------------------------------===//
// Wide rows, unaligned pointers, false masks, strides
//===----------------------------------------------------------------------===//

/// More than registers and shared memory of a multiprocessor hold together: the rest goes to local
/// memory.
TEST(BoundaryTest, rowsThatFitNowhere) {
  constexpr int64_t n = 262144 - 5, block = 262144;
  RunBuilder builder = exampleOf("05-softmax.tile", "softmax");
  builder.randn("x_ptr", DType::f32, {n});
  builder.output("y_ptr", DType::f32, {n}, [&](HostArray &out) {
    double sum = 0;
    for (uint64_t i = 0; i < n; ++i)
      sum += std::exp(builder.array("x_ptr").at(i));
    for (uint64_t i = 0; i < n; ++i)
      out.set(i, std::exp(builder.array("x_ptr").at(i)) / sum);
  });
  builder.i32("x_stride", n).i32("y_stride", n).i32("n", n).constant("BLOCK", block).warps(16);
  expectRun(builder);
}

TEST(BoundaryTest, unalignedPointers) {
  constexpr int64_t n = 5000;
  for (DType type : {DType::i8, DType::f16, DType::f32, DType::f64})
    for (uint64_t skew : {1, 3, 8}) {
      RunBuilder builder = exampleOf("15-copy.tile", "copy");
      builder.fill("x_ptr", type, {n}, [](uint64_t i) { return double(i % 101); });
      builder.output(
          "y_ptr", type, {n},
          [](HostArray &out) {
            for (uint64_t i = 0; i < n; ++i)
              out.set(i, double(i % 101));
          },
          kExact);
      builder.skew("x_ptr", skew).skew("y_ptr", skew == 3 ? 0 : 1);
      builder.i32("n", n).constant("BLOCK", 1024).grid((n + 1023) / 1024);
      expectRun(builder);

      RunBuilder transpose = exampleOf("10-transpose-copy.tile", "transpose_copy");
      constexpr int64_t rows = 50, columns = 48;
      transpose.fill("x_ptr", type, {rows, columns}, [](uint64_t i) { return double(i % 101); });
      transpose.output(
          "y_ptr", type, {columns, rows},
          [](HostArray &out) {
            for (uint64_t i = 0; i < rows * columns; ++i)
              out.set(i, double((i % rows * columns + i / rows) % 101));
          },
          kExact);
      transpose.skew("x_ptr", skew).skew("y_ptr", 1).i32("m", rows).i32("n", columns);
      transpose.constant("TILE", 32).grid(2, 2);
      expectRun(transpose);
    }
}

TEST(BoundaryTest, masksThatAreAllFalse) {
  constexpr int64_t block = 128, programs = 3;
  for (int64_t limit : {int64_t(0), int64_t(-7), int64_t(INT32_MIN)})
    for (uint64_t skew : {0, 1}) {
      RunBuilder builder = kernelOf("boundary.tile", "nothing");
      builder.fill("x_ptr", DType::i32, {0}, [](uint64_t) { return 0; });
      builder.fill("out_ptr", DType::i32, {5}, [](uint64_t i) { return double(i); });
      builder.changes(
          "out_ptr",
          [](HostArray &out) {
            for (uint64_t i = 0; i < 5; ++i)
              out.set(i, double(i));
          },
          kExact);
      builder.fill("counter_ptr", DType::i32, {1}, [](uint64_t) { return 9; });
      builder.changes("counter_ptr", [](HostArray &out) { out.set(0, 9); }, kExact);
      builder.output(
          "seen_ptr", DType::i32, {programs * (block + 1)},
          [](HostArray &out) {
            for (uint64_t i = 0; i < programs * (block + 1); ++i)
              out.set(i, i < programs * block ? 3 : 3 * block);
          },
          kExact);
      builder.skew("x_ptr", skew).i32("limit", limit).constant("BLOCK", block).grid(programs);
      expectRun(builder);
    }
}

/// How a matrix lies in memory: where its first element is and how far the next ones are.
struct Strides {
  int64_t first, row, column;
};

TEST(BoundaryTest, stridesOfZeroAndBelow) {
  constexpr int64_t rows = 37, columns = 64, size = rows * columns;
  const Strides sources[] = {{0, 0, 1},
                             {0, columns, 0},
                             {3, 0, 0},
                             {size - columns, -columns, 1},
                             {columns - 1, columns, -1},
                             {size - 1, -columns, -1},
                             {size - 1, -1, -rows},
                             {0, 1, rows}};
  const Strides targets[] = {{0, columns, 1},
                             {size - columns, -columns, 1},
                             {size - 1, -columns, -1},
                             {size - 1, -1, -rows}};
  for (DType type : {DType::i8, DType::f32})
    for (const Strides &from : sources)
      for (const Strides &to : targets) {
        RunBuilder builder = kernelOf("boundary.tile", "copy_strided");
        builder.fill("x_ptr", type, {size}, [](uint64_t i) { return double(i % 97); });
        builder.output(
            "y_ptr", type, {size},
            [&](HostArray &out) {
              for (int64_t i = 0; i < rows; ++i)
                for (int64_t j = 0; j < columns; ++j)
                  out.set(uint64_t(to.first + i * to.row + j * to.column),
                          double((from.first + i * from.row + j * from.column) % 97));
            },
            kExact);
        builder.i32("x_first", from.first).i32("x_row", from.row).i32("x_col", from.column);
        builder.i32("y_first", to.first).i32("y_row", to.row).i32("y_col", to.column);
        builder.i32("m", rows).i32("n", columns).constant("M", 16).constant("N", 32);
        builder.grid((rows + 15) / 16, (columns + 31) / 32);
        expectRun(builder);
      }
}

TEST(BoundaryTest, sumsWithAnyStride) {
  constexpr int64_t n = 1000;
  for (int64_t stride : {0, 1, -1, 16, -16, -3}) {
    int64_t size = 1 + std::abs(stride) * (n - 1), first = stride < 0 ? size - 1 : 0;
    RunBuilder builder = kernelOf("boundary.tile", "sum_strided");
    builder.fill("x_ptr", DType::i32, {size}, [](uint64_t i) { return double(i % 1009); });
    builder.output(
        "out_ptr", DType::i32, {1},
        [=](HostArray &out) {
          double sum = 0;
          for (int64_t i = 0; i < n; ++i)
            sum += double((first + i * stride) % 1009);
          out.set(0, sum);
        },
        kExact);
    builder.i32("first", first).i32("stride", stride).i32("n", n).constant("BLOCK", 256);
    expectRun(builder);
  }
}

//===----------------------------------------------------------------------===//
// Arrays with more than 2^31 elements
//===----------------------------------------------------------------------===//

/// Memory of which only the pages that are touched exist.
class SparseBuffer {
public:
  explicit SparseBuffer(uint64_t bytes) : size(bytes) {
    void *mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    memory = mapped == MAP_FAILED ? nullptr : mapped;
  }
  SparseBuffer(const SparseBuffer &) = delete;
  SparseBuffer &operator=(const SparseBuffer &) = delete;
  ~SparseBuffer() {
    if (memory)
      ::munmap(memory, size);
  }

  template <typename T> T *as() const { return static_cast<T *>(memory); }
  tilecrt::sim::Buffer named(const char *name) const { return {memory, size, name, false}; }

private:
  void *memory = nullptr;
  uint64_t size;
};

/// Runs a kernel of boundary.tile on two sparse buffers and two numbers; the simulator only.
void simulateFar(const char *kernel, const char *type, ArgumentSpec number, int64_t first,
                 int64_t second, const SparseBuffer &x, const SparseBuffer &y, uint32_t programs) {
  SourceManager sources;
  DiagnosticEngine diagnostics;
  FileId file = llvm::cantFail(sources.loadFile(inputPath("boundary.tile")));
  CompileOptions options;
  options.kernel = kernel;
  options.target = "sim";
  options.arguments = {{"x_ptr", type}, {"y_ptr", type}, number, {"n", "i64"}};
  options.constants = {{"BLOCK", "256"}};
  std::unique_ptr<CompiledKernel> compiled =
      Compiler().compile(sources, file, options, diagnostics);
  ASSERT_TRUE(compiled) << renderDiagnostics(sources, diagnostics, {});
  void *pointers[] = {x.as<void>(), y.as<void>()};
  void *arguments[] = {&pointers[0], &pointers[1], &first, &second};
  tilecrt::sim::LaunchConfig config;
  config.grid = {programs, 1, 1};
  config.buffers = {x.named("x_ptr"), y.named("y_ptr")};
  tilecrt::sim::LaunchResult result = simulate(*compiled, arguments, config);
  EXPECT_TRUE(result.error.empty()) << result.error;
  for (const tilecrt::sim::Finding &finding : result.findings)
    ADD_FAILURE() << tilecrt::sim::describeFinding(finding, config);
}

TEST(BoundaryTest, moreThan31BitsOfElements) {
  constexpr int64_t n = (int64_t(1) << 31) + 1000, block = 256, first = n / block - 4;
  SparseBuffer x(n), y(n);
  if (!x.as<void>() || !y.as<void>())
    GTEST_SKIP() << "no 4 GiB of address space";
  for (int64_t i = first * block; i < n; ++i)
    x.as<int8_t>()[i] = int8_t(i % 101);
  simulateFar("copy_far", "*i8:16", {"first", "i32"}, first, n, x, y, 6);
  int64_t wrong = 0;
  for (int64_t i = first * block; i < n; ++i)
    wrong += y.as<int8_t>()[i] != int8_t(i % 101 + 1);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(y.as<int8_t>()[0], 0);
}

/// Strides beyond 32 bits, and below zero.
TEST(BoundaryTest, stridesOfMoreThan31Bits) {
  constexpr int64_t stride = (int64_t(1) << 32) + 24, rows = 3, n = 200;
  SparseBuffer x(uint64_t(stride * rows) * 2), y(rows * n * 2);
  if (!x.as<void>() || !y.as<void>())
    GTEST_SKIP() << "no 24 GiB of address space";
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < n; ++i) {
      x.as<int16_t>()[row * stride + i] = int16_t(row * 1000 + i);
      x.as<int16_t>()[(row + 1) * stride - i - 1] = int16_t(i * 3);
    }
  simulateFar("add_rows_far", "*i16:16", {"stride", "i64"}, stride, n, x, y, rows);
  int64_t wrong = 0;
  for (int64_t i = 0; i < rows * n; ++i)
    wrong += y.as<int16_t>()[i] != int16_t(i / n * 1000 + i % n + i % n * 3);
  EXPECT_EQ(wrong, 0);
}

} // namespace
} // namespace tilec::harness::test

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks whose extents are no powers of two, in what kernels are made of. Buffers end where their
// last element ends, so that the simulator's checker finds every access of padding. The tests of
// the operations have such extents among theirs.

#include "DotTolerance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilec::harness::test {
namespace {

const tilecrt::Tolerance close{1e-4, 1e-5};

uint64_t at(int64_t index) { return static_cast<uint64_t>(index); }

TEST(ExtentTest, softmax) {
  for (int64_t n : {3, 96, 257, 1000})
    for (DType type : {DType::f32, DType::f16})
      for (int warps : {1, 4}) {
        constexpr int64_t rows = 3;
        RunBuilder builder = kernelOf("extents.tile", "softmax");
        builder.randn("x_ptr", type, {rows, n});
        builder.output("out_ptr", type, {rows, n}, [&](HostArray &out) {
          for (int64_t row = 0; row < rows; ++row) {
            double sum = 0;
            for (int64_t i = 0; i < n; ++i)
              sum += std::exp(builder.array("x_ptr").at(at(row * n + i)));
            for (int64_t i = 0; i < n; ++i)
              out.set(at(row * n + i), std::exp(builder.array("x_ptr").at(at(row * n + i))) / sum);
          }
        });
        builder.i32("stride", n).constant("N", n).grid(rows).warps(warps);
        expectRun(builder);
      }
}

TEST(ExtentTest, combineFunctionsWithoutNeutralElement) {
  for (auto [m, n] : {std::pair<int64_t, int64_t>{3, 5}, {12, 24}, {1, 257}})
    for (int warps : {1, 4}) {
      RunBuilder builder = kernelOf("extents.tile", "moments");
      builder.randn("x_ptr", DType::f32, {m, n});
      auto mean = [&, columns = n](uint64_t row) {
        double sum = 0;
        for (int64_t i = 0; i < columns; ++i)
          sum += builder.array("x_ptr").at(row * at(columns) + at(i));
        return sum / double(columns);
      };
      builder.output(
          "mean_ptr", DType::f32, {m},
          [&](HostArray &out) {
            for (uint64_t row = 0; row < out.size(); ++row)
              out.set(row, mean(row));
          },
          close);
      builder.output(
          "variance_ptr", DType::f32, {m},
          [&, columns = n](HostArray &out) {
            for (uint64_t row = 0; row < out.size(); ++row) {
              double sum = 0;
              for (int64_t i = 0; i < columns; ++i)
                sum +=
                    std::pow(builder.array("x_ptr").at(row * at(columns) + at(i)) - mean(row), 2);
              out.set(row, sum / double(columns));
            }
          },
          close);
      builder.constant("M", m).constant("N", n).warps(warps);
      expectRun(builder);
    }
}

TEST(ExtentTest, wholeBlocks) {
  for (const std::vector<int64_t> &shape :
       {std::vector<int64_t>{3, 5, 7}, {1, 12, 40}, {12, 8, 6}, {4, 8, 16}})
    for (int warps : {1, 4}) {
      RunBuilder builder = kernelOf("extents.tile", "whole");
      int64_t count = shape[0] * shape[1] * shape[2];
      builder.randint("x_ptr", DType::f32, shape, -50, -10);
      auto values = [&] {
        std::vector<double> result;
        for (int64_t i = 0; i < count; ++i)
          result.push_back(builder.array("x_ptr").at(at(i)));
        return result;
      };
      builder.output(
          "out_ptr", DType::f32, {4},
          [&](HostArray &out) {
            std::vector<double> x = values();
            double sum = 0;
            for (double value : x)
              sum += value;
            out.set(0, sum);
            out.set(1, *std::max_element(x.begin(), x.end()));
            out.set(2, *std::min_element(x.begin(), x.end()));
            out.set(3, double(count));
          },
          kExact);
      builder.output(
          "where_ptr", DType::i32, {1 + shape[0] + shape[1]},
          [&](HostArray &out) {
            std::vector<double> x = values();
            out.set(0, double(std::max_element(x.begin(), x.end()) - x.begin()));
            for (uint64_t i = 1; i < out.size(); ++i)
              out.set(i, 0);
          },
          kExact);
      builder.constant("A", shape[0]).constant("B", shape[1]).constant("C", shape[2]);
      expectRun(builder.warps(warps));
    }
}

TEST(ExtentTest, joinedAndSplit) {
  for (auto [m, n] : {std::pair<int64_t, int64_t>{3, 5}, {24, 48}, {5, 32}}) {
    RunBuilder builder = kernelOf("extents.tile", "joined");
    for (const char *name : {"x_ptr", "y_ptr"})
      builder.randint(name, DType::i32, {m, n}, -99, 99);
    auto x = [&](int64_t i) { return builder.array("x_ptr").at(at(i)); };
    auto y = [&](int64_t i) { return builder.array("y_ptr").at(at(i)); };
    auto expect = [&](const std::string &name, std::vector<int64_t> shape, auto value) {
      builder.output(
          name, DType::i32, std::move(shape),
          [&](HostArray &out) {
            for (uint64_t i = 0; i < out.size(); ++i)
              out.set(i, value(int64_t(i)));
          },
          kExact);
    };
    int64_t columns = n, count = m * n;
    expect("inter_ptr", {m, 2 * n}, [&](int64_t i) { return i % 2 ? y(i / 2) : x(i / 2); });
    expect("cat_ptr", {m, 2 * n}, [&](int64_t i) {
      int64_t row = i / (2 * columns), column = i % (2 * columns);
      return column < columns ? x(row * columns + column) : y(row * columns + column - columns);
    });
    expect("low_ptr", {m, n}, [&](int64_t i) { return x(i); });
    expect("high_ptr", {m, n}, [&](int64_t i) { return y(i); });
    expect("flat_ptr", {count}, [&](int64_t i) { return x(i) > 0 ? double(i + 5) : 0; });
    builder.constant("M", m).constant("N", n);
    expectRun(builder);
  }
}

TEST(ExtentTest, rangesAndCarriedValues) {
  constexpr int64_t n = 5;
  for (auto [begin, end] : {std::pair<int64_t, int64_t>{0, 96}, {5, 53}, {7, 8}, {3, 260}}) {
    RunBuilder builder = kernelOf("extents.tile", "carried");
    builder.randint("x_ptr", DType::f32, {n * end}, -99, 99);
    builder.fill("out_ptr", DType::f32, {2 * end}, [](uint64_t) { return 1234; });
    builder.changes(
        "out_ptr",
        [&, first = begin, last = end](HostArray &out) {
          auto x = [&](int64_t step, int64_t i) {
            return builder.array("x_ptr").at(at(step * last + i));
          };
          for (int64_t i = 0; i < 2 * last; ++i)
            out.set(at(i), 1234);
          for (int64_t i = first; i < last; ++i) {
            out.set(at(i), x(0, i) - x(1, i) + x(2, i) - x(3, i) + x(4, i) + n);
            out.set(at(last + i), x(4, i));
          }
        },
        kExact);
    builder.i32("n", n).constant("START", begin).constant("END", end);
    expectRun(builder);
  }
}

/// softmax(q k^T) v of one head in double precision.
void attend(const RunBuilder &builder, HostArray &out, int64_t m, int64_t keys, int64_t d,
            double scale) {
  const HostArray &q = builder.array("q_ptr"), &k = builder.array("k_ptr"),
                  &v = builder.array("v_ptr");
  for (int64_t row = 0; row < m; ++row) {
    std::vector<double> sum(at(d));
    double total = 0;
    for (int64_t key = 0; key < keys; ++key) {
      double score = 0;
      for (int64_t i = 0; i < d; ++i)
        score += q.at(at(row * d + i)) * k.at(at(key * d + i));
      double weight = std::exp(score * scale);
      total += weight;
      for (int64_t i = 0; i < d; ++i)
        sum[at(i)] += weight * v.at(at(key * d + i));
    }
    for (int64_t i = 0; i < d; ++i)
      out.set(at(row * d + i), sum[at(i)] / total);
  }
}

struct Attention {
  std::string kernel;
  DType type;
  int64_t m, n, d, keys;
};

TEST(ExtentTest, attention) {
  const Attention cases[] = {{"attention", DType::f16, 64, 32, 80, 70},
                             {"attention", DType::bf16, 64, 48, 96, 48},
                             {"attention", DType::f32, 16, 12, 24, 30},
                             {"attention_once", DType::f16, 64, 48, 80, 48},
                             {"attention_once", DType::f32, 16, 24, 40, 24}};
  for (const Attention &c : cases) {
    RunBuilder builder = kernelOf("extents.tile", c.kernel);
    double scale = 1 / std::sqrt(double(c.d));
    builder.randn("q_ptr", c.type, {c.m, c.d}).randn("k_ptr", c.type, {c.keys, c.d});
    builder.randn("v_ptr", c.type, {c.keys, c.d});
    builder.output(
        "out_ptr", DType::f32, {c.m, c.d},
        [&](HostArray &out) { attend(builder, out, c.m, c.keys, c.d, scale); },
        tilecrt::Tolerance{1e-2, c.type == DType::bf16 ? 1e-2 : 2e-3});
    if (c.kernel == "attention")
      builder.i32("keys", c.keys);
    builder.f32("scale", scale).constant("M", c.m).constant("N", c.n).constant("D", c.d);
    SCOPED_TRACE(c.kernel + " " + std::to_string(c.d) + " " + tilecrt::dtypeName(c.type));
    expectRun(builder, {"sm_80"});
  }
}

struct Product {
  std::string kernel;
  DType type;
  int64_t m, n, k, bm, bn, bk;
  int warps;
};

TEST(ExtentTest, productsOfSeveralPrograms) {
  const Product cases[] = {{"matmul", DType::f16, 60, 100, 72, 48, 80, 48, 4},
                           {"matmul", DType::f16, 64, 192, 64, 64, 192, 32, 4},
                           {"matmul", DType::bf16, 70, 96, 40, 64, 96, 32, 4},
                           {"matmul", DType::f32, 30, 50, 33, 24, 40, 12, 2},
                           {"matmul_descriptors", DType::f16, 70, 96, 72, 64, 96, 64, 4},
                           {"matmul_descriptors", DType::f16, 64, 192, 48, 64, 192, 48, 4},
                           {"matmul_descriptors", DType::f32, 50, 32, 20, 48, 24, 12, 4}};
  for (const Product &c : cases) {
    RunBuilder builder = kernelOf("extents.tile", c.kernel);
    builder.randn("a_ptr", c.type, {c.m, c.k}).randn("b_ptr", c.type, {c.k, c.n});
    builder.output(
        "out_ptr", DType::f32, {c.m, c.n},
        [&](HostArray &out) {
          for (int64_t i = 0; i < c.m * c.n; ++i) {
            double sum = 0;
            for (int64_t x = 0; x < c.k; ++x)
              sum += builder.array("a_ptr").at(at(i / c.n * c.k + x)) *
                     builder.array("b_ptr").at(at(x * c.n + i % c.n));
            out.set(at(i), sum);
          }
        },
        dotTolerance(c.type, DType::f32, c.k, false));
    builder.i32("M", c.m).i32("N", c.n).i32("K", c.k);
    builder.constant("BM", c.bm).constant("BN", c.bn).constant("BK", c.bk).warps(c.warps);
    builder.grid(at((c.m + c.bm - 1) / c.bm), at((c.n + c.bn - 1) / c.bn));
    SCOPED_TRACE(c.kernel + " " + std::to_string(c.bm) + "x" + std::to_string(c.bn));
    expectRun(builder, {"sm_80"});
  }
}

TEST(ExtentTest, sortingAndTheLargest) {
  struct Sort {
    DType type;
    int64_t m, n, k;
  };
  const Sort cases[] = {{DType::f32, 3, 5, 3},
                        {DType::i32, 1, 48, 5},
                        {DType::i8, 3, 12, 8},
                        {DType::f16, 3, 20, 20}};
  for (const Sort &c : cases) {
    const DType type = c.type;
    const int64_t m = c.m, n = c.n, k = c.k;
    RunBuilder builder = kernelOf("extents.tile", "ordered");
    builder.randint("x_ptr", type, {m, n}, -100, 100);
    auto expect = [&, size = uint64_t(n)](const std::string &name, int64_t rows, int64_t columns,
                                          bool isDescending) {
      builder.output(
          name, type, {rows, columns},
          [&, columns](HostArray &out) {
            for (uint64_t row = 0; row * uint64_t(columns) < out.size(); ++row) {
              std::vector<double> line;
              for (uint64_t i = 0; i < size; ++i)
                line.push_back(builder.array("x_ptr").at(row * size + i));
              std::sort(line.begin(), line.end());
              if (isDescending)
                std::reverse(line.begin(), line.end());
              for (uint64_t i = 0; i < uint64_t(columns); ++i)
                out.set(row * uint64_t(columns) + i, line[i]);
            }
          },
          kExact);
    };
    expect("up_ptr", m, n, false);
    expect("down_ptr", m, n, true);
    expect("top_ptr", m, k, true);
    builder.constant("M", m).constant("N", n).constant("K", k);
    expectRun(builder);
  }
}

TEST(ExtentTest, randomNumbersInRange) {
  constexpr int64_t n = 96;
  RunBuilder builder = kernelOf("extents.tile", "randoms");
  builder.output(
      "out_ptr", DType::f32, {n},
      [](HostArray &out) {
        for (uint64_t i = 0; i < out.size(); ++i)
          out.set(i, 0.5);
      },
      tilecrt::Tolerance{0, 0.5});
  builder.i32("seed", 7).constant("N", n);
  expectRun(builder);
}

} // namespace
} // namespace tilec::harness::test

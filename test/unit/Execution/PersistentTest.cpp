// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Persistent kernels: the three CTAs that the simulator says to have run one program after the
// other, for every count of iterations around the depth of a ring, and in every order. What has an
// order of its own has one without them, too.

#include "DotTolerance.h"

namespace tilec::harness::test {
namespace {

struct ProductCase {
  int64_t m = 180, n = 136, first = 0, steps = 0;
  int stages = 3;
  bool roles = true, isPersistent = true;
  /// Programs of a cluster.
  int ctas = 1;
  /// Of a tile, and of a step along K.
  int64_t block = 64, step = 32;
};

void expectProduct(const ProductCase &c) {
  SCOPED_TRACE(::testing::Message()
               << c.first << " and " << c.steps << " iterations, " << c.stages << " stages, roles "
               << c.roles << ", " << c.m << " x " << c.n << ", persistent " << c.isPersistent
               << ", clusters of " << c.ctas);
  const int64_t block = c.block, step = c.step;
  int64_t k = std::max<int64_t>(1, c.steps) * step;
  RunBuilder builder = kernelOf("persistent.tile", "product");
  builder.randn("a_ptr", DType::f16, {c.m, k}).randn("b_ptr", DType::f16, {k, c.n});
  builder.output(
      "out_ptr", DType::f32, {c.m, c.n},
      [&](HostArray &out) {
        const HostArray &a = builder.array("a_ptr"), &b = builder.array("b_ptr");
        for (int64_t i = 0; i < c.m; ++i)
          for (int64_t j = 0; j < c.n; ++j) {
            double sum = 0;
            for (int64_t x = 0; x < c.steps * step; ++x)
              sum += a.at(uint64_t(i * k + x)) * b.at(uint64_t(x * c.n + j));
            out.set(uint64_t(i * c.n + j), sum);
          }
      },
      dotTolerance(DType::f16, DType::f32, k, false));
  builder.i32("M", int32_t(c.m)).i32("N", int32_t(c.n)).i32("K", int32_t(k));
  builder.i32("first", int32_t(c.first)).i32("steps", int32_t(c.steps));
  builder.constant("BLOCK_M", block).constant("BLOCK_N", block).constant("STEP", step);
  builder.constant("STAGES", c.stages).constant("ROLES", c.roles ? "True" : "False").warps(4);
  uint64_t rows = uint64_t((c.m + block - 1) / block),
           columns = uint64_t((c.n + block - 1) / block);
  expectRun(builder.persistent(c.isPersistent).ctas(c.ctas).grid(rows, columns));
}

TEST(Persistent, anyNumberOfIterations) {
  for (bool roles : {true, false})
    for (int stages : {2, 3})
      for (int64_t steps : {0, 1, stages - 1, stages, stages + 1, 2 * stages + 1}) {
        ProductCase c;
        c.roles = roles, c.stages = stages, c.steps = steps, c.first = steps / 2;
        expectProduct(c);
      }
}

// Two warpgroups take the tiles in turn where the ring fills a multiprocessor: of one tile, or
// nine for three CTAs, and in pairs of CTAs, of which one has a tile more than the other one.
TEST(Persistent, tilesInTurn) {
  for (auto [m, n] : {std::pair<int64_t, int64_t>(100, 72), {328, 328}})
    for (int ctas : {1, 2})
      for (int64_t steps : {0, 1, 3, 4, 5, 9}) {
        ProductCase c;
        c.m = m, c.n = n, c.block = 128, c.step = 64, c.ctas = ctas;
        c.stages = 4, c.steps = steps, c.first = steps / 2;
        expectProduct(c);
      }
}

// Behind the products of its tile a warpgroup has buffers and barriers of its own, while the other
// one is behind or in front of those of another tile.
TEST(Persistent, exchangesInTurn) {
  constexpr int64_t block = 128, m = 328, n = 264, k = 136, rows = 3, columns = 3;
  RunBuilder builder = kernelOf("persistent.tile", "exchanges");
  builder.randint("a_ptr", DType::f16, {m, k}, -3, 3).randint("b_ptr", DType::f16, {k, n}, -3, 3);
  auto product = [&](int64_t i, int64_t j) {
    double sum = 0;
    for (int64_t x = 0; x < k; ++x)
      sum += builder.array("a_ptr").at(uint64_t(i * k + x)) *
             builder.array("b_ptr").at(uint64_t(x * n + j));
    return sum;
  };
  builder.output(
      "out_ptr", DType::f32, {n, m},
      [&](HostArray &out) {
        for (int64_t j = 0; j < n; ++j)
          for (int64_t i = 0; i < m; ++i)
            out.set(uint64_t(j * m + i), product(i, j));
      },
      kExact);
  auto forEachSum = [&](auto add) {
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        add(i / block, j, product(i, j));
  };
  builder.output(
      "columns_ptr", DType::f32, {rows, n},
      [&](HostArray &out) {
        std::vector<double> sums(rows * n);
        forEachSum(
            [&](int64_t row, int64_t j, double value) { sums[size_t(row * n + j)] += value; });
        for (size_t at = 0; at < sums.size(); ++at)
          out.set(at, sums[at]);
      },
      kExact);
  builder.output(
      "totals_ptr", DType::f32, {rows, columns},
      [&](HostArray &out) {
        std::vector<double> sums(rows * columns);
        forEachSum([&](int64_t row, int64_t j, double value) {
          sums[size_t(row * columns + j / block)] += value;
        });
        for (size_t at = 0; at < sums.size(); ++at)
          out.set(at, sums[at]);
      },
      kExact);
  builder.values("count_ptr", DType::i32, {0});
  builder.changes("count_ptr", [](HostArray &out) { out.set(0, rows * columns); }, kExact);
  builder.i32("M", m).i32("N", n).i32("K", k);
  builder.constant("BLOCK", block).constant("STEP", 64).constant("STAGES", 4).warps(4);
  expectRun(builder.persistent().grid(rows, columns));
}

TEST(Persistent, anyNumberOfPrograms) {
  for (auto [m, n] : {std::pair<int64_t, int64_t>(40, 24), {100, 72}, {64, 200}, {250, 72}}) {
    ProductCase c;
    c.m = m, c.n = n, c.steps = 3;
    expectProduct(c);
  }
}

// Programs of a cluster, which copy the blocks that several load for each other. Of two: nine
// tiles, of which one program has the last alone, and those of two rows, a program each. Of four
// and eight some have three rows of one column beside one of the next one.
TEST(Clusters, anyNumberOfIterations) {
  for (int ctas : {2, 4, 8})
    for (bool isPersistent : {true, false})
      for (int stages : {2, 3})
        for (int64_t steps : {0, 1, stages - 1, stages, stages + 1, 2 * stages + 1}) {
          ProductCase c;
          c.m = isPersistent ? 180 : 64 * ctas - 28, c.stages = stages, c.steps = steps;
          c.first = steps / 2, c.isPersistent = isPersistent, c.ctas = ctas;
          expectProduct(c);
        }
}

TEST(Clusters, anyNumberOfPrograms) {
  // The last one: four tiles by two rows and two columns, and eight by two and four.
  for (int ctas : {2, 4, 8})
    for (auto [m, n] :
         {std::pair<int64_t, int64_t>(40, 24), {100, 72}, {64, 200}, {250, 72}, {100, 248}}) {
      ProductCase c;
      c.m = m, c.n = n, c.steps = 3, c.ctas = ctas;
      expectProduct(c);
    }
}

// Where a loop begins is the same for both programs, and where it goes is not.
TEST(Clusters, blocksThatPart) {
  constexpr int64_t block = 64, step = 32, m = 128, n = 56, steps = 7, k = steps * step;
  RunBuilder builder = kernelOf("persistent.tile", "strides_apart");
  builder.randn("a_ptr", DType::f16, {m, k}).randn("b_ptr", DType::f16, {2 * k, n});
  builder.output(
      "out_ptr", DType::f32, {m, n},
      [&](HostArray &out) {
        const HostArray &a = builder.array("a_ptr"), &b = builder.array("b_ptr");
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j) {
            double sum = 0;
            for (int64_t x = 0; x < k; ++x) {
              int64_t row = x / step * step * (1 + i / block % 2) + x % step;
              sum += a.at(uint64_t(i * k + x)) * b.at(uint64_t(row * n + j));
            }
            out.set(uint64_t(i * n + j), sum);
          }
      },
      dotTolerance(DType::f16, DType::f32, k, false));
  builder.i32("M", m).i32("N", n).i32("K", k).i32("steps", steps);
  builder.constant("BLOCK", block).constant("STEP", step).warps(4);
  expectRun(builder.ctas(2).grid(2));
}

void expectTriangles(bool isPersistent, bool hasRoles) {
  constexpr int64_t block = 64, n = 56;
  for (bool largeFirst : {false, true})
    for (auto [m, batches] :
         {std::pair<int64_t, int64_t>(40, 1), {328, 1}, {200, 5}, {136, 21}, {136, 48}}) {
      SCOPED_TRACE(::testing::Message() << m << " rows, " << batches << " batches, " << largeFirst);
      RunBuilder builder = kernelOf("persistent.tile", "triangle");
      builder.randn("a_ptr", DType::f16, {batches, m, m}).randn("b_ptr", DType::f16, {m, n});
      builder.output(
          "out_ptr", DType::f32, {batches, m, n},
          [&, m = m, batches = batches](HostArray &out) {
            const HostArray &a = builder.array("a_ptr"), &b = builder.array("b_ptr");
            for (int64_t z = 0; z < batches; ++z)
              for (int64_t i = 0; i < m; ++i)
                for (int64_t j = 0; j < n; ++j) {
                  double sum = 0;
                  for (int64_t x = 0; x <= i; ++x)
                    sum += a.at(uint64_t((z * m + i) * m + x)) * b.at(uint64_t(x * n + j));
                  out.set(uint64_t((z * m + i) * n + j), sum);
                }
          },
          dotTolerance(DType::f16, DType::f32, m, false));
      builder.i32("M", int32_t(m)).i32("N", int32_t(n));
      builder.constant("LARGE_FIRST", largeFirst ? "True" : "False");
      builder.constant("ROLES", hasRoles ? "True" : "False");
      builder.constant("BLOCK", block).constant("STAGES", 3).warps(4);
      if (isPersistent)
        builder.persistent();
      expectRun(builder.grid(uint64_t((m + block - 1) / block), uint64_t(batches)));
    }
}

TEST(Persistent, theLongestFirst) { expectTriangles(/*isPersistent=*/true, /*hasRoles=*/false); }

// One CTA takes programs from the launch's counter, all but the others' first ones.
TEST(Persistent, theLongestFirstFromACounter) {
  expectTriangles(/*isPersistent=*/true, /*hasRoles=*/true);
}

// 21 batches in one group; a group of 16, and the last one of 32.
TEST(OrderedPrograms, theLongestFirst) {
  expectTriangles(/*isPersistent=*/false, /*hasRoles=*/false);
}

TEST(Persistent, returnsAndLoopsThatAreNotCounted) {
  constexpr int64_t limit = 3, y = 2, z = 3, n = 100;
  RunBuilder builder = kernelOf("persistent.tile", "sums");
  builder.randint("x_ptr", DType::f32, {limit * y * z, n}, -8, 8);
  builder.output(
      "out_ptr", DType::f32, {limit * y * z},
      [&](HostArray &out) {
        for (int64_t i = 0; i < limit * y * z; ++i) {
          double sum = 0;
          for (int64_t x = 0; x < n; ++x)
            sum += builder.array("x_ptr").at(uint64_t(i * n + x));
          out.set(uint64_t(i), sum);
        }
      },
      kExact);
  builder.i32("n", n).i32("limit", limit).constant("BLOCK", 32).warps(2);
  expectRun(builder.persistent().grid(limit + 1, y, z), {"sm_80"});
}

} // namespace
} // namespace tilec::harness::test

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products of tiles that fill warpgroups, in loops over K with 1 to 4 stages: every type and
// shape of the instruction, operands contiguous in either dimension, K that is no multiple of the
// block, and what may and may not stay in flight. On the simulator, races and accesses of registers
// in flight are findings.

#include "BarrierRemoval.h"
#include "DotTolerance.h"

#include <random>
#include <tuple>

namespace tilec::harness::test {
namespace {

using Matrix = std::vector<double>;

Matrix numbersOf(const HostArray &array) {
  Matrix numbers(array.size());
  for (uint64_t i = 0; i < array.size(); ++i)
    numbers[i] = array.at(i);
  return numbers;
}

/// sum[i, j] += factor * a[i, :] . b[:, j] over `depth` steps from `begin`; the strides are those
/// of the arrays.
struct Operand {
  const Matrix &numbers;
  uint64_t freeStride, depthStride;
  uint64_t begin = 0;
};

void addProduct(Matrix &sum, uint64_t columns, const Operand &a, const Operand &b, uint64_t depth,
                double factor = 1) {
  for (uint64_t i = 0; i < sum.size(); ++i) {
    uint64_t row = i / columns, column = i % columns;
    double dot = 0;
    for (uint64_t x = 0; x < depth; ++x)
      dot += a.numbers[a.begin + row * a.freeStride + x * a.depthStride] *
             b.numbers[b.begin + column * b.freeStride + x * b.depthStride];
    sum[i] += factor * dot;
  }
}

void store(const Matrix &numbers, HostArray &out) {
  for (uint64_t i = 0; i < out.size(); ++i)
    out.set(i, numbers[i]);
}

void addProductOperand(RunBuilder &builder, const std::string &name, DType type,
                       std::vector<int64_t> shape) {
  if (tilecrt::isFloat(type))
    builder.randn(name, type, std::move(shape));
  else
    builder.randint(name, type, std::move(shape), type == DType::u8 ? 0 : -128,
                    type == DType::u8 ? 256 : 128);
}

struct MatmulCase {
  DType type = DType::f16, result = DType::f32;
  int64_t m = 64, n = 64, k = 128, step = 64;
  int warps = 4, stages = 3;
  bool transA = false, transB = false;
};

std::string matmulName(const ::testing::TestParamInfo<MatmulCase> &info) {
  const MatmulCase &c = info.param;
  std::string name =
      std::string(tilecrt::dtypeName(c.type)) + "_in_" + tilecrt::dtypeName(c.result);
  for (int64_t extent : {c.m, c.n, c.k, c.step})
    name += "_" + std::to_string(extent);
  return name + (c.transA ? "_transA" : "") + (c.transB ? "_transB" : "") + "_warps" +
         std::to_string(c.warps) + "_stages" + std::to_string(c.stages);
}

class MatmulTest : public ::testing::TestWithParam<MatmulCase> {};

void expectMatmul(const MatmulCase &c) {
  RunBuilder builder = kernelOf("products.tile", "matmul");
  addProductOperand(builder, "a_ptr", c.type,
                    c.transA ? std::vector{c.k, c.m} : std::vector{c.m, c.k});
  addProductOperand(builder, "b_ptr", c.type,
                    c.transB ? std::vector{c.n, c.k} : std::vector{c.k, c.n});
  auto m = static_cast<uint64_t>(c.m), n = static_cast<uint64_t>(c.n),
       k = static_cast<uint64_t>(c.k);
  builder.output(
      "out_ptr", c.result, {c.m, c.n},
      [&](HostArray &out) {
        Matrix a = numbersOf(builder.array("a_ptr")), b = numbersOf(builder.array("b_ptr"));
        Matrix sum(m * n);
        addProduct(sum, n, {a, c.transA ? 1 : k, c.transA ? m : 1},
                   {b, c.transB ? k : 1, c.transB ? 1 : n}, k);
        store(sum, out);
      },
      dotTolerance(c.type, c.result, c.k, false));
  builder.i32("K", int32_t(c.k)).constant("M", c.m).constant("N", c.n).constant("STEP", c.step);
  builder.constant("TRANS_A", c.transA ? 1 : 0).constant("TRANS_B", c.transB ? 1 : 0);
  builder.constant("STAGES", c.stages);
  builder.constant("OUT", c.result == DType::f16   ? "tl.float16"
                          : c.result == DType::i32 ? "tl.int32"
                                                   : "tl.float32");
  expectRun(builder.warps(c.warps));
}

TEST_P(MatmulTest, matchesDoublePrecision) { expectMatmul(GetParam()); }

std::vector<MatmulCase> matmulCases() {
  std::vector<MatmulCase> cases;
  int next = 0;
  auto add = [&](MatmulCase c) {
    c.stages = next++ % 4 + 1;
    cases.push_back(c);
  };
  // Types, and operands contiguous in either dimension.
  const std::pair<DType, DType> types[] = {
      {DType::f16, DType::f32},    {DType::f16, DType::f16},    {DType::bf16, DType::f32},
      {DType::f32, DType::f32},    {DType::f8e4m3, DType::f32}, {DType::f8e4m3, DType::f16},
      {DType::f8e5m2, DType::f32}, {DType::i8, DType::i32},     {DType::u8, DType::i32}};
  for (auto [type, result] : types)
    for (bool transA : {false, true})
      for (bool transB : {false, true}) {
        MatmulCase c;
        c.type = type, c.result = result, c.transA = transA, c.transB = transB;
        c.n = 32, c.k = 192;
        add(c);
      }
  // Operands that go through registers: the left or the right one, tiles of one and two
  // instructions' rows, warpgroups along rows and columns, groups of one to four steps.
  const std::pair<DType, DType> bytesAndWords[] = {{DType::f32, DType::f32},
                                                   {DType::f8e4m3, DType::f16},
                                                   {DType::f8e5m2, DType::f32},
                                                   {DType::i8, DType::i32}};
  for (auto [type, result] : bytesAndWords)
    for (bool transA : {false, true})
      for (bool transB : {false, true})
        for (int64_t rows : {64, 128, 256}) {
          MatmulCase c;
          c.type = type, c.result = result, c.transA = transA, c.transB = transB;
          c.m = rows, c.n = 128, c.warps = rows == 128 ? 4 : 8;
          c.step = (type == DType::f32 ? 1 : 4) << (3 - next % 4) << 3, c.k = 3 * c.step - 4;
          add(c);
          std::swap(c.m, c.n);
          if (rows != 128)
            add(c);
        }
  // Tiles, warpgroups along rows and columns, every number of stages.
  for (int64_t m : {64, 128, 256})
    for (int64_t n : {8, 16, 64, 256})
      for (int warps : {4, 8}) {
        // The result of 256 x 256 goes through shared memory in halves of its elements.
        MatmulCase c;
        c.m = m, c.n = n, c.warps = warps;
        c.k = 112, c.step = 32;
        c.transB = n == 8;
        add(c);
      }
  for (int stages = 1; stages <= 4; ++stages)
    for (int64_t k : {1, 16, 40, 64, 104, 200}) {
      MatmulCase c;
      c.k = k, c.step = 32, c.stages = stages, c.transA = k % 64 == 40, c.warps = 8;
      cases.push_back(c);
    }
  // f16 accumulators of two warpgroups along the columns; more columns than an instruction has.
  for (int stages : {1, 3}) {
    MatmulCase half;
    half.result = DType::f16, half.n = 128, half.warps = 8, half.stages = stages;
    cases.push_back(half);
    MatmulCase wide;
    wide.n = 512, wide.k = 32, wide.step = 16, wide.warps = 8, wide.stages = stages;
    cases.push_back(wide);
  }
  // Such rows of the transposed dot, whose left operand is read through registers.
  MatmulCase tall;
  tall.type = DType::f32, tall.m = 512, tall.k = 40, tall.step = 16;
  add(tall);
  // Tiles that are no powers of two.
  const std::tuple<int64_t, int64_t, int64_t, int> tiles[] = {
      {128, 96, 64, 4}, {64, 192, 32, 4}, {48, 80, 48, 4}, {192, 64, 24, 8}, {80, 129, 16, 8}};
  for (auto [m, n, step, warps] : tiles)
    for (auto [type, result] :
         {std::pair(DType::f16, DType::f32), std::pair(DType::f32, DType::f32),
          std::pair(DType::i8, DType::i32)}) {
      MatmulCase c;
      c.type = type, c.result = result, c.transB = type == DType::i8;
      c.m = m, c.n = n, c.step = step, c.k = 2 * step + 16, c.warps = warps;
      add(c);
    }
  // Two instructions of as many columns each; columns whose halves are in no whole boxes;
  // warpgroups beside each other that have every other 8 columns.
  const std::tuple<int64_t, int64_t, int> alongK[] = {{64, 288, 4},  {128, 272, 8}, {288, 128, 8},
                                                      {128, 136, 8}, {192, 192, 8}, {64, 144, 8},
                                                      {64, 96, 16},  {320, 80, 8}};
  for (auto [m, n, warps] : alongK)
    for (auto [type, result] :
         {std::pair(DType::f16, DType::f32), std::pair(DType::f16, DType::f16),
          std::pair(DType::f8e4m3, DType::f32), std::pair(DType::i8, DType::i32)}) {
      MatmulCase c;
      c.type = type, c.result = result, c.transB = true;
      c.m = m, c.n = n, c.step = 64, c.k = 144, c.warps = warps;
      add(c);
    }
  // Columns that lie together and fill no whole boxes.
  MatmulCase ragged;
  ragged.n = 208, ragged.k = 144;
  cases.push_back(ragged);
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, MatmulTest, ::testing::ValuesIn(matmulCases()), matmulName);

/// Any unit, any number of stages that shared memory has room for.
TEST(ProductTest, randomTiles) {
  std::mt19937_64 random(testSeed());
  auto below = [&](int64_t count) { return int64_t(random() % uint64_t(count)); };
  const std::pair<DType, DType> types[] = {{DType::f16, DType::f32},    {DType::f16, DType::f16},
                                           {DType::bf16, DType::f32},   {DType::f32, DType::f32},
                                           {DType::i8, DType::i32},     {DType::f8e4m3, DType::f32},
                                           {DType::f8e5m2, DType::f16}, {DType::u8, DType::i32}};
  for (int i = 0; i < 16; ++i) {
    MatmulCase c;
    std::tie(c.type, c.result) = types[below(8)];
    c.m = 16 << below(4), c.n = 4 << below(6), c.step = 16 << below(3);
    c.k = 1 + below(4 * c.step);
    if (below(2))
      c.k = (c.k + 15) / 16 * 16;
    c.warps = 1 << below(4), c.stages = int(1 + below(4));
    c.transA = below(2), c.transB = below(2);
    expectMatmul(c);
  }
}

TEST(ProductTest, pointersCarriedAroundTheLoop) {
  constexpr int64_t m = 128, n = 32, step = 32;
  for (DType type : {DType::f16, DType::f32})
    for (int stages : {1, 2, 3, 4})
      for (int64_t k : {32, 160}) {
        RunBuilder builder = kernelOf("products.tile", "carried_pointers");
        addProductOperand(builder, "a_ptr", type, {m, k});
        addProductOperand(builder, "b_ptr", type, {k, n});
        auto depth = static_cast<uint64_t>(k);
        builder.output(
            "out_ptr", DType::f32, {m, n},
            [&](HostArray &out) {
              Matrix a = numbersOf(builder.array("a_ptr")), b = numbersOf(builder.array("b_ptr"));
              Matrix sum(m * n);
              addProduct(sum, n, {a, depth, 1}, {b, 1, n}, depth);
              store(sum, out);
            },
            dotTolerance(type, DType::f32, k, false));
        builder.i32("K", int32_t(k)).constant("M", m).constant("N", n).constant("STEP", step);
        expectRun(builder.constant("STAGES", stages));
      }
}

TEST(ProductTest, computedOperands) {
  constexpr int64_t m = 128, n = 64, k = 192, step = 32;
  for (bool halves : {false, true})
    for (int warps : {4, 8})
      for (int stages : {1, 2, 3}) {
        RunBuilder builder = kernelOf("products.tile", "computed_operand");
        addProductOperand(builder, "a_ptr", DType::f16, {m, k});
        addProductOperand(builder, "b_ptr", DType::f16, {k, n});
        builder.output(
            "out_ptr", DType::f32, {m, n},
            [&](HostArray &out) {
              Matrix a = numbersOf(builder.array("a_ptr")), b = numbersOf(builder.array("b_ptr"));
              for (double &x : a)
                x = std::max(x, 0.0);
              Matrix sum(m * n);
              for (uint64_t start = 0; start < k; start += step) {
                if (halves)
                  for (double &x : sum)
                    x *= 0.5;
                addProduct(sum, n, {a, k, 1, start}, {b, 1, n, start * n}, step);
              }
              store(sum, out);
            },
            dotTolerance(DType::f16, DType::f32, k, true));
        builder.i32("K", k).constant("M", m).constant("N", n).constant("STEP", step);
        builder.constant("HALVE", halves ? 1 : 0).constant("STAGES", stages);
        expectRun(builder.warps(warps));
      }
}

TEST(ProductTest, twoSumsInFlight) {
  constexpr int64_t m = 64, n = 64, k = 160, step = 32;
  for (int stages : {1, 2, 3, 4}) {
    RunBuilder builder = kernelOf("products.tile", "two_sums");
    addProductOperand(builder, "a_ptr", DType::bf16, {m, k});
    addProductOperand(builder, "b_ptr", DType::bf16, {k, n});
    addProductOperand(builder, "c_ptr", DType::bf16, {k, n});
    builder.output(
        "out_ptr", DType::f32, {m, n},
        [&](HostArray &out) {
          Matrix a = numbersOf(builder.array("a_ptr")), b = numbersOf(builder.array("b_ptr"));
          Matrix c = numbersOf(builder.array("c_ptr")), sum(m * n);
          addProduct(sum, n, {a, k, 1}, {b, 1, n}, k);
          addProduct(sum, n, {a, k, 1}, {c, 1, n}, k, -1);
          store(sum, out);
        },
        dotTolerance(DType::bf16, DType::f32, 2 * k, true));
    builder.i32("K", k).constant("M", m).constant("N", n).constant("STEP", step);
    expectRun(builder.constant("STAGES", stages));
  }
}

TEST(ProductTest, loopsInLoops) {
  constexpr int64_t m = 128, n = 32, k = 96, step = 32, outer = 3;
  for (int warps : {4, 8})
    for (int stages : {1, 2, 3, 4}) {
      RunBuilder builder = kernelOf("products.tile", "nested");
      addProductOperand(builder, "a_ptr", DType::f16, {outer, m, k});
      addProductOperand(builder, "b_ptr", DType::f16, {k, n});
      builder.output(
          "out_ptr", DType::f32, {m, n},
          [&](HostArray &out) {
            Matrix a = numbersOf(builder.array("a_ptr")), b = numbersOf(builder.array("b_ptr"));
            Matrix sum(m * n);
            for (uint64_t i = 0; i < outer; ++i)
              addProduct(sum, n, {a, k, 1, i * m * k}, {b, 1, n}, k, double(i + 1));
            store(sum, out);
          },
          dotTolerance(DType::f16, DType::f32, 14 * k, true));
      builder.i32("OUTER", outer).i32("K", k).constant("M", m).constant("N", n);
      expectRun(builder.constant("STEP", step).constant("STAGES", stages).warps(warps));
    }
}

TEST(ProductTest, loadsStayBehindStores) {
  constexpr int64_t m = 64, n = 16, k = 32, count = 4;
  for (int stages : {1, 2, 3}) {
    RunBuilder builder = kernelOf("products.tile", "recurrence");
    // The first block counts for all others, one more in each.
    auto at = [&](uint64_t i) { return double(i % (m * k) % 7) - 3 + double(i / (m * k)); };
    builder.fill("x_ptr", DType::f16, {count + 1, m, k},
                 [&](uint64_t i) { return i < m * k ? at(i) : -100; });
    builder.changes("x_ptr", [&](HostArray &array) {
      for (uint64_t i = 0; i < array.size(); ++i)
        array.set(i, at(i));
    });
    addProductOperand(builder, "b_ptr", DType::f16, {k, n});
    builder.output(
        "out_ptr", DType::f32, {m, n},
        [&](HostArray &out) {
          Matrix b = numbersOf(builder.array("b_ptr")), sum(m * n);
          Matrix x(m * k * count);
          for (uint64_t i = 0; i < x.size(); ++i)
            x[i] = at(i);
          for (uint64_t i = 0; i < count; ++i)
            addProduct(sum, n, {x, k, 1, i * m * k}, {b, 1, n}, k);
          store(sum, out);
        },
        tilecrt::Tolerance{1e-4, 1e-2});
    builder.i32("COUNT", count).constant("M", m).constant("N", n).constant("K", k);
    expectRun(builder.constant("STAGES", stages));
  }
}

TEST(ProductTest, chains) {
  constexpr int64_t d = 64, step = 64;
  for (int64_t m : {64, 128})
    for (int warps : {4, 8})
      for (int stages : {1, 2, 3})
        for (int64_t keys : {64, 200}) {
          RunBuilder builder = kernelOf("products.tile", "chained");
          addProductOperand(builder, "q_ptr", DType::f16, {m, d});
          addProductOperand(builder, "k_ptr", DType::f16, {keys, d});
          addProductOperand(builder, "v_ptr", DType::f16, {keys, d});
          auto rows = static_cast<uint64_t>(m), count = static_cast<uint64_t>(keys);
          // Scores have size 1 and are rounded to f16, by 2^-12 on average; the rest is f32.
          builder.output(
              "out_ptr", DType::f32, {m, d},
              [&](HostArray &out) {
                Matrix q = numbersOf(builder.array("q_ptr")), k = numbersOf(builder.array("k_ptr"));
                Matrix v = numbersOf(builder.array("v_ptr")), scores(rows * count), sum(rows * d);
                addProduct(scores, count, {q, d, 1}, {k, d, 1}, d, 0.125);
                addProduct(sum, d, {scores, count, 1}, {v, 1, d}, count);
                store(sum, out);
              },
              tilecrt::Tolerance{1e-3, 5e-4 * std::sqrt(double(keys)) * 5});
          builder.i32("KEYS", int32_t(keys)).constant("M", m).constant("D", d);
          expectRun(builder.constant("STEP", step).constant("STAGES", stages).warps(warps));
        }
}

/// Every barrier, wait and fence of a pipelined loop is needed, and the simulator misses each: with
/// both operands in the rings, and with bytes that go through registers and are transposed.
TEST(ProductTest, everyMissingBarrierWaitOrFenceIsFound) {
  constexpr int64_t m = 64, n = 64, k = 160;
  // Bits of f16: 0.5.
  std::vector<uint16_t> a(m * k, 0x3800), b(k * n, 0x3800);
  std::vector<float> out(m * n);
  for (bool bytes : {false, true})
    for (int stages : {1, 2, 3}) {
      SimulatedKernel kernel;
      kernel.path = inputPath("products.tile");
      kernel.kernel = "matmul";
      std::string type = bytes ? "*i8:16" : "*fp16:16", result = bytes ? "i32" : "fp32";
      kernel.arguments = {{"a_ptr", type}, {"b_ptr", type}, {"out_ptr", "*" + result + ":16"}};
      kernel.constants = {{"K", std::to_string(k)},
                          {"M", std::to_string(m)},
                          {"N", std::to_string(n)},
                          {"STEP", bytes ? "64" : "32"},
                          {"TRANS_A", bytes ? "1" : "0"},
                          {"TRANS_B", "0"},
                          {"OUT", result},
                          {"STAGES", std::to_string(stages)}};
      uint64_t elementBytes = bytes ? 1 : 2;
      kernel.buffers = {{a.data(), a.size() * elementBytes, "a_ptr", true},
                        {b.data(), b.size() * elementBytes, "b_ptr", true},
                        {out.data(), out.size() * 4, "out_ptr", false}};
      kernel.countsWaits = true;
      BarrierOutcome whole = runWithoutBarrier(kernel);
      ASSERT_EQ(whole.error, "");
      EXPECT_TRUE(whole.launch.clean()) << (whole.findings.empty() ? "" : whole.findings[0]);
      // A barrier, a fence and a wait for the product at least.
      ASSERT_GE(whole.barriers, 3u);
      for (unsigned removed = 0; removed < whole.barriers; ++removed) {
        kernel.removedBarrier = static_cast<int>(removed);
        BarrierOutcome outcome = runWithoutBarrier(kernel);
        // Reading fragments waits for the products before, and this result needs no shared memory.
        if (bytes && outcome.removed.find("wait") != std::string::npos)
          continue;
        EXPECT_FALSE(outcome.launch.findings.empty())
            << stages << " stages, " << outcome.removed << ", number " << removed << " of "
            << whole.barriers << (bytes ? " of bytes" : "");
      }
    }
}

} // namespace
} // namespace tilec::harness::test

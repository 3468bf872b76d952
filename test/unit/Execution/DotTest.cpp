// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products of one tile against sums in double precision: operand types, shapes from one
// element up, transposed operands, batches, chains, loops, and products with block scales.

#include "DotTolerance.h"

namespace tilec::harness::test {
namespace {

/// out[b, m, n] = start(out index) + sum over k of a(b, m, k) * b(b, k, n).
template <typename A, typename B, typename Start>
void multiply(HostArray &out, uint64_t m, uint64_t n, uint64_t depth, const A &a, const B &b,
              const Start &start) {
  for (uint64_t i = 0; i < out.size(); ++i) {
    uint64_t column = i % n, row = i / n % m, batch = i / (m * n);
    double sum = start(i);
    for (uint64_t k = 0; k < depth; ++k)
      sum += a((batch * m + row) * depth + k) * b((batch * depth + k) * n + column);
    out.set(i, sum);
  }
}

/// Products by single warps, beside those of warpgroups; sm_89 has products of 8-bit floats.
const std::vector<std::string> kProcessors = {"sm_80"}, kFloat8Processors = {"sm_80", "sm_89"};

double zero(uint64_t) { return 0; }

void addOperand(RunBuilder &builder, const std::string &name, DType type,
                std::vector<int64_t> shape) {
  if (tilecrt::isFloat(type))
    builder.randn(name, type, std::move(shape));
  else if (type == DType::u8)
    builder.randint(name, type, std::move(shape), 0, 256);
  else
    builder.randint(name, type, std::move(shape), -128, 128);
}

std::string typeText(DType type) {
  switch (type) {
  case DType::f16:
    return "tl.float16";
  case DType::f64:
    return "tl.float64";
  case DType::i32:
    return "tl.int32";
  default:
    return "tl.float32";
  }
}

struct DotCase {
  DType a = DType::f32, b = DType::f32, result = DType::f32;
  int64_t m = 16, n = 16, k = 16;
  int warps = 4;
  bool transA = false, transB = false;
  std::string precision = "tf32";
};

std::string dotName(const ::testing::TestParamInfo<DotCase> &info) {
  const DotCase &c = info.param;
  std::string name = std::string(tilecrt::dtypeName(c.a)) + "_" + tilecrt::dtypeName(c.b) + "_in_" +
                     tilecrt::dtypeName(c.result);
  for (int64_t extent : {c.m, c.n, c.k})
    name += "_" + std::to_string(extent);
  return name + (c.transA ? "_transA" : "") + (c.transB ? "_transB" : "") + "_" + c.precision +
         "_warps" + std::to_string(c.warps);
}

class DotTest : public ::testing::TestWithParam<DotCase> {};

TEST_P(DotTest, matchesDoublePrecision) {
  const DotCase &c = GetParam();
  RunBuilder builder = kernelOf("dots.tile", "dot_2d");
  auto shapeOf = [](int64_t rows, int64_t columns, bool isTransposed) {
    return isTransposed ? std::vector<int64_t>{columns, rows} : std::vector<int64_t>{rows, columns};
  };
  addOperand(builder, "a_ptr", c.a, shapeOf(c.m, c.k, c.transA));
  addOperand(builder, "b_ptr", c.b, shapeOf(c.k, c.n, c.transB));
  addOperand(builder, "c_ptr", c.result, {c.m, c.n});
  auto m = static_cast<uint64_t>(c.m), n = static_cast<uint64_t>(c.n),
       k = static_cast<uint64_t>(c.k);
  builder.output(
      "out_ptr", c.result, {c.m, c.n},
      [&](HostArray &out) {
        const HostArray &a = builder.array("a_ptr"), &b = builder.array("b_ptr");
        auto aAt = [&](uint64_t i) { return a.at(c.transA ? i % k * m + i / k : i); };
        auto bAt = [&](uint64_t i) { return b.at(c.transB ? i % n * k + i / n : i); };
        multiply(out, m, n, k, aAt, bAt, [&](uint64_t i) { return builder.array("c_ptr").at(i); });
      },
      dotTolerance(c.a, c.result, c.k, c.precision != "tf32"));
  builder.constant("M", c.m).constant("N", c.n).constant("K", c.k);
  builder.constant("TRANS_A", c.transA ? 1 : 0).constant("TRANS_B", c.transB ? 1 : 0);
  builder.constant("PRECISION", "\"" + c.precision + "\"").constant("OUT", typeText(c.result));
  builder.warps(c.warps);
  bool isFloat8 = c.a == DType::f8e4m3 || c.a == DType::f8e5m2;
  expectRun(builder, isFloat8 ? kFloat8Processors : kProcessors);
}

std::vector<DotCase> dotCases() {
  std::vector<DotCase> cases;
  const std::tuple<DType, DType, DType> types[] = {
      {DType::f16, DType::f16, DType::f32},       {DType::f16, DType::f16, DType::f16},
      {DType::bf16, DType::bf16, DType::f32},     {DType::f32, DType::f32, DType::f32},
      {DType::f8e4m3, DType::f8e4m3, DType::f32}, {DType::f8e5m2, DType::f8e4m3, DType::f32},
      {DType::f8e5m2, DType::f8e5m2, DType::f16}, {DType::i8, DType::i8, DType::i32},
      {DType::u8, DType::u8, DType::i32},         {DType::f64, DType::f64, DType::f64}};
  const int warps[] = {4, 1, 8, 2};
  size_t next = 0;
  for (auto [a, b, result] : types)
    for (bool transA : {false, true})
      for (bool transB : {false, true}) {
        DotCase c{a, b, result};
        c.m = 32, c.n = 64, c.k = 32;
        c.transA = transA, c.transB = transB;
        c.warps = warps[next++ % 4];
        cases.push_back(c);
      }
  const int64_t shapes[][3] = {{1, 1, 1},     {1, 16, 4},    {2, 1, 64},    {4, 8, 2},
                               {16, 16, 1},   {64, 64, 8},   {128, 16, 16}, {16, 128, 32},
                               {1, 256, 128}, {64, 128, 64}, {3, 5, 7},     {48, 80, 96},
                               {96, 64, 17}};
  for (auto [m, n, k] : shapes)
    for (DType type : {DType::f16, DType::f32, DType::i8}) {
      DotCase c{type, type, type == DType::i8 ? DType::i32 : DType::f32};
      c.m = m, c.n = n, c.k = k;
      c.warps = warps[next++ % 4];
      cases.push_back(c);
    }
  for (const char *precision : {"ieee", "tf32x3"}) {
    DotCase c;
    c.m = 32, c.n = 32, c.k = 64;
    c.precision = precision;
    cases.push_back(c);
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, DotTest, ::testing::ValuesIn(dotCases()), dotName);

/// K in steps, from memory to the product through shared memory: each type, each operand along
/// either dimension, with more warps than a small product has parts for.
TEST(DotFormsTest, stepsAlongK) {
  struct Kind {
    DType type, result;
    const char *precision;
  };
  const Kind kinds[] = {{DType::f16, DType::f32, "tf32"},    {DType::bf16, DType::f32, "tf32"},
                        {DType::f16, DType::f16, "tf32"},    {DType::f32, DType::f32, "tf32"},
                        {DType::f32, DType::f32, "tf32x3"},  {DType::f8e4m3, DType::f32, "tf32"},
                        {DType::f8e5m2, DType::f16, "tf32"}, {DType::i8, DType::i32, "tf32"},
                        {DType::u8, DType::i32, "tf32"},     {DType::f64, DType::f64, "tf32"}};
  struct Size {
    int64_t m, n, k, step;
    int warps;
  };
  const Size sizes[] = {{64, 64, 192, 64, 4},
                        {16, 64, 83, 32, 4},
                        {32, 128, 64, 32, 2},
                        {128, 16, 48, 16, 8},
                        {8, 8, 40, 32, 1}};
  for (const Kind &kind : kinds)
    for (const Size &size : sizes)
      for (bool transA : {false, true})
        for (bool transB : {false, true}) {
          RunBuilder builder = kernelOf("dots.tile", "dot_steps");
          auto [m, n, k, step, warps] = size;
          if (kind.type == DType::f64)
            step /= 2; // three buffers of each operand
          // Leading dimensions of whole vectors, whatever K is.
          int64_t lda = transA ? m : (k + 15) / 16 * 16, ldb = transB ? (k + 15) / 16 * 16 : n;
          addOperand(builder, "a_ptr", kind.type, {transA ? k : m, lda});
          addOperand(builder, "b_ptr", kind.type, {transB ? n : k, ldb});
          auto um = static_cast<uint64_t>(m), un = static_cast<uint64_t>(n),
               uk = static_cast<uint64_t>(k), ula = static_cast<uint64_t>(lda),
               ulb = static_cast<uint64_t>(ldb);
          builder.output(
              "out_ptr", kind.result, {m, n},
              [&](HostArray &out) {
                const HostArray &a = builder.array("a_ptr"), &b = builder.array("b_ptr");
                multiply(
                    out, um, un, uk,
                    [&](uint64_t i) {
                      return a.at(transA ? i % uk * ula + i / uk : i / uk * ula + i % uk);
                    },
                    [&](uint64_t i) {
                      return b.at(transB ? i % un * ulb + i / un : i / un * ulb + i % un);
                    },
                    zero);
              },
              dotTolerance(kind.type, kind.result, k, std::string(kind.precision) != "tf32"));
          builder.i32("K", k).constant("lda", lda).constant("ldb", ldb);
          builder.constant("M", m).constant("N", n).constant("STEP", step);
          builder.constant("TRANS_A", transA ? 1 : 0).constant("TRANS_B", transB ? 1 : 0);
          builder.constant("PRECISION", "\"" + std::string(kind.precision) + "\"");
          builder.constant("OUT", typeText(kind.result));
          bool isFloat8 = kind.type == DType::f8e4m3 || kind.type == DType::f8e5m2;
          expectRun(builder.warps(warps), isFloat8 ? kFloat8Processors : kProcessors);
        }
}

TEST(DotFormsTest, addressesAlongEitherDimension) {
  constexpr int64_t m = 64, n = 32, k = 32;
  for (DType type : {DType::f16, DType::f32, DType::i8})
    for (bool aRows : {true, false})
      for (bool bRows : {true, false}) {
        RunBuilder builder = kernelOf("dots.tile", "dot_strided");
        addOperand(builder, "a_ptr", type, aRows ? std::vector{m, k} : std::vector{k, m});
        addOperand(builder, "b_ptr", type, bRows ? std::vector{k, n} : std::vector{n, k});
        DType result = type == DType::i8 ? DType::i32 : DType::f32;
        builder.output(
            "out_ptr", result, {m, n},
            [&](HostArray &out) {
              const HostArray &a = builder.array("a_ptr"), &b = builder.array("b_ptr");
              multiply(
                  out, m, n, k, [&](uint64_t i) { return a.at(aRows ? i : i % k * m + i / k); },
                  [&](uint64_t i) { return b.at(bRows ? i : i % n * k + i / n); }, zero);
            },
            dotTolerance(type, result, k, false));
        builder.i32("a_row", aRows ? k : 1).i32("a_col", aRows ? 1 : m);
        builder.i32("b_row", bRows ? n : 1).i32("b_col", bRows ? 1 : k);
        builder.constant("M", m).constant("N", n).constant("K", k);
        expectRun(builder, kProcessors);
      }
}

TEST(DotFormsTest, batches) {
  const int64_t shapes[][4] = {{2, 16, 16, 16}, {1, 32, 8, 16}, {8, 1, 4, 32}, {4, 16, 32, 8}};
  for (DType type : {DType::f16, DType::f32})
    for (auto [batch, m, n, k] : shapes)
      for (int warps : {1, 4, 8}) {
        RunBuilder builder = kernelOf("dots.tile", "dot_3d");
        addOperand(builder, "a_ptr", type, {batch, m, k});
        addOperand(builder, "b_ptr", type, {batch, k, n});
        auto um = static_cast<uint64_t>(m), un = static_cast<uint64_t>(n),
             uk = static_cast<uint64_t>(k);
        builder.output(
            "out_ptr", DType::f32, {batch, m, n},
            [&](HostArray &out) {
              multiply(
                  out, um, un, uk, [&](uint64_t i) { return builder.array("a_ptr").at(i); },
                  [&](uint64_t i) { return builder.array("b_ptr").at(i); }, zero);
            },
            dotTolerance(type, DType::f32, k, false));
        builder.constant("B", batch).constant("M", m).constant("N", n).constant("K", k);
        expectRun(builder.warps(warps), kProcessors);
      }
}

TEST(DotFormsTest, fourDimensions) {
  constexpr int64_t m = 16, n = 8, k = 32;
  RunBuilder builder = kernelOf("dots.tile", "dot_4d");
  addOperand(builder, "a_ptr", DType::f16, {4, m, k});
  addOperand(builder, "b_ptr", DType::f16, {4, k, n});
  builder.output(
      "out_ptr", DType::f32, {4, m, n},
      [&](HostArray &out) {
        multiply(
            out, m, n, k, [&](uint64_t i) { return builder.array("a_ptr").at(i); },
            [&](uint64_t i) { return builder.array("b_ptr").at(i); }, zero);
      },
      dotTolerance(DType::f16, DType::f32, k, true));
  builder.constant("M", m).constant("N", n).constant("K", k);
  expectRun(builder, kProcessors);
}

TEST(DotFormsTest, computedOperandsAndChains) {
  constexpr int64_t m = 32, n = 16, k = 64, l = 32;
  for (int warps : {1, 4}) {
    RunBuilder builder = kernelOf("dots.tile", "dot_chain");
    addOperand(builder, "a_ptr", DType::f16, {m, k});
    addOperand(builder, "b_ptr", DType::f16, {k, n});
    addOperand(builder, "c_ptr", DType::f16, {n, l});
    // The first product is rounded to f16: half a unit of about 2^-8 each, in sums of 16.
    builder.output(
        "out_ptr", DType::f32, {m, l},
        [&](HostArray &out) {
          std::vector<double> inner(m * n);
          for (uint64_t i = 0; i < inner.size(); ++i)
            for (uint64_t x = 0; x < k; ++x)
              inner[i] += std::max(0.0, builder.array("a_ptr").at(i / n * k + x)) *
                          builder.array("b_ptr").at(x * n + i % n);
          multiply(
              out, m, l, n, [&](uint64_t i) { return inner[i]; },
              [&](uint64_t i) { return builder.array("c_ptr").at(i); },
              [](uint64_t) { return 1.0; });
        },
        tilecrt::Tolerance{1e-3, 5e-2});
    builder.constant("M", m).constant("N", n).constant("K", k).constant("L", l);
    expectRun(builder.warps(warps), kProcessors);
  }
}

TEST(DotFormsTest, accumulatorsInLoops) {
  constexpr int64_t m = 32, n = 32, step = 16;
  for (DType type : {DType::f16, DType::f32})
    for (int64_t k : {1, 16, 39, 128}) {
      RunBuilder builder = kernelOf("dots.tile", "dot_loop");
      addOperand(builder, "a_ptr", type, {m, k});
      addOperand(builder, "b_ptr", type, {k, n});
      auto depth = static_cast<uint64_t>(k);
      builder.output(
          "out_ptr", DType::f32, {m, n},
          [&](HostArray &out) {
            for (uint64_t i = 0; i < out.size(); ++i) {
              double sum = 0;
              for (uint64_t x = 0; x < depth; ++x) {
                if (x % step == 0)
                  sum *= 0.5;
                sum += builder.array("a_ptr").at(i / n * depth + x) *
                       builder.array("b_ptr").at(x * n + i % n);
              }
              out.set(i, sum);
            }
          },
          dotTolerance(type, DType::f32, k, false));
      builder.i32("K", k).constant("M", m).constant("N", n).constant("STEP", step);
      expectRun(builder, kProcessors);
    }
}

TEST(DotFormsTest, branches) {
  constexpr int64_t m = 16, n = 16, k = 16, programs = 3;
  RunBuilder builder = kernelOf("dots.tile", "dot_in_branch");
  addOperand(builder, "a_ptr", DType::f16, {m, k});
  addOperand(builder, "b_ptr", DType::f16, {k, n});
  builder.output(
      "out_ptr", DType::f32, {programs, m, n},
      [&](HostArray &out) {
        for (uint64_t i = 0; i < out.size(); ++i) {
          double sum = 0;
          for (uint64_t x = 0; x < k; ++x)
            sum += builder.array("a_ptr").at(i / n % m * k + x) *
                   builder.array("b_ptr").at(x * n + i % n);
          out.set(i, i / (m * n) < 2 ? sum : 2 * sum);
        }
      },
      dotTolerance(DType::f16, DType::f32, k, true));
  builder.i32("which", 2).constant("M", m).constant("N", n).constant("K", k).grid(programs);
  expectRun(builder, kProcessors);
}

struct ScaledCase {
  std::string a, b;
  bool packA = true, packB = true;
};

/// The numbers that the bytes or elements of a format stand for.
DType typeOf(const std::string &format) {
  return format == "e2m1"   ? DType::u8
         : format == "e4m3" ? DType::f8e4m3
         : format == "e5m2" ? DType::f8e5m2
         : format == "bf16" ? DType::bf16
                            : DType::f16;
}

double decodeE2M1(unsigned code) {
  constexpr double magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  return code & 8 ? -magnitudes[code & 7] : magnitudes[code & 7];
}

/// Element (row, column) of a matrix that may have two e2m1 numbers in a byte, along its rows or
/// columns.
double elementOf(const HostArray &array, const std::string &format, uint64_t row, uint64_t column,
                 uint64_t columns, bool alongRow) {
  if (format != "e2m1")
    return array.at(row * columns + column);
  uint64_t place = alongRow ? row * (columns / 2) + column / 2 : row / 2 * columns + column;
  auto byte = static_cast<unsigned>(array.at(place));
  bool isHigh = (alongRow ? column : row) % 2 == 1;
  return decodeE2M1(isHigh ? byte >> 4 : byte & 15);
}

TEST(DotFormsTest, blockScales) {
  constexpr int64_t m = 16, n = 32, k = 64;
  const ScaledCase cases[] = {{"e2m1", "e2m1"},        {"e2m1", "e2m1", false, false},
                              {"e4m3", "e4m3"},        {"e5m2", "e2m1"},
                              {"e2m1", "bf16", false}, {"bf16", "e4m3"},
                              {"fp16", "e2m1"},        {"e5m2", "fp16"}};
  for (const ScaledCase &c : cases) {
    RunBuilder builder = kernelOf("dots.tile", "dot_scaled");
    auto shapeOf = [](const std::string &format, int64_t rows, int64_t columns, bool halveColumns) {
      int64_t pack = format == "e2m1" ? 2 : 1;
      return halveColumns ? std::vector<int64_t>{rows, columns / pack}
                          : std::vector<int64_t>{rows / pack, columns};
    };
    addOperand(builder, "a_ptr", typeOf(c.a), shapeOf(c.a, m, k, c.packA));
    builder.randint("a_scale_ptr", DType::u8, {m, k / 32}, 123, 132);
    addOperand(builder, "b_ptr", typeOf(c.b), shapeOf(c.b, k, n, !c.packB));
    builder.randint("b_scale_ptr", DType::u8, {n, k / 32}, 123, 132);
    builder.output(
        "out_ptr", DType::f32, {m, n},
        [&](HostArray &out) {
          const HostArray &a = builder.array("a_ptr"), &b = builder.array("b_ptr");
          auto scale = [&](const char *name, uint64_t line, uint64_t x) {
            return std::ldexp(1.0, int(builder.array(name).at(line * (k / 32) + x / 32)) - 127);
          };
          for (uint64_t i = 0; i < out.size(); ++i) {
            uint64_t row = i / n, column = i % n;
            double sum = 0;
            for (uint64_t x = 0; x < k; ++x)
              sum += elementOf(a, c.a, row, x, k, c.packA) * scale("a_scale_ptr", row, x) *
                     elementOf(b, c.b, x, column, n, !c.packB) * scale("b_scale_ptr", column, x);
            out.set(i, sum);
          }
        },
        tilecrt::Tolerance{1e-4, 1e-1});
    builder.constant("M", m).constant("N", n).constant("K", k);
    builder.constant("A_FORMAT", "\"" + c.a + "\"").constant("B_FORMAT", "\"" + c.b + "\"");
    builder.constant("A_PACK", c.packA ? 1 : 0).constant("B_PACK", c.packB ? 1 : 0);
    SCOPED_TRACE(c.a + " x " + c.b);
    expectRun(builder, kProcessors);
  }
}

} // namespace
} // namespace tilec::harness::test

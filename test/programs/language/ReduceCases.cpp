// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions and scans: operation by type, shape and axis, with and without kept dimensions, with
// functions of one value and of several, ties and NaN.

#include "BlockProgram.h"
#include "LanguageCases.h"

#include <algorithm>
#include <cmath>

namespace tilec::harness::language {
namespace {

/// A dimension of a row-major shape; a missing axis is all of it.
struct Lines {
  uint64_t outer = 1, length = 1, inner = 1;

  Lines(const Shape &shape, std::optional<int> axis) {
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      auto size = static_cast<uint64_t>(shape[dim]);
      if (!axis || static_cast<int>(dim) == *axis)
        length *= size;
      else
        (static_cast<int>(dim) < *axis ? outer : inner) *= size;
    }
  }
  /// Index of element `k` of the line that result `i` belongs to.
  uint64_t at(uint64_t i, uint64_t k) const { return (i / inner * length + k) * inner + i % inner; }
};

Shape withoutAxis(const Shape &shape, std::optional<int> axis, bool keepsDims) {
  Shape result;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (axis && static_cast<int>(dim) != *axis)
      result.push_back(shape[dim]);
    else if (keepsDims)
      result.push_back(1);
  return result;
}

std::string axisText(std::optional<int> axis) { return axis ? std::to_string(*axis) : "None"; }

/// Integers narrower than 32 bits are summed in 32.
DType sumType(DType type) {
  if (tilecrt::isFloat(type) || bitWidth(type) >= 32)
    return type;
  return isUnsigned(type) ? DType::u32 : DType::i32;
}

DType wideType(DType type) {
  if (bitWidth(type) >= 32)
    return type;
  return tilecrt::isFloat(type) ? DType::f32 : DType::i32;
}

void writeReduce(BlockProgram &p, DType type, const Shape &shape, std::optional<int> axis,
                 bool keepsDims) {
  Lines lines(shape, axis);
  Shape result = withoutAxis(shape, axis, keepsDims);
  bool isFloat = tilecrt::isFloat(type);
  p.in("x", type, shape, isFloat ? normal() : bits());
  std::string arguments =
      "(x, axis=" + axisText(axis) + ", keep_dims=" + (keepsDims ? "True)" : "False)");
  p.body("s = tl.sum" + arguments + "\nlo = tl.min" + arguments + "\nhi = tl.max" + arguments);
  auto fold = [&](uint64_t i, auto combine) {
    Int value = p.intAt("x", lines.at(i, 0));
    for (uint64_t k = 1; k < lines.length; ++k)
      value = combine(value, p.intAt("x", lines.at(i, k)));
    return value;
  };
  auto foldFloat = [&](uint64_t i, auto combine) {
    double value = p.at("x", lines.at(i, 0));
    for (uint64_t k = 1; k < lines.length; ++k)
      value = combine(value, p.at("x", lines.at(i, k)));
    return value;
  };
  if (isFloat) {
    // Every partial sum may be rounded.
    tilecrt::Tolerance tolerance = toleranceFor(type);
    tolerance.atol = tolerance.rtol * std::sqrt(static_cast<double>(lines.length)) * 8;
    p.out(
        "s", type, result, [&](uint64_t i) { return foldFloat(i, std::plus<double>()); },
        tolerance);
    DType wide = wideType(type);
    p.out("lo", wide, result, [&](uint64_t i) {
      return foldFloat(i, [](double a, double b) { return std::fmin(a, b); });
    });
    p.out("hi", wide, result, [&](uint64_t i) {
      return foldFloat(i, [](double a, double b) { return std::fmax(a, b); });
    });
    return;
  }
  p.outInt("s", sumType(type), result, [&](uint64_t i) { return fold(i, std::plus<Int>()); });
  p.outInt("lo", wideType(type), result,
           [&](uint64_t i) { return fold(i, [](Int a, Int b) { return std::min(a, b); }); });
  p.outInt("hi", wideType(type), result,
           [&](uint64_t i) { return fold(i, [](Int a, Int b) { return std::max(a, b); }); });
  p.body("e = tl.xor_sum" + arguments);
  p.outInt("e", type, result, [&](uint64_t i) { return fold(i, std::bit_xor<Int>()); });
  if (axis) {
    p.body("o = tl.reduce_or" + arguments);
    p.outInt("o", type, result, [&](uint64_t i) { return fold(i, std::bit_or<Int>()); });
  }
}

/// Few different values, so that the first of equal ones must win.
void writeArg(BlockProgram &p, DType type, const Shape &shape, std::optional<int> axis) {
  Lines lines(shape, axis);
  Shape result = withoutAxis(shape, axis, false);
  p.in("x", type, shape, uniform(0, 5));
  std::string a = axisText(axis);
  if (axis)
    p.body("big = tl.argmax(x, " + a + ")\nsmall = x.argmin(" + a + ")");
  p.body("v, at = tl.max(x, " + a + ", return_indices=True)\nw, low = tl.min(x, " + a +
         ", return_indices=True, return_indices_tie_break_left=True)\n"
         "u, any = tl.max(x, " +
         a + ", return_indices=True, return_indices_tie_break_left=False)");
  auto place = [&](uint64_t i, bool largest) {
    uint64_t best = 0;
    for (uint64_t k = 1; k < lines.length; ++k) {
      double now = p.at("x", lines.at(i, k)), old = p.at("x", lines.at(i, best));
      if (largest ? now > old : now < old)
        best = k;
    }
    return best;
  };
  auto value = [&](uint64_t i, bool largest) { return p.at("x", lines.at(i, place(i, largest))); };
  if (axis) {
    p.outInt("big", DType::i32, result, [&](uint64_t i) -> Int { return place(i, true); });
    p.outInt("small", DType::i32, result, [&](uint64_t i) -> Int { return place(i, false); });
  }
  p.outInt("at", DType::i32, result, [&](uint64_t i) -> Int { return place(i, true); });
  p.outInt("low", DType::i32, result, [&](uint64_t i) -> Int { return place(i, false); });
  DType wide = wideType(type);
  for (const char *name : {"v", "u", "w"}) {
    bool largest = *name != 'w';
    if (tilecrt::isFloat(wide))
      p.out(name, wide, result, [&](uint64_t i) { return value(i, largest); });
    else
      p.outInt(name, wide, result, [&](uint64_t i) { return static_cast<Int>(value(i, largest)); });
  }
}

/// Without NaN propagation a reduction drops NaN as elementwise maximum does.
void writeNan(BlockProgram &p, DType type) {
  p.in("x", type, {16, 8}, [&](HostArray &array, tilecrt::RandomStream stream) {
    normal()(array, stream);
    for (uint64_t i = 0; i < array.size(); i += 5)
      array.set(i, std::nan(""));
  });
  p.body("hi = tl.max(x, 1)\nlo = tl.min(x, 1)\nhas = tl.sum((x != x).to(tl.int32), 1)");
  auto fold = [&](uint64_t i, auto combine) {
    double value = p.at("x", i * 8);
    for (uint64_t k = 1; k < 8; ++k)
      value = combine(value, p.at("x", i * 8 + k));
    return value;
  };
  p.out("hi", wideType(type), {16},
        [&](uint64_t i) { return fold(i, [](double a, double b) { return std::fmax(a, b); }); });
  p.out("lo", wideType(type), {16},
        [&](uint64_t i) { return fold(i, [](double a, double b) { return std::fmin(a, b); }); });
  p.outInt("has", DType::i32, {16}, [&](uint64_t i) {
    Int count = 0;
    for (uint64_t k = 0; k < 8; ++k)
      count += std::isnan(p.at("x", i * 8 + k));
    return count;
  });
}

/// Mean and squared deviations by Welford's merging, and functions that do not commute.
void writeCustom(BlockProgram &p, DType type) {
  p.global("@triton.jit\n"
           "def merge(mean1, m21, n1, mean2, m22, n2):\n"
           "    n = n1 + n2\n"
           "    share = tl.where(n == 0.0, 0.0, n2 / n)\n"
           "    delta = mean2 - mean1\n"
           "    return mean1 + delta * share, m21 + m22 + delta * delta * n1 * share, n");
  p.global("@triton.jit\n"
           "def larger_magnitude(a, b):\n"
           "    return tl.where(tl.abs(a) > tl.abs(b), a, b)");
  p.in("x", type, {8, 64});
  p.body("zeros = tl.zeros_like(x)\nmean, m2, n = tl.reduce((x, zeros, zeros + 1), 1, merge)\n"
         "big = tl.reduce(x, 1, larger_magnitude)\nkept = x.reduce(0, larger_magnitude, "
         "keep_dims=True)\n"
         "chain = tl.sum(tl.max(x, 1), 0)");
  auto mean = [&](uint64_t i) {
    double sum = 0;
    for (uint64_t k = 0; k < 64; ++k)
      sum += p.at("x", i * 64 + k);
    return sum / 64;
  };
  tilecrt::Tolerance tolerance = toleranceFor(type, 10);
  p.out("mean", type, {8}, mean, tolerance);
  p.out(
      "m2", type, {8},
      [&](uint64_t i) {
        double sum = 0, centre = mean(i);
        for (uint64_t k = 0; k < 64; ++k)
          sum += std::pow(p.at("x", i * 64 + k) - centre, 2);
        return sum;
      },
      tilecrt::Tolerance{type == DType::f64 ? 1e-12 : 2e-5, 1e-6});
  p.out("n", type, {8}, [](uint64_t) { return 64.0; });
  auto strongest = [&](uint64_t start, uint64_t count, uint64_t step) {
    double best = p.at("x", start);
    for (uint64_t k = 1; k < count; ++k)
      if (double next = p.at("x", start + k * step); std::abs(next) > std::abs(best))
        best = next;
    return best;
  };
  p.out("big", type, {8}, [&](uint64_t i) { return strongest(i * 64, 64, 1); });
  p.out("kept", type, {1, 64}, [&](uint64_t i) { return strongest(i, 8, 64); });
  p.out(
      "chain", type, {},
      [&](uint64_t) {
        double sum = 0;
        for (uint64_t i = 0; i < 8; ++i) {
          double best = p.at("x", i * 64);
          for (uint64_t k = 1; k < 64; ++k)
            best = std::max(best, p.at("x", i * 64 + k));
          sum += best;
        }
        return sum;
      },
      toleranceFor(type, 20));
}

/// The accumulator's type.
void writeSumType(BlockProgram &p, DType type, DType accumulator) {
  p.in("x", type, {128}, uniform(0, 3));
  std::string name = languageName(accumulator);
  p.body("s = tl.sum(x, dtype=" + name + ")\nc = tl.cumsum(x, dtype=" + name + ")");
  auto sum = [&](uint64_t last) {
    double total = 0;
    for (uint64_t i = 0; i <= last; ++i)
      total += p.at("x", i);
    return total;
  };
  if (tilecrt::isFloat(accumulator)) {
    tilecrt::Tolerance tolerance{toleranceFor(accumulator).rtol * 8, 0};
    p.out("s", accumulator, {}, [&](uint64_t) { return sum(127); }, tolerance);
    p.out("c", accumulator, {128}, [&](uint64_t i) { return sum(i); }, tolerance);
    return;
  }
  p.outInt("s", accumulator, {}, [&](uint64_t) { return static_cast<Int>(sum(127)); });
  p.outInt("c", accumulator, {128}, [&](uint64_t i) { return static_cast<Int>(sum(i)); });
}

void writeScan(BlockProgram &p, DType type, const Shape &shape, int axis, bool reverse) {
  Lines lines(shape, axis);
  bool isFloat = tilecrt::isFloat(type);
  p.global("@triton.jit\ndef larger(a, b):\n    return tl.maximum(a, b)");
  p.in("x", type, shape, isFloat ? normal() : bits());
  p.in("y", type, shape, isFloat ? uniform(0.9, 1.1) : bits());
  std::string rest = std::to_string(axis) + ", reverse=" + (reverse ? "True" : "False") + ")";
  p.body("s = tl.cumsum(x, " + rest + "\nq = tl.cumprod(y, " + rest +
         "\nm = tl.associative_scan(x, " + std::to_string(axis) +
         ", larger, reverse=" + (reverse ? "True" : "False") + ")");
  auto fold = [&](const char *name, uint64_t i, auto start, auto combine) {
    uint64_t place = i / lines.inner % lines.length;
    uint64_t line = i / (lines.inner * lines.length) * lines.inner + i % lines.inner;
    uint64_t first = reverse ? lines.length - 1 : 0;
    auto value = start;
    for (uint64_t k = first;; reverse ? --k : ++k) {
      value = combine(value, lines.at(line, k), p.array(name));
      if (k == place)
        return value;
    }
  };
  if (isFloat) {
    DType wide = type == DType::bf16 ? DType::f32 : type;
    tilecrt::Tolerance tolerance = toleranceFor(wide);
    tolerance.atol = tolerance.rtol * 20;
    tolerance.rtol *= 20;
    p.out(
        "s", wide, shape,
        [&](uint64_t i) {
          return fold("x", i, 0.0,
                      [](double v, uint64_t at, const HostArray &a) { return v + a.at(at); });
        },
        tolerance);
    p.out(
        "q", wide, shape,
        [&](uint64_t i) {
          return fold("y", i, 1.0,
                      [](double v, uint64_t at, const HostArray &a) { return v * a.at(at); });
        },
        tolerance);
    p.out("m", type, shape, [&](uint64_t i) {
      return fold("x", i, -HUGE_VAL,
                  [](double v, uint64_t at, const HostArray &a) { return std::max(v, a.at(at)); });
    });
    return;
  }
  p.outInt("s", sumType(type), shape, [&](uint64_t i) {
    return fold("x", i, Int(0),
                [](Int v, uint64_t at, const HostArray &a) { return v + intAt(a, at); });
  });
  p.outInt("q", type, shape, [&](uint64_t i) {
    return fold("y", i, Int(1), [&](Int v, uint64_t at, const HostArray &a) {
      uint64_t low = static_cast<uint64_t>(v) * static_cast<uint64_t>(intAt(a, at));
      return wrap(type, static_cast<Int>(low));
    });
  });
  p.outInt("m", type, shape, [&](uint64_t i) {
    return fold("x", i, wrap(type, isUnsigned(type) ? 0 : Int(1) << (bitWidth(type) - 1)),
                [](Int v, uint64_t at, const HostArray &a) { return std::max(v, intAt(a, at)); });
  });
}

/// h[i] = a[i] * h[i-1] + b[i] as a scan over pairs, which does not commute.
void writeRecurrence(BlockProgram &p, DType type, bool reverse) {
  p.global("@triton.jit\ndef step(a1, b1, a2, b2):\n    return a1 * a2, a2 * b1 + b2");
  p.in("a", type, {4, 64}, uniform(0.2, 1)).in("b", type, {4, 64});
  p.body(std::string("_, h = tl.associative_scan((a, b), 1, step, reverse=") +
         (reverse ? "True)" : "False)"));
  p.out(
      "h", type, {4, 64},
      [&](uint64_t i) {
        uint64_t row = i / 64 * 64;
        double h = 0;
        for (uint64_t k = 0; k < 64; ++k) {
          uint64_t at = row + (reverse ? 63 - k : k);
          h = p.at("a", at) * h + p.at("b", at);
          if (at == i)
            break;
        }
        return h;
      },
      tilecrt::Tolerance{type == DType::f64 ? 1e-12 : 1e-5, type == DType::f64 ? 1e-13 : 1e-5});
}

std::string reduceName(const Shape &shape, std::optional<int> axis, bool keepsDims = false) {
  return shapeText(shape) + " " + axisText(axis) + (keepsDims ? " kept" : "");
}

} // namespace

void addReduceCases(std::vector<Case> &cases) {
  struct Form {
    Shape shape;
    std::optional<int> axis;
    bool keepsDims;
  };
  const Form forms[] = {{{64}, 0, false},        {{1}, 0, false},        {{512}, 0, true},
                        {{16, 32}, 0, false},    {{16, 32}, 1, true},    {{4, 8, 16}, 1, false},
                        {{4, 8, 16}, {}, false}, {{2, 4, 2, 8}, 2, true}};
  for (DType type : {DType::f32, DType::f16, DType::bf16, DType::f64, DType::i8, DType::i16,
                     DType::i32, DType::i64, DType::u8, DType::u16, DType::u32, DType::u64}) {
    for (const Form &form : forms) {
      addCase(
          cases, "reduce", type, reduceName(form.shape, form.axis, form.keepsDims),
          [=](BlockProgram &p) { writeReduce(p, type, form.shape, form.axis, form.keepsDims); },
          type == DType::f32 || type == DType::i32 ? Scale::Quick : Scale::Full);
    }
    for (const Form &form : {forms[0], forms[3], forms[4], forms[6]})
      addCase(cases, "argmax", type, reduceName(form.shape, form.axis),
              [=](BlockProgram &p) { writeArg(p, type, form.shape, form.axis); });
    for (bool reverse : {false, true})
      for (const Form &form : {forms[0], forms[3], forms[4], forms[5]})
        addCase(cases, "scan", type,
                reduceName(form.shape, form.axis) + (reverse ? " reverse" : ""),
                [=](BlockProgram &p) { writeScan(p, type, form.shape, *form.axis, reverse); });
  }
  for (DType type : {DType::f32, DType::f16, DType::f64})
    addCase(cases, "reduce NaN", type, "", [=](BlockProgram &p) { writeNan(p, type); });
  for (DType type : {DType::f32, DType::f64}) {
    addCase(cases, "reduce custom", type, "", [=](BlockProgram &p) { writeCustom(p, type); });
    for (bool reverse : {false, true})
      addCase(cases, "scan custom", type, reverse ? "reverse" : "",
              [=](BlockProgram &p) { writeRecurrence(p, type, reverse); });
  }
  for (auto [type, accumulator] : {std::pair{DType::i8, DType::i64},
                                   {DType::i32, DType::f32},
                                   {DType::f16, DType::f32},
                                   {DType::f32, DType::f64},
                                   {DType::bf16, DType::f32},
                                   {DType::u8, DType::u16},
                                   {DType::i32, DType::i64},
                                   {DType::boolean, DType::i32}})
    addCase(cases, "sum dtype", type, tilecrt::dtypeName(accumulator),
            [t = type, a = accumulator](BlockProgram &p) { writeSumType(p, t, a); });
}

} // namespace tilec::harness::language

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of libdevice, in fp32 and fp64: a name, its reference, where it is sampled and how
// exact it is. Directed roundings and conversions are exact.

#include "BlockProgram.h"
#include "LanguageCases.h"

#include <cfenv>
#include <cmath>

namespace tilec::harness::language {
namespace {

const Shape shape = {64};

struct Function {
  const char *name;
  std::function<double(double, double, double)> reference;
  int arity = 1;
  double low = -3, high = 3;
  double rtol32 = 4e-6, atol32 = 1e-6, rtol64 = 1e-13, atol64 = 1e-14;
};

Function one(const char *name, double (*f)(double), double low = -3, double high = 3,
             double rtol64 = 1e-13) {
  return {name, [=](double x, double, double) { return f(x); }, 1, low, high, 4e-6, 1e-6, rtol64};
}

/// Oscillates around zero, where only the absolute error counts.
Function bessel(const char *name, double (*f)(double), double low, double high) {
  return {name, [=](double x, double, double) { return f(x); }, 1, low, high, 4e-6, 1e-6, 1e-13,
          1e-13};
}

Function two(const char *name, double (*f)(double, double), double low = -3, double high = 3) {
  return {name, [=](double x, double y, double) { return f(x, y); }, 2, low, high};
}

double rsqrt(double x) { return 1 / std::sqrt(x); }
double besselI(int order, double x) {
  double term = 1, sum = 1;
  for (int k = 1; k < 200; ++k)
    sum += term *= x * x / 4 / (k * (k + order));
  return order ? sum * x / 2 : sum;
}
double normcdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
/// By bisection.
double inverse(double (*f)(double), double value, double low, double high) {
  bool rises = f(high) > f(low);
  for (int i = 0; i < 200; ++i) {
    double middle = (low + high) / 2;
    ((f(middle) < value) == rises ? low : high) = middle;
  }
  return (low + high) / 2;
}

const std::vector<Function> &functions() {
  static const std::vector<Function> rows = {
      one("abs", std::fabs),
      one("fabs", std::fabs),
      one("acos", std::acos, -0.99, 0.99),
      one("acosh", std::acosh, 1.1, 9),
      one("asin", std::asin, -0.99, 0.99),
      one("asinh", std::asinh),
      one("atan", std::atan),
      one("atanh", std::atanh, -0.9, 0.9),
      one("cbrt", std::cbrt),
      one("ceil", std::ceil),
      one("cos", std::cos),
      one("cosh", std::cosh),
      one("erf", std::erf),
      one("erfc", std::erfc),
      one("exp", std::exp),
      one("exp2", std::exp2),
      one("expm1", std::expm1),
      one("floor", std::floor),
      one("log", std::log, 0.1, 9),
      one("log10", std::log10, 0.1, 9),
      one("log1p", std::log1p, -0.5, 9),
      one("log2", std::log2, 0.1, 9),
      one("nearbyint", std::nearbyint),
      one("rint", std::rint),
      one("round", std::round),
      one("rsqrt", rsqrt, 0.1, 9),
      one("sin", std::sin),
      one("sinh", std::sinh),
      one("sqrt", std::sqrt, 0, 9),
      one("sqrt_rn", std::sqrt, 0, 9),
      one("tan", std::tan, -1.4, 1.4),
      one("tanh", std::tanh),
      one("trunc", std::trunc),
      one("exp10", [](double x) { return std::pow(10, x); }),
      one(
          "rcbrt", [](double x) { return 1 / std::cbrt(x); }, 0.1, 9),
      one("sinpi", [](double x) { return std::sin(M_PI * x); }),
      one("cospi", [](double x) { return std::cos(M_PI * x); }),
      one("logb", std::logb, 0.001, 900),
      one("lgamma", std::lgamma, 0.1, 20, 1e-12),
      one("tgamma", std::tgamma, -2.9, 9, 1e-12),
      one("normcdf", normcdf),
      one(
          "erfcx", [](double x) { return std::exp(x * x) * std::erfc(x); }, -2, 5, 1e-12),
      one(
          "erfinv", [](double x) { return inverse(std::erf, x, -6, 6); }, -0.99, 0.99, 1e-12),
      one(
          "erfcinv", [](double x) { return inverse(std::erfc, x, -6, 6); }, 0.01, 1.99, 1e-12),
      one(
          "normcdfinv", [](double x) { return inverse(normcdf, x, -9, 9); }, 0.01, 0.99, 1e-12),
      one(
          "cyl_bessel_i0", [](double x) { return besselI(0, x); }, -40, 40, 1e-12),
      one(
          "cyl_bessel_i1", [](double x) { return besselI(1, x); }, -40, 40, 1e-12),
      bessel("j0", ::j0, -60, 60),
      bessel("j1", ::j1, -60, 60),
      bessel("y0", ::y0, 0.01, 60),
      bessel("y1", ::y1, 0.01, 60),
      two("atan2", std::atan2),
      two("copysign", std::copysign),
      two("fdim", std::fdim),
      two("fmod", std::fmod),
      two("hypot", std::hypot),
      two("max", std::fmax),
      two("min", std::fmin),
      two("pow", std::pow, 0.1, 3),
      two("remainder", std::remainder),
      two(
          "div_rn", [](double x, double y) { return x / y; }, 0.5, 9),
      two(
          "rhypot", [](double x, double y) { return 1 / std::hypot(x, y); }, 0.5, 9),
      {"fma", [](double x, double y, double z) { return x * y + z; }, 3},
      {"norm3d", [](double x, double y, double z) { return std::sqrt(x * x + y * y + z * z); }, 3},
      {"rnorm3d", [](double x, double y, double z) { return 1 / std::sqrt(x * x + y * y + z * z); },
       3, 0.5, 9}};
  return rows;
}

void writeFunctions(BlockProgram &p, DType type, const std::vector<Function> &rows) {
  for (const Function &row : rows) {
    std::string n = row.name, arguments;
    std::vector<std::string> names;
    for (int i = 0; i < row.arity; ++i) {
      names.push_back("x" + std::to_string(i) + n);
      p.in(names.back(), type, shape, uniform(row.low, row.high));
      arguments += (i ? ", " : "") + names.back();
    }
    p.body("y" + n + " = tl.extra.libdevice." + n + "(" + arguments + ")");
    auto at = [&](size_t i, uint64_t e) { return i < names.size() ? p.at(names[i], e) : 0; };
    p.out(
        "y" + n, type, shape,
        [&](uint64_t e) { return row.reference(at(0, e), at(1, e), at(2, e)); },
        type == DType::f32 ? tilecrt::Tolerance{row.rtol32, row.atol32}
                           : tilecrt::Tolerance{row.rtol64, row.atol64});
  }
}

/// Functions of fp32 alone, under the names of other modules too.
void writeFast(BlockProgram &p) {
  struct Fast {
    const char *call;
    double (*reference)(double);
  };
  static const Fast rows[] = {
      {"tl.math.fast_expf(x)", std::exp},
      {"tl.extra.cuda.libdevice.fast_logf(x)", std::log},
      {"tl.extra.libdevice.fast_log2f(x)", std::log2},
      {"tl.extra.libdevice.fast_sinf(x)", std::sin},
      {"tl.extra.libdevice.fast_cosf(x)", std::cos},
      {"tl.extra.libdevice.fast_tanf(x)", std::tan},
      {"tl.extra.libdevice.fast_log10f(x)", std::log10},
      {"tl.extra.libdevice.fast_exp10f(x)", [](double x) { return std::pow(10, x); }},
      {"tl.math.fast_dividef(x, 3.0)", [](double x) { return x / 3; }},
      {"tl.extra.libdevice.fast_powf(x, 2.0)", [](double x) { return x * x; }},
      {"tl.extra.libdevice.saturatef(x - 0.5)",
       [](double x) { return std::fmin(std::fmax(x - 0.5, 0), 1); }},
      {"tl.libdevice.rsqrt_rn(x)", rsqrt},
      {"tl.extra.libdevice.norm4d(x, 0.0, 0.0, 0.0)", std::fabs},
      {"tl.extra.libdevice.rnorm4d(x, 0.0, 0.0, 0.0)", [](double x) { return 1 / x; }},
      {"tl.tanh(x)", std::tanh}};
  p.in("x", DType::f32, shape, uniform(0.2, 1.4));
  int count = 0;
  for (const Fast &row : rows) {
    std::string name = "y" + std::to_string(count++);
    p.body(name + " = " + row.call);
    p.out(
        name, DType::f32, shape, [&](uint64_t i) { return row.reference(p.at("x", i)); },
        tilecrt::Tolerance{1e-5, 1e-6});
  }
}

void writePredicates(BlockProgram &p, DType type) {
  p.in("x", type, {64}, edges()).in("n", DType::i32, {64}, uniform(-200, 200));
  p.body(
      std::string("a = tl.extra.libdevice.isnan(x)\nb = tl.extra.libdevice.isinf(x)\nc = "
                  "tl.extra.libdevice.") +
      (type == DType::f32 ? "finitef" : "isfinited") +
      "(x)\nd = tl.extra.libdevice.signbit(x)\n"
      "e = tl.extra.libdevice.ilogb(x)\nf = tl.extra.libdevice.llrint(tl.clamp(x, -99.0, 99.0))\n"
      "g = tl.extra.libdevice.llround(tl.where(x == x, tl.clamp(x, -99.0, 99.0), 0.0))\n"
      "h = tl.extra.libdevice.ldexp(x, n)\nk = tl.extra.libdevice.scalbn(x, n)\n"
      "l = tl.extra.libdevice.nextafter(x, tl.where(n > 0, 100.0, -100.0).to(x.dtype))\n"
      "f = tl.where(x == x, f, 0)");
  auto x = [&](uint64_t i) { return p.at("x", i); };
  p.outInt("a", DType::boolean, shape, [&](uint64_t i) -> Int { return std::isnan(x(i)); });
  p.outInt("b", DType::boolean, shape, [&](uint64_t i) -> Int { return std::isinf(x(i)); });
  p.outInt("c", DType::boolean, shape, [&](uint64_t i) -> Int { return std::isfinite(x(i)); });
  p.outInt("d", DType::i32, shape,
           [&](uint64_t i) -> Int { return std::isnan(x(i)) ? 0 : std::signbit(x(i)); });
  p.outInt("e", DType::i32, shape, [&](uint64_t i) -> Int {
    return x(i) == 0 || std::isnan(x(i)) ? INT32_MIN
           : std::isinf(x(i))            ? INT32_MAX
                                         : std::ilogb(x(i));
  });
  auto limited = [&](uint64_t i) {
    return std::isnan(x(i)) ? 0 : std::fmin(std::fmax(x(i), -99), 99);
  };
  p.outInt("f", DType::i64, shape, [&](uint64_t i) -> Int { return std::llrint(limited(i)); });
  p.outInt("g", DType::i64, shape, [&](uint64_t i) -> Int { return std::llround(limited(i)); });
  for (const char *name : {"h", "k"})
    p.out(
        name, type, shape,
        [&](uint64_t i) {
          double result = std::ldexp(x(i), static_cast<int>(p.intAt("n", i)));
          return type == DType::f32 ? static_cast<double>(static_cast<float>(result)) : result;
        },
        tilecrt::Tolerance{0, 0});
  p.out(
      "l", type, shape,
      [&](uint64_t i) {
        double target = p.intAt("n", i) > 0 ? 100 : -100;
        return type == DType::f64 ? std::nextafter(x(i), target)
                                  : static_cast<double>(std::nextafter(static_cast<float>(x(i)),
                                                                       static_cast<float>(target)));
      },
      tilecrt::Tolerance{0, 0});
}

void writeIntegers(BlockProgram &p, DType type) {
  p.in("x", type, shape, bits()).in("y", type, shape, bits()).in("z", type, shape, bits());
  auto at = [&](const char *name, uint64_t i) { return p.intAt(name, i); };
  unsigned width = bitWidth(type);
  p.body("a = tl.extra.libdevice.brev(x)\nb = tl.extra.libdevice.popc(x)\nc = "
         "tl.extra.libdevice.clz(x)\n"
         "d = tl.extra.libdevice.ffs(x)\ne = tl.extra.libdevice.mulhi(x, y)\nf = "
         "tl.extra.libdevice.hadd(x, y)\n"
         "g = tl.extra.libdevice.rhadd(x, y)\nh = tl.extra.libdevice.sad(x, y, z)");
  auto unsignedAt = [&](uint64_t i) { return at("x", i) & ((Int(1) << width) - 1); };
  p.outInt("a", type, shape, [&](uint64_t i) {
    Int result = 0;
    for (unsigned k = 0; k < width; ++k)
      result |= ((unsignedAt(i) >> k) & 1) << (width - 1 - k);
    return result;
  });
  auto ones = [&](Int v) {
    Int n = 0;
    for (; v; v &= v - 1)
      ++n;
    return n;
  };
  p.outInt("b", DType::i32, shape, [&](uint64_t i) { return ones(unsignedAt(i)); });
  p.outInt("c", DType::i32, shape, [&](uint64_t i) {
    Int n = width;
    for (Int v = unsignedAt(i); v; v >>= 1)
      --n;
    return n;
  });
  p.outInt("d", DType::i32, shape, [&](uint64_t i) {
    Int n = 0;
    for (Int v = unsignedAt(i); v; v = (v & 1) ? 0 : v >> 1)
      ++n;
    return n;
  });
  p.outInt("e", type, shape, [&](uint64_t i) {
    // In halves: the product of two 64-bit numbers fits in 128 bits.
    if (isUnsigned(type))
      return static_cast<Int>((static_cast<unsigned __int128>(at("x", i)) *
                               static_cast<unsigned __int128>(at("y", i))) >>
                              width);
    return (at("x", i) * at("y", i)) >> width;
  });
  p.outInt("f", type, shape, [&](uint64_t i) { return (at("x", i) + at("y", i)) >> 1; });
  p.outInt("g", type, shape, [&](uint64_t i) { return (at("x", i) + at("y", i) + 1) >> 1; });
  p.outInt("h", type, shape, [&](uint64_t i) {
    Int d = at("x", i) - at("y", i);
    return (d < 0 ? -d : d) + at("z", i);
  });
  if (width != 32)
    return;
  p.body("k = tl.extra.libdevice.byte_perm(x, y, z)\nl = tl.extra.libdevice.mul24(x, y)");
  p.outInt("k", type, shape, [&](uint64_t i) {
    Int result = 0, both = unsignedAt(i) | (at("y", i) & 0xffffffff) << 32;
    for (unsigned k = 0; k < 4; ++k)
      result |= ((both >> (((at("z", i) >> (4 * k)) & 7) * 8)) & 255) << (8 * k);
    return result;
  });
  auto low24 = [&](const char *name, uint64_t i) {
    Int v = at(name, i) & 0xffffff;
    return !isUnsigned(type) && v & 0x800000 ? v - 0x1000000 : v;
  };
  p.outInt("l", type, shape, [&](uint64_t i) { return low24("x", i) * low24("y", i); });
}

void writeBits(BlockProgram &p) {
  p.in("x", DType::f32, shape, bits())
      .in("d", DType::f64, shape, bits())
      .in("i", DType::i32, shape, uniform(1 << 23, 1 << 30));
  p.body("a = tl.extra.libdevice.float_as_int(x)\nb = tl.extra.libdevice.float_as_uint(x)\n"
         "c = tl.extra.libdevice.int_as_float(a)\ne = tl.extra.libdevice.double_as_longlong(d)\n"
         "f = tl.extra.libdevice.longlong_as_double(e)\ng = tl.extra.libdevice.double2hiint(d)\n"
         "h = tl.extra.libdevice.double2loint(d)\nk = tl.extra.libdevice.hiloint2double(g, h)\nl = "
         "tl.extra.libdevice.uint_as_float(b)\n"
         "m = tl.extra.libdevice.rcp64h(d * 0 + 3)");
  auto word = [&](uint64_t i) -> Int { return p.array("x").as<uint32_t>()[i]; };
  auto wide = [&](uint64_t i) -> Int { return p.array("d").as<uint64_t>()[i]; };
  const tilecrt::Tolerance exact{0, 0};
  p.outInt("a", DType::i32, shape, word);
  p.outInt("b", DType::u32, shape, word);
  for (const char *name : {"c", "l"})
    p.out(name, DType::f32, shape, [&](uint64_t i) { return p.at("x", i); }, exact);
  p.outInt("e", DType::i64, shape, wide);
  for (const char *name : {"f", "k"})
    p.out(name, DType::f64, shape, [&](uint64_t i) { return p.at("d", i); }, exact);
  p.outInt("g", DType::i32, shape, [&](uint64_t i) { return wide(i) >> 32; });
  p.outInt("h", DType::i32, shape, [&](uint64_t i) { return wide(i) & 0xffffffff; });
  p.out("m", DType::f64, shape, [&](uint64_t) { return 1.0 / 3; }, tilecrt::Tolerance{1e-6, 0});
}

/// The host's arithmetic under each rounding mode is the reference.
struct RoundingScope {
  explicit RoundingScope(const std::string &mode) : before(std::fegetround()) {
    std::fesetround(mode == "rz"   ? FE_TOWARDZERO
                    : mode == "rd" ? FE_DOWNWARD
                    : mode == "ru" ? FE_UPWARD
                                   : FE_TONEAREST);
  }
  ~RoundingScope() { std::fesetround(before); }
  int before;
};

template <typename T> T applyRounded(const std::string &op, T x, T y, T z) {
  // Kept from being computed before the rounding mode is set.
  volatile T a = x, b = y, c = z, result;
  if (op == "add")
    result = a + b;
  else if (op == "sub")
    result = a - b;
  else if (op == "mul")
    result = a * b;
  else if (op == "div")
    result = a / b;
  else if (op == "rcp")
    result = T(1) / a;
  else if (op == "sqrt")
    result = std::sqrt(a);
  else
    result = std::fma(a, b, c);
  return result;
}

void writeRounded(BlockProgram &p, DType type, const std::string &mode) {
  p.in("x", type, shape, uniform(0.1, 9))
      .in("y", type, shape, uniform(-9, -0.1))
      .in("z", type, shape);
  for (const std::string op : {"add", "sub", "mul", "div", "rcp", "sqrt", "fma"}) {
    std::string arguments = op == "rcp" || op == "sqrt" ? "(x)"
                            : op == "fma"               ? "(x, y, z)"
                                                        : "(x, y)";
    p.body("r" + op + " = tl.extra.libdevice." + op + "_" + mode + arguments);
    p.out("r" + op, type, shape, BlockProgram::Expectation([&](HostArray &array) {
            for (uint64_t i = 0; i < array.size(); ++i) {
              double x = p.at("x", i), y = p.at("y", i), z = p.at("z", i), result;
              {
                RoundingScope scope(mode);
                result = type == DType::f64
                             ? applyRounded<double>(op, x, y, z)
                             : applyRounded<float>(op, static_cast<float>(x), static_cast<float>(y),
                                                   static_cast<float>(z));
              }
              array.set(i, result);
            }
          }),
          tilecrt::Tolerance{0, 0});
  }
}

/// Of orders that are values of a block.
void writeBesselOrders(BlockProgram &p, DType type) {
  p.in("n", DType::i32, shape, uniform(0, 30)).in("x", type, shape, uniform(0.5, 40));
  p.in("z", type, shape, edges());
  p.body("j = tl.extra.libdevice.jn(n, x)\ny = tl.extra.libdevice.yn(n % 8, x)\n"
         "m = tl.extra.libdevice.jn(n, -x)\nb = tl.extra.libdevice.jn(-1 - n, x)\n"
         "e = tl.extra.libdevice.y1(z)\n"
         "e = tl.where((tl.abs(z) < 0.01) | (tl.abs(z) > 1000.0), 0.0, e).to(x.dtype)");
  tilecrt::Tolerance tolerance =
      type == DType::f32 ? tilecrt::Tolerance{4e-6, 1e-6} : tilecrt::Tolerance{1e-11, 1e-13};
  auto order = [&](uint64_t i) { return static_cast<int>(p.intAt("n", i)); };
  p.out("j", type, shape, [&](uint64_t i) { return ::jn(order(i), p.at("x", i)); }, tolerance);
  p.out("y", type, shape, [&](uint64_t i) { return ::yn(order(i) % 8, p.at("x", i)); }, tolerance);
  p.out("m", type, shape, [&](uint64_t i) { return ::jn(order(i), -p.at("x", i)); }, tolerance);
  p.out("b", type, shape, [](uint64_t) { return std::nan(""); }, tolerance);
  p.out(
      "e", type, shape,
      [&](uint64_t i) {
        double z = p.at("z", i);
        return std::fabs(z) < 0.01 || std::fabs(z) > 1000 ? 0 : z < 0 ? std::nan("") : ::y1(z);
      },
      tolerance);
}

double rounded(const std::string &mode, double x) {
  return mode == "rn"   ? std::nearbyint(x)
         : mode == "rz" ? std::trunc(x)
         : mode == "rd" ? std::floor(x)
                        : std::ceil(x);
}

void writeConversions(BlockProgram &p, const std::string &mode) {
  const tilecrt::Tolerance exact{0, 0};
  struct Target {
    const char *name;
    DType type;
  };
  constexpr Target targets[] = {
      {"int", DType::i32}, {"uint", DType::u32}, {"ll", DType::i64}, {"ull", DType::u64}};
  for (const Target &from : {Target{"float", DType::f32}, Target{"double", DType::f64}})
    for (const Target &to : targets) {
      std::string x = std::string("x") + from.name + to.name, y = "y" + x;
      p.in(x, from.type, shape, isUnsigned(to.type) ? uniform(0, 99) : uniform(-99, 99));
      p.body(y + " = tl.extra.libdevice." + from.name + "2" + to.name + "_" + mode + "(" + x + ")");
      p.outInt(y, to.type, shape,
               [&](uint64_t i) { return static_cast<Int>(rounded(mode, p.at(x, i))); });
    }
  for (const Target &from : targets) {
    std::string x = std::string("z") + from.name, y = "y" + x;
    // Half of the range: the largest numbers have no neighbour.
    p.in(x, from.type, shape, [&](HostArray &array, tilecrt::RandomStream stream) {
      bits()(array, stream);
      for (uint64_t i = 0; i < array.size(); ++i)
        setInt(array, i, intAt(array, i) / 2);
    });
    p.body(y + " = tl.extra.libdevice." + from.name + "2float_" + mode + "(" + x + ")");
    p.out(y, DType::f32, shape, BlockProgram::Expectation([&](HostArray &array) {
            for (uint64_t i = 0; i < array.size(); ++i) {
              volatile int64_t number = static_cast<int64_t>(p.intAt(x, i));
              volatile float result;
              {
                RoundingScope scope(mode);
                result = static_cast<float>(number);
              }
              array.set(i, static_cast<double>(result));
            }
          }),
          exact);
  }
  p.in("d", DType::f64, shape);
  p.body("yd = tl.extra.libdevice.double2float_" + mode + "(d)");
  p.out("yd", DType::f32, shape, BlockProgram::Expectation([&](HostArray &array) {
          for (uint64_t i = 0; i < array.size(); ++i) {
            // Kept from being converted before or behind the rounding mode.
            volatile double number = p.at("d", i);
            volatile float result;
            {
              RoundingScope scope(mode);
              result = static_cast<float>(number);
            }
            array.set(i, static_cast<double>(result));
          }
        }),
        exact);
}

} // namespace

void addLibdeviceCases(std::vector<Case> &cases) {
  for (DType type : {DType::f32, DType::f64}) {
    const std::vector<Function> &all = functions();
    for (size_t start = 0; start < all.size(); start += 6) {
      std::vector<Function> rows(all.begin() + start,
                                 all.begin() + std::min(start + 6, all.size()));
      addCase(
          cases, "libdevice", type, rows.front().name + std::string("..."),
          [=](BlockProgram &p) { writeFunctions(p, type, rows); },
          type == DType::f32 ? Scale::Quick : Scale::Full);
    }
    addCase(cases, "libdevice", type, "predicates",
            [=](BlockProgram &p) { writePredicates(p, type); });
    addCase(cases, "libdevice", type, "jn, yn",
            [=](BlockProgram &p) { writeBesselOrders(p, type); });
    for (const char *mode : {"rn", "rz", "rd", "ru"})
      addCase(cases, "libdevice", type, std::string("rounded ") + mode,
              [=](BlockProgram &p) { writeRounded(p, type, mode); });
  }
  for (const char *mode : {"rn", "rz", "rd", "ru"})
    addCase(cases, "libdevice", DType::f64, std::string("converted ") + mode,
            [=](BlockProgram &p) { writeConversions(p, mode); });
  addCase(cases, "libdevice", DType::f32, "fast", writeFast);
  addCase(cases, "libdevice", DType::f32, "bits", writeBits);
  for (DType type : {DType::i32, DType::u32, DType::i64, DType::u64})
    addCase(cases, "libdevice", type, "integers", [=](BlockProgram &p) { writeIntegers(p, type); });
}

} // namespace tilec::harness::language

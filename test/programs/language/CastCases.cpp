// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Casts between every two types, rounding modes, bitcasts, and every code of every 8-bit float.

#include "BlockProgram.h"
#include "LanguageCases.h"

#include <cmath>

namespace tilec::harness::language {
namespace {

constexpr DType allTypes[] = {DType::boolean, DType::i8,  DType::i16, DType::i32,    DType::i64,
                              DType::u8,      DType::u16, DType::u32, DType::u64,    DType::f16,
                              DType::bf16,    DType::f32, DType::f64, DType::f8e4m3, DType::f8e5m2};
constexpr tilecrt::Tolerance exact = {0, 0};

double roundTo(DType type, double value) {
  unsigned char bytes[8];
  tilecrt::doubleToElement(type, value, bytes);
  return tilecrt::elementToDouble(type, bytes);
}

/// The nearest value of a type that is not larger in magnitude.
double truncateTo(DType type, double value) {
  unsigned char bytes[8] = {};
  tilecrt::doubleToElement(type, value, bytes);
  if (std::abs(tilecrt::elementToDouble(type, bytes)) > std::abs(value)) {
    uint32_t word = 0;
    std::memcpy(&word, bytes, tilecrt::dtypeSize(type));
    --word; // Magnitudes are ordered as their bits are.
    std::memcpy(bytes, &word, sizeof(word));
  }
  return tilecrt::elementToDouble(type, bytes);
}

/// Contents that make sense in both types.
Fill fillFor(DType from, DType to) {
  if (!tilecrt::isFloat(from))
    return bits();
  if (tilecrt::isFloat(to))
    return edges();
  return isUnsigned(to) ? uniform(0, 100) : normal(20);
}

void writeCast(BlockProgram &p, DType from, DType to) {
  const Shape shape = {128};
  p.in("x", from, shape, fillFor(from, to));
  p.body("y = x.to(" + languageName(to) + ")");
  const HostArray &x = p.array("x");
  if (to == DType::boolean) {
    p.outInt("y", to, shape, [&](uint64_t i) -> Int {
      return tilecrt::isFloat(from) ? x.at(i) != 0 : intAt(x, i) != 0;
    });
    return;
  }
  if (!tilecrt::isFloat(to)) {
    p.outInt("y", to, shape, [&](uint64_t i) -> Int {
      return tilecrt::isFloat(from) ? static_cast<Int>(std::trunc(x.at(i))) : intAt(x, i);
    });
    return;
  }
  // A wide integer may be rounded twice on its way to a narrow float.
  bool twice = bitWidth(from) >= 32 && !tilecrt::isFloat(from) && bitWidth(to) < 64;
  std::optional<tilecrt::Tolerance> tolerance;
  if (!twice)
    tolerance = exact;
  p.out(
      "y", to, shape,
      [&](uint64_t i) {
        double value = tilecrt::isFloat(from) ? x.at(i) : static_cast<double>(intAt(x, i));
        return roundTo(to, value);
      },
      tolerance);
}

void writeBitcast(BlockProgram &p, DType from, DType to) {
  const Shape shape = {128};
  unsigned width = bitWidth(to);
  std::string word = "tl.uint" + std::to_string(width);
  DType type = width == 8    ? DType::u8
               : width == 16 ? DType::u16
               : width == 32 ? DType::u32
                             : DType::u64;
  p.in("x", from, shape, bits());
  // What comes out is looked at as bits, since a NaN is not equal to itself.
  p.body("y = x.to(" + languageName(to) + ", bitcast=True)");
  p.body("tl.static_assert(y.dtype == " + languageName(to) + ")");
  p.body("z = y.to(" + word + ", bitcast=True)\nw = tl.cast(x, " + languageName(to) +
         ", bitcast=True)\nv = w.to(" + word + ", bitcast=True)");
  for (const char *name : {"z", "v"})
    p.outInt(name, type, shape, [&](uint64_t i) { return p.intAt("x", i); });
}

void writeRounding(BlockProgram &p, DType from, DType to) {
  const Shape shape = {256};
  p.in("x", from, shape, uniform(-1, 1));
  std::string type = languageName(to);
  p.body("n = x.to(" + type + ", fp_downcast_rounding=\"rtne\")\n" + "z = x.to(" + type +
         ", fp_downcast_rounding=\"rtz\")");
  p.out("n", to, shape, [&](uint64_t i) { return roundTo(to, p.at("x", i)); }, exact);
  p.out("z", to, shape, [&](uint64_t i) { return truncateTo(to, p.at("x", i)); }, exact);
}

/// An 8-bit float of the language: `fnuz` ones have one NaN, at minus zero, and no infinities.
struct Float8 {
  const char *name;
  int exponentBits, bias;
  enum { Ieee, OneNaN, Fnuz, Finite } kind;
};
constexpr Float8 float8s[] = {{"float8e4nv", 4, 7, Float8::OneNaN},
                              {"float8e5", 5, 15, Float8::Ieee},
                              {"float8e4b8", 4, 8, Float8::Fnuz},
                              {"float8e5b16", 5, 16, Float8::Fnuz},
                              {"float8e4b15", 4, 15, Float8::Finite}};

double decode(const Float8 &format, unsigned code) {
  int fractionBits = 7 - format.exponentBits;
  int exponent = static_cast<int>((code & 0x7f) >> fractionBits);
  unsigned fraction = code & ((1u << fractionBits) - 1);
  double sign = code & 0x80 ? -1 : 1;
  bool top = exponent == (1 << format.exponentBits) - 1;
  if (format.kind == Float8::Fnuz && code == 0x80)
    return std::nan("");
  if (format.kind == Float8::OneNaN && (code & 0x7f) == 0x7f)
    return std::nan("");
  if (format.kind == Float8::Ieee && top)
    return fraction ? std::nan("") : sign * HUGE_VAL;
  double scale = std::ldexp(1.0, -fractionBits);
  if (exponent == 0)
    return sign * std::ldexp(fraction * scale, 1 - format.bias);
  return sign * std::ldexp(1 + fraction * scale, exponent - format.bias);
}

/// The code of the nearest value, ties to the even one (away from zero for e4b15); beyond the
/// largest finite value it is that.
unsigned encode(const Float8 &format, double value) {
  unsigned best = 0, sign = std::signbit(value) ? 0x80 : 0;
  double least = HUGE_VAL, magnitude = std::abs(value);
  for (unsigned code = 0; code < 128; ++code) {
    double candidate = decode(format, code);
    if (!std::isfinite(candidate))
      continue;
    double distance = std::abs(candidate - magnitude);
    bool takesTie = format.kind == Float8::Finite || code % 2 == 0;
    if (distance < least || (distance == least && takesTie)) {
      best = code;
      least = distance;
    }
  }
  if (format.kind == Float8::Fnuz && best == 0)
    return 0;
  return best | sign;
}

void writeWiden(BlockProgram &p, const Float8 &format, DType to) {
  p.in("c", DType::u8, {256}, counting());
  p.body(std::string("x = c.to(tl.") + format.name + ", bitcast=True)\ny = x.to(" +
         languageName(to) + ")");
  p.out(
      "y", to, {256}, [&](uint64_t i) { return decode(format, static_cast<unsigned>(i)); }, exact);
}

void writeNarrow(BlockProgram &p, const Float8 &format, DType from) {
  p.in("x", from, {1024}, [&](HostArray &array, tilecrt::RandomStream stream) {
    normal(format.bias == 15 && format.exponentBits == 4 ? 0.7 : 5)(array, stream);
    // Values, ties between them, and what is too large.
    for (unsigned code = 0; code < 128; ++code) {
      double value = decode(format, code), next = decode(format, code + 1);
      if (std::isfinite(value))
        array.set(4 * code, code % 2 ? -value : value);
      if (code < 127 && std::isfinite(next))
        array.set(4 * code + 1, (value + next) / 2);
    }
    array.set(2, 60000);
    array.set(3, -60000);
  });
  p.body(std::string("y = x.to(tl.") + format.name + ").to(tl.uint8, bitcast=True)");
  p.outInt("y", DType::u8, {1024}, [&](uint64_t i) -> Int {
    // The legacy format is made from fp16.
    double value = p.at("x", i);
    return encode(format, format.kind == Float8::Finite ? roundTo(DType::f16, value) : value);
  });
}

} // namespace

void addCastCases(std::vector<Case> &cases) {
  for (DType from : allTypes)
    for (DType to : allTypes) {
      if (from != to)
        addCase(
            cases, "cast", from, tilecrt::dtypeName(to),
            [=](BlockProgram &p) { writeCast(p, from, to); },
            from == DType::f32 ? Scale::Quick : Scale::Full);
      if (from != to && from != DType::boolean && bitWidth(from) == bitWidth(to))
        addCase(cases, "bitcast", from, tilecrt::dtypeName(to),
                [=](BlockProgram &p) { writeBitcast(p, from, to); });
    }
  for (DType to : {DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2})
    addCase(cases, "rounding", DType::f32, tilecrt::dtypeName(to),
            [=](BlockProgram &p) { writeRounding(p, DType::f32, to); });
  for (DType to : {DType::f16, DType::bf16, DType::f32})
    addCase(cases, "rounding", DType::f64, tilecrt::dtypeName(to),
            [=](BlockProgram &p) { writeRounding(p, DType::f64, to); });
  for (const Float8 &format : float8s) {
    for (DType wide : {DType::f32, DType::f16, DType::bf16, DType::f64})
      addCase(cases, "widen", wide, format.name,
              [=](BlockProgram &p) { writeWiden(p, format, wide); });
    for (DType wide : {DType::f32, DType::f16})
      addCase(cases, "narrow", wide, format.name,
              [=](BlockProgram &p) { writeNarrow(p, format, wide); });
  }
}

} // namespace tilec::harness::language

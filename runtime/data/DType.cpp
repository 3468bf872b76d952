// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types. The narrow floats are encoded from the bits of a double in integer arithmetic:
// shift the 53-bit significand to the target's quantum, round to nearest even on the bits shifted
// out, and add it to the exponent field, where a carry out of the significand is already right.

#include "tilecrt/data/DType.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace tilecrt {

namespace {

struct TypeFacts {
  DType type;
  uint32_t size;
  const char *name;
  const char *triton;
  const char *longName;
};

constexpr TypeFacts typeFacts[] = {
    {DType::boolean, 1, "bool", "i1", "boolean"},
    {DType::i8, 1, "i8", "i8", "int8"},
    {DType::i16, 2, "i16", "i16", "int16"},
    {DType::i32, 4, "i32", "i32", "int32"},
    {DType::i64, 8, "i64", "i64", "int64"},
    {DType::u8, 1, "u8", "u8", "uint8"},
    {DType::u16, 2, "u16", "u16", "uint16"},
    {DType::u32, 4, "u32", "u32", "uint32"},
    {DType::u64, 8, "u64", "u64", "uint64"},
    {DType::f16, 2, "f16", "fp16", "float16"},
    {DType::bf16, 2, "bf16", "bf16", "bfloat16"},
    {DType::f32, 4, "f32", "fp32", "float32"},
    {DType::f64, 8, "f64", "fp64", "float64"},
    {DType::f8e4m3, 1, "f8e4m3", "fp8e4nv", "float8_e4m3fn"},
    {DType::f8e5m2, 1, "f8e5m2", "fp8e5", "float8_e5m2"},
};

const TypeFacts &factsOf(DType type) { return typeFacts[static_cast<size_t>(type)]; }

/// A binary float of at most 16 bits, sign first.
struct NarrowFormat {
  int bits;
  int significand;
  int bias;
  /// Magnitude bit patterns.
  uint32_t largestFinite;
  uint32_t infinity;
  uint32_t nan;
  /// Overflow and infinity become the largest finite value.
  bool saturates;
};

constexpr NarrowFormat formatF16{16, 10, 15, 0x7bff, 0x7c00, 0x7e00, false};
constexpr NarrowFormat formatBf16{16, 7, 127, 0x7f7f, 0x7f80, 0x7fc0, false};
// No infinity: every magnitude up to 0x7e is a number.
constexpr NarrowFormat formatF8e4m3{8, 3, 7, 0x7e, 0x7e, 0x7f, true};
constexpr NarrowFormat formatF8e5m2{8, 2, 15, 0x7b, 0x7c, 0x7f, true};

uint32_t encode(double value, const NarrowFormat &format) {
  uint64_t pattern;
  std::memcpy(&pattern, &value, sizeof(pattern));
  uint32_t sign = uint32_t(pattern >> 63) << (format.bits - 1);
  uint64_t magnitude = pattern & ~(uint64_t(1) << 63);
  uint32_t overflow = format.saturates ? format.largestFinite : format.infinity;
  constexpr uint64_t doubleInfinity = uint64_t(0x7ff) << 52;
  if (magnitude > doubleInfinity)
    return sign | format.nan;
  if (magnitude == doubleInfinity)
    return sign | overflow;
  int exponent = int(magnitude >> 52) - 1023;
  // Zero, or a double below every format's smallest value.
  if (exponent == -1023)
    return sign;

  // The quantum of the result is 2^(quantumExponent - significand); below the smallest normal
  // number it stays that of the smallest normal.
  int smallest = 1 - format.bias;
  int quantumExponent = exponent < smallest ? smallest : exponent;
  int shift = 52 - format.significand + (quantumExponent - exponent);
  if (shift > 53)
    return sign;
  uint64_t significand = (magnitude & ((uint64_t(1) << 52) - 1)) | (uint64_t(1) << 52);
  uint64_t rounded = significand >> shift;
  uint64_t rest = significand & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  if (rest > half || (rest == half && (rounded & 1)))
    ++rounded;
  uint64_t result = (uint64_t(quantumExponent - smallest) << format.significand) + rounded;
  return sign | (result > format.largestFinite ? overflow : uint32_t(result));
}

double decode(uint32_t pattern, const NarrowFormat &format) {
  uint32_t signBit = 1u << (format.bits - 1);
  uint32_t magnitude = pattern & (signBit - 1);
  double value;
  if (magnitude > format.infinity)
    value = std::numeric_limits<double>::quiet_NaN();
  else if (magnitude > format.largestFinite)
    value = std::numeric_limits<double>::infinity();
  else {
    int exponent = int(magnitude >> format.significand);
    uint32_t fraction = magnitude & ((1u << format.significand) - 1);
    if (exponent == 0)
      value = std::ldexp(double(fraction), 1 - format.bias - format.significand);
    else {
      uint64_t wide = (uint64_t(exponent - format.bias + 1023) << 52) |
                      (uint64_t(fraction) << (52 - format.significand));
      std::memcpy(&value, &wide, sizeof(value));
    }
  }
  return pattern & signBit ? -value : value;
}

template <typename T> T loadAs(const void *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

template <typename T> void storeAs(void *bytes, T value) {
  std::memcpy(bytes, &value, sizeof(value));
}

/// Rounds half to even without depending on the floating-point environment.
double roundToEven(double value) {
  double floor = std::floor(value);
  double rest = value - floor;
  if (rest < 0.5 || (rest == 0.5 && std::fmod(floor, 2.0) == 0.0))
    return floor;
  return floor + 1.0;
}

template <typename T> T toInteger(double value) {
  if (std::isnan(value))
    return 0;
  value = roundToEven(value);
  // The bounds as doubles: the upper one is a power of two, one above the largest value.
  double upper = std::ldexp(1.0, std::numeric_limits<T>::digits);
  double lower = std::numeric_limits<T>::is_signed ? -upper : 0.0;
  if (value >= upper)
    return std::numeric_limits<T>::max();
  if (value <= lower)
    return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

} // namespace

uint32_t dtypeSize(DType type) { return factsOf(type).size; }
const char *dtypeName(DType type) { return factsOf(type).name; }
const char *tritonName(DType type) { return factsOf(type).triton; }

bool isFloat(DType type) { return significandBits(type) != 0; }
bool isInteger(DType type) { return type >= DType::i8 && type <= DType::u64; }
bool isSignedInteger(DType type) { return type >= DType::i8 && type <= DType::i64; }

uint32_t integerValueBits(DType type) {
  if (type == DType::boolean)
    return 1;
  uint32_t bits = dtypeSize(type) * 8;
  return isSignedInteger(type) ? bits - 1 : bits;
}

uint32_t significandBits(DType type) {
  switch (type) {
  case DType::f16:
    return 11;
  case DType::bf16:
    return 8;
  case DType::f32:
    return 24;
  case DType::f64:
    return 53;
  case DType::f8e4m3:
    return 4;
  case DType::f8e5m2:
    return 3;
  default:
    return 0;
  }
}

std::optional<DType> parseDType(std::string_view name) {
  for (const TypeFacts &facts : typeFacts)
    if (name == facts.name || name == facts.triton || name == facts.longName)
      return facts.type;
  return std::nullopt;
}

std::string dtypeNameList() {
  std::string list;
  for (const TypeFacts &facts : typeFacts)
    list += (list.empty() ? "" : ", ") + std::string(facts.name);
  return list;
}

uint16_t doubleToF16(double value) { return uint16_t(encode(value, formatF16)); }
uint16_t doubleToBf16(double value) { return uint16_t(encode(value, formatBf16)); }
uint8_t doubleToF8e4m3(double value) { return uint8_t(encode(value, formatF8e4m3)); }
uint8_t doubleToF8e5m2(double value) { return uint8_t(encode(value, formatF8e5m2)); }
double f16ToDouble(uint16_t bits) { return decode(bits, formatF16); }
double bf16ToDouble(uint16_t bits) { return decode(bits, formatBf16); }
double f8e4m3ToDouble(uint8_t bits) { return decode(bits, formatF8e4m3); }
double f8e5m2ToDouble(uint8_t bits) { return decode(bits, formatF8e5m2); }

double elementToDouble(DType type, const void *bytes) {
  switch (type) {
  case DType::boolean:
    return loadAs<uint8_t>(bytes) != 0;
  case DType::i8:
    return loadAs<int8_t>(bytes);
  case DType::i16:
    return loadAs<int16_t>(bytes);
  case DType::i32:
    return loadAs<int32_t>(bytes);
  case DType::i64:
    return double(loadAs<int64_t>(bytes));
  case DType::u8:
    return loadAs<uint8_t>(bytes);
  case DType::u16:
    return loadAs<uint16_t>(bytes);
  case DType::u32:
    return loadAs<uint32_t>(bytes);
  case DType::u64:
    return double(loadAs<uint64_t>(bytes));
  case DType::f16:
    return f16ToDouble(loadAs<uint16_t>(bytes));
  case DType::bf16:
    return bf16ToDouble(loadAs<uint16_t>(bytes));
  case DType::f32:
    return double(loadAs<float>(bytes));
  case DType::f64:
    return loadAs<double>(bytes);
  case DType::f8e4m3:
    return f8e4m3ToDouble(loadAs<uint8_t>(bytes));
  case DType::f8e5m2:
    return f8e5m2ToDouble(loadAs<uint8_t>(bytes));
  }
  return 0;
}

void doubleToElement(DType type, double value, void *bytes) {
  switch (type) {
  case DType::boolean:
    return storeAs<uint8_t>(bytes, value != 0);
  case DType::i8:
    return storeAs(bytes, toInteger<int8_t>(value));
  case DType::i16:
    return storeAs(bytes, toInteger<int16_t>(value));
  case DType::i32:
    return storeAs(bytes, toInteger<int32_t>(value));
  case DType::i64:
    return storeAs(bytes, toInteger<int64_t>(value));
  case DType::u8:
    return storeAs(bytes, toInteger<uint8_t>(value));
  case DType::u16:
    return storeAs(bytes, toInteger<uint16_t>(value));
  case DType::u32:
    return storeAs(bytes, toInteger<uint32_t>(value));
  case DType::u64:
    return storeAs(bytes, toInteger<uint64_t>(value));
  case DType::f16:
    return storeAs(bytes, doubleToF16(value));
  case DType::bf16:
    return storeAs(bytes, doubleToBf16(value));
  case DType::f32: {
    // Beyond this the cast is undefined in the language, though every machine gives infinity.
    constexpr double overflow = 0x1.ffffffp127;
    float narrow =
        std::fabs(value) >= overflow
            ? std::copysign(std::numeric_limits<float>::infinity(), float(value > 0 ? 1 : -1))
            : static_cast<float>(value);
    return storeAs(bytes, narrow);
  }
  case DType::f64:
    return storeAs(bytes, value);
  case DType::f8e4m3:
    return storeAs(bytes, doubleToF8e4m3(value));
  case DType::f8e5m2:
    return storeAs(bytes, doubleToF8e5m2(value));
  }
}

} // namespace tilecrt

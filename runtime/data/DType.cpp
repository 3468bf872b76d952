// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DType.h.

#include "tilecrt/data/DType.h"
#include "tilecrt/data/FloatFormat.h"

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

template <const FloatFormat &Format> uint64_t encode(double value) {
  return convertFloat<formatF64, Format>(sameBits<uint64_t>(value));
}

template <const FloatFormat &Format> double decode(uint64_t bits) {
  return sameBits<double>(convertFloat<Format, formatF64>(bits));
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

uint16_t doubleToF16(double value) { return uint16_t(encode<formatF16>(value)); }
uint16_t doubleToBf16(double value) { return uint16_t(encode<formatBf16>(value)); }
uint8_t doubleToF8e4m3(double value) { return uint8_t(encode<formatF8e4m3>(value)); }
uint8_t doubleToF8e5m2(double value) { return uint8_t(encode<formatF8e5m2>(value)); }
double f16ToDouble(uint16_t bits) { return decode<formatF16>(bits); }
double bf16ToDouble(uint16_t bits) { return decode<formatBf16>(bits); }
double f8e4m3ToDouble(uint8_t bits) { return decode<formatF8e4m3>(bits); }
double f8e5m2ToDouble(uint8_t bits) { return decode<formatF8e5m2>(bits); }

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

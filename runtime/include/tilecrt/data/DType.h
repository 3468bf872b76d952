// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types of host data: names, sizes, and conversion of one element to and from double.

#ifndef TILECRT_DATA_DTYPE_H
#define TILECRT_DATA_DTYPE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilecrt {

/// f8e4m3 is OCP's e4m3fn (bias 7, largest 448, no infinity); f8e5m2 has infinities.
enum class DType {
  boolean,
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  f16,
  bf16,
  f32,
  f64,
  f8e4m3,
  f8e5m2
};

constexpr DType allDTypes[] = {DType::boolean, DType::i8,     DType::i16,   DType::i32,
                               DType::i64,     DType::u8,     DType::u16,   DType::u32,
                               DType::u64,     DType::f16,    DType::bf16,  DType::f32,
                               DType::f64,     DType::f8e4m3, DType::f8e5m2};

/// Bytes of one element; a boolean takes one.
uint32_t dtypeSize(DType type);
bool isFloat(DType type);
/// True for the integer types, false for booleans.
bool isInteger(DType type);
bool isSignedInteger(DType type);
/// Bits of an integer type's value range as powers of two: the largest value is exactly
/// 2^integerBits - 1, the smallest -2^integerBits or 0.
uint32_t integerValueBits(DType type);
/// Bits of significand, the hidden one included: 24 for f32. 0 for types that are not floats.
uint32_t significandBits(DType type);

/// Our name ("f32", "bf16", "i8", "bool") and Triton's ("fp32", "bf16", "i8", "i1", "fp8e4nv").
const char *dtypeName(DType type);
const char *tritonName(DType type);
/// Either name, or a long one ("float32", "int64", "bfloat16", "float8_e4m3fn"); none if unknown.
std::optional<DType> parseDType(std::string_view name);
/// Every name that parseDType accepts first, for messages: "bool, i8, ..., f8e5m2".
std::string dtypeNameList();

/// The value of the element stored at `bytes`; exact except for 64-bit integers beyond 2^53.
double elementToDouble(DType type, const void *bytes);
/// Stores `value` at `bytes`. Floats round to nearest, ties to even; the 8-bit ones saturate at
/// their largest finite value (infinities too), the others overflow to infinity; NaN stays NaN.
/// Integers round to nearest even and saturate, NaN becomes 0. A boolean is value != 0.
void doubleToElement(DType type, double value, void *bytes);

/// The encodings below f32, as bit patterns.
uint16_t doubleToF16(double value);
uint16_t doubleToBf16(double value);
uint8_t doubleToF8e4m3(double value);
uint8_t doubleToF8e5m2(double value);
double f16ToDouble(uint16_t bits);
double bf16ToDouble(uint16_t bits);
double f8e4m3ToDouble(uint8_t bits);
double f8e5m2ToDouble(uint8_t bits);

} // namespace tilecrt

#endif // TILECRT_DATA_DTYPE_H

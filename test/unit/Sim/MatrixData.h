// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random matrices for tests of tensor-core operations: the packed elements and their values as
// doubles, encoded and decoded here, apart from the simulator's own code.
#ifndef TILEC_TEST_UNIT_SIM_MATRIXDATA_H
#define TILEC_TEST_UNIT_SIM_MATRIXDATA_H

#include "SimKernel.h"
#include "tilecrt/sim/SimMatrixAbi.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace tilecrt::sim::test {

/// The seed of this process, printed once; TILEC_TEST_SEED repeats a run.
inline uint32_t testSeed() {
  static const uint32_t seed = [] {
    const char *given = std::getenv("TILEC_TEST_SEED");
    uint32_t value =
        given ? static_cast<uint32_t>(std::strtoul(given, nullptr, 10)) : std::random_device{}();
    std::printf("TILEC_TEST_SEED=%u\n", value);
    return value;
  }();
  return seed;
}

inline unsigned bitsOf(int32_t type) {
  switch (type) {
  case abi::MatrixF64:
    return 64;
  case abi::MatrixTF32:
  case abi::MatrixF32:
  case abi::MatrixS32:
    return 32;
  case abi::MatrixF16:
  case abi::MatrixBF16:
    return 16;
  default:
    return 8;
  }
}

/// An element with `mantissa` bits of mantissa and an `exponent`-bit exponent, of a small normal
/// number: sign, exponent field near the bias, random mantissa.
struct SmallFloat {
  uint64_t bits = 0;
  double value = 0;
};

inline SmallFloat randomFloat(std::mt19937 &random, unsigned exponentBits, unsigned mantissaBits,
                              int spread) {
  int bias = (1 << (exponentBits - 1)) - 1;
  int exponent = static_cast<int>(random() % static_cast<unsigned>(2 * spread + 1)) - spread;
  uint64_t mantissa = (uint64_t(random()) << 32 | random()) & ((uint64_t(1) << mantissaBits) - 1);
  bool negative = random() & 1;
  SmallFloat result;
  result.bits = uint64_t(negative) << (exponentBits + mantissaBits) |
                static_cast<uint64_t>(exponent + bias) << mantissaBits | mantissa;
  result.value =
      std::ldexp(1.0 + std::ldexp(static_cast<double>(mantissa), -int(mantissaBits)), exponent) *
      (negative ? -1 : 1);
  return result;
}

inline SmallFloat randomElement(std::mt19937 &random, int32_t type) {
  switch (type) {
  case abi::MatrixF16:
    return randomFloat(random, 5, 10, 3);
  case abi::MatrixBF16:
    return randomFloat(random, 8, 7, 3);
  case abi::MatrixTF32: {
    SmallFloat element = randomFloat(random, 8, 10, 3);
    element.bits = element.bits << 13 | (random() & 0x1fff); // Low bits must be ignored.
    return element;
  }
  case abi::MatrixF32:
    return randomFloat(random, 8, 23, 3);
  case abi::MatrixF64:
    return randomFloat(random, 11, 52, 3);
  case abi::MatrixE4M3:
    return randomFloat(random, 4, 3, 3);
  case abi::MatrixE5M2:
    return randomFloat(random, 5, 2, 3);
  case abi::MatrixU8: {
    uint64_t value = random() & 255;
    return {value, static_cast<double>(value)};
  }
  case abi::MatrixS8: {
    auto value = static_cast<int8_t>(random());
    return {static_cast<uint8_t>(value), static_cast<double>(value)};
  }
  default: {
    auto value = static_cast<int32_t>(random() % 200001) - 100000;
    return {static_cast<uint32_t>(value), static_cast<double>(value)};
  }
  }
}

/// A random matrix.
struct Matrix {
  Matrix(std::mt19937 &random, int32_t elementType, size_t rowCount, size_t columnCount)
      : type(elementType), rows(rowCount), columns(columnCount) {
    for (size_t i = 0; i < rows * columns; ++i)
      elements.push_back(randomElement(random, type));
  }
  const SmallFloat &at(size_t row, size_t column) const { return elements[row * columns + column]; }

  int32_t type;
  size_t rows, columns;
  std::vector<SmallFloat> elements;
};

/// Packs elements into registers, the first lowest.
inline void packElement(void *registers, size_t index, int32_t type, uint64_t bits) {
  size_t bytes = bitsOf(type) / 8;
  std::memcpy(static_cast<char *>(registers) + index * bytes, &bits, bytes);
}

/// The value of an accumulator element.
inline double unpackAccumulator(const void *registers, size_t index, int32_t type) {
  const char *place = static_cast<const char *>(registers) + index * bitsOf(type) / 8;
  if (type == abi::MatrixF64) {
    double value;
    std::memcpy(&value, place, 8);
    return value;
  }
  if (type == abi::MatrixF32) {
    float value;
    std::memcpy(&value, place, 4);
    return value;
  }
  if (type == abi::MatrixS32) {
    int32_t value;
    std::memcpy(&value, place, 4);
    return value;
  }
  uint16_t half;
  std::memcpy(&half, place, 2);
  int exponent = half >> 10 & 31, mantissa = half & 0x3ff;
  double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  if (exponent == 31)
    magnitude = mantissa != 0 ? std::nan("") : INFINITY;
  return half & 0x8000 ? -magnitude : magnitude;
}

/// Half a unit in the last place of the accumulator's type at `value`, and the rounding of sums in
/// double, whose terms add up to `magnitude` in absolute value.
inline double toleranceOf(int32_t type, double value, double magnitude) {
  double relative = type == abi::MatrixF16 ? 0x1p-11 : type == abi::MatrixF32 ? 0x1p-24 : 0;
  double least = type == abi::MatrixF16 ? 0x1p-25 : 0;
  return type == abi::MatrixS32 ? 0 : std::fabs(value) * relative + least + magnitude * 0x1p-48;
}

} // namespace tilecrt::sim::test

#endif // TILEC_TEST_UNIT_SIM_MATRIXDATA_H

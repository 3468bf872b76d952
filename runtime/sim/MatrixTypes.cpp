// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decoding and rounding. The 8-bit floats are decoded through tables.
#include "runtime/sim/MatrixTypes.h"
#include "runtime/sim/Float16.h"

#include <algorithm>
#include <array>

namespace tilecrt::sim {
namespace {

using namespace abi;

using Table = std::array<double, 256>;

const Table &float8Table(int32_t type) {
  static const std::array<Table, 2> tables = [] {
    std::array<Table, 2> made;
    for (unsigned i = 0; i < 256; ++i) {
      made[0][i] = sameBits<double>(convertFloat<formatF8e4m3, formatF64>(i));
      made[1][i] = sameBits<double>(convertFloat<formatF8e5m2, formatF64>(i));
    }
    return made;
  }();
  return tables[type == MatrixE4M3 ? 0 : 1];
}

template <typename T, typename Convert>
void decodeEach(const void *packed, size_t count, double *out, const Convert &convert) {
  const char *bytes = static_cast<const char *>(packed);
  for (size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
    out[i] = convert(value);
  }
}

bool isFloat8(int32_t type) { return type == MatrixE4M3 || type == MatrixE5M2; }
bool isInt8(int32_t type) { return type == MatrixS8 || type == MatrixU8; }

} // namespace

unsigned matrixTypeBits(int32_t type) {
  switch (type) {
  case MatrixF16:
  case MatrixBF16:
    return 16;
  case MatrixTF32:
  case MatrixF32:
  case MatrixS32:
    return 32;
  case MatrixF64:
    return 64;
  case MatrixS8:
  case MatrixU8:
  case MatrixE4M3:
  case MatrixE5M2:
    return 8;
  default:
    return 0;
  }
}

const char *matrixTypeName(int32_t type) {
  static constexpr const char *names[] = {"f16", "bf16", "tf32", "f64", "s8",
                                          "u8",  "e4m3", "e5m2", "f32", "s32"};
  return type >= 0 && type < NumMatrixTypes ? names[type] : "no type";
}

bool matrixTypesFit(int32_t typeA, int32_t typeB, int32_t acc) {
  if (isFloat8(typeA))
    return isFloat8(typeB) && (acc == MatrixF32 || acc == MatrixF16);
  if (isInt8(typeA))
    return isInt8(typeB) && acc == MatrixS32;
  if (typeA != typeB)
    return false;
  switch (typeA) {
  case MatrixF16:
    return acc == MatrixF16 || acc == MatrixF32;
  case MatrixBF16:
  case MatrixTF32:
    return acc == MatrixF32;
  case MatrixF64:
    return acc == MatrixF64;
  default:
    return false;
  }
}

void decodeElements(int32_t type, const void *packed, size_t count, double *out) {
  switch (type) {
  case MatrixF16:
    return decodeEach<uint16_t>(packed, count, out, floatFromHalf);
  case MatrixBF16:
    return decodeEach<uint16_t>(packed, count, out, floatFromBFloat);
  case MatrixTF32:
    return decodeEach<uint32_t>(packed, count, out,
                                [](uint32_t bits) { return floatFromBits(bits & ~0x1fffu); });
  case MatrixF32:
    return decodeEach<float>(packed, count, out, [](float value) { return value; });
  case MatrixF64:
    return decodeEach<double>(packed, count, out, [](double value) { return value; });
  case MatrixS8:
    return decodeEach<int8_t>(packed, count, out, [](int8_t value) { return value; });
  case MatrixU8:
    return decodeEach<uint8_t>(packed, count, out, [](uint8_t value) { return value; });
  case MatrixS32:
    return decodeEach<int32_t>(packed, count, out, [](int32_t value) { return value; });
  case MatrixE4M3:
  case MatrixE5M2: {
    const Table &table = float8Table(type);
    return decodeEach<uint8_t>(packed, count, out, [&](uint8_t value) { return table[value]; });
  }
  default:
    return;
  }
}

double loadAccumulator(int32_t type, const void *registers, size_t index) {
  double value = 0;
  decodeElements(type, static_cast<const char *>(registers) + index * matrixTypeBits(type) / 8, 1,
                 &value);
  return value;
}

void storeAccumulator(int32_t type, void *registers, size_t index, double value, bool saturate) {
  char *place = static_cast<char *>(registers) + index * matrixTypeBits(type) / 8;
  switch (type) {
  case MatrixF16: {
    uint16_t bits = halfFromDouble(value);
    std::memcpy(place, &bits, 2);
    return;
  }
  case MatrixF32: {
    float narrow = static_cast<float>(value);
    if (std::isnan(narrow))
      narrow = floatFromBits(0x7fffffff);
    std::memcpy(place, &narrow, 4);
    return;
  }
  case MatrixF64:
    std::memcpy(place, &value, 8);
    return;
  case MatrixS32: {
    // Within 2^53, so exact.
    int64_t wide = static_cast<int64_t>(value);
    if (saturate)
      wide = std::min<int64_t>(std::max<int64_t>(wide, INT32_MIN), INT32_MAX);
    uint32_t bits = static_cast<uint32_t>(wide);
    std::memcpy(place, &bits, 4);
    return;
  }
  default:
    return;
  }
}

void multiplyAdd(const double *a, const double *b, double *out, size_t m, size_t n, size_t k) {
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      // Four sums, so that they need not wait for one another.
      const double *x = a + i * k, *y = b + j * k;
      double sums[4] = {};
      size_t l = 0;
      for (; l + 4 <= k; l += 4)
        for (size_t s = 0; s < 4; ++s)
          sums[s] += x[l + s] * y[l + s];
      for (; l < k; ++l)
        sums[0] += x[l] * y[l];
      out[i * n + j] += (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
}

} // namespace tilecrt::sim

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of 16-byte units.
#include "runtime/sim/MatrixDescriptor.h"
#include "runtime/sim/TensorBox.h"

namespace tilecrt::sim {
namespace {

constexpr uint32_t unitBytes = 16, lines = 8;
/// By the value of bits 62 and 63.
constexpr uint32_t swizzles[] = {0, 128, 64, 32};

} // namespace

MatrixDescriptor::MatrixDescriptor(uint64_t bits)
    : start(static_cast<uint32_t>(bits & 0x3fff) * unitBytes),
      leading(static_cast<uint32_t>(bits >> 16 & 0x3fff) * unitBytes),
      stride(static_cast<uint32_t>(bits >> 32 & 0x3fff) * unitBytes),
      base(static_cast<uint32_t>(bits >> 49 & 7)), swizzleBytes(swizzles[bits >> 62]) {}

uint32_t MatrixDescriptor::rowUnit(uint32_t row, uint32_t unit) const {
  uint32_t core = row / lines * stride, line = row % lines;
  if (swizzleBytes == 0)
    return start + core + line * unitBytes + unit * leading;
  return swizzleAddress(start + core + line * swizzleBytes + unit * unitBytes, swizzleBytes, base);
}

uint32_t MatrixDescriptor::columnUnit(uint32_t column, uint32_t unit) const {
  uint32_t line = column % lines, core = column / lines;
  if (swizzleBytes == 0)
    return start + unit * stride + line * unitBytes + core * leading;
  uint32_t units = swizzleBytes / unitBytes;
  return swizzleAddress(start + unit / units * leading + unit % units * unitBytes +
                            line * swizzleBytes + core * stride,
                        swizzleBytes, base);
}

uint64_t encodeMatrixDescriptor(uint32_t start, uint32_t leading, uint32_t stride,
                                uint32_t swizzleBytes, uint32_t base) {
  uint64_t mode = 0;
  while (swizzles[mode] != swizzleBytes && mode < 3)
    ++mode;
  auto field = [](uint32_t bytes) { return uint64_t((bytes & 0x3ffff) / unitBytes); };
  return field(start) | field(leading) << 16 | field(stride) << 32 | uint64_t(base & 7) << 49 |
         mode << 62;
}

} // namespace tilecrt::sim

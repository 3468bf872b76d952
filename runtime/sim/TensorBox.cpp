// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the box in the order of shared memory, dimension 0 fastest.
#include "runtime/sim/TensorBox.h"

#include <algorithm>
#include <cstring>

namespace tilecrt::sim {

TensorBox TensorBox::piece(uint64_t global, uint32_t bytes) {
  TensorBox box;
  box.rowBytes = bytes;
  box.rows.push_back({global, 0, bytes});
  return box;
}

TensorBox TensorBox::ofMap(const TensorMapFields &map, const int32_t *coords) {
  TensorBox box;
  uint32_t elementBytes = tensorMapElementBytes(map.type);
  box.type = map.type;
  box.isTensor = true;
  box.fillsNaN = map.fill == TensorMapFill::NaN;
  box.rowBytes = map.box[0] * elementBytes;
  box.swizzleBytes = map.swizzle == TensorMapSwizzle::None
                         ? 0
                         : uint32_t(16) << static_cast<uint32_t>(map.swizzle);
  // The part of a row inside the tensor.
  int64_t first = coords[0], size = static_cast<int64_t>(map.dims[0]);
  int64_t begin = std::clamp<int64_t>(-first, 0, map.box[0]);
  int64_t end = std::clamp<int64_t>(size - first, begin, map.box[0]);
  std::array<uint32_t, 5> steps = {}, at = {};
  size_t rowCount = 1;
  for (uint32_t i = 1; i < map.rank; ++i) {
    steps[i] = (map.box[i] + map.elementStrides[i] - 1) / map.elementStrides[i];
    rowCount *= steps[i];
  }
  box.rows.reserve(rowCount);
  for (size_t r = 0; r < rowCount; ++r) {
    Row row;
    row.global = map.address + static_cast<uint64_t>(first * elementBytes);
    bool inside = true;
    for (uint32_t i = 1; i < map.rank; ++i) {
      int64_t coordinate = int64_t(coords[i]) + int64_t(at[i]) * map.elementStrides[i];
      inside &= coordinate >= 0 && coordinate < static_cast<int64_t>(map.dims[i]);
      row.global += static_cast<uint64_t>(coordinate) * map.strides[i - 1];
    }
    if (inside) {
      row.begin = static_cast<uint32_t>(begin) * elementBytes;
      row.end = static_cast<uint32_t>(end) * elementBytes;
    }
    box.rows.push_back(row);
    for (uint32_t i = 1; i < map.rank && ++at[i] == steps[i]; ++i)
      at[i] = 0;
  }
  return box;
}

std::vector<char> TensorBox::gather() const {
  std::vector<char> data(bytes());
  if (fillsNaN) {
    // 0x7fff, 0x7fffffff and so on: a NaN of every float type.
    uint32_t elementBytes = tensorMapElementBytes(type);
    for (size_t at = 0; at < data.size(); ++at) {
      uint32_t top = static_cast<uint32_t>(at % elementBytes) + 1;
      data[at] = top == elementBytes ? '\x7f' : '\xff';
    }
  }
  for (size_t r = 0; r < rows.size(); ++r)
    if (rows[r].begin != rows[r].end)
      std::memcpy(data.data() + r * rowBytes + rows[r].begin,
                  reinterpret_cast<const char *>(rows[r].global) + rows[r].begin,
                  rows[r].end - rows[r].begin);
  return data;
}

uint32_t swizzleAddress(uint32_t address, uint32_t swizzleBytes, uint32_t base) {
  if (swizzleBytes == 0)
    return address;
  uint32_t mask = swizzleBytes / 16 - 1;
  return address ^ ((((address >> 7) - base) & mask) << 4);
}

uint32_t TensorBox::place(uint32_t base, uint32_t offset) const {
  return swizzleAddress(base + offset, swizzleBytes);
}

} // namespace tilecrt::sim

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two ends of a bulk copy: rows of global memory, some of them partly or wholly outside the
// tensor, and the same rows one after another in shared memory, where 16-byte units are swizzled by
// their address.
#ifndef TILEC_RUNTIME_SIM_TENSORBOX_H
#define TILEC_RUNTIME_SIM_TENSORBOX_H

#include "tilecrt/sim/TensorMap.h"

#include <vector>

namespace tilecrt::sim {

struct TensorBox {
  /// The bytes [begin, end) of a row are at `global` + begin; the rest is outside the tensor.
  struct Row {
    uint64_t global = 0;
    uint32_t begin = 0, end = 0;
  };

  std::vector<Row> rows;
  uint32_t rowBytes = 0;
  uint32_t swizzleBytes = 0; ///< 0, 32, 64 or 128.
  TensorMapType type = TensorMapType::U8;
  bool fillsNaN = false;
  bool isTensor = false;     ///< Of a tensor map.
  const void *map = nullptr; ///< Where that is.

  uint32_t bytes() const { return static_cast<uint32_t>(rows.size()) * rowBytes; }

  /// One row of contiguous bytes.
  static TensorBox piece(uint64_t global, uint32_t bytes);
  /// The box of a tensor map at some coordinates, as many as it has dimensions.
  static TensorBox ofMap(const TensorMapFields &map, const int32_t *coords);

  /// The rows' bytes, with the fill where there is no tensor.
  std::vector<char> gather() const;

  /// Where the 16 bytes at `offset` of the rows are when the box begins at `base`.
  uint32_t place(uint32_t base, uint32_t offset) const;
};

/// The shared-memory address with its 16-byte unit swizzled in a pattern of `swizzleBytes` that
/// begins `base` 128-byte lines after a multiple of 1024.
uint32_t swizzleAddress(uint32_t address, uint32_t swizzleBytes, uint32_t base = 0);

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_TENSORBOX_H

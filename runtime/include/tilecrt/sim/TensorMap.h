// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps for the simulator: 128 opaque bytes with the meaning of the driver's CUtensorMap,
// made from the same fields as cuTensorMapEncodeTiled takes, under the same rules. Kernels get
// their address.
#ifndef TILECRT_SIM_TENSORMAP_H
#define TILECRT_SIM_TENSORMAP_H

#include <array>
#include <cstdint>
#include <string>

namespace tilecrt::sim {

struct alignas(64) TensorMap {
  std::array<unsigned char, 128> bytes = {};
};

/// The enumerations have the driver's values.
enum class TensorMapType : uint32_t {
  U8 = 0,
  U16 = 1,
  U32 = 2,
  I32 = 3,
  U64 = 4,
  I64 = 5,
  F16 = 6,
  F32 = 7,
  F64 = 8,
  BF16 = 9,
  F32Ftz = 10,
  TF32 = 11,
  TF32Ftz = 12
};
enum class TensorMapInterleave : uint32_t { None = 0, Bytes16 = 1, Bytes32 = 2 };
enum class TensorMapSwizzle : uint32_t { None = 0, Bytes32 = 1, Bytes64 = 2, Bytes128 = 3 };
enum class TensorMapFill : uint32_t { Zero = 0, NaN = 1 };

/// The arguments of cuTensorMapEncodeTiled; dimension 0 is the fastest.
struct TensorMapFields {
  TensorMapType type = TensorMapType::U8;
  uint32_t rank = 0; ///< 1 to 5.
  uint64_t address = 0;
  std::array<uint64_t, 5> dims = {};
  std::array<uint64_t, 4> strides = {}; ///< Bytes, of dimensions 1 and up.
  std::array<uint32_t, 5> box = {};
  std::array<uint32_t, 5> elementStrides = {1, 1, 1, 1, 1};
  TensorMapInterleave interleave = TensorMapInterleave::None;
  TensorMapSwizzle swizzle = TensorMapSwizzle::None;
  TensorMapFill fill = TensorMapFill::Zero;
};

/// Writes the map; a text that says what is wrong, empty when nothing is. Not simulated:
/// interleaved layouts, and a swizzle wider than the rows of the box. With `allowsEmpty` sizes may be 0.
std::string encodeTensorMap(const TensorMapFields &fields, TensorMap &map,
                            bool allowsEmpty = false);

/// Reads a map; false when the bytes are none of encodeTensorMap.
bool decodeTensorMap(const void *map, TensorMapFields &fields);

/// Bytes of an element.
uint32_t tensorMapElementBytes(TensorMapType type);

} // namespace tilecrt::sim

#endif // TILECRT_SIM_TENSORMAP_H

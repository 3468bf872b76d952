// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making and reading tensor maps. The bytes hold the fields one after another behind a word that no
// driver writes there, and a checksum, so that random bytes are not taken for a map.
#include "tilecrt/sim/TensorMap.h"

#include <cstring>

namespace tilecrt::sim {
namespace {

constexpr uint32_t magic = 0x74696c65;
constexpr uint64_t maxDim = uint64_t(1) << 32, strideLimit = uint64_t(1) << 40;
constexpr uint32_t maxBox = 256, maxElementStride = 8;

struct Encoded {
  uint32_t magicWord = 0;
  uint32_t checksum = 0;
  uint64_t address = 0;
  uint64_t dims[5] = {}; ///< Minus one, in the lower 32 bits.
  uint64_t strides[4] = {};
  uint16_t box[5] = {};
  uint8_t elementStrides[5] = {};
  uint8_t rank = 0, type = 0, interleave = 0, swizzle = 0, fill = 0;
  uint8_t reserved[4] = {}; ///< No padding: the checksum covers all bytes.
};
static_assert(sizeof(Encoded) == 112, "padding would make the checksum random");

uint32_t checksumOf(Encoded encoded) {
  encoded.checksum = 0;
  unsigned char bytes[sizeof(Encoded)];
  std::memcpy(bytes, &encoded, sizeof(Encoded));
  uint32_t sum = 2166136261u;
  for (unsigned char byte : bytes)
    sum = (sum ^ byte) * 16777619u;
  return sum;
}

std::string dimensionText(const char *what, uint32_t dim, uint64_t got, const std::string &rule) {
  return std::string(what) + " " + std::to_string(got) + " of dimension " + std::to_string(dim) +
         " of a tensor map, expected " + rule;
}

std::string checkFields(const TensorMapFields &f, bool allowsEmpty) {
  uint32_t elementBytes = tensorMapElementBytes(f.type);
  if (elementBytes == 0)
    return "tensor map of element type " + std::to_string(static_cast<uint32_t>(f.type)) +
           ", expected 0 to 12";
  if (f.rank < 1 || f.rank > 5)
    return "tensor map of " + std::to_string(f.rank) + " dimensions, expected 1 to 5";
  if (f.interleave != TensorMapInterleave::None)
    return "an interleaved tensor map is not simulated";
  if (static_cast<uint32_t>(f.swizzle) > 3)
    return "tensor map of swizzle " + std::to_string(static_cast<uint32_t>(f.swizzle)) +
           ", expected 0 to 3";
  if (f.address == 0 || f.address % 16 != 0)
    return "the address of a tensor map is not a multiple of 16";
  for (uint32_t i = 0; i < f.rank; ++i) {
    if ((f.dims[i] == 0 && !allowsEmpty) || f.dims[i] > maxDim)
      return dimensionText("size", i, f.dims[i], "1 to 2^32");
    if (i > 0 && (f.strides[i - 1] % 16 != 0 || f.strides[i - 1] >= strideLimit))
      return dimensionText("stride", i, f.strides[i - 1], "a multiple of 16 below 2^40");
    if (f.box[i] == 0 || f.box[i] > maxBox)
      return dimensionText("box size", i, f.box[i], "1 to 256");
    if (f.elementStrides[i] == 0 || f.elementStrides[i] > maxElementStride)
      return dimensionText("element stride", i, f.elementStrides[i], "1 to 8");
  }
  uint64_t innerBytes = uint64_t(f.box[0]) * elementBytes;
  if (innerBytes % 16 != 0)
    return "rows of " + std::to_string(innerBytes) +
           " bytes in the box of a tensor map, expected a multiple of 16";
  uint64_t swizzleBytes =
      f.swizzle == TensorMapSwizzle::None ? 0 : uint64_t(16) << static_cast<uint32_t>(f.swizzle);
  if (swizzleBytes != 0 && innerBytes != swizzleBytes)
    return "rows of " + std::to_string(innerBytes) + " bytes in the box of a tensor map with a " +
           std::to_string(swizzleBytes) + "-byte swizzle, expected as many" +
           (innerBytes < swizzleBytes ? " (narrower ones are not simulated)" : "");
  if (f.fill == TensorMapFill::NaN && f.type < TensorMapType::F16)
    return "a tensor map of integers cannot fill with NaN";
  return "";
}

} // namespace

uint32_t tensorMapElementBytes(TensorMapType type) {
  switch (type) {
  case TensorMapType::U8:
    return 1;
  case TensorMapType::U16:
  case TensorMapType::F16:
  case TensorMapType::BF16:
    return 2;
  case TensorMapType::U32:
  case TensorMapType::I32:
  case TensorMapType::F32:
  case TensorMapType::F32Ftz:
  case TensorMapType::TF32:
  case TensorMapType::TF32Ftz:
    return 4;
  case TensorMapType::U64:
  case TensorMapType::I64:
  case TensorMapType::F64:
    return 8;
  }
  return 0;
}

std::string encodeTensorMap(const TensorMapFields &fields, TensorMap &map, bool allowsEmpty) {
  std::string problem = checkFields(fields, allowsEmpty);
  if (!problem.empty())
    return problem;
  Encoded e;
  e.magicWord = magic;
  e.address = fields.address;
  e.rank = static_cast<uint8_t>(fields.rank);
  e.type = static_cast<uint8_t>(fields.type);
  e.interleave = static_cast<uint8_t>(fields.interleave);
  e.swizzle = static_cast<uint8_t>(fields.swizzle);
  e.fill = static_cast<uint8_t>(fields.fill);
  for (uint32_t i = 0; i < fields.rank; ++i) {
    e.dims[i] = fields.dims[i];
    e.box[i] = static_cast<uint16_t>(fields.box[i]);
    e.elementStrides[i] = static_cast<uint8_t>(fields.elementStrides[i]);
    if (i > 0)
      e.strides[i - 1] = fields.strides[i - 1];
  }
  e.checksum = checksumOf(e);
  map.bytes.fill(0);
  std::memcpy(map.bytes.data(), &e, sizeof(e));
  return "";
}

bool decodeTensorMap(const void *map, TensorMapFields &fields) {
  Encoded e;
  std::memcpy(&e, map, sizeof(e));
  if (e.magicWord != magic || e.checksum != checksumOf(e))
    return false;
  fields = TensorMapFields();
  fields.address = e.address;
  fields.rank = e.rank;
  fields.type = static_cast<TensorMapType>(e.type);
  fields.interleave = static_cast<TensorMapInterleave>(e.interleave);
  fields.swizzle = static_cast<TensorMapSwizzle>(e.swizzle);
  fields.fill = static_cast<TensorMapFill>(e.fill);
  for (uint32_t i = 0; i < fields.rank; ++i) {
    fields.dims[i] = e.dims[i];
    fields.box[i] = e.box[i];
    fields.elementStrides[i] = e.elementStrides[i];
    if (i > 0)
      fields.strides[i - 1] = e.strides[i - 1];
  }
  return checkFields(fields, /*allowsEmpty=*/true).empty();
}

} // namespace tilecrt::sim

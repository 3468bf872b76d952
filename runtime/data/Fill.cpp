// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills host arrays. One Philox 4x32-10 block (Salmon et al., SC 2011) gives the 64 random bits of
// two neighbouring elements; normal values come from a block by the Box-Muller transform.

#include "tilecrt/data/HostArray.h"

#include "ParallelRanges.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace tilecrt {

namespace {

/// Two times 64 random bits.
struct Block {
  uint64_t half[2];
};

Block randomBlock(RandomStream stream, uint64_t block) {
  const uint32_t counter[4] = {uint32_t(block), uint32_t(block >> 32), stream.tensor, 0};
  const uint32_t key[2] = {uint32_t(stream.seed), uint32_t(stream.seed >> 32)};
  uint32_t out[4];
  philox4x32(counter, key, out);
  return {{uint64_t(out[1]) << 32 | out[0], uint64_t(out[3]) << 32 | out[2]}};
}

/// Stores value(i) for every element, in parallel. `pairs` gives two elements per call.
template <typename Pair> void fillPairs(HostArray &array, const Pair &pair) {
  DType type = array.dtype();
  uint32_t size = dtypeSize(type);
  char *bytes = array.as<char>();
  forRanges(array.size(), 2, [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; i += 2) {
      double values[2];
      pair(i / 2, values);
      doubleToElement(type, values[0], bytes + i * size);
      if (i + 1 < end)
        doubleToElement(type, values[1], bytes + (i + 1) * size);
    }
  });
}

Status needFloat(const HostArray &array, const char *fill) {
  if (isFloat(array.dtype()))
    return Status();
  return invalidArgument(std::string("'") + fill + "' makes floating-point values, got '" +
                         dtypeName(array.dtype()) + "'; use randint(low,high)");
}

void storeInteger(DType type, int64_t value, void *bytes) {
  if (isInteger(type))
    std::memcpy(bytes, &value, dtypeSize(type)); // Little-endian: the low bytes.
  else
    doubleToElement(type, double(value), bytes);
}

} // namespace

void philox4x32(const uint32_t (&counter)[4], const uint32_t (&key)[2], uint32_t (&out)[4]) {
  uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]};
  uint32_t k[2] = {key[0], key[1]};
  for (int round = 0; round < 10; ++round) {
    uint64_t product0 = uint64_t(0xD2511F53u) * c[0];
    uint64_t product1 = uint64_t(0xCD9E8D57u) * c[2];
    uint32_t next0 = uint32_t(product1 >> 32) ^ c[1] ^ k[0];
    uint32_t next2 = uint32_t(product0 >> 32) ^ c[3] ^ k[1];
    c[0] = next0;
    c[1] = uint32_t(product1);
    c[2] = next2;
    c[3] = uint32_t(product0);
    k[0] += 0x9E3779B9u;
    k[1] += 0xBB67AE85u;
  }
  std::memcpy(out, c, sizeof(c));
}

uint64_t randomBits(RandomStream stream, uint64_t element) {
  return randomBlock(stream, element / 2).half[element % 2];
}

Status fillRandn(HostArray &array, RandomStream stream) {
  TILECRT_RETURN_IF_ERROR(needFloat(array, "randn"));
  fillPairs(array, [&](uint64_t index, double (&values)[2]) {
    Block block = randomBlock(stream, index);
    constexpr double tau = 6.283185307179586476925;
    // (0, 1] for the logarithm, [0, 1) for the angle.
    double radius = std::sqrt(-2.0 * std::log(double((block.half[0] >> 11) + 1) * 0x1p-53));
    double angle = tau * (double(block.half[1] >> 11) * 0x1p-53);
    values[0] = radius * std::cos(angle);
    values[1] = radius * std::sin(angle);
  });
  return Status();
}

Status fillRand(HostArray &array, RandomStream stream) {
  TILECRT_RETURN_IF_ERROR(needFloat(array, "rand"));
  uint32_t bits = significandBits(array.dtype());
  fillPairs(array, [&](uint64_t index, double (&values)[2]) {
    Block block = randomBlock(stream, index);
    for (int i = 0; i < 2; ++i)
      values[i] = std::ldexp(double(block.half[i] >> (64 - bits)), -int(bits));
  });
  return Status();
}

Status fillRandint(HostArray &array, RandomStream stream, int64_t low, int64_t high) {
  DType type = array.dtype();
  std::string range = "randint(" + std::to_string(low) + "," + std::to_string(high) + ")";
  if (low >= high)
    return invalidArgument("'" + range + "' is empty; the upper bound is not included");
  if (!isFloat(type)) {
    uint32_t bits = integerValueBits(type);
    int64_t largest = bits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t(1) << bits) - 1;
    int64_t smallest = isSignedInteger(type) ? -largest - 1 : 0;
    if (low < smallest || high - 1 > largest)
      return invalidArgument("'" + range + "' leaves the range of '" + dtypeName(type) + "'");
  }
  uint64_t span = uint64_t(high) - uint64_t(low);
  uint32_t size = dtypeSize(type);
  char *bytes = array.as<char>();
  forRanges(array.size(), 2, [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) {
      // The high half of bits * span is uniform in [0, span) up to a bias below 2^-64 * span.
      auto product = static_cast<unsigned __int128>(randomBits(stream, i)) * span;
      int64_t value = int64_t(uint64_t(low) + uint64_t(product >> 64));
      storeInteger(type, value, bytes + i * size);
    }
  });
  return Status();
}

void fillValue(HostArray &array, double value) {
  uint32_t size = dtypeSize(array.dtype());
  char element[8] = {};
  doubleToElement(array.dtype(), value, element);
  char *bytes = array.as<char>();
  forRanges(array.size(), 2, [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i)
      std::memcpy(bytes + i * size, element, size);
  });
}

void fillArange(HostArray &array) {
  DType type = array.dtype();
  uint32_t size = dtypeSize(type);
  char *bytes = array.as<char>();
  forRanges(array.size(), 2, [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i)
      storeInteger(type, int64_t(i), bytes + i * size);
  });
}

void fillPoison(HostArray &array) {
  if (isFloat(array.dtype()))
    fillValue(array, std::numeric_limits<double>::quiet_NaN());
  else if (array.size() != 0)
    std::memset(array.data(), 0xCC, array.byteSize());
}

} // namespace tilecrt

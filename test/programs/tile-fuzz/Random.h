// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random choices that are the same on every machine.

#ifndef TILEC_TEST_PROGRAMS_TILE_FUZZ_RANDOM_H
#define TILEC_TEST_PROGRAMS_TILE_FUZZ_RANDOM_H

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace tilec::fuzz {

/// SplitMix64 (Steele, Lea, Flood, 2014).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// 0 to count - 1.
  int below(int count) { return int(next() % uint64_t(count)); }
  /// low to high, both included.
  int between(int low, int high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }
  template <typename T> const T &pick(const std::vector<T> &list) {
    return list[size_t(below(int(list.size())))];
  }
  template <typename T> T pick(std::initializer_list<T> list) {
    return list.begin()[below(int(list.size()))];
  }
  /// 0 to 1.
  double unit() { return double(next() >> 11) * 0x1p-53; }

private:
  uint64_t state;
};

} // namespace tilec::fuzz

#endif // TILEC_TEST_PROGRAMS_TILE_FUZZ_RANDOM_H

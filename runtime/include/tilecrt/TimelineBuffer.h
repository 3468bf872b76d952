// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The buffer that a kernel with a timeline writes: for each CTA that is seen and each of its warps,
// in this order, a header of 64-bit words and then the marks, a word each. The kernel expects
// zeros.
//
// The lower half of a mark is twice the number of its event, and one more where the span ends; the
// upper half is the lower half of the multiprocessor's clock. Marks beyond the capacity count, and
// are not kept. Standard library only, as the compiler includes it, too.

#ifndef TILECRT_TIMELINEBUFFER_H
#define TILECRT_TIMELINEBUFFER_H

#include <cstdint>

namespace tilecrt::timeline {

/// Words in front of a warp's marks.
enum class HeaderWord : uint32_t {
  /// Marks that the warp came to. Written last: zero where the warp did not get to the end.
  count = 0,
  /// The number of the multiprocessor, plus one; zero where the CTA has not run.
  processor = 1,
  /// The multiprocessor's clock in cycles, and the GPU's time in nanoseconds.
  beginClock = 2,
  beginTime = 3,
  endClock = 4,
  endTime = 5
};

/// As long as a line of the cache.
constexpr uint32_t headerWords = 8;

/// Words of one warp.
constexpr uint64_t wordsOfWarp(uint32_t capacity) { return uint64_t(headerWords) + capacity; }

/// Marks of a warp that are enough for most kernels.
constexpr uint32_t usualMarks = 4096;
/// Most marks of a warp that may be asked for, and CTAs: a buffer of gigabytes helps nobody.
constexpr uint32_t mostMarks = 1 << 20;
constexpr uint32_t mostCtas = 1024;

} // namespace tilecrt::timeline

#endif // TILECRT_TIMELINEBUFFER_H

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a long index range over the host's cores. For work whose result does not depend on how
// the range is split.

#ifndef TILEC_RUNTIME_DATA_PARALLELRANGES_H
#define TILEC_RUNTIME_DATA_PARALLELRANGES_H

#include <algorithm>
#include <cstdint>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace tilecrt {

/// Calls work(begin, end) for disjoint ranges that cover [0, count). Ranges start at multiples of
/// `grain` (a power of two); below a quarter of a million indices everything runs here.
template <typename Work> void forRanges(uint64_t count, uint64_t grain, const Work &work) {
  constexpr uint64_t worthAThread = uint64_t(1) << 18;
  uint64_t threads = std::max(1u, std::min(64u, std::thread::hardware_concurrency()));
  threads = std::max<uint64_t>(1, std::min(threads, count / worthAThread));
  uint64_t step = (count / threads + grain) / grain * grain;
  std::vector<std::thread> started;
  uint64_t begin = 0;
  try {
    started.reserve(threads);
    for (uint64_t i = 0; i + 1 < threads && begin + step < count; ++i) {
      started.emplace_back([&work, begin, step] { work(begin, begin + step); });
      begin += step;
    }
  } catch (const std::system_error &) {
    // No more threads to be had: this one does the rest.
  } catch (const std::bad_alloc &) {
  }
  if (begin < count)
    work(begin, count);
  for (std::thread &thread : started)
    thread.join();
}

} // namespace tilecrt

#endif // TILEC_RUNTIME_DATA_PARALLELRANGES_H

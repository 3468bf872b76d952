// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which clusters of a grid stand for all of them (LaunchConfig::sampledClusters).
#ifndef TILECRT_SIM_SAMPLE_H
#define TILECRT_SIM_SAMPLE_H

#include <algorithm>
#include <array>
#include <cstdint>

namespace tilecrt::sim {

/// Number `i` of a sample of a grid with so many clusters in x, y, z; clusters are numbered with x
/// counting fastest. A sample goes through the grid in rounds along x, of which the last has fewer,
/// evenly spread; each round is on another row at each x. No cluster is there twice.
inline uint64_t sampledCluster(const std::array<uint32_t, 3> &clusters, uint64_t sample,
                               uint64_t i) {
  uint64_t columns = clusters[0], rows = uint64_t(clusters[1]) * clusters[2];
  if (sample >= columns * rows)
    return i;
  uint64_t round = i / columns, place = i % columns;
  uint64_t inRound = std::min(columns, sample - round * columns);
  uint64_t x = (2 * place + 1) * columns / (2 * inRound);
  // About the golden section of the rows, which leaves neighbours far apart.
  uint64_t step = std::max<uint64_t>(1, rows * 618 / 1000);
  return x + columns * ((round + x * step) % rows);
}

} // namespace tilecrt::sim

#endif // TILECRT_SIM_SAMPLE_H

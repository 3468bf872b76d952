// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a lane hands to a warp-wide matrix instruction: the lanes' operands are read, and their
// results written, while all of them wait.
#ifndef TILEC_RUNTIME_SIM_MATRIXOPS_H
#define TILEC_RUNTIME_SIM_MATRIXOPS_H

#include <cstdint>
#include <string>

namespace tilecrt::sim {

/// mma.sync.
struct MmaOperands {
  uint32_t m = 0, n = 0, k = 0;
  int32_t typeA = 0, typeB = 0, typeC = 0, typeD = 0;
  bool saturate = false;
  const void *a = nullptr, *b = nullptr, *c = nullptr;
  void *d = nullptr;

  /// What is wrong with shape and types, in words; empty if nothing.
  std::string check() const;
};

/// ldmatrix and stmatrix.
struct MatrixMove {
  uint32_t offset = 0; ///< Of the row that the lane addresses.
  uint32_t count = 0;  ///< Of matrices.
  bool transposed = false;
  void *words = nullptr; ///< One a matrix.
};

/// wgmma.mma_async, for the rows of one warp.
struct WgmmaOperands {
  uint32_t n = 0, k = 0;
  int32_t typeA = 0, typeB = 0, typeD = 0;
  int32_t flags = 0; ///< abi::WgmmaFlag.
  const void *a = nullptr;
  uint64_t descA = 0, descB = 0;
  void *acc = nullptr;

  std::string check() const;
  /// 32-bit registers of the accumulator in a thread.
  uint32_t accumulatorWords() const;
  bool sameAs(const WgmmaOperands &o) const {
    return n == o.n && k == o.k && typeA == o.typeA && typeB == o.typeB && typeD == o.typeD &&
           flags == o.flags && descB == o.descB &&
           (descA == o.descA || (flags & 32) != 0 /* in registers */);
  }
};

/// wgmma.wait_group.
struct WgmmaWait {
  int32_t pending = 0;
  uint32_t *words = nullptr;
  uint32_t count = 0;
};

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_MATRIXOPS_H

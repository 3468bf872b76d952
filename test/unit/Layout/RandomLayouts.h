// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random layouts for property tests. The seed is printed with every failure and can be fixed with
// the environment variable TILEC_TEST_SEED.

#ifndef TILEC_TEST_UNIT_LAYOUT_RANDOMLAYOUTS_H
#define TILEC_TEST_UNIT_LAYOUT_RANDOMLAYOUTS_H

#include "tilec/Layout/TensorLayouts.h"

#include "llvm/Support/MathExtras.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>

namespace tilec {

inline std::ostream &operator<<(std::ostream &os, const LinearLayout &layout) {
  return os << layout.toString();
}

/// Base of the property tests: a generator and the seed in the output.
class RandomLayoutTest : public ::testing::Test {
protected:
  void SetUp() override {
    const char *fixed = std::getenv("TILEC_TEST_SEED");
    seed = fixed ? unsigned(std::strtoul(fixed, nullptr, 10)) : std::random_device{}();
    rng.seed(seed);
    std::cout << "seed " << seed << "\n";
  }

  /// Uniform in [low, high].
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(rng); }
  uint64_t bits(unsigned count) { return count == 0 ? 0 : rng() & ((uint64_t(1) << count) - 1); }

  using FlatIns = std::vector<std::pair<std::string, std::vector<uint64_t>>>;

  static std::vector<LinearLayout::OutDim> tensorDims(llvm::ArrayRef<int64_t> shape) {
    std::vector<LinearLayout::OutDim> outs;
    for (size_t i = 0; i < shape.size(); ++i)
      outs.emplace_back(dimName(i), int32_t(shape[i]));
    return outs;
  }

  static int totalBits(llvm::ArrayRef<int64_t> shape) {
    int total = 0;
    for (int64_t size : shape)
      total += int(llvm::Log2_64(size));
    return total;
  }

  /// A shape of `rank` dimensions with `total` bits, split at random.
  std::vector<int64_t> randomShape(int rank, int total) {
    std::vector<int64_t> shape(rank, 1);
    for (int i = 0; i < total; ++i)
      shape[pick(0, rank - 1)] *= 2;
    return shape;
  }

  /// Any linear layout, possibly not surjective.
  LinearLayout randomLayout(llvm::ArrayRef<llvm::StringRef> inNames, llvm::ArrayRef<int> inBits,
                            llvm::ArrayRef<int64_t> shape) {
    FlatIns ins;
    for (size_t i = 0; i < inNames.size(); ++i) {
      std::vector<uint64_t> bases;
      for (int b = 0; b < inBits[i]; ++b)
        bases.push_back(pick(0, 4) == 0 ? 0 : bits(totalBits(shape)));
      ins.emplace_back(inNames[i].str(), bases);
    }
    return LinearLayout::fromFlatBases(ins, tensorDims(shape));
  }

  /// A surjective distributed register layout: every tensor bit once on a random register, lane or
  /// warp bit, the remaining lane and warp bits (and `zeroRegisters` more registers) zero.
  LinearLayout randomDistributed(llvm::ArrayRef<int64_t> shape, int warpBits, int zeroRegisters = 0,
                                 int laneBits = 5) {
    int total = totalBits(shape);
    std::vector<uint64_t> tensorBits;
    for (int i = 0; i < total; ++i)
      tensorBits.push_back(uint64_t(1) << i);
    std::shuffle(tensorBits.begin(), tensorBits.end(), rng);
    std::vector<uint64_t> registers, threads(laneBits + warpBits, 0);
    int zeros = std::max(0, int(threads.size()) - total);
    if (pick(0, 2) == 0)
      zeros = std::min<int>(threads.size(), zeros + pick(0, 3));
    for (size_t i = 0; i + zeros < threads.size() && !tensorBits.empty(); ++i) {
      threads[i] = tensorBits.back();
      tensorBits.pop_back();
    }
    std::shuffle(threads.begin(), threads.end(), rng);
    registers = tensorBits;
    registers.insert(registers.end(), zeroRegisters, 0);
    std::shuffle(registers.begin(), registers.end(), rng);
    return LinearLayout::fromFlatBases(
        {{kRegister.str(), registers},
         {kLane.str(), {threads.begin(), threads.begin() + laneBits}},
         {kWarp.str(), {threads.begin() + laneBits, threads.end()}},
         {kBlock.str(), {}}},
        tensorDims(shape));
  }

  unsigned seed = 0;
  std::mt19937_64 rng;
};

} // namespace tilec

#endif // TILEC_TEST_UNIT_LAYOUT_RANDOMLAYOUTS_H

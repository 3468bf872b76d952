// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers: Philox against the known answers of the Random123 library and against a second
// implementation here; the floats made from it bit by bit, the normal ones within rounding.

#include "Execution.h"

#include <array>
#include <cmath>

namespace tilec::harness::test {
namespace {

using Counter = std::array<uint32_t, 4>;

/// Philox-4x32 of Salmon and others (2011).
Counter philox(Counter c, uint64_t key, int rounds = 10) {
  auto k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int i = 0; i < rounds; ++i) {
    uint64_t a = uint64_t{0xD2511F53} * c[0], b = uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(a)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c;
}

/// In [0, 1): one multiplication in single precision.
float uniform(uint32_t bits) {
  auto number = static_cast<int32_t>(bits);
  return static_cast<float>(number < 0 ? -(number + 1) : number) * 4.6566127342e-10f;
}

/// The two of a pair, in double precision.
std::array<double, 2> normals(uint32_t first, uint32_t second) {
  double radius = std::sqrt(-2 * std::log(std::max(1.0e-7f, uniform(first))));
  double angle = 6.283185307179586 * uniform(second);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

TEST(RandomTest, publishedAnswers) {
  const uint32_t ones = 0xffffffff;
  std::vector<double> counters = {0,    0,    0,          0,          ones,       ones,
                                  ones, ones, 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344,
                                  0,    0,    0,          0};
  std::vector<double> keys = {0, 0, ones, ones, 0xa4093822, 0x299f31d0, 0, 0};
  const std::vector<uint32_t> answers = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8,
                                         0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd,
                                         0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1,
                                         0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  RunBuilder builder = kernelOf("random.tile", "known_answers");
  builder.values("counter_ptr", DType::u32, counters).values("key_ptr", DType::u32, keys);
  builder.output(
      "out_ptr", DType::u32, {16},
      [&](HostArray &out) {
        for (uint64_t i = 0; i < 16; ++i)
          out.set(i, answers[i]);
      },
      kExact);
  builder.constant("N", 4);
  expectRun(builder);
}

TEST(RandomTest, integersOfBlocks) {
  constexpr int64_t block = 256, programs = 3;
  for (int rounds : {10, 7})
    for (int64_t seed : {0, 1, 42, -1, 0x7fffffff}) {
      // A negative seed is extended to 64 bits.
      auto key = static_cast<uint64_t>(seed);
      RunBuilder builder = kernelOf("random.tile", "integers");
      builder.output(
          "out_ptr", DType::u32, {block * programs},
          [&](HostArray &out) {
            for (uint64_t i = 0; i < out.size(); ++i)
              out.set(i, philox({static_cast<uint32_t>(i), 0, 0, 0}, key, rounds)[0]);
          },
          kExact);
      builder.output(
          "wide_ptr", DType::u32, {block * programs, 4},
          [&](HostArray &out) {
            for (uint64_t i = 0; i < out.size(); ++i) {
              uint64_t offset = i / 4 + 0x123456789A;
              Counter counter = {static_cast<uint32_t>(offset), static_cast<uint32_t>(offset >> 32),
                                 0, 0};
              out.set(i, philox(counter, key, rounds)[i % 4]);
            }
          },
          kExact);
      builder.i32("seed", seed).constant("BLOCK", block).constant("ROUNDS", rounds).grid(programs);
      expectRun(builder);
    }
}

TEST(RandomTest, floats) {
  constexpr int64_t block = 512;
  constexpr int64_t seed = 1234;
  auto wordsAt = [](uint64_t i) { return philox({static_cast<uint32_t>(i), 0, 0, 0}, seed); };
  RunBuilder builder = kernelOf("random.tile", "floats");
  builder.output(
      "uniform_ptr", DType::f32, {block},
      [&](HostArray &out) {
        for (uint64_t i = 0; i < out.size(); ++i)
          out.set(i, uniform(wordsAt(i)[0]));
      },
      kExact);
  const tilecrt::Tolerance rounded{1e-5, 1e-5};
  builder.output(
      "normal_ptr", DType::f32, {block},
      [&](HostArray &out) {
        for (uint64_t i = 0; i < out.size(); ++i)
          out.set(i, normals(wordsAt(i)[0], wordsAt(i)[1])[0]);
      },
      rounded);
  builder.output(
      "uniform4_ptr", DType::f32, {4, block},
      [&](HostArray &out) {
        for (uint64_t i = 0; i < out.size(); ++i)
          out.set(i, uniform(wordsAt(i % block)[i / block]));
      },
      kExact);
  builder.output(
      "normal4_ptr", DType::f32, {4, block},
      [&](HostArray &out) {
        for (uint64_t i = 0; i < out.size(); ++i) {
          Counter words = wordsAt(i % block);
          uint64_t pair = i / block / 2 * 2;
          out.set(i, normals(words[pair], words[pair + 1])[i / block % 2]);
        }
      },
      rounded);
  builder.i32("seed", seed).constant("BLOCK", block);
  expectRun(builder);
}

TEST(RandomTest, scalarOffsets) {
  RunBuilder builder = kernelOf("random.tile", "one_number");
  builder.output(
      "out_ptr", DType::u32, {2},
      [&](HostArray &out) {
        out.set(0, philox({99, 0, 0, 0}, 5)[0]);
        out.set(1, philox({7, 0, 0, 0}, 5)[0]);
      },
      kExact);
  builder.i32("seed", 5).i32("offset", 99);
  expectRun(builder);
}

} // namespace
} // namespace tilec::harness::test

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers: bit by bit those of the generator's definition, its published vectors included,
// and the floats made of them.

#include "BlockProgram.h"
#include "LanguageCases.h"

#include <cmath>

namespace tilec::harness::language {
namespace {

using Words = std::array<uint32_t, 4>;

Words philox(uint64_t key, Words counter) {
  uint32_t out[4];
  const uint32_t in[4] = {counter[0], counter[1], counter[2], counter[3]};
  const uint32_t keys[2] = {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)};
  tilecrt::philox4x32(in, keys, out);
  return {out[0], out[1], out[2], out[3]};
}

float uniformOf(uint32_t word) {
  auto number = static_cast<int32_t>(word);
  if (number < 0)
    number = -number - 1;
  return static_cast<float>(number) * 4.6566127342e-10f;
}

constexpr uint64_t key = 0x1234567890abcdefull;

/// The vectors that come with the generator's paper.
void writeVectors(BlockProgram &p) {
  struct Vector {
    uint32_t counter[4];
    uint64_t key;
    uint32_t result[4];
  };
  static constexpr Vector vectors[] = {
      {{0, 0, 0, 0}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{~0u, ~0u, ~0u, ~0u}, ~0ull, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       0x299f31d0a4093822ull,
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
  for (int v = 0; v < 3; ++v) {
    std::string n = std::to_string(v), counters;
    for (uint32_t word : vectors[v].counter)
      counters += ", tl.full((), " + std::to_string(word) + ", tl.uint32)";
    p.body("a" + n + ", b" + n + ", c" + n + ", d" + n + " = tl.philox(" +
           std::to_string(vectors[v].key) + counters + ")");
    for (int w = 0; w < 4; ++w)
      p.outInt(std::string(1, "abcd"[w]) + n, DType::u32, {},
               [&](uint64_t) -> Int { return vectors[v].result[w]; });
  }
}

void writeWords(BlockProgram &p) {
  p.builder().scalar("seed", DType::i64, key);
  p.body("i = tl.arange(0, 128)\na, b, c, d = tl.randint4x(seed, i)\ne = tl.randint(seed, i)\n"
         "wide, _, _, _ = tl.randint4x(seed, i.to(tl.int64) + (1 << 33))\nfew = tl.randint(seed, "
         "i, n_rounds=10)");
  auto words = [](uint64_t i) { return philox(key, {static_cast<uint32_t>(i), 0, 0, 0}); };
  for (int w = 0; w < 4; ++w)
    p.outInt(std::string(1, "abcd"[w]), DType::u32, {128},
             [&](uint64_t i) -> Int { return words(i)[w]; });
  p.outInt("e", DType::u32, {128}, [&](uint64_t i) -> Int { return words(i)[0]; });
  p.outInt("few", DType::u32, {128}, [&](uint64_t i) -> Int { return words(i)[0]; });
  p.outInt("wide", DType::u32, {128},
           [&](uint64_t i) -> Int { return philox(key, {static_cast<uint32_t>(i), 2, 0, 0})[0]; });
}

void writeFloats(BlockProgram &p) {
  p.builder().scalar("seed", DType::i32, 4711);
  p.body("i = tl.arange(0, 128)\nu = tl.rand(seed, i)\na, b, c, d = tl.rand4x(seed, i)\nn = "
         "tl.randn(seed, i)\n"
         "n1, n2, n3, n4 = tl.randn4x(seed, i)\nx = tl.uint_to_uniform_float(tl.randint(seed, i))");
  auto uniform = [](uint64_t i, int w) {
    return static_cast<double>(uniformOf(philox(4711, {static_cast<uint32_t>(i), 0, 0, 0})[w]));
  };
  const tilecrt::Tolerance exact{0, 0};
  p.out("u", DType::f32, {128}, [&](uint64_t i) { return uniform(i, 0); }, exact);
  p.out("x", DType::f32, {128}, [&](uint64_t i) { return uniform(i, 0); }, exact);
  for (int w = 0; w < 4; ++w)
    p.out(
        std::string(1, "abcd"[w]), DType::f32, {128}, [&](uint64_t i) { return uniform(i, w); },
        exact);
  auto normalOf = [&](uint64_t i, int w) {
    double radius = std::sqrt(-2 * std::log(std::max(1.0e-7, uniform(i, w / 2 * 2))));
    double angle = 6.283185307179586 * uniform(i, w / 2 * 2 + 1);
    return w % 2 ? radius * std::sin(angle) : radius * std::cos(angle);
  };
  const tilecrt::Tolerance near{1e-4, 1e-5};
  p.out("n", DType::f32, {128}, [&](uint64_t i) { return normalOf(i, 0); }, near);
  for (int w = 0; w < 4; ++w)
    p.out(
        "n" + std::to_string(w + 1), DType::f32, {128}, [&](uint64_t i) { return normalOf(i, w); },
        near);
}

} // namespace

void addRandomCases(std::vector<Case> &cases) {
  addCase(cases, "philox", DType::u32, "published vectors", writeVectors);
  addCase(cases, "randint", DType::u32, "128", writeWords);
  addCase(cases, "rand", DType::f32, "128", writeFloats);
}

} // namespace tilec::harness::language

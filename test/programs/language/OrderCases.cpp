// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that read what they have written, at other elements or in other layouts: accesses take
// effect in the order of the source, without barriers.

#include "BlockProgram.h"
#include "LanguageCases.h"

#include <numeric>

namespace tilec::harness::language {
namespace {

/// The contents of an array of integers, to be changed step by step.
std::vector<Int> contentsOf(const BlockProgram &p, const std::string &name) {
  std::vector<Int> list(p.array(name).size());
  for (uint64_t i = 0; i < list.size(); ++i)
    list[i] = p.intAt(name, i);
  return list;
}

void expectContents(BlockProgram &p, const std::string &name, DType type, std::vector<Int> list) {
  p.changes(name, [type, list = std::move(list)](HostArray &array) {
    for (uint64_t i = 0; i < list.size(); ++i)
      setInt(array, i, wrap(type, list[i]));
  });
}

/// Every step adds the element whose position differs in one bit.
void writeButterfly(BlockProgram &p, DType type, bool isUnrolled) {
  p.buffer("x", type, {256}, bits());
  p.body("i = tl.arange(0, 256)\nfor s in " +
         std::string(isUnrolled ? "tl.static_range" : "range") +
         "(8):\n    other = tl.load(x_ptr + (i ^ (1 << s)))\n"
         "    tl.store(x_ptr + i, tl.load(x_ptr + i) + other * 3)");
  std::vector<Int> x = contentsOf(p, "x");
  for (unsigned s = 0; s < 8; ++s) {
    std::vector<Int> before = x;
    for (uint64_t i = 0; i < x.size(); ++i)
      x[i] = wrap(type, before[i] + 3 * before[i ^ (1u << s)]);
  }
  expectContents(p, "x", type, x);
}

/// A matrix is transposed in place by addresses, then by values, and shifted by a row in between.
void writeTranspositions(BlockProgram &p, DType type) {
  p.buffer("x", type, {32, 32}, bits());
  p.body("r = tl.arange(0, 32)[:, None]\nc = tl.arange(0, 32)[None, :]\nat = x_ptr + r * 32 + c\n"
         "a = tl.load(at)\ntl.store(x_ptr + c * 32 + r, a)\n"
         "b = tl.load(x_ptr + (r + 1) % 32 * 32 + c)\ntl.store(at, b)\n"
         "tl.store(at, tl.trans(tl.load(at)))\ntl.store(at, tl.load(at) + 1, mask=r < c)");
  std::vector<Int> x = contentsOf(p, "x"), y = x;
  // Transposed, shifted, transposed again: columns are shifted.
  for (uint64_t i = 0; i < y.size(); ++i)
    y[i] = x[i / 32 * 32 + (i + 1) % 32] + (i / 32 < i % 32 ? 1 : 0);
  expectContents(p, "x", type, y);
}

/// Positions that are known at run time only, and the same position many times.
void writeGathers(BlockProgram &p, DType type) {
  p.buffer("x", type, {128}, bits());
  p.buffer("place", DType::i32, {128}, shuffled());
  p.body("i = tl.arange(0, 128)\nplace = tl.load(place_ptr + i)\nfor k in range(5):\n"
         "    tl.store(x_ptr + i, tl.load(x_ptr + place) + k)\n"
         "    tl.store(x_ptr + place, tl.load(x_ptr + place // 2) + 1)\n"
         "tl.store(x_ptr + i // 2, tl.load(x_ptr + i // 4))");
  std::vector<Int> x = contentsOf(p, "x");
  auto place = [&](uint64_t i) { return static_cast<uint64_t>(p.intAt("place", i)); };
  for (unsigned k = 0; k < 5; ++k) {
    std::vector<Int> before = x;
    for (uint64_t i = 0; i < x.size(); ++i)
      x[i] = before[place(i)] + k;
    before = x;
    for (uint64_t i = 0; i < x.size(); ++i)
      x[place(i)] = before[place(i) / 2] + 1;
  }
  // Elements 2n and 2n + 1 store the same value.
  std::vector<Int> before = x;
  for (uint64_t i = 0; i < x.size(); ++i)
    x[i / 2] = before[i / 4];
  expectContents(p, "x", type, x);
}

/// Scalars between blocks, and blocks that overlap by some elements.
void writeMixture(BlockProgram &p, DType type) {
  p.buffer("x", type, {80}, bits());
  p.body("i = tl.arange(0, 64)\ntl.store(x_ptr + 5, 7)\nfirst = tl.load(x_ptr + i)\n"
         "tl.store(x_ptr + 16 + i, first)\ns = tl.load(x_ptr + 21)\ntl.store(x_ptr + 40, s + 1)\n"
         "for k in range(3):\n    tl.store(x_ptr + k + i, tl.load(x_ptr + k + 1 + i))\n"
         "tl.store(x_ptr, tl.sum(tl.load(x_ptr + i), 0).to(x_ptr.dtype.element_ty))\n"
         "tl.store(x_ptr + i, tl.load(x_ptr))");
  std::vector<Int> x = contentsOf(p, "x");
  x[5] = 7;
  std::vector<Int> before = x;
  std::copy_n(before.begin(), 64, x.begin() + 16);
  x[40] = x[21] + 1;
  for (uint64_t k = 0; k < 3; ++k) {
    before = x;
    std::copy_n(before.begin() + k + 1, 64, x.begin() + k);
  }
  for (Int &value : x)
    value = wrap(type, value);
  Int sum = std::accumulate(x.begin(), x.begin() + 64, Int(0));
  std::fill_n(x.begin(), 64, sum);
  expectContents(p, "x", type, x);
}

} // namespace

void addOrderCases(std::vector<Case> &cases) {
  for (DType type : {DType::i8, DType::i32, DType::i64}) {
    addCase(cases, "program order", type, "butterfly",
            [=](BlockProgram &p) { writeButterfly(p, type, false); });
    addCase(cases, "program order", type, "unrolled butterfly",
            [=](BlockProgram &p) { writeButterfly(p, type, true); });
    addCase(cases, "program order", type, "transpositions",
            [=](BlockProgram &p) { writeTranspositions(p, type); });
    addCase(cases, "program order", type, "gathers",
            [=](BlockProgram &p) { writeGathers(p, type); });
    addCase(cases, "program order", type, "mixture",
            [=](BlockProgram &p) { writeMixture(p, type); });
  }
}

} // namespace tilec::harness::language

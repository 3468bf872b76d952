// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Examples 45, 49, 58 and 59: attention over sequences of any length, all keys or those up to the
// query.

#include "Cases.h"
#include "ProductReferences.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tilec::harness {
namespace {

struct Problem {
  DType type = DType::f16;
  int64_t heads = 2, length = 0, width = 32;
  bool isCausal = false;
  int64_t blockM = 32, blockN = 32;
  /// 45, 49, 58 or 59.
  int example = 45;
  int warps = 4;
  /// Of 58: a tensor copy stores the result.
  bool copiesOut = false;
  bool isPersistent = false;
};

struct Text {
  const char *file, *kernel;
};

Text textOf(int example) {
  if (example == 49)
    return {"49-attention-overlapped.tile", "attention_overlapped"};
  if (example == 58)
    return {"58-attention-descriptors.tile", "attention_descriptors"};
  if (example == 59)
    return {"59-attention-roles.tile", "attention_roles"};
  return {"45-attention-forward.tile", "attention_forward"};
}

Result<KernelRun> buildForward(const Problem &p, uint64_t seed) {
  Text text = textOf(p.example);
  RunBuilder builder(text.file, text.kernel, seed);
  for (const char *name : {"q_ptr", "k_ptr", "v_ptr"})
    builder.randn(name, p.type, {p.heads, p.length, p.width});
  double scale = 1 / std::sqrt(static_cast<double>(p.width));
  auto length = static_cast<uint64_t>(p.length), width = static_cast<uint64_t>(p.width),
       blockM = static_cast<uint64_t>(p.blockM);
  auto attendHead = [&](uint64_t head, std::vector<double> &logSums) {
    auto read = [&](const char *name) {
      return readMatrix(builder.array(name), length, width, head * length * width, width, 1);
    };
    return attend(read("q_ptr"), read("k_ptr"), read("v_ptr"), scale, p.isCausal, &logSums);
  };
  builder.output(
      "out_ptr", p.type, {p.heads, p.length, p.width},
      [&](HostArray &out) {
        std::vector<double> logSums;
        for (uint64_t head = 0; head < static_cast<uint64_t>(p.heads); ++head) {
          DoubleMatrix result = attendHead(head, logSums);
          for (uint64_t i = 0; i < length * width; ++i)
            out.set(head * length * width + i, result.values[i]);
        }
      },
      attentionTolerance(p.type));
  builder.output(
      "lse_ptr", DType::f32, {p.heads, p.length},
      [&](HostArray &out) {
        std::vector<double> logSums;
        for (uint64_t head = 0; head < static_cast<uint64_t>(p.heads); ++head) {
          attendHead(head, logSums);
          for (uint64_t i = 0; i < length; ++i)
            out.set(head * length + i, logSums[i]);
        }
      },
      logSumTolerance(p.type));
  if (p.example == 58 || p.example == 59)
    builder.i32("heads", p.heads);
  builder.i32("seq_len", p.length).f32("scale", scale);
  builder.constant("HEAD_DIM", p.width).constant("BLOCK_M", p.blockM).constant("BLOCK_N", p.blockN);
  builder.constant("CAUSAL", p.isCausal ? "True" : "False");
  if (p.copiesOut)
    builder.constant("COPIES_OUT", "True");
  if (p.isPersistent)
    builder.persistent(true);
  builder.warps(p.warps).grid((length + blockM - 1) / blockM, static_cast<uint64_t>(p.heads));
  return builder.take();
}

} // namespace

void addAttentionCases(std::vector<Case> &cases) {
  auto add = [&](const Problem &p, Scale scale, const char *variant = "") {
    std::string name = std::string(textOf(p.example).kernel) + (p.isCausal ? " causal" : "") +
                       (p.copiesOut ? " copies" : "") + (p.isPersistent ? " persistent" : "") +
                       variant;
    cases.push_back({name, p.type, sizeText({p.heads, p.length, p.width}), scale,
                     [=](uint64_t seed) { return buildForward(p, seed); }});
  };
  Scale scale = Scale::Quick;
  for (DType type : {DType::f16, DType::bf16, DType::f32})
    for (bool isCausal : {true, false}) {
      for (auto [length, width, block] : {std::array<int64_t, 3>{100, 32, 32},
                                          {64, 64, 32},
                                          {1, 16, 32},
                                          {140, 32, 32},
                                          {170, 32, 32},
                                          {200, 32, 32},
                                          {128, 16, 32},
                                          {140, 64, 32},
                                          {170, 64, 32},
                                          {200, 64, 32},
                                          {144, 64, 64},
                                          {330, 32, 64}}) {
        Problem p{type, 2, length, width, isCausal, block, block};
        add(p, scale);
        scale = Scale::Full;
      }
      scale = type == DType::f16 && isCausal ? Scale::Quick : Scale::Full;
    }
  // Blocks that have a multiprocessor to themselves, or share it with one more: there values are an
  // iteration behind their keys, and with 8 warps others load.
  for (int example : {45, 58})
    for (bool isCausal : {true, false})
      for (auto [length, width, block, warps] : {std::array<int64_t, 4>{300, 128, 128, 8},
                                                 {128, 128, 128, 8},
                                                 {640, 128, 128, 8},
                                                 {200, 256, 64, 4}}) {
        Problem p{DType::f16, 1, length, width, isCausal, block, block, example, int(warps)};
        add(p, Scale::Full);
      }
  // Load warps that fetch the next program's queries: into the other one of two slots, or into one
  // beside which tiles of wide heads leave in parts.
  for (int example : {45, 58})
    for (bool isCausal : {true, false})
      for (auto [heads, length, width, blockN] : {std::array<int64_t, 4>{1, 640, 128, 128},
                                                  {3, 100, 128, 128},
                                                  {3, 50, 256, 64},
                                                  {3, 64, 256, 64},
                                                  {1, 384, 256, 64}}) {
        Problem p{DType::f16, heads, length, width, isCausal, 128, blockN, example, 8, false, true};
        add(p, Scale::Full);
      }
  // Wide heads.
  for (int example : {45, 58})
    for (bool isCausal : {true, false})
      for (int64_t length : {50, 200, 384}) {
        Problem p{DType::f16, 1, length, 256, isCausal, 128, 64, example, 8};
        add(p, Scale::Full, " 128x64");
      }
  // Two warpgroups that release slots for each other: loops of no, one and several rounds of the
  // ring.
  for (int example : {45, 58})
    for (bool isCausal : {true, false})
      for (int64_t length : {50, 64, 130, 192, 256, 450}) {
        Problem p{DType::f16, 1, length, 64, isCausal, 128, 64, example, 8};
        add(p, Scale::Full, " 128x64");
      }
  for (auto [length, width, block, warps] : {std::array<int64_t, 4>{100, 32, 32, 4},
                                             {330, 64, 64, 4},
                                             {300, 128, 64, 8},
                                             {256, 128, 128, 8}}) {
    Problem p{DType::f16, 2,  length,     width, true, std::max<int64_t>(block, warps * 16),
              block,      58, int(warps), true};
    add(p, Scale::Full);
  }
  // The last ones have no block of keys that needs a mask or, with CAUSAL, several.
  for (int example : {49, 58, 59})
    for (DType type : {DType::f16, DType::bf16, DType::f32})
      for (bool isCausal : {true, false})
        for (auto [length, width, blockM, blockN] : {std::array<int64_t, 4>{100, 32, 32, 32},
                                                     {150, 32, 64, 64},
                                                     {33, 16, 32, 32},
                                                     {1, 16, 32, 32},
                                                     {170, 32, 32, 32},
                                                     {200, 32, 32, 32},
                                                     {250, 32, 32, 32},
                                                     {270, 32, 64, 64},
                                                     {330, 32, 64, 64},
                                                     {390, 32, 64, 64},
                                                     {140, 16, 32, 32},
                                                     {170, 16, 32, 32},
                                                     {200, 16, 32, 32},
                                                     {128, 32, 32, 32},
                                                     {192, 32, 64, 64},
                                                     {140, 32, 64, 16},
                                                     {180, 32, 64, 32}}) {
          if (blockM > blockN && !isCausal)
            continue;
          Problem p{type, 2, length, width, isCausal, blockM, blockN, example};
          bool isQuick = type == DType::f16 && length == 100;
          add(p, isQuick ? Scale::Quick : Scale::Full);
        }
}

} // namespace tilec::harness

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Examples 01 to 04, 15 and 24: one value out for one value of each input.

#include "Cases.h"
#include "References.h"

#include <algorithm>
#include <cmath>

namespace tilec::harness {
namespace {

constexpr DType floats[] = {DType::f32, DType::f16, DType::bf16};

uint64_t bytesOf(int64_t count, DType type, uint64_t passes) {
  return static_cast<uint64_t>(count) * tilecrt::dtypeSize(type) * passes;
}

uint64_t blocks(int64_t count, int64_t block) {
  return static_cast<uint64_t>((count + block - 1) / block);
}

/// How a vector addition is launched.
struct AddVariant {
  const char *kernel;
  const char *blockName;
  int64_t block;
  std::optional<int> warps;
  bool hasLength;
  /// Elements that the buffers are off their alignment.
  uint64_t skew;
};

Result<KernelRun> buildAdd(const AddVariant &variant, DType type, int64_t n, uint64_t seed) {
  RunBuilder builder("01-vector-add.tile", variant.kernel, seed);
  builder.randn("x_ptr", type, {n}).randn("y_ptr", type, {n});
  builder.output("out_ptr", type, {n}, [&](HostArray &out) {
    const HostArray &x = builder.array("x_ptr"), &y = builder.array("y_ptr");
    mapElements(out, [&](uint64_t i) { return x.at(i) + y.at(i); });
  });
  if (variant.hasLength)
    builder.i32("n", n);
  // Without a value for the tile, the first configuration of the autotuner decides.
  if (variant.blockName)
    builder.constant(variant.blockName, variant.block);
  if (variant.warps)
    builder.warps(*variant.warps);
  for (const char *name : {"x_ptr", "y_ptr", "out_ptr"})
    builder.skew(name, variant.skew);
  return builder.grid(blocks(n, variant.block)).idealBytes(bytesOf(n, type, 3)).take();
}

void addVectorAdd(std::vector<Case> &cases, const std::string &name, const AddVariant &variant,
                  std::initializer_list<int64_t> sizes) {
  for (DType type : floats) {
    Scale scale = type == DType::f32 ? Scale::Quick : Scale::Full;
    for (int64_t n : sizes) {
      cases.push_back({name, type, sizeText({n}), scale,
                       [=](uint64_t seed) { return buildAdd(variant, type, n, seed); }});
      scale = Scale::Full;
    }
  }
}

Result<KernelRun> buildSin(DType type, int64_t n, int64_t block, uint64_t seed) {
  RunBuilder builder("02-inductor-pointwise.tile", "triton_poi_fused_sin_0", seed);
  builder.randn("in_ptr0", type, {n});
  builder.output("out_ptr0", type, {n}, [&](HostArray &out) {
    const HostArray &x = builder.array("in_ptr0");
    mapElements(out, [&](uint64_t i) { return std::sin(std::sin(std::sin(std::sin(x.at(i))))); });
  });
  builder.i32("xnumel", n).constant("XBLOCK", block);
  return builder.grid(blocks(n, block)).idealBytes(bytesOf(n, type, 2)).take();
}

Result<KernelRun> buildAddReluScale(DType type, int64_t n, int64_t block, uint64_t seed) {
  RunBuilder builder("03-add-relu-scale.tile", "add_relu_scale", seed);
  builder.randn("x_ptr", type, {n}).randn("y_ptr", type, {n});
  builder.output("out_ptr", type, {n}, [&](HostArray &out) {
    const HostArray &x = builder.array("x_ptr"), &y = builder.array("y_ptr");
    mapElements(out, [&](uint64_t i) { return std::max(x.at(i) + y.at(i), 0.0) * 0.75; });
  });
  builder.f32("scale", 0.75).i32("n", n).constant("BLOCK", block);
  return builder.grid(blocks(n, block)).idealBytes(bytesOf(n, type, 3)).take();
}

Result<KernelRun> buildGelu(bool tanhForm, DType type, int64_t n, int64_t block, uint64_t seed) {
  RunBuilder builder("04-gelu.tile", "gelu", seed);
  builder.randn("x_ptr", type, {n});
  // The far negative side is a difference of numbers near 1, in fp32.
  tilecrt::Tolerance tolerance = toleranceFor(type);
  tolerance.atol = 2e-6;
  builder.output(
      "out_ptr", type, {n},
      [&](HostArray &out) {
        const HostArray &x = builder.array("x_ptr");
        mapElements(out,
                    [&](uint64_t i) { return tanhForm ? geluTanh(x.at(i)) : geluErf(x.at(i)); });
      },
      tolerance);
  builder.i32("n", n).constant("BLOCK", block);
  builder.constant("TANH_FORM", tanhForm ? "True" : "False");
  return builder.grid(blocks(n, block)).idealBytes(bytesOf(n, type, 2)).take();
}

Result<KernelRun> buildCopy(DType type, int64_t n, int64_t block, uint64_t seed) {
  RunBuilder builder("15-copy.tile", "copy", seed);
  if (tilecrt::isFloat(type))
    builder.randn("x_ptr", type, {n});
  else
    builder.randint("x_ptr", type, {n}, 0, 128);
  builder.output(
      "y_ptr", type, {n},
      [&](HostArray &out) {
        const HostArray &x = builder.array("x_ptr");
        mapElements(out, [&](uint64_t i) { return x.at(i); });
      },
      tilecrt::Tolerance{0, 0});
  builder.i32("n", n).constant("BLOCK", block);
  return builder.grid(blocks(n, block)).idealBytes(bytesOf(n, type, 2)).take();
}

/// With one random number for each call of the generator, or with the four that a call makes.
Result<KernelRun> buildDropout(bool four, DType type, int64_t n, int64_t block, uint64_t seed) {
  constexpr float p = 0.25f;
  // The second form has a seed that needs both words of the key.
  constexpr int32_t narrowKey = 20260;
  constexpr int64_t wideKey = (int64_t(77) << 32) + 20260;
  RunBuilder builder("24-dropout.tile", four ? "dropout4" : "dropout", seed);
  builder.randn("x_ptr", type, {n});
  auto uniform = [&](uint64_t i) {
    if (!four)
      return uniforms(narrowKey, static_cast<uint32_t>(i))[0];
    auto width = static_cast<uint64_t>(block);
    uint64_t program = i / (4 * width), inside = i % (4 * width);
    auto counter = static_cast<uint32_t>(program * width + inside % width);
    return uniforms(wideKey, counter)[inside / width];
  };
  builder.output("y_ptr", type, {n}, [&](HostArray &out) {
    const HostArray &x = builder.array("x_ptr");
    mapElements(out, [&](uint64_t i) { return uniform(i) > p ? x.at(i) / (1.0 - p) : 0.0; });
  });
  builder.i32("n", n).f32("p", p).constant("BLOCK", block);
  if (four)
    builder.scalar("seed", DType::i64, wideKey);
  else
    builder.scalar("seed", DType::i32, narrowKey);
  builder.grid(blocks(n, four ? 4 * block : block));
  return builder.idealBytes(bytesOf(n, type, 2)).take();
}

using BuildPointwise = std::function<Result<KernelRun>(DType, int64_t, int64_t, uint64_t)>;

/// A size that is no multiple of the block, one that is, one element, and a large one.
void addPointwise(std::vector<Case> &cases, const std::string &name, const BuildPointwise &build) {
  for (DType type : floats) {
    Scale scale = type == DType::f32 ? Scale::Quick : Scale::Full;
    for (int64_t n : {5003, 4096, 1}) {
      cases.push_back({name, type, sizeText({n}), scale,
                       [=](uint64_t seed) { return build(type, n, 1024, seed); }});
      scale = Scale::Full;
    }
    int64_t large = int64_t(1) << 26;
    cases.push_back({name, type, sizeText({large}), Scale::Large,
                     [=](uint64_t seed) { return build(type, large, 1024, seed); }});
  }
}

} // namespace

void addPointwiseCases(std::vector<Case> &cases) {
  AddVariant unchecked = {"add_unchecked", "BLOCK", 1024, {}, false, 0};
  AddVariant masked = {"add_masked", "BLOCK", 1024, {}, true, 0};
  AddVariant skewed = {"add_masked", "BLOCK", 256, 1, true, 1};
  AddVariant autotuned = {"add_autotuned", nullptr, 1024, {}, true, 0};
  AddVariant tuned = {"add_autotuned", "TILE", 2048, 8, true, 0};
  addVectorAdd(cases, "add_unchecked", unchecked, {8192, 1024});
  addVectorAdd(cases, "add_masked", masked, {10001, 10000, 8192, 1});
  addVectorAdd(cases, "add_masked skewed", skewed, {1000, 513});
  addVectorAdd(cases, "add_autotuned", autotuned, {10001, 4096});
  addVectorAdd(cases, "add_autotuned tile=2048", tuned, {10001});
  for (DType type : floats) {
    int64_t n = int64_t(1) << 28;
    cases.push_back({"add_masked", type, sizeText({n}), Scale::Large,
                     [=](uint64_t seed) { return buildAdd(masked, type, n, seed); }});
  }
  addPointwise(cases, "inductor 4xsin", buildSin);
  addPointwise(cases, "add_relu_scale", buildAddReluScale);
  for (bool tanhForm : {false, true})
    addPointwise(cases, tanhForm ? "gelu tanh" : "gelu erf",
                 [=](DType type, int64_t n, int64_t block, uint64_t seed) {
                   return buildGelu(tanhForm, type, n, block, seed);
                 });
  addPointwise(cases, "copy", buildCopy);
  for (DType type : {DType::i8, DType::u8, DType::i16, DType::i64, DType::f64, DType::f8e4m3})
    cases.push_back({"copy", type, sizeText({5003}), Scale::Full,
                     [=](uint64_t seed) { return buildCopy(type, 5003, 4096, seed); }});
  int64_t large = int64_t(1) << 30;
  cases.push_back({"copy", DType::i8, sizeText({large}), Scale::Large,
                   [=](uint64_t seed) { return buildCopy(DType::i8, large, 4096, seed); }});
  for (bool four : {false, true})
    addPointwise(cases, four ? "dropout4" : "dropout",
                 [=](DType type, int64_t n, int64_t block, uint64_t seed) {
                   return buildDropout(four, type, n, block, seed);
                 });
}

} // namespace tilec::harness

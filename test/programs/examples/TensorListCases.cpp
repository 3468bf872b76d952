// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Example 12: many tensors in one launch, reached through a table of addresses.

#include "Cases.h"
#include "References.h"

#include <algorithm>
#include <cmath>

namespace tilec::harness {
namespace {

Result<KernelRun> buildSumMany(DType type, int64_t count, int64_t largest, uint64_t seed) {
  constexpr int64_t block = 1024;
  RunBuilder builder("12-sum-many-tensors.tile", "sum_many", seed);
  std::vector<std::string> names;
  std::vector<double> sizes;
  uint64_t bytes = 0;
  for (int64_t i = 0; i < count; ++i) {
    // Sizes from nothing to the largest, most of them no multiple of the block.
    int64_t size = i == 1 ? 0 : largest - (i * 7919) % largest;
    names.push_back("tensor" + std::to_string(i));
    sizes.push_back(static_cast<double>(size));
    bytes += static_cast<uint64_t>(size) * tilecrt::dtypeSize(type);
    builder.randn(names.back(), type, {size});
  }
  builder.addresses("addresses_ptr", names).values("sizes_ptr", DType::i64, sizes);
  builder.output(
      "out_ptr", DType::f32, {count},
      [&](HostArray &out) {
        mapElements(out, [&](uint64_t i) { return sumAll(builder.array(names[i])); });
      },
      toleranceFor(DType::f32, std::sqrt(static_cast<double>(largest))));
  builder.constant("DTYPE", tilecrt::tritonName(type)).constant("BLOCK", block);
  return builder.grid(static_cast<uint64_t>(count)).idealBytes(bytes).take();
}

} // namespace

void addTensorListCases(std::vector<Case> &cases) {
  for (DType type : {DType::f32, DType::f16, DType::bf16}) {
    cases.push_back({"sum_many", type, "13 tensors",
                     type == DType::f32 ? Scale::Quick : Scale::Full,
                     [=](uint64_t seed) { return buildSumMany(type, 13, 5000, seed); }});
    cases.push_back({"sum_many", type, "1024 tensors", Scale::Large,
                     [=](uint64_t seed) { return buildSumMany(type, 1024, 1 << 18, seed); }});
  }
}

} // namespace tilec::harness

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the front end decides at compile time, seen in the numbers that kernels store.

#include "Execution.h"

namespace tilec::harness::test {
namespace {

TEST(LanguageTest, argumentsThatAreNone) {
  constexpr int64_t n = 300;
  for (bool hasBias : {false, true})
    for (bool hasScale : {false, true}) {
      RunBuilder builder = kernelOf("language.tile", "optional_bias");
      builder.randint("x_ptr", DType::f32, {n}, -50, 50);
      if (hasBias)
        builder.randint("bias_ptr", DType::f32, {n}, -50, 50);
      else
        builder.constant("bias_ptr", "None");
      builder.output(
          "out_ptr", DType::f32, {n},
          [&](HostArray &out) {
            for (uint64_t i = 0; i < n; ++i)
              out.set(i, (builder.array("x_ptr").at(i) +
                          (hasBias ? builder.array("bias_ptr").at(i) : 0)) *
                             (hasScale ? 3 : 1));
          },
          kExact);
      builder.i32("n", n).constant("BLOCK", 128).grid(3);
      if (hasScale)
        builder.constant("HAS_SCALE", "True");
      expectRun(builder);
    }
}

TEST(LanguageTest, heuristicsComputeConstants) {
  for (int64_t n : {100, 128}) {
    RunBuilder builder = kernelOf("language.tile", "with_heuristics");
    builder.arange("x_ptr", DType::i32, {n});
    builder.output(
        "out_ptr", DType::i32, {n},
        [&](HostArray &out) {
          for (uint64_t i = 0; i < out.size(); ++i)
            out.set(i, static_cast<double>(i + (n % 64 != 0)));
        },
        kExact);
    builder.constant("N", n);
    expectRun(builder);
  }
}

TEST(LanguageTest, compileTimeValues) {
  for (DType type : {DType::i8, DType::i32, DType::f16})
    for (bool isOne : {true, false}) {
      constexpr int n = 9;
      const std::vector<int> expected = {isOne ? 4 : 3,
                                         1 + 18 + 14,
                                         8 * 100 + 18,
                                         n + 6,
                                         8,
                                         5,
                                         16,
                                         -4 + 10,
                                         (isOne ? 4 : 3) + 2,
                                         129,
                                         type != DType::f16,
                                         1024 + 7 + 4,
                                         16 + 16 * n,
                                         15 + 5 + 15};
      RunBuilder builder = kernelOf("language.tile", "compile_time");
      builder.values("x_ptr", type, {5});
      builder.output(
          "out_ptr", DType::i32, {static_cast<int64_t>(expected.size())},
          [&](HostArray &out) {
            for (size_t i = 0; i < expected.size(); ++i)
              out.set(i, expected[i]);
          },
          kExact);
      builder.i32("n", n)
          .constant("KIND", isOne ? "'one'" : "'two'")
          .constant("DTYPE", "tl.bfloat16");
      expectRun(builder);
    }
}

} // namespace
} // namespace tilec::harness::test

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops, branches, early exits, and functions: the same lines written in C++ give the expected
// numbers.

#include "Execution.h"

#include <algorithm>

namespace tilec::harness::test {
namespace {

/// An int32 output that must hold `expected`.
void addNumbers(RunBuilder &builder, const std::vector<int> &expected) {
  builder.output(
      "out_ptr", DType::i32, {static_cast<int64_t>(expected.size())},
      [&](HostArray &out) {
        for (size_t i = 0; i < expected.size(); ++i)
          out.set(i, expected[i]);
      },
      kExact);
}

TEST(ControlFlowTest, loops) {
  for (int n : {0, 1, 2, 9, 27}) {
    int descending = 0, stepped = 0, collatz = 0, nested = 0;
    for (int i = n; i > 0; --i)
      descending = (descending * 3 + i) % 1000;
    for (int i = 2; i < n; i += 5)
      stepped = (stepped * 3 + i) % 1000;
    for (int left = n; left > 1; ++collatz)
      left = left % 2 == 0 ? left / 2 : 3 * left + 1;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j)
        nested += j > i / 2 ? j : -1;
    RunBuilder builder = kernelOf("control.tile", "loops");
    addNumbers(builder, {descending, stepped, collatz, 135, nested, 17});
    builder.i32("n", n);
    expectRun(builder);
  }
}

TEST(ControlFlowTest, breakAndContinue) {
  for (int n : {0, 3, 12, 40}) {
    int first = 0, second = 0, i = 0;
    for (int k = 0; k < n; ++k) {
      if (k % 3 == 0)
        continue;
      if (first > 100)
        break;
      first += k;
    }
    while (i < n) {
      if (++i == 4)
        continue;
      for (int j = 0; j < i && j * j <= i; ++j)
        second += j;
      if (second > 60)
        break;
    }
    RunBuilder builder = kernelOf("control.tile", "leaving");
    addNumbers(builder, {first, second, i});
    builder.i32("n", n);
    expectRun(builder);
  }
}

TEST(ControlFlowTest, branchesOnRuntimeValues) {
  const std::vector<double> inputs = {-5, -1, 0, 1, 4, 9, 10, 11};
  std::vector<int> expected;
  for (double value : inputs) {
    int x = static_cast<int>(value);
    bool odd = x % 2 != 0;
    expected.push_back(x < 0 ? -1 : x == 0 ? 0 : x < 10 ? 1 : 2);
    expected.push_back(x < 0 ? 10 : x == 0 ? 20 : x < 10 ? 30 : 40);
    expected.push_back(odd ? 7 : 8);
    expected.push_back((odd && x > 0) || x == 4);
  }
  RunBuilder builder = kernelOf("control.tile", "branches");
  builder.values("x_ptr", DType::i32, inputs);
  addNumbers(builder, expected);
  builder.i32("n", 1).grid(inputs.size());
  expectRun(builder);
}

TEST(ControlFlowTest, returnBeforeTheEnd) {
  const std::vector<double> inputs = {1, 5, 6, 4, 100};
  RunBuilder builder = kernelOf("control.tile", "early_return");
  builder.values("x_ptr", DType::i32, inputs);
  builder.fill("out_ptr", DType::i32, {5}, [](uint64_t) { return -3; });
  builder.changes(
      "out_ptr",
      [&](HostArray &out) {
        for (size_t i = 0; i < inputs.size(); ++i)
          out.set(i, inputs[i] > 5 ? 1 : inputs[i] == 5 ? -3 : 2);
      },
      kExact);
  builder.grid(inputs.size());
  expectRun(builder);
}

TEST(ControlFlowTest, functions) {
  for (int n : {3, 38}) {
    RunBuilder builder = kernelOf("control.tile", "functions");
    addNumbers(builder,
               {n / 7 * 100 + n % 7, n / 5 * 100 + n % 5, n * 2 + n * 3 + (n * 2 + 5) + n * 4,
                n * n, n * n * n, 235, (n + 1) * 100 + n, (n + 3) / 4 + 3 + 64});
    builder.i32("n", n);
    expectRun(builder);
  }
}

TEST(ControlFlowTest, blocksCarriedThroughLoops) {
  constexpr uint64_t count = 128;
  for (int n : {0, 1, 5}) {
    RunBuilder builder = kernelOf("control.tile", "carried");
    builder.randn("x_ptr", DType::f32, {count});
    builder.output(
        "out_ptr", DType::f32, {count},
        [&](HostArray &out) {
          std::vector<float> x(count), best;
          for (uint64_t i = 0; i < count; ++i)
            x[i] = static_cast<float>(builder.array("x_ptr").at(i));
          best = x;
          for (int i = 0; i < n; ++i) {
            for (uint64_t k = 0; k < count; ++k) {
              x[k] = i % 2 == 0 ? x[k] * 0.5f + 1.0f : -x[k];
              best[k] = std::max(best[k], x[k]);
              x[k] += static_cast<float>(i);
            }
            while (*std::max_element(x.begin(), x.end()) > 4.0f)
              for (float &value : x)
                value -= 1.0f;
          }
          for (uint64_t k = 0; k < count; ++k)
            out.set(k, static_cast<double>(best[k]) + static_cast<double>(x[k]));
        },
        tilecrt::Tolerance{1e-5, 1e-5});
    builder.i32("n", n).constant("N", count);
    expectRun(builder);
  }
}

} // namespace
} // namespace tilec::harness::test

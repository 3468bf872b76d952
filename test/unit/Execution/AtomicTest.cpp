// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics. Values are small integers, so that sums are exact in every type and in any order.

#include "Execution.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace tilec::harness::test {
namespace {

constexpr DType integers[] = {DType::i32, DType::u32, DType::i64, DType::u64};

/// A spread of indices below `limit` with many duplicates.
std::function<double(uint64_t)> indices(uint64_t limit) {
  return [limit](uint64_t i) { return static_cast<double>((i * 7919 + i / 13) % limit); };
}

double smallValue(uint64_t i) { return static_cast<double>(i * 31 % 7) - 3; }

uint64_t programs(int64_t n, int64_t block) {
  return static_cast<uint64_t>((n + block - 1) / block);
}

TEST(AtomicTest, histogram) {
  for (DType type : integers)
    for (int64_t n : {1, 1000, 5000}) {
      constexpr uint64_t bins = 37;
      RunBuilder builder = kernelOf("atomics.tile", "histogram");
      builder.fill("x_ptr", DType::i32, {n}, indices(bins));
      builder.fill("out_ptr", type, {bins}, [](uint64_t i) { return double(i); });
      builder.changes(
          "out_ptr",
          [&](HostArray &out) {
            std::vector<double> counts(bins);
            for (int64_t i = 0; i < n; ++i)
              ++counts[static_cast<size_t>(builder.array("x_ptr").at(static_cast<uint64_t>(i)))];
            for (uint64_t i = 0; i < bins; ++i)
              out.set(i, double(i) + counts[i]);
          },
          kExact);
      builder.i32("n", n).constant("BLOCK", 1024).grid(programs(n, 1024));
      expectRun(builder);
    }
}

/// Places are counted in the program where they are few: the range of each block decides, which
/// here is small, large, negative, or partly behind the end.
TEST(AtomicTest, addsAtPlacesOfAnyRange) {
  constexpr int64_t middle = 5000;
  for (DType type : integers)
    for (DType indexType : {DType::i32, DType::i64, DType::i16, DType::u8})
      for (int64_t block : {512, 1024})
        for (int64_t n : {1, 700, 4096, 4097}) {
          bool isWide = indexType != DType::u8;
          auto place = [=](uint64_t i) -> double {
            uint64_t number = (i * 7919 + i / 13) % 4096;
            switch (isWide ? int64_t(i) / block % 4 : 0) {
            case 0:
              return double(number % (isWide ? 100 : 256));
            case 1: // one place beyond the counters
              return i % uint64_t(block) == 77 ? double(block / 4) : double(number % 7);
            case 2:
              return double(number);
            default:
              return double(number % 100) - 50;
            }
          };
          double addend = type == DType::u32 || type == DType::u64 ? 7 : -3;
          RunBuilder builder = kernelOf("atomics.tile", "add_at");
          builder.fill("x_ptr", indexType, {n}, place);
          builder.fill("out_ptr", type, {2 * middle}, [](uint64_t i) { return double(i) + 1e5; });
          builder.changes(
              "out_ptr",
              [&](HostArray &out) {
                for (uint64_t i = 0; i < out.size(); ++i)
                  out.set(i, double(i) + 1e5);
                for (int64_t i = 0; i < n; ++i) {
                  auto at = uint64_t(middle + int64_t(place(uint64_t(i))));
                  out.set(at, out.at(at) + addend);
                }
              },
              kExact);
          builder.i32("n", n).i32("addend", int64_t(addend)).i32("middle", middle);
          builder.constant("BLOCK", block).grid(programs(n, block));
          expectRun(builder);
        }
}

TEST(AtomicTest, addsAtFewPlaces) {
  constexpr int64_t n = 4096;
  for (int64_t bins : {1, 10, 256})
    for (int64_t block : {512, 2048})
      for (int warps : {1, 4}) {
        RunBuilder builder = kernelOf("atomics.tile", "add_at_few");
        auto number = [](uint64_t i) { return double(uint32_t(i * 2654435761u)); };
        builder.fill("x_ptr", DType::u32, {n}, number);
        builder.fill("out_ptr", DType::i32, {bins + 48}, smallValue);
        builder.changes(
            "out_ptr",
            [&](HostArray &out) {
              for (uint64_t i = 0; i < out.size(); ++i)
                out.set(i, smallValue(i));
              auto add = [&](uint64_t at, double addend) { out.set(at, out.at(at) + addend); };
              for (uint64_t i = 0; i < n; ++i) {
                auto x = uint64_t(number(i));
                add(x % uint64_t(bins), -3);
                add(uint64_t(bins) + (x & 15), 1);
                add(uint64_t(bins) + 16 + (x >> 27), 2);
              }
            },
            kExact);
        builder.i32("n", n).constant("BINS", bins).constant("BLOCK", block).warps(warps);
        expectRun(builder, {"sm_80"});
      }
}

TEST(AtomicTest, scatterRowsWithDuplicates) {
  struct Size {
    int64_t n, width, columns;
  };
  for (DType type : {DType::f32, DType::f16, DType::bf16, DType::f64, DType::i32, DType::u64})
    for (Size size : {Size{100, 64, 64}, Size{33, 50, 64}, Size{17, 7, 8}, Size{40, 256, 256}}) {
      constexpr uint64_t places = 5;
      RunBuilder builder = kernelOf("atomics.tile", "scatter_rows");
      builder.fill("x_ptr", type, {size.n, size.width},
                   [&](uint64_t i) { return isFloat(type) ? smallValue(i) : double(i % 5); });
      builder.fill("index_ptr", DType::i32, {size.n}, indices(places));
      builder.fill("out_ptr", type, {int64_t(places), size.width}, [](uint64_t) { return 1; });
      builder.changes(
          "out_ptr",
          [&](HostArray &out) {
            std::vector<double> sums(places * uint64_t(size.width), 1.0);
            for (uint64_t i = 0; i < uint64_t(size.n * size.width); ++i) {
              auto row =
                  static_cast<uint64_t>(builder.array("index_ptr").at(i / uint64_t(size.width)));
              sums[row * uint64_t(size.width) + i % uint64_t(size.width)] +=
                  builder.array("x_ptr").at(i);
            }
            for (uint64_t i = 0; i < sums.size(); ++i)
              out.set(i, sums[i]);
          },
          kExact);
      builder.i32("n", size.n).i32("width", size.width);
      builder.constant("ROWS", 16).constant("COLS", size.columns).grid(programs(size.n, 16));
      expectRun(builder);
    }
}

TEST(AtomicTest, denseAddsAreVectors) {
  for (DType type : {DType::f32, DType::f16, DType::bf16, DType::f64, DType::i64})
    for (int64_t block : {16, 128, 1024}) {
      constexpr uint64_t grid = 6;
      RunBuilder builder = kernelOf("atomics.tile", "add_dense");
      builder.fill("x_ptr", type, {int64_t(grid), block}, smallValue);
      builder.fill("out_ptr", type, {block}, smallValue);
      builder.changes(
          "out_ptr",
          [&](HostArray &out) {
            for (uint64_t i = 0; i < uint64_t(block); ++i) {
              double sum = smallValue(i);
              for (uint64_t p = 0; p < grid; ++p)
                sum += smallValue(p * uint64_t(block) + i);
              out.set(i, sum);
            }
          },
          kExact);
      builder.constant("BLOCK", block).grid(grid);
      expectRun(builder);
    }
}

TEST(AtomicTest, oldValuesOfDenseAdds) {
  for (DType type : {DType::f32, DType::f16, DType::bf16, DType::f64, DType::u32})
    for (int64_t block : {8, 64, 2048}) {
      auto before = [](uint64_t i) { return double(i % 100); };
      RunBuilder builder = kernelOf("atomics.tile", "add_dense_old");
      builder.fill("x_ptr", type, {block}, [](uint64_t i) { return double(i % 9); });
      builder.fill("out_ptr", type, {block}, before);
      builder.changes(
          "out_ptr",
          [&](HostArray &out) {
            for (uint64_t i = 0; i < out.size(); ++i)
              out.set(i, before(i) + double(i % 9));
          },
          kExact);
      builder.output(
          "old_ptr", type, {block},
          [&](HostArray &out) {
            for (uint64_t i = 0; i < out.size(); ++i)
              out.set(i, before(i));
          },
          kExact);
      builder.constant("BLOCK", block);
      expectRun(builder);
    }
}

/// Values of both signs, zeros of both signs, and infinities for floats.
double extremeValue(DType type, uint64_t i) {
  if (type == DType::u32 || type == DType::u64)
    return type == DType::u32 && i % 5 == 0 ? 4294967000.0 - double(i % 64) : double(i * 37 % 1000);
  if (isFloat(type) && i % 11 == 0)
    return i % 2 ? 0.0 : -0.0;
  if (isFloat(type) && i % 101 == 0)
    return i % 2 ? HUGE_VAL : -HUGE_VAL;
  return (double(i * 37 % 1000) - 500) * (isFloat(type) ? 0.25 : 1);
}

TEST(AtomicTest, minimumAndMaximum) {
  for (DType type : {DType::f32, DType::f64, DType::i32, DType::i64, DType::u32, DType::u64}) {
    constexpr int64_t n = 1500, groups = 40;
    bool hasSign = type != DType::u32 && type != DType::u64;
    // Groups begin on either side of zero: some extremes stay what they were.
    auto low = [&](uint64_t i) { return i % 3 ? 900.0 : hasSign ? -3.0 : 3.0; };
    auto high = [&](uint64_t i) { return i % 3 && hasSign ? -900.0 : 3.0; };
    RunBuilder builder = kernelOf("atomics.tile", "extremes");
    builder.fill("x_ptr", type, {n}, [&](uint64_t i) { return extremeValue(type, i); });
    builder.fill("group_ptr", DType::i32, {n}, indices(groups));
    auto compute = [&](HostArray &out, const std::function<double(uint64_t)> &before, bool isMax) {
      for (uint64_t i = 0; i < out.size(); ++i)
        out.set(i, before(i));
      for (uint64_t i = 0; i < n; ++i) {
        auto group = static_cast<uint64_t>(builder.array("group_ptr").at(i));
        double x = builder.array("x_ptr").at(i), old = out.at(group);
        out.set(group, isMax ? std::max(x, old) : std::min(x, old));
      }
    };
    builder.fill("low_ptr", type, {groups}, low).fill("high_ptr", type, {groups}, high);
    builder.changes("low_ptr", [&](HostArray &out) { compute(out, low, false); }, kExact);
    builder.changes("high_ptr", [&](HostArray &out) { compute(out, high, true); }, kExact);
    builder.i32("n", n).constant("BLOCK", 256).grid(programs(n, 256));
    expectRun(builder);
  }
}

TEST(AtomicTest, minimumAndMaximumGiveOldValues) {
  for (DType type : {DType::f32, DType::f64}) {
    constexpr int64_t n = 512;
    auto x = [](uint64_t i) { return double(int64_t(i * 37 % 101)) - 50; };
    auto before = [](uint64_t i) { return double(int64_t(i * 53 % 97)) - 48; };
    RunBuilder builder = kernelOf("atomics.tile", "extremes_old");
    builder.fill("x_ptr", type, {n}, x);
    builder.fill("low_ptr", type, {n}, before).fill("high_ptr", type, {n}, before);
    auto each = [](const std::function<double(uint64_t)> &value) {
      return [value](HostArray &out) {
        for (uint64_t i = 0; i < out.size(); ++i)
          out.set(i, value(i));
      };
    };
    builder.changes("low_ptr", each([&](uint64_t i) { return std::min(x(i), before(i)); }), kExact);
    builder.changes("high_ptr", each([&](uint64_t i) { return std::max(x(i), before(i)); }),
                    kExact);
    builder.output("old_low_ptr", type, {n}, each(before), kExact);
    builder.output("old_high_ptr", type, {n}, each(before), kExact);
    builder.constant("BLOCK", n);
    expectRun(builder);
  }
}

TEST(AtomicTest, bitwiseOperations) {
  for (DType type : integers) {
    constexpr int64_t n = 900, groups = 33;
    RunBuilder builder = kernelOf("atomics.tile", "bits");
    auto x = [](uint64_t i) { return double(i * 2654435761u % 65536); };
    builder.fill("x_ptr", type, {n}, x).fill("group_ptr", DType::i32, {n}, indices(groups));
    auto fold = [&](uint64_t start, uint64_t (*combine)(uint64_t, uint64_t)) {
      return [&builder, x, start, combine](HostArray &out) {
        std::vector<uint64_t> values(groups, start);
        for (uint64_t i = 0; i < n; ++i) {
          uint64_t &value = values[static_cast<size_t>(builder.array("group_ptr").at(i))];
          value = combine(value, static_cast<uint64_t>(x(i)));
        }
        for (uint64_t i = 0; i < groups; ++i)
          out.set(i, double(values[i]));
      };
    };
    for (auto [name, start] :
         {std::pair<const char *, double>{"and_ptr", 65535}, {"or_ptr", 256}, {"xor_ptr", 77}})
      builder.fill(name, type, {groups}, [start = start](uint64_t) { return start; });
    builder.changes("and_ptr", fold(65535, [](uint64_t a, uint64_t b) { return a & b; }), kExact);
    builder.changes("or_ptr", fold(256, [](uint64_t a, uint64_t b) { return a | b; }), kExact);
    builder.changes("xor_ptr", fold(77, [](uint64_t a, uint64_t b) { return a ^ b; }), kExact);
    builder.i32("n", n).constant("BLOCK", 256).grid(programs(n, 256));
    expectRun(builder);
  }
}

TEST(AtomicTest, exchangeGivesZeroWhereMaskedOff) {
  for (DType type : {DType::f32, DType::f64, DType::i32, DType::u64}) {
    constexpr int64_t n = 700;
    auto before = [](uint64_t i) { return double(i + 1); };
    RunBuilder builder = kernelOf("atomics.tile", "exchange");
    builder.fill("x_ptr", type, {n}, [](uint64_t i) { return double(5000 + i); });
    builder.fill("place_ptr", type, {n}, before);
    builder.changes(
        "place_ptr",
        [&](HostArray &out) {
          for (uint64_t i = 0; i < n; ++i)
            out.set(i, i % 3 ? double(5000 + i) : before(i));
        },
        kExact);
    builder.output(
        "old_ptr", type, {n},
        [&](HostArray &out) {
          for (uint64_t i = 0; i < n; ++i)
            out.set(i, i % 3 ? before(i) : 0);
        },
        kExact);
    builder.i32("n", n).constant("BLOCK", 256).grid(programs(n, 256));
    expectRun(builder);
  }
}

TEST(AtomicTest, compareAndSwap) {
  for (DType type :
       {DType::i32, DType::u64, DType::i16, DType::f16, DType::bf16, DType::f32, DType::f64})
    for (int64_t n : {32, 256, 1024, 96}) {
      auto before = [](uint64_t i) { return double(i % 50); };
      auto expected = [](uint64_t i) { return double(i % 4 == 1 ? i % 50 : i % 50 + 1); };
      RunBuilder builder = kernelOf("atomics.tile", "replace");
      builder.fill("place_ptr", type, {n}, before).fill("expected_ptr", type, {n}, expected);
      builder.fill("new_ptr", type, {n}, [](uint64_t) { return 99; });
      builder.changes(
          "place_ptr",
          [&](HostArray &out) {
            for (uint64_t i = 0; i < out.size(); ++i)
              out.set(i, i % 4 == 1 ? 99 : before(i));
          },
          kExact);
      builder.output(
          "old_ptr", type, {n},
          [&](HostArray &out) {
            for (uint64_t i = 0; i < out.size(); ++i)
              out.set(i, before(i));
          },
          kExact);
      builder.constant("BLOCK", n);
      expectRun(builder);
    }
}

TEST(AtomicTest, oldValuesReachAllThreads) {
  for (uint64_t n : {1, 2, 16, 64})
    for (int warps : {1, 4, 8}) {
      auto before = [](uint64_t i) { return double(i * i % 23); };
      RunBuilder builder = kernelOf("atomics.tile", "few");
      builder.fill("place_ptr", DType::i32, {int64_t(n)}, before);
      builder.changes(
          "place_ptr",
          [&](HostArray &out) {
            for (uint64_t i = 0; i < n; ++i)
              out.set(i, before(i) + double(i) + 1);
          },
          kExact);
      builder.output(
          "old_ptr", DType::i32, {int64_t(n), int64_t(n)},
          [&](HostArray &out) {
            for (uint64_t i = 0; i < n * n; ++i)
              out.set(i, before(i / n) + 100 * before(i % n));
          },
          kExact);
      builder.output(
          "sum_ptr", DType::i32, {1},
          [&](HostArray &out) {
            double sum = 0;
            for (uint64_t i = 0; i < n; ++i)
              sum += before(i);
            out.set(0, sum);
          },
          kExact);
      builder.constant("N", int64_t(n)).warps(warps);
      expectRun(builder);
    }
}

TEST(AtomicTest, ticketsAreTakenOnce) {
  for (int warps : {1, 4}) {
    constexpr uint64_t grid = 50, block = 64;
    RunBuilder builder = kernelOf("atomics.tile", "tickets");
    builder.fill("counter_ptr", DType::i32, {1}, [](uint64_t) { return 0; });
    builder.changes("counter_ptr", [](HostArray &out) { out.set(0, grid); }, kExact);
    builder.output(
        "out_ptr", DType::i32, {grid, block},
        [](HostArray &out) {
          for (uint64_t i = 0; i < out.size(); ++i)
            out.set(i, double(i));
        },
        kExact);
    builder.constant("BLOCK", int64_t(block)).warps(warps).grid(grid);
    expectRun(builder);
  }
}

TEST(AtomicTest, scalars) {
  for (DType type : {DType::i32, DType::i64})
    for (int flag : {0, 1}) {
      RunBuilder builder = kernelOf("atomics.tile", "scalars");
      builder.values("place_ptr", type, {1, 2, 3, 4, 5});
      builder.changes(
          "place_ptr",
          [&](HostArray &out) {
            for (auto [i, value] :
                 {std::pair<uint64_t, double>{0, 6}, {1, 7}, {2, flag ? 9 : 3}, {3, 5}, {4, 10}})
              out.set(i, value);
          },
          kExact);
      builder.output(
          "out_ptr", type, {3},
          [&](HostArray &out) {
            out.set(0, 2);
            out.set(1, flag ? 3 : 0);
            out.set(2, 4 + 5);
          },
          kExact);
      builder.i32("flag", flag);
      expectRun(builder);
    }
}

TEST(AtomicTest, scalarFloats) {
  for (double x : {-2.5, 2.5}) {
    RunBuilder builder = kernelOf("atomics.tile", "scalar_floats");
    builder.values("place_ptr", DType::f32, {1, -1, 1, x});
    builder.changes(
        "place_ptr",
        [&](HostArray &out) {
          out.set(0, 1 + x);
          out.set(1, std::max(-1.0, x));
          out.set(2, std::min(1.0, x));
          out.set(3, x + 1);
        },
        kExact);
    builder.output(
        "out_ptr", DType::f32, {4},
        [&](HostArray &out) {
          for (auto [i, value] : {std::pair<uint64_t, double>{0, 1}, {1, -1}, {2, 1}, {3, x}})
            out.set(i, value);
        },
        kExact);
    builder.f32("x", x);
    expectRun(builder);
  }
}

TEST(AtomicTest, manyElementsInOnePlace) {
  for (DType type : {DType::f32, DType::i32}) {
    constexpr int64_t n = 1000;
    RunBuilder builder = kernelOf("atomics.tile", "one_place");
    builder.fill("x_ptr", type, {n}, smallValue);
    builder.fill("out_ptr", type, {1}, [](uint64_t) { return 10; });
    builder.changes(
        "out_ptr",
        [](HostArray &out) {
          double sum = 10;
          for (uint64_t i = 0; i < n; ++i)
            sum += smallValue(i);
          out.set(0, sum);
        },
        kExact);
    builder.i32("n", n).constant("BLOCK", 256).grid(programs(n, 256));
    expectRun(builder);
  }
}

TEST(AtomicTest, lockFreeCounter) {
  constexpr int64_t grid = 20, times = 5;
  RunBuilder builder = kernelOf("atomics.tile", "increment");
  builder.fill("counter_ptr", DType::i32, {1}, [](uint64_t) { return 3; });
  builder.changes("counter_ptr", [](HostArray &out) { out.set(0, 3 + grid * times); }, kExact);
  builder.i32("times", times).grid(grid);
  expectRun(builder);
}

TEST(AtomicTest, lockAroundPlainAccesses) {
  for (int warps : {1, 4}) {
    constexpr uint64_t grid = 12, block = 256;
    RunBuilder builder = kernelOf("atomics.tile", "locked");
    builder.values("lock_ptr", DType::i32, {0});
    builder.changes("lock_ptr", [](HostArray &out) { out.set(0, 0); }, kExact);
    builder.fill("sum_ptr", DType::i32, {block}, [](uint64_t i) { return double(i); });
    builder.changes(
        "sum_ptr",
        [](HostArray &out) {
          for (uint64_t i = 0; i < block; ++i)
            out.set(i, double(i + grid * i + grid * (grid - 1) / 2));
        },
        kExact);
    builder.constant("BLOCK", int64_t(block)).warps(warps).grid(grid);
    expectRun(builder);
  }
}

RunBuilder lastAdds(const std::string &kernel) {
  constexpr uint64_t grid = 16, block = 128;
  RunBuilder builder = kernelOf("atomics.tile", kernel);
  builder.fill("x_ptr", DType::f32, {grid, block}, smallValue);
  builder.fill("partial_ptr", DType::f32, {grid, block}, [](uint64_t) { return -7; });
  builder.changes("partial_ptr", [](HostArray &out) {
    for (uint64_t i = 0; i < out.size(); ++i)
      out.set(i, 2 * smallValue(i));
  });
  builder.values("counter_ptr", DType::i32, {0});
  builder.changes("counter_ptr", [](HostArray &out) { out.set(0, grid); }, kExact);
  builder.output("out_ptr", DType::f32, {block}, [](HostArray &out) {
    for (uint64_t i = 0; i < block; ++i) {
      double sum = 0;
      for (uint64_t p = 0; p < grid; ++p)
        sum += 2 * smallValue(p * block + i);
      out.set(i, sum);
    }
  });
  builder.constant("BLOCK", int64_t(block)).constant("PROGRAMS", int64_t(grid)).grid(grid);
  return builder;
}

TEST(AtomicTest, whoComesLastSeesWhatAllStored) {
  RunBuilder builder = lastAdds("last_adds");
  expectRun(builder);
}

TEST(AtomicTest, relaxedOrderIsARace) {
  RunBuilder builder = lastAdds("last_adds_relaxed");
  Outcome outcome = simulateRun(builder);
  EXPECT_TRUE(std::any_of(outcome.simulation.findings.begin(), outcome.simulation.findings.end(),
                          [](const tilecrt::sim::Finding &finding) {
                            return finding.kind == tilecrt::sim::FindingKind::GlobalRaceReadWrite;
                          }));
}

} // namespace
} // namespace tilec::harness::test

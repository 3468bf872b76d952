// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps with roles, and copies that are started in front of the epilogue of the tile before: every
// count of iterations around the depth of a ring, over several tiles and over loops that share a
// ring. A wait that nobody ends is a deadlock on the simulator, and a slot
// that is filled before it is released is a race.

#include "DotTolerance.h"

namespace tilec::harness::test {
namespace {

struct RolesCase {
  int64_t first = 0, steps = 0;
  int64_t m = 100, n = 72, blockM = 64, blockN = 64, step = 32;
  int warps = 4, stages = 3;
  DType type = DType::f16;
  bool roles = true;
};

/// The sum over x of a(i, x) b(x, j), or the same where each step along K halves what is there.
double product(const RunBuilder &builder, int64_t i, int64_t j, int64_t depth, int64_t k, int64_t n,
               int64_t step, bool isHalved) {
  double sum = 0;
  for (int64_t x = 0; x < depth; ++x) {
    if (isHalved && x % step == 0)
      sum *= 0.5;
    sum += builder.array("a_ptr").at(uint64_t(i * k + x)) *
           builder.array("b_ptr").at(uint64_t(x * n + j));
  }
  return sum;
}

RunBuilder kernelFor(const RolesCase &c, const std::string &kernel, int64_t k) {
  RunBuilder builder = kernelOf("roles.tile", kernel);
  builder.randn("a_ptr", c.type, {c.m, k}).randn("b_ptr", c.type, {k, c.n});
  builder.i32("M", int32_t(c.m)).i32("N", int32_t(c.n)).i32("K", int32_t(k));
  builder.i32("steps", int32_t(c.steps));
  builder.constant("BLOCK_M", c.blockM).constant("BLOCK_N", c.blockN).constant("STEP", c.step);
  builder.constant("STAGES", c.stages).warps(c.warps);
  return builder;
}

void expectTiles(const RolesCase &c) {
  SCOPED_TRACE(::testing::Message()
               << c.first << " and " << c.steps << " iterations, " << c.stages << " stages, "
               << c.warps << " warps, blocks of " << c.blockM << (c.roles ? ", roles" : ""));
  int64_t k = std::max<int64_t>(1, c.steps) * c.step;
  RunBuilder builder = kernelFor(c, "tiles", k);
  builder.output(
      "out_ptr", DType::f32, {c.m, c.n},
      [&](HostArray &out) {
        for (int64_t i = 0; i < c.m; ++i)
          for (int64_t j = 0; j < c.n; ++j)
            out.set(uint64_t(i * c.n + j),
                    product(builder, i, j, c.steps * c.step, k, c.n, c.step, false));
      },
      dotTolerance(c.type, DType::f32, k, false));
  builder.i32("first", int32_t(c.first)).constant("ROLES", c.roles ? "True" : "False");
  expectRun(builder.constant("PROGRAMS", 2).grid(2, 1));
}

void expectTilesOfAnyNumber(bool roles) {
  for (int stages : {2, 3, 4})
    for (int64_t steps : {0, 1, stages - 1, stages, stages + 1, 2 * stages + 1}) {
      RolesCase c;
      c.roles = roles;
      c.stages = stages, c.steps = steps;
      // Three tiles for one of the two programs, with ragged ends.
      c.m = 180;
      c.first = steps / 2;
      expectTiles(c);
    }
}

TEST(Roles, runAnyNumberOfIterations) { expectTilesOfAnyNumber(true); }

TEST(OverlappedEpilogues, runAnyNumberOfIterations) { expectTilesOfAnyNumber(false); }

void expectTwoLoops(bool roles) {
  for (int64_t first : {0, 1, 2, 3, 5}) {
    RolesCase c;
    c.roles = roles;
    c.first = first, c.steps = 5;
    expectTiles(c);
  }
}

TEST(Roles, shareRingsBetweenLoops) { expectTwoLoops(true); }

TEST(OverlappedEpilogues, goOnFromLoopToLoop) { expectTwoLoops(false); }

TEST(OverlappedEpilogues, ofLoopsThatGoOnWithTheNextTile) {
  // Those of large products: the second loop of a tile, or both.
  for (auto [stages, blockN, step] :
       {std::tuple<int, int64_t, int64_t>(3, 256, 32), {4, 256, 32}, {2, 128, 64}})
    for (int64_t steps : {0, 1, 2, 3, 7}) {
      RolesCase c;
      c.roles = false;
      c.warps = 8, c.blockM = 128, c.blockN = blockN, c.step = step, c.stages = stages;
      // Three tiles for one of the two programs.
      c.m = 600, c.steps = steps, c.first = steps / 3;
      expectTiles(c);
    }
}

TEST(OverlappedEpilogues, ofNoTileOrOne) {
  // The second of the two programs has none, or each has one.
  for (int64_t n : {56, 72}) {
    RolesCase c;
    c.roles = false, c.m = 60, c.n = n, c.steps = 4, c.first = 1;
    expectTiles(c);
  }
}

TEST(Roles, ofWarpgroupsThatHandOverRegisters) {
  RolesCase c;
  c.warps = 8, c.blockM = 128, c.steps = 4, c.first = 1;
  expectTiles(c);
}

TEST(Roles, readThroughTheGenericProxy) {
  // Blocks that wgmma does not take, and operands that it cannot transpose.
  RolesCase small;
  small.blockM = 16, small.blockN = 32, small.steps = 4, small.m = 40;
  expectTiles(small);
  RolesCase single;
  single.type = DType::f32, single.steps = 4, single.first = 2;
  expectTiles(single);
}

TEST(Roles, copyFromWhereMemoryAndBranchesSay) {
  for (auto [i, j] : {std::pair<int32_t, int32_t>(0, 3), {5, 2}}) {
    RolesCase c;
    c.steps = 4;
    int64_t k = c.steps * c.step;
    RunBuilder builder = kernelFor(c, "chosen", k);
    builder.values("i_ptr", DType::i32, {double(i)}).values("j_ptr", DType::i32, {double(j)});
    int64_t row = i > 1 ? i - 1 : i, column = i > 1 ? j + 1 : j;
    builder.output(
        "out_ptr", DType::f32, {c.blockM, c.blockN},
        [&](HostArray &out) {
          for (int64_t y = 0; y < c.blockM; ++y)
            for (int64_t x = 0; x < c.blockN; ++x)
              out.set(uint64_t(y * c.blockN + x),
                      column + x < c.n
                          ? product(builder, row + y, column + x, k, k, c.n, c.step, true)
                          : 0);
        },
        dotTolerance(c.type, DType::f32, k, false));
    expectRun(builder);
  }
}

/// What the coordinates of keys and values are made of: the counter of the loop, or a scalar that
/// the loop carries, for the values alone or for both.
enum class Coordinates { Counter, OfValues, Shared };

/// Weights computed from products, multiplied one iteration later: `first` and `steps - first`
/// iterations for each of three tiles.
void expectWeighed(const RolesCase &c, Coordinates coordinates) {
  SCOPED_TRACE(::testing::Message() << c.first << " and " << c.steps << " iterations, " << c.stages
                                    << " stages, " << c.warps << " warps, coordinates "
                                    << int(coordinates) << (c.roles ? ", roles" : ""));
  constexpr int64_t depth = 32;
  constexpr double scale = 0.125;
  int64_t keys = std::max<int64_t>(1, c.steps) * c.step;
  RunBuilder builder = kernelOf("roles.tile", "weighed");
  builder.randn("q_ptr", c.type, {c.m, depth}).randn("k_ptr", c.type, {keys, depth});
  builder.randn("v_ptr", c.type, {keys, depth});
  builder.output(
      "out_ptr", DType::f32, {c.m, depth},
      [&](HostArray &out) {
        std::vector<double> scores(size_t(c.steps * c.step));
        for (int64_t i = 0; i < c.m; ++i) {
          for (int64_t key = 0; key < c.steps * c.step; ++key) {
            double score = 0;
            for (int64_t x = 0; x < depth; ++x)
              score += builder.array("q_ptr").at(uint64_t(i * depth + x)) *
                       builder.array("k_ptr").at(uint64_t(key * depth + x));
            scores[size_t(key)] = score * scale;
          }
          for (int64_t j = 0; j < depth; ++j) {
            double sum = 0;
            for (int64_t key = 0; key < c.steps * c.step; ++key)
              sum = (key % c.step == 0 ? sum * 0.5 : sum) +
                    scores[size_t(key)] * builder.array("v_ptr").at(uint64_t(key * depth + j));
            out.set(uint64_t(i * depth + j), sum);
          }
        }
      },
      // The weights are rounded.
      dotTolerance(c.type, c.type, 4 * c.step, false));
  builder.i32("M", int32_t(c.m)).i32("N", int32_t(keys));
  builder.i32("first", int32_t(c.first)).i32("steps", int32_t(c.steps)).f32("scale", scale);
  builder.constant("DEPTH", depth).constant("BLOCK_M", c.blockM).constant("STEP", c.step);
  builder.constant("STAGES", c.stages).constant("COORDINATES", int64_t(coordinates));
  builder.constant("ROLES", c.roles ? "True" : "False");
  expectRun(builder.constant("PROGRAMS", 2).warps(c.warps).grid(2, 1));
}

void expectDelayedDots(bool roles) {
  for (int stages : {2, 3, 4})
    for (int64_t steps : {0, 1, stages - 1, stages, stages + 1, 2 * stages + 1})
      for (int64_t first : {int64_t(0), std::min<int64_t>(1, steps)}) {
        RolesCase c;
        c.roles = roles;
        c.stages = stages, c.steps = steps, c.first = first, c.m = 180;
        expectWeighed(c, Coordinates::Counter);
      }
}

TEST(Roles, runDelayedDotsAnyNumberOfTimes) { expectDelayedDots(true); }

TEST(OverlappedEpilogues, runDelayedDotsAnyNumberOfTimes) { expectDelayedDots(false); }

TEST(OverlappedEpilogues, ofSlotsThatWarpgroupsRelease) {
  for (int64_t steps : {0, 1, 2, 3, 7}) {
    RolesCase c;
    c.roles = false;
    c.warps = 8, c.blockM = 128, c.m = 420, c.steps = steps, c.first = steps / 2;
    expectWeighed(c, Coordinates::Counter);
  }
}

TEST(Roles, delayWhatTheCoordinatesAreCountedIn) {
  for (Coordinates coordinates : {Coordinates::OfValues, Coordinates::Shared}) {
    RolesCase c;
    c.steps = 5, c.first = 2, c.m = 180;
    expectWeighed(c, coordinates);
    c.warps = 8, c.blockM = 128;
    expectWeighed(c, coordinates);
  }
}

} // namespace
} // namespace tilec::harness::test

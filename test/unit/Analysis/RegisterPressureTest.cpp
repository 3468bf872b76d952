// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RegisterPressure against the definition of liveness, in nests of loops and branches, and what it
// says after tensors were made again against a new analysis.

#include "tilec/Analysis/RegisterPressure.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilec;

namespace {

class RegisterPressureTest : public testing::Test {
protected:
  RegisterPressureTest() {
    context.loadDialect<tile::TileDialect, tilegpu::TileGPUDialect, func::FuncDialect,
                        arith::ArithDialect, scf::SCFDialect>();
  }

  /// "SUM a" in the text stands for the sum of the elements of tensor a.
  func::FuncOp parse(llvm::StringRef body) {
    std::string text = R"(
#a = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>
!f = tensor<512xf32, #a>
!h = tensor<512xbf16, #a>
!p = tensor<512x!tile.ptr<f32>, #a>
!q = tensor<512x!tile.ptr<bf16>, #a>
module attributes {tile.target = "sm_90a", tilegpu.num_warps = 4 : i32} {
)";
    unsigned sums = 0;
    while (!body.empty()) {
      auto [before, after] = body.split("SUM ");
      text += before;
      llvm::StringRef name = after.take_until([](char letter) { return letter == '\n'; });
      if (before.size() != body.size())
        text += llvm::formatv("tile.reduce({0}) axis = 0 : (!f) -> f32 {{\n"
                              "^bb0(%l{1}: f32, %r{1}: f32):\n"
                              "%t{1} = arith.addf %l{1}, %r{1} : f32\n"
                              "tile.yield %t{1} : f32\n}",
                              name, sums++)
                    .str();
      body = after.drop_front(name.size());
    }
    module = parseSourceString<ModuleOp>(text + "}\n", &context);
    EXPECT_TRUE(module);
    return module ? *module->getOps<func::FuncOp>().begin() : func::FuncOp();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

/// By the definition: computed before the point, used behind it.
bool isLiveAt(Value value, Operation *point) {
  Operation *def = value.getDefiningOp();
  Operation *here = ancestorIn(value.getParentBlock(), point);
  if (!here || (def && def != point && (def == here || !def->isBeforeInBlock(here))))
    return false;
  return RegisterPressure::isUsedAfter(value, point);
}

/// The live tensors of each point, in any order.
void expectDefinition(func::FuncOp func) {
  RegisterPressure pressure(func);
  SmallVector<Value> all;
  func->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      all.push_back(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(all, block.getArguments());
  });
  EXPECT_FALSE(pressure.getPoints().empty());
  for (const RegisterPressure::Point &point : pressure.getPoints()) {
    int64_t registers = 0;
    for (Value value : all) {
      bool isLive = pressure.isData(value) && isLiveAt(value, point.op);
      EXPECT_EQ(llvm::is_contained(point.live, value), isLive);
      registers += isLive ? registersOf(value) : 0;
    }
    EXPECT_EQ(point.registers, registers);
  }
}

const char kNest[] = R"(
func.func @f(%p: !p, %c: i1, %n: i32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = tile.load %p : !p
  %y = tile.load %p : !p
  %z = tile.load %p : !p
  %s = SUM %x
  %o = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (!f) : i32 {
    %u = tile.load %p : !p
    %s1 = SUM %u
    %v = arith.mulf %u, %y : !f
    %s2 = SUM %v
    %w = scf.if %c -> (!f) {
      %s3 = SUM %u
      %k = tile.splat %s3 : f32 -> !f
      scf.yield %k : !f
    } else {
      %s4 = SUM %v
      %k = arith.addf %a, %u : !f
      scf.yield %k : !f
    }
    %s5 = SUM %w
    scf.for %j = %c0 to %n step %c1 : i32 {
      %s6 = SUM %w
      %t = tile.load %p : !p
      %s7 = SUM %t
      %b = arith.addf %t, %w : !f
      tile.store %p, %b : !p
    }
    tile.store %p, %v : !p
    scf.yield %w : !f
  }
  %e = arith.addf %o, %z : !f
  %s8 = SUM %e
  tile.store %p, %e : !p
  func.return %s8 : f32
})";

TEST_F(RegisterPressureTest, isLivenessInNests) {
  func::FuncOp func = parse(kNest);
  ASSERT_TRUE(func);
  expectDefinition(func);
}

TEST_F(RegisterPressureTest, carriedPointersAreNoData) {
  func::FuncOp func = parse(R"(
func.func @f(%p: !p, %d: tensor<512xi32, #a>, %n: i32) -> !p {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %o = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p) -> (!p) : i32 {
    %x = tile.load %a : !p
    %s = SUM %x
    %b = tile.addptr %a, %d : !p, tensor<512xi32, #a>
    scf.yield %b : !p
  }
  func.return %o : !p
})");
  ASSERT_TRUE(func);
  RegisterPressure pressure(func);
  EXPECT_FALSE(pressure.isData(func.getArgument(0)));
  EXPECT_TRUE(pressure.isData(func.getArgument(1)));
  func.walk([&](scf::ForOp loop) {
    EXPECT_FALSE(pressure.isData(loop.getResult(0)));
    EXPECT_FALSE(pressure.isData(loop.getRegionIterArg(0)));
  });
  ASSERT_EQ(pressure.getPoints().size(), 1u);
  EXPECT_EQ(pressure.getPoints().front().registers, 4);
}

TEST_F(RegisterPressureTest, knowsWhatWasMadeAgain) {
  func::FuncOp func = parse(R"(
func.func @f(%q: !q, %p: !p) -> f32 {
  %h = tile.load %q : !q
  %x = arith.extf %h : !h to !f
  %s1 = SUM %x
  %y = tile.load %p : !p
  %s2 = SUM %y
  %z = arith.mulf %x, %y : !f
  %s3 = SUM %z
  %k = arith.mulf %x, %z : !f
  tile.store %p, %k : !p
  func.return %s3 : f32
})");
  ASSERT_TRUE(func);
  RegisterPressure pressure(func);
  SmallVector<Operation *> ops;
  for (Operation &op : func.getBody().front())
    ops.push_back(&op);
  Operation *load = ops[0], *widened = ops[1], *sum = ops[2], *first = ops[5];
  OpBuilder builder(first);
  auto refresh = tilegpu::RefreshOp::create(builder, first->getLoc(), load->getResult(0).getType(),
                                            load->getResult(0));
  IRMapping mapping;
  mapping.map(load->getResult(0), refresh.getResult());
  Operation *again = builder.clone(*widened, mapping);
  widened->getResult(0).replaceUsesWithIf(
      again->getResult(0), [&](OpOperand &use) { return !use.getOwner()->isBeforeInBlock(first); });
  pressure.noteRecomputed(widened->getResult(0), load->getResult(0), sum, first, {refresh, again});

  RegisterPressure anew(func);
  ASSERT_EQ(pressure.getPoints().size(), anew.getPoints().size());
  for (auto [updated, expected] : llvm::zip(pressure.getPoints(), anew.getPoints())) {
    EXPECT_EQ(updated.op, expected.op);
    EXPECT_EQ(updated.registers, expected.registers);
    EXPECT_EQ(updated.passing, expected.passing);
    llvm::SmallDenseSet<Value> live(expected.live.begin(), expected.live.end());
    EXPECT_EQ(updated.live.size(), live.size());
    for (Value value : updated.live)
      EXPECT_TRUE(live.contains(value));
  }
  EXPECT_TRUE(pressure.isData(again->getResult(0)));
}

} // namespace

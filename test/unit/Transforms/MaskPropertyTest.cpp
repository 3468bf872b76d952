// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mask passes do not change what programs do: random masked programs, among them ones whose
// index arithmetic wraps around, run before and after the passes on random and on extreme
// arguments, and make the same accesses in the same order. The tests also want the passes to have
// had something to do.

#include "TileInterpreter.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "tilec/Transforms/Tile/Passes.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace tilec;
using namespace tilec::test;

namespace {

constexpr int64_t kLanes = 64;

/// Builds a random function with a masked load and store, in a loop or not:
///   f(base pointer, lower, upper, step, a, b), the last five of one random integer type
class Generator {
public:
  Generator(MLIRContext &context, unsigned seed, bool withLoop)
      : builder(&context), loc(builder.getUnknownLoc()), random(seed), hasLoop(withLoop) {}

  OwningOpRef<ModuleOp> build() {
    OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
    (*module)->setAttr("tile.num_warps", builder.getI32IntegerAttr(1));
    builder.setInsertionPointToEnd(module->getBody());
    width = pick<unsigned>({8, 16, 32, 32, 64, 64});
    type = builder.getIntegerType(width);
    Type pointer = tile::PtrType::get(builder.getI8Type());
    auto func = func::FuncOp::create(
        builder, loc, "f", builder.getFunctionType({pointer, type, type, type, type, type}, {}));
    func.setArgAttr(0, "tile.divisibility", builder.getI32IntegerAttr(16));
    body = func.addEntryBlock();
    builder.setInsertionPointToEnd(body);
    Value id = tile::ProgramIdOp::create(builder, loc, builder.getI32Type(), 0);
    if (hasLoop)
      buildLoop();
    else
      buildMasked(product(resize(id, type), pick<int64_t>({1, kLanes, 3})), Value());
    func::ReturnOp::create(builder, loc);
    return module;
  }

private:
  template <typename T> T pick(std::initializer_list<T> values) {
    return values.begin()[random() % values.size()];
  }
  bool chance(unsigned percent) { return random() % 100 < percent; }
  Value argument(unsigned index) { return body->getArgument(index); }

  Value constant(int64_t value, Type of) {
    return arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(of, wrap(value, of.getIntOrFloatBitWidth())));
  }
  Value product(Value value, int64_t factor) {
    return arith::MulIOp::create(builder, loc, value, constant(factor, value.getType()));
  }
  /// The value, scalar or tensor, with elements of the type `element`.
  Value resize(Value value, Type element) {
    Type to = tile::withElementType(value.getType(), element);
    unsigned from = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
    if (from == element.getIntOrFloatBitWidth())
      return value;
    if (from > element.getIntOrFloatBitWidth())
      return arith::TruncIOp::create(builder, loc, to, value);
    if (chance(15))
      return arith::ExtUIOp::create(builder, loc, to, value);
    return arith::ExtSIOp::create(builder, loc, to, value);
  }
  Value splat(Value scalar) {
    return tile::SplatOp::create(builder, loc, RankedTensorType::get({kLanes}, scalar.getType()),
                                 scalar);
  }
  Value range() {
    return tile::MakeRangeOp::create(
        builder, loc, RankedTensorType::get({kLanes}, builder.getI32Type()), 0, kLanes);
  }

  /// A mask of the given position, which goes up by lanes or, with `falls`, is compared with what
  /// it leaves.
  Value mask(Value position) {
    Value lanes = resize(range(), type);
    if (chance(15))
      lanes = arith::MulIOp::create(builder, loc, lanes,
                                    splat(constant(pick<int64_t>({2, 3, -1}), type)));
    Value bound = chance(30) && hasLoop ? argument(2) : argument(4);
    if (chance(15))
      bound =
          arith::AddIOp::create(builder, loc, bound, constant(pick<int64_t>({1, -1, 40}), type));
    if (chance(15))
      position = arith::AddIOp::create(builder, loc, position, argument(5));
    Value left = lanes, right;
    if (chance(40)) {
      right = splat(arith::SubIOp::create(builder, loc, bound, position));
    } else {
      left = arith::AddIOp::create(builder, loc, splat(position), lanes);
      right = splat(bound);
    }
    if (chance(25) && width < 64) {
      Type wide = builder.getIntegerType(chance(50) ? 64 : 2 * width);
      left = resize(left, wide);
      right = resize(right, wide);
    }
    using arith::CmpIPredicate;
    auto predicate = pick({CmpIPredicate::slt, CmpIPredicate::slt, CmpIPredicate::sle,
                           CmpIPredicate::ult, CmpIPredicate::ule, CmpIPredicate::sge});
    if (chance(25))
      return arith::CmpIOp::create(builder, loc,
                                   predicate == CmpIPredicate::slt   ? CmpIPredicate::sgt
                                   : predicate == CmpIPredicate::ult ? CmpIPredicate::ugt
                                                                     : CmpIPredicate::sge,
                                   right, left);
    return arith::CmpIOp::create(builder, loc, predicate, left, right);
  }

  Value buildMasked(Value position, Value carried) {
    Value on = mask(position);
    if (chance(20))
      on = arith::AndIOp::create(builder, loc, on, mask(position));
    Value offsets =
        chance(50)
            ? range()
            : arith::AddIOp::create(builder, loc,
                                    splat(resize(product(position, kLanes), builder.getI32Type())),
                                    range());
    Value pointers = tile::AddPtrOp::create(builder, loc, splat(argument(0)), offsets);
    Value loaded = tile::LoadOp::create(builder, loc, pointers, on);
    tile::StoreOp::create(builder, loc, pointers, loaded, chance(80) ? on : mask(position));
    if (!carried)
      return carried;
    return arith::AddIOp::create(builder, loc, product(carried, 5), position);
  }

  void buildLoop() {
    Value lower = chance(60) ? constant(0, type) : argument(1);
    Value step = chance(60) ? constant(pick<int64_t>({1, kLanes, kLanes, 7}), type) : argument(3);
    Value zero = constant(0, type);
    auto loop = scf::ForOp::create(
        builder, loc, lower, argument(2), step, ValueRange{zero},
        [&](OpBuilder &, Location, Value iv, ValueRange carried) {
          OpBuilder::InsertionGuard guard(builder);
          // The callback's builder is at the end of the body.
          builder.setInsertionPointToEnd(iv.getParentBlock());
          Value position = chance(60) ? iv : product(iv, pick<int64_t>({2, 3, kLanes, kLanes}));
          Value next = buildMasked(position, carried[0]);
          scf::YieldOp::create(builder, loc, next);
        });
    Value narrow = resize(loop.getResult(0), builder.getI8Type());
    tile::StoreOp::create(builder, loc, argument(0), narrow);
  }

  OpBuilder builder;
  Location loc;
  std::mt19937 random;
  bool hasLoop;
  unsigned width = 32;
  Type type;
  Block *body = nullptr;
};

/// A number of so many bits: small, about a few blocks, or close to an end of the type.
int64_t randomArgument(std::mt19937 &random, unsigned bits) {
  int64_t near = int64_t(random() % 400) - 70;
  switch (random() % 5) {
  case 0:
    return wrap(llvm::maxIntN(bits) - std::abs(near), bits);
  case 1:
    return wrap(__int128(llvm::minIntN(bits)) + std::abs(near), bits);
  case 2:
    return wrap(int64_t(random() % 8) * kLanes, bits);
  default:
    return wrap(near, bits);
  }
}

class MaskPropertyTest : public testing::Test {
protected:
  MaskPropertyTest() : context(MLIRContext::Threading::DISABLED) {
    context
        .loadDialect<tile::TileDialect, func::FuncDialect, arith::ArithDialect, scf::SCFDialect>();
  }

  /// Runs a program and what `build` makes of it on some arguments.
  void check(unsigned seed, bool withLoop, llvm::function_ref<void(OpPassManager &)> build) {
    OwningOpRef<ModuleOp> before = Generator(context, seed, withLoop).build();
    ASSERT_TRUE(succeeded(verify(*before)));
    OwningOpRef<ModuleOp> after = before->clone();
    PassManager passes(&context);
    build(passes);
    ASSERT_TRUE(succeeded(passes.run(*after)));
    auto original = *before->getOps<func::FuncOp>().begin();
    auto changed = *after->getOps<func::FuncOp>().begin();
    unsigned opsBefore = 0, opsAfter = 0;
    original.walk([&](Operation *) { ++opsBefore; });
    changed.walk([&](Operation *) { ++opsAfter; });
    if (opsBefore == opsAfter)
      return;
    ++changedPrograms;
    unsigned bits = original.getArgument(1).getType().getIntOrFloatBitWidth();
    std::mt19937 random(seed);
    for (unsigned i = 0; i < 60; ++i) {
      std::vector<int64_t> arguments{4096};
      for (unsigned a = 1; a < 6; ++a)
        arguments.push_back(randomArgument(random, bits));
      arguments[3] = 1 + int64_t(random() % 100);
      constexpr int64_t kMaxIterations = 40;
      int64_t programId = random() % 4 == 0 ? INT32_MAX - int64_t(random() % 200) : random() % 6;
      if (withLoop && !isShort(original, arguments, kMaxIterations))
        continue;
      TileInterpreter expected(original, programId), got(changed, programId);
      expected.run(arguments);
      got.run(arguments);
      maskless += got.maskless;
      ASSERT_EQ(expected.trace, got.trace)
          << "seed " << seed << ", program " << programId << ", arguments "
          << testing::PrintToString(arguments) << "\n"
          << textOf(*before) << textOf(*after);
    }
  }

  /// Whether the loop ends after few iterations.
  static bool isShort(func::FuncOp func, std::vector<int64_t> &arguments, int64_t limit) {
    auto loop = *func.getOps<scf::ForOp>().begin();
    auto valueOf = [&](Value value) -> __int128 {
      if (auto argument = dyn_cast<BlockArgument>(value))
        return arguments[argument.getArgNumber()];
      return cast<IntegerAttr>(value.getDefiningOp<arith::ConstantOp>().getValue()).getInt();
    };
    return valueOf(loop.getUpperBound()) - valueOf(loop.getLowerBound()) <=
           limit * valueOf(loop.getStep());
  }

  static std::string textOf(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module.print(os);
    return text;
  }

  MLIRContext context;
  unsigned changedPrograms = 0, maskless = 0;
};

TEST_F(MaskPropertyTest, PeelingKeepsEveryAccess) {
  for (unsigned seed = 0; seed < 600 && !HasFatalFailure(); ++seed)
    check(seed, /*withLoop=*/true, [](OpPassManager &passes) {
      passes.addNestedPass<func::FuncOp>(createTilePeelMaskedLoopsPass());
    });
  EXPECT_GT(changedPrograms, 100u);
  EXPECT_GT(maskless, 1000u);
}

TEST_F(MaskPropertyTest, VersioningKeepsEveryAccess) {
  for (unsigned seed = 0; seed < 600 && !HasFatalFailure(); ++seed)
    check(seed, /*withLoop=*/false, [](OpPassManager &passes) {
      passes.addNestedPass<func::FuncOp>(createTileVersionMasksPass());
    });
  EXPECT_GT(changedPrograms, 100u);
  EXPECT_GT(maskless, 1000u);
}

} // namespace

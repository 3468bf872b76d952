// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Axis facts are true: random integer programs with loops and branches are analysed, then run on
// random arguments, and every value that is computed on the way is compared with what the analysis
// said about it.
//
// Two kinds of program: one without signed division may overflow freely; one with it counts only
// while nothing overflows and divisors are positive, which is what the analysis assumes there.

#include "RandomIntegerProgram.h"

#include "tilec/Analysis/AxisInfo.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilec;

namespace {

using Numbers = std::vector<int64_t>;

int64_t sizeOf(Type type) { return ShapedType::getNumElements(shapeOf(type)); }

SmallVector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int d = static_cast<int>(shape.size()) - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * shape[d + 1];
  return strides;
}

/// The number as a value of so many bits: booleans are 0 and 1, others signed.
int64_t wrap(__int128 value, unsigned bits) {
  if (bits == 1)
    return static_cast<int64_t>(value & 1);
  APInt narrow(bits, static_cast<uint64_t>(value), false, /*implicitTrunc=*/true);
  return narrow.getSExtValue();
}

/// Runs a function and compares every value with its facts.
class Checker {
public:
  Checker(const AxisInfoAnalysis &axes, bool strict) : axes(axes), strict(strict) {}

  void set(Value value, Numbers numbers) {
    if (!valid)
      return;
    check(value, numbers);
    values[value] = std::move(numbers);
  }

  void runOnBlock(Block &block) {
    for (Operation &op : block.without_terminator())
      if (valid)
        runOnOp(&op);
  }

  unsigned getNumChecks() const { return checks; }
  unsigned getNumFacts() const { return facts; }

private:
  void runOnOp(Operation *op);
  void runOnLoop(scf::ForOp loop);
  Numbers compute(Operation *op);
  /// One element of an elementwise op.
  int64_t computeElement(Operation *op, ArrayRef<int64_t> operands);
  void check(Value value, const Numbers &numbers);

  const AxisInfoAnalysis &axes;
  /// Overflow and division by what is not positive end the run.
  bool strict;
  bool valid = true;
  unsigned checks = 0;
  unsigned facts = 0;
  DenseMap<Value, Numbers> values;
};

void Checker::check(Value value, const Numbers &numbers) {
  const AxisInfo &info = axes.get(value);
  SmallVector<int64_t> shape = shapeOf(value.getType());
  SmallVector<int64_t> strides = stridesOf(shape);
  unsigned bits = bitsOf(value.getType());
  auto describe = [&] {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << value << "\nin\n" << *value.getParentRegion()->getParentOfType<func::FuncOp>() << "\n";
    info.print(os);
    return text;
  };
  ASSERT_EQ(info.getRank(), shape.size());
  ++checks;
  for (unsigned d = 0; d < shape.size(); ++d) {
    // What is promised whatever overflows.
    int64_t run =
        std::min(info.contiguity[d], std::max<int64_t>(info.divisibility[d] / info.unit, 1));
    if (strict)
      run = info.contiguity[d];
    facts += run > 1 || info.constancy[d] > 1 || info.divisibility[d] > 1;
    for (size_t i = 0; i < numbers.size(); ++i) {
      int64_t coordinate = i / strides[d] % shape[d];
      if (info.constantValue) {
        ASSERT_EQ(numbers[i], *info.constantValue) << describe();
      }
      if (info.nonNegative && strict && bits > 1) {
        ASSERT_GE(numbers[i], 0) << describe();
      }
      if (coordinate % info.constancy[d] != 0) {
        ASSERT_EQ(numbers[i], numbers[i - strides[d]])
            << describe() << " constancy of dimension " << d;
      }
      if (coordinate % info.contiguity[d] == 0) {
        ASSERT_EQ(numbers[i] & (info.divisibility[d] - 1), 0)
            << describe() << " divisibility of dimension " << d;
      }
      if (coordinate % run != 0) {
        ASSERT_EQ(numbers[i], numbers[i - strides[d]] + info.unit)
            << describe() << " contiguity of dimension " << d;
      }
    }
  }
}

int64_t Checker::computeElement(Operation *op, ArrayRef<int64_t> operands) {
  unsigned bits = bitsOf(op->getResult(0).getType());
  unsigned from = bitsOf(op->getOperand(0).getType());
  __int128 a = operands[0];
  __int128 b = operands.size() > 1 ? operands[1] : 0;
  auto isUnsigned = [&](__int128 x) { return x & ((__int128(1) << from) - 1); };
  auto exact = [&](__int128 value) {
    int64_t wrapped = wrap(value, bits);
    if (strict && bits > 1 && wrapped != value)
      valid = false;
    return wrapped;
  };
  if (isa<arith::AddIOp>(op))
    return exact(a + b);
  if (isa<arith::SubIOp>(op))
    return exact(a - b);
  if (isa<arith::MulIOp>(op))
    return exact(a * b);
  if (isa<arith::AndIOp>(op))
    return wrap(a & b, bits);
  if (isa<arith::OrIOp>(op))
    return wrap(a | b, bits);
  if (isa<arith::XOrIOp>(op))
    return wrap(a ^ b, bits);
  if (isa<arith::MaxSIOp>(op))
    return a > b ? a : b;
  if (isa<arith::MinUIOp>(op))
    return isUnsigned(a) < isUnsigned(b) ? a : b;
  if (isa<math::AbsIOp>(op))
    return exact(a < 0 ? -a : a);
  if (isa<arith::ExtSIOp>(op))
    return from == 1 ? -a : a;
  if (isa<arith::ExtUIOp>(op))
    return wrap(isUnsigned(a), bits);
  if (isa<arith::TruncIOp>(op))
    return exact(a);
  if (isa<arith::SelectOp>(op))
    return a ? operands[1] : operands[2];
  if (isa<tile::AddPtrOp>(op)) {
    auto pointer = cast<tile::PtrType>(getElementTypeOrSelf(op->getResult(0).getType()));
    return wrap(a + b * pointer.getElementBytes(), 64);
  }
  if (isa<tile::PtrToIntOp, tile::PtrCastOp>(op))
    return a;
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return arith::applyCmpPredicate(compare.getPredicate(), APInt(from, operands[0], true, true),
                                    APInt(from, operands[1], true, true));
  if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op)) {
    if (b < 0 || b >= bits) {
      valid = false;
      return 0;
    }
    if (isa<arith::ShLIOp>(op))
      return exact(a << b);
    return isa<arith::ShRSIOp>(op) ? static_cast<int64_t>(a >> b) : wrap(isUnsigned(a) >> b, bits);
  }
  if (b == 0 || (strict && b < 0)) {
    valid = false;
    return 0;
  }
  if (isa<arith::DivUIOp>(op))
    return wrap(isUnsigned(a) / isUnsigned(b), bits);
  if (isa<arith::RemUIOp>(op))
    return wrap(isUnsigned(a) % isUnsigned(b), bits);
  if (isa<arith::DivSIOp>(op))
    return exact(a / b);
  if (isa<arith::RemSIOp>(op))
    return wrap(a % b, bits);
  if (isa<arith::FloorDivSIOp>(op))
    return exact(a / b - (a % b != 0 && (a < 0) != (b < 0)));
  ADD_FAILURE() << "no rule for " << op->getName().getStringRef().str();
  return 0;
}

Numbers Checker::compute(Operation *op) {
  Type type = op->getResult(0).getType();
  int64_t size = sizeOf(type);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto scalar = dyn_cast<IntegerAttr>(constant.getValue()))
      return Numbers(1, scalar.getInt());
    return Numbers(
        size, cast<DenseElementsAttr>(constant.getValue()).getSplatValue<APInt>().getSExtValue());
  }
  if (auto range = dyn_cast<tile::MakeRangeOp>(op)) {
    Numbers result(size);
    std::iota(result.begin(), result.end(), static_cast<int32_t>(range.getStart()));
    return result;
  }
  if (isa<tile::ProgramIdOp>(op))
    return {37};
  const Numbers &source = values[op->getOperand(0)];
  if (isa<tile::SplatOp>(op))
    return Numbers(size, source[0]);
  if (isa<tile::ExpandDimsOp, tile::ReshapeOp>(op))
    return source;
  SmallVector<int64_t> shape = shapeOf(type);
  SmallVector<int64_t> strides = stridesOf(shape);
  SmallVector<int64_t> fromShape = shapeOf(op->getOperand(0).getType());
  SmallVector<int64_t> fromStrides = stridesOf(fromShape);
  Numbers result(size);
  if (isa<tile::BroadcastOp, tile::PermuteOp>(op)) {
    auto order = dyn_cast<tile::PermuteOp>(op);
    for (int64_t i = 0; i < size; ++i) {
      int64_t from = 0;
      for (unsigned d = 0; d < shape.size(); ++d) {
        unsigned at = order ? order.getOrder()[d] : d;
        from += (fromShape[at] == 1 ? 0 : i / strides[d] % shape[d]) * fromStrides[at];
      }
      result[i] = source[from];
    }
    return result;
  }
  for (int64_t i = 0; i < size && valid; ++i) {
    SmallVector<int64_t> operands;
    for (Value operand : op->getOperands())
      operands.push_back(values[operand][i]);
    result[i] = computeElement(op, operands);
  }
  return result;
}

void Checker::runOnLoop(scf::ForOp loop) {
  int64_t upper = values[loop.getUpperBound()][0];
  int64_t step = values[loop.getStep()][0];
  Numbers carried = values[loop.getInitArgs()[0]];
  for (int64_t i = values[loop.getLowerBound()][0]; i < upper && valid; i += step) {
    set(loop.getInductionVar(), {i});
    set(loop.getRegionIterArg(0), carried);
    runOnBlock(*loop.getBody());
    carried = values[loop.getYieldedValues()[0]];
  }
  set(loop.getResult(0), carried);
}

void Checker::runOnOp(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return runOnLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Block *block = values[branch.getCondition()][0] ? branch.thenBlock() : branch.elseBlock();
    runOnBlock(*block);
    return set(op->getResult(0), values[block->getTerminator()->getOperand(0)]);
  }
  set(op->getResult(0), compute(op));
}

class AxisInfoProperty : public testing::TestWithParam<bool> {};

TEST_P(AxisInfoProperty, FactsHoldOnEveryExecution) {
  bool withSignedDivision = GetParam();
  MLIRContext context;
  context.loadDialect<tilegpu::TileGPUDialect, tile::TileDialect, arith::ArithDialect,
                      math::MathDialect, scf::SCFDialect, func::FuncDialect>();
  unsigned checks = 0;
  unsigned facts = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    OwningOpRef<ModuleOp> module = makeRandomIntegerProgram(context, seed, withSignedDivision);
    ASSERT_TRUE(succeeded(verify(*module)));
    AxisInfoAnalysis axes(*module);
    func::FuncOp func = *module->getOps<func::FuncOp>().begin();
    std::mt19937 random(seed);
    for (unsigned run = 0; run < 6; ++run) {
      Checker checker(axes, withSignedDivision);
      int64_t limit = withSignedDivision || run % 2 ? 100 : int64_t(1) << 31;
      for (unsigned i = 0; i < 4; ++i) {
        auto hint = func.getArgAttrOfType<IntegerAttr>(i, "tile.divisibility");
        int64_t multiple = i == 3 ? 8 * (hint ? hint.getInt() : 1) : hint ? hint.getInt() : 1;
        int64_t value =
            std::uniform_int_distribution<int64_t>(-limit, limit - 1)(random) / multiple * multiple;
        checker.set(func.getArgument(i), {value});
      }
      checker.runOnBlock(func.getBody().front());
      if (testing::Test::HasFatalFailure())
        return;
      checks += checker.getNumChecks();
      facts += checker.getNumFacts();
    }
  }
  // The programs do say something.
  EXPECT_GT(checks, 20000u);
  EXPECT_GT(facts, checks / 4);
}

INSTANTIATE_TEST_SUITE_P(Kinds, AxisInfoProperty, testing::Bool(),
                         [](const testing::TestParamInfo<bool> &info) {
                           return info.param ? "SignedDivisionWithoutOverflow" : "AnyOverflow";
                         });

} // namespace

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Axis facts are true: random integer programs with loops and branches are analysed, then run on
// random arguments, and every value that is computed on the way is compared with what the analysis
// said about it.
//
// Two kinds of program: one without signed division may overflow freely; one with it counts only
// while nothing overflows and divisors are positive, which is what the analysis assumes there.

#include "dialects/TileGPU/TileGPUOps.h"
#include "tilec/Analysis/AxisInfo.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilec;

namespace {

using Numbers = std::vector<int64_t>;

/// The shape of a type; a scalar is one element.
SmallVector<int64_t> shapeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? SmallVector<int64_t>(tensor.getShape()) : SmallVector<int64_t>{1};
}

int64_t sizeOf(Type type) { return ShapedType::getNumElements(shapeOf(type)); }

SmallVector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int d = static_cast<int>(shape.size()) - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * shape[d + 1];
  return strides;
}

unsigned bitsOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<tile::PtrType>(element) ? 64
         : element.isIndex()         ? 64
                                     : element.getIntOrFloatBitWidth();
}

/// The number as a value of so many bits: booleans are 0 and 1, others signed.
int64_t wrap(__int128 value, unsigned bits) {
  if (bits == 1)
    return static_cast<int64_t>(value & 1);
  APInt narrow(bits, static_cast<uint64_t>(value), false, /*implicitTrunc=*/true);
  return narrow.getSExtValue();
}

/// Builds a random function.
class Generator {
public:
  Generator(MLIRContext &context, unsigned seed, bool withSignedDivision)
      : builder(&context), random(seed), withSignedDivision(withSignedDivision) {}

  OwningOpRef<ModuleOp> build() {
    Location loc = builder.getUnknownLoc();
    OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
    Type i32 = builder.getI32Type();
    Type pointer = tile::PtrType::get(
        pick<Type>({builder.getF32Type(), builder.getI8Type(), builder.getF64Type()}));
    builder.setInsertionPointToEnd(module->getBody());
    auto func = func::FuncOp::create(builder, loc, "f",
                                     builder.getFunctionType({i32, i32, i32, pointer}, {}));
    Block *body = func.addEntryBlock();
    for (unsigned i = 0; i < 4; ++i)
      if (below(2))
        func.setArgAttr(i, "tile.divisibility", builder.getI32IntegerAttr(1 << below(6)));
    builder.setInsertionPointToEnd(body);
    std::vector<Value> pool(body->args_begin(), body->args_end());
    pool.push_back(tile::ProgramIdOp::create(builder, loc, i32, 0).getResult());
    for (int64_t value : {0, 1, 4, 16, -8})
      pool.push_back(arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value)));
    for (unsigned i = 0; i < 3; ++i)
      pool.push_back(range());
    statements(pool, 28, 2);
    func::ReturnOp::create(builder, loc);
    return module;
  }

private:
  unsigned below(unsigned limit) {
    return std::uniform_int_distribution<unsigned>(0, limit - 1)(random);
  }
  template <typename T> T pick(const std::vector<T> &choices) {
    return choices[below(choices.size())];
  }

  RankedTensorType tensor(ArrayRef<int64_t> shape, Type element) {
    return RankedTensorType::get(shape, element);
  }

  Value range() {
    int32_t start = pick<int>({0, 0, 0, 8, 3, -16});
    int32_t size = pick<int>({16, 32, 1});
    return tile::MakeRangeOp::create(builder, builder.getUnknownLoc(),
                                     tensor({size}, builder.getI32Type()), start, start + size);
  }

  /// A value of the pool that satisfies `accept`, null when none was met.
  Value find(const std::vector<Value> &pool, llvm::function_ref<bool(Value)> accept) {
    for (unsigned attempt = 0; attempt < 20; ++attempt) {
      // Prefer what was made last.
      Value value = pool[std::max(below(pool.size()), below(pool.size()))];
      if (accept(value))
        return value;
    }
    return {};
  }

  static bool isInteger(Value value) {
    return getElementTypeOrSelf(value.getType()).isInteger() &&
           !getElementTypeOrSelf(value.getType()).isInteger(1);
  }

  void statements(std::vector<Value> &pool, unsigned count, unsigned depth) {
    for (unsigned i = 0; i < count; ++i) {
      unsigned kind = below(14);
      Value made;
      if (kind < 5)
        made = arithmetic(pool);
      else if (kind < 9)
        made = shape(pool);
      else if (kind < 10)
        made = cast(pool);
      else if (kind < 12)
        made = choose(pool);
      else if (kind < 13)
        made = pointer(pool);
      else if (depth > 0)
        made = below(2) ? loop(pool, depth) : branch(pool, depth);
      if (made)
        pool.push_back(made);
    }
  }

  Value arithmetic(std::vector<Value> &pool) {
    Value lhs = find(pool, isInteger);
    if (!lhs)
      return {};
    Value rhs = find(pool, [&](Value value) { return value.getType() == lhs.getType(); });
    // Constants make the interesting cases.
    if (!rhs || below(3) == 0)
      rhs = constantLike(lhs.getType(), pick<int64_t>({1, 2, 4, 8, 16, 15, 7, 32, 24, 0, -4, 3}));
    if (below(4) == 0)
      std::swap(lhs, rhs);
    Location loc = builder.getUnknownLoc();
    switch (below(withSignedDivision ? 20 : 17)) {
    case 0:
    case 1:
    case 2:
      return arith::AddIOp::create(builder, loc, lhs, rhs);
    case 3:
      return arith::SubIOp::create(builder, loc, lhs, rhs);
    case 4:
    case 5:
      return arith::MulIOp::create(builder, loc, lhs, rhs);
    case 6:
      return arith::AndIOp::create(builder, loc, lhs, rhs);
    case 7:
      return arith::OrIOp::create(builder, loc, lhs, rhs);
    case 8:
      return arith::XOrIOp::create(builder, loc, lhs, rhs);
    case 9:
      return arith::ShLIOp::create(builder, loc, lhs, rhs);
    case 10:
      return arith::ShRSIOp::create(builder, loc, lhs, rhs);
    case 11:
      return arith::ShRUIOp::create(builder, loc, lhs, rhs);
    case 12:
      return arith::MaxSIOp::create(builder, loc, lhs, rhs);
    case 13:
      return arith::MinUIOp::create(builder, loc, lhs, rhs);
    case 14:
      return arith::DivUIOp::create(builder, loc, lhs, rhs);
    case 15:
      return arith::RemUIOp::create(builder, loc, lhs, rhs);
    case 16:
      return math::AbsIOp::create(builder, loc, lhs);
    case 17:
      return arith::DivSIOp::create(builder, loc, lhs, rhs);
    case 18:
      return arith::RemSIOp::create(builder, loc, lhs, rhs);
    default:
      return arith::FloorDivSIOp::create(builder, loc, lhs, rhs);
    }
  }

  Value constantLike(Type type, int64_t value) {
    Location loc = builder.getUnknownLoc();
    TypedAttr scalar = builder.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto shaped = dyn_cast<RankedTensorType>(type))
      return arith::ConstantOp::create(builder, loc,
                                       DenseElementsAttr::get(shaped, Attribute(scalar)));
    return arith::ConstantOp::create(builder, loc, scalar);
  }

  Value shape(std::vector<Value> &pool) {
    Location loc = builder.getUnknownLoc();
    Value source = find(pool, [](Value) { return true; });
    Type element = getElementTypeOrSelf(source.getType());
    auto type = dyn_cast<RankedTensorType>(source.getType());
    if (!type)
      return tile::SplatOp::create(
          builder, loc,
          tensor(pick<SmallVector<int64_t>>({{16}, {32}, {16, 32}, {4, 4, 2}}), element), source);
    SmallVector<int64_t> sizes(type.getShape());
    switch (below(4)) {
    case 0: {
      if (sizes.size() > 2)
        return {};
      unsigned axis = below(sizes.size() + 1);
      sizes.insert(sizes.begin() + axis, 1);
      return tile::ExpandDimsOp::create(builder, loc, tensor(sizes, element), source, axis);
    }
    case 1: {
      for (int64_t &size : sizes)
        if (size == 1)
          size = pick<int64_t>({16, 32, 8});
      if (ShapedType::getNumElements(sizes) > 4096)
        return {};
      return tile::BroadcastOp::create(builder, loc, tensor(sizes, element), source);
    }
    case 2: {
      SmallVector<int32_t> order = llvm::to_vector(llvm::seq<int32_t>(0, sizes.size()));
      std::shuffle(order.begin(), order.end(), random);
      for (auto [i, from] : llvm::enumerate(order))
        sizes[i] = type.getDimSize(from);
      return tile::PermuteOp::create(builder, loc, tensor(sizes, element), source, order);
    }
    default: {
      SmallVector<int64_t> target{1};
      for (int64_t left = type.getNumElements(); left > 1; left /= 2) {
        if (below(4) == 0 && target.size() < 4)
          target.push_back(1);
        target.back() *= 2;
      }
      return tile::ReshapeOp::create(builder, loc, tensor(target, element), source, false);
    }
    }
  }

  Value cast(std::vector<Value> &pool) {
    Location loc = builder.getUnknownLoc();
    Value source =
        find(pool, [](Value value) { return getElementTypeOrSelf(value.getType()).isInteger(); });
    unsigned from = source ? bitsOf(source.getType()) : 0;
    unsigned to = pick<unsigned>({8, 16, 32, 64, 1});
    if (from == 0 || from == to)
      return {};
    Type type = tile::withElementType(source.getType(), builder.getIntegerType(to));
    if (to < from)
      return arith::TruncIOp::create(builder, loc, type, source);
    return below(2) ? arith::ExtSIOp::create(builder, loc, type, source).getResult()
                    : arith::ExtUIOp::create(builder, loc, type, source).getResult();
  }

  Value choose(std::vector<Value> &pool) {
    Location loc = builder.getUnknownLoc();
    Value lhs = find(pool, isInteger);
    if (!lhs)
      return {};
    auto sameType = [&](Value value) { return value.getType() == lhs.getType(); };
    Value rhs = below(2) ? find(pool, sameType)
                         : constantLike(lhs.getType(), pick<int64_t>({0, 16, 12, 15, -1, 31}));
    if (!rhs)
      return {};
    if (below(2))
      std::swap(lhs, rhs);
    Value condition =
        arith::CmpIOp::create(builder, loc, static_cast<arith::CmpIPredicate>(below(10)), lhs, rhs);
    pool.push_back(condition);
    Value left = find(pool, sameType);
    Value right = find(pool, sameType);
    if (!left || !right || below(2))
      return {};
    return arith::SelectOp::create(builder, loc, condition, left, right);
  }

  Value pointer(std::vector<Value> &pool) {
    Location loc = builder.getUnknownLoc();
    Value base = find(pool, [](Value value) {
      return isa<tile::PtrType>(getElementTypeOrSelf(value.getType()));
    });
    if (!base)
      return {};
    Value offset = find(pool, [&](Value value) {
      return isInteger(value) && shapeOf(value.getType()) == shapeOf(base.getType()) &&
             isa<RankedTensorType>(value.getType()) == isa<RankedTensorType>(base.getType());
    });
    if (!offset)
      return below(2) ? Value(tile::PtrToIntOp::create(
                            builder, loc,
                            tile::withElementType(base.getType(), builder.getI64Type()), base))
                      : Value(tile::PtrCastOp::create(
                            builder, loc,
                            tile::withElementType(base.getType(),
                                                  tile::PtrType::get(builder.getI16Type())),
                            base));
    return tile::AddPtrOp::create(builder, loc, base.getType(), base, offset);
  }

  Value loop(std::vector<Value> &pool, unsigned depth) {
    Location loc = builder.getUnknownLoc();
    auto isScalar = [&](Value value) { return value.getType() == builder.getI32Type(); };
    Value lower = find(pool, isScalar);
    Value init = find(pool, [](Value) { return true; });
    if (!lower)
      return {};
    Value step = constantLike(builder.getI32Type(), pick<int64_t>({1, 2, 16, 3}));
    Value upper =
        arith::AddIOp::create(builder, loc, lower, constantLike(builder.getI32Type(), below(40)));
    auto op = scf::ForOp::create(builder, loc, lower, upper, step, ValueRange{init});
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(op.getBody());
    std::vector<Value> inner = pool;
    inner.push_back(op.getInductionVar());
    inner.push_back(op.getRegionIterArg(0));
    statements(inner, 8, depth - 1);
    Value next = find(inner, [&](Value value) { return value.getType() == init.getType(); });
    scf::YieldOp::create(builder, loc, next ? next : op.getRegionIterArg(0));
    return op.getResult(0);
  }

  Value branch(std::vector<Value> &pool, unsigned depth) {
    Location loc = builder.getUnknownLoc();
    Value condition = find(pool, [](Value value) { return value.getType().isInteger(1); });
    Value left = find(pool, [](Value) { return true; });
    if (!condition)
      return {};
    auto op = scf::IfOp::create(builder, loc, left.getType(), condition, true, true);
    for (Region *region : {&op.getThenRegion(), &op.getElseRegion()}) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(&region->front());
      std::vector<Value> inner = pool;
      statements(inner, 5, depth - 1);
      Value value =
          find(inner, [&](Value candidate) { return candidate.getType() == left.getType(); });
      scf::YieldOp::create(builder, loc, value ? value : left);
    }
    return op.getResult(0);
  }

  OpBuilder builder;
  std::mt19937 random;
  bool withSignedDivision;
};

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
    OwningOpRef<ModuleOp> module = Generator(context, seed, withSignedDivision).build();
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

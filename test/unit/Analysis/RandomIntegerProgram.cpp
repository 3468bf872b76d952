// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RandomIntegerProgram.h.

#include "RandomIntegerProgram.h"

#include <random>

using namespace mlir;
using namespace tilec;

SmallVector<int64_t> tilec::shapeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? SmallVector<int64_t>(tensor.getShape()) : SmallVector<int64_t>{1};
}

unsigned tilec::bitsOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<tile::PtrType>(element) ? 64
         : element.isIndex()         ? 64
                                     : element.getIntOrFloatBitWidth();
}

namespace {

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

} // namespace

OwningOpRef<ModuleOp> tilec::makeRandomIntegerProgram(MLIRContext &context, unsigned seed,
                                                      bool withSignedDivision) {
  return Generator(context, seed, withSignedDivision).build();
}

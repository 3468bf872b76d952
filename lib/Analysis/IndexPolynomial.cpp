// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursion over definitions. A value that is computed from itself, other than by being moved on,
// has no polynomial.

#include "tilec/Analysis/IndexPolynomial.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Analysis/HostExpression.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilec {

using Product = IndexPolynomial::Product;

static constexpr size_t kMaxTerms = 48;
static constexpr unsigned kMostLevels = 64;

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

IndexPolynomial::IndexPolynomial(int64_t constant) {
  if (constant != 0)
    terms[{}] = constant;
}

IndexPolynomial IndexPolynomial::of(IndexAtom atom) {
  IndexPolynomial result;
  result.terms[{atom}] = 1;
  return result;
}

std::optional<int64_t> IndexPolynomial::getConstant() const {
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms.begin()->first.empty())
    return terms.begin()->second;
  return std::nullopt;
}

bool IndexPolynomial::add(const Product &product, int64_t coefficient) {
  auto place = terms.try_emplace(product, 0).first;
  if (llvm::AddOverflow(place->second, coefficient, place->second))
    return false;
  if (place->second == 0)
    terms.erase(place);
  return terms.size() <= kMaxTerms;
}

bool IndexPolynomial::add(const IndexPolynomial &other, int64_t factor) {
  return llvm::all_of(other.terms, [&](const auto &term) {
    int64_t scaled = 0;
    return !llvm::MulOverflow(term.second, factor, scaled) && add(term.first, scaled);
  });
}

std::optional<IndexPolynomial> IndexPolynomial::times(const IndexPolynomial &other) const {
  IndexPolynomial result;
  for (const auto &[mine, coefficient] : terms)
    for (const auto &[theirs, factor] : other.terms) {
      Product product = mine;
      product.append(theirs);
      llvm::sort(product);
      int64_t scaled = 0;
      if (llvm::MulOverflow(coefficient, factor, scaled) || !result.add(product, scaled))
        return std::nullopt;
    }
  return result;
}

//===----------------------------------------------------------------------===//
// Atoms
//===----------------------------------------------------------------------===//

IndexAtom IndexPolynomials::intern(std::vector<uintptr_t> key, Atom atom) {
  auto [found, isNew] = numbers.try_emplace(std::move(key), IndexAtom(atoms.size()));
  if (isNew)
    atoms.push_back(std::move(atom));
  return found->second;
}

// The first word of a key says what the others are.
static constexpr uintptr_t kValueKey = 0, kOperationKey = 1, kIndexKey = 2, kWrappedKey = 3;

IndexAtom IndexPolynomials::index(unsigned dim) {
  Atom atom{Atom::Kind::Index};
  atom.dim = dim;
  return intern({kIndexKey, dim}, std::move(atom));
}

/// Whether equal operands give equal results, and operands and result are scalars.
static bool isScalarFunction(Operation *op) {
  auto isTensor = [](Type type) { return isa<ShapedType>(type); };
  return op && op->getNumResults() == 1 && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::none_of(op->getOperandTypes(), isTensor);
}

size_t IndexPolynomials::numberOf(const IndexPolynomial &polynomial) {
  return polynomials.try_emplace(polynomial.getTerms(), polynomials.size()).first->second;
}

IndexAtom IndexPolynomials::scalar(Value value) {
  if (auto found = scalars.find(value); found != scalars.end())
    return found->second;
  std::vector<uintptr_t> key{kValueKey, reinterpret_cast<uintptr_t>(value.getAsOpaquePointer())};
  Operation *op = value.getDefiningOp();
  ++depth;
  if (depth < kMostLevels && isScalarFunction(op)) {
    key = {kOperationKey, reinterpret_cast<uintptr_t>(op->getName().getAsOpaquePointer()),
           reinterpret_cast<uintptr_t>(value.getType().getAsOpaquePointer()),
           reinterpret_cast<uintptr_t>(op->getAttrDictionary().getAsOpaquePointer())};
    for (Value operand : op->getOperands()) {
      key.push_back(reinterpret_cast<uintptr_t>(operand.getType().getAsOpaquePointer()));
      std::optional<IndexPolynomial> polynomial = of(operand);
      key.push_back(polynomial.has_value());
      key.push_back(polynomial ? numberOf(*polynomial) : scalar(operand));
    }
  }
  --depth;
  IndexAtom number = intern(std::move(key), Atom{});
  atoms[number].values.push_back(value);
  return scalars[value] = number;
}

bool IndexPolynomials::isKnownToHost(IndexAtom number) const {
  const Atom &info = atoms[number];
  return info.kind == Atom::Kind::Scalar && hostExpression(info.values.front(), func);
}

bool IndexPolynomials::isKnownToHost(const IndexPolynomial &polynomial) const {
  return llvm::all_of(polynomial.getTerms(), [&](const auto &term) {
    return llvm::all_of(term.first, [&](IndexAtom number) { return isKnownToHost(number); });
  });
}

bool IndexPolynomials::isInvariant(Value value, LoopLikeOpInterface loop, unsigned level) const {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *op = value.getDefiningOp();
  return level < kMostLevels && isScalarFunction(op) &&
         llvm::all_of(
             op->getOperands(),
             [&](Value operand) { return isInvariant(operand, loop, level + 1); });
}

bool IndexPolynomials::isInvariant(IndexAtom number, LoopLikeOpInterface loop) const {
  const Atom &info = atoms[number];
  if (info.kind == Atom::Kind::Wrapped)
    return isInvariant(info.dividend, loop) && isInvariant(info.size, loop);
  return info.kind == Atom::Kind::Index || isInvariant(info.values.front(), loop, 0);
}

bool IndexPolynomials::isInvariant(const IndexPolynomial &polynomial,
                                   LoopLikeOpInterface loop) const {
  return llvm::all_of(polynomial.getTerms(), [&](const auto &term) {
    return llvm::all_of(term.first, [&](IndexAtom number) { return isInvariant(number, loop); });
  });
}

SmallVector<Value, 2> IndexPolynomials::valuesAt(IndexAtom number, Operation *place) const {
  SmallVector<Value, 2> usable;
  for (Value value : atoms[number].values)
    if (dominance.properlyDominates(value, place))
      usable.push_back(value);
  return usable;
}

//===----------------------------------------------------------------------===//
// Places in tensors
//===----------------------------------------------------------------------===//

static ArrayRef<int64_t> shapeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

std::optional<IndexAtom> IndexPolynomials::moved(IndexAtom number, tile::ShapeOpInterface shape,
                                                 bool &isZero) {
  Atom info = atoms[number];
  if (info.kind == Atom::Kind::Scalar)
    return number;
  ArrayRef<int64_t> from = shapeOf(shape.getSource()), to = shapeOf(shape->getResult(0));
  isZero = info.kind == Atom::Kind::Index && from[info.dim] == 1;
  for (unsigned dim = 0; dim < to.size(); ++dim) {
    if (shape.getSourceDim(dim) != info.dim || to[dim] != from[info.dim])
      continue;
    if (info.kind == Atom::Kind::Index)
      return index(dim);
    std::optional<IndexPolynomial> dividend = moved(info.dividend, shape);
    if (!dividend)
      return std::nullopt;
    std::vector<uintptr_t> key{kWrappedKey, number, dim};
    Atom atom = info;
    atom.dim = dim;
    atom.dividend = std::move(*dividend);
    return intern(std::move(key), std::move(atom));
  }
  return std::nullopt;
}

std::optional<IndexPolynomial> IndexPolynomials::moved(const IndexPolynomial &polynomial,
                                                       tile::ShapeOpInterface shape) {
  IndexPolynomial result;
  for (const auto &[product, coefficient] : polynomial.getTerms()) {
    Product places;
    bool isZero = false;
    for (IndexAtom number : product) {
      std::optional<IndexAtom> place = moved(number, shape, isZero);
      if (isZero)
        break;
      if (!place)
        return std::nullopt;
      places.push_back(*place);
    }
    llvm::sort(places);
    if (!isZero && !result.add(places, coefficient))
      return std::nullopt;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

std::optional<IndexPolynomial> IndexPolynomials::of(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  if (depth > kMostLevels)
    return std::nullopt;
  known[value] = std::nullopt; // for a value that is computed from itself
  ++depth;
  std::optional<IndexPolynomial> result = compute(value);
  --depth;
  return known[value] = std::move(result);
}

std::optional<IndexPolynomial> IndexPolynomials::compute(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  if (!element.isSignlessInteger() || element.isInteger(1))
    return std::nullopt;
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return IndexPolynomial(*constant);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    std::optional<IndexPolynomial> since = movedSinceStart(argument);
    if (since) {
      auto loop = cast<scf::ForOp>(argument.getOwner()->getParentOp());
      std::optional<IndexPolynomial> start = of(loop.getTiedLoopInit(argument)->get());
      if (start && start->add(*since))
        return start;
    }
  } else if (std::optional<IndexPolynomial> result = computeOp(value.getDefiningOp())) {
    return result;
  }
  if (!shapeOf(value).empty())
    return std::nullopt;
  return IndexPolynomial::of(scalar(value));
}

std::optional<IndexPolynomial> IndexPolynomials::computeOp(Operation *op) {
  if (auto range = dyn_cast<tile::MakeRangeOp>(op)) {
    IndexPolynomial result{int64_t(int32_t(range.getStart()))};
    bool isWide = shapeOf(range).front() > 1;
    if (isWide && !result.add(IndexPolynomial::of(index(0))))
      return std::nullopt;
    return result;
  }
  if (auto shape = dyn_cast<tile::ShapeOpInterface>(op)) {
    std::optional<IndexPolynomial> source = of(shape.getSource());
    return source ? moved(*source, shape) : std::nullopt;
  }
  if (auto extension = dyn_cast<arith::ExtSIOp>(op))
    return of(extension.getIn());
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    std::optional<IndexPolynomial> sum = of(op->getOperand(0)), other = of(op->getOperand(1));
    if (!sum || !other || !sum->add(*other, isa<arith::AddIOp>(op) ? 1 : -1))
      return std::nullopt;
    return sum;
  }
  if (isa<arith::MulIOp>(op)) {
    std::optional<IndexPolynomial> left = of(op->getOperand(0)), right = of(op->getOperand(1));
    return left && right ? left->times(*right) : std::nullopt;
  }
  if (isa<arith::ShLIOp>(op)) {
    std::optional<IndexPolynomial> left = of(op->getOperand(0));
    std::optional<int64_t> by = getConstantIntValue(op->getOperand(1));
    constexpr int64_t mostBits = 40;
    if (!left || !by || *by < 0 || *by > mostBits)
      return std::nullopt;
    return left->times(IndexPolynomial(int64_t(1) << *by));
  }
  if (auto rest = dyn_cast<arith::RemSIOp>(op); rest && isa<RankedTensorType>(rest.getType()))
    return wrapped(rest.getLhs(), rest.getRhs());
  if (auto select = dyn_cast<arith::SelectOp>(op);
      select && isa<RankedTensorType>(select.getType()))
    return chosen(select);
  return std::nullopt;
}

std::optional<IndexPolynomial> IndexPolynomials::wrapped(Value dividend, Value size) {
  std::optional<IndexPolynomial> from = of(dividend), to = of(size);
  if (!from || !to || !isKnownToHost(*to))
    return std::nullopt;
  std::optional<unsigned> dim;
  for (const auto &[product, coefficient] : from->getTerms())
    for (IndexAtom number : product) {
      const Atom &info = atoms[number];
      if (info.kind == Atom::Kind::Scalar)
        continue;
      if (info.kind == Atom::Kind::Wrapped || dim || product.size() > 1 || coefficient != 1)
        return std::nullopt;
      dim = info.dim;
    }
  if (!dim)
    return std::nullopt;
  Atom atom{Atom::Kind::Wrapped};
  atom.dim = *dim;
  atom.dividend = std::move(*from);
  atom.size = std::move(*to);
  std::vector<uintptr_t> key{kWrappedKey,
                             reinterpret_cast<uintptr_t>(dividend.getAsOpaquePointer()),
                             reinterpret_cast<uintptr_t>(size.getAsOpaquePointer()), 0};
  return IndexPolynomial::of(intern(std::move(key), std::move(atom)));
}

/// `select(x < size, x, 0)`: what is not less than the size is the first one.
std::optional<IndexPolynomial> IndexPolynomials::chosen(arith::SelectOp select) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt ||
      compare.getLhs() != select.getTrueValue() || !tile::isZero(select.getFalseValue()))
    return std::nullopt;
  return wrapped(compare.getLhs(), compare.getRhs());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

std::optional<IndexPolynomial> IndexPolynomials::movedSinceStart(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument == loop.getInductionVar())
    return std::nullopt;
  IndexPolynomial amount;
  Value next = loop.getTiedLoopYieldedValue(argument)->get();
  while (next != argument) {
    Operation *op = next.getDefiningOp();
    if (!op || !loop->isProperAncestor(op) ||
        !isa<tile::AddPtrOp, arith::AddIOp, arith::SubIOp>(op))
      return std::nullopt;
    Value by = op->getOperand(1);
    next = op->getOperand(0);
    if (isa<arith::AddIOp>(op) && by == argument)
      std::swap(by, next);
    std::optional<IndexPolynomial> more = of(by);
    if (!more || !amount.add(*more, isa<arith::SubIOp>(op) ? -1 : 1))
      return std::nullopt;
  }
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step || *step < 1 || !isInvariant(amount, loop))
    return std::nullopt;
  IndexPolynomial perCount;
  for (const auto &[product, coefficient] : amount.getTerms()) {
    bool isUniform = llvm::all_of(
        product, [&](IndexAtom number) { return atoms[number].kind == Atom::Kind::Scalar; });
    if (!isUniform || coefficient % *step != 0 || !perCount.add(product, coefficient / *step))
      return std::nullopt;
  }
  std::optional<IndexPolynomial> count = of(loop.getInductionVar()),
                                 first = of(loop.getLowerBound());
  if (!count || !first || !count->add(*first, -1))
    return std::nullopt;
  return count->times(perCount);
}

//===----------------------------------------------------------------------===//
// Pointers and masks
//===----------------------------------------------------------------------===//

std::optional<IndexPolynomials::Address> IndexPolynomials::ofPointer(Value pointer) {
  if (depth > kMostLevels)
    return std::nullopt;
  ++depth;
  std::optional<Address> result = computePointer(pointer);
  --depth;
  return result;
}

std::optional<IndexPolynomials::Address> IndexPolynomials::computePointer(Value pointer) {
  if (auto argument = dyn_cast<BlockArgument>(pointer)) {
    if (isGivenArgument(argument, func))
      return Address{argument, IndexPolynomial()};
    std::optional<IndexPolynomial> since = movedSinceStart(argument);
    if (!since)
      return std::nullopt;
    auto loop = cast<scf::ForOp>(argument.getOwner()->getParentOp());
    std::optional<Address> start = ofPointer(loop.getTiedLoopInit(argument)->get());
    if (!start || !start->offset.add(*since))
      return std::nullopt;
    return start;
  }
  Operation *op = pointer.getDefiningOp();
  if (auto add = dyn_cast<tile::AddPtrOp>(op)) {
    std::optional<Address> address = ofPointer(add.getPointer());
    std::optional<IndexPolynomial> offset = of(add.getOffset());
    if (!address || !offset || !address->offset.add(*offset))
      return std::nullopt;
    return address;
  }
  if (auto shape = dyn_cast<tile::ShapeOpInterface>(op)) {
    std::optional<Address> address = ofPointer(shape.getSource());
    std::optional<IndexPolynomial> offset = address ? moved(address->offset, shape) : std::nullopt;
    if (!offset)
      return std::nullopt;
    return Address{address->root, std::move(*offset)};
  }
  return std::nullopt;
}

IndexPolynomials::Bounds IndexPolynomials::boundsOf(Value mask) {
  Bounds bounds;
  Operation *op = mask.getDefiningOp();
  if (matchPattern(mask, m_One()))
    return bounds;
  if (isa_and_nonnull<arith::AndIOp>(op)) {
    for (Value operand : op->getOperands()) {
      Bounds more = boundsOf(operand);
      bounds.isAll &= more.isAll;
      llvm::append_range(bounds.below, more.below);
    }
    return bounds;
  }
  if (auto shape = dyn_cast_or_null<tile::ShapeOpInterface>(op)) {
    Bounds source = boundsOf(shape.getSource());
    bounds.isAll = source.isAll;
    for (const IndexPolynomial &below : source.below) {
      if (std::optional<IndexPolynomial> result = moved(below, shape))
        bounds.below.push_back(std::move(*result));
      else
        bounds.isAll = false;
    }
    return bounds;
  }
  bounds.isAll = false;
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare)
    return bounds;
  using arith::CmpIPredicate;
  CmpIPredicate predicate = compare.getPredicate();
  std::optional<IndexPolynomial> less = of(compare.getLhs()), more = of(compare.getRhs());
  if (predicate == CmpIPredicate::sgt || predicate == CmpIPredicate::sge)
    std::swap(less, more);
  else if (predicate != CmpIPredicate::slt && predicate != CmpIPredicate::sle)
    return bounds;
  bool isStrict = predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sgt;
  if (!less || !more || !less->add(*more, -1) ||
      (!isStrict && !less->add(IndexPolynomial::Product(), -1)))
    return bounds;
  bounds.below.push_back(std::move(*less));
  bounds.isAll = true;
  return bounds;
}

std::pair<Value, int64_t> splitConstant(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return {Value(), *constant};
  Operation *op = value.getDefiningOp();
  if (!value.getType().isInteger(32) ||
      !isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return {value, 0};
  auto [a, x] = splitConstant(op->getOperand(0));
  auto [b, y] = splitConstant(op->getOperand(1));
  bool isProduct = isa<arith::MulIOp>(op), isDifference = isa<arith::SubIOp>(op);
  int64_t constant = isProduct ? x * y : isDifference ? x - y : x + y;
  if ((a && b) || (isProduct && a) || ((isProduct || isDifference) && b) ||
      !llvm::isInt<32>(constant))
    return {value, 0};
  return {a ? a : b, constant};
}

} // namespace tilec

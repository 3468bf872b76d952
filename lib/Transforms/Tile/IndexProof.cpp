// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An element of an index tensor of w bits is `base + r` modulo 2^w, where `base` is one sum of
// scalars for all elements and r is in [0, extent]. A comparison of two of them,
//
//   a + r  <  b + s,    0 <= r <= x, 0 <= s <= y
//
// holds for all elements when, over the integers, a + x < b, and neither side wraps around: a >=
// min and b + y <= max of the type (a + x < b is the rest of that). A sign extension on the way
// adds that its operand does not wrap around.

#include "IndexProof.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilec {

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

int64_t guardLimit(int64_t coefficient) {
  return int64_t(1) << (58 - llvm::Log2_64_Ceil(std::max<int64_t>(1, std::abs(coefficient))));
}

bool IndexSum::add(Value scalar, int64_t coefficient) {
  auto *term = llvm::find_if(terms, [&](auto &entry) { return entry.first == scalar; });
  if (term == terms.end())
    term = terms.insert(term, {scalar, 0});
  term->second += coefficient;
  if (std::abs(term->second) > kMaxCoefficient)
    return false;
  if (term->second == 0)
    terms.erase(term);
  return terms.size() <= size_t(kMaxTerms);
}

bool IndexSum::add(const IndexSum &other, int64_t factor) {
  int64_t scaled = 0;
  if (llvm::MulOverflow(other.constant, factor, scaled) ||
      llvm::AddOverflow(constant, scaled, constant) || constant > kMaxConstant ||
      constant < -kMaxConstant)
    return false;
  for (auto [scalar, coefficient] : other.terms)
    if (llvm::MulOverflow(coefficient, factor, scaled) || scaled > kMaxCoefficient ||
        scaled < -kMaxCoefficient || !add(scalar, scaled))
      return false;
  return true;
}

/// The scalar that `value` is a widened form of.
static Value lookThroughExtensions(Value value) {
  while (auto extension = value.getDefiningOp<arith::ExtSIOp>()) {
    if (extension.getIn().getType().isInteger(1))
      break;
    value = extension.getIn();
  }
  return value;
}

std::optional<IndexSum> IndexSum::of(Value scalar) {
  IndexSum result, number;
  if (std::optional<int64_t> constant = getConstantIntValue(scalar))
    number.constant = *constant;
  else
    number.terms.emplace_back(lookThroughExtensions(scalar), 1);
  if (!result.add(number, 1))
    return std::nullopt;
  return result;
}

int64_t IndexSum::coefficientOf(Value scalar) const {
  for (auto [term, coefficient] : terms)
    if (term == scalar)
      return coefficient;
  return 0;
}

IndexSum IndexSum::without(Value scalar) const {
  IndexSum rest;
  rest.constant = constant;
  for (auto &term : terms)
    if (term.first != scalar)
      rest.terms.push_back(term);
  return rest;
}

/// The values that a scalar may have, when it is within its guard.
static std::pair<int64_t, int64_t> rangeOf(Value scalar, int64_t coefficient) {
  if (scalar.getDefiningOp<tile::ProgramIdOp>() || scalar.getDefiningOp<tile::NumProgramsOp>())
    return {0, INT32_MAX};
  if (needsGuard(scalar.getType()))
    return {-guardLimit(coefficient), guardLimit(coefficient)};
  unsigned width = scalar.getType().getIntOrFloatBitWidth();
  return {llvm::minIntN(width), llvm::maxIntN(width)};
}

int64_t IndexSum::getMin() const {
  int64_t result = constant;
  for (auto [scalar, coefficient] : terms) {
    auto [low, high] = rangeOf(scalar, coefficient);
    result += coefficient * (coefficient > 0 ? low : high);
  }
  return result;
}

int64_t IndexSum::getMax() const {
  int64_t result = constant;
  for (auto [scalar, coefficient] : terms) {
    auto [low, high] = rangeOf(scalar, coefficient);
    result += coefficient * (coefficient > 0 ? high : low);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Taking values apart
//===----------------------------------------------------------------------===//

namespace {
/// The elements of an integer value: base + r modulo 2^width, with 0 <= r <= extent.
struct ElementRange {
  IndexSum base;
  int64_t extent = 0;
  unsigned width = 0;

  [[nodiscard]] bool isUniform() const { return extent == 0; }
  /// No element leaves [low, high], whatever the scalars are.
  bool isWithin(int64_t low, int64_t high) const {
    return base.getMin() >= low && base.getMax() + extent <= high;
  }
};

constexpr int64_t kMaxExtent = int64_t(1) << 40;

/// Follows a value to its scalars and ranges.
class Decomposer {
public:
  explicit Decomposer(llvm::function_ref<bool(Value)> isTermOf) : isTerm(isTermOf) {}

  std::optional<ElementRange> decompose(Value value);

  /// What must not wrap around, because it was sign-extended.
  SmallVector<ElementRange, 2> extended;
  /// Sums whose bounds were relied on.
  SmallVector<IndexSum, 2> guarded;

private:
  std::optional<ElementRange> decomposeOp(Operation *op);
  std::optional<ElementRange> sum(Operation *op, int64_t factor);
  std::optional<ElementRange> product(Operation *op);
  std::optional<ElementRange> scaled(const ElementRange &range, int64_t factor);
  std::optional<ElementRange> extension(Operation *op, bool isSigned);

  llvm::function_ref<bool(Value)> isTerm;
  unsigned depth = 0;
};
} // namespace

static std::optional<ElementRange> checked(ElementRange range) {
  if (range.extent < 0 || range.extent > kMaxExtent)
    return std::nullopt;
  return range;
}

std::optional<ElementRange> Decomposer::decompose(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  constexpr unsigned kMaxDepth = 32;
  if (!element.isSignlessInteger() || element.isInteger(1) || depth >= kMaxDepth)
    return std::nullopt;
  ElementRange range;
  range.width = element.getIntOrFloatBitWidth();
  if (matchPattern(value, m_Constant()) || (value.getType() == element && isTerm(value))) {
    // A constant tensor of different elements is no term.
    if (value.getType() != element && !getConstantIntValue(value))
      return std::nullopt;
    std::optional<IndexSum> base = IndexSum::of(value);
    if (!base)
      return std::nullopt;
    range.base = std::move(*base);
    return range;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  ++depth;
  std::optional<ElementRange> result = decomposeOp(op);
  --depth;
  if (result)
    result->width = range.width;
  return result;
}

std::optional<ElementRange> Decomposer::decomposeOp(Operation *op) {
  if (auto makeRange = dyn_cast<tile::MakeRangeOp>(op)) {
    ElementRange range;
    range.base.constant = int32_t(makeRange.getStart());
    range.extent = int64_t(int32_t(makeRange.getEnd())) - range.base.constant - 1;
    return checked(range);
  }
  if (isa<tile::ShapeOpInterface, arith::TruncIOp>(op))
    return decompose(op->getOperand(0));
  if (isa<arith::AddIOp>(op))
    return sum(op, 1);
  if (isa<arith::SubIOp>(op))
    return sum(op, -1);
  if (isa<arith::MulIOp, arith::ShLIOp>(op))
    return product(op);
  if (isa<arith::ExtSIOp>(op))
    return extension(op, /*isSigned=*/true);
  if (isa<arith::ExtUIOp>(op))
    return extension(op, /*isSigned=*/false);
  return std::nullopt;
}

std::optional<ElementRange> Decomposer::scaled(const ElementRange &range, int64_t factor) {
  ElementRange result;
  int64_t extent = 0;
  if (llvm::MulOverflow(range.extent, factor, extent) || extent > kMaxExtent ||
      extent < -kMaxExtent || !result.base.add(range.base, factor))
    return std::nullopt;
  result.extent = std::abs(extent);
  // Counting down: the range starts at its other end.
  IndexSum start;
  start.constant = std::min<int64_t>(extent, 0);
  if (!result.base.add(start, 1))
    return std::nullopt;
  return checked(result);
}

std::optional<ElementRange> Decomposer::sum(Operation *op, int64_t factor) {
  std::optional<ElementRange> left = decompose(op->getOperand(0));
  std::optional<ElementRange> right = left ? decompose(op->getOperand(1)) : std::nullopt;
  if (right)
    right = scaled(*right, factor);
  if (!right || !left->base.add(right->base, 1))
    return std::nullopt;
  left->extent += right->extent;
  return checked(*left);
}

std::optional<ElementRange> Decomposer::product(Operation *op) {
  std::optional<ElementRange> left = decompose(op->getOperand(0));
  std::optional<ElementRange> right = left ? decompose(op->getOperand(1)) : std::nullopt;
  if (!right)
    return std::nullopt;
  auto isConstant = [](const ElementRange &range) {
    return range.isUniform() && range.base.terms.empty();
  };
  if (isa<arith::ShLIOp>(op)) {
    constexpr int64_t kMaxShift = 26;
    if (!isConstant(*right) || right->base.constant < 0 || right->base.constant > kMaxShift)
      return std::nullopt;
    return scaled(*left, int64_t(1) << right->base.constant);
  }
  if (isConstant(*left))
    std::swap(left, right);
  if (!isConstant(*right))
    return std::nullopt;
  return scaled(*left, right->base.constant);
}

std::optional<ElementRange> Decomposer::extension(Operation *op, bool isSigned) {
  std::optional<ElementRange> range = decompose(op->getOperand(0));
  if (!range || range->width > 32)
    return std::nullopt;
  guarded.push_back(range->base);
  if (!isSigned)
    return range->isWithin(0, llvm::maxUIntN(range->width)) ? range : std::nullopt;
  if (!range->isWithin(llvm::minIntN(range->width), llvm::maxIntN(range->width)))
    extended.push_back(*range);
  return range;
}

//===----------------------------------------------------------------------===//
// Proofs
//===----------------------------------------------------------------------===//

/// sum + constant
static std::optional<IndexSum> plus(IndexSum sum, int64_t constant) {
  IndexSum number;
  number.constant = constant;
  if (!sum.add(number, 1))
    return std::nullopt;
  return sum;
}

/// high - sum
static std::optional<IndexSum> below(const IndexSum &sum, int64_t high) {
  IndexSum result;
  result.constant = high;
  if (!result.add(sum, -1))
    return std::nullopt;
  return result;
}

/// The conditions `range` >= low and `range` <= high; false when they cannot be written.
static bool keepWithin(const ElementRange &range, int64_t low, int64_t high, bool checkLow,
                       bool checkHigh, SmallVectorImpl<IndexSum> &conditions) {
  if (checkLow) {
    std::optional<IndexSum> sum = plus(range.base, -low);
    if (!sum)
      return false;
    if (sum->getMin() < 0)
      conditions.push_back(*sum);
  }
  if (checkHigh) {
    std::optional<IndexSum> sum = below(range.base, high - range.extent);
    if (!sum)
      return false;
    if (sum->getMin() < 0)
      conditions.push_back(*sum);
  }
  return true;
}

std::optional<WholeTileProof> proveWholeTile(arith::CmpIOp compare,
                                             llvm::function_ref<bool(Value)> isTerm) {
  using arith::CmpIPredicate;
  CmpIPredicate predicate = compare.getPredicate();
  if (predicate == CmpIPredicate::eq || predicate == CmpIPredicate::ne)
    return std::nullopt;
  Decomposer decomposer(isTerm);
  std::optional<ElementRange> left = decomposer.decompose(compare.getLhs());
  std::optional<ElementRange> right = left ? decomposer.decompose(compare.getRhs()) : std::nullopt;
  if (!right)
    return std::nullopt;
  bool isGreater = predicate == CmpIPredicate::sgt || predicate == CmpIPredicate::sge ||
                   predicate == CmpIPredicate::ugt || predicate == CmpIPredicate::uge;
  bool orEqual = predicate == CmpIPredicate::sle || predicate == CmpIPredicate::sge ||
                 predicate == CmpIPredicate::ule || predicate == CmpIPredicate::uge;
  bool isSigned = predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sle ||
                  predicate == CmpIPredicate::sgt || predicate == CmpIPredicate::sge;
  const ElementRange &small = isGreater ? *right : *left, &large = isGreater ? *left : *right;

  WholeTileProof proof;
  proof.compare = compare;
  std::optional<IndexSum> distance = plus(large.base, -small.extent - (orEqual ? 0 : 1));
  if (!distance || !distance->add(small.base, -1) || distance->getMax() < 0)
    return std::nullopt;
  proof.conditions.push_back(*distance);
  // In 64 bits the guards see to it that nothing wraps around, but a negative number is large when
  // unsigned.
  bool isWide = small.width > 32;
  int64_t low = isSigned ? llvm::minIntN(std::min(small.width, 32u)) : 0;
  int64_t high = isSigned ? llvm::maxIntN(std::min(small.width, 32u))
                          : llvm::maxUIntN(std::min(small.width, 32u));
  if (!keepWithin(small, low, high, !isWide || !isSigned, false, proof.conditions) ||
      !keepWithin(large, low, high, false, !isWide, proof.conditions))
    return std::nullopt;
  for (const ElementRange &range : decomposer.extended)
    if (!keepWithin(range, llvm::minIntN(range.width), llvm::maxIntN(range.width), true, true,
                    proof.conditions))
      return std::nullopt;
  for (const IndexSum &sum : proof.conditions)
    if (sum.getMax() < 0)
      return std::nullopt;
  proof.guarded = std::move(decomposer.guarded);
  proof.guarded.append({small.base, large.base});
  return proof;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

IndexEmitter::~IndexEmitter() {
  for (auto &[number, value] : constants)
    if (value.use_empty())
      value.getDefiningOp()->erase();
}

Value IndexEmitter::constant(int64_t value) {
  Value &result = constants[value];
  if (!result)
    result = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  return result;
}

Value IndexEmitter::widen(Value scalar) {
  if (std::optional<int64_t> number = getConstantIntValue(scalar))
    return constant(*number);
  if (scalar.getType().isInteger(64))
    return scalar;
  return builder.createOrFold<arith::ExtSIOp>(loc, builder.getI64Type(), scalar);
}

Value IndexEmitter::emit(const IndexSum &sum) {
  Value result;
  // Positive terms first: the others are subtracted from them.
  for (bool isPositive : {true, false})
    for (auto [scalar, coefficient] : sum.terms) {
      if ((coefficient > 0) != isPositive)
        continue;
      Value term = widen(scalar);
      if (std::abs(coefficient) != 1)
        term = binary<arith::MulIOp>(term, constant(std::abs(coefficient)));
      if (isPositive)
        result = result ? binary<arith::AddIOp>(result, term) : term;
      else
        result = binary<arith::SubIOp>(result ? result : constant(0), term);
    }
  if (!result)
    return constant(sum.constant);
  return sum.constant == 0 ? result : binary<arith::AddIOp>(result, constant(sum.constant));
}

Value IndexEmitter::compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
  return builder.createOrFold<arith::CmpIOp>(loc, predicate, lhs, rhs);
}

void Conditions::requireGuard(Value scalar, int64_t coefficient) {
  if (!needsGuard(scalar.getType()) || matchPattern(scalar, m_Constant()))
    return;
  int64_t limit = guardLimit(coefficient);
  for (auto &guard : guards)
    if (guard.first == scalar) {
      guard.second = std::min(guard.second, limit);
      return;
    }
  guards.emplace_back(scalar, limit);
}

void Conditions::requireGuards(const IndexSum &sum) {
  for (auto [scalar, coefficient] : sum.terms)
    requireGuard(scalar, coefficient);
}

bool Conditions::require(const IndexSum &sum) {
  if (sum.getMax() < 0)
    return false;
  requireGuards(sum);
  if (sum.getMin() < 0)
    sums.push_back(sum);
  return true;
}

Value Conditions::emit(IndexEmitter &emitter) const {
  Value all;
  auto add = [&](Value next) { all = all ? emitter.binary<arith::AndIOp>(all, next) : next; };
  for (auto [scalar, limit] : guards) {
    Value shifted = emitter.binary<arith::AddIOp>(scalar, emitter.constant(limit));
    add(emitter.compare(arith::CmpIPredicate::ult, shifted, emitter.constant(2 * limit)));
  }
  for (IndexSum sum : sums) {
    // The constant goes to the other side: a + b - 5 >= 0 is a + b >= 5.
    Value bound = emitter.constant(-std::exchange(sum.constant, 0));
    add(emitter.compare(arith::CmpIPredicate::sge, emitter.emit(sum), bound));
  }
  return all;
}

} // namespace tilec

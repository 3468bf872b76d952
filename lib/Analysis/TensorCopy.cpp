// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The terms of the address, a polynomial, are shared out among dimensions:
//
//   term with the place along dimension d     that dimension's stride, times the place
//   other term that has this stride           times a start, of dimension d
//   any other term                            a dimension of its own: the factors that the host
//                                             knows are its stride, the others the coordinate
//
// A mask `place + start < size` says which part of the rest is the start of its dimension.

#include "tilec/Analysis/TensorCopy.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilec/Analysis/HostExpression.h"

#include <numeric>

using namespace mlir;
using namespace tilec;

using Product = IndexPolynomial::Product;
using Atom = IndexPolynomials::Atom;
using Dim = TensorCopy::Dim;

static constexpr int64_t kAlignment = 16;
static constexpr size_t kMaxRank = 5;

/// The axis whose number of the program (`Op`: tile::ProgramIdOp), or number of programs
/// (tile::NumProgramsOp), the product is, once.
template <typename Op>
static std::optional<int32_t> axisOf(const IndexPolynomial::Product &product,
                                     const IndexPolynomials &indices) {
  if (product.size() != 1)
    return std::nullopt;
  for (Value value : indices.atom(product.front()).values)
    if (auto op = value.getDefiningOp<Op>())
      return int32_t(op.getAxis());
  return std::nullopt;
}

namespace {
/// What is known of coordinates where the block has elements, and the launch is one that a map can
/// be made for.
class CoordinateBounds {
public:
  CoordinateBounds(Operation *at, const IndexPolynomials &indexPolynomials,
                   const AxisInfoAnalysis &axisInfo)
      : place(at), indices(indexPolynomials), axes(axisInfo) {}

  /// A size or a stride, which is not negative then.
  void assume(const IndexPolynomial &size) {
    IndexPolynomial::Product scalar;
    for (const auto &[product, coefficient] : size.getTerms()) {
      if (product.empty() && coefficient < 0)
        continue;
      if (product.size() != 1 || coefficient < 0 || !scalar.empty())
        return;
      scalar = product;
    }
    if (!scalar.empty())
      sizes.insert_range(indices.atom(scalar.front()).values);
  }

  bool isNonNegative(const IndexPolynomial &polynomial) const {
    std::map<IndexPolynomial::Product, int64_t> terms(polynomial.getTerms());
    std::optional<int64_t> sum = takeProgramsBehind(terms);
    for (const auto &[product, coefficient] : terms) {
      if (coefficient < 0 && !product.empty())
        return false;
      std::optional<int64_t> term = coefficient;
      for (IndexAtom number : product) {
        // What is known of one of equal values holds where that is defined.
        std::optional<int64_t> lowest;
        for (Value value : indices.valuesAt(number, place))
          if (std::optional<int64_t> more = lowestOf(value, 0))
            lowest = std::max(*more, lowest.value_or(*more));
        term = productOf(term, lowest);
      }
      sum = sumOf(sum, term);
    }
    return sum && *sum >= 0;
  }

  bool fits32Bits(IndexAtom number) const {
    return llvm::any_of(indices.valuesAt(number, place),
                        [&](Value value) { return fits32Bits(value, 0); });
  }

private:
  static constexpr unsigned kMaxDepth = 32;

  /// Takes the differences `c * num_programs - c * program_id` away; returns what they come to at
  /// least, `c` each.
  int64_t takeProgramsBehind(std::map<IndexPolynomial::Product, int64_t> &terms) const {
    int64_t sum = 0;
    for (auto &[product, coefficient] : terms) {
      std::optional<int32_t> axis = axisOf<tile::ProgramIdOp>(product, indices);
      if (!axis || coefficient >= 0)
        continue;
      for (auto &[other, amount] : terms)
        if (axisOf<tile::NumProgramsOp>(other, indices) == axis && amount >= -coefficient) {
          sum -= coefficient;
          amount += coefficient;
          coefficient = 0;
          break;
        }
    }
    return sum;
  }

  /// Whether a value of more than 32 bits has no other values than one of 32.
  bool fits32Bits(Value value, unsigned depth) const {
    auto type = dyn_cast<IntegerType>(value.getType());
    if (!type || depth == kMaxDepth)
      return false;
    if (type.getWidth() <= 32)
      return true;
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return llvm::isInt<32>(*constant);
    Operation *op = value.getDefiningOp();
    auto fits = [&](Value operand) { return fits32Bits(operand, depth + 1); };
    if (isa_and_nonnull<arith::ExtSIOp, arith::MinSIOp, arith::MaxSIOp>(op))
      return llvm::all_of(op->getOperands(), fits);
    if (auto select = dyn_cast_or_null<arith::SelectOp>(op))
      return fits(select.getTrueValue()) && fits(select.getFalseValue());
    if (isa_and_nonnull<arith::RemSIOp>(op))
      return llvm::any_of(op->getOperands(), fits);
    // Divisors are taken to be positive, as in AxisInfo.
    return isa_and_nonnull<arith::DivSIOp, arith::ShRSIOp>(op) && fits(op->getOperand(0));
  }

  /// None when one is unknown or the sum too large.
  static std::optional<int64_t> sumOf(std::optional<int64_t> a, std::optional<int64_t> b) {
    int64_t result = 0;
    if (!a || !b || llvm::AddOverflow(*a, *b, result))
      return std::nullopt;
    return result;
  }

  /// Of the bounds of numbers that are not negative.
  static std::optional<int64_t> productOf(std::optional<int64_t> a, std::optional<int64_t> b) {
    int64_t result = 0;
    if (!a || !b || *a < 0 || *b < 0)
      return std::nullopt;
    return llvm::MulOverflow(*a, *b, result) ? 0 : result;
  }

  /// A number that the value is not less than; none when nothing is known.
  std::optional<int64_t> lowestOf(Value value, unsigned depth) const;
  std::optional<int64_t> lowestOf(Operation *op, unsigned depth) const;
  std::optional<int64_t> lowestDifference(arith::SubIOp difference, unsigned depth) const;

  Operation *place;
  const IndexPolynomials &indices;
  const AxisInfoAnalysis &axes;
  DenseSet<Value> sizes;
};
} // namespace

std::optional<int64_t> CoordinateBounds::lowestOf(Value value, unsigned depth) const {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return constant;
  std::optional<int64_t> lowest;
  if (depth < kMaxDepth) {
    if (Operation *op = value.getDefiningOp())
      lowest = lowestOf(op, depth + 1);
    else if (auto loop = dyn_cast<scf::ForOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
             loop && value == loop.getInductionVar())
      lowest = lowestOf(loop.getLowerBound(), depth + 1);
  }
  bool isPositive = axes.get(value).nonNegative || sizes.contains(value);
  return isPositive ? std::max<int64_t>(lowest.value_or(0), 0) : lowest;
}

/// `max(a, b) - a` and `a - min(a, b)` are not negative.
std::optional<int64_t> CoordinateBounds::lowestDifference(arith::SubIOp difference,
                                                          unsigned depth) const {
  Value from = difference.getLhs(), by = difference.getRhs();
  auto hasOperand = [](Operation *op, Value operand) {
    return llvm::is_contained(op->getOperands(), operand);
  };
  if (auto most = from.getDefiningOp<arith::MaxSIOp>(); most && hasOperand(most, by))
    return 0;
  if (auto least = by.getDefiningOp<arith::MinSIOp>(); least && hasOperand(least, from))
    return 0;
  std::optional<int64_t> constant = getConstantIntValue(by);
  if (!constant || *constant == std::numeric_limits<int64_t>::min())
    return std::nullopt;
  return sumOf(lowestOf(from, depth), -*constant);
}

std::optional<int64_t> CoordinateBounds::lowestOf(Operation *op, unsigned depth) const {
  auto lowest = [&](unsigned operand) { return lowestOf(op->getOperand(operand), depth); };
  auto lesser = [](std::optional<int64_t> a, std::optional<int64_t> b) {
    return a && b ? std::optional(std::min(*a, *b)) : std::nullopt;
  };
  if (isa<arith::AddIOp>(op))
    return sumOf(lowest(0), lowest(1));
  if (auto difference = dyn_cast<arith::SubIOp>(op))
    return lowestDifference(difference, depth);
  if (isa<arith::MulIOp>(op))
    return productOf(lowest(0), lowest(1));
  if (isa<arith::MinSIOp>(op))
    return lesser(lowest(0), lowest(1));
  if (isa<arith::SelectOp>(op))
    return lesser(lowest(1), lowest(2));
  if (isa<arith::MaxSIOp>(op)) {
    std::optional<int64_t> a = lowest(0), b = lowest(1);
    return a && b ? std::max(a, b) : a ? a : b;
  }
  if (isa<arith::ExtSIOp>(op))
    return lowest(0);
  // Divisors are taken to be positive, as in AxisInfo.
  std::optional<int64_t> dividend =
      isa<arith::DivSIOp, arith::RemSIOp>(op) ? lowest(0) : std::nullopt;
  if (!dividend || *dividend < 0)
    return std::nullopt;
  std::optional<int64_t> divisor = getConstantIntValue(op->getOperand(1));
  return isa<arith::DivSIOp>(op) && divisor && *divisor > 0 ? *dividend / *divisor : 0;
}

namespace {
/// Matches one access.
class CopyMatcher {
public:
  CopyMatcher(tile::GlobalAccessOpInterface accessOp, IndexPolynomials &indexPolynomials,
              const AxisInfoAnalysis &axisInfo)
      : access(accessOp), type(cast<RankedTensorType>(accessOp.getPointer().getType())),
        indices(indexPolynomials), axes(axisInfo) {}

  /// Empty when it matches.
  std::string match(TensorCopy &copy);

private:
  std::string takePlaces(const IndexPolynomial &offset);
  std::string takeMask();
  std::string takeCondition(const IndexPolynomial &below);
  std::string takeStarts();
  std::string takeOthers();
  std::string check(const TensorCopy &copy) const;
  /// Whether it is made of scalars that the access comes behind.
  bool isUsable(const IndexPolynomial &polynomial) const;
  bool takeStart(Dim &dim);
  bool subtractStart(Dim &dim);
  /// The greatest power of two that is known to divide a stride, in elements.
  int64_t divisorOf(const IndexPolynomial &stride) const;

  tile::GlobalAccessOpInterface access;
  /// Of its pointers.
  RankedTensorType type;
  IndexPolynomials &indices;
  const AxisInfoAnalysis &axes;
  /// By dimension of the access's tensor.
  SmallVector<Dim, 2> dims;
  SmallVector<Dim, 2> others;
  /// Terms of the address that belong to no dimension yet.
  IndexPolynomial rest;
  /// The places of these are in the address modulo the extent, with their starts.
  SmallVector<bool, 2> hasStart;
  /// Conditions `coordinate >= 0`, negated.
  SmallVector<std::pair<unsigned, IndexPolynomial>> masksBelow;
};
} // namespace

static constexpr StringLiteral kTooLarge = "its address is too long an expression";

/// The one place in a product, and the product without it; none when there is no place, `isBad`
/// when there are several.
static std::optional<IndexAtom> takePlace(const IndexPolynomials &indices, const Product &product,
                                          Product &others, bool &isBad) {
  std::optional<IndexAtom> place;
  for (IndexAtom number : product) {
    if (indices.atom(number).kind == Atom::Kind::Scalar) {
      others.push_back(number);
      continue;
    }
    isBad |= place.has_value();
    place = number;
  }
  return place;
}

std::string CopyMatcher::takePlaces(const IndexPolynomial &offset) {
  dims.resize(type.getRank());
  hasStart.assign(dims.size(), false);
  SmallVector<std::optional<IndexAtom>> places(dims.size());
  for (auto [d, dim] : llvm::enumerate(dims)) {
    dim.accessed = unsigned(d);
    dim.size = type.getDimSize(unsigned(d));
  }
  for (const auto &[product, coefficient] : offset.getTerms()) {
    Product factors;
    bool isBad = false;
    std::optional<IndexAtom> place = takePlace(indices, product, factors, isBad);
    if (!place) {
      if (!rest.add(product, coefficient))
        return kTooLarge.str();
      continue;
    }
    unsigned d = indices.atom(*place).dim;
    if (isBad || (places[d] && places[d] != place))
      return "its addresses are no grid";
    places[d] = place;
    if (!dims[d].stride.add(factors, coefficient))
      return kTooLarge.str();
  }
  for (auto [d, dim] : llvm::enumerate(dims)) {
    if (!places[d])
      return "its addresses are the same along a dimension";
    if (!indices.isKnownToHost(dim.stride))
      return "a stride is not known before the launch";
    const Atom &atom = indices.atom(*places[d]);
    if (atom.kind != Atom::Kind::Wrapped)
      continue;
    dim.isWrapped = hasStart[d] = true;
    dim.extent = atom.size;
    dim.start = atom.dividend;
    if (!dim.start.add(IndexPolynomial::of(indices.index(unsigned(d))), -1))
      return kTooLarge.str();
  }
  return "";
}

/// Takes what the mask says of one coordinate.
std::string CopyMatcher::takeCondition(const IndexPolynomial &below) {
  std::optional<unsigned> along;
  bool isUpper = true;
  for (const auto &[product, coefficient] : below.getTerms()) {
    Product factors;
    bool isBad = false;
    std::optional<IndexAtom> place = takePlace(indices, product, factors, isBad);
    if (!place)
      continue;
    if (isBad || !factors.empty() || along || std::abs(coefficient) != 1 ||
        indices.atom(*place).kind != Atom::Kind::Index)
      return "its mask is no bound of a coordinate";
    along = indices.atom(*place).dim;
    isUpper = coefficient == 1;
  }
  if (!along)
    return "its mask is no bound of a coordinate";
  Dim &dim = dims[*along];
  if (!isUpper) {
    masksBelow.push_back({*along, below});
    return "";
  }
  // place + start - extent < 0. Where the start counts programs from the last one down, it has the
  // number of programs, too.
  auto countsDown = [&](const auto &term) {
    return term.second < 0 && axisOf<tile::ProgramIdOp>(term.first, indices);
  };
  bool isFromEnd = llvm::any_of(below.getTerms(), countsDown);
  IndexPolynomial start, extent;
  for (const auto &[product, coefficient] : below.getTerms()) {
    if (product == Product{indices.index(*along)})
      continue;
    bool isSize = llvm::all_of(product, [&](IndexAtom a) { return indices.isKnownToHost(a); }) &&
                  !(isFromEnd && axisOf<tile::NumProgramsOp>(product, indices));
    if (!isSize && coefficient < 0 && !countsDown(std::pair(product, coefficient)))
      return "the size that its mask compares with is not known before the launch";
    if (!(isSize ? extent.add(product, -coefficient) : start.add(product, coefficient)))
      return kTooLarge.str();
  }
  if (dim.isWrapped) {
    if (!(start == dim.start) || !(extent == *dim.extent))
      return "its mask is no bound of a coordinate that wraps around";
    dim.isWrapped = false;
    return "";
  }
  if (dim.extent && !(start == dim.start && extent == *dim.extent))
    return "its mask bounds a coordinate twice";
  dim.start = std::move(start);
  dim.extent = std::move(extent);
  return "";
}

std::string CopyMatcher::takeMask() {
  if (!access.getMask())
    return "";
  IndexPolynomials::Bounds bounds = indices.boundsOf(access.getMask());
  if (!bounds.isAll)
    return "its mask is no conjunction of bounds of coordinates";
  for (const IndexPolynomial &below : bounds.below)
    if (std::string problem = takeCondition(below); !problem.empty())
      return problem;
  return "";
}

/// Takes the start, which the mask has told, out of the rest.
bool CopyMatcher::subtractStart(Dim &dim) {
  std::optional<IndexPolynomial> moved = dim.start.times(dim.stride);
  return moved && rest.add(*moved, -1);
}

/// The factors of `product` that are not in `divisor`; none when that does not divide it.
static std::optional<Product> quotientOf(const Product &product, const Product &divisor) {
  Product quotient;
  size_t at = 0;
  for (IndexAtom number : product) {
    if (at < divisor.size() && divisor[at] == number)
      ++at;
    else
      quotient.push_back(number);
  }
  if (at != divisor.size())
    return std::nullopt;
  return quotient;
}

/// Takes terms with the dimension's stride out of the rest: all where no mask has told the start,
/// else constants only, which may be on either side of the mask.
bool CopyMatcher::takeStart(Dim &dim) {
  if (dim.stride.getTerms().size() != 1)
    return true;
  // Larger steps than a block's are those of another dimension.
  constexpr int64_t mostElements = int64_t(1) << 16;
  const auto &[divisor, scale] = *dim.stride.getTerms().begin();
  for (const auto &[product, coefficient] : std::map(rest.getTerms())) {
    std::optional<Product> quotient = quotientOf(product, divisor);
    if (!quotient || coefficient % scale != 0 || std::abs(coefficient / scale) > mostElements)
      continue;
    bool isKernels =
        llvm::none_of(*quotient, [&](IndexAtom number) { return indices.isKnownToHost(number); });
    if (!isKernels || (dim.extent && !quotient->empty()))
      continue;
    int64_t amount = coefficient / scale;
    if (!dim.start.add(*quotient, amount) || !rest.add(product, -coefficient) ||
        (dim.extent && !dim.extent->add(*quotient, amount)))
      return false;
  }
  return true;
}

std::string CopyMatcher::takeStarts() {
  for (auto [dim, isThere] : llvm::zip(dims, hasStart))
    if (dim.extent && !isThere && !subtractStart(dim))
      return kTooLarge.str();
  // Terms of the larger stride first: all have stride one.
  for (bool isInner : {false, true})
    for (auto [dim, isThere] : llvm::zip(dims, hasStart))
      if ((dim.stride.getConstant() == 1) == isInner && !isThere && !takeStart(dim))
        return kTooLarge.str();
  return "";
}

std::string CopyMatcher::takeOthers() {
  // By what the host knows.
  std::map<Product, std::pair<int64_t, std::map<Product, int64_t>>> groups;
  for (const auto &[product, coefficient] : rest.getTerms()) {
    Product given, own;
    for (IndexAtom number : product)
      (indices.isKnownToHost(number) ? given : own).push_back(number);
    auto &[common, terms] = groups[given];
    common = std::gcd(common, coefficient);
    terms[own] = coefficient;
  }
  for (const auto &[given, group] : groups) {
    const auto &[common, terms] = group;
    Dim dim;
    bool works = dim.stride.add(given, common);
    for (const auto &[own, coefficient] : terms)
      works = works && dim.start.add(own, coefficient / common);
    if (!works)
      return kTooLarge.str();
    others.push_back(std::move(dim));
  }
  return "";
}

int64_t CopyMatcher::divisorOf(const IndexPolynomial &stride) const {
  int64_t divisor = 0;
  for (const auto &[product, coefficient] : stride.getTerms()) {
    int64_t factor = powerOfTwoDivisor(coefficient);
    for (IndexAtom number : product)
      factor =
          std::min(kAlignment, factor) *
          std::min(kAlignment,
                   axes.get(indices.valuesAt(number, access).front()).getElementDivisibility());
    divisor = std::gcd(divisor, factor);
  }
  return divisor;
}

bool CopyMatcher::isUsable(const IndexPolynomial &polynomial) const {
  return llvm::all_of(polynomial.getTerms(), [&](const auto &term) {
    return llvm::all_of(term.first, [&](IndexAtom number) {
      return indices.atom(number).kind == Atom::Kind::Scalar &&
             !indices.valuesAt(number, access).empty();
    });
  });
}

std::string CopyMatcher::check(const TensorCopy &copy) const {
  int64_t bytes = cast<tile::PtrType>(type.getElementType()).getElementBytes();
  if (axes.get(copy.base).getElementDivisibility() % kAlignment != 0)
    return "its base is not known to be a multiple of 16 bytes";
  if (copy.dims.size() > kMaxRank)
    return "its tensor has more than 5 dimensions";
  CoordinateBounds bounds(access, indices, axes);
  for (const Dim &dim : copy.dims) {
    if (!isUsable(dim.stride) || !isUsable(dim.start) || (dim.extent && !isUsable(*dim.extent)))
      return "its addresses are no grid, or computed behind it";
    bounds.assume(dim.stride);
    if (dim.extent)
      bounds.assume(*dim.extent);
  }
  for (const Dim &dim : copy.dims) {
    if (&dim != &copy.dims.back() && divisorOf(dim.stride) * bytes % kAlignment != 0)
      return "a stride is not known to be a multiple of 16 bytes";
    for (const auto &[product, coefficient] : dim.start.getTerms())
      for (IndexAtom number : product)
        if (!bounds.fits32Bits(number))
          return "a coordinate has 64 bits";
    if (!dim.isMaskedBelow && !bounds.isNonNegative(dim.start))
      return "a coordinate may be negative";
  }
  return "";
}

std::string CopyMatcher::match(TensorCopy &copy) {
  std::optional<IndexPolynomials::Address> address = indices.ofPointer(access.getPointer());
  if (!address)
    return "its address is no sum of products of indices, or does not start at an argument";
  copy.base = cast<BlockArgument>(address->root);
  if (std::string problem = takePlaces(address->offset); !problem.empty())
    return problem;
  if (std::string problem = takeMask(); !problem.empty())
    return problem;
  if (std::string problem = takeStarts(); !problem.empty())
    return problem;
  if (std::string problem = takeOthers(); !problem.empty())
    return problem;
  for (const auto &[d, below] : masksBelow) {
    // -(place + start) - 1 < 0
    IndexPolynomial bound = below;
    if (!bound.add(dims[d].start) || !bound.add(IndexPolynomial::of(indices.index(d))) ||
        !bound.add(Product(), 1))
      return kTooLarge.str();
    if (!bound.isZero())
      return "its mask bounds a coordinate below by something else than zero";
    dims[d].isMaskedBelow = true;
  }
  std::optional<unsigned> inner;
  for (auto [d, dim] : llvm::enumerate(dims))
    if (dim.stride.getConstant() == 1)
      inner = unsigned(d);
  if (!inner)
    return "no dimension is known to be contiguous";
  llvm::append_range(copy.dims, others);
  for (auto [d, dim] : llvm::enumerate(dims))
    if (d != *inner)
      copy.dims.push_back(dim);
  copy.dims.push_back(dims[*inner]);
  return check(copy);
}

std::optional<TensorCopy> tilec::matchTensorCopy(tile::GlobalAccessOpInterface access,
                                                 IndexPolynomials &indices,
                                                 const AxisInfoAnalysis &axes,
                                                 std::string &reason) {
  TensorCopy copy;
  reason = CopyMatcher(access, indices, axes).match(copy);
  if (!reason.empty())
    return std::nullopt;
  return copy;
}

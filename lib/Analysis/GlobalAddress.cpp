// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums are built by recursion over definitions; what is no sum becomes a term, numbered by what it
// is computed from (value numbering that looks through layouts).

#include "tilec/Analysis/GlobalAddress.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "tilec/Analysis/SourceNames.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <numeric>

using namespace mlir;
using namespace tilec;

using Shift = AddressSum::Shift;
using Part = AddressSum::Part;

/// Definitions are followed this far; what lies behind is a term of its own.
static constexpr unsigned kMaxDefinitions = 300;

static ArrayRef<int64_t> shapeOf(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor ? tensor.getShape() : ArrayRef<int64_t>();
}

/// The dimensions of `shape` that have more than one position, a bit each.
static uint64_t wideDims(ArrayRef<int64_t> shape) {
  uint64_t dims = 0;
  for (auto [i, extent] : llvm::enumerate(shape))
    if (extent > 1)
      dims |= uint64_t(1) << i;
  return dims;
}

static int64_t pointeeBytes(Value pointer) {
  auto type = dyn_cast<tile::PtrType>(getElementTypeOrSelf(pointer.getType()));
  return type ? type.getElementBytes() : 1;
}

template <typename Term> static void addTerm(SmallVectorImpl<Term> &terms, const Term &term) {
  auto place = llvm::lower_bound(
      terms, term, [](const Term &a, const Term &b) { return a.expression < b.expression; });
  if (place == terms.end() || place->expression != term.expression) {
    terms.insert(place, term);
    return;
  }
  place->factor = int64_t(uint64_t(place->factor) + uint64_t(term.factor));
  if (place->factor == 0)
    terms.erase(place);
}

/// sum += other * factor. Arithmetic wraps, as addresses do.
static void addScaled(AddressSum &sum, const AddressSum &other, int64_t factor) {
  auto times = [factor](int64_t value) { return int64_t(uint64_t(value) * uint64_t(factor)); };
  if (other.root)
    sum.root = other.root;
  sum.isAnywhere |= other.isAnywhere;
  sum.constant = int64_t(uint64_t(sum.constant) + uint64_t(times(other.constant)));
  for (Shift shift : other.shifts) {
    shift.factor = times(shift.factor);
    if (shift.factor != 0)
      addTerm(sum.shifts, shift);
  }
  for (Part part : other.parts) {
    part.factor = times(part.factor);
    if (part.factor != 0)
      addTerm(sum.parts, part);
  }
}

/// Whether no two elements of `shape` share a byte.
static bool isOneToOne(const AddressSum &sum, ArrayRef<int64_t> shape, int64_t bytes) {
  uint64_t dims = 0;
  SmallVector<std::pair<int64_t, int64_t>> stepsAndSpans;
  for (const Part &part : sum.parts) {
    if (!part.isOneToOne || (dims & part.dims) != 0)
      return false;
    dims |= part.dims;
    // A stride that is not known is taken to be one that keeps rows apart.
    if (!part.last)
      continue;
    int64_t span;
    if (part.factor == std::numeric_limits<int64_t>::min() ||
        llvm::MulOverflow(std::abs(part.factor), *part.last, span))
      return false;
    stepsAndSpans.push_back({std::abs(part.factor), span});
  }
  llvm::sort(stepsAndSpans);
  int64_t covered = bytes;
  for (auto [step, span] : stepsAndSpans)
    if (step < covered || llvm::AddOverflow(covered, span, covered))
      return false;
  return (dims & wideDims(shape)) == wideDims(shape);
}

const AddressSum &GlobalAddresses::of(Value value) {
  if (auto found = sums.find(value); found != sums.end())
    return found->second;
  ++depth;
  AddressSum sum = depth > kMaxDefinitions ? opaque(value) : compute(value);
  --depth;
  return sums[value] = std::move(sum);
}

SmallVector<AddressStep, 2> GlobalAddresses::stepsOf(Value value) {
  SmallVector<AddressStep, 2> steps(shapeOf(value).size());
  for (const Part &part : of(value).parts)
    for (auto [dim, step] : llvm::enumerate(steps)) {
      if ((part.dims >> dim & 1) == 0)
        continue;
      if (!step.isKnown || !part.isCount ||
          (part.stride && step.factor && part.stride != step.factor)) {
        step = AddressStep::unknown();
        continue;
      }
      (part.stride ? step.scale : step.constant) += part.factor;
      if (part.stride)
        step.factor = part.stride;
    }
  return steps;
}

AddressSum GlobalAddresses::compute(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value)) {
    AddressSum sum;
    sum.constant = *constant;
    return sum;
  }
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofLoopPointer(argument);
  Operation *op = value.getDefiningOp();
  return op->getNumResults() == 1 ? ofOperation(op) : opaque(value);
}

AddressSum GlobalAddresses::opaque(Value value) {
  AddressSum sum;
  ExpressionId expression = number(value);
  if (isa<tile::PtrType>(value.getType())) {
    sum.root = expression;
    // Loaded pointers and arguments point to memory of their own.
    sum.isAnywhere = isa_and_nonnull<arith::SelectOp, scf::IfOp, scf::WhileOp, scf::ForOp>(
        isa<BlockArgument>(value) ? value.getParentBlock()->getParentOp() : value.getDefiningOp());
    return sum;
  }
  if (isa<tile::PtrType>(getElementTypeOrSelf(value.getType())))
    sum.isAnywhere = true;
  ArrayRef<int64_t> shape = shapeOf(value);
  if (shape.empty()) {
    sum.shifts.push_back({expression, 1});
    return sum;
  }
  uint64_t dims = wideDims(shape);
  Operation *op = value.getDefiningOp();
  if (op && depth < kMaxDefinitions &&
      (op->hasTrait<OpTrait::Elementwise>() || isa<tile::LoadOp>(op))) {
    // Equal operands give equal results.
    dims = 0;
    for (Value operand : op->getOperands())
      for (const Part &part : of(operand).parts)
        dims |= part.dims;
  }
  sum.parts.push_back({expression, 1, std::nullopt, dims, /*isOneToOne=*/false});
  return sum;
}

/// A tensor or pointer that a loop moves as a whole keeps the parts it starts with.
AddressSum GlobalAddresses::ofLoopPointer(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  bool isPointer = isa<tile::PtrType>(getElementTypeOrSelf(argument.getType()));
  if (!loop || argument == loop.getInductionVar() || (!isPointer && shapeOf(argument).empty()))
    return opaque(argument);
  unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
  Value next = loop.getYieldedValues()[index];
  while (next != argument) {
    Operation *op = next.getDefiningOp();
    if (!op || !isa<tile::AddPtrOp, arith::AddIOp, tilegpu::ConvertLayoutOp>(op) ||
        (op->getNumOperands() > 1 && !splatSource(op->getOperand(1)) &&
         !shapeOf(op->getOperand(1)).empty()))
      return opaque(argument);
    next = op->getOperand(0);
  }
  AddressSum sum = of(loop.getInitArgs()[index]);
  addTerm(sum.shifts, Shift{number(argument), 1});
  return sum;
}

AddressSum GlobalAddresses::ofProduct(Operation *op) {
  Value left = op->getOperand(0), right = op->getOperand(1);
  std::optional<int64_t> by = getConstantIntValue(right);
  if (isa<arith::ShLIOp>(op)) {
    if (!by || *by < 0 || *by > 62)
      return opaque(op->getResult(0));
    by = int64_t(1) << *by;
  } else if (!by) {
    std::swap(left, right);
    by = getConstantIntValue(right);
  }
  AddressSum sum;
  if (by) {
    addScaled(sum, of(left), *by);
    return sum;
  }
  // A tensor times a scalar: every term of the sum, times the scalar.
  auto scalarOf = [&](Value tensor) {
    Value scalar = splatSource(tensor);
    bool isUniform =
        llvm::all_of(of(tensor).parts, [](const Part &part) { return part.dims == 0; });
    return !scalar && isUniform ? tensor : scalar;
  };
  Value scalar = scalarOf(right);
  if (!scalar) {
    std::swap(left, right);
    scalar = scalarOf(right);
  }
  if (!scalar || shapeOf(op->getResult(0)).empty())
    return opaque(op->getResult(0));
  ExpressionId factor = number(scalar);
  auto times = [&](ExpressionId term) {
    constexpr uintptr_t product = 1;
    return intern({product, std::min(term, factor), std::max(term, factor)},
                  deeper(places[term], places[factor]));
  };
  AddressSum terms = of(left);
  if (terms.constant != 0)
    addTerm(sum.shifts, Shift{factor, terms.constant});
  for (Shift shift : terms.shifts)
    addTerm(sum.shifts, Shift{times(shift.expression), shift.factor});
  for (Part part : terms.parts) {
    part.expression = times(part.expression);
    part.last.reset();
    part.isCount &= !part.stride;
    part.stride = scalar;
    addTerm(sum.parts, part);
  }
  return sum;
}

/// Exclusive or with a constant moves positions around in a block of a power of two.
AddressSum GlobalAddresses::ofExclusiveOr(Operation *op) {
  AddressSum sum = opaque(op->getResult(0));
  std::optional<int64_t> mask = getConstantIntValue(op->getOperand(1));
  const AddressSum &of = this->of(op->getOperand(0));
  int64_t last = of.constant;
  if (!mask || *mask < 0 || sum.parts.empty() || !of.shifts.empty() || of.constant < 0)
    return sum;
  for (const Part &part : of.parts) {
    if (!part.last || part.factor < 0 || part.factor > (int64_t(1) << 40) ||
        *part.last > (int64_t(1) << 20))
      return sum;
    last += *part.last * part.factor;
  }
  sum.parts.front().isOneToOne = isOneToOne(of, shapeOf(op->getResult(0)), /*bytes=*/1);
  sum.parts.front().last = int64_t(llvm::NextPowerOf2(uint64_t(last | *mask))) - 1;
  return sum;
}

/// Terms of the operand of an operation that moves elements around.
AddressSum GlobalAddresses::reshaped(tile::ShapeOpInterface op) {
  AddressSum sum = of(op.getSource());
  ArrayRef<int64_t> from = shapeOf(op.getSource()), to = shapeOf(op->getResult(0));
  SmallVector<Part, 2> parts;
  std::swap(parts, sum.parts);
  for (Part part : parts) {
    uint64_t dims = 0;
    Key key{reinterpret_cast<uintptr_t>(op->getName().getAsOpaquePointer()), part.expression};
    key.append(to.begin(), to.end());
    if (auto reshape = dyn_cast<tile::ReshapeOp>(*op)) {
      part.isOneToOne &= part.dims == wideDims(from) && !reshape.getAllowReorder();
      part.isCount = false;
      dims = wideDims(to);
    } else {
      for (unsigned dim = 0; dim < to.size(); ++dim) {
        std::optional<unsigned> source = op.getSourceDim(dim);
        dims |= source ? (part.dims >> *source & 1) << dim : 0;
        key.push_back(source.value_or(to.size()));
      }
    }
    part.dims = dims;
    part.expression = intern(std::move(key), places[part.expression]);
    addTerm(sum.parts, part);
  }
  return sum;
}

AddressSum GlobalAddresses::ofOperation(Operation *op) {
  Value result = op->getResult(0);
  AddressSum sum;
  if (isa<tile::SplatOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, tile::PtrCastOp,
          tilegpu::ConvertLayoutOp>(op))
    return of(op->getOperand(0));
  if (auto range = dyn_cast<tile::MakeRangeOp>(op)) {
    int64_t last = int64_t(range.getEnd()) - range.getStart() - 1;
    sum.constant = range.getStart();
    if (last > 0) {
      constexpr uintptr_t counting = 2;
      sum.parts.push_back({intern({counting, uintptr_t(last)}, nullptr), 1, last, /*dims=*/1,
                           /*isOneToOne=*/true, /*isCount=*/true});
    }
    return sum;
  }
  if (auto shape = dyn_cast<tile::ShapeOpInterface>(op))
    return reshaped(shape);
  if (isa<tile::AddPtrOp, arith::AddIOp, arith::SubIOp>(op)) {
    sum = of(op->getOperand(0));
    int64_t factor = isa<tile::AddPtrOp>(op)  ? pointeeBytes(result)
                     : isa<arith::SubIOp>(op) ? -1
                                              : 1;
    addScaled(sum, of(op->getOperand(1)), factor);
    return sum;
  }
  if (isa<arith::MulIOp, arith::ShLIOp>(op))
    return ofProduct(op);
  if (isa<arith::XOrIOp>(op))
    return ofExclusiveOr(op);
  return opaque(result);
}

Operation *GlobalAddresses::deeper(Operation *first, Operation *second) {
  if (!first || !second)
    return first ? first : second;
  return first->isAncestor(second) ? second : first;
}

bool GlobalAddresses::changesIn(Operation *loop, ExpressionId expression) const {
  return places[expression] && loop->isAncestor(places[expression]);
}

ExpressionId GlobalAddresses::intern(Key key, Operation *place) {
  auto [found, isNew] =
      expressions.try_emplace(std::vector<uintptr_t>(key.begin(), key.end()), places.size());
  if (isNew)
    places.push_back(place);
  return found->second;
}

ExpressionId GlobalAddresses::number(Value value) {
  if (auto found = numbers.find(value); found != numbers.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  ExpressionId id;
  ++depth;
  if (auto convert = dyn_cast_or_null<tilegpu::ConvertLayoutOp>(op)) {
    id = number(convert->getOperand(0));
  } else if (op && depth < kMaxDefinitions && op->getNumResults() == 1 &&
             op->getNumRegions() == 0 && isMemoryEffectFree(op)) {
    ArrayRef<int64_t> shape = shapeOf(value);
    Key key{
        reinterpret_cast<uintptr_t>(op->getName().getAsOpaquePointer()),
        reinterpret_cast<uintptr_t>(getElementTypeOrSelf(value.getType()).getAsOpaquePointer())};
    key.append(shape.begin(), shape.end());
    // The type of a tensor of constants has a layout.
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      key.push_back(uintptr_t(*constant));
    else
      key.push_back(reinterpret_cast<uintptr_t>(op->getAttrDictionary().getAsOpaquePointer()));
    Operation *place = nullptr;
    for (Value operand : op->getOperands()) {
      ExpressionId part = number(operand);
      key.push_back(part);
      place = deeper(place, places[part]);
    }
    id = intern(std::move(key), place);
  } else {
    Operation *loop = value.getParentBlock()->getParentOp();
    while (loop && !isa<LoopLikeOpInterface>(loop))
      loop = loop->getParentOp();
    constexpr uintptr_t unknown = 0;
    id = intern({unknown, reinterpret_cast<uintptr_t>(value.getAsOpaquePointer())}, loop);
  }
  --depth;
  return numbers[value] = id;
}

/// The least and the largest value of the parts.
static std::optional<std::pair<int64_t, int64_t>> boundsOf(const AddressSum &sum) {
  int64_t low = 0, high = 0, span;
  for (const Part &part : sum.parts)
    if (!part.last || llvm::MulOverflow(*part.last, part.factor, span) ||
        llvm::AddOverflow(span < 0 ? low : high, span, span < 0 ? low : high))
      return std::nullopt;
  return std::pair(low, high);
}

/// Sums that differ in their constants and parts alone.
static bool areApart(const AddressSum &first, const AddressSum &second, int64_t firstBytes,
                     int64_t secondBytes) {
  constexpr int64_t farthest = int64_t(1) << 60;
  int64_t distance;
  if (llvm::SubOverflow(second.constant, first.constant, distance) || distance > farthest ||
      distance < -farthest)
    return false;
  auto a = boundsOf(first), b = boundsOf(second);
  auto isNear = [](const auto &bounds) {
    return bounds && bounds->first > -farthest && bounds->second < farthest;
  };
  if (isNear(a) && isNear(b) &&
      (a->second + firstBytes <= b->first + distance ||
       b->second + distance + secondBytes <= a->first))
    return true;
  // Both step over each other's gaps, as even and odd positions do.
  int64_t step = 0;
  for (const AddressSum *sum : {&first, &second})
    for (const Part &part : sum->parts)
      step = std::gcd(step, part.factor);
  if (step == 0)
    return false;
  int64_t behind = ((distance % step) + step) % step;
  return behind >= firstBytes && behind + secondBytes <= step;
}

AddressRelation GlobalAddresses::compare(Value first, Value second) {
  of(first);
  const AddressSum &b = of(second), &a = of(first);
  if (a.isAnywhere || b.isAnywhere)
    return AddressRelation::Overlapping;
  if (a.root != b.root)
    return AddressRelation::Apart;
  int64_t firstBytes = pointeeBytes(first), secondBytes = pointeeBytes(second);
  if (a == b && firstBytes == secondBytes && shapeOf(first) == shapeOf(second))
    return isOneToOne(a, shapeOf(first), firstBytes) ? AddressRelation::Same
                                                     : AddressRelation::Overlapping;
  if (a.shifts != b.shifts)
    return AddressRelation::Unknown;
  return areApart(a, b, firstBytes, secondBytes) ? AddressRelation::Apart
                                                 : AddressRelation::Overlapping;
}

AddressRelation GlobalAddresses::compareAcross(Operation *loop, Value first, Value second) {
  AddressRelation relation = compare(first, second);
  if (relation == AddressRelation::Unknown)
    return relation;
  const AddressSum &b = of(second), &a = of(first);
  if (a.isAnywhere || b.isAnywhere || a.root != b.root)
    return relation;
  auto changes = [&](const auto &term) { return changesIn(loop, term.expression); };
  if (llvm::any_of(a.shifts, changes) || llvm::any_of(b.shifts, changes))
    return a == b ? AddressRelation::Apart : AddressRelation::Unknown;
  if (llvm::any_of(a.parts, changes) || llvm::any_of(b.parts, changes))
    return AddressRelation::Overlapping;
  return relation;
}

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every dimension of every value gets a number; operations unite those that go together and fix
// those that they need whole. A class of an extent that is no power of two is then tried in pieces:
// the largest powers of two that it has, and a rest. What counts is the work of the operations that
// it occurs in, with other classes as they have been chosen so far.

#include "DimensionClasses.h"

#include "Padding.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;

/// A tensor with fewer elements than threads costs as much as one with as many.
static constexpr double kThreads = 128;
/// Most pieces of one dimension.
static constexpr size_t kMostPieces = 3;
/// Pieces must be worth more code.
static constexpr double kWorthwhile = 0.85;
/// Multiply-adds of a tensor core in the time of an operation on an element.
static constexpr double kProductsPerElement = 64;
/// An access through pointers in the time of a tensor copy.
static constexpr double kByThreads = 4;
/// Largest number of operations that become several.
static constexpr size_t kMostUsers = 2000;

ArrayRef<int64_t> tilec::tile::blockShapeOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getShape();
  if (auto desc = dyn_cast<DescType>(type))
    return desc.getBlockShape();
  return {};
}

bool tilec::tile::isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() || isa<GlobalAccessOpInterface, AssertOp>(op);
}

bool tilec::tile::isElementwise(Region &combine) {
  return llvm::all_of(combine.front().without_terminator(), [](Operation &op) {
    return op.getNumRegions() == 0 &&
           (op.hasTrait<OpTrait::ConstantLike>() || op.hasTrait<OpTrait::Elementwise>());
  });
}

SmallVector<unsigned> tilec::tile::accessedDims(DescType desc, Type accessed) {
  auto dropped =
      computeRankReductionMask(desc.getBlockShape(), cast<RankedTensorType>(accessed).getShape());
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < desc.getBlockShape().size(); ++dim)
    if (!dropped || !dropped->contains(dim))
      dims.push_back(dim);
  return dims;
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

void DimensionClasses::number(Value value) {
  size_t rank = blockShapeOf(value.getType()).size();
  if (rank == 0)
    return;
  firstIds[value] = numIds;
  numIds += rank;
}

unsigned DimensionClasses::idOf(Value value, unsigned dim) const {
  return firstIds.lookup(value) + dim;
}

void DimensionClasses::link(Value a, unsigned dimA, Value b, unsigned dimB) {
  equal.join(idOf(a, dimA), idOf(b, dimB));
}

void DimensionClasses::linkAll(Value a, Value b) {
  for (unsigned dim = 0; dim < blockShapeOf(a.getType()).size(); ++dim)
    link(a, dim, b, dim);
}

void DimensionClasses::fix(Value value, unsigned dim) { fixed.push_back(idOf(value, dim)); }

void DimensionClasses::fixAll(Value value) {
  for (unsigned dim = 0; dim < blockShapeOf(value.getType()).size(); ++dim)
    fix(value, dim);
}

void DimensionClasses::visitShape(ShapeOpInterface op) {
  Value source = op.getSource(), result = op->getResult(0);
  ArrayRef<int64_t> from = blockShapeOf(source.getType()), to = blockShapeOf(result.getType());
  SmallVector<bool> isKept(from.size(), false);
  for (unsigned dim = 0; dim < to.size(); ++dim) {
    std::optional<unsigned> sourceDim = op.getSourceDim(dim);
    if (sourceDim && from[*sourceDim] == to[dim]) {
      link(source, *sourceDim, result, dim);
      isKept[*sourceDim] = true;
    } else if (!op.keepsDims()) {
      fix(result, dim);
    }
  }
  for (unsigned dim = 0; dim < from.size(); ++dim)
    if (!op.keepsDims() && !isKept[dim])
      fix(source, dim);
}

void DimensionClasses::visitReduce(ReduceOp op) {
  unsigned axis = op.getAxis();
  Value first = op.getOperands().front();
  for (Value operand : op.getOperands())
    linkAll(first, operand);
  for (Value result : op.getResults())
    for (unsigned dim = 0; dim < blockShapeOf(result.getType()).size(); ++dim)
      link(result, dim, first, dim < axis ? dim : dim + 1);
  bool givesScalars = op.getSourceShape().size() == 1;
  if (!givesScalars && !isElementwise(op.getCombine()))
    fix(first, axis);
}

void DimensionClasses::visitDot(DotOp op) {
  unsigned rank = op.getType().getRank(), rows = rank - 2, columns = rank - 1;
  Value lhs = op.getLhs(), rhs = op.getRhs(), result = op.getResult();
  linkAll(op.getAcc(), result);
  link(lhs, rows, result, rows);
  link(rhs, columns, result, columns);
  link(lhs, columns, rhs, rows);
  if (rank == 3)
    for (Value operand : {lhs, rhs})
      link(operand, 0, result, 0);
}

void DimensionClasses::visitGather(GatherOp op) {
  unsigned axis = op.getAxis();
  linkAll(op.getIndices(), op.getResult());
  for (unsigned dim = 0; dim < op.getType().getShape().size(); ++dim)
    if (dim != axis)
      link(op.getSource(), dim, op.getResult(), dim);
  fix(op.getSource(), axis);
}

void DimensionClasses::visitNarrow(NarrowOp op) {
  ArrayRef<int64_t> from = blockShapeOf(op.getSource().getType());
  for (auto [dim, extent] : llvm::enumerate(blockShapeOf(op.getType()))) {
    if (from[dim] == extent)
      link(op.getSource(), dim, op.getResult(), dim);
    else
      fix(op.getSource(), dim);
  }
}

void DimensionClasses::visitScatter(ReduceScatterOp op) {
  fix(op.getSource(), 0);
  fix(op.getResult(), 0);
  for (unsigned dim = 1; dim < blockShapeOf(op.getType()).size(); ++dim)
    link(op.getSource(), dim, op.getResult(), dim);
}

void DimensionClasses::visitControlFlow(Operation *op) {
  auto linkRanges = [&](auto &&a, auto &&b) {
    for (auto [x, y] : llvm::zip_equal(a, b))
      linkAll(x, y);
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    linkRanges(loop.getInitArgs(), loop.getResults());
    linkRanges(loop.getRegionIterArgs(), loop.getResults());
    linkRanges(loop.getYieldedValues(), loop.getResults());
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
      if (!region->empty() && op->getNumResults() > 0)
        linkRanges(region->front().getTerminator()->getOperands(), op->getResults());
  } else if (auto whileLoop = dyn_cast<scf::WhileOp>(op)) {
    linkRanges(whileLoop.getInits(), whileLoop.getBeforeArguments());
    linkRanges(whileLoop.getYieldOp().getOperands(), whileLoop.getBeforeArguments());
    linkRanges(whileLoop.getConditionOp().getArgs(), whileLoop.getAfterArguments());
    linkRanges(whileLoop.getConditionOp().getArgs(), whileLoop.getResults());
  }
}

void DimensionClasses::visit(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<MakeRangeOp, SplatOp, MakeTensorDescriptorOp, ub::PoisonOp>([](auto) {})
      .Case([&](arith::ConstantOp constant) {
        if (!isa<SplatElementsAttr>(constant.getValue()))
          fixAll(constant);
      })
      .Case([&](ShapeOpInterface shape) { visitShape(shape); })
      .Case([&](ReduceOp reduce) { visitReduce(reduce); })
      .Case([&](ScanOp scan) {
        for (Value value : llvm::concat<Value>(llvm::to_vector(scan.getOperands()),
                                               SmallVector<Value>(scan.getResults())))
          linkAll(scan.getOperands().front(), value);
        fix(scan.getOperands().front(), scan.getAxis());
      })
      .Case([&](DotOp dot) { visitDot(dot); })
      .Case([&](GatherOp gather) { visitGather(gather); })
      .Case([&](NarrowOp narrow) { visitNarrow(narrow); })
      .Case([&](ReduceScatterOp scatter) { visitScatter(scatter); })
      .Case([&](HistogramOp histogram) {
        if (histogram.getMask())
          linkAll(histogram.getSource(), histogram.getMask());
        fixAll(histogram.getResult());
      })
      .Case<DescriptorLoadOp, DescriptorStoreOp, DescriptorReduceOp>([&](auto access) {
        Value value;
        if constexpr (std::is_same_v<decltype(access), DescriptorLoadOp>)
          value = access.getResult();
        else
          value = access.getValue();
        for (auto [dim, from] :
             llvm::enumerate(accessedDims(access.getDesc().getType(), value.getType())))
          link(access.getDesc(), from, value, dim);
      })
      .Case<scf::ForOp, scf::IfOp, scf::WhileOp>([&](Operation *) { visitControlFlow(op); })
      .Case<scf::YieldOp, scf::ConditionOp, YieldOp>([](auto) {})
      .Default([&](Operation *other) {
        Value first;
        for (Value value : llvm::concat<Value>(SmallVector<Value>(other->getOperands()),
                                               SmallVector<Value>(other->getResults()))) {
          if (blockShapeOf(value.getType()).empty())
            continue;
          if (!isElementwise(other))
            fixAll(value);
          else if (!first)
            first = value;
          else
            linkAll(first, value);
        }
      });
}

void DimensionClasses::collect(func::FuncOp func) {
  func.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), [&](Value result) { number(result); });
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), [&](Value argument) { number(argument); });
  });
  equal.grow(numIds);
  func.walk([&](Operation *op) {
    visit(op);
    // What comes from outside is whole.
    if (isa<FunctionOpInterface>(op))
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), [&](Value argument) { fixAll(argument); });
  });
  equal.compress();
  classes.resize(equal.getNumClasses());
  for (unsigned id : fixed)
    classes[equal[id]].isFixed = true;
  for (auto [value, first] : firstIds)
    for (auto [dim, extent] : llvm::enumerate(blockShapeOf(value.getType())))
      classes[equal[first + dim]].extent = extent;
  func.walk([&](Operation *op) {
    for (Value value : llvm::concat<Value>(SmallVector<Value>(op->getOperands()),
                                           SmallVector<Value>(op->getResults())))
      for (unsigned dim = 0; dim < blockShapeOf(value.getType()).size(); ++dim) {
        Class &own = classes[equal[idOf(value, dim)]];
        if (own.users.empty() || own.users.back() != op)
          own.users.push_back(op);
        if (!own.origin || (isa<MakeRangeOp>(op) && !isa<MakeRangeOp>(own.origin)))
          own.origin = op;
      }
  });
}

DimensionClasses::DimensionClasses(func::FuncOp func, ArrayRef<Operation *> copies)
    : copied(copies) {
  collect(func);
  for (Class &some : classes)
    some.pieces = {{0, some.extent}};
  for (Class &some : classes)
    if (!some.isFixed && !llvm::isPowerOf2_64(some.extent) && some.users.size() <= kMostUsers)
      choose(some);
  for (Class &some : classes)
    if (some.pieces.size() > 1)
      cut.push_back({some.pieces, some.origin});
}

ArrayRef<Piece> DimensionClasses::piecesOf(Value value, unsigned dim) const {
  return classes[equal[idOf(value, dim)]].pieces;
}

void DimensionClasses::substitute(Value value, Value made) {
  if (!blockShapeOf(value.getType()).empty())
    firstIds[made] = firstIds.lookup(value);
}

size_t DimensionClasses::numPieces(Value value) const {
  size_t count = 1;
  for (unsigned dim = 0; dim < blockShapeOf(value.getType()).size(); ++dim)
    count *= piecesOf(value, dim).size();
  return count;
}

SmallVector<int64_t> PieceExtents::of(Value value, unsigned dim) {
  int64_t extent = blockShapeOf(value.getType())[dim];
  if (llvm::isPowerOf2_64(extent))
    return {extent};
  if (!classes)
    classes.emplace(func, copied);
  return llvm::map_to_vector(classes->piecesOf(value, dim), [](Piece piece) { return piece.size; });
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

static double padded(int64_t size) { return double(llvm::PowerOf2Ceil(size)); }

/// The rows of a product as the tensor core sees them: under 64 a slower instruction takes them,
/// under 16 none does.
static double rowCost(int64_t size) {
  double rows = padded(size);
  return rows >= 64 ? rows : rows >= 16 ? 1.5 * rows : 128;
}

/// Narrow products read as much of the left operand as wide ones.
static double columnCost(int64_t size) {
  double columns = padded(size);
  return columns >= 8 ? std::max(columns, 32.0) : 128;
}

static double depthCost(int64_t size) { return std::max(padded(size), 16.0); }

bool DimensionClasses::isCopy(Operation *op) const {
  return isa<DescriptorLoadOp, DescriptorStoreOp, DescriptorReduceOp>(op) ||
         llvm::is_contained(copied, op);
}

bool DimensionClasses::hasTensorMap(Operation *access) const {
  Value accessed = access->getOperand(0);
  for (unsigned dim = 0; dim < blockShapeOf(accessed.getType()).size(); ++dim)
    for (Piece piece : piecesOf(accessed, dim))
      if (!llvm::isPowerOf2_64(piece.size))
        return false;
  return true;
}

double DimensionClasses::costOf(Operation *op) const {
  auto sumOf = [](ArrayRef<Piece> pieces, auto cost) {
    double sum = 0;
    for (Piece piece : pieces)
      sum += cost(piece.size);
    return sum;
  };
  if (auto dot = dyn_cast<DotOp>(op)) {
    unsigned rank = dot.getType().getRank();
    double work = sumOf(piecesOf(dot.getResult(), rank - 2), rowCost) *
                  sumOf(piecesOf(dot.getResult(), rank - 1), columnCost) *
                  sumOf(piecesOf(dot.getLhs(), rank - 1), depthCost);
    if (rank == 3)
      work *= sumOf(piecesOf(dot.getResult(), 0), padded);
    return work / kProductsPerElement;
  }
  if (isa<MakeRangeOp, ShapeOpInterface, MakeTensorDescriptorOp, scf::ForOp, scf::IfOp,
          scf::WhileOp, scf::YieldOp, scf::ConditionOp>(op) ||
      op->hasTrait<OpTrait::ConstantLike>())
    return 0;
  // The largest tensor counts.
  double most = 0;
  for (Value value : llvm::concat<Value>(SmallVector<Value>(op->getOperands()),
                                         SmallVector<Value>(op->getResults()))) {
    unsigned rank = blockShapeOf(value.getType()).size();
    if (rank == 0)
      continue;
    SmallVector<double> sizes{1};
    for (unsigned dim = 0; dim < rank; ++dim) {
      SmallVector<double> products;
      for (double size : sizes)
        for (Piece piece : piecesOf(value, dim))
          products.push_back(size * padded(piece.size));
      sizes = products;
    }
    double sum = 0;
    for (double size : sizes)
      sum += std::max(size, kThreads);
    most = std::max(most, sum);
  }
  return isCopy(op) && !hasTensorMap(op) ? kByThreads * most : most;
}

double DimensionClasses::costOf(const Class &some) const {
  double sum = 0;
  for (Operation *op : some.users)
    sum += costOf(op);
  return sum;
}

void DimensionClasses::choose(Class &chosen) {
  SmallVector<Piece> best = chosen.pieces;
  double least = costOf(chosen) * kWorthwhile;
  SmallVector<Piece> taken;
  for (int64_t start = 0; taken.size() + 1 < kMostPieces;) {
    int64_t size = int64_t(llvm::bit_floor(uint64_t(chosen.extent - start)));
    if (start + size == chosen.extent)
      break;
    taken.push_back({start, size});
    start += size;
    chosen.pieces = taken;
    chosen.pieces.push_back({start, chosen.extent - start});
    double cost = costOf(chosen);
    if (cost < least) {
      least = cost;
      best = chosen.pieces;
    }
  }
  chosen.pieces = best;
}

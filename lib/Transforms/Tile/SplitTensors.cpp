// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts tensors into pieces along the dimensions that DimensionClasses has chosen. A value becomes
// the values of its pieces, in row-major order of their places; operations are made anew for each
// piece, control flow carries the pieces, reductions and products add up those that they go across.

#include "tilec/Transforms/Tile/Passes.h"

#include "DimensionClasses.h"
#include "PaddedReshape.h"
#include "Padding.h"
#include "Pieces.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "tilec/Support/RemarkCategory.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilec {
#define GEN_PASS_DEF_TILESPLITTENSORSPASS
#include "tilec/Transforms/Tile/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

using Place = SmallVector<unsigned>;

namespace {
class Splitter {
public:
  explicit Splitter(DimensionClasses &dimensionClasses) : classes(dimensionClasses) {}

  void run(func::FuncOp func) {
    for (Block &block : func.getBody())
      splitBlock(block);
    // What is dead uses what is dead, arguments of loops among it.
    for (Operation *op : dead)
      op->dropAllReferences();
    for (Operation *op : dead)
      op->erase();
  }

private:
  /// How many pieces there are along each dimension.
  Place countsOf(Value value) const {
    Place counts;
    for (unsigned dim = 0; dim < blockShapeOf(value.getType()).size(); ++dim)
      counts.push_back(classes.piecesOf(value, dim).size());
    return counts;
  }
  bool isSplit(Value value) const { return classes.numPieces(value) > 1; }

  /// Calls `visit` for every place, in row-major order.
  static void forEachPlace(ArrayRef<unsigned> counts,
                           function_ref<void(ArrayRef<unsigned>)> visit) {
    Place place(counts.size(), 0);
    while (true) {
      visit(place);
      int dim = int(counts.size()) - 1;
      for (; dim >= 0 && ++place[dim] == counts[dim]; --dim)
        place[dim] = 0;
      if (dim < 0)
        return;
    }
  }

  Type pieceType(Value value, ArrayRef<unsigned> place) const {
    SmallVector<int64_t> shape;
    for (auto [dim, index] : llvm::enumerate(place))
      shape.push_back(classes.piecesOf(value, dim)[index].size);
    return shape.empty() ? value.getType() : withShape(value.getType(), shape);
  }

  SmallVector<int64_t> startsOf(Value value, ArrayRef<unsigned> place) const {
    SmallVector<int64_t> starts;
    for (auto [dim, index] : llvm::enumerate(place))
      starts.push_back(classes.piecesOf(value, dim)[index].start);
    return starts;
  }

  /// The piece at a place. Values of other ranks than the place are whole.
  Value pieceAt(Value value, ArrayRef<unsigned> place) const {
    if (!isSplit(value))
      return value;
    size_t index = 0;
    for (auto [count, at] : llvm::zip_equal(countsOf(value), place))
      index = index * count + at;
    return pieces.lookup(value)[index];
  }

  /// Where the elements of an operand are that a place of a result is computed from.
  Place placeIn(OpOperand &operand, ArrayRef<unsigned> place) const {
    Place from(place);
    if (auto gather = dyn_cast<GatherOp>(operand.getOwner());
        gather && &operand == &gather.getSourceMutable())
      from[gather.getAxis()] = 0;
    auto shape = dyn_cast<ShapeOpInterface>(operand.getOwner());
    if (!shape)
      return from;
    Place counts = countsOf(operand.get());
    from.assign(counts.size(), 0);
    for (auto [dim, index] : llvm::enumerate(place))
      if (std::optional<unsigned> source = shape.getSourceDim(dim); source && counts[*source] > 1)
        from[*source] = index;
    return from;
  }

  /// All pieces of a value, or the value.
  SmallVector<Value> allPieces(Value value) const {
    return isSplit(value) ? pieces.lookup(value) : SmallVector<Value>{value};
  }
  SmallVector<Value> allPieces(ValueRange values) const {
    SmallVector<Value> all;
    for (Value value : values)
      llvm::append_range(all, allPieces(value));
    return all;
  }

  void splitBlock(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block))
      splitOperation(&op);
  }

  void splitOperation(Operation *op);
  void splitElementwise(Operation *op);
  void splitReduce(ReduceOp op);
  void splitDot(DotOp op);
  void splitNarrow(NarrowOp op);
  void splitScatter(ReduceScatterOp op);
  void splitHistogram(HistogramOp op);
  void splitMake(MakeTensorDescriptorOp op);
  template <typename OpTy> void splitAccess(OpTy op, Value value);
  void splitControlFlow(Operation *op);
  void moveBody(Region &from, Region &to);

  /// Makes the one result of `op` anew for each of its pieces.
  void eachPiece(Operation *op, function_ref<Value(OpBuilder &, ArrayRef<unsigned>)> make) {
    OpBuilder builder(op);
    Value result = op->getResult(0);
    SmallVector<Value> made;
    forEachPlace(countsOf(result),
                 [&](ArrayRef<unsigned> place) { made.push_back(make(builder, place)); });
    replace(result, std::move(made));
    dead.push_back(op);
  }

  void replace(Value value, SmallVector<Value> made) {
    if (isSplit(value)) {
      pieces[value] = std::move(made);
      return;
    }
    classes.substitute(value, made.front());
    value.replaceAllUsesWith(made.front());
  }

  DimensionClasses &classes;
  DenseMap<Value, SmallVector<Value>> pieces;
  /// What has been made anew, in order.
  SmallVector<Operation *> dead;
};
} // namespace

//===----------------------------------------------------------------------===//
// Operations whose pieces are computed from one piece of each operand
//===----------------------------------------------------------------------===//

void Splitter::splitElementwise(Operation *op) {
  OpBuilder builder(op);
  auto isWide = [](Value value) { return !blockShapeOf(value.getType()).empty(); };
  SmallVector<Value> values(op->getResults());
  llvm::append_range(values, op->getOperands());
  Value first = *llvm::find_if(values, isWide);
  SmallVector<SmallVector<Value>> made(op->getNumResults());
  forEachPlace(countsOf(first), [&](ArrayRef<unsigned> place) {
    Operation *piece = builder.clone(*op);
    for (OpOperand &operand : op->getOpOperands())
      if (isWide(operand.get()))
        piece->setOperand(operand.getOperandNumber(),
                          pieceAt(operand.get(), placeIn(operand, place)));
    for (auto [i, result] : llvm::enumerate(op->getResults())) {
      piece->getResult(i).setType(pieceType(result, place));
      made[i].push_back(piece->getResult(i));
    }
    clipHints(piece, startsOf(first, place));
    if (auto constant = dyn_cast<arith::ConstantOp>(piece))
      resizeSplat(constant);
    if (auto range = dyn_cast<MakeRangeOp>(piece)) {
      int64_t start = int32_t(range.getStart()) + startsOf(first, place).front();
      range.setStart(start);
      range.setEnd(start + range.getType().getDimSize(0));
    }
  });
  for (auto [result, own] : llvm::zip_equal(op->getResults(), made))
    replace(result, std::move(own));
  dead.push_back(op);
}

//===----------------------------------------------------------------------===//
// Operations across dimensions
//===----------------------------------------------------------------------===//

/// The combination of `left` and `right`, scalars or tensors of one shape.
static SmallVector<Value> combine(OpBuilder &builder, Region &region, ArrayRef<Value> left,
                                  ArrayRef<Value> right) {
  Block &body = region.front();
  IRMapping mapping;
  for (auto [i, value] : llvm::enumerate(left)) {
    mapping.map(body.getArgument(i), value);
    mapping.map(body.getArgument(left.size() + i), right[i]);
  }
  auto shaped = dyn_cast<RankedTensorType>(left.front().getType());
  for (Operation &op : body.without_terminator()) {
    Operation *made = builder.clone(op, mapping);
    if (!shaped)
      continue;
    for (Value result : made->getResults())
      result.setType(shaped.clone(result.getType()));
    if (auto constant = dyn_cast<arith::ConstantOp>(made))
      constant.setValueAttr(DenseElementsAttr::get(cast<ShapedType>(constant.getType()),
                                                   Attribute(constant.getValue())));
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

void Splitter::splitReduce(ReduceOp op) {
  OpBuilder builder(op);
  unsigned axis = op.getAxis();
  Value first = op.getOperands().front();
  Place counts = countsOf(first);
  unsigned parts = counts[axis];
  counts.erase(counts.begin() + axis);
  SmallVector<SmallVector<Value>> made(op->getNumResults());
  forEachPlace(counts, [&](ArrayRef<unsigned> place) {
    SmallVector<Value> total;
    for (unsigned part = 0; part < parts; ++part) {
      Place from(place);
      from.insert(from.begin() + axis, part);
      SmallVector<Value> operands = llvm::map_to_vector(
          op.getOperands(), [&](Value operand) { return pieceAt(operand, from); });
      auto reduce = ReduceOp::create(builder, op.getLoc(), operands, int(axis));
      IRMapping mapping;
      op.getCombine().cloneInto(&reduce.getCombine(), mapping);
      SmallVector<Value> results(reduce->getResults());
      total = part == 0 ? results : combine(builder, op.getCombine(), total, results);
    }
    for (auto [list, value] : llvm::zip_equal(made, total))
      list.push_back(value);
  });
  for (auto [result, values] : llvm::zip_equal(op.getResults(), made))
    replace(result, std::move(values));
  dead.push_back(op);
}

void Splitter::splitDot(DotOp op) {
  unsigned rank = op.getType().getRank(), rows = rank - 2, columns = rank - 1;
  eachPiece(op, [&](OpBuilder &builder, ArrayRef<unsigned> place) -> Value {
    Value sum = pieceAt(op.getAcc(), place);
    for (unsigned part = 0; part < classes.piecesOf(op.getLhs(), columns).size(); ++part) {
      Place left(place), right(place);
      left[columns] = right[rows] = part;
      Operation *dot = builder.clone(*op);
      dot->setOperands({pieceAt(op.getLhs(), left), pieceAt(op.getRhs(), right), sum});
      dot->getResult(0).setType(sum.getType());
      sum = dot->getResult(0);
    }
    return sum;
  });
}

/// The part of a tensor of `size` elements along the last dimension from `start` on, a multiple.
/// Both are powers of two: it is one of equal parts, and no other one has the key zero.
static Value takePart(OpBuilder &builder, Location loc, Value source, int64_t start, int64_t size) {
  auto type = cast<RankedTensorType>(source.getType());
  int64_t parts = type.getShape().back() / size;
  if (parts == 1)
    return source;
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = parts;
  unsigned axis = unsigned(shape.size()) - 1;
  shape.push_back(size);
  Value cut = ReshapeOp::create(builder, loc, type.clone(shape), source);
  Type i32 = builder.getI32Type();
  auto rangeType = RankedTensorType::get({parts}, i32);
  Value range = MakeRangeOp::create(builder, loc, rangeType, 0, uint32_t(parts));
  Value wanted = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(rangeType, int32_t(start / size)));
  Value keys = arith::XOrIOp::create(builder, loc, range, wanted);
  SmallVector<int64_t> row(shape.size(), 1);
  row[axis] = parts;
  keys = ReshapeOp::create(builder, loc, RankedTensorType::get(row, i32), keys);
  keys = BroadcastOp::create(builder, loc, RankedTensorType::get(shape, i32), keys);
  auto reduce = ReduceOp::create(builder, loc, ValueRange{cut, keys}, int(axis));
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types{type.getElementType(), i32, type.getElementType(), i32};
  Block *body = builder.createBlock(&reduce.getCombine(), {}, types, SmallVector<Location>(4, loc));
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        body->getArgument(1), body->getArgument(3));
  SmallVector<Value> taken;
  for (unsigned i = 0; i < 2; ++i)
    taken.push_back(arith::SelectOp::create(builder, loc, isFirst, body->getArgument(i),
                                            body->getArgument(i + 2)));
  YieldOp::create(builder, loc, taken);
  return reduce.getResult(0);
}

void Splitter::splitNarrow(NarrowOp op) {
  eachPiece(op, [&](OpBuilder &builder, ArrayRef<unsigned> place) -> Value {
    int64_t start = startsOf(op.getResult(), place).back();
    auto type = cast<RankedTensorType>(pieceType(op.getResult(), place));
    int64_t size = int64_t(llvm::PowerOf2Ceil(uint64_t(type.getShape().back())));
    Place rows(place);
    rows.back() = 0;
    Value part = takePart(builder, op.getLoc(), pieceAt(op.getSource(), rows), start, size);
    return part.getType() == type ? part
                                  : NarrowOp::create(builder, op.getLoc(), type, part).getResult();
  });
}

void Splitter::splitScatter(ReduceScatterOp op) {
  eachPiece(op, [&](OpBuilder &builder, ArrayRef<unsigned> place) -> Value {
    return ReduceScatterOp::create(builder, op.getLoc(), pieceType(op.getResult(), place),
                                   pieceAt(op.getSource(), place), op.getPart());
  });
}

void Splitter::splitHistogram(HistogramOp op) {
  OpBuilder builder(op);
  Value sum;
  forEachPlace(countsOf(op.getSource()), [&](ArrayRef<unsigned> place) {
    Value counts =
        HistogramOp::create(builder, op.getLoc(), op.getType(), pieceAt(op.getSource(), place),
                            op.getMask() ? pieceAt(op.getMask(), place) : Value());
    sum = sum ? arith::AddIOp::create(builder, op.getLoc(), sum, counts).getResult() : counts;
  });
  replace(op.getResult(), {sum});
  dead.push_back(op);
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

void Splitter::splitMake(MakeTensorDescriptorOp op) {
  // Pieces of one shape share a descriptor: they differ in the offsets of their accesses.
  DenseMap<Type, Value> made;
  eachPiece(op, [&](OpBuilder &builder, ArrayRef<unsigned> place) -> Value {
    Value &desc = made[pieceType(op.getResult(), place)];
    if (!desc) {
      auto make = MakeTensorDescriptorOp::create(builder, op.getLoc(),
                                                 cast<DescType>(pieceType(op.getResult(), place)),
                                                 op.getBase(), op.getShape(), op.getStrides());
      make->setDiscardableAttrs(op->getDiscardableAttrDictionary());
      desc = make;
    }
    return desc;
  });
}

template <typename OpTy> void Splitter::splitAccess(OpTy op, Value value) {
  OpBuilder builder(op);
  SmallVector<Value> made;
  SmallVector<unsigned> dims = accessedDims(op.getDesc().getType(), value.getType());
  forEachPlace(countsOf(op.getDesc()), [&](ArrayRef<unsigned> place) {
    Place own = llvm::map_to_vector(dims, [&](unsigned dim) { return place[dim]; });
    SmallVector<Value> offsets(op.getOffsets());
    for (auto [offset, start] : llvm::zip_equal(offsets, startsOf(op.getDesc(), place)))
      if (start != 0)
        offset =
            arith::AddIOp::create(builder, op.getLoc(), offset,
                                  arith::ConstantIntOp::create(builder, op.getLoc(), start, 32));
    Value desc = pieceAt(op.getDesc(), place);
    if constexpr (std::is_same_v<OpTy, DescriptorLoadOp>)
      made.push_back(OpTy::create(builder, op.getLoc(), pieceType(value, own), desc, offsets));
    else if constexpr (std::is_same_v<OpTy, DescriptorStoreOp>)
      OpTy::create(builder, op.getLoc(), desc, offsets, pieceAt(value, own));
    else
      OpTy::create(builder, op.getLoc(), op.getKind(), desc, offsets, pieceAt(value, own));
  });
  if (!made.empty())
    replace(value, std::move(made));
  dead.push_back(op);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Moves a region with arguments for every piece.
void Splitter::moveBody(Region &from, Region &to) {
  if (from.empty())
    return;
  Block &source = from.front();
  Block &target = to.empty() ? to.emplaceBlock() : to.front();
  target.clear();
  target.eraseArguments(0, target.getNumArguments());
  for (BlockArgument argument : source.getArguments()) {
    SmallVector<Value> made;
    forEachPlace(countsOf(argument), [&](ArrayRef<unsigned> place) {
      made.push_back(target.addArgument(pieceType(argument, place), argument.getLoc()));
    });
    replace(argument, std::move(made));
  }
  target.getOperations().splice(target.end(), source.getOperations());
  splitBlock(target);
}

void Splitter::splitControlFlow(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, op->getResults());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(values, block.getArguments());
  if (llvm::none_of(values, [&](Value value) { return isSplit(value); })) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        splitBlock(block);
    return;
  }
  OpBuilder builder(op);
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(allPieces(op->getOperands()));
  for (Value result : op->getResults())
    forEachPlace(countsOf(result),
                 [&](ArrayRef<unsigned> place) { state.addTypes(pieceType(result, place)); });
  state.addAttributes(op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  Operation *made = builder.create(state);
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), made->getRegions()))
    moveBody(from, to);
  auto next = made->result_begin();
  for (Value result : op->getResults()) {
    SmallVector<Value> own(next, next + classes.numPieces(result));
    next += own.size();
    replace(result, std::move(own));
  }
  dead.push_back(op);
}

void Splitter::splitOperation(Operation *op) {
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
    return splitControlFlow(op);
  auto isSplitValue = [&](Value value) { return isSplit(value); };
  if (llvm::none_of(op->getOperands(), isSplitValue) &&
      llvm::none_of(op->getResults(), isSplitValue))
    return;
  if (isa<scf::YieldOp, scf::ConditionOp>(op)) {
    op->setOperands(allPieces(op->getOperands()));
    return;
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](ReduceOp reduce) { splitReduce(reduce); })
      .Case([&](DotOp dot) { splitDot(dot); })
      .Case([&](HistogramOp histogram) { splitHistogram(histogram); })
      .Case([&](NarrowOp narrow) { splitNarrow(narrow); })
      .Case([&](ReduceScatterOp scatter) { splitScatter(scatter); })
      .Case([&](MakeTensorDescriptorOp make) { splitMake(make); })
      .Case([&](DescriptorLoadOp load) { splitAccess(load, load.getResult()); })
      .Case<DescriptorStoreOp, DescriptorReduceOp>(
          [&](auto access) { splitAccess(access, access.getValue()); })
      .Default([&](Operation *) { splitElementwise(op); });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void report(const DimensionClasses::Cut &cut) {
  std::string text;
  int64_t extent = 0;
  for (Piece piece : cut.pieces) {
    text += (text.empty() ? "" : " + ") + std::to_string(piece.size);
    extent += piece.size;
  }
  remark::passed(cut.origin->getLoc(),
                 remark::RemarkOpts::name("Split").category(remarks::kPadding))
      << remark::add("{0} elements along a dimension are taken as {1}", extent, text);
}

namespace {
struct SplitTensors final : tilec::impl::TileSplitTensorsPassBase<SplitTensors> {
  using Base::Base;

  void runOnOperation() override {
    auto isUnpadded = [](Type type) {
      ArrayRef<int64_t> shape = blockShapeOf(type);
      return !shape.empty() && !hasPowerOfTwoExtents(shape);
    };
    WalkResult found = getOperation().walk([&](Operation *op) {
      return llvm::any_of(op->getResultTypes(), isUnpadded) ? WalkResult::interrupt()
                                                            : WalkResult::advance();
    });
    if (!found.wasInterrupted())
      return markAllAnalysesPreserved();
    reduceAxisByAxis(getOperation());
    DimensionClasses classes(getOperation());
    if (!classes.hasPieces())
      return;
    llvm::for_each(classes.getCuts(), report);
    Splitter(classes).run(getOperation());
  }
};
} // namespace

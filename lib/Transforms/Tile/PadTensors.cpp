// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents become powers of two. The types of all values are changed in place; what elements are in
// the padding is nobody's concern but that of the operations that look across a dimension or have
// an effect, which get a mask, or a value that changes nothing, or a flag for what is real.

#include "tilec/Transforms/Tile/Passes.h"

#include "PaddedReshape.h"
#include "Padding.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "tilec/Support/RemarkCategory.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

namespace tilec {
#define GEN_PASS_DEF_TILEPADTENSORSPASS
#include "tilec/Transforms/Tile/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// The shape of a tensor that needs padding; empty for any other type.
static ArrayRef<int64_t> unpaddedShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !hasPowerOfTwoExtents(tensor.getShape()) ? tensor.getShape()
                                                            : ArrayRef<int64_t>();
}

namespace {
struct PadTensors final : tilec::impl::TilePadTensorsPassBase<PadTensors> {
  using Base::Base;
  void runOnOperation() override;

private:
  LogicalResult findTensors();
  void report();
  void changeTypes(Operation *op);
  void adapt(Operation *op);

  /// The extents of a value whose type has been padded; empty for any other.
  ArrayRef<int64_t> extentsOf(Value value) const {
    auto found = shapes.find(value);
    return found == shapes.end() ? ArrayRef<int64_t>() : ArrayRef(found->second);
  }

  void restrict(Operation *op, Value like, MutableOperandRange mask);
  void fill(OpOperand &operand, int64_t axis, TypedAttr element);
  bool fillWithNeutral(Operation *op, int64_t axis, Region &combine);
  template <typename OpTy, typename... Flags> void adaptCombination(OpTy op, Flags... flags);
  void adaptDot(DotOp op);
  void adaptGather(GatherOp op);
  void adaptReshape(ReshapeOp op);
  void adaptAssert(AssertOp op);
  void adaptPrint(PrintOp op);

  DenseMap<Value, SmallVector<int64_t>> shapes;
  /// Operations that have a padded operand or result.
  SmallVector<Operation *> touched;
};
} // namespace

//===----------------------------------------------------------------------===//
// Before types change
//===----------------------------------------------------------------------===//

LogicalResult PadTensors::findTensors() {
  auto record = [&](Value value) {
    ArrayRef<int64_t> shape = unpaddedShape(value.getType());
    if (!shape.empty())
      shapes[value] = llvm::to_vector(shape);
    return !shape.empty();
  };
  WalkResult result = getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isTouched = false;
    for (Type type : llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                              SmallVector<Type>(op->getResultTypes())))
      if (auto desc = dyn_cast<DescType>(type); desc && !hasPowerOfTwoExtents(desc.getBlockShape()))
        return op->emitError("expected tensor descriptors of ")
                   << desc << " to be lowered to pointers before padding",
               WalkResult::interrupt();
    for (Value operand : op->getOperands())
      isTouched |= !unpaddedShape(operand.getType()).empty();
    for (Value value : op->getResults())
      isTouched |= record(value);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          record(argument);
    if (isTouched)
      touched.push_back(op);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

void PadTensors::report() {
  // Once per extent, at the range that the extent comes from if there is one.
  llvm::MapVector<int64_t, Operation *> origins;
  getOperation().walk([&](Operation *op) {
    for (Value result : op->getResults())
      for (int64_t size : unpaddedShape(result.getType()))
        if (!llvm::isPowerOf2_64(size)) {
          Operation *&origin = origins[size];
          if (!origin || (isa<MakeRangeOp>(op) && !isa<MakeRangeOp>(origin)))
            origin = op;
        }
  });
  for (auto [size, op] : origins) {
    int64_t padded = int64_t(llvm::PowerOf2Ceil(size));
    double idle = 100.0 * double(padded - size) / double(padded);
    remark::analysis(op->getLoc(), remark::RemarkOpts::name("Padded").category(remarks::kPadding))
        << remark::add("{0} elements along a dimension are padded to {1}: {2:F1} % of the lanes "
                       "are idle",
                       size, padded, idle)
        << remark::metric("extent", size) << remark::metric("padded", padded);
  }
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// A constant with elements for the padding: what they are does not matter.
static DenseElementsAttr padConstant(DenseElementsAttr value, RankedTensorType type) {
  if (value.isSplat())
    return value.resizeSplat(type);
  ArrayRef<int64_t> from = value.getType().getShape(), to = type.getShape();
  auto elements = llvm::to_vector(value.getValues<Attribute>());
  SmallVector<Attribute> padded;
  for (int64_t place = 0; place < type.getNumElements(); ++place) {
    int64_t rest = place, source = 0, stride = 1;
    for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
      source += std::min(rest % to[dim], from[dim] - 1) * stride;
      rest /= to[dim];
      stride *= from[dim];
    }
    padded.push_back(elements[source]);
  }
  return DenseElementsAttr::get(type, padded);
}

void PadTensors::changeTypes(Operation *op) {
  for (Value result : op->getResults())
    result.setType(paddedType(result.getType()));
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        argument.setType(paddedType(argument.getType()));
  if (auto func = dyn_cast<func::FuncOp>(op))
    func.setFunctionType(FunctionType::get(op->getContext(),
                                           llvm::map_to_vector(func.getArgumentTypes(), paddedType),
                                           llvm::map_to_vector(func.getResultTypes(), paddedType)));
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
      constant.setValueAttr(padConstant(elements, cast<RankedTensorType>(constant.getType())));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Lets `op` happen for elements only; `like` has the shape of what is accessed.
void PadTensors::restrict(Operation *op, Value like, MutableOperandRange mask) {
  ArrayRef<int64_t> extents = extentsOf(like);
  if (extents.empty())
    return;
  OpBuilder builder(op);
  Value inside = insideMask(builder, op->getLoc(), extents);
  if (!mask.empty()) {
    Value given = OperandRange(mask).front();
    inside = arith::AndIOp::create(builder, op->getLoc(), given, inside);
  }
  mask.assign(inside);
}

/// Makes the padding of an operand along `axis` a constant.
void PadTensors::fill(OpOperand &operand, int64_t axis, TypedAttr element) {
  OpBuilder builder(operand.getOwner());
  Location loc = operand.getOwner()->getLoc();
  Value inside = insideMask(builder, loc, extentsOf(operand.get()), axis);
  auto type = cast<RankedTensorType>(operand.get().getType());
  Value filling = constantTensor(builder, loc, type.getShape(), element);
  operand.set(arith::SelectOp::create(builder, loc, inside, operand.get(), filling));
}

/// False when nothing is known that the region leaves as it is.
bool PadTensors::fillWithNeutral(Operation *op, int64_t axis, Region &combine) {
  std::optional<NeutralElements> neutral = NeutralElements::of(combine);
  if (!neutral)
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned i = operand.getOperandNumber();
    Attribute known =
        knownPadding(operand.get(), axis, [&](Value value) { return extentsOf(value); });
    if (!neutral->isNeutral(i, known))
      fill(operand, axis, neutral->get(i));
  }
  return true;
}

/// Fills the region of `flagged`, which has one operand more than `op`: whether an element is one.
/// Of two, the one that is none is left out.
static void fillFlaggedRegion(Region &from, Region &to, Location loc, TypeRange elements) {
  Block &source = from.front();
  Block *block = to.empty() ? &to.emplaceBlock() : &to.front();
  OpBuilder builder(to.getContext());
  unsigned count = elements.size();
  SmallVector<Value> left, right;
  for (SmallVector<Value> *side : {&left, &right}) {
    for (Type type : elements)
      side->push_back(block->addArgument(type, loc));
    side->push_back(block->addArgument(builder.getI1Type(), loc));
  }
  builder.setInsertionPointToEnd(block);
  IRMapping mapping;
  for (unsigned i = 0; i < count; ++i) {
    mapping.map(source.getArgument(i), left[i]);
    mapping.map(source.getArgument(count + i), right[i]);
  }
  for (Operation &op : source.without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> results;
  for (unsigned i = 0; i < count; ++i) {
    Value combined = mapping.lookupOrDefault(source.getTerminator()->getOperand(i));
    Value withLeft = arith::SelectOp::create(builder, loc, right[count], combined, left[i]);
    results.push_back(arith::SelectOp::create(builder, loc, left[count], withLeft, right[i]));
  }
  results.push_back(arith::OrIOp::create(builder, loc, left[count], right[count]));
  YieldOp::create(builder, loc, results);
}

/// The operands of a reduction or scan, and a flag for what is no padding along `axis`.
static SmallVector<Value> withFlag(Operation *op, ArrayRef<int64_t> extents, int64_t axis) {
  OpBuilder builder(op);
  SmallVector<Value> operands(op->getOperands());
  operands.push_back(insideMask(builder, op->getLoc(), extents, axis));
  return operands;
}

/// Leaves padding out of a reduction or scan: makes it elements that change nothing, or flags them.
template <typename OpTy, typename... Flags>
void PadTensors::adaptCombination(OpTy op, Flags... flags) {
  int64_t axis = op.getAxis();
  ArrayRef<int64_t> extents = extentsOf(op.getOperands().front());
  if (extents.empty() || llvm::isPowerOf2_64(extents[axis]) ||
      fillWithNeutral(op, axis, op.getCombine()))
    return;
  OpBuilder builder(op);
  auto flagged =
      OpTy::create(builder, op.getLoc(), withFlag(op, extents, axis), int(axis), flags...);
  fillFlaggedRegion(op.getCombine(), flagged.getCombine(), op.getLoc(),
                    llvm::map_to_vector(op.getOperandTypes(),
                                        [](Type type) { return getElementTypeOrSelf(type); }));
  for (auto [from, to] : llvm::zip(op.getResults(), flagged.getResults())) {
    if (auto found = shapes.find(from); found != shapes.end())
      shapes[to] = SmallVector<int64_t>(found->second);
    from.replaceAllUsesWith(to);
  }
  op.erase();
}

void PadTensors::adaptDot(DotOp op) {
  // What is added up must be zero on both sides: zero times NaN is NaN.
  for (OpOperand *operand : {&op.getLhsMutable(), &op.getRhsMutable()}) {
    auto type = cast<RankedTensorType>(operand->get().getType());
    int64_t axis = type.getRank() - (operand == &op.getLhsMutable() ? 1 : 2);
    ArrayRef<int64_t> extents = extentsOf(operand->get());
    if (extents.empty() || llvm::isPowerOf2_64(extents[axis]))
      continue;
    TypedAttr zero = Builder(op.getContext()).getZeroAttr(type.getElementType());
    if (knownPadding(operand->get(), axis, [&](Value v) { return extentsOf(v); }) != zero)
      fill(*operand, axis, zero);
  }
}

void PadTensors::adaptGather(GatherOp op) {
  ArrayRef<int64_t> extents = extentsOf(op.getIndices());
  if (extents.empty())
    return;
  // Every index must be one of the source.
  OpBuilder builder(op);
  RankedTensorType type = op.getIndices().getType();
  Value zero = constantTensor(builder, op.getLoc(), type.getShape(),
                              builder.getIntegerAttr(type.getElementType(), 0));
  op.getIndicesMutable().assign(arith::SelectOp::create(
      builder, op.getLoc(), insideMask(builder, op.getLoc(), extents), op.getIndices(), zero));
}

void PadTensors::adaptReshape(ReshapeOp op) {
  auto original = [&](Value value) {
    ArrayRef<int64_t> extents = extentsOf(value);
    return extents.empty() ? cast<RankedTensorType>(value.getType()).getShape() : extents;
  };
  ArrayRef<int64_t> from = original(op.getSource()), to = original(op.getResult());
  if (keepsPadding(from, to))
    return;
  OpBuilder builder(op);
  Value result = reshapeByGather(builder, op.getLoc(), op.getSource(), from, to);
  if (!extentsOf(op.getResult()).empty())
    shapes[result] = llvm::to_vector(to);
  op.replaceAllUsesWith(result);
  op.erase();
}

void PadTensors::adaptAssert(AssertOp op) {
  ArrayRef<int64_t> extents = extentsOf(op.getCondition());
  if (extents.empty())
    return;
  OpBuilder builder(op);
  Value holds = constantTensor(builder, op.getLoc(), paddedShape(extents),
                               builder.getIntegerAttr(builder.getI1Type(), 1));
  op.getConditionMutable().assign(arith::SelectOp::create(
      builder, op.getLoc(), insideMask(builder, op.getLoc(), extents), op.getCondition(), holds));
}

void PadTensors::adaptPrint(PrintOp op) {
  Builder builder(op.getContext());
  op.setExtentsAttr(
      builder.getArrayAttr(llvm::map_to_vector(op.getValues(), [&](Value value) -> Attribute {
        return builder.getDenseI64ArrayAttr(extentsOf(value));
      })));
}

/// A range goes on into the padding, unless its end then is no number of 32 bits.
static void extendRange(MakeRangeOp op) {
  int64_t start = int32_t(op.getStart()), size = op.getType().getDimSize(0);
  if (start + size <= std::numeric_limits<int32_t>::max()) {
    op.setEnd(start + size);
    return;
  }
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  Value offset = constantTensor(builder, op.getLoc(), {size}, builder.getI32IntegerAttr(start));
  op.setStart(0);
  op.setEnd(size);
  auto sum = arith::AddIOp::create(builder, op.getLoc(), op, offset);
  op.getResult().replaceAllUsesExcept(sum, sum);
}

void PadTensors::adapt(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([](MakeRangeOp range) { extendRange(range); })
      .Case([&](LoadOp load) { restrict(op, load.getResult(), load.getMaskMutable()); })
      .Case([&](GlobalAccessOpInterface access) {
        restrict(op, access.getPointer(), access.getMaskMutable());
      })
      .Case([&](HistogramOp histogram) {
        restrict(op, histogram.getSource(), histogram.getMaskMutable());
      })
      .Case([&](ReduceOp reduce) { adaptCombination(reduce); })
      .Case([&](ScanOp scan) {
        // Forwards, the padding comes after all elements.
        if (scan.getReverse())
          adaptCombination(scan, /*reverse=*/true);
      })
      .Case([&](DotOp dot) { adaptDot(dot); })
      .Case([&](GatherOp gather) { adaptGather(gather); })
      .Case([&](ReshapeOp reshape) { adaptReshape(reshape); })
      .Case([&](AssertOp assertion) { adaptAssert(assertion); })
      .Case([&](PrintOp print) { adaptPrint(print); });
}

void PadTensors::runOnOperation() {
  shapes.clear();
  touched.clear();
  reduceAxisByAxis(getOperation());
  if (failed(findTensors()))
    return signalPassFailure();
  if (shapes.empty() && touched.empty())
    return markAllAnalysesPreserved();
  report();
  getOperation().walk([&](Operation *op) { changeTypes(op); });
  for (Operation *op : touched)
    adapt(op);
  // What was narrowed is as wide again.
  getOperation().walk([](NarrowOp narrow) {
    narrow.replaceAllUsesWith(narrow.getSource());
    narrow.erase();
  });
}

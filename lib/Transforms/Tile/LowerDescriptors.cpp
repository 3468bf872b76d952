// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses through tensor descriptors become accesses through tensors of pointers. A descriptor is
// replaced by the values that it was made of (base, sizes, strides), through control flow too, by
// the dialect conversion's one-to-many types.

#include "tilec/Transforms/Tile/Passes.h"

#include "NarrowReduction.h"
#include "dialects/Tile/TileOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tilec {
#define GEN_PASS_DEF_TILELOWERDESCRIPTORSPASS
#include "tilec/Transforms/Tile/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec::tile;

/// What a descriptor promises of its base and strides, in bytes.
static constexpr int32_t kAlignment = 16;

namespace {
struct DescriptorTypes : TypeConverter {
  DescriptorTypes() {
    addConversion([](Type type) { return type; });
    addConversion([](DescType type, SmallVectorImpl<Type> &parts) -> std::optional<LogicalResult> {
      size_t rank = type.getBlockShape().size();
      MLIRContext *context = type.getContext();
      parts.push_back(PtrType::get(type.getElementType()));
      parts.append(rank, IntegerType::get(context, 32));
      parts.append(rank - 1, IntegerType::get(context, 64));
      return success();
    });
  }
};

/// Computes the pointers and the mask of one access.
class AccessBuilder {
public:
  /// `accessed`: the type of what is loaded or stored, which may lack dimensions of size one.
  AccessBuilder(OpBuilder &opBuilder, Location location, DescType type, Type accessed,
                ValueRange descriptor)
      : builder(opBuilder), loc(location), desc(type),
        shape(cast<RankedTensorType>(accessed).getShape()), base(descriptor.front()),
        sizes(descriptor.slice(1, type.getBlockShape().size())),
        strides(descriptor.drop_front(1 + type.getBlockShape().size())) {}

  void run(ValueRange start) {
    auto dropped = computeRankReductionMask(desc.getBlockShape(), shape);
    for (size_t dim = 0, axis = 0; dim < desc.getBlockShape().size(); ++dim) {
      Value index = dropped->contains(dim) ? oneIndex(start[dim]) : indices(axis++, start[dim]);
      addOffset(dim, index);
      addMask(dim, index);
    }
    auto type = RankedTensorType::get(shape, base.getType());
    auto whole = SplatOp::create(builder, loc, type, base);
    whole->setDiscardableAttr(TileDialect::kDivisibilityAttr, hint(kAlignment));
    pointers = AddPtrOp::create(builder, loc, whole, offsets);
  }

  Value getPointers() const { return pointers; }
  Value getMask() const { return mask; }

private:
  DenseI32ArrayAttr hint(int32_t number) const {
    return builder.getDenseI32ArrayAttr(SmallVector<int32_t>(shape.size(), number));
  }

  Value toBlock(Value line) const {
    auto type = cast<RankedTensorType>(line.getType());
    return builder.createOrFold<BroadcastOp>(
        loc, RankedTensorType::get(shape, type.getElementType()), line);
  }

  /// The tensor's only coordinate along a dimension that the access lacks.
  Value oneIndex(Value start) const {
    SmallVector<int64_t> ones(shape.size(), 1);
    return SplatOp::create(builder, loc, RankedTensorType::get(ones, builder.getI32Type()), start);
  }

  /// The tensor's coordinates along `dim` of the access. Beyond the type's range they are negative,
  /// and so outside.
  Value indices(size_t dim, Value start) const {
    auto type = RankedTensorType::get({shape[dim]}, builder.getI32Type());
    Value line = MakeRangeOp::create(builder, loc, type, builder.getI32IntegerAttr(0),
                                     builder.getI32IntegerAttr(shape[dim]));
    line = arith::AddIOp::create(builder, loc, SplatOp::create(builder, loc, type, start), line);
    SmallVector<int64_t> expanded{shape[dim]};
    for (size_t axis = 0; axis < shape.size(); ++axis)
      if (axis != dim) {
        expanded.insert(expanded.begin() + axis, 1);
        line = ExpandDimsOp::create(builder, loc,
                                    RankedTensorType::get(expanded, builder.getI32Type()), line,
                                    builder.getI32IntegerAttr(axis));
      }
    return line;
  }

  void addOffset(size_t dim, Value index) {
    auto type = cast<RankedTensorType>(index.getType()).clone(builder.getI64Type());
    Value term = arith::ExtSIOp::create(builder, loc, type, index);
    if (dim < strides.size()) {
      auto scaled = arith::MulIOp::create(builder, loc, term,
                                          SplatOp::create(builder, loc, type, strides[dim]));
      int32_t bytes = PtrType::get(desc.getElementType()).getElementBytes();
      scaled->setDiscardableAttr(TileDialect::kDivisibilityAttr,
                                 hint(std::max(1, kAlignment / bytes)));
      term = scaled;
    }
    term = toBlock(term);
    offsets = offsets ? arith::AddIOp::create(builder, loc, offsets, term) : term;
  }

  void addMask(size_t dim, Value index) {
    auto type = cast<RankedTensorType>(index.getType());
    Value zero = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(type, builder.getI32IntegerAttr(0).getValue()));
    Value end = SplatOp::create(builder, loc, type, sizes[dim]);
    Value below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, index, end);
    Value above = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, index, zero);
    for (Value condition : {below, above}) {
      condition = toBlock(condition);
      mask = mask ? arith::AndIOp::create(builder, loc, mask, condition) : condition;
    }
  }

  OpBuilder &builder;
  Location loc;
  DescType desc;
  ArrayRef<int64_t> shape;
  Value base;
  ValueRange sizes, strides;
  Value offsets, mask, pointers;
};

struct LowerMake : OpConversionPattern<MakeTensorDescriptorOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(MakeTensorDescriptorOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts{adaptor.getBase()};
    llvm::append_range(parts, adaptor.getShape());
    llvm::append_range(parts, adaptor.getStrides());
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

/// The offsets of an access; they are scalars and keep their types.
SmallVector<Value> firstOfEach(ArrayRef<ValueRange> values) {
  return llvm::map_to_vector(values, [](ValueRange range) { return range.front(); });
}

struct LowerLoad : OpConversionPattern<DescriptorLoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorLoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    DescType type = op.getDesc().getType();
    AccessBuilder access(rewriter, op.getLoc(), type, op.getType(), adaptor.getDesc());
    access.run(firstOfEach(adaptor.getOffsets()));
    Value other;
    if (type.getPadsWithNan()) {
      auto element = cast<FloatType>(type.getElementType());
      other = arith::ConstantOp::create(
          rewriter, op.getLoc(),
          DenseElementsAttr::get(cast<ShapedType>(op.getType()),
                                 APFloat::getNaN(element.getFloatSemantics())));
    }
    rewriter.replaceOpWithNewOp<LoadOp>(op, access.getPointers(), access.getMask(), other);
    return success();
  }
};

struct LowerStore : OpConversionPattern<DescriptorStoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorStoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    AccessBuilder access(rewriter, op.getLoc(), op.getDesc().getType(), op.getValue().getType(),
                         adaptor.getDesc());
    access.run(firstOfEach(adaptor.getOffsets()));
    rewriter.replaceOpWithNewOp<StoreOp>(op, access.getPointers(), adaptor.getValue().front(),
                                         access.getMask());
    return success();
  }
};

struct LowerReduce : OpConversionPattern<DescriptorReduceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorReduceOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    AccessBuilder access(rewriter, op.getLoc(), op.getDesc().getType(), op.getValue().getType(),
                         adaptor.getDesc());
    access.run(firstOfEach(adaptor.getOffsets()));
    Value pointers = access.getPointers(), value = adaptor.getValue().front();
    if (hasAtomic(op.getKind(), op.getDesc().getType().getElementType()))
      AtomicRMWOp::create(rewriter, op.getLoc(), op.getKind(), pointers, value, access.getMask(),
                          MemSemantic::relaxed, MemScope::gpu);
    else
      reduceByExchange(rewriter, op.getLoc(), op.getKind(), pointers, value, access.getMask());
    rewriter.eraseOp(op);
    return success();
  }
};

/// A choice between descriptors, which canonicalisation makes of a branch.
struct LowerSelect : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts;
    for (auto [yes, no] : llvm::zip_equal(adaptor.getTrueValue(), adaptor.getFalseValue()))
      parts.push_back(
          arith::SelectOp::create(rewriter, op.getLoc(), adaptor.getCondition().front(), yes, no));
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

/// Error when the base is known to be no multiple of 16 bytes: a constant number of elements behind
/// an argument that is one.
LogicalResult checkBase(MakeTensorDescriptorOp op) {
  Value base = op.getBase();
  int64_t elements = 0;
  while (auto add = base.getDefiningOp<AddPtrOp>()) {
    std::optional<int64_t> number = getConstantIntValue(add.getOffset());
    if (!number)
      return success();
    elements += *number;
    base = add.getPointer();
  }
  auto argument = dyn_cast<BlockArgument>(base);
  auto func = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : nullptr;
  if (!func)
    return success();
  auto divisor =
      func.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), TileDialect::kDivisibilityAttr);
  int64_t bytes = elements * PtrType::get(op.getType().getElementType()).getElementBytes();
  if (!divisor || divisor.getInt() % kAlignment != 0 || bytes % kAlignment == 0)
    return success();
  return op.emitError("the base of a tensor descriptor must be a multiple of ")
         << kAlignment << " bytes, got one that is " << bytes << " bytes behind such a multiple";
}

struct LowerDescriptors final : tilec::impl::TileLowerDescriptorsPassBase<LowerDescriptors> {
  using Base::Base;
  void runOnOperation() override {
    WalkResult checked = getOperation().walk([](MakeTensorDescriptorOp op) {
      return succeeded(checkBase(op)) ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (checked.wasInterrupted())
      return signalPassFailure();
    DescriptorTypes types;
    RewritePatternSet patterns(&getContext());
    ConversionTarget target(getContext());
    patterns.add<LowerMake, LowerLoad, LowerStore, LowerReduce, LowerSelect>(types, &getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    auto isEncoded = [](MakeTensorDescriptorOp op) {
      return op->hasAttr(TileDialect::kEncodedAttr);
    };
    target.addDynamicallyLegalOp<MakeTensorDescriptorOp>(isEncoded);
    // Arguments are tensor maps.
    target.addDynamicallyLegalOp<DescriptorLoadOp, DescriptorStoreOp, DescriptorReduceOp>(
        [&](Operation *op) {
          if (auto make = op->getOperand(0).getDefiningOp<MakeTensorDescriptorOp>())
            return isEncoded(make);
          auto argument = dyn_cast<BlockArgument>(op->getOperand(0));
          return argument && isa_and_nonnull<func::FuncOp>(argument.getOwner()->getParentOp());
        });
    target.addDynamicallyLegalOp<arith::SelectOp>(
        [&](arith::SelectOp op) { return types.isLegal(op.getType()); });
    scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns, target);
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

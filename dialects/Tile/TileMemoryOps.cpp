// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores: their textual form, in which everything but the pointer is optional and all
// types follow from the pointer's, their verifiers, and what becomes of constant masks.

#include "dialects/Tile/TileOps.h"

#include "dialects/Tile/ConstantMask.h"
#include "dialects/Tile/ExpectedType.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tilec::tile {

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

//===----------------------------------------------------------------------===//
// Textual form
//===----------------------------------------------------------------------===//

/// `name = keyword` for an enum of the dialect; absent leaves `attribute` null.
template <typename EnumTy>
static ParseResult parseEnumClause(OpAsmParser &parser, StringRef name,
                                   std::optional<EnumTy> (*symbolize)(StringRef),
                                   IntegerAttr &attribute) {
  if (failed(parser.parseOptionalKeyword(name)))
    return success();
  StringRef keyword;
  if (parser.parseEqual())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<EnumTy> value = symbolize(keyword);
  if (!value)
    return parser.emitError(loc, "unknown '") << name << "' value '" << keyword << "'";
  attribute = parser.getBuilder().getI32IntegerAttr(static_cast<int32_t>(*value));
  return success();
}

/// `cache = ...` and `evict = ...`, in this order.
template <typename OpTy>
static ParseResult parseCacheHints(OpAsmParser &parser, OperationState &result) {
  IntegerAttr cache, evict;
  if (parseEnumClause<CacheModifier>(parser, "cache", symbolizeCacheModifier, cache) ||
      parseEnumClause<EvictionPolicy>(parser, "evict", symbolizeEvictionPolicy, evict))
    return failure();
  auto &properties = result.getOrAddProperties<typename OpTy::Properties>();
  if (cache)
    properties.cache =
        CacheModifierAttr::get(parser.getContext(), static_cast<CacheModifier>(cache.getInt()));
  if (evict)
    properties.evict =
        EvictionPolicyAttr::get(parser.getContext(), static_cast<EvictionPolicy>(evict.getInt()));
  return success();
}

template <typename OpTy> static void printCacheHints(OpTy op, OpAsmPrinter &printer) {
  if (op.getCache() != CacheModifier::none)
    printer << " cache = " << stringifyCacheModifier(op.getCache());
  if (op.getEvict() != EvictionPolicy::normal)
    printer << " evict = " << stringifyEvictionPolicy(op.getEvict());
}

/// The attribute dictionary and the pointer's type.
static ParseResult parseAttributesAndPointerType(OpAsmParser &parser, OperationState &result,
                                                 Type &type) {
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(type))
    return failure();
  if (!pointeeOf(type))
    return parser.emitError(loc, "expected a pointer or a tensor of pointers, got ") << type;
  return success();
}

ParseResult LoadOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand, 3> operands;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(operands))
    return failure();
  if (operands.empty() || operands.size() > 3)
    return parser.emitError(loc, "expected pointer, mask and other, got ")
           << operands.size() << " operands";
  if (parseCacheHints<LoadOp>(parser, result))
    return failure();
  auto &properties = result.getOrAddProperties<Properties>();
  if (succeeded(parser.parseOptionalKeyword("volatile")))
    properties.is_volatile = parser.getBuilder().getUnitAttr();
  Type pointerType;
  if (parseAttributesAndPointerType(parser, result, pointerType))
    return failure();

  Type valueType = withElementType(pointerType, pointeeOf(pointerType));
  Type types[] = {pointerType, withElementType(pointerType, parser.getBuilder().getI1Type()),
                  valueType};
  properties.setOperandSegmentSizes({1, operands.size() > 1, operands.size() > 2});
  result.addTypes(valueType);
  return parser.resolveOperands(operands, ArrayRef(types).take_front(operands.size()), loc,
                                result.operands);
}

void LoadOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getOperands();
  printCacheHints(*this, printer);
  if (getIsVolatile())
    printer << " volatile";
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getOperandSegmentSizesAttrName(), getCacheAttrName(),
                                 getEvictAttrName(), getIsVolatileAttrName()});
  printer << " : " << getPointer().getType();
}

ParseResult StoreOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand, 3> operands;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(operands))
    return failure();
  if (operands.size() < 2 || operands.size() > 3)
    return parser.emitError(loc, "expected pointer, value and mask, got ")
           << operands.size() << " operands";
  Type pointerType;
  if (parseCacheHints<StoreOp>(parser, result) ||
      parseAttributesAndPointerType(parser, result, pointerType))
    return failure();

  Type types[] = {pointerType, withElementType(pointerType, pointeeOf(pointerType)),
                  withElementType(pointerType, parser.getBuilder().getI1Type())};
  return parser.resolveOperands(operands, ArrayRef(types).take_front(operands.size()), loc,
                                result.operands);
}

void StoreOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getOperands();
  printCacheHints(*this, printer);
  printer.printOptionalAttrDict((*this)->getAttrs(), {getCacheAttrName(), getEvictAttrName()});
  printer << " : " << getPointer().getType();
}

//===----------------------------------------------------------------------===//
// Builders, effects, verifiers
//===----------------------------------------------------------------------===//

void LoadOp::build(OpBuilder &builder, OperationState &state, Value pointer, Value mask,
                   Value other, CacheModifier cache, EvictionPolicy evict, bool isVolatile) {
  Type result = withElementType(pointer.getType(), pointeeOf(pointer.getType()));
  build(builder, state, result, pointer, mask, other, cache, evict, isVolatile);
}

void StoreOp::build(OpBuilder &builder, OperationState &state, Value pointer, Value value,
                    Value mask, CacheModifier cache, EvictionPolicy evict) {
  state.addOperands({pointer, value});
  if (mask)
    state.addOperands(mask);
  auto &properties = state.getOrAddProperties<Properties>();
  properties.cache = CacheModifierAttr::get(builder.getContext(), cache);
  properties.evict = EvictionPolicyAttr::get(builder.getContext(), evict);
}

void LoadOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPointerMutable(), GlobalMemory::get());
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get(), &getPointerMutable(), GlobalMemory::get());
}

void StoreOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getPointerMutable(), GlobalMemory::get());
}

LogicalResult LoadOp::verify() {
  Type pointer = getPointer().getType();
  Type value = withElementType(pointer, pointeeOf(pointer));
  if (failed(expectType(*this, "a result", getType(), value)))
    return failure();
  Type mask = withElementType(pointer, IntegerType::get(getContext(), 1));
  if (getMask() && failed(expectType(*this, "a mask", getMask().getType(), mask)))
    return failure();
  if (getOther() && !getMask())
    return emitOpError("expects a mask beside 'other', got none");
  if (getOther() && failed(expectType(*this, "'other'", getOther().getType(), value)))
    return failure();
  if (getCache() == CacheModifier::wb || getCache() == CacheModifier::wt)
    return emitOpError("expects cache modifier 'ca', 'cg', 'cs' or 'cv', got '")
           << stringifyCacheModifier(getCache()) << "'";
  return success();
}

LogicalResult StoreOp::verify() {
  Type pointer = getPointer().getType();
  Type value = withElementType(pointer, pointeeOf(pointer));
  if (failed(expectType(*this, "a value", getValue().getType(), value)))
    return failure();
  Type mask = withElementType(pointer, IntegerType::get(getContext(), 1));
  if (getMask() && failed(expectType(*this, "a mask", getMask().getType(), mask)))
    return failure();
  if (getCache() == CacheModifier::ca || getCache() == CacheModifier::cv)
    return emitOpError("expects cache modifier 'wb', 'cg', 'cs' or 'wt', got '")
           << stringifyCacheModifier(getCache()) << "'";
  return success();
}

//===----------------------------------------------------------------------===//
// Canonicalisation
//===----------------------------------------------------------------------===//

/// The value zero (the null pointer for pointers) of a scalar or tensor type.
static Value createZero(OpBuilder &builder, Location loc, Type type) {
  Type element = getElementTypeOrSelf(type);
  if (isa<PtrType>(element)) {
    Value address = createZero(builder, loc, withElementType(type, builder.getI64Type()));
    return IntToPtrOp::create(builder, loc, type, address);
  }
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

/// load p, true, other -> load p
/// load p, false, other -> other, or zero when there is none
static LogicalResult simplifyLoadMask(LoadOp op, PatternRewriter &rewriter) {
  return simplifyConstantMask(
      op, op.getMask(), rewriter,
      [&] {
        op.getOtherMutable().clear();
        op.getMaskMutable().clear();
      },
      [&] {
        Value other = op.getOther();
        if (!other)
          other = createZero(rewriter, op.getLoc(), op.getType());
        rewriter.replaceOp(op, other);
      });
}

/// store p, v, true -> store p, v
/// store p, v, false -> nothing
static LogicalResult simplifyStoreMask(StoreOp op, PatternRewriter &rewriter) {
  return simplifyConstantMask(
      op, op.getMask(), rewriter, [&] { op.getMaskMutable().clear(); },
      [&] { rewriter.eraseOp(op); });
}

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add(simplifyLoadMask);
}

void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add(simplifyStoreMask);
}

/// Reads of equal addresses under equal masks give equal values.
AxisInfo LoadOp::inferAxisInfo(AxisOperands operands) {
  AxisInfo result = AxisInfo::pessimistic(getType());
  if (getIsVolatile())
    return result;
  result.constancy = operands.front()->constancy;
  for (const AxisInfo *operand : operands)
    for (unsigned d = 0; d < result.getRank(); ++d)
      result.constancy[d] = std::min(result.constancy[d], operand->constancy[d]);
  return result;
}

} // namespace tilec::tile

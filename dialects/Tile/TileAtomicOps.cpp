// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics: their types (all follow from the pointer's), their verifiers, and what becomes of
// constant masks.

#include "dialects/Tile/TileOps.h"

#include "dialects/Tile/ConstantMask.h"
#include "dialects/Tile/ExpectedType.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tilec::tile {

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

unsigned AtomicRMWOp::getMaxElements() {
  if (getKind() != AtomicKind::add)
    return 1;
  Type element = pointeeOf(getPointer().getType());
  bool hasVectors = processorOf(*this).has(Feature::VectorAtomics);
  if (element.isF16())
    return hasVectors ? 8 : 2;
  if (element.isBF16())
    return hasVectors ? 8 : 1;
  return element.isF32() && hasVectors ? 4 : 1;
}

//===----------------------------------------------------------------------===//
// Builders and effects
//===----------------------------------------------------------------------===//

void AtomicRMWOp::build(OpBuilder &builder, OperationState &state, AtomicKind kind, Value pointer,
                        Value value, Value mask, MemSemantic sem, MemScope scope) {
  state.addOperands({pointer, value});
  if (mask)
    state.addOperands(mask);
  auto &properties = state.getOrAddProperties<Properties>();
  properties.kind = AtomicKindAttr::get(builder.getContext(), kind);
  properties.sem = MemSemanticAttr::get(builder.getContext(), sem);
  properties.scope = MemScopeAttr::get(builder.getContext(), scope);
  state.addTypes(value.getType());
}

void AtomicCasOp::build(OpBuilder &builder, OperationState &state, Value pointer, Value compare,
                        Value value, Value mask, MemSemantic sem, MemScope scope) {
  state.addOperands({pointer, compare, value});
  if (mask)
    state.addOperands(mask);
  auto &properties = state.getOrAddProperties<Properties>();
  properties.sem = MemSemanticAttr::get(builder.getContext(), sem);
  properties.scope = MemScopeAttr::get(builder.getContext(), scope);
  state.addTypes(value.getType());
}

static void addEffects(Effects &effects, OpOperand &pointer) {
  effects.emplace_back(MemoryEffects::Read::get(), &pointer, GlobalMemory::get());
  effects.emplace_back(MemoryEffects::Write::get(), &pointer, GlobalMemory::get());
}

void AtomicRMWOp::getEffects(Effects &effects) { addEffects(effects, getPointerMutable()); }
void AtomicCasOp::getEffects(Effects &effects) { addEffects(effects, getPointerMutable()); }

//===----------------------------------------------------------------------===//
// Textual form
//===----------------------------------------------------------------------===//

/// `name = keyword` for an enum of the dialect; absent leaves `attribute` as it is.
template <typename AttrTy, typename EnumTy>
static ParseResult parseEnumClause(OpAsmParser &parser, StringRef name,
                                   std::optional<EnumTy> (*symbolize)(StringRef),
                                   AttrTy &attribute) {
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
  attribute = AttrTy::get(parser.getContext(), *value);
  return success();
}

/// Everything from the ordering on; the types of all operands but a mask follow from the pointer's.
template <typename OpTy>
static ParseResult parseRest(OpAsmParser &parser, OperationState &result,
                             ArrayRef<OpAsmParser::UnresolvedOperand> operands,
                             std::optional<OpAsmParser::UnresolvedOperand> mask = {}) {
  auto &properties = result.getOrAddProperties<typename OpTy::Properties>();
  if (parseEnumClause<MemSemanticAttr, MemSemantic>(parser, "sem", symbolizeMemSemantic,
                                                    properties.sem) ||
      parseEnumClause<MemScopeAttr, MemScope>(parser, "scope", symbolizeMemScope,
                                              properties.scope) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  Type pointer;
  if (parser.parseType(pointer))
    return failure();
  Type pointee = pointeeOf(pointer);
  if (!pointee)
    return parser.emitError(loc, "expected a pointer or a tensor of pointers, got ") << pointer;
  Type value = withElementType(pointer, pointee);
  Type boolean = withElementType(pointer, parser.getBuilder().getI1Type());
  result.addTypes(value);
  if (parser.resolveOperand(operands.front(), pointer, result.operands) ||
      parser.resolveOperands(operands.drop_front(), value, result.operands))
    return failure();
  return mask ? parser.resolveOperand(*mask, boolean, result.operands) : success();
}

template <typename OpTy>
static void printRest(OpTy op, OpAsmPrinter &printer, ArrayRef<StringRef> printed) {
  if (op.getSem() != MemSemantic::acq_rel)
    printer << " sem = " << stringifyMemSemantic(op.getSem());
  if (op.getScope() != MemScope::gpu)
    printer << " scope = " << stringifyMemScope(op.getScope());
  printer.printOptionalAttrDict(op->getAttrs(), printed);
  printer << " : " << op.getPointer().getType();
}

ParseResult AtomicRMWOp::parse(OpAsmParser &parser, OperationState &result) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<AtomicKind> kind = symbolizeAtomicKind(keyword);
  if (!kind)
    return parser.emitError(loc, "unknown kind of atomic '") << keyword << "'";
  result.getOrAddProperties<Properties>().kind = AtomicKindAttr::get(parser.getContext(), *kind);

  SmallVector<OpAsmParser::UnresolvedOperand, 2> operands(2);
  std::optional<OpAsmParser::UnresolvedOperand> mask;
  if (parser.parseOperand(operands[0]) || parser.parseComma() || parser.parseOperand(operands[1]))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("if")) && parser.parseOperand(mask.emplace()))
    return failure();
  return parseRest<AtomicRMWOp>(parser, result, operands, mask);
}

void AtomicRMWOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyAtomicKind(getKind()) << ' ' << getPointer() << ", " << getValue();
  if (getMask())
    printer << " if " << getMask();
  printRest(*this, printer, {getKindAttrName(), getSemAttrName(), getScopeAttrName()});
}

ParseResult AtomicCasOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand, 3> operands(3);
  if (parser.parseOperand(operands[0]) || parser.parseComma() || parser.parseOperand(operands[1]) ||
      parser.parseComma() || parser.parseOperand(operands[2]))
    return failure();
  std::optional<OpAsmParser::UnresolvedOperand> mask;
  if (succeeded(parser.parseOptionalKeyword("if")) && parser.parseOperand(mask.emplace()))
    return failure();
  return parseRest<AtomicCasOp>(parser, result, operands, mask);
}

void AtomicCasOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getPointer() << ", " << getCompare() << ", " << getValue();
  if (getMask())
    printer << " if " << getMask();
  printRest(*this, printer, {getSemAttrName(), getScopeAttrName()});
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

bool hasAtomic(AtomicKind kind, Type element) {
  bool isWord = element.isInteger(32) || element.isInteger(64);
  switch (kind) {
  case AtomicKind::add:
    if (element.isF16() || element.isBF16())
      return true;
    [[fallthrough]];
  case AtomicKind::min:
  case AtomicKind::max:
  case AtomicKind::xchg:
    return isWord || element.isF32() || element.isF64();
  case AtomicKind::load:
  case AtomicKind::store:
    return element.isIntOrFloat() &&
           llvm::is_contained({8u, 16u, 32u, 64u}, element.getIntOrFloatBitWidth());
  default:
    return isWord;
  }
}

bool hasDescriptorReduction(AtomicKind kind, Type element) {
  bool isExtremum = kind == AtomicKind::min || kind == AtomicKind::max;
  return isCombination(kind) &&
         (hasAtomic(kind, element) || (isExtremum && (element.isF16() || element.isBF16())));
}

bool hasAtomicCas(Type element) {
  return element.isIntOrFloat() &&
         llvm::is_contained({16u, 32u, 64u}, element.getIntOrFloatBitWidth());
}

LogicalResult AtomicRMWOp::verify() {
  Type pointer = getPointer().getType();
  Type value = withElementType(pointer, pointeeOf(pointer));
  Type mask = withElementType(pointer, IntegerType::get(getContext(), 1));
  if (failed(expectType(*this, "a value", getValue().getType(), value)) ||
      failed(expectType(*this, "a result", getType(), value)) ||
      (getMask() && failed(expectType(*this, "a mask", getMask().getType(), mask))))
    return failure();
  if (!hasAtomic(getKind(), pointeeOf(pointer)))
    return emitOpError("has no '")
           << stringifyAtomicKind(getKind()) << "' of type " << pointeeOf(pointer);
  return success();
}

LogicalResult AtomicCasOp::verify() {
  Type pointer = getPointer().getType();
  Type value = withElementType(pointer, pointeeOf(pointer));
  Type mask = withElementType(pointer, IntegerType::get(getContext(), 1));
  if (failed(expectType(*this, "an expected value", getCompare().getType(), value)) ||
      (getMask() && failed(expectType(*this, "a mask", getMask().getType(), mask))) ||
      failed(expectType(*this, "a value", getValue().getType(), value)) ||
      failed(expectType(*this, "a result", getType(), value)))
    return failure();
  if (!hasAtomicCas(pointeeOf(pointer)))
    return emitOpError("expects values of 16, 32 or 64 bits, got ") << pointeeOf(pointer);
  return success();
}

//===----------------------------------------------------------------------===//
// Canonicalisation
//===----------------------------------------------------------------------===//

/// atomic p, v if true -> atomic p, v
/// atomic p, v if false -> zero
static LogicalResult simplifyAtomicMask(AtomicRMWOp op, PatternRewriter &rewriter) {
  return simplifyConstantMask(
      op, op.getMask(), rewriter, [&] { op.getMaskMutable().clear(); },
      [&] {
        rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, rewriter.getZeroAttr(op.getType()));
      });
}

void AtomicRMWOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(simplifyAtomicMask);
}

} // namespace tilec::tile

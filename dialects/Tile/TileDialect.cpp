// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tile dialect itself: registration, constants, the pointer type, and the questions about types
// that every op file of the dialect asks.

#include "dialects/Tile/TileOps.h"

#include "mlir/Dialect/CommonFolders.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilec::tile {

static constexpr int64_t kMaxTileElements = int64_t(1) << 20;
static constexpr int kGlobalAddressSpace = 1;

bool isTileShape(ArrayRef<int64_t> shape) {
  int64_t elements = 1;
  for (int64_t size : shape) {
    if (size <= 0 || size > kMaxTileElements)
      return false;
    elements *= llvm::PowerOf2Ceil(size); // At most 2^40: checked before it can grow further.
    if (elements > kMaxTileElements)
      return false;
  }
  return !shape.empty();
}

Attribute encodingOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getEncoding() : Attribute();
}

Type withElementType(Type type, Type element) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.clone(element) : element;
}

Type pointeeOf(Type type) {
  auto pointer = dyn_cast<PtrType>(getElementTypeOrSelf(type));
  return pointer ? pointer.getPointee() : Type();
}

bool isZero(Value value) {
  return matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat());
}

unsigned bitWidthOf(Type scalar) {
  return isa<PtrType>(scalar) ? 64 : scalar.getIntOrFloatBitWidth();
}

unsigned bytesOf(Type scalar) { return llvm::divideCeil(bitWidthOf(scalar), 8u); }

int64_t tensorBytesOf(RankedTensorType tensor) {
  return tensor.getNumElements() * bytesOf(tensor.getElementType());
}

LogicalResult verifySameLayout(Operation *op) {
  RankedTensorType first;
  for (Type type : llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                            SmallVector<Type>(op->getResultTypes()))) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    if (!first)
      first = tensor;
    if (tensor.getEncoding() != first.getEncoding())
      return op->emitOpError("expects one layout for all operands and results, got ")
             << first << " and " << tensor;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// PtrType
//===----------------------------------------------------------------------===//

static bool isPointee(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return isa<Float8E4M3FNType, Float8E5M2Type, Float8E4M3FNUZType, Float8E5M2FNUZType, Float16Type,
             BFloat16Type, Float32Type, Float64Type, PtrType>(type);
}

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError, Type pointee,
                              int addressSpace) {
  if (!isPointee(pointee))
    return emitError() << "expected an integer, float or pointer pointee, got " << pointee;
  if (addressSpace != kGlobalAddressSpace)
    return emitError() << "expected address space " << kGlobalAddressSpace << ", got "
                       << addressSpace;
  return success();
}

unsigned PtrType::getElementBytes() const { return bytesOf(getPointee()); }

//===----------------------------------------------------------------------===//
// TileDialect
//===----------------------------------------------------------------------===//

namespace {
/// Functions of tile programs have no convention of their own: any op may go anywhere.
struct TileInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const override { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const override { return true; }
};
} // namespace

void TileDialect::initialize() {
  addInterfaces<TileInlinerInterface>();
  registerTileDialectOperations(this);
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Tile/TileTypes.cpp.inc"
      >();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location loc) {
  if (auto poison = dyn_cast<ub::PoisonAttr>(value))
    return ub::PoisonOp::create(builder, loc, type, poison);
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

/// Error unless `attribute` is one positive number per dimension of the op's one result.
static LogicalResult verifyHint(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  auto hint = dyn_cast<DenseI32ArrayAttr>(attribute.getValue());
  if (!hint)
    return op->emitError("expected '")
           << name << "' to be a dense i32 array, got " << attribute.getValue();
  for (int32_t value : hint.asArrayRef())
    if (value <= 0)
      return op->emitError("expected '") << name << "' to hold positive numbers, got " << value;
  if (op->getNumResults() != 1)
    return success();
  auto tensor = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  int64_t dimensions = tensor ? tensor.getRank() : 1;
  if (hint.size() != dimensions)
    return op->emitError("expected '") << name << "' to have one number per dimension ("
                                       << dimensions << "), got " << hint.size();
  return success();
}

static LogicalResult verifyTarget(Operation *op, Attribute value) {
  auto text = dyn_cast<StringAttr>(value);
  if (!text || !isa<ModuleOp>(op))
    return op->emitError("expected '")
           << TileDialect::kTargetAttr << "' to be a string of a module, got " << value;
  llvm::Expected<const Processor *> processor = findProcessor(text.getValue());
  if (!processor)
    return op->emitError(llvm::toString(processor.takeError()));
  return success();
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kKernelAttr && !isa<FunctionOpInterface>(op))
    return op->emitError("expected '") << name << "' on a function, got '" << op->getName() << "'";
  if (name == kKernelAttr && !isa<UnitAttr>(attribute.getValue()))
    return op->emitError("expected '")
           << name << "' to be a unit attribute, got " << attribute.getValue();
  if (name == kDivisibilityAttr || name == kContiguityAttr || name == kConstancyAttr)
    return verifyHint(op, attribute);
  if (name == kTargetAttr)
    return verifyTarget(op, attribute.getValue());
  return success();
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned regionIndex,
                                                    unsigned argIndex, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if ((name == kNameAttr || name == kTypeTextAttr) && !isa<StringAttr>(attribute.getValue()))
    return op->emitError("expected '") << name << "' of argument " << argIndex
                                       << " to be a string, got " << attribute.getValue();
  if (name != kDivisibilityAttr)
    return success();
  auto divisibility = dyn_cast<IntegerAttr>(attribute.getValue());
  if (!divisibility || !divisibility.getType().isInteger(32) || divisibility.getInt() <= 0)
    return op->emitError("expected '") << name << "' of argument " << argIndex
                                       << " to be a positive i32, got " << attribute.getValue();
  return success();
}

} // namespace tilec::tile

#include "dialects/Tile/TileInterfaces.cpp.inc"

#include "dialects/Tile/TileDialect.cpp.inc"
#include "dialects/Tile/TileEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Tile/TileTypes.cpp.inc"

const tilec::Processor &tilec::processorOf(Operation *op) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  auto name =
      module ? module->getAttrOfType<StringAttr>(tile::TileDialect::kTargetAttr) : StringAttr();
  if (!name)
    return defaultProcessor();
  llvm::Expected<const Processor *> processor = findProcessor(name.getValue());
  // The verifier of the attribute knows it.
  return processor ? **processor : (llvm::consumeError(processor.takeError()), defaultProcessor());
}

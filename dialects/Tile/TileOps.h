// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tile dialect: its types, enums and operations. The op documentation is in the .td files
// beside this one.

#ifndef TILEC_DIALECTS_TILE_TILEOPS_H
#define TILEC_DIALECTS_TILE_TILEOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Support/Processor.h"

#include "dialects/Tile/AxisFacts.h"
#include "dialects/Tile/LayoutRule.h"

#include "dialects/Tile/TileEnums.h.inc"

namespace tilec::tile {

/// True for the shapes a tile may have: at least one dimension, no size zero, and at most 2^20
/// elements when every size is rounded up to a power of two.
bool isTileShape(llvm::ArrayRef<int64_t> shape);

/// The encoding of a tensor type; null for a scalar and for a tensor without layout.
mlir::Attribute encodingOf(mlir::Type type);

/// Device memory, as the resource of memory effects.
struct GlobalMemory : mlir::SideEffects::Resource::Base<GlobalMemory> {
  llvm::StringRef getName() final { return "GlobalMemory"; }
};

/// Error when the tensors among the operands and results of `op` differ in their encoding.
llvm::LogicalResult verifySameLayout(mlir::Operation *op);

/// All tensors among the operands and results carry one encoding, or none at all.
template <typename ConcreteType>
struct SameLayout : mlir::OpTrait::TraitBase<ConcreteType, SameLayout> {
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) { return verifySameLayout(op); }
};

/// Error unless the region of `op` combines two elements of its operands: two arguments per operand
/// of its element type (all left ones, then all right ones), and one yielded value per operand.
/// Operands are the first ones only when there are fewer results.
llvm::LogicalResult verifyCombineRegion(mlir::Operation *op);

/// The op's one region is a combine region, ended by `tile.yield`.
template <typename ConcreteType>
struct CombineRegion : mlir::OpTrait::TraitBase<ConcreteType, CombineRegion> {
  static llvm::LogicalResult verifyRegionTrait(mlir::Operation *op) {
    return verifyCombineRegion(op);
  }
};

} // namespace tilec::tile

#include "dialects/Tile/TileDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Tile/TileTypes.h.inc"

#include "dialects/Tile/TileInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/Tile/TileOps.h.inc"

namespace tilec {
/// The processor that the module around `op` is for (`tile.target`); the default when it does not
/// say.
const Processor &processorOf(mlir::Operation *op);
} // namespace tilec

namespace tilec::tile {

/// The tensor type with `type`'s shape and encoding and element type `element`, or `element` itself
/// for a scalar.
mlir::Type withElementType(mlir::Type type, mlir::Type element);

/// The pointee of a pointer or of a tensor of pointers; null for any other type.
mlir::Type pointeeOf(mlir::Type type);

/// Dimensions of the source of a reshape that become dimensions of the result, with as many
/// elements. Both are half-open ranges.
struct ReshapeGroup {
  unsigned sourceBegin, sourceEnd, resultBegin, resultEnd;
};

/// The smallest groups of a reshape, in order.
llvm::SmallVector<ReshapeGroup> reshapeGroups(llvm::ArrayRef<int64_t> source,
                                              llvm::ArrayRef<int64_t> result);

/// Whether all bits of a value, or of each of its elements, are known to be zero: those of -0.0 are
/// not.
bool isZero(mlir::Value value);

/// Bits that one value of a scalar type occupies in a register or in memory (pointers 64, i1 1).
unsigned bitWidthOf(mlir::Type scalar);
/// Bytes that one value of a scalar type occupies in memory, at least one; those of all elements of
/// a tensor.
unsigned bytesOf(mlir::Type scalar);
int64_t tensorBytesOf(mlir::RankedTensorType tensor);

/// Whether an atomic of this kind exists for elements of a type.
bool hasAtomic(AtomicKind kind, mlir::Type element);

/// Whether a block of a described tensor can be combined with elements of a type: as with atomics,
/// and smallest and largest of f16 and bf16.
bool hasDescriptorReduction(AtomicKind kind, mlir::Type element);

/// Whether an atomic compare-and-swap exists for elements of a type.
bool hasAtomicCas(mlir::Type element);

/// Whether a matrix product exists for these element types of operands and accumulator.
bool hasDot(mlir::Type lhs, mlir::Type rhs, mlir::Type acc);

/// Error unless shapes and element types are those of a matrix product.
llvm::LogicalResult verifyDot(mlir::Operation *op, mlir::ShapedType lhs, mlir::ShapedType rhs,
                              mlir::ShapedType acc);
/// Error unless the attributes of a matrix product of `element` operands make sense.
llvm::LogicalResult verifyDotAttributes(mlir::Operation *op, mlir::Type element,
                                        std::optional<int32_t> maxImprecise, bool isUnsigned);

/// Whether an atomic makes one value of the old and the given one, as `add` does.
inline bool isCombination(AtomicKind kind) {
  return kind != AtomicKind::xchg && kind != AtomicKind::load && kind != AtomicKind::store;
}

/// Whether an atomic publishes what the program did before it.
inline bool isRelease(MemSemantic sem) {
  return sem == MemSemantic::release || sem == MemSemantic::acq_rel;
}

/// Whether what comes behind an atomic sees what others published.
inline bool isAcquire(MemSemantic sem) {
  return sem == MemSemantic::acquire || sem == MemSemantic::acq_rel;
}

} // namespace tilec::tile

#endif // TILEC_DIALECTS_TILE_TILEOPS_H

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block pointers for the loads and stores through them.

#ifndef TILEC_LIB_IRGEN_BLOCKPOINTER_H
#define TILEC_LIB_IRGEN_BLOCKPOINTER_H

#include "Generator.h"

#include "tilec/Sema/Signature.h"

namespace tilec::irgen {

/// The elements of a block: where they are and which are inside of the tensor.
struct BlockAddresses {
  Value pointers;
  /// Null when no dimension is checked.
  mlir::Value mask;
};

/// The block pointer in a value, or null.
const BlockAccessValue *getBlockPointer(const Value &value);

/// Computes the addresses of a block in 64 bits, and the mask of the dimensions in `boundaryCheck`
/// (an argument that may be absent).
FailureOr<BlockAddresses> expandBlockPointer(Generator &g, const BlockAccessValue &pointer,
                                             const BoundArg &boundaryCheck, SourceRange range);

/// An operand of an access, cast to `element` and broadcast to the pointer's shape.
FailureOr<Value> getAccessOperand(Generator &g, const BoundArg &arg, const Type &pointer,
                                  DType element, llvm::StringRef what);

/// The kind of an atomic that a builtin's name says, for elements of a type.
tile::AtomicKind getAtomicKind(llvm::StringRef name, DType element);

/// Whether a `padding_option` asks for NaN instead of zero; an error when it is neither, or when
/// `element` has no NaN.
FailureOr<bool> padsWithNan(Generator &g, const BoundArg &option, DType element);

/// Error at `range` unless a tensor descriptor can have such elements and blocks: one to five
/// dimensions, rows of 16 bytes or more.
LogicalResult checkDescriptorBlock(Generator &g, const DescriptorBlock &block, DType element,
                                   SourceRange range);

/// The descriptor that a kernel's arguments describe: pointer, sizes, and strides but the last.
Value makeDescriptorOfArguments(Generator &g, const SignatureType &type,
                                llvm::ArrayRef<mlir::Value> arguments);

} // namespace tilec::irgen

#endif // TILEC_LIB_IRGEN_BLOCKPOINTER_H

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomics through tensors of pointers, seen alike: what they access, under which
// mask, and how many elements of a thread go into one instruction.

#ifndef TILEC_ANALYSIS_GLOBALACCESS_H
#define TILEC_ANALYSIS_GLOBALACCESS_H

#include "dialects/TileGPU/TileGPUOps.h"
#include "tilec/Analysis/AxisInfo.h"

namespace tilec {

/// Neighbouring elements of one dimension that one instruction covers.
struct AccessVector {
  unsigned width = 1;
  unsigned axis = 0;
};

/// An operation that accesses global memory through a tensor of pointers.
struct GlobalAccess {
  enum class Kind { Load, Store, Atomic };

  mlir::Operation *op = nullptr;
  Kind kind = Kind::Load;
  mlir::Value pointer;
  /// Null when there is none.
  mlir::Value mask;
  mlir::RankedTensorType type;
  unsigned elementBytes = 1;
  /// Elements in an access of `GlobalAccessOpInterface::kFullBytes`, or the widest there is if it
  /// has fewer.
  unsigned fullWidth = 1;
  /// Elements in the widest instruction there is for this access.
  unsigned maxWidth = 1;

  /// None for other operations and for accesses through a scalar pointer.
  static std::optional<GlobalAccess> of(mlir::Operation *op);

  /// "load", "store", "atomic".
  llvm::StringRef getKindName() const;

  /// The widest vector along `axis` that addresses and mask allow in any layout.
  unsigned getMaxWidth(unsigned axis, const AxisInfoAnalysis &axes) const;

  /// The vector that the lowering uses: the widest one over all axes for which the layout has the
  /// elements in consecutive registers. Precondition: the type has a layout.
  AccessVector chooseVector(const AxisInfoAnalysis &axes) const;
};

/// Whether the operation, without what is inside of it, writes global memory that the program
/// reads: printing, assertions and barriers do not.
bool writesGlobal(mlir::Operation *op);

/// Whether `root`, or an operation inside of it, does.
bool writesGlobalInside(mlir::Operation *root);

/// Whether `op`, or an operation inside of it, may write global memory, or wait for someone who
/// does: a load does not move over it.
bool mayWriteGlobal(mlir::Operation *op);

/// Whether the program may have done something of that kind before an operation, in an iteration
/// before of a loop around it for one. `test` also gets operations with what is inside of them.
bool mayComeBefore(mlir::Operation *op, llvm::function_ref<bool(mlir::Operation *)> test);

/// The same of what it may do behind an operation, in the next iteration of a loop around it for
/// one.
bool mayComeAfter(mlir::Operation *op, llvm::function_ref<bool(mlir::Operation *)> test);

/// Whether the program may access global memory behind an operation.
bool isFollowedByAccess(mlir::Operation *op);

/// What atomics order: accesses of threads, not those of the copy engine.
struct AtomicOrders {
  /// There are some that accesses behind them are ordered by, and some for accesses before them.
  bool acquire = false, release = false;

  /// Of those in `root`.
  static AtomicOrders of(mlir::Operation *root);
};

/// The first operation in `root` that accesses of global memory behind it wait for: an atomic that
/// acquires, a volatile load and, with `barriers`, a barrier of the program. Null when there is
/// none.
mlir::Operation *findAccessOrder(mlir::Operation *root, bool barriers);

/// Whether the code is what a wide loop or branch beside it left over: narrow on purpose.
bool isRemainderCode(mlir::Operation *op);

/// The least and the most that one asynchronous copy of a thread takes.
inline constexpr unsigned kLeastCopyBytes = 4, kMostCopyBytes = 16;

/// Register bits that count through one asynchronous copy: those of the global access's vector that
/// are neighbours in the buffer too. `memory` has the dimensions of the access.
std::vector<unsigned> copyRegisterBits(const LinearLayout &threads, AccessVector vector,
                                       const LinearLayout &memory, unsigned elementBytes);

} // namespace tilec

#endif // TILEC_ANALYSIS_GLOBALACCESS_H

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known at compile time about the values of integer and pointer tensors along each of their
// dimensions: runs of consecutive values, runs of equal values, powers of two that divide the start
// of every run. Decides how wide a global access may be, in which order threads should walk a
// tensor, and how masks group.
//
// Algorithm: optimistic sparse forward dataflow over SSA values and structured control flow; the
// join takes gcds.

#ifndef TILEC_ANALYSIS_AXISINFO_H
#define TILEC_ANALYSIS_AXISINFO_H

#include "dialects/Tile/AxisFacts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <deque>
#include <optional>

namespace tilec {

/// What to take for granted about an argument of a function, beyond its attributes.
struct AxisAssumption {
  /// Divides the value, or a pointer's address.
  int64_t divisibility = 1;
  /// The value itself. Integers only.
  std::optional<int64_t> constant;
};
using AxisAssumptions = llvm::SmallDenseMap<mlir::Value, AxisAssumption>;

/// The axis facts of every value below an operation.
///
/// Usage:
///   AxisInfoAnalysis axes(func);
///   unsigned vec = axes.getMaxVectorElements(load.getPointer(), load.getMask(), /*dim=*/1);
///
/// Built once, in time about linear in the number of operations (loops are revisited until their
/// facts are stable); queries are hash lookups. Layout encodings play no role and
/// `tilegpu.convert_layout` is transparent, so facts survive a change of layouts. Creating values
/// keeps the facts of the existing ones; a value made later is answered pessimistically, and after
/// *erasing* an analysed op the analysis must not be asked about new values, which may reuse its
/// storage. Not thread safe.
class AxisInfoAnalysis {
public:
  /// Analyses all functions in `root` (a module, a function, or any op with regions).
  explicit AxisInfoAnalysis(mlir::Operation *root) : AxisInfoAnalysis(root, AxisAssumptions()) {}

  /// What would be known if arguments of functions were as assumed. Answers "would it help if ..."
  /// for people; never a ground to transform anything.
  AxisInfoAnalysis(mlir::Operation *root, const AxisAssumptions &assumptions);

  /// Facts about `value`; always answers. The reference lives as long as the analysis.
  const AxisInfo &get(mlir::Value value) const;

  /// The most elements of the pointee that one aligned access through `ptr` may cover along `dim`:
  /// limited by the runs and by the byte alignment of their starts. At least 1; no upper limit by
  /// the machine's widest access.
  unsigned getMaxVectorElements(mlir::Value ptr, unsigned dim) const;

  /// The same under a mask, which must be constant over what one access covers. `mask` may be null.
  unsigned getMaxVectorElements(mlir::Value ptr, mlir::Value mask, unsigned dim) const;

  /// Whether both bounds of a loop are multiples of its step, a positive constant: it ends where
  /// its last iteration does.
  bool hasWholeSteps(mlir::scf::ForOp loop) const;

private:
  mutable llvm::DenseMap<mlir::Value, const AxisInfo *> facts;
  mutable std::deque<AxisInfo> storage;
};

} // namespace tilec

#endif // TILEC_ANALYSIS_AXISINFO_H

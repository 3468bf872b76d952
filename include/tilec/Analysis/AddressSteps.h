// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far apart neighbouring elements of a tensor of pointers are in memory, per dimension: a known
// number of bytes, a multiple of a scalar such as a stride argument, or unknown. AxisInfo says how
// long runs of consecutive elements are; this says what lies between the runs. For people, not for
// transformations: that nothing overflows is taken for granted.

#ifndef TILEC_ANALYSIS_ADDRESSSTEPS_H
#define TILEC_ANALYSIS_ADDRESSSTEPS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace tilec {

/// constant + factor * scale, the same everywhere along the dimension; bytes for pointers.
struct AddressStep {
  bool isKnown = true;
  int64_t constant = 0;
  /// A scalar that is not known at compile time; null when there is none.
  mlir::Value factor;
  int64_t scale = 0;

  static AddressStep unknown() {
    AddressStep step;
    step.isKnown = false;
    return step;
  }
  bool isConstant() const { return isKnown && !factor; }
  bool isZero() const { return isConstant() && constant == 0; }
  bool operator==(const AddressStep &other) const;
};

/// The steps of tensors, computed on demand and remembered. Invalidated by any change to the IR.
class AddressSteps {
public:
  using Steps = llvm::SmallVector<AddressStep, 2>;

  /// One step per dimension; none for a scalar.
  const Steps &of(mlir::Value value);

private:
  Steps compute(mlir::Value value);
  Steps ofLoopArgument(mlir::BlockArgument argument);
  Steps ofOperation(mlir::Operation *op);
  Steps product(mlir::Operation *op);
  bool isUniform(mlir::Value value);

  llvm::DenseMap<mlir::Value, Steps> known;
  unsigned depth = 0;
};

/// The value of an integer constant, or of a tensor of equal ones; none for null.
std::optional<int64_t> constantOf(mlir::Value value);

/// The scalar that all elements of `value` are equal to as far as splats, broadcasts and changes of
/// shape, layout or width say so; `value` itself for a scalar, null when it is no such tensor.
mlir::Value splatSource(mlir::Value value);

/// What an integer or pointer may be called in the source: "'stride'" for an argument,
/// "'tl.program_id(0) * 64'", "42"; empty when it has no short name.
std::string sourceName(mlir::Value value);

} // namespace tilec

#endif // TILEC_ANALYSIS_ADDRESSSTEPS_H

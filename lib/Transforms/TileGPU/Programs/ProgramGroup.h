// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many programs that take equally long run one after the other, where those that take longest
// come first: those whose loops read together what fits the second cache.

#ifndef TILEC_LIB_TRANSFORMS_TILEGPU_PROGRAMS_PROGRAMGROUP_H
#define TILEC_LIB_TRANSFORMS_TILEGPU_PROGRAMS_PROGRAMGROUP_H

#include "mlir/IR/IRMapping.h"
#include "tilec/Analysis/AxisInfo.h"
#include "tilec/Analysis/LoopSchedule.h"
#include "tilec/Analysis/PersistencePlan.h"

namespace tilec {

/// What the loop that copies most copies in an iteration, in bytes.
int64_t bytesPerIteration(llvm::ArrayRef<LoopSchedule> schedules);

/// Makes the size of a group where the builder stands, in front of the programs.
class ProgramGroup {
public:
  /// `sizes`: of the grid. `isInFront`: whether an operation is above the builder already.
  ProgramGroup(mlir::OpBuilder &builder, mlir::Location loc, const PersistencePlan &plan,
               mlir::ValueRange sizes, llvm::function_ref<bool(mlir::Operation *)> isInFront)
      : builder(builder), loc(loc), plan(plan), sizes(sizes), isInFront(isInFront) {}

  /// The logarithm to base 2 of the number of programs, 16 at most: a power of two divides most
  /// numbers of heads and batches. Precondition: the plan has a longest axis.
  mlir::Value makeLog2(int64_t bytesPerIteration);

private:
  /// The iterations of the longest program; null when they are not known in front.
  mlir::Value makeIterations();
  /// What a value of the body is for the program with this index along the longest axis, and zero
  /// along the others; null when that is not known in front.
  mlir::Value evaluate(mlir::Value value, mlir::Value index);

  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantIntOp::create(builder, loc, value, 32);
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const PersistencePlan &plan;
  mlir::ValueRange sizes;
  llvm::function_ref<bool(mlir::Operation *)> isInFront;
  mlir::IRMapping evaluated;
};

} // namespace tilec

#endif // TILEC_LIB_TRANSFORMS_TILEGPU_PROGRAMS_PROGRAMGROUP_H

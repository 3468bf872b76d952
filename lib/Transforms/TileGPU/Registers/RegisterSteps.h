// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of tilegpu-plan-registers. One estimate of register pressure serves all of them; it is
// made anew where a step has changed the function.

#ifndef TILEC_LIB_TRANSFORMS_TILEGPU_REGISTERS_REGISTERSTEPS_H
#define TILEC_LIB_TRANSFORMS_TILEGPU_REGISTERS_REGISTERSTEPS_H

#include "tilec/Analysis/GlobalAccess.h"
#include "tilec/Analysis/RegisterPressure.h"

namespace tilec {

/// A function, and the estimate of its registers.
class PlannedFunction {
public:
  explicit PlannedFunction(mlir::func::FuncOp function) : func(function) {}

  mlir::func::FuncOp get() const { return func; }
  RegisterPressure &getPressure() {
    if (!pressure)
      pressure.emplace(func);
    return *pressure;
  }
  /// The function, or what its module wishes for, is another one now.
  void noteChange() { pressure.reset(); }

private:
  mlir::func::FuncOp func;
  std::optional<RegisterPressure> pressure;
};

/// CTAs on a multiprocessor that a function is planned for by `shouldHoldTwoCtas`.
constexpr int64_t kPlannedCtas = 2;

/// Whether two CTAs on a multiprocessor are better than one, with the help of shared memory.
bool shouldHoldTwoCtas(PlannedFunction &function);
/// Hoists loads over reductions, up to `registers` of a thread.
void hoistLoads(PlannedFunction &function, int64_t registers);
/// Sinks loads, and cheap operations on them, to their first use.
void sinkLoads(PlannedFunction &function);
/// Computes tensors again from narrower ones.
void rematerialise(PlannedFunction &function);
/// Spills to shared memory what the plan says (RegisterPlan.h).
void spillToShared(PlannedFunction &function);

} // namespace tilec

#endif // TILEC_LIB_TRANSFORMS_TILEGPU_REGISTERS_REGISTERSTEPS_H

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many registers a thread needs for tensors, estimated where it cannot need fewer: behind what
// moves data between threads, and in front of a store that may alias loads before it. Everywhere
// else elements can be taken one after another, which the assembler does well.
//
//   RegisterPressure pressure(func);
//   for (const RegisterPressure::Point &point : pressure.getPoints())
//     if (point.registers > pressure.budgetAt(point)) ... point.live ...

#ifndef TILEC_ANALYSIS_REGISTERPRESSURE_H
#define TILEC_ANALYSIS_REGISTERPRESSURE_H

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tilec {

/// Registers of a thread beside those of tensors: addresses, masks, partial results. Measured with
/// ptxas 13.0: what fits beside them does not spill.
constexpr int64_t kOtherRegisters = 24;

/// CTAs that a multiprocessor should be able to hold (`tilegpu.min_ctas`); 1 without a wish.
int64_t wantedCtas(mlir::Operation *op);

/// Registers that each thread can have when one CTA fills a multiprocessor; fewer when the module
/// asks for several CTAs (`tilegpu.min_ctas`).
int64_t registersPerThread(mlir::Operation *op);

/// Registers that each thread can have when a multiprocessor holds `ctas` CTAs.
int64_t registersFor(mlir::Operation *op, int64_t ctas);

/// Registers of 32 bits that a thread's elements of `value` take: zero for scalars. Narrow elements
/// that a load brings packed stay packed.
int64_t registersOf(mlir::Value value);

/// An operation on single elements that costs less than a trip through memory.
bool isCheapElementwise(mlir::Operation *op);

/// Whether there is a matrix product in `root`: accumulators and operands have their places there,
/// and registers are planned around them.
bool multipliesMatrices(mlir::Operation *root);

/// The operation of `block` that is `op` or has it inside; null when there is none.
mlir::Operation *ancestorIn(mlir::Block *block, mlir::Operation *op);

/// The result of the analysis; invalid after the function has changed in other ways than
/// `noteRecomputed` says. Cost: uses, and the tensors
/// that are live at each point.
class RegisterPressure {
public:
  /// A place right behind an operation.
  struct Point {
    mlir::Operation *op;
    /// What comes next, where the point is there for a write to global memory.
    mlir::Operation *write = nullptr;
    /// Tensors that are used later, in program order.
    llvm::SmallVector<mlir::Value, 4> live;
    /// Registers of all of them.
    int64_t registers = 0;
    /// What is loaded between the point before in the block and this one.
    llvm::SmallVector<mlir::Value, 4> loads;
    /// Registers of what is loaded around the point for immediate use only.
    int64_t passing = 0;
    /// There is no loop or branch between the point before in `getPoints` and this one.
    bool isNext = false;
  };

  explicit RegisterPressure(mlir::FunctionOpInterface func);

  llvm::ArrayRef<Point> getPoints() const { return points; }
  /// Registers for tensors at a point: those of a thread less what addresses, partial results and
  /// passing loads take.
  int64_t budgetAt(const Point &point) const;
  /// Registers above the budget; zero or less when all is well.
  int64_t excessAt(const Point &point) const { return point.registers - budgetAt(point); }
  /// Whether any point is above its budget.
  bool isExceeded() const;
  /// The largest number of registers in use at a point with what passes there.
  int64_t getPeak() const;
  int64_t getLimit() const { return limit; }

  /// A tensor that must be kept: not recomputed from indices and scalars in a few instructions.
  bool isData(mlir::Value value) const { return data.contains(value); }
  /// The function has changed: from `first` on, an operation of the value's own block that comes
  /// behind `place`, `value` is replaced by the last result of `made`, which stand in front of
  /// `first` and are computed from `source`.
  void noteRecomputed(mlir::Value value, mlir::Value source, mlir::Operation *place,
                      mlir::Operation *first, llvm::ArrayRef<mlir::Operation *> made);

  /// Whether `value` is used behind `op` (not by it).
  static bool isUsedAfter(mlir::Value value, mlir::Operation *op);

private:
  /// A tensor and the number of the last operation of a block that needs it.
  struct LiveTensor {
    mlir::Value value;
    unsigned last;
  };
  static constexpr unsigned kForever = ~0u;

  void collectData(mlir::FunctionOpInterface func);
  void collectUses(mlir::FunctionOpInterface func);
  void visitBlock(mlir::Block &block, llvm::SmallVector<LiveTensor> tensors);
  void addPoint(mlir::Operation *op, llvm::ArrayRef<LiveTensor> tensors);
  /// Registers of the loads in front of a point that are not live there.
  int64_t passingBefore(const Point &point) const;
  /// Those of `tensors`, which are live around a nested block, that are so in it.
  llvm::SmallVector<LiveTensor> tensorsInside(mlir::Block &inner,
                                              llvm::ArrayRef<LiveTensor> tensors) const;

  int64_t limit;
  /// In program order.
  llvm::SetVector<mlir::Value> data;
  llvm::DenseMap<mlir::Value, unsigned> places;
  /// Operations in program order.
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  /// The last operation of a block that uses a value or has a use inside.
  llvm::DenseMap<std::pair<mlir::Value, mlir::Block *>, unsigned> lastUses;
  llvm::SmallVector<Point> points;
};

} // namespace tilec

#endif // TILEC_ANALYSIS_REGISTERPRESSURE_H

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The meaning of the tile dialect, executed: every value is a dense array, every operation one loop
// over it, programs of the grid run one after another. Slow, simple, and independent of layouts,
// threads and passes, so that what the compiler makes of a kernel can be compared with it.

#ifndef TILEC_INTERPRETER_INTERPRETER_H
#define TILEC_INTERPRETER_INTERPRETER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tilec {

/// Memory that the kernel may touch. Not owned.
struct InterpreterBuffer {
  void *base = nullptr;
  size_t bytes = 0;
  /// For messages.
  std::string name;
  bool readOnly = false;
};

struct InterpreterConfig {
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::vector<InterpreterBuffer> buffers;
  /// Elements that all operations together may compute, against kernels that never end.
  uint64_t maxElements = uint64_t(1) << 34;
  /// Lines kept in InterpreterResult::printed.
  uint64_t maxPrinted = 100000;
};

struct InterpreterLine {
  std::array<uint32_t, 3> program = {0, 0, 0};
  std::string text;
};

struct InterpreterResult {
  std::vector<InterpreterLine> printed;
  uint64_t printedDropped = 0;
};

/// The kernel of a module of the tile dialect; null when there is none.
mlir::func::FuncOp findKernel(mlir::ModuleOp module);

/// Whether there is a meaning for an operation, or at least an error that says why there is none.
/// What ends a region has none of its own.
bool isInterpreted(mlir::OperationName name);

/// Runs a kernel over the grid, x fastest. `arguments` point to the values of its arguments in
/// order: a pointer (a host address), an integer or a float in its own size, a boolean in a byte.
/// Failure comes with an error at the operation: an access outside of every buffer or misaligned, a
/// failed assertion, an operation that has no meaning here, too much work.
llvm::LogicalResult interpret(mlir::func::FuncOp kernel, void *const *arguments,
                              const InterpreterConfig &config, InterpreterResult &result);

} // namespace tilec

#endif // TILEC_INTERPRETER_INTERPRETER_H

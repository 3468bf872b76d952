// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs integer programs of the tile dialect and writes down what they do to memory, so that a
// program can be compared with what a pass made of it.

#ifndef TILEC_TEST_UNIT_TRANSFORMS_TILEINTERPRETER_H
#define TILEC_TEST_UNIT_TRANSFORMS_TILEINTERPRETER_H

#include "dialects/Tile/TileOps.h"

#include <map>
#include <string>
#include <vector>

namespace tilec::test {

/// The elements of a value in row-major order; a scalar has one. Booleans are 0 and 1, other
/// integers signed.
using Numbers = std::vector<int64_t>;

/// The number as a value of so many bits.
int64_t wrap(__int128 value, unsigned bits);

/// One function. Memory is not kept: a load gives a number that follows from its address.
class TileInterpreter {
public:
  TileInterpreter(mlir::func::FuncOp function, int32_t programId)
      : func(function), pid(programId) {}

  void run(mlir::ArrayRef<int64_t> arguments);

  /// An access per entry: kind, then address and value of every lane that is on.
  std::vector<std::string> trace;
  /// Accesses of tensors without a mask.
  unsigned maskless = 0;

private:
  void runBlock(mlir::Block &block);
  void runOp(mlir::Operation *op);
  void runFor(mlir::scf::ForOp loop);
  Numbers runElementwise(mlir::Operation *op);
  Numbers runShapeOp(mlir::Operation *op);
  void runAccess(mlir::Operation *op);
  const Numbers &get(mlir::Value value) const { return values.at(value.getAsOpaquePointer()); }
  void set(mlir::Value value, Numbers numbers) {
    values[value.getAsOpaquePointer()] = std::move(numbers);
  }
  std::vector<Numbers> yielded(mlir::Block &block) const;

  mlir::func::FuncOp func;
  int32_t pid;
  unsigned iterations = 0;
  std::map<const void *, Numbers> values;
};

} // namespace tilec::test

#endif // TILEC_TEST_UNIT_TRANSFORMS_TILEINTERPRETER_H

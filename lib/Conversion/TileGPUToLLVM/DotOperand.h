// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One operand of a matrix product by multiply-adds, as the running thread reads it from shared
// memory.

#ifndef TILEC_LIB_CONVERSION_TILEGPUTOLLVM_DOTOPERAND_H
#define TILEC_LIB_CONVERSION_TILEGPUTOLLVM_DOTOPERAND_H

#include "Patterns.h"

#include "tilec/Layout/SharedSwizzle.h"

namespace tilec {

/// `value`, an `element`, in the type that products are computed in.
mlir::Value widenForProduct(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                            mlir::Type element, bool isUnsigned);

/// Reads the lines (rows of the left operand, columns of the right one) that the thread's elements
/// of the product need.
class DotOperand {
public:
  DotOperand(mlir::OpBuilder &builder, tilegpu::DotOp dot, unsigned operand, mlir::Value address,
             const ThreadLowering &threadLowering);

  /// Elements along K that one vector access spans: pieces are at least as long.
  int64_t minPiece() const;
  int64_t getDepth() const { return depth; }

  /// The line that register `reg` of the product needs.
  int64_t lineOf(int64_t reg) const { return lineOfRegister[reg]; }
  /// Whether each bit of a register's number moves its line in the same way wherever it is set.
  bool isLinear() const;
  /// Whether a vector access spans the lines that bit `bit` of a register's number tells apart.
  bool isInVector(unsigned bit) const;

  /// Where the lines are of all registers; and of the group of registers that has the number
  /// `group` in the bits `bits` of a register's number.
  LinearIndex startOfAll() const { return thread; }
  LinearIndex startOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value group,
                      llvm::ArrayRef<unsigned> bits) const;

  /// Reads piece number `piece` of `length` elements of the lines that `registers` need.
  void read(mlir::OpBuilder &builder, mlir::Location loc, const LinearIndex &start,
            mlir::Value piece, int64_t length, llvm::ArrayRef<int64_t> registers);
  /// Element `k` of the piece that was read last, for the product's register `reg`.
  mlir::Value get(int64_t reg, int64_t k, int64_t length) const {
    return elements[lineOf(reg) * length + k];
  }

private:
  mlir::Value base;
  tilegpu::MemDescType buffer;
  bool isUnsigned;
  const ThreadLowering &lowering;
  int64_t depth = 1, numLines = 1;
  unsigned bytes = 1;
  std::vector<int32_t> lineOfRegister;
  SharedAccess access;
  LinearIndex thread;
  llvm::SmallVector<mlir::Value> elements;
};

} // namespace tilec

#endif // TILEC_LIB_CONVERSION_TILEGPUTOLLVM_DOTOPERAND_H

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to tilegpu-lower-tensor-copies: where a buffer that load warps fill for each tile has
// been read for the last time. Of several loops behind each other that read it, any may be the last
// one with iterations:
//
//   for i { wgmma(q); wait }; for j { wgmma(q); wait }; epilogue
//
// becomes
//
//   release if there is no i and no j
//   for i { wgmma(q); wait; release if i is the last and there is no j }
//   for j { wgmma(q); wait; release if j is the last }; epilogue
//
// so that the next tile's copy starts while this one's last products are used.

#ifndef TILEC_LIB_TRANSFORMS_TILEGPU_PIPELINE_LASTREADERS_H
#define TILEC_LIB_TRANSFORMS_TILEGPU_PIPELINE_LASTREADERS_H

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec {

/// The places behind which a buffer is not read any more. Exactly one of them is passed with a
/// predicate that holds.
class LastReaders {
public:
  /// Makes the builder's code where `predicate` (null: always) holds once.
  using Emit = llvm::function_ref<void(mlir::OpBuilder &builder, mlir::Value predicate)>;

  /// Of the buffer that `store` fills in front of all readers in its block.
  LastReaders(mlir::RewriterBase &irRewriter, tilegpu::LocalStoreOp store);

  void emit(Emit make);

private:
  /// An operation of the block; for a loop that has them, the last wait of an iteration for
  /// products that read the buffer.
  struct Reader {
    mlir::Operation *op;
    mlir::Operation *lastWait;
  };

  /// Parts the readers: the code goes into the loops behind the first ones, whose bounds are known
  /// in front of all of them.
  void findLoops();
  /// Whether all tiles have the same number of iterations. Where they differ it is the last loop
  /// that all have, and a comparison in each iteration of the others costs more than it gains.
  bool isSameForAll(mlir::scf::ForOp loop) const;
  /// In front of what uses the last wait's products, in the last iteration, where `noneLater`
  /// (null: always) holds.
  void emitInLoop(const Reader &reader, mlir::Value noneLater, Emit make);

  mlir::RewriterBase &rewriter;
  mlir::Operation *fill;
  llvm::SmallVector<Reader> readers;
  /// Those that no code goes into.
  size_t numFirst = 0;
};

} // namespace tilec

#endif // TILEC_LIB_TRANSFORMS_TILEGPU_PIPELINE_LASTREADERS_H

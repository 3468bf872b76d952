// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the passes around pipelines: loops that carry more values than before.

#ifndef TILEC_LIB_TRANSFORMS_TILEGPU_PIPELINE_CARRYMORE_H
#define TILEC_LIB_TRANSFORMS_TILEGPU_PIPELINE_CARRYMORE_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec::tilegpu {

/// A loop in place of `loop`, with its attributes, that also carries values which start as `inits`
/// and are handed on as they come: the last arguments, operands of its yield, and results.
inline mlir::scf::ForOp carryMore(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop,
                                  mlir::ValueRange inits) {
  mlir::DictionaryAttr attributes = loop->getDiscardableAttrDictionary();
  mlir::FailureOr<mlir::LoopLikeOpInterface> wider = loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false,
      [](mlir::OpBuilder &, mlir::Location, llvm::ArrayRef<mlir::BlockArgument> arguments) {
        return llvm::SmallVector<mlir::Value>(arguments.begin(), arguments.end());
      });
  auto made = mlir::cast<mlir::scf::ForOp>(wider->getOperation());
  made->setDiscardableAttrs(attributes);
  return made;
}

} // namespace tilec::tilegpu

#endif // TILEC_LIB_TRANSFORMS_TILEGPU_PIPELINE_CARRYMORE_H

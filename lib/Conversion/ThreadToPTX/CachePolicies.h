// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Policies of the second-level cache, which accesses name (PTX ISA, createpolicy).

#ifndef TILEC_LIB_CONVERSION_THREADTOPTX_CACHEPOLICIES_H
#define TILEC_LIB_CONVERSION_THREADTOPTX_CACHEPOLICIES_H

#include "dialects/Tile/TileOps.h"
#include "mlir/IR/PatternMatch.h"

namespace tilec {

class CachePolicies {
public:
  /// The operand of an access in the function of `op`, made once in its entry block. The policy is
  /// not `normal`.
  mlir::Value get(mlir::Operation *op, tile::EvictionPolicy policy, mlir::RewriterBase &rewriter);

private:
  /// By function and policy; looked up, never iterated.
  llvm::DenseMap<std::pair<mlir::Operation *, int>, mlir::Value> policies;
};

} // namespace tilec

#endif // TILEC_LIB_CONVERSION_THREADTOPTX_CACHEPOLICIES_H

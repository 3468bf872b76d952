// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What another program of a cluster computes: its number along x has the CTA's rank as the last
// bits.

#ifndef TILEC_LIB_TRANSFORMS_TILEGPU_ROLES_PEERPROGRAM_H
#define TILEC_LIB_TRANSFORMS_TILEGPU_ROLES_PEERPROGRAM_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace tilec {

/// Whether all programs with the same numbers along y and z have the same value, in iterations with
/// the same number of the loops around.
bool isSameForAll(mlir::Value value);

/// Scalars of the peer.
class PeerProgram {
public:
  /// Makes them where the builder stands. `outer`, or null: the loop whose iterations with the same
  /// number the two programs run side by side. `rank`: of the CTA in the cluster, of `ctas`, which
  /// may differ between the lanes of a warp.
  PeerProgram(mlir::OpBuilder &builder, mlir::scf::ForOp outer, mlir::Value rank, int ctas)
      : builder(builder), outer(outer), rank(rank), ctas(ctas) {}

  /// What the peer has in place of `value`; null when only the peer knows.
  mlir::Value of(mlir::Value value);
  /// Whether it has no iteration of the outer loop beside this program's; null when only the peer
  /// knows.
  mlir::Value hasEnded();

private:
  mlir::OpBuilder &builder;
  mlir::scf::ForOp outer;
  mlir::Value rank;
  int ctas;
  mlir::IRMapping known;
};

} // namespace tilec

#endif // TILEC_LIB_TRANSFORMS_TILEGPU_ROLES_PEERPROGRAM_H

// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters of several CTAs: addresses in the shared memory of others, and the cluster barrier.

#include "SimBuilder.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;

static Lowered lowerMapa(NVVM::MapaOp op, SimBuilder &b) {
  Location loc = op.getLoc();
  if (addressSpaceOf(op.getA().getType()) != sharedSpace)
    return reportUnsupported(op, "a generic pointer to shared memory");
  Value mapped = b.call(loc, "tilec_sim_mapa",
                        {b.sharedOffset(loc, op.getA()), op.getB(), b.site(op, "mapa")});
  b.rewriter.replaceOpWithNewOp<LLVM::IntToPtrOp>(op, op.getType(), mapped);
  return Lowered::Yes;
}

static Lowered lowerArrival(Operation *op, SimBuilder &b, bool isRelaxed) {
  Location loc = op->getLoc();
  b.call(loc, "tilec_sim_cluster_arrive",
         {b.constantI32(loc, isRelaxed), b.site(op, "arrival at the cluster barrier")});
  b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

Lowered tilec::lowerCluster(Operation *op, SimBuilder &b) {
  return llvm::TypeSwitch<Operation *, Lowered>(op)
      .Case([&](NVVM::MapaOp mapa) { return lowerMapa(mapa, b); })
      .Case([&](NVVM::ClusterArriveOp) { return lowerArrival(op, b, /*isRelaxed=*/false); })
      .Case([&](NVVM::ClusterArriveRelaxedOp) { return lowerArrival(op, b, /*isRelaxed=*/true); })
      .Case([&](NVVM::ClusterWaitOp) {
        b.call(op->getLoc(), "tilec_sim_cluster_wait", {b.site(op, "cluster barrier")});
        b.rewriter.eraseOp(op);
        return Lowered::Yes;
      })
      .Default([](Operation *) { return Lowered::No; });
}

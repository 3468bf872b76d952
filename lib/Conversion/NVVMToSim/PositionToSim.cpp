// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Special registers: where a thread is in its warp, CTA, cluster and grid.

#include "SimBuilder.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;

constexpr int warpSize = 32;

static Value coordinate(Operation *op, SimBuilder &b, StringRef function, int axis) {
  return b.call(op->getLoc(), function, {b.constantI32(op->getLoc(), axis)});
}

static Value lane(Operation *op, SimBuilder &b) {
  return b.call(op->getLoc(), "tilec_sim_laneid", {});
}

/// Warps in the CTA.
static Value warpCount(Operation *op, SimBuilder &b) {
  Location loc = op->getLoc();
  Value threads = coordinate(op, b, "tilec_sim_ntid", 0);
  for (int axis : {1, 2})
    threads =
        LLVM::MulOp::create(b.rewriter, loc, threads, coordinate(op, b, "tilec_sim_ntid", axis));
  Value roundedUp = LLVM::AddOp::create(b.rewriter, loc, threads, b.constantI32(loc, warpSize - 1));
  return LLVM::UDivOp::create(b.rewriter, loc, roundedUp, b.constantI32(loc, warpSize));
}

/// All ones, or the bit of this lane, shifted left.
static Value lanesFrom(Operation *op, SimBuilder &b, int64_t start) {
  Location loc = op->getLoc();
  return LLVM::ShlOp::create(b.rewriter, loc, b.constantI32(loc, start), lane(op, b));
}

static Value complement(Operation *op, SimBuilder &b, Value mask) {
  Location loc = op->getLoc();
  return LLVM::XOrOp::create(b.rewriter, loc, mask, b.constantI32(loc, -1));
}

/// The value of a special register; null for another operation.
static Value readRegister(Operation *op, SimBuilder &b) {
  constexpr llvm::StringLiteral tid = "tilec_sim_tid", ctaid = "tilec_sim_ctaid",
                                ntid = "tilec_sim_ntid", nctaid = "tilec_sim_nctaid",
                                inCluster = "tilec_sim_cluster_ctaid",
                                clusterSize = "tilec_sim_cluster_nctaid",
                                clusterId = "tilec_sim_clusterid",
                                clusters = "tilec_sim_nclusterid";
  auto at = [&](StringRef function, int axis) {
    return [&b, function, axis](Operation *reg) { return coordinate(reg, b, function, axis); };
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<NVVM::ThreadIdXOp>(at(tid, 0))
      .Case<NVVM::ThreadIdYOp>(at(tid, 1))
      .Case<NVVM::ThreadIdZOp>(at(tid, 2))
      .Case<NVVM::BlockDimXOp>(at(ntid, 0))
      .Case<NVVM::BlockDimYOp>(at(ntid, 1))
      .Case<NVVM::BlockDimZOp>(at(ntid, 2))
      .Case<NVVM::BlockIdXOp>(at(ctaid, 0))
      .Case<NVVM::BlockIdYOp>(at(ctaid, 1))
      .Case<NVVM::BlockIdZOp>(at(ctaid, 2))
      .Case<NVVM::GridDimXOp>(at(nctaid, 0))
      .Case<NVVM::GridDimYOp>(at(nctaid, 1))
      .Case<NVVM::GridDimZOp>(at(nctaid, 2))
      .Case<NVVM::ClusterIdXOp>(at(clusterId, 0))
      .Case<NVVM::ClusterIdYOp>(at(clusterId, 1))
      .Case<NVVM::ClusterIdZOp>(at(clusterId, 2))
      .Case<NVVM::ClusterDimXOp>(at(clusters, 0))
      .Case<NVVM::ClusterDimYOp>(at(clusters, 1))
      .Case<NVVM::ClusterDimZOp>(at(clusters, 2))
      .Case<NVVM::BlockInClusterIdXOp>(at(inCluster, 0))
      .Case<NVVM::BlockInClusterIdYOp>(at(inCluster, 1))
      .Case<NVVM::BlockInClusterIdZOp>(at(inCluster, 2))
      .Case<NVVM::ClusterDimBlocksXOp>(at(clusterSize, 0))
      .Case<NVVM::ClusterDimBlocksYOp>(at(clusterSize, 1))
      .Case<NVVM::ClusterDimBlocksZOp>(at(clusterSize, 2))
      .Case([&](NVVM::ClusterId) { return b.call(op->getLoc(), "tilec_sim_cluster_ctarank", {}); })
      .Case(
          [&](NVVM::ClusterDim) { return b.call(op->getLoc(), "tilec_sim_cluster_nctarank", {}); })
      .Case([&](NVVM::LaneIdOp) { return lane(op, b); })
      .Case([&](NVVM::WarpIdOp) { return b.call(op->getLoc(), "tilec_sim_warpid", {}); })
      .Case<NVVM::ClockOp, NVVM::Clock64Op>([&](Operation *clock) -> Value {
        Value ticks = b.call(clock->getLoc(), "tilec_sim_clock", {});
        return clock->getResult(0).getType() == b.i64()
                   ? ticks
                   : LLVM::TruncOp::create(b.rewriter, clock->getLoc(), b.i32(), ticks);
      })
      .Case([&](NVVM::SmIdOp) { return b.constantI32(op->getLoc(), 0); })
      .Case([&](NVVM::GlobalTimerOp) -> Value {
        return LLVM::CallIntrinsicOp::create(b.rewriter, op->getLoc(), b.i64(),
                                             b.rewriter.getStringAttr("llvm.readcyclecounter"),
                                             ValueRange())
            .getResults();
      })
      .Case([&](NVVM::WarpSizeOp) { return b.constantI32(op->getLoc(), warpSize); })
      .Case([&](NVVM::WarpDimOp) { return warpCount(op, b); })
      .Case([&](NVVM::LaneMaskEqOp) { return lanesFrom(op, b, 1); })
      .Case([&](NVVM::LaneMaskGeOp) { return lanesFrom(op, b, -1); })
      .Case([&](NVVM::LaneMaskLtOp) { return complement(op, b, lanesFrom(op, b, -1)); })
      .Case([&](NVVM::LaneMaskGtOp) { return lanesFrom(op, b, -2); })
      .Case([&](NVVM::LaneMaskLeOp) { return complement(op, b, lanesFrom(op, b, -2)); })
      .Default([](Operation *) { return Value(); });
}

/// What LLVM knows of these registers of a GPU is said of the calls, too: addresses are simplified
/// by it.
static void limitPosition(Value value, SimBuilder &b) {
  auto call = value.getDefiningOp<LLVM::CallOp>();
  constexpr int64_t mostThreads = 1024;
  int64_t end = !call ? 0
                      : llvm::StringSwitch<int64_t>(call.getCallee().value_or(""))
                            .Case("tilec_sim_tid", mostThreads)
                            .Case("tilec_sim_warpid", mostThreads / warpSize)
                            .Case("tilec_sim_laneid", warpSize)
                            .Case("tilec_sim_ctaid", INT32_MAX)
                            .Default(0);
  if (end == 0)
    return;
  auto range = LLVM::ConstantRangeAttr::get(b.rewriter.getContext(), llvm::APInt(32, 0),
                                            llvm::APInt(32, uint64_t(end)));
  NamedAttribute attribute = b.rewriter.getNamedAttr(LLVM::LLVMDialect::getRangeAttrName(), range);
  call.setResAttrsAttr(b.rewriter.getArrayAttr(b.rewriter.getDictionaryAttr(attribute)));
}

Lowered tilec::lowerPosition(Operation *op, SimBuilder &b) {
  Value value = readRegister(op, b);
  if (!value)
    return Lowered::No;
  limitPosition(value, b);
  b.rewriter.replaceOp(op, value);
  return Lowered::Yes;
}

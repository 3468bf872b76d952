// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps with roles: a branch on the number of the warp. Barriers of the CTA among the computing
// warps become named barriers, at which the others do not count.

#include "ThreadPattern.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilec/Analysis/RolePlan.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Number 0 is the barrier of all; groups of computing warps have the numbers from this one on.
static constexpr int kComputeBarrier = 1;

static void limitBarriers(WarpRolesOp roles, Value group) {
  roles.getCompute().walk([&](NVVM::Barrier0Op barrier) {
    OpBuilder builder(barrier);
    auto limited = NamedBarrierOp::create(builder, barrier.getLoc(), kComputeBarrier,
                                          32 * numWarpsOf(roles), group, /*arrive=*/false);
    limited->setDiscardableAttrs(barrier->getDiscardableAttrDictionary());
    barrier.erase();
  });
}

namespace {
struct ComputeGroup : ThreadPattern<ComputeGroupOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ComputeGroupOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, lowering.position.group(op));
    return success();
  }
};

/// Barriers of both groups have the number of the one that waits.
struct TurnWait : ThreadPattern<TurnWaitOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(TurnWaitOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NamedBarrierOp>(op, kTurnBarrier, 32 * computingWarpsOf(op),
                                                adaptor.getGroup(), /*arrive=*/false);
    return success();
  }
};

struct TurnPass : ThreadPattern<TurnPassOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(TurnPassOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value other =
        arith::XOrIOp::create(rewriter, loc, adaptor.getGroup(), constantI32(rewriter, loc, 1));
    scf::IfOp::create(rewriter, loc, adaptor.getPredicate(), [&](OpBuilder &builder, Location) {
      NamedBarrierOp::create(builder, loc, kTurnBarrier, 32 * computingWarpsOf(op), other,
                             /*arrive=*/true);
      scf::YieldOp::create(builder, loc);
    });
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tilec::populateRolePatterns(RewritePatternSet &patterns, const ThreadLowering &lowering) {
  patterns.add<ComputeGroup, TurnWait, TurnPass>(lowering, patterns.getContext());
}

static void setRegisters(OpBuilder &builder, Location loc, int count,
                         NVVM::SetMaxRegisterAction action) {
  NVVM::SetMaxRegisterOp::create(builder, loc, builder.getI32IntegerAttr(count),
                                 NVVM::SetMaxRegisterActionAttr::get(builder.getContext(), action));
}

void tilec::lowerWarpRoles(ModuleOp module, const ThreadPosition &position) {
  module.walk([&](WarpRolesOp roles) {
    limitBarriers(roles, position.group(roles));
    OpBuilder builder(roles);
    Location loc = roles.getLoc();
    Value warp = sameInWarp(builder, loc, position.warp(roles));
    Value loads = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, warp,
                                        constantI32(builder, loc, computingWarpsOf(roles)));
    auto branch = scf::IfOp::create(builder, loc, loads, /*withElseRegion=*/true);
    auto move = [](Region &from, Block *to) {
      to->getOperations().splice(to->begin(), from.front().getOperations());
    };
    move(roles.getCompute(), branch.elseBlock());
    builder.setInsertionPointToStart(branch.thenBlock());
    if (std::optional<RoleRegisters> registers = roleRegistersOf(roles)) {
      setRegisters(builder, loc, registers->load, NVVM::SetMaxRegisterAction::decrease);
      // The others of the group are there for their registers.
      Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, warp,
                                            constantI32(builder, loc, computingWarpsOf(roles)));
      move(roles.getLoad(), scf::IfOp::create(builder, loc, isFirst, false).thenBlock());
      builder.setInsertionPointToStart(branch.elseBlock());
      setRegisters(builder, loc, registers->compute, NVVM::SetMaxRegisterAction::increase);
    } else {
      move(roles.getLoad(), branch.thenBlock());
    }
    roles.erase();
  });
}

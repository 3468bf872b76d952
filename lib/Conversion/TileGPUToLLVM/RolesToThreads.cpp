// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps with roles: a branch on the number of the warp. Barriers of the CTA among the computing
// warps become named barriers, at which the others do not count.

#include "Patterns.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilec/Analysis/RolePlan.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Number 0 is the barrier of all.
static constexpr int kComputeBarrier = 1;

static void limitBarriers(WarpRolesOp roles) {
  roles.getCompute().walk([&](NVVM::Barrier0Op barrier) {
    OpBuilder builder(barrier);
    auto limited = NamedBarrierOp::create(builder, barrier.getLoc(), kComputeBarrier,
                                          32 * numWarpsOf(roles), Value());
    limited->setDiscardableAttrs(barrier->getDiscardableAttrDictionary());
    barrier.erase();
  });
}

static void setRegisters(OpBuilder &builder, Location loc, int count,
                         NVVM::SetMaxRegisterAction action) {
  NVVM::SetMaxRegisterOp::create(builder, loc, builder.getI32IntegerAttr(count),
                                 NVVM::SetMaxRegisterActionAttr::get(builder.getContext(), action));
}

void tilec::lowerWarpRoles(ModuleOp module, const ThreadPosition &position) {
  module.walk([&](WarpRolesOp roles) {
    limitBarriers(roles);
    OpBuilder builder(roles);
    Location loc = roles.getLoc();
    // From one lane, so that the branch is seen to be the same in all of a warp.
    Value warp =
        NVVM::ShflOp::create(builder, loc, builder.getI32Type(), constantI32(builder, loc, -1),
                             position.warp(roles), constantI32(builder, loc, 0),
                             constantI32(builder, loc, 31), NVVM::ShflKind::idx, UnitAttr());
    Value loads = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, warp,
                                        constantI32(builder, loc, numWarpsOf(roles)));
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
                                            constantI32(builder, loc, numWarpsOf(roles)));
      move(roles.getLoad(), scf::IfOp::create(builder, loc, isFirst, false).thenBlock());
      builder.setInsertionPointToStart(branch.elseBlock());
      setRegisters(builder, loc, registers->compute, NVVM::SetMaxRegisterAction::increase);
    } else {
      move(roles.getLoad(), branch.thenBlock());
    }
    roles.erase();
  });
}

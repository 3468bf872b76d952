//===- The tilegpu dialect: tensors with layouts ---------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILEGPU_TILEGPUDIALECT_TD
#define TILEC_DIALECTS_TILEGPU_TILEGPUDIALECT_TD

include "mlir/IR/OpBase.td"

def TileGPU_Dialect : Dialect {
  let name = "tilegpu";
  let cppNamespace = "::tilec::tilegpu";
  let summary = "Tile programs on a GPU: layouts, shared memory, and the thread-level operations";
  let description = [{
    The tile dialect's operations go on working here; what is new is the encoding of every tensor type, a
    `#tilegpu.linear` layout that says which thread holds which elements in which register. This dialect adds what
    needs a layout: conversions between layouts, shared-memory buffers, reductions that stop at the warp.

    A second, small group are the *thread-level* operations: machine accesses on LLVM types that the NVVM dialect
    does not have (predicated vector accesses with cache hints). They appear after the conversion to LLVM and are
    turned into PTX, or into calls of the simulator, at the very end.

    Module attributes: `tilegpu.num_warps` (i32), `tilegpu.load_warps` (i32) when some warps only load,
    `tilegpu.compute_groups` (i32) when that many groups of `num_warps` take tiles in turn, `tilegpu.num_ctas` (i32) when
    that many programs form a cluster, and, after allocation, `tilegpu.shared_bytes` (i32); `tilegpu.min_ctas` (i32) when a
    pass asks for a register budget; `tilegpu.spills` when a thread's tensors take several times the registers that it has.
    Function attributes: `tilegpu.few_registers` when a thread's code is to be ordered for few live registers,
    `tilegpu.gains_from_turns` when it would pay that CTAs run several programs, `tilegpu.ping_pong` when a second
    warpgroup is to take tiles in turn.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::tilec::tile::TileDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
  let extraClassDeclaration = [{
    /// Module attribute: warps per CTA.
    static constexpr ::llvm::StringLiteral kNumWarpsAttr = "tilegpu.num_warps";
    /// Module attribute: warps of a CTA that only load, beside those that `num_warps` counts.
    static constexpr ::llvm::StringLiteral kLoadWarpsAttr = "tilegpu.load_warps";
    /// Module attribute: groups of `num_warps` warps that take a loop's tiles in turn (ping-pong).
    static constexpr ::llvm::StringLiteral kComputeGroupsAttr = "tilegpu.compute_groups";
    /// Module attribute: bytes of shared memory that each of these groups has of its own.
    static constexpr ::llvm::StringLiteral kGroupBytesAttr = "tilegpu.group_bytes";
    /// Function attribute: two groups are to take its tiles in turn, if they can.
    static constexpr ::llvm::StringLiteral kPingPongAttr = "tilegpu.ping_pong";
    /// Module attribute: programs of a cluster, neighbours along x.
    static constexpr ::llvm::StringLiteral kNumCtasAttr = "tilegpu.num_ctas";
    /// Module attribute: CTAs that a multiprocessor should be able to hold, a budget for registers.
    static constexpr ::llvm::StringLiteral kMinCtasAttr = "tilegpu.min_ctas";
    /// Module attribute: `min_ctas` is a plan of tilegpu-plan-registers.
    static constexpr ::llvm::StringLiteral kPlannedOccupancyAttr = "tilegpu.planned_occupancy";
    /// Module attribute: a thread's tensors take several times the registers that it has.
    static constexpr ::llvm::StringLiteral kSpillsAttr = "tilegpu.spills";
    /// Function attribute: persistent, the kernel would store a tile while it loads the next one.
    static constexpr ::llvm::StringLiteral kGainsFromTurnsAttr = "tilegpu.gains_from_turns";
    /// Attribute of NVVM's cp.async: its tile::EvictionPolicy.
    static constexpr ::llvm::StringLiteral kEvictAttr = "tilegpu.evict";
    /// Attribute of NVVM's cp.async: the second-level cache brings whole lines.
    static constexpr ::llvm::StringLiteral kWholeLinesAttr = "tilegpu.whole_lines";
    /// Function attribute: two programs of a cluster are to copy for each other, if they can.
    static constexpr ::llvm::StringLiteral kPairedAttr = "tilegpu.paired";
    /// Module attribute: bytes of shared memory that a CTA needs.
    static constexpr ::llvm::StringLiteral kSharedBytesAttr = "tilegpu.shared_bytes";
    /// Function attribute: a thread's code is to be ordered so that few registers are live.
    static constexpr ::llvm::StringLiteral kFewRegistersAttr = "tilegpu.few_registers";
    /// Attribute of `ld_shared` and `st_shared`: the slot (its offset) that no other thread accesses.
    static constexpr ::llvm::StringLiteral kSlotAttr = "tilegpu.slot";
    /// Attribute of `local_load`: each thread reads what it has written itself, and no barrier is on the way.
    static constexpr ::llvm::StringLiteral kOwnPartAttr = "tilegpu.own_part";
  }];
}

#endif // TILEC_DIALECTS_TILEGPU_TILEGPUDIALECT_TD

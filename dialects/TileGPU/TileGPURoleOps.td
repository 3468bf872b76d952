//===- Warps with roles: those that compute and those that load ---------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILEGPU_TILEGPUROLEOPS_TD
#define TILEC_DIALECTS_TILEGPU_TILEGPUROLEOPS_TD

include "dialects/TileGPU/TileGPUTensorCopyOps.td"

// A ring that one role fills and another one reads has two rings of barrier objects: `full`, which the tensor copies
// complete, and `empty`, at which every computing warp arrives when it is done with a slot. A ring starts out empty:
// the first wait for a slot, for the parity that is not the first phase's, passes at once.

def TileGPU_SlotAcquireOp : TileGPU_Op<"slot_acquire", [MemoryEffects<[MemWrite]>]> {
  let summary = "waits until a slot of a ring may be filled again";
  let description = [{
    Waits for the phase with parity `parity` of `empty[slot]`: all computing warps have released the slot. The copies that
    complete `full[slot]` may be started then. `elected`: among computing warps, where the thread that starts the copies
    waits alone, if `predicate` holds.

    Example: `tilegpu.slot_acquire %empty[%slot], %parity for %full : !tilegpu.memdesc<[1], i64, #l, buffers = 3>`
  }];
  let arguments = (ins Arg<TileGPU_MemDescType, "barrier objects", [MemRead]>:$empty, I32:$slot, I32:$parity,
    Arg<TileGPU_MemDescType, "barrier objects", [MemRead]>:$full, UnitAttr:$elected, Optional<I1>:$predicate);
  let assemblyFormat = "$empty `[` $slot `]` `,` $parity `for` $full (`elected` $elected^)? (`if` $predicate^)? attr-dict `:` type($empty) `,` type($full)";
}

def TileGPU_SlotReleaseOp : TileGPU_Op<"slot_release", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "lets a slot of a ring be filled again";
  let description = [{
    One lane of each warp arrives at `empty[slot]`, if `predicate` holds. What the warp has read from the slot lies before:
    for dots a `wgmma_wait` that retires them, for other reads a proxy fence and a barrier of the warp.

    In a cluster (`tilegpu.num_ctas`) a lane arrives at the object of each of its CTAs, all of which fill the slot: of the one
    that it stands for (`tilegpu.lane_cta`), or where that has ended its loop, `without`, at this CTA's own.

    `slot_release_c1`: `without` only in a cluster.

    Example: `tilegpu.slot_release %empty[%slot] if %p : !tilegpu.memdesc<[1], i64, #l, buffers = 3>`
  }];
  let arguments = (ins Arg<TileGPU_MemDescType, "barrier objects", [MemRead]>:$empty, I32:$slot, Optional<I1>:$predicate,
    Optional<I1>:$without);
  let hasVerifier = 1;
  let assemblyFormat = "$empty `[` $slot `]` (`if` $predicate^)? (`without` $without^)? attr-dict `:` type($empty)";
}

def TileGPU_WarpRolesOp : TileGPU_Op<"warp_roles", [RecursiveMemoryEffects, NoRegionArguments, NoTerminator, SingleBlock]> {
  let summary = "what the computing warps do, and what the loading ones do at the same time";
  let description = [{
    The first `tilegpu.num_warps` warps of a CTA run `compute`, the `tilegpu.load_warps` behind them `load`. Shared memory
    is handed from one to the other by `slot_acquire`, `tma_load`, `mbarrier_wait` and `slot_release` alone. A barrier of the
    CTA inside `compute` is one of the computing warps; `load` has none.

    With `tilegpu.compute_groups` of n, n groups of `num_warps` run `compute`, each for itself (`compute_group`): its
    buffers are there n times, a barrier of the CTA is one of a group, and so is thread 0.

    `warp_roles_c1`: at the top level of a function. `warp_roles_c2`: no tensors and no barriers in `load`.

    Example:
    ```mlir
    tilegpu.warp_roles load {
      tilegpu.slot_acquire %empty[%slot], %parity for %full : !m, !m
      tilegpu.tma_load %map[%i, %j], %buf, %full[%slot] : !d, !b, !m
    } compute {
      tilegpu.mbarrier_wait %full[%slot], %parity : !m
      tilegpu.slot_release %empty[%slot] : !m
    }
    ```
  }];
  // The loads come first: in program order a ring is in use from the first copy to the last access by computing warps.
  let regions = (region SizedRegion<1>:$load, SizedRegion<1>:$compute);
  let assemblyFormat = "attr-dict-with-keyword `load` $load `compute` $compute";
  let hasVerifier = 1;
}

def TileGPU_ComputeGroupOp : TileGPU_Op<"compute_group", [Pure]> {
  let summary = "which of the groups of computing warps this one is";
  let description = [{
    From 0 to `tilegpu.compute_groups` - 1, the same in all of a warp. In the role that computes.
    Example: `%g = tilegpu.compute_group`
  }];
  let results = (outs I32:$number);
  let assemblyFormat = "attr-dict";
}

// Of two groups of computing warps one multiplies while the other one stores its tile. A turn is handed over by a barrier
// of both, to which one comes and at which the other one waits: a wait for a ring's phase can't tell it from the one two
// rounds later, so nobody may wait for what is filled behind the other one's slots before all but the last are there.

def TileGPU_TurnWaitOp : TileGPU_Op<"turn_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until the other group of computing warps hands its turn over";
  let description = [{ Example: `tilegpu.turn_wait of %group` }];
  let arguments = (ins I32:$group);
  let assemblyFormat = "`of` $group attr-dict";
}

def TileGPU_TurnPassOp : TileGPU_Op<"turn_pass", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "hands the turn over to the other group of computing warps";
  let description = [{ If `predicate` holds. Nobody is waited for. Example: `tilegpu.turn_pass of %group if %more` }];
  let arguments = (ins I32:$group, I1:$predicate);
  let assemblyFormat = "`of` $group `if` $predicate attr-dict";
}

def TileGPU_WarpgroupBarrierOp : TileGPU_Op<"warpgroup_barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "barrier of the four warps of each computing warpgroup";
  let description = [{ Others are not waited for. Example: `tilegpu.warpgroup_barrier` }];
  let assemblyFormat = "attr-dict";
}

// At the level of threads. The dialect NVVM has the same, whose text cannot be parsed with a location behind it.
def TileGPU_NamedBarrierOp : TileGPU_Op<"named_barrier", [MemoryEffects<[MemWrite]>]> {
  let summary = "barrier of some warps of a CTA (barrier.sync with a name and a number of threads)";
  let description = [{
    Name 0 is the barrier of the whole CTA. A `group` is added to the name. `arrive`: the threads come and do not wait
    (barrier.arrive).
    Example: `tilegpu.named_barrier 1 threads = 256`, `tilegpu.named_barrier 2 + %warpgroup threads = 128`
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<1>, IntMaxValue<15>]>:$name,
    ConfinedAttr<I32Attr, [IntPositive]>:$threads, Optional<I32>:$group, UnitAttr:$arrive);
  let assemblyFormat = "$name (`+` $group^)? `threads` `=` $threads (`arrive` $arrive^)? attr-dict";
}

#endif // TILEC_DIALECTS_TILEGPU_TILEGPUROLEOPS_TD

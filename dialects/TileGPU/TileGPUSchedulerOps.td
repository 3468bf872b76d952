//===- Programs that a persistent CTA takes from a counter -------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILEGPU_TILEGPUSCHEDULEROPS_TD
#define TILEC_DIALECTS_TILEGPU_TILEGPUSCHEDULEROPS_TD

include "dialects/TileGPU/TileGPURoleOps.td"
include "dialects/TileGPU/TileGPUThreadOps.td"

// A CTA begins with the program of its own number and takes the next one from a counter of the launch. The load warp takes
// it one turn ahead and tells the computing warps through a ring of numbers in shared memory, with `full` and `empty` barrier
// objects as any other ring. Nothing but these operations may touch the numbers: they order their own accesses.

def TileGPU_TurnProgramOp : TileGPU_Op<"turn_program", [Pure]> {
  let summary = "number of the program that a CTA runs in a turn of its loop, where CTAs take programs from a counter";
  let description = [{
    In the first turn that is `first`, in others what `next_program` has said in the turn before. `turn` is the counter of
    the loop over turns that the operation is in.

    Example: `%tile = tilegpu.turn_program %turn first %cta`
  }];
  let arguments = (ins I32:$turn, I32:$first);
  let results = (outs I32:$program);
  let assemblyFormat = "$turn `first` $first attr-dict";
}

def TileGPU_NextProgramOp : TileGPU_Op<"next_program", [MemoryEffects<[MemWrite]>]> {
  let summary = "says which program a CTA runs in the next turn of its loop";
  let description = [{
    The loop around it ends where `program` is not below `all`, whatever its bounds are: how many turns a CTA has is not known
    before. Its counter goes on as they say.

    `next_program_c1`: directly inside a loop over turns (`scf.for`).

    Example: `tilegpu.next_program %next of %all`
  }];
  let arguments = (ins I32:$program, I32:$all);
  let assemblyFormat = "$program `of` $all attr-dict";
  let hasVerifier = 1;
}

def TileGPU_TakeProgramOp : TileGPU_Op<"take_program", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "takes the next number from a launch's counter";
  let description = [{
    The first lane of the warp that loads adds one to the counter in global memory. Only it knows the result, which is what
    the counter was: how many numbers of the launch have been taken before.

    Example: `%ticket = tilegpu.take_program %counter : !llvm.ptr<1>`
  }];
  let arguments = (ins TileGPU_GlobalPtr:$counter);
  let results = (outs I32:$ticket);
  let assemblyFormat = "$counter attr-dict `:` qualified(type($counter))";
}

def TileGPU_SendProgramOp : TileGPU_Op<"send_program", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "tells the computing warps which program comes next";
  let description = [{
    The number is `ticket` + `first`, those of the programs that CTAs begin with left out. One lane writes it to `buffer` and
    arrives at `barriers[slot]`; all lanes know the result. The last of a launch's `all` tickets sets its counter to zero again,
    for the next launch.

    Example: `%next = tilegpu.send_program %ticket of %all behind %ctas to %buffer, %full[%slot] at %counter : !b, !m, !llvm.ptr<1>`
  }];
  let arguments = (ins I32:$ticket, I32:$all, I32:$first, Arg<TileGPU_MemDescType, "one number", [MemRead]>:$buffer,
    Arg<TileGPU_MemDescType, "barrier objects", [MemRead]>:$barriers, I32:$slot, TileGPU_GlobalPtr:$counter);
  let results = (outs I32:$program);
  let assemblyFormat = [{
    $ticket `of` $all `behind` $first `to` $buffer `,` $barriers `[` $slot `]` `at` $counter attr-dict `:` type($buffer) `,`
    type($barriers) `,` qualified(type($counter))
  }];
}

def TileGPU_ReceiveProgramOp : TileGPU_Op<"receive_program", [MemoryEffects<[MemWrite]>]> {
  let summary = "what send_program has told";
  let description = [{
    Behind an `mbarrier_wait` for the phase, in front of the slot's `slot_release`. All lanes of a warp have read the number when
    one of them is behind.

    Example: `%next = tilegpu.receive_program %buffer : !tilegpu.memdesc<[1], i32, #l>`
  }];
  let arguments = (ins Arg<TileGPU_MemDescType, "one number", [MemRead]>:$buffer);
  let results = (outs I32:$program);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
}

#endif // TILEC_DIALECTS_TILEGPU_TILEGPUSCHEDULEROPS_TD

//===- Marks of the timeline inside a kernel ------------------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILEGPU_TILEGPUTIMELINEOPS_TD
#define TILEC_DIALECTS_TILEGPU_TILEGPUTIMELINEOPS_TD

include "dialects/TileGPU/TileGPULayoutOps.td"
include "mlir/Dialect/LLVMIR/LLVMTypes.td"

// The log of a thread is a local variable, which a later step keeps in registers. The buffer is laid out as
// `tilecrt/TimelineBuffer.h` says.

def TileGPU_TimelineOpenOp : TileGPU_Op<"timeline_open", [MemoryEffects<[MemWrite]>]> {
  let summary = "begins the log of a thread";
  let description = [{
    The first lane of each warp of the CTAs number `first_cta` to `last_cta`, x counting fastest, writes up to `capacity`
    marks to its part of the buffer, and in front of them its multiprocessor, clock and time. Other threads write nothing.

    `timeline_open_c1`: the first CTA is not behind the last.

    Example: `%log = tilegpu.timeline_open %buffer ctas = 0 to 3 capacity = 4096 : <i64> -> !llvm.ptr`
  }];
  let arguments = (ins Tile_PtrType:$buffer, ConfinedAttr<I32Attr, [IntNonNegative]>:$first_cta,
    ConfinedAttr<I32Attr, [IntNonNegative]>:$last_cta, ConfinedAttr<I32Attr, [IntPositive]>:$capacity);
  let results = (outs LLVM_AnyPointer:$log);
  let assemblyFormat = [{
    $buffer `ctas` `=` $first_cta `to` $last_cta `capacity` `=` $capacity attr-dict `:` type($buffer) `->` type($log)
  }];
  let hasVerifier = 1;
}

def TileGPU_TimelineMarkOp : TileGPU_Op<"timeline_mark", [MemoryEffects<[MemWrite]>]> {
  let summary = "notes that a span begins or ends, and when";
  let description = [{
    Spans of a thread are nested. `kind` is one of the names that docs/timeline.md lists. `groups` are those that a dot
    commits, or those that a wait for dots leaves in flight.

    Example: `tilegpu.timeline_mark %log begin 3 "copy-wait" : !llvm.ptr`, `tilegpu.timeline_mark %log end 3 "copy-wait" : !llvm.ptr`
  }];
  let arguments = (ins LLVM_AnyPointer:$log, UnitAttr:$end, ConfinedAttr<I32Attr, [IntNonNegative]>:$event, StrAttr:$kind,
    OptionalAttr<I32Attr>:$groups);
  let assemblyFormat = "$log (`end` $end^):(`begin`)? $event $kind (`groups` `=` $groups^)? attr-dict `:` type($log)";
}

def TileGPU_TimelineCloseOp : TileGPU_Op<"timeline_close", [MemoryEffects<[MemWrite]>]> {
  let summary = "ends the log of a thread";
  let description = [{
    Writes how many marks there were, with those that found no room, and clock and time.

    Example: `tilegpu.timeline_close %log : !llvm.ptr`
  }];
  let arguments = (ins LLVM_AnyPointer:$log);
  let assemblyFormat = "$log attr-dict `:` type($log)";
}

#endif // TILEC_DIALECTS_TILEGPU_TILEGPUTIMELINEOPS_TD

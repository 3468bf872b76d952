//===- What keeps a thread's registers few ---------------------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILEGPU_TILEGPUREGISTEROPS_TD
#define TILEC_DIALECTS_TILEGPU_TILEGPUREGISTEROPS_TD

include "dialects/TileGPU/TileGPULayoutOps.td"

// Freshness of values is modelled as a resource of its own, so that a copy is neither merged with another one nor
// taken for an access of memory.
def TileGPU_Freshness : Resource<"::tilec::tilegpu::FreshnessResource">;

def TileGPU_ParkOp : TileGPU_Op<"park"> {
  let summary = "spills some of a thread's registers to slots of its own in shared memory";
  let description = [{
    A thread's registers of `value`, in register order, are cut into vectors of 16 bytes; each of `slots` takes one of
    them, beginning with the first. A slot has 16 bytes for every thread of the CTA, in the order of the threads. No
    thread reads what another one has written, so no barrier is needed.

    `park_c1`: a slot is a buffer of 32-bit integers, four for each thread of the CTA.
    `park_c2`: a thread has at least as many vectors of `value` as there are slots, and no replicas among its registers.

    Example: `tilegpu.park %x into %s0, %s1 : tensor<4096xf32, #a>, !tilegpu.memdesc<[512], i32, #s>`
  }];
  let arguments = (ins Tile_Tensor:$value, Arg<Variadic<TileGPU_MemDescType>, "slots", [MemWrite]>:$slots);
  let assemblyFormat = "$value `into` $slots attr-dict `:` type($value) `,` type($slots)";
  let hasVerifier = 1;
}

def TileGPU_UnparkOp : TileGPU_Op<"unpark", [AllTypesMatch<["value", "result"]>]> {
  let summary = "the same tensor, with the spilled registers reloaded";
  let description = [{
    The first registers of `result` come from `slots`, as `tilegpu.park` has written them; the others are those of
    `value`. What was parked needs no register from the one to the other.

    `unpark_c1`, `unpark_c2` as for `tilegpu.park`.

    Example: `%y = tilegpu.unpark %x from %s0, %s1 : tensor<4096xf32, #a>, !tilegpu.memdesc<[512], i32, #s>`
  }];
  let arguments = (ins Tile_Tensor:$value, Arg<Variadic<TileGPU_MemDescType>, "slots", [MemRead]>:$slots);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$value `from` $slots attr-dict `:` type($value) `,` type($slots)";
  let hasVerifier = 1;
}

def TileGPU_RefreshOp : TileGPU_Op<"refresh", [AllTypesMatch<["value", "result"]>,
    MemoryEffects<[MemWrite<TileGPU_Freshness>]>]> {
  let summary = "rematerialisation: the same tensor, as a value that no later step merges with the first";
  let description = [{
    What is computed from `result` is computed again, although the same was computed from `value` before: that costs
    less than keeping it in registers.

    `refresh_c1`: elements of 8, 16 or 32 bits.

    Example: `%y = tilegpu.refresh %x : tensor<4096xbf16, #a>`
  }];
  let arguments = (ins Tile_Tensor:$value);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def TileGPU_OpaqueZeroOp : TileGPU_Op<"opaque_zero", [MemoryEffects<[MemWrite<TileGPU_Freshness>]>]> {
  let summary = "a zero that no optimiser can fold";
  let description = [{ Example: `%0 = tilegpu.opaque_zero : i32` }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TileGPU_WallOp : TileGPU_Op<"wall", [MemoryEffects<[MemWrite<TileGPU_Freshness>]>]> {
  let summary = "scheduling barrier for the assembler: loads behind stay behind, values in front stay in front";
  let description = [{
    Does nothing. The assembler likes to move loads up, and arithmetic on them down, to where registers are short; it
    does not move them over a branch, and takes this for one that depends on `values`.

    Example: `tilegpu.wall %v, %w : f32, f32`
  }];
  let arguments = (ins Variadic<AnyTypeOf<[I32, F32]>>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

#endif // TILEC_DIALECTS_TILEGPU_TILEGPUREGISTEROPS_TD

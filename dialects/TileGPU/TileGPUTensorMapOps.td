//===- Tensor maps that a kernel encodes itself ---------------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILEGPU_TILEGPUTENSORMAPOPS_TD
#define TILEC_DIALECTS_TILEGPU_TILEGPUTENSORMAPOPS_TD

include "dialects/TileGPU/TileGPUThreadOps.td"

// The copy engine reads a map from global memory. The module has memory for the maps of all CTAs that can run at once, and a
// CTA claims a part of it while it runs. A map is encoded in shared memory and copied there (PTX ISA, tensormap.replace and
// tensormap.cp_fenceproxy).

def TileGPU_TensorMapsOpenOp : TileGPU_Op<"tensor_maps_open", [MemoryEffects<[MemWrite]>]> {
  let summary = "memory for the tensor maps that this CTA encodes";
  let description = [{
    Room for `count` maps, until the `tensor_maps_close` at the kernel's end. `scratch` has 128 bytes for each, which
    nothing else may use: the barriers of these operations order its accesses.

    Example: `%maps = tilegpu.tensor_maps_open %scratch count = 3 : <[96], i32, #s> -> <1>`
  }];
  let arguments = (ins TileGPU_MemDescType:$scratch, ConfinedAttr<I32Attr, [IntPositive]>:$count);
  let results = (outs TileGPU_GlobalPtr:$maps);
  let assemblyFormat = "$scratch `count` `=` $count attr-dict `:` type($scratch) `->` type($maps)";
}

def TileGPU_EncodeTensorMapOp : TileGPU_Op<"encode_tensor_map", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "encodes a tensor map as number `slot` of the CTA's";
  let description = [{
    As `tile.make_tensor_descriptor`, with base, sizes and strides that only the program knows. A tensor without elements is
    one of which blocks are zero and to which nothing is stored.

    A run of such operations, with nothing between them but computations, is for the slots `first` to `slot`. All threads
    meet in front of the first one, when copies by what the slots held before have been waited for. Each warp encodes other
    ones. All threads meet behind the last one, `last`, and acquire all maps of the run.

    `encode_tensor_map_c1`: there is one size per dimension of the block, and one stride per dimension but the last.
    `encode_tensor_map_c2`: `first` is not behind `slot`.

    Example:
    ```mlir
    %map = tilegpu.encode_tensor_map %maps[0] first = 0 last, %scratch, %base, shape[%m, %n], strides[%s]
      : <1>, <[96], i32, #s>, <f16> -> <[64, 32], f16>
    ```
  }];
  let arguments = (ins TileGPU_GlobalPtr:$maps, ConfinedAttr<I32Attr, [IntNonNegative]>:$slot,
    ConfinedAttr<I32Attr, [IntNonNegative]>:$first, UnitAttr:$last, TileGPU_MemDescType:$scratch, Tile_PtrType:$base, Variadic<I32>:$shape,
    Variadic<I64>:$strides);
  let results = (outs Tile_DescType:$map);
  let assemblyFormat = [{
    $maps `[` $slot `]` `first` `=` $first (`last` $last^)? `,` $scratch `,` $base `,` `shape` `[` $shape `]` `,` `strides` `[` $strides `]` attr-dict `:`
    type($maps) `,` type($scratch) `,` type($base) `->` type($map)
  }];
  let hasVerifier = 1;
}

def TileGPU_TensorMapsCloseOp : TileGPU_Op<"tensor_maps_close", [MemoryEffects<[MemWrite]>]> {
  let summary = "gives the memory of a `tensor_maps_open` back";
  let description = [{
    At the end of a kernel, behind all its copies.

    Example: `tilegpu.tensor_maps_close %maps count = 3 : <1>`
  }];
  let arguments = (ins TileGPU_GlobalPtr:$maps, ConfinedAttr<I32Attr, [IntPositive]>:$count);
  let assemblyFormat = "$maps `count` `=` $count attr-dict `:` type($maps)";
}

// At the level of threads.

def TileGPU_ThreadClaimMapsOp : TileGPU_Op<"thread_claim_maps", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "claims memory for the maps of a CTA";
  let description = [{
    One thread of a CTA does. Of each multiprocessor's memory for the maps of `ctas` CTAs one part is claimed by an atomic
    that sets its bit. The result is the number of the part.

    Example: `%number = tilegpu.thread_claim_maps ctas = 8`
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntPositive, IntMaxValue<32>]>:$ctas);
  let results = (outs I32:$number);
  let assemblyFormat = "`ctas` `=` $ctas attr-dict";
}

def TileGPU_ThreadMapsOp : TileGPU_Op<"thread_maps", [Pure]> {
  let summary = "the address of a claimed part";
  let description = [{ Example: `%maps = tilegpu.thread_maps %number count = 3 ctas = 8 : <1>` }];
  let arguments = (ins I32:$number, ConfinedAttr<I32Attr, [IntPositive]>:$count,
    ConfinedAttr<I32Attr, [IntPositive, IntMaxValue<32>]>:$ctas);
  let results = (outs TileGPU_GlobalPtr:$maps);
  let assemblyFormat = "$number `count` `=` $count `ctas` `=` $ctas attr-dict `:` type($maps)";
}

def TileGPU_ThreadReleaseMapsOp : TileGPU_Op<"thread_release_maps", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "gives a claimed part back";
  let description = [{ Example: `tilegpu.thread_release_maps %maps count = 3 ctas = 8 : <1>` }];
  let arguments = (ins TileGPU_GlobalPtr:$maps, ConfinedAttr<I32Attr, [IntPositive]>:$count,
    ConfinedAttr<I32Attr, [IntPositive, IntMaxValue<32>]>:$ctas);
  let assemblyFormat = "$maps `count` `=` $count `ctas` `=` $ctas attr-dict `:` type($maps)";
}

def TileGPU_ThreadEncodeMapOp : TileGPU_Op<"thread_encode_map", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "encodes a tensor map in shared memory and copies it to global memory";
  let description = [{
    All threads of one warp run it together; `lane` is the thread's number in it. `desc` is the descriptor's type, from
    which boxes and swizzle follow; `strides` are elements. Proxy fences of readers are not part of it.

    `thread_encode_map_c1`: there is one size per dimension of the block, and one stride per dimension but the last.

    Example:
    ```mlir
    tilegpu.thread_encode_map %place, %scratch, %lane, %base, shape[%m, %n], strides[%s] as !tile.desc<[64, 32], f16>
      : <1>, <3>, <1>
    ```
  }];
  let arguments = (ins TileGPU_GlobalPtr:$place, TileGPU_SharedPtr:$scratch, I32:$lane, TileGPU_GlobalPtr:$base,
    Variadic<I32>:$shape, Variadic<I64>:$strides, TypeAttrOf<Tile_DescType>:$desc);
  let assemblyFormat = [{
    $place `,` $scratch `,` $lane `,` $base `,` `shape` `[` $shape `]` `,` `strides` `[` $strides `]` `as` $desc attr-dict
    `:` type($place) `,` type($scratch) `,` type($base)
  }];
  let hasVerifier = 1;
}

#endif // TILEC_DIALECTS_TILEGPU_TILEGPUTENSORMAPOPS_TD

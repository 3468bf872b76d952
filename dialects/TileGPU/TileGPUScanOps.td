//===- Pieces of scans, gathers and histograms -----------------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILEGPU_TILEGPUSCANOPS_TD
#define TILEC_DIALECTS_TILEGPU_TILEGPUSCANOPS_TD

include "dialects/TileGPU/TileGPULayoutOps.td"
include "dialects/TileGPU/TileGPUThreadOps.td"

def TileGPU_PartialScanOp : TileGPU_Op<"partial_scan", [Pure, SameOperandsShape, SingleBlock,
    IsolatedFromAbove, Tile_CombineRegion]> {
  let summary = "scans along an axis inside each warp only";
  let description = [{
    As `tile.scan`, but every run of consecutive elements that one warp holds is scanned by itself. The first half of
    the results are the scanned tensors, of the operands' types. The second half are the totals of the runs: the axis
    has one element per run there, in the order of the coordinates, and each warp holds its own.

    `partial_scan_c1`: `axis` is in [0, rank) and the operands have layouts of the form that `planScan` describes.
    `partial_scan_c2`: there are two results per operand, of these types.

    Example:
    ```mlir
    %1:2 = tilegpu.partial_scan(%0) axis = 0 : (tensor<1024xf32, #a>) -> (tensor<1024xf32, #a>, tensor<8xf32, #w>) {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      tile.yield %s : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$operands, I32Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Tensor>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    `(` $operands `)` `axis` `=` $axis (`reverse` $reverse^)? attr-dict `:`
    functional-type($operands, $results) $combine
  }];
  let hasVerifier = 1;
}

def TileGPU_FinishScanOp : TileGPU_Op<"finish_scan", [Pure, SingleBlock, IsolatedFromAbove, Tile_CombineRegion]> {
  let summary = "combines partially scanned tensors with the totals of all runs before";
  let description = [{
    The first half of the operands are what `tilegpu.partial_scan` has scanned, the second half its totals, all of
    them in the registers of every thread. Each element is combined with the totals of the runs that precede its own.

    `finish_scan_c1`: `axis` is in [0, rank) and the scanned operands have layouts of the form that `planScan`
    describes. `finish_scan_c2`: there are two operands per result, of the result's type and of the type of the
    gathered totals.

    Example:
    ```mlir
    %3 = tilegpu.finish_scan(%1, %2) axis = 0 : (tensor<1024xf32, #a>, tensor<8xf32, #g>) -> tensor<1024xf32, #a> {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      tile.yield %s : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$operands, I32Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Tensor>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    `(` $operands `)` `axis` `=` $axis (`reverse` $reverse^)? attr-dict `:`
    functional-type($operands, $results) $combine
  }];
  let hasVerifier = 1;
}

def TileGPU_LocalGatherOp : TileGPU_Op<"local_gather"> {
  let summary = "reads elements of a shared-memory buffer whose coordinate along one axis is data";
  let description = [{
    Element (.., i, ..) of the result is the buffer's element whose coordinate along `axis` is the index tensor's
    element (.., i, ..) and whose other coordinates are the same.

    `local_gather_c1`: `axis` is in [0, rank); buffer and indices have the same rank and agree in all other
    dimensions. `local_gather_c2`: the result has the indices' shape and layout and the buffer's element type.

    Example:
    ```mlir
    %t = tilegpu.local_gather %buf[%i] axis = 0 : !tilegpu.memdesc<[64], f32, #s>, tensor<128xi32, #a> -> tensor<128xf32, #a>
    ```
  }];
  let arguments = (ins Arg<TileGPU_MemDescType, "buffer", [MemRead]>:$buffer,
    Tile_TensorOf<[I8, I16, I32, I64]>:$indices, I32Attr:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $buffer `[` $indices `]` `axis` `=` $axis attr-dict `:` type($buffer) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TileGPU_LocalCountOp : TileGPU_Op<"local_count"> {
  let summary = "adds one to the counter that each element names";
  let description = [{
    `counters` is a buffer of integers. Elements that are no index of it, or whose mask is false, count nowhere.
    Replicas count once.

    `local_count_c1`: the buffer has one dimension and elements of type i32. `local_count_c2`: the mask has the
    source's shape and layout.

    Example: `tilegpu.local_count %x, %buf mask %m : tensor<1024xi32, #a>, !tilegpu.memdesc<[256], i32, #s>, tensor<1024xi1, #a>`
  }];
  let arguments = (ins Tile_TensorOf<[I32]>:$source,
    Arg<TileGPU_MemDescType, "counters", [MemRead, MemWrite]>:$counters, Optional<Tile_TensorOf<[I1]>>:$mask);
  let assemblyFormat = [{
    $source `,` $counters (`mask` $mask^)? attr-dict `:` type($source) `,` type($counters) (`,` type($mask)^)?
  }];
  let hasVerifier = 1;
}

def TileGPU_AtomicAddSharedOp : TileGPU_Op<"atomic_add_shared"> {
  let summary = "one atomic addition of a thread to a 32-bit integer in shared memory, predicated";
  let description = [{ Example: `tilegpu.atomic_add_shared %v, %0 if %p : !llvm.ptr<3>` }];
  let arguments = (ins I32:$value, Arg<TileGPU_SharedPtr, "address", [MemRead, MemWrite]>:$address,
    Optional<I1>:$predicate);
  let assemblyFormat = "$value `,` $address (`if` $predicate^)? attr-dict `:` type($address)";
}

#endif // TILEC_DIALECTS_TILEGPU_TILEGPUSCANOPS_TD

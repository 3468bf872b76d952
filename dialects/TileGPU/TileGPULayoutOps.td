//===- Layout conversions, shared-memory buffers, partial reductions -----------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILEGPU_TILEGPULAYOUTOPS_TD
#define TILEC_DIALECTS_TILEGPU_TILEGPULAYOUTOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "dialects/Tile/TileOpBase.td"
include "dialects/TileGPU/TileGPUTypes.td"

class TileGPU_Op<string mnemonic, list<Trait> traits = []> : Op<TileGPU_Dialect, mnemonic, traits>;

def TileGPU_ConvertLayoutOp : TileGPU_Op<"convert_layout", [Pure, SameOperandsAndResultShape,
    SameOperandsAndResultElementType, Tile_ShapeOpInterface]> {
  let summary = "the same tensor in another layout";
  let description = [{
    Costs nothing, register moves, warp shuffles, or a trip through shared memory, as the two layouts require.

    Example: `%1 = tilegpu.convert_layout %0 : tensor<64xf32, #a> -> tensor<64xf32, #b>`
  }];
  let arguments = (ins Tile_Tensor:$source);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{ std::optional<unsigned> getSourceDim(unsigned dim) { return dim; } }];
}

def TileGPU_ExtractSliceOp : TileGPU_Op<"extract_slice", [Pure, SameOperandsAndResultElementType]> {
  let summary = "the elements of a tensor from one coordinate of a dimension on";
  let description = [{
    Those whose coordinate along `axis` is from `start` to the result's extent behind it. Every thread keeps what it
    has: no element moves.

    `extract_slice_c1`: the result is smaller along `axis` alone, and `start` is a multiple of its extent.
    `extract_slice_c2`: registers alone say which slice an element is of, and the result has the layout that the slice
    has in the source (`sliceOf`).

    Example: `%1 = tilegpu.extract_slice %0 axis = 1 start = 64 : tensor<128x256xf16, #a> -> tensor<128x64xf16, #b>`
  }];
  let arguments = (ins Tile_Tensor:$source, I32Attr:$axis, I64Attr:$start);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source `axis` `=` $axis `start` `=` $start attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def TileGPU_LocalAllocOp : TileGPU_Op<"local_alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a buffer in shared memory, live while it is used";
  let description = [{
    `offset` (bytes from the start of the CTA's window) is set by `tilegpu-allocate-shared-memory`.

    Example: `%0 = tilegpu.local_alloc : !tilegpu.memdesc<[32, 32], f32, #layout>`
  }];
  let arguments = (ins OptionalAttr<I32Attr>:$offset);
  let results = (outs TileGPU_MemDescType:$result);
  let assemblyFormat = "(`offset` $offset^)? attr-dict `:` type($result)";
}

def TileGPU_LocalStoreOp : TileGPU_Op<"local_store", [Tile_LayoutRuleOpInterface]> {
  let summary = "writes a tensor to a shared-memory buffer";
  let description = [{
    Replicas write once. `local_store_c1`: shape and element type of tensor and buffer agree.

    Example: `tilegpu.local_store %t, %buf : tensor<32x32xf32, #a>, !tilegpu.memdesc<[32, 32], f32, #layout>`
  }];
  let arguments = (ins Tile_Tensor:$value, Arg<TileGPU_MemDescType, "buffer", [MemWrite]>:$buffer);
  let assemblyFormat = "$value `,` $buffer attr-dict `:` type($value) `,` type($buffer)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    tile::LayoutRule getLayoutRule() { return tile::LayoutRule::Pinned; }
    bool takesAnyLayout(::mlir::OpOperand &) { return true; }
  }];
}

def TileGPU_LocalLoadOp : TileGPU_Op<"local_load", [Tile_LayoutRuleOpInterface]> {
  let summary = "reads a tensor from a shared-memory buffer";
  let description = [{
    With `any_layout` the tensor may be read in the layout that its users want; else the layout is fixed, as a product's
    fragments are.

    `local_load_c1`: shape and element type of tensor and buffer agree.

    Example: `%t = tilegpu.local_load %buf : !tilegpu.memdesc<[32, 32], f32, #layout> -> tensor<32x32xf32, #a>`
  }];
  let arguments = (ins Arg<TileGPU_MemDescType, "buffer", [MemRead]>:$buffer, UnitAttr:$any_layout);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$buffer (`any_layout` $any_layout^)? attr-dict `:` type($buffer) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$buffer), [{
    build($_builder, $_state, type, buffer, /*any_layout=*/false);
  }]>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    tile::LayoutRule getLayoutRule() {
      return getAnyLayout() ? tile::LayoutRule::Source : tile::LayoutRule::Pinned;
    }
  }];
}

def TileGPU_PartialReduceOp : TileGPU_Op<"partial_reduce", [Pure, SameOperandsShape, SingleBlock,
    IsolatedFromAbove, Tile_CombineRegion]> {
  let summary = "combines along an axis inside each warp, or each thread, only";
  let description = [{
    As `tile.reduce`, but the axis stays, with one element per warp that holds part of it, or per thread where lanes of
    the result's layout have elements of their own along it. The result's layout holds that element in the position of the
    warp or thread; the other dimensions are those of the operand's slice.

    Example:
    ```mlir
    %1 = tilegpu.partial_reduce(%0) axis = 0 : (tensor<1024xf32, #a>) -> tensor<4xf32, #w> {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      tile.yield %s : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$operands, I32Attr:$axis);
  let results = (outs Variadic<Tile_Tensor>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    `(` $operands `)` `axis` `=` $axis attr-dict `:` functional-type($operands, $results) $combine
  }];
}

#endif // TILEC_DIALECTS_TILEGPU_TILEGPULAYOUTOPS_TD

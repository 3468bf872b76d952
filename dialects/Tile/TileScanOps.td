//===- Scans, and operations whose positions are data --------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILE_TILESCANOPS_TD
#define TILEC_DIALECTS_TILE_TILESCANOPS_TD

include "dialects/Tile/TileOpBase.td"

def Tile_ScanOp : Tile_Op<"scan", [Pure, SameOperandsShape, IsolatedFromAbove,
    SingleBlockImplicitTerminator<"YieldOp">, Tile_CombineRegion, Tile_LayoutRuleOpInterface]> {
  let summary = "combines every element with all that precede it along one axis";
  let description = [{
    Scans one or several tensors of the same shape together. Element i of a result is the combination, in this order,
    of the operand's elements 0 to i along the axis; with `reverse`, of its last element down to element i. The region
    combines two partial results (one pair of scalars per operand: first all left ones, which come earlier in the
    order, then all right ones) and yields one scalar per operand. It must be associative; it need not be
    commutative. It sees nothing from outside.

    `scan_c1`: `axis` is in [0, rank). `scan_c2`: each result has its operand's type. `scan_c3`: the region has two
    arguments per operand, of the element types. `scan_c4`: it yields one value per operand, of the element types.
    `scan_c5`: the operands have one encoding, or none at all.

    Example:
    ```mlir
    %1 = tile.scan(%0) axis = 0 reverse : (tensor<128xf32>) -> tensor<128xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$operands, I32Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Tensor>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let builders = [
    // Result types are the operands'; the region is empty, the caller fills it.
    OpBuilder<(ins "::mlir::ValueRange":$operands, "int":$axis, "bool":$reverse)>
  ];
  let assemblyFormat = [{
    `(` $operands `)` `axis` `=` $axis (`reverse` $reverse^)? attr-dict `:`
    functional-type($operands, $results) $combine
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{ LayoutRule getLayoutRule() { return LayoutRule::Scan; } }];
}

def Tile_GatherOp : Tile_Op<"gather", [NoMemoryEffect, Tile_LayoutRuleOpInterface]> {
  let summary = "picks elements along one axis by a tensor of indices";
  let description = [{
    Element (.., i, ..) of the result is the source's element whose coordinate along `axis` is the index tensor's
    element (.., i, ..) and whose other coordinates are the same. An index outside of [0, size of the axis) has no
    defined meaning. Indices are signed.

    `gather_c1`: `axis` is in [0, rank). `gather_c2`: source and indices have the same rank and agree in all
    dimensions but `axis`. `gather_c3`: the result has the indices' shape and encoding and the source's element type.

    Example:
    `%2 = tile.gather %0[%1] axis = 1 : tensor<16x64xf32>, tensor<16x32xi32> -> tensor<16x32xf32>`
  }];
  let arguments = (ins Tile_Tensor:$source, Tile_TensorOf<[I8, I16, I32, I64]>:$indices, I32Attr:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` `axis` `=` $axis attr-dict `:` type($source) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    LayoutRule getLayoutRule() { return LayoutRule::Gather; }
    bool takesAnyLayout(::mlir::OpOperand &operand) { return &operand == &getSourceMutable(); }
  }];
}

def Tile_HistogramOp : Tile_Op<"histogram", [Pure, Tile_LayoutRuleOpInterface]> {
  let summary = "counts how often each number occurs";
  let description = [{
    Element b of the result is the number of elements of `source` that equal b, of those where `mask` is true if there
    is a mask. Elements outside of [0, size of the result) are not counted.

    `histogram_c1`: source and result have one dimension. `histogram_c2`: the mask has the source's shape and encoding.

    Example: `%1 = tile.histogram %0 mask %m : tensor<1024xi32>, tensor<1024xi1> -> tensor<256xi32>`
  }];
  let arguments = (ins Tile_TensorOf<[I32]>:$source, Optional<Tile_TensorOf<[I1]>>:$mask);
  let results = (outs Tile_TensorOf<[I32]>:$result);
  let assemblyFormat = [{
    $source (`mask` $mask^)? attr-dict `:` type($source) (`,` type($mask)^)? `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    LayoutRule getLayoutRule() { return LayoutRule::Histogram; }
    bool givesAnyLayout(::mlir::OpResult) { return true; }
  }];
}

#endif // TILEC_DIALECTS_TILE_TILESCANOPS_TD

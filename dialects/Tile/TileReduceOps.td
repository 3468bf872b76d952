//===- Reductions ----------------------------------------------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILE_TILEREDUCEOPS_TD
#define TILEC_DIALECTS_TILE_TILEREDUCEOPS_TD

include "dialects/Tile/TileOpBase.td"

def Tile_ReduceOp : Tile_Op<"reduce", [Pure, SameOperandsShape, IsolatedFromAbove,
    SingleBlockImplicitTerminator<"YieldOp">, Tile_CombineRegion, Tile_LayoutRuleOpInterface]> {
  let summary = "combines the elements along one axis";
  let description = [{
    Reduces one or several tensors of the same shape together. The region combines two elements (one pair of
    scalars per operand: first all left ones, then all right ones) and yields one scalar per operand; it must be
    associative, and the order of combination is not defined. It sees nothing from outside. Reducing a 1-D tensor gives scalars.

    `reduce_c1`: `axis` is in [0, rank). `reduce_c2`: each result is the operand's shape without `axis`.
    `reduce_c3`: the region has two arguments per operand, of the element types. `reduce_c4`: it yields one value
    per operand, of the element types. `reduce_c5`: the operands have one encoding, or none at all. The encodings of
    the results are free.

    Example:
    ```mlir
    %1 = tile.reduce(%0) axis = 0 : (tensor<128xf32>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$operands, I32Attr:$axis);
  let results = (outs Variadic<Tile_Any>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let builders = [
    // Result types follow from operands and axis; the region is empty, the caller fills it.
    OpBuilder<(ins "::mlir::ValueRange":$operands, "int":$axis)>
  ];
  let assemblyFormat = [{
    `(` $operands `)` `axis` `=` $axis attr-dict `:` functional-type($operands, $results) $combine
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    LayoutRule getLayoutRule() { return LayoutRule::Reduce; }
    /// The shape of the operands.
    ::llvm::ArrayRef<int64_t> getSourceShape();
    /// The one operation of the combine region when it is a single binary op of its two arguments, else null.
    ::mlir::Operation *getSingleCombiner();
  }];
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "ends a combine region";
  let description = [{
    `yield_c1`: the parent is an op with a combine region, such as `tile.reduce`, or `tile.map`.

    Example: `tile.yield %0 : f32`
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ /* no values: the implicit terminator */ }]>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let hasVerifier = 1;
}

#endif // TILEC_DIALECTS_TILE_TILEREDUCEOPS_TD

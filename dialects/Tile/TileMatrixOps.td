//===- Matrix products -----------------------------------------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILE_TILEMATRIXOPS_TD
#define TILEC_DIALECTS_TILE_TILEMATRIXOPS_TD

include "dialects/Tile/TileOpBase.td"

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "matrix product of two blocks (`tl.dot`), added to an accumulator";
  let description = [{
    result = lhs x rhs + acc, of [M, K] and [K, N] matrices, or of a batch of them with a leading dimension.

    `precision` says how f32 operands are multiplied: rounded to tf32, as three tf32 products (nearly f32), or in f32.
    It means nothing for other types. A lowering may always be more precise.

    `max_imprecise_acc` bounds, for 8-bit floats, how many products may be summed in the tensor core's own, shorter
    accumulator before they are added to the f32 one; without it the target decides. It is kept by products of warpgroups
    and f32 accumulators, down to the 32 of one instruction. `unsigned` says that the integers of both operands are
    unsigned.

    `dot_c1`: the operands have rank 2 or 3, all the same, and the sizes agree: [B,] M, K and [B,] K, N and [B,] M, N.
    `dot_c2`: the element types are a combination of this table.

    | operands                            | accumulator |
    |-------------------------------------|-------------|
    | f16                                 | f32, f16    |
    | bf16, f32                           | f32         |
    | f8E4M3FN, f8E5M2 (also one of each) | f32, f16    |
    | i8                                  | i32         |
    | f64                                 | f64         |

    `dot_c3`: `max_imprecise_acc` is not negative. `dot_c4`: `unsigned` stands on integers only.

    Example:
    ```mlir
    %3 = tile.dot %0, %1, %2 : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    %4 = tile.dot %5, %6, %2 precision = ieee : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$lhs, Tile_Tensor:$rhs, Tile_Tensor:$acc,
    DefaultValuedAttr<Tile_InputPrecision, "InputPrecision::tf32">:$precision,
    OptionalAttr<I32Attr>:$max_imprecise_acc, UnitAttr:$is_unsigned);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc (`precision` `=` $precision^)? (`max_imprecise_acc` `=` $max_imprecise_acc^)?
    (`unsigned` $is_unsigned^)? attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_ReduceScatterOp : Tile_Op<"reduce_scatter", [MemoryEffects<[MemRead, MemWrite]>,
    AllElementTypesMatch<["source", "result"]>, Tile_LayoutRuleOpInterface]> {
  let summary = "a part of the rows of the sum of a tensor over the CTAs of a cluster";
  let description = [{
    The CTAs that run a program together (`tile.split_k`) come here equally often, each with a tensor and with the number of
    its part, which is its rank in the cluster. It gets that part of the rows of their sum, of as many equal parts as there
    are CTAs; what is added up is so in the order of the CTAs.

    `reduce_scatter_c1`: the result has a whole part of the operand's rows, and all of the other dimensions.

    Example: `%1 = tile.reduce_scatter %0 part %p : tensor<128x256xf32> -> tensor<64x256xf32>`
  }];
  let arguments = (ins Tile_TensorOf<[F16, F32, F64, I32]>:$source, I32:$part);
  let results = (outs Tile_TensorOf<[F16, F32, F64, I32]>:$result);
  let assemblyFormat = "$source `part` $part attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    LayoutRule getLayoutRule() { return LayoutRule::Source; }
    bool takesAnyLayout(::mlir::OpOperand &) { return true; }
  }];
}

#endif // TILEC_DIALECTS_TILE_TILEMATRIXOPS_TD

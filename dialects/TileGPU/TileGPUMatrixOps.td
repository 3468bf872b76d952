//===- Matrix products of tensors with layouts and of shared-memory buffers -----------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILEGPU_TILEGPUMATRIXOPS_TD
#define TILEC_DIALECTS_TILEGPU_TILEGPUMATRIXOPS_TD

include "dialects/TileGPU/TileGPULayoutOps.td"

def TileGPU_DotOperand : AnyTypeOf<[Tile_Tensor, TileGPU_MemDescType], "tensor or shared-memory buffer">;

def TileGPU_DotOp : TileGPU_Op<"dot", [AllTypesMatch<["acc", "result"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, Tile_LayoutRuleOpInterface]> {
  let summary = "dot by multiply-adds of the threads, added to an accumulator";
  let description = [{
    As `tile.dot`. The layout of accumulator and result is free, and says which thread computes which elements; those
    of the operands are free too. An operand in shared memory is read there by every thread that needs it; a tensor is
    stored to shared memory first (`tilegpu-decompose-dots`).

    `dot_c1` to `dot_c4` as for `tile.dot`.

    Example:
    ```mlir
    %3 = tilegpu.dot %0, %1, %2 : tensor<64x32xf16, #a>, !tilegpu.memdesc<[32, 64], f16, #s> -> tensor<64x64xf32, #c>
    ```
  }];
  let arguments = (ins TileGPU_DotOperand:$lhs, TileGPU_DotOperand:$rhs, Tile_Tensor:$acc,
    DefaultValuedAttr<Tile_InputPrecision, "tile::InputPrecision::tf32">:$precision,
    OptionalAttr<I32Attr>:$max_imprecise_acc, UnitAttr:$is_unsigned);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc (`precision` `=` $precision^)? (`max_imprecise_acc` `=` $max_imprecise_acc^)?
    (`unsigned` $is_unsigned^)? attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    tile::LayoutRule getLayoutRule() { return tile::LayoutRule::Dot; }
    bool takesAnyLayout(::mlir::OpOperand &operand) { return &operand != &getAccMutable(); }
  }];
}

def TileGPU_MmaOp : TileGPU_Op<"mma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "dot of warps (mma.sync), added to an accumulator";
  let description = [{
    The layouts are those of the instruction's fragments: `mmaOperandLayout` and `mmaAccumulatorLayout`. K may be in any
    order that is the same in both operands. Operands of f32 are read as tf32; with `split` each is
    a tf32 and what is left of it, and three products are added up (tf32x3). Tensors smaller than an instruction are
    padded inside.

    `mma_c1`: types that an instruction has.
    `mma_c2`: layouts that the instruction has.
    `mma_c3`: `unsigned` with 8-bit integers, `split` with f32.

    Example:
    ```mlir
    %3 = tilegpu.mma %0, %1, %2 : tensor<64x32xf16, #a>, tensor<32x64xf16, #b> -> tensor<64x64xf32, #c>
    ```
  }];
  let arguments = (ins Tile_Tensor:$lhs, Tile_Tensor:$rhs, Tile_Tensor:$acc, UnitAttr:$is_unsigned, UnitAttr:$split);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc (`unsigned` $is_unsigned^)? (`split` $split^)? attr-dict `:` type($lhs) `,` type($rhs) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

#endif // TILEC_DIALECTS_TILEGPU_TILEGPUMATRIXOPS_TD

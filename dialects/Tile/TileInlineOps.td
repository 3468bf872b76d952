//===- Elementwise operations that a kernel defines by itself ---------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILE_TILEINLINEOPS_TD
#define TILEC_DIALECTS_TILE_TILEINLINEOPS_TD

include "dialects/Tile/TileOpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_InlineAsmOp : Tile_Op<"inline_asm", [Elementwise, Tile_SameLayout,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "machine instructions for every group of elements";
  let description = [{
    The text, in PTX with LLVM's placeholders (`$0` is the first result), stands for `pack` elements that follow one
    another in a thread's registers. Elements of less than 32 bits share registers, as many as there are in a group.
    Without `pure` the instructions do more than to compute their results.

    `inline_asm_c1`: `pack` is positive. `inline_asm_c2`: there is a result.

    Example: `%1 = tile.inline_asm "rcp.approx.f32 $0, $1;" constraints = "=f,f" pack = 1 pure (%0) : (tensor<64xf32>) -> tensor<64xf32>`
  }];
  let arguments = (ins StrAttr:$assembly, StrAttr:$constraints, I32Attr:$pack, UnitAttr:$pure, Variadic<Tile_Any>:$operands);
  let results = (outs Variadic<Tile_Any>:$results);
  let assemblyFormat = [{
    $assembly `constraints` `=` $constraints `pack` `=` $pack (`pure` $pure^)? `(` $operands `)` attr-dict
    `:` functional-type($operands, $results)
  }];
  let hasVerifier = 1;
}

def Tile_MapOp : Tile_Op<"map", [Elementwise, SameOperandsAndResultShape, Tile_SameLayout, RecursiveMemoryEffects,
    IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "a function of scalars for every group of elements";
  let description = [{
    The region gets `pack` elements of each operand, operand by operand, and yields as many of each result. Elements
    of a group follow one another in a thread's registers. It may have control flow.

    `map_c1`: there are an operand and a result, and `pack` is positive. `map_c2`: the region's arguments are `pack` elements
    of each operand. `map_c3`: it yields `pack` elements of each result.

    Example:
    ```mlir
    %1 = tile.map(%0) pack = 1 : (tensor<128xi32>) -> tensor<128xi32> {
    ^bb0(%a: i32):
      %s = arith.addi %a, %a : i32
      tile.yield %s : i32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Any>:$operands, I32Attr:$pack);
  let results = (outs Variadic<Tile_Any>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $operands `)` `pack` `=` $pack attr-dict `:` functional-type($operands, $results) $body
  }];
  let hasVerifier = 1;
}

#endif // TILEC_DIALECTS_TILE_TILEINLINEOPS_TD

//===- Tensors in global memory, accessed block by block ------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILE_TILEDESCRIPTOROPS_TD
#define TILEC_DIALECTS_TILE_TILEDESCRIPTOROPS_TD

include "dialects/Tile/TileOpBase.td"

def Tile_MakeTensorDescriptorOp : Tile_Op<"make_tensor_descriptor", [Pure, AttrSizedOperandSegments]> {
  let summary = "describes a tensor in global memory";
  let description = [{
    The tensor at `base` has the sizes `shape` (elements) and, but for the last dimension, whose elements
    are adjacent, the `strides` (elements). `base` and the strides in bytes are multiples of 16.

    `make_tensor_descriptor_c1`: `base` points to the descriptor's element type. `make_tensor_descriptor_c2`: there is
    one size per dimension of the block, and one stride per dimension but the last.

    Example:
    ```mlir
    %0 = tile.make_tensor_descriptor %base, shape [%m, %n], strides [%s] : !tile.ptr<f16> -> !tile.desc<[64, 32], f16>
    ```
  }];
  let arguments = (ins Tile_PtrType:$base, Variadic<I32>:$shape, Variadic<I64>:$strides);
  let results = (outs Tile_DescType:$result);
  let assemblyFormat = [{
    $base `,` `shape` `[` $shape `]` `,` `strides` `[` $strides `]` attr-dict `:` type($base) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_DescriptorLoadOp : Tile_Op<"descriptor_load", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, Tile_LayoutRuleOpInterface]> {
  let summary = "reads a block of a described tensor";
  let description = [{
    Element (i, ..) of the result is the tensor's element at (offset + i, ..). Elements outside of the tensor, at
    negative coordinates too, are zero, or NaN when the descriptor says so. `evict` says how long the second-level cache
    is to keep them.

    `descriptor_load_c1`: one offset per dimension. `descriptor_load_c2`: the result has the descriptor's block shape,
    in which dimensions of size one may be left out, and element type.

    Example: `%1 = tile.descriptor_load %0[%i, %j] : !tile.desc<[64, 32], f16> -> tensor<64x32xf16>`
  }];
  let arguments = (ins Tile_DescType:$desc, Variadic<I32>:$offsets,
    DefaultValuedAttr<Tile_EvictionPolicy, "EvictionPolicy::normal">:$evict);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $offsets `]` (`evict` `=` $evict^)? attr-dict `:` type($desc) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    LayoutRule getLayoutRule() { return LayoutRule::Pinned; }
    bool givesAnyLayout(::mlir::OpResult) { return true; }
  }];
}

def Tile_DescriptorStoreOp : Tile_Op<"descriptor_store", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, Tile_LayoutRuleOpInterface]> {
  let summary = "writes a block of a described tensor";
  let description = [{
    The counterpart of `tile.descriptor_load`: what lies outside of the tensor is not written.

    `descriptor_store_c1`: one offset per dimension. `descriptor_store_c2`: the value has the descriptor's block shape,
    in which dimensions of size one may be left out, and element type.

    Example: `tile.descriptor_store %0[%i, %j], %1 : !tile.desc<[64, 32], f16>, tensor<64x32xf16>`
  }];
  let arguments = (ins Tile_DescType:$desc, Variadic<I32>:$offsets, Tile_Tensor:$value);
  let assemblyFormat = "$desc `[` $offsets `]` `,` $value attr-dict `:` type($desc) `,` type($value)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    LayoutRule getLayoutRule() { return LayoutRule::Pinned; }
    bool takesAnyLayout(::mlir::OpOperand &) { return true; }
  }];
}

def Tile_DescriptorReduceOp : Tile_Op<"descriptor_reduce", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, Tile_LayoutRuleOpInterface]> {
  let summary = "atomic combination of a block of a described tensor with a value, element by element";
  let description = [{
    Each element of the block that is inside of the tensor becomes its combination with the value's element, as
    `tile.atomic_rmw` with relaxed ordering does it. There are `min` and `max` of f16 and bf16, too, for which a NaN
    counts as no number.

    `descriptor_reduce_c1`: one offset per dimension. `descriptor_reduce_c2`: the value has the descriptor's block
    shape, in which dimensions of size one may be left out, and element type. `descriptor_reduce_c3`: `kind` is not xchg, and the
    element type has it.

    Example: `tile.descriptor_reduce add %0[%i, %j], %1 : !tile.desc<[64, 32], f32>, tensor<64x32xf32>`
  }];
  let arguments = (ins Tile_AtomicKind:$kind, Tile_DescType:$desc, Variadic<I32>:$offsets, Tile_Tensor:$value);
  let assemblyFormat = "$kind $desc `[` $offsets `]` `,` $value attr-dict `:` type($desc) `,` type($value)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    LayoutRule getLayoutRule() { return LayoutRule::Pinned; }
    bool takesAnyLayout(::mlir::OpOperand &) { return true; }
  }];
}

#endif // TILEC_DIALECTS_TILE_TILEDESCRIPTOROPS_TD

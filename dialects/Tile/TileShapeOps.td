//===- Making and reshaping tensors ------------------------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILE_TILESHAPEOPS_TD
#define TILEC_DIALECTS_TILE_TILESHAPEOPS_TD

include "dialects/Tile/TileOpBase.td"

def Tile_MakeRangeOp : Tile_Op<"make_range", [Pure, Tile_LayoutRuleOpInterface,
    DeclareOpInterfaceMethods<Tile_AxisFactsOpInterface>]> {
  let summary = "the integers start, start+1, ..., end-1";
  let description = [{
    `make_range_c1`: the result is a 1-D tensor of i32 with `end - start` elements.
    `make_range_c2`: `start < end`.

    Example: `%0 = tile.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>`
  }];
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs Tile_TensorOf<[I32]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{ LayoutRule getLayoutRule() { return LayoutRule::Source; } }];
}

def Tile_SplatOp : Tile_Op<"splat", [Pure, Tile_LayoutRuleOpInterface, Tile_ShapeOpInterface]> {
  let summary = "a tensor with the same scalar everywhere";
  let description = [{
    `splat_c1`: the result's element type is the operand's type.

    Example: `%1 = tile.splat %0 : f32 -> tensor<16x32xf32>`
  }];
  let arguments = (ins Tile_Scalar:$source);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    LayoutRule getLayoutRule() { return LayoutRule::Source; }
    std::optional<unsigned> getSourceDim(unsigned dim) { return std::nullopt; }
  }];
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure, SameOperandsAndResultElementType, Tile_LayoutRuleOpInterface,
    Tile_ShapeOpInterface]> {
  let summary = "repeats dimensions of size one";
  let description = [{
    `broadcast_c1`: operand and result have the same rank.
    `broadcast_c2`: each operand dimension is 1 or equals the result's.

    Example: `%1 = tile.broadcast %0 : tensor<16x1xf32> -> tensor<16x32xf32>`
  }];
  let arguments = (ins Tile_Tensor:$source);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    LayoutRule getLayoutRule() { return LayoutRule::Shape; }
    std::optional<unsigned> getSourceDim(unsigned dim) { return dim; }
  }];
}

def Tile_ExpandDimsOp : Tile_Op<"expand_dims", [Pure, SameOperandsAndResultElementType, Tile_LayoutRuleOpInterface,
    Tile_ShapeOpInterface]> {
  let summary = "inserts a dimension of size one before dimension `axis`";
  let description = [{
    `expand_dims_c1`: `axis` is in [0, rank].
    `expand_dims_c2`: the result's shape is the operand's with a 1 inserted at `axis`.

    Example: `%1 = tile.expand_dims %0 {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>`
  }];
  let arguments = (ins Tile_Tensor:$source, I32Attr:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    LayoutRule getLayoutRule() { return LayoutRule::Shape; }
    std::optional<unsigned> getSourceDim(unsigned dim) {
      return dim == getAxis() ? std::nullopt : std::optional(dim > getAxis() ? dim - 1 : dim);
    }
  }];
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure, SameOperandsAndResultElementType, Tile_LayoutRuleOpInterface,
    Tile_ShapeOpInterface, DeclareOpInterfaceMethods<Tile_AxisFactsOpInterface>]> {
  let summary = "another shape over the same elements in row-major order";
  let description = [{
    With `allow_reorder` the elements may be placed in any order, which can avoid data movement.

    `reshape_c1`: operand and result have the same number of elements.

    Example: `%1 = tile.reshape %0 : tensor<16x32xf32> -> tensor<512xf32>`
  }];
  let arguments = (ins Tile_Tensor:$source, UnitAttr:$allow_reorder);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source (`allow_reorder` $allow_reorder^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    LayoutRule getLayoutRule() { return LayoutRule::Shape; }
    std::optional<unsigned> getSourceDim(unsigned dim);
    bool keepsDims() { return false; }
  }];
}

def Tile_NarrowOp : Tile_Op<"narrow", [Pure, SameOperandsAndResultElementType]> {
  let summary = "the first elements along each dimension";
  let description = [{
    Takes the padding off that `tile-widen-dots` has given to a product; `tile-split-tensors` or `tile-pad-tensors` take it
    away.

    `narrow_c1`: operand and result have the same rank, and no extent of the result is larger than the operand's.

    Example: `%1 = tile.narrow %0 : tensor<64x256xf32> -> tensor<64x208xf32>`
  }];
  let arguments = (ins Tile_Tensor:$source);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_PermuteOp : Tile_Op<"permute", [Pure, SameOperandsAndResultElementType, Tile_LayoutRuleOpInterface,
    Tile_ShapeOpInterface]> {
  let summary = "reorders dimensions: result dimension i is operand dimension order[i]";
  let description = [{
    `permute_c1`: `order` is a permutation of [0, rank).
    `permute_c2`: the result's shape is the operand's permuted by `order`.

    Example: `%1 = tile.permute %0 {order = array<i32: 1, 0>} : tensor<16x32xf32> -> tensor<32x16xf32>`
  }];
  let arguments = (ins Tile_Tensor:$source, DenseI32ArrayAttr:$order);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    LayoutRule getLayoutRule() { return LayoutRule::Shape; }
    std::optional<unsigned> getSourceDim(unsigned dim) { return getOrder()[dim]; }
  }];
}

#endif // TILEC_DIALECTS_TILE_TILESHAPEOPS_TD

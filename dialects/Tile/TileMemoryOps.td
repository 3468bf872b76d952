//===- Global memory -------------------------------------------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILE_TILEMEMORYOPS_TD
#define TILEC_DIALECTS_TILE_TILEMEMORYOPS_TD

include "dialects/Tile/TileOpBase.td"

def Tile_LoadOp : Tile_Op<"load", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, Tile_GlobalAccessOpInterface, Tile_LayoutRuleOpInterface,
    DeclareOpInterfaceMethods<Tile_AxisFactsOpInterface>]> {
  let summary = "reads through a pointer or a tensor of pointers";
  let description = [{
    Where `mask` is false nothing is read and the result is `other`, or zero when there is no `other`.

    `load_c1`: the result has the pointer's shape and its pointee type.
    `load_c2`: `mask` has the pointer's shape. `load_c3`: `other` has the result's type and needs `mask`.
    "Shape" includes the tensor's encoding. `load_c4`: `cache` is one of none, ca, cg, cs, cv.

    In the textual form `mask`, `other`, `cache`, `evict` and `volatile` are optional; the types of the mask, of
    `other` and of the result follow from the pointer's.

    Example:
    ```mlir
    %3 = tile.load %0, %1, %2 cache = cg evict = evict_first : tensor<128x!tile.ptr<f32>>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$pointer, Optional<Tile_BoolLike>:$mask, Optional<Tile_Any>:$other,
    DefaultValuedAttr<Tile_CacheModifier, "CacheModifier::none">:$cache,
    DefaultValuedAttr<Tile_EvictionPolicy, "EvictionPolicy::normal">:$evict,
    UnitAttr:$is_volatile);
  let results = (outs Tile_Any:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$pointer, CArg<"::mlir::Value", "{}">:$mask,
      CArg<"::mlir::Value", "{}">:$other, CArg<"CacheModifier", "CacheModifier::none">:$cache,
      CArg<"EvictionPolicy", "EvictionPolicy::normal">:$evict, CArg<"bool", "false">:$isVolatile)>
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    LayoutRule getLayoutRule() { return LayoutRule::Access; }
    bool writesMemory() { return getIsVolatile(); }
  }];
}

def Tile_StoreOp : Tile_Op<"store", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, Tile_GlobalAccessOpInterface, Tile_LayoutRuleOpInterface]> {
  let summary = "writes through a pointer or a tensor of pointers";
  let description = [{
    Where `mask` is false nothing is written. Several elements with the same address: one of them wins.

    `store_c1`: `value` has the pointer's shape and its pointee type. `store_c2`: `mask` has the pointer's shape.
    "Shape" includes the tensor's encoding. `store_c3`: `cache` is one of none, cg, cs, wb, wt.

    Example: `tile.store %0, %1, %2 : tensor<128x!tile.ptr<f32>>`
  }];
  let arguments = (ins Tile_PtrLike:$pointer, Tile_Any:$value, Optional<Tile_BoolLike>:$mask,
    DefaultValuedAttr<Tile_CacheModifier, "CacheModifier::none">:$cache,
    DefaultValuedAttr<Tile_EvictionPolicy, "EvictionPolicy::normal">:$evict);
  let skipDefaultBuilders = 1; // The generated one differs from ours in default arguments only.
  let builders = [
    OpBuilder<(ins "::mlir::Value":$pointer, "::mlir::Value":$value, CArg<"::mlir::Value", "{}">:$mask,
      CArg<"CacheModifier", "CacheModifier::none">:$cache,
      CArg<"EvictionPolicy", "EvictionPolicy::normal">:$evict)>
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    LayoutRule getLayoutRule() { return LayoutRule::Access; }
    bool readsMemory() { return false; }
    bool writesMemory() { return true; }
  }];
}

#endif // TILEC_DIALECTS_TILE_TILEMEMORYOPS_TD

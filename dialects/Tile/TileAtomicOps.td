//===- Atomic read-modify-write on global memory -------------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILE_TILEATOMICOPS_TD
#define TILEC_DIALECTS_TILE_TILEATOMICOPS_TD

include "dialects/Tile/TileOpBase.td"

def Tile_AtomicRMWOp : Tile_Op<"atomic_rmw", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, Tile_GlobalAccessOpInterface, Tile_LayoutRuleOpInterface]> {
  let summary = "atomic read-modify-write: combines the value behind a pointer with another";
  let description = [{
    For every element where `mask` is true (everywhere without one): old = *pointer, *pointer = old `kind` value, as
    one step that no other access of the memory can come between. The result is the old values, zero where the mask
    is false. Elements with one address all take effect, in an order that is not defined.

    `min` and `max` are signed; of floats they order -0 below +0 and a NaN beyond the infinity of its sign (that is
    the order of their bits). `xchg` stores the value. `load` stores nothing and does not look at
    `value`; `store` stores it, and its result is not to be used. Both are single accesses that no other one tears.

    `sem` says what else the operation orders: with `release` everything that the program did before is visible to
    who acquires the value that it wrote, with `acquire` the program sees everything that came before the release of
    the value that it read. `scope` says for whom: the threads of the CTA, of the GPU, or of the whole system.

    `atomic_rmw_c1`: `value` has the pointer's shape and its pointee type, and so has the result.
    `atomic_rmw_c2`: `mask` has the pointer's shape. "Shape" includes the tensor's encoding.
    `atomic_rmw_c3`: the pointee is of a type that `kind` has: i32, i64, f32, f64 for add, min, max, xchg; also f16
    and bf16 for add; anything of 8, 16, 32 and 64 bits but pointers for load and store; i32 and i64 for the rest.

    In the textual form `if`, `sem` and `scope` are optional; the other types follow from the pointer's.

    Example:
    ```mlir
    %3 = tile.atomic_rmw add %0, %1 if %2 sem = relaxed scope = cta : tensor<128x!tile.ptr<f32>>
    ```
  }];
  let arguments = (ins Tile_AtomicKind:$kind, Tile_PtrLike:$pointer, Tile_Any:$value,
    Optional<Tile_BoolLike>:$mask,
    DefaultValuedAttr<Tile_MemSemantic, "MemSemantic::acq_rel">:$sem,
    DefaultValuedAttr<Tile_MemScope, "MemScope::gpu">:$scope);
  let results = (outs Tile_Any:$result);
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "AtomicKind":$kind, "::mlir::Value":$pointer, "::mlir::Value":$value,
      CArg<"::mlir::Value", "{}">:$mask, CArg<"MemSemantic", "MemSemantic::acq_rel">:$sem,
      CArg<"MemScope", "MemScope::gpu">:$scope)>
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    LayoutRule getLayoutRule() { return LayoutRule::Atomic; }
    bool readsMemory() { return getKind() != AtomicKind::store; }
    bool writesMemory() { return getKind() != AtomicKind::load; }
    std::optional<MemSemantic> getAtomicOrder() { return getSem(); }
    unsigned getMaxElements();
  }];
}

def Tile_AtomicCasOp : Tile_Op<"atomic_cas", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, Tile_GlobalAccessOpInterface, Tile_LayoutRuleOpInterface]> {
  let summary = "atomic compare-and-swap";
  let description = [{
    For every element where `mask` is true (everywhere without one): old = *pointer; if its bits are those of
    `compare`, *pointer = `value`; as one step. The result is the old values, zero where the mask is false. `sem` and
    `scope` as in `tile.atomic_rmw`.

    `atomic_cas_c1`: `compare` and `value` have the pointer's shape (with its encoding) and its pointee type, and so
    has the result. `atomic_cas_c2`: the pointee has 16, 32 or 64 bits and is no pointer. `atomic_cas_c3`: `mask` has the
    pointer's shape (with its encoding).

    Example: `%4 = tile.atomic_cas %0, %1, %2 if %3 sem = acquire : tensor<128x!tile.ptr<i32>>`
  }];
  let arguments = (ins Tile_PtrLike:$pointer, Tile_Any:$compare, Tile_Any:$value,
    Optional<Tile_BoolLike>:$mask,
    DefaultValuedAttr<Tile_MemSemantic, "MemSemantic::acq_rel">:$sem,
    DefaultValuedAttr<Tile_MemScope, "MemScope::gpu">:$scope);
  let results = (outs Tile_Any:$result);
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Value":$pointer, "::mlir::Value":$compare, "::mlir::Value":$value,
      CArg<"::mlir::Value", "{}">:$mask, CArg<"MemSemantic", "MemSemantic::acq_rel">:$sem, CArg<"MemScope", "MemScope::gpu">:$scope)>
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    LayoutRule getLayoutRule() { return LayoutRule::Atomic; }
    bool writesMemory() { return true; }
    std::optional<MemSemantic> getAtomicOrder() { return getSem(); }
    unsigned getMaxElements() { return 1; }
  }];
}

#endif // TILEC_DIALECTS_TILE_TILEATOMICOPS_TD

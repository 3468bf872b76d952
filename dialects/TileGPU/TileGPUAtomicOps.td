//===- Thread-level atomics ------------------------------------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILEGPU_TILEGPUATOMICOPS_TD
#define TILEC_DIALECTS_TILEGPU_TILEGPUATOMICOPS_TD

include "dialects/TileGPU/TileGPUThreadOps.td"

// What one atomic instruction combines.
def TileGPU_AtomicWord : AnyTypeOf<[I8, I16, I32, I64, F16, BF16, F32, F64, VectorOfLengthAndType<[2, 4], [F32]>,
  VectorOfLengthAndType<[2, 4, 8], [F16, BF16]>], "atomic word">;

def TileGPU_AtomicRMWGlobalOp : TileGPU_Op<"atomic_rmw_global", [AllTypesMatch<["value", "result"]>]> {
  let summary = "one atomic read-modify-write of a thread in global memory: up to 16 bytes, predicated";
  let description = [{
    Atomic for each element of a vector. When `predicate` is false nothing is accessed and the result is zero. Where
    the result is not used and `sem` does not acquire, the machine brings no old value back. The address is a multiple
    of the value's size.

    The result of `store` is not to be used.

    `atomic_rmw_global_c1`: floats, and vectors of them, with `add` only. Vectors and bf16 need sm_90, but two f16
    do not. `atomic_rmw_global_c2`: i8 and i16 with `load` and `store` only.

    Example: `%1 = tilegpu.atomic_rmw_global add %0, %v if %p sem = relaxed : !llvm.ptr<1>, vector<4xf32>`
  }];
  let arguments = (ins Tile_AtomicKind:$kind,
    Arg<TileGPU_GlobalPtr, "address", [MemRead, MemWrite]>:$address, TileGPU_AtomicWord:$value,
    Optional<I1>:$predicate,
    DefaultValuedAttr<Tile_MemSemantic, "::tilec::tile::MemSemantic::acq_rel">:$sem,
    DefaultValuedAttr<Tile_MemScope, "::tilec::tile::MemScope::gpu">:$scope);
  let results = (outs TileGPU_AtomicWord:$result);
  let assemblyFormat = [{
    $kind $address `,` $value (`if` $predicate^)? (`sem` `=` $sem^)? (`scope` `=` $scope^)? attr-dict
    `:` qualified(type($address)) `,` type($value)
  }];
  let hasVerifier = 1;
}

def TileGPU_AtomicCasGlobalOp : TileGPU_Op<"atomic_cas_global", [AllTypesMatch<["compare", "value", "result"]>]> {
  let summary = "one atomic compare-and-swap of a thread in global memory, predicated";
  let description = [{
    When `predicate` is false nothing is accessed and the result is zero.

    Example: `%1 = tilegpu.atomic_cas_global %0, %c, %v if %p : !llvm.ptr<1>, i32`
  }];
  let arguments = (ins Arg<TileGPU_GlobalPtr, "address", [MemRead, MemWrite]>:$address,
    AnyTypeOf<[I16, I32, I64]>:$compare, AnyTypeOf<[I16, I32, I64]>:$value, Optional<I1>:$predicate,
    DefaultValuedAttr<Tile_MemSemantic, "::tilec::tile::MemSemantic::acq_rel">:$sem,
    DefaultValuedAttr<Tile_MemScope, "::tilec::tile::MemScope::gpu">:$scope);
  let results = (outs AnyTypeOf<[I16, I32, I64]>:$result);
  let assemblyFormat = [{
    $address `,` $compare `,` $value (`if` $predicate^)? (`sem` `=` $sem^)? (`scope` `=` $scope^)? attr-dict
    `:` qualified(type($address)) `,` type($value)
  }];
}

#endif // TILEC_DIALECTS_TILEGPU_TILEGPUATOMICOPS_TD

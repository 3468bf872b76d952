//===- Thread-level operations that the NVVM dialect does not have ---------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILEGPU_TILEGPUTHREADOPS_TD
#define TILEC_DIALECTS_TILEGPU_TILEGPUTHREADOPS_TD

include "dialects/TileGPU/TileGPULayoutOps.td"
include "mlir/Dialect/LLVMIR/LLVMTypes.td"

// One machine word or vector of words: i8, i16, i32, i64, or vectors of them of at most 16 bytes, or 32 where
// the target has such accesses of global memory.
def TileGPU_Word : AnyTypeOf<[I8, I16, I32, I64, VectorOfAnyRankOf<[I8, I16, I32, I64]>], "word or vector of words">;
def TileGPU_GlobalPtr : LLVM_PointerInAddressSpace<1>;
def TileGPU_SharedPtr : LLVM_PointerInAddressSpace<3>;

def TileGPU_LdGlobalOp : TileGPU_Op<"ld_global",
    [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "one global load of a thread: up to 16 bytes (32 from sm_100 on), predicated";
  let description = [{
    When `predicate` is false nothing is read and the result is `other` (zero without it). The address is a
    multiple of the result's size. A `volatile` load counts as a write, too: it stays where it is.

    Example: `%1 = tilegpu.ld_global %0, %p, %o : vector<4xi32>`
  }];
  let arguments = (ins TileGPU_GlobalPtr:$address, Optional<I1>:$predicate, Optional<TileGPU_Word>:$other,
    DefaultValuedAttr<Tile_CacheModifier, "::tilec::tile::CacheModifier::none">:$cache,
    DefaultValuedAttr<Tile_EvictionPolicy, "::tilec::tile::EvictionPolicy::normal">:$evict,
    UnitAttr:$is_volatile);
  let results = (outs TileGPU_Word:$result);
  let assemblyFormat = [{
    $address (`if` $predicate^)? (`else` $other^ `:` type($other))? (`cache` `=` $cache^)? (`evict` `=` $evict^)?
    (`volatile` $is_volatile^)? attr-dict `:` type($address) `->` type($result)
  }];
}

def TileGPU_StGlobalOp : TileGPU_Op<"st_global"> {
  let summary = "one global store of a thread: up to 16 bytes (32 from sm_100 on), predicated";
  let description = [{ Example: `tilegpu.st_global %v, %0 if %p : vector<4xi32>, !llvm.ptr<1>` }];
  let arguments = (ins TileGPU_Word:$value, Arg<TileGPU_GlobalPtr, "address", [MemWrite]>:$address,
    Optional<I1>:$predicate,
    DefaultValuedAttr<Tile_CacheModifier, "::tilec::tile::CacheModifier::none">:$cache,
    DefaultValuedAttr<Tile_EvictionPolicy, "::tilec::tile::EvictionPolicy::normal">:$evict);
  let assemblyFormat = [{
    $value `,` $address (`if` $predicate^)? (`cache` `=` $cache^)? (`evict` `=` $evict^)? attr-dict
    `:` type($value) `,` type($address)
  }];
}

def TileGPU_LdSharedOp : TileGPU_Op<"ld_shared"> {
  let summary = "one shared-memory load of a thread: up to 16 bytes";
  let description = [{
    A `kept` load is performed even where a later step knows what was stored there: the value would have to stay in
    registers until then.

    Example: `%1 = tilegpu.ld_shared %0 : !llvm.ptr<3> -> vector<4xi32>`
  }];
  let arguments = (ins Arg<TileGPU_SharedPtr, "address", [MemRead]>:$address, UnitAttr:$kept);
  let results = (outs TileGPU_Word:$result);
  let assemblyFormat = "$address (`kept` $kept^)? attr-dict `:` type($address) `->` type($result)";
}

def TileGPU_StSharedOp : TileGPU_Op<"st_shared"> {
  let summary = "one shared-memory store of a thread: up to 16 bytes, predicated";
  let description = [{ Example: `tilegpu.st_shared %v, %0 if %p : vector<4xi32>, !llvm.ptr<3>` }];
  let arguments = (ins TileGPU_Word:$value, Arg<TileGPU_SharedPtr, "address", [MemWrite]>:$address,
    Optional<I1>:$predicate);
  let assemblyFormat = "$value `,` $address (`if` $predicate^)? attr-dict `:` type($value) `,` type($address)";
}

def TileGPU_SharedBaseOp : TileGPU_Op<"shared_base", [Pure]> {
  let summary = "start of the CTA's shared-memory window";
  let description = [{ Example: `%0 = tilegpu.shared_base : !llvm.ptr<3>` }];
  let results = (outs TileGPU_SharedPtr:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TileGPU_ThreadAssertOp : TileGPU_Op<"thread_assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "a thread stops the launch with a message when its condition fails";
  let description = [{ Example: `tilegpu.thread_assert %p, "n fits"` }];
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

def TileGPU_ThreadPrintOp : TileGPU_Op<"thread_print", [MemoryEffects<[MemWrite]>, AttrSizedOperandSegments]> {
  let summary = "a thread prints one element with its coordinates";
  let description = [{
    `coordinates` are the element's tensor coordinates, empty for a scalar, and `widths` the characters that each is padded
    to; `is_signed` says how an integer prints. Without a value the line is the prefix.

    Example: `tilegpu.thread_print "x = ", %v at (%i) if %p {widths = array<i32: 3>} : f32`
  }];
  let arguments = (ins StrAttr:$prefix, Optional<AnyType>:$value, Variadic<I32>:$coordinates,
    OptionalAttr<DenseI32ArrayAttr>:$widths, I1:$predicate, UnitAttr:$hex, UnitAttr:$is_signed);
  let assemblyFormat = [{
    $prefix (`,` $value^)? `at` `(` $coordinates `)` `if` $predicate attr-dict (`:` type($value)^)?
  }];
}

#endif // TILEC_DIALECTS_TILEGPU_TILEGPUTHREADOPS_TD

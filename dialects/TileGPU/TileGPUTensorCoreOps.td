//===- Thread-level tensor-core operations that the NVVM dialect does not have -------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILEGPU_TILEGPUTENSORCOREOPS_TD
#define TILEC_DIALECTS_TILEGPU_TILEGPUTENSORCOREOPS_TD

include "dialects/TileGPU/TileGPUThreadOps.td"

// One register of a fragment. Packed 16-bit and 8-bit elements are i32, or a vector of 32 bits.
def TileGPU_Register : AnyTypeOf<[I32, F32, F64, VectorOfLengthAndType<[2], [F16, BF16]>,
  VectorOfLengthAndType<[4], [I8]>], "register of a matrix fragment">;

def TileGPU_ThreadMmaOp : TileGPU_Op<"thread_mma", [AttrSizedOperandSegments]> {
  let summary = "mma.sync with a thread's registers: d = a * b + c";
  let description = [{
    Fragments and shapes are PTX's `mma.sync.aligned.m<m>n8k<k>.row.col`; `m` is 16 (8 for f64), and `k` follows from
    the number of registers of `b`. What `nvvm.mma.sync` does not accept, the 8-bit floats, is accepted here. Element
    types are `f16`, `bf16`, `tf32`, `f64`, `si8`, `ui8`, `f8E4M3FN`, `f8E5M2`; accumulators `f16`, `f32`, `f64`, `i32`.

    `thread_mma_c1`: the registers are as many as a shape of these types has.

    Example:
    ```mlir
    %d:4 = tilegpu.thread_mma %a0, %a1, %a2, %a3 * %b0, %b1 + %c0, %c1, %c2, %c3 as f8E4M3FN, f8E4M3FN, f32
      : i32, i32, i32, i32 * i32, i32 + f32, f32, f32, f32 -> f32, f32, f32, f32
    ```
  }];
  let arguments = (ins Variadic<TileGPU_Register>:$a, Variadic<TileGPU_Register>:$b, Variadic<TileGPU_Register>:$c,
    TypeAttr:$type_a, TypeAttr:$type_b, TypeAttr:$type_d, UnitAttr:$saturate);
  let results = (outs Variadic<TileGPU_Register>:$d);
  let assemblyFormat = [{
    $a `*` $b `+` $c `as` $type_a `,` $type_b `,` $type_d (`saturate` $saturate^)? attr-dict
    `:` type($a) `*` type($b) `+` type($c) `->` type($d)
  }];
  let extraClassDeclaration = [{
    int64_t m();
    int64_t k();
  }];
  let hasVerifier = 1;
}

def TileGPU_ThreadWgmmaOp : TileGPU_Op<"thread_wgmma", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wgmma.mma_async with a thread's registers: acc = a * b + acc, later";
  let description = [{
    PTX's `wgmma.mma_async.sync.aligned.m64n<n>k<k>`; `k` is 32 bytes of elements. `a` is a matrix descriptor or four
    registers, `b` a descriptor. The results are the accumulator's registers, tied to `acc`: they may be handed to
    another `thread_wgmma` or to `thread_wgmma_wait`, whose results have the values; nothing else may use them.
    Without `accumulate`, or when it is true, `acc` is added. `m_major` and `n_major` are PTX's transpositions of
    16-bit operands in shared memory. `wgmma.fence`, `commit_group` are NVVM's.

    `thread_wgmma_c1`: `a` is one descriptor or four registers.
    `thread_wgmma_c2`: n / 2 accumulator registers, or n / 4 of f16; the results have their types.
    `thread_wgmma_c3`: types and `n` of an instruction; transposition of 16-bit types only.

    Example:
    ```mlir
    %d:4 = tilegpu.thread_wgmma desc %a * %b + %c0, %c1, %c2, %c3 if %p n_major n = 8 as f16, f16, f32
      : f32, f32, f32, f32 -> f32, f32, f32, f32
    ```
  }];
  let arguments = (ins Optional<I64>:$desc_a, Variadic<TileGPU_Register>:$a, I64:$desc_b,
    Variadic<TileGPU_Register>:$acc, Optional<I1>:$accumulate, I32Attr:$n, TypeAttr:$type_a, TypeAttr:$type_b,
    TypeAttr:$type_d, UnitAttr:$m_major, UnitAttr:$n_major, UnitAttr:$negate_a, UnitAttr:$negate_b,
    UnitAttr:$saturate);
  let results = (outs Variadic<TileGPU_Register>:$d);
  let assemblyFormat = [{
    (`desc` $desc_a^)? (`registers` $a^ `:` type($a))? `*` $desc_b `+` $acc (`if` $accumulate^)? (`m_major` $m_major^)?
    (`n_major` $n_major^)? (`negate_a` $negate_a^)? (`negate_b` $negate_b^)? (`saturate` $saturate^)?
    `n` `=` $n `as` $type_a `,` $type_b `,` $type_d attr-dict `:` type($acc) `->` type($d)
  }];
  let extraClassDeclaration = [{ int64_t k(); }];
  let hasVerifier = 1;
}

def TileGPU_ThreadWgmmaWaitOp : TileGPU_Op<"thread_wgmma_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wgmma.wait_group that hands on the registers of accumulators";
  let description = [{
    Waits until at most `pending` groups of the warpgroup are in flight. The results are `values`: those of products
    that have landed are their values from here on, those of products still in flight stay what they were.

    `thread_wgmma_wait_c1`: the results have the operands' types.

    Example: `%e:2 = tilegpu.thread_wgmma_wait 0, %d0, %d1 : f32, f32 -> f32, f32`
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending, Variadic<TileGPU_Register>:$values);
  let results = (outs Variadic<TileGPU_Register>:$results);
  let assemblyFormat = "$pending (`,` $values^ `:` type($values) `->` type($results))? attr-dict";
  let hasVerifier = 1;
}

#endif // TILEC_DIALECTS_TILEGPU_TILEGPUTENSORCOREOPS_TD

//===- Passes that prepare a lowered kernel for the NVPTX back end ------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_THREADTOPTX_PASSES_TD
#define TILEC_CONVERSION_THREADTOPTX_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertThreadToPTXPass : Pass<"convert-thread-to-ptx", "::mlir::ModuleOp"> {
  let summary = "turns the thread-level tilegpu operations into LLVM dialect and inline PTX";
  let description = [{
    The last step before LLVM IR on the way to an NVIDIA GPU, and the one place where PTX text is written. It expects
    a module in the LLVM and NVVM dialects with thread-level `tilegpu` operations and leaves LLVM and NVVM only.

    | operation | becomes |
    |---|---|
    | `ld_global`, `st_global` without predicate and hints | `llvm.load`, `llvm.store`, aligned to the access |
    | `ld_global`, `st_global` with either | one predicated PTX instruction as `llvm.inline_asm` |
    | `ld_shared`, `st_shared` | `llvm.load`, `llvm.store`; `st_shared` with a predicate: inline PTX |
    | `atomic_rmw_global`, `atomic_cas_global` | one predicated `atom` as `llvm.inline_asm`, or `red` when the old value is not used |
    | `atomic_add_shared` | one predicated `red` in shared memory, relaxed: barriers order it |
    | NVVM's `cp.async` with `tilegpu.evict` or `tilegpu.whole_lines` | `cp.async` with `.L2::cache_hint` or `.L2::128B` as `llvm.inline_asm` |
    | `shared_base` | the address of the external shared array `@tilec_shared`, aligned to 1024 bytes. Where single threads start copies from there, or make barrier objects in kernels whose warps have no roles, it is taken once, from one lane (`shfl`) |
    | `thread_assert` | a branch around a call of `__assertfail` with message, file, line, function |
    | `thread_print` | a branch around a call of `vprintf` |
    | NVVM operations that have no LLVM intrinsic | `llvm.inline_asm`, by upstream's patterns |

    **Width.** An access takes 1, 2, 4, 8 or 16 bytes (global ones 32 from sm_100 on) and becomes one instruction: a vector is regrouped into 32-bit
    registers (64-bit ones when its elements are `i64`), so `vector<16xi8>` and `vector<4xi32>` both are `.v4.b32`.

    **Predicate.** The register of a masked-off load must keep `other`, so `other` (zero without it) is an input that
    is tied to the output register, and the instruction only overwrites it when the predicate holds. A predicate that
    is a constant disappears.

    **Hints.** A cache modifier is written as `.ca`, `.cg`, `.cs`, `.cv` (loads) or `.wb`, `.cg`, `.cs`, `.wt`
    (stores). An eviction policy is written for L1 (`.L1::evict_first`, `.L1::evict_last`) and, from sm_80 on, for L2
    as well (`.L2::cache_hint` with a policy made once per function). PTX does not allow an L1 policy beside a cache
    modifier, nor any hint on a volatile access: what cannot be said is dropped, with a missed-optimisation remark
    `hint-dropped`. A modifier that the instruction does not have (`.wb` on a load) is dropped in the same way.

    **Atomics.** A `red` has no acquire order: nobody sees the value that it reads. Adjacent f16 or bf16 values are
    packed in pairs, and several pairs or f32 values become one vector instruction on sm_90.

    **Order.** Inline PTX has side effects, so no pass moves it over a barrier or another access.

    Errors: an access of another size, a printed value that is no integer, float or pointer.

    Example:

    ```mlir
    %v = tilegpu.ld_global %a if %p : !llvm.ptr<1> -> vector<2xi32>
    ```

    becomes, for the access itself,

    ```mlir
    %r = llvm.inline_asm has_side_effects "@$3 ld.global.v2.b32 {$0, $1}, [$2];", "=r,=r,l,b,0,1"
           %a, %p, %zero, %zero : (!llvm.ptr<1>, i1, i32, i32) -> !llvm.struct<(i32, i32)>
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
  let statistics = [
    Statistic<"numPlainAccesses", "plain-accesses", "accesses that became llvm.load or llvm.store">,
    Statistic<"numInlineAccesses", "inline-accesses", "accesses that became inline PTX">,
    Statistic<"numDroppedHints", "dropped-hints", "cache hints that PTX cannot express">
  ];
}

#endif // TILEC_CONVERSION_THREADTOPTX_PASSES_TD

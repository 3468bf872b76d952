//===- NVVM to the simulator ----------------------------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_NVVMTOSIM_PASSES_TD
#define TILEC_CONVERSION_NVVMTOSIM_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertNVVMToSimPass : Pass<"convert-nvvm-to-sim", "::mlir::ModuleOp"> {
  let summary = "turns a lowered kernel into host code that calls the simulator's runtime";
  let description = [{
    The last step before LLVM IR on the way to the simulator. It expects the module that would go to an NVIDIA GPU
    (LLVM and NVVM dialects with thread-level `tilegpu` operations) and leaves the LLVM dialect only. Everything with
    an effect outside the thread becomes a call of a function in `tilecrt/sim/SimAbi.h`.

    | operation | becomes |
    |---|---|
    | `ld_global`, `st_global`, `llvm.load`/`store` of `!llvm.ptr<1>` | `tilec_sim_global_load`, `tilec_sim_global_store` |
    | `ld_shared`, `st_shared`, `llvm.load`/`store` of `!llvm.ptr<3>` | `tilec_sim_shared_load`, `tilec_sim_shared_store` |
    | volatile and atomic accesses, `llvm.atomicrmw`, `llvm.cmpxchg` | `tilec_sim_atomic` |
    | `shared_base` | a null `!llvm.ptr<3>`: a shared pointer is its offset in the window |
    | special registers (`tid`, `ctaid`, `laneid`, ...) | `tilec_sim_tid`, ... |
    | `nvvm.read.ptx.sreg.clock`, `clock64` | `tilec_sim_clock` |
    | `nvvm.barrier`, `barrier0`, `barrier.arrive`, `bar.warp.sync` | `tilec_sim_barrier`, ... |
    | `nvvm.shfl.sync`, `redux.sync`, `vote.sync`, `match.sync`, `elect.sync` | `tilec_sim_shfl`, ... |
    | `llvm.fence`, `nvvm.memory.barrier`, `nvvm.fence.sc.cluster` | `tilec_sim_fence` |
    | `nvvm.mma.sync`, `thread_mma`, `nvvm.ldmatrix`, `stmatrix` | `tilec_sim_mma`, `tilec_sim_ldmatrix`, ... |
    | `nvvm.wgmma.*`, `thread_wgmma`, `thread_wgmma_wait` | `tilec_sim_wgmma`, ... |
    | `nvvm.cp.async.*` | `tilec_sim_cp_async`, ... |
    | `nvvm.mbarrier.*`, `nvvm.fence.proxy`, `fence.mbarrier.init` | `tilec_sim_mbarrier_init`, `tilec_sim_fence_proxy`, ... |
    | `nvvm.cp.async.bulk.*`, tensor copies in tile mode | `tilec_sim_bulk_load`, `tilec_sim_tensor_load`, ... |
    | the same with a multicast mask, `nvvm.cp.async.bulk.shared.cluster.shared.cta` | `tilec_sim_bulk_multicast`, `tilec_sim_tensor_multicast`, `tilec_sim_bulk_shared` |
    | `nvvm.mapa`, `nvvm.cluster.arrive`, `cluster.wait` | `tilec_sim_mapa`, `tilec_sim_cluster_arrive`, ... |
    | `llvm.load`/`store` of `!llvm.ptr<7>` | `tilec_sim_cluster_load`, `tilec_sim_cluster_store` |
    | `thread_assert`, `llvm.intr.trap` | `tilec_sim_assert_fail`, `tilec_sim_trap` |
    | `thread_print` | `tilec_host_print`, which writes the coordinates and calls `tilec_sim_print` |
    | `llvm.nvvm.*` approximations, `__tilec_math_NAME_TYPE` | LLVM's intrinsics, functions of the C library |

    **Kernels.** A function with `nvvm.kernel` becomes internal, without NVVM attributes, and gets a wrapper
    `void @NAME_entry(ptr %args)` that loads every argument from an array of pointers to the arguments and carries
    `tilec.kernel_entry = "NAME"`. Booleans are bytes there. Functions of the module get the suffix `.device`, so that
    a kernel may have the name of a function of the C library.

    An argument with `llvm.byval` is an object of which the kernel gets the address: a tensor map
    (`tilecrt/sim/TensorMap.h`).

    **Accumulators of wgmma** are words that stand for results in flight. NVVM's wait has no results, so every use of a
    register that may be one, through structs and block arguments, becomes a question to the runtime, which knows
    whether the product has landed (`tilec_sim_wgmma_read`).

    **Clusters.** An address in `shared::cluster` is an offset in the CTA's own window, or what `tilec_sim_mapa` has made of one for
    another CTA: the offset with the rank above it (`tilecrt/sim/SimClusterAbi.h`). So a conversion of `!llvm.ptr<3>` to `!llvm.ptr<7>` does
    nothing. How many CTAs a cluster has is said at launch; `nvvm.cluster_dim` goes away.

    **Sites.** Every instrumented operation has an index in the module attribute `tilec.sites`. Of an inlined
    operation the place is the innermost one, `what` names the caller, and `callers` has all of them. A site that
    counts the instructions of a block has in `block` how many there are at which site: number of the site, class, amount.
    Atomics of one place have one site, with `uniform` where the address is made of arguments and the CTA's place only.

    **Counts** are to be those of a GPU, whose compiler does equal loads of shared memory once. So with `count-instructions` those
    of up to 8 bytes are calls of `tilec_sim_shared_value`, a function that only reads, and those of one place have one site.
    What LLVM knows of special registers (`tid` is less than 1024) is said of the calls, so that addresses are simplified as there.

    **Precision.** Approximate instructions are computed to the C library's precision (within 1 ulp, reciprocal
    square root 1.5 ulp), so results are as accurate as the GPU's or better, and f32 subnormals are kept where `.ftz`
    flushes them. What LLVM leaves undefined but GPUs define is as on the GPU: float to integer conversion saturates,
    a division by zero gives all ones and its remainder is the dividend.

    **Endless loops.** A loop that could run without ever calling the runtime gets a call on its back edge, so that
    the simulator's step limit stops it.

    Errors: an NVVM operation, intrinsic, external function, generic pointer or inline assembly that the simulator
    does not have.

    Example:

    ```mlir
    %v = tilegpu.ld_global %a if %p : !llvm.ptr<1> -> i32
    ```

    becomes

    ```mlir
    llvm.store %zero, %scratch : i32, !llvm.ptr
    %i = llvm.ptrtoint %a : !llvm.ptr<1> to i64
    %q = llvm.zext %p : i1 to i32
    llvm.call @tilec_sim_global_load(%i, %scratch, %four, %q, %site) : (i64, !llvm.ptr, i32, i32, i32) -> ()
    %v = llvm.load %scratch : !llvm.ptr -> i32
    ```
  }];
  let options = [
    Option<"countInstructions", "count-instructions", "bool", "false",
      "call tilec_sim_count in every block with the number of operations of each class, as they stand before LLVM's optimisations">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TILEC_CONVERSION_NVVMTOSIM_PASSES_TD

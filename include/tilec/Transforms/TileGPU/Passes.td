//===- Passes on the tilegpu dialect ----------------------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_TRANSFORMS_TILEGPU_PASSES_TD
#define TILEC_TRANSFORMS_TILEGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileGPUCoalescePass : Pass<"tilegpu-coalesce", "::mlir::ModuleOp"> {
  let summary = "choose a layout for every global access from its contiguity";
  let description = [{
    For each load and store of a tensor: dimensions are ordered by the pointers' contiguity, a thread takes as many
    consecutive elements as fit in 16 bytes and as contiguity and alignment allow, and lanes run along the
    contiguous dimension first. Accesses of one shape and order in a function agree on the largest width, so that
    no conversion is needed between them. Conversions are put around the accesses whose layout changes.

    An access that gets less than 16 bytes per thread although its tensor is large enough is reported as a
    `vectorize` remark with the reason.
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPURemoveLayoutConversionsPass
    : Pass<"tilegpu-remove-layout-conversions", "::mlir::ModuleOp"> {
  let summary = "choose layouts for all other tensors so that few conversions remain";
  let description = [{
    Global accesses are anchors and keep their layouts. Layouts flow forward from their results through elementwise
    operations, reductions, shape changes and loops; what depends on no anchor (ranges, splats, constants and
    arithmetic on them, and loads too small to fill the threads) is recomputed in whatever layout its users want.
    Values that go round a loop and depend on no anchor take the layout that their first user wants. One conversion
    per value and layout is left where a user wants another layout than the value has.

    The function is rewritten in one forward sweep; cost is linear in the operations and the conversions left.
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPUUnrollLoopsPass : Pass<"tilegpu-unroll-loops", "::mlir::ModuleOp"> {
  let summary = "unroll loops that stream from memory, loads first";
  let description = [{
    An innermost `scf.for` whose only memory operations are loads is unrolled until a thread has `bytes-in-flight`
    bytes of loads before their first use, at most `max-factor` times; the loads of all iterations move to the start of
    the body with their address arithmetic. The iterations left over run in the original loop behind it. The factor
    that `tl.range(loop_unroll_factor=...)` asks for is taken as it is; 1 switches the pass off for a loop. CTAs of at
    most 128 threads get twice the goal. A loop that also reduces across threads is unrolled by two only.

    The assembler would sink the loads to their uses again to save registers, so the module attribute
    `tilegpu.min_ctas` tells it that `threads-per-multiprocessor` resident threads are enough (128 registers each for
    512). Measured on an H200; docs/performance.md has the figures.

    Does not change results: iterations keep their order, and loads move only past loads and arithmetic.
  }];
  let options = [
    Option<"bytesInFlight", "bytes-in-flight", "int64_t", "128", "goal of loaded bytes per thread before the first use">,
    Option<"maxFactor", "max-factor", "int64_t", "8", "largest unroll factor chosen">,
    Option<"threadsPerMultiprocessor", "threads-per-multiprocessor", "int64_t", "512",
           "resident threads that the register budget of unrolled kernels is for">
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def TileGPUDecomposeAtomicsPass : Pass<"tilegpu-decompose-atomics", "::mlir::ModuleOp"> {
  let summary = "bring the old values of atomics to all threads that need them";
  let description = [{
    A scalar atomic is performed by the first thread, one of a tensor by the first of the threads that hold an
    element. Where other threads hold it too and the old value is used, it goes to them through a buffer in shared
    memory, whose barriers `tilegpu-insert-barriers` adds.

    A scalar atomic with release order speaks for the whole program: where other threads may have accessed global
    memory since the last barrier, one is put before it. For one of a tensor that is done after stores only; its
    elements order the loads and atomics of the thread that performs them.
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPUDecomposeReductionsPass : Pass<"tilegpu-decompose-reductions", "::mlir::ModuleOp"> {
  let summary = "split reductions that cross warps";
  let description = [{
    A reduction whose axis is spread over warps becomes a partial reduction inside each warp, a layout conversion
    that brings the warps' results together in the registers of every thread that needs them, and a reduction inside
    the thread. What is left reduces over registers and lanes only.
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPUDecomposeScansPass : Pass<"tilegpu-decompose-scans", "::mlir::ModuleOp"> {
  let summary = "split scans that cross warps";
  let description = [{
    A scan whose axis is spread over warps becomes a partial scan inside each warp, a layout conversion that brings the
    warps' totals into the registers of every thread, and an operation that combines each element with the totals
    before it. What is left works on registers and lanes only.

    The axis must run through a layout as registers, lanes, warps, registers, lowest bits first. Operands in any other
    layout, or in one with more than 32 totals for a thread and twice as many as elements, are converted to a layout
    with as much of the axis as possible in each thread, and the results converted back; a `scan` remark says so.
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPUDecomposeGathersPass : Pass<"tilegpu-decompose-gathers", "::mlir::ModuleOp"> {
  let summary = "send gathers and histograms through shared memory";
  let description = [{
    A gather stores its source to a row-major buffer and reads each element by its index. A histogram counts in a
    buffer of zeros with atomic additions. Each gather is a `gather` remark with the buffer's bytes.
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPUDecomposeConversionsPass : Pass<"tilegpu-decompose-conversions", "::mlir::ModuleOp"> {
  let summary = "send conversions that need it through shared memory";
  let description = [{
    A conversion that moves elements between warps, or for which shuffles would cost more, becomes an allocation in
    shared memory with a swizzled layout free of bank conflicts as far as possible, a store, and a load. The others
    stay and become register moves or shuffles. Each one that goes through shared memory is a `convert-layout`
    remark with its bytes and bank conflicts.
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPUAllocateSharedMemoryPass : Pass<"tilegpu-allocate-shared-memory", "::mlir::ModuleOp"> {
  let summary = "place the shared-memory buffers";
  let description = [{
    Buffers that are never live together share memory. Sets `offset` on every `tilegpu.local_alloc` and the module's
    `tilegpu.shared_bytes`. An error says who uses what when the target's limit is exceeded.
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPUInsertBarriersPass : Pass<"tilegpu-insert-barriers", "::mlir::ModuleOp"> {
  let summary = "put barriers between conflicting accesses of shared memory";
  let description = [{
    Before an access of shared memory that overlaps an earlier one of another operation, where one of the two
    writes, and no barrier lies between on some path, a CTA barrier is inserted. Runs after allocation.
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

def TileGPUOrderGlobalAccessesPass : Pass<"tilegpu-order-global-accesses", "::mlir::ModuleOp"> {
  let summary = "put a barrier between a load that several warps make and a later store";
  let description = [{
    In the source a load that comes before a store reads the old value. A scalar, or a tensor smaller than the CTA, is
    loaded by several warps, of which one stores; without a barrier a slow warp could load what a fast one has stored
    already. A CTA barrier is inserted before the first write to global memory after such a load. Accesses whose
    elements have one thread each need none and get none.
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

#endif // TILEC_TRANSFORMS_TILEGPU_PASSES_TD

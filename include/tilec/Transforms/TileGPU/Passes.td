//===- Passes on the tilegpu dialect ----------------------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_TRANSFORMS_TILEGPU_PASSES_TD
#define TILEC_TRANSFORMS_TILEGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileGPUCoalescePass : Pass<"tilegpu-coalesce", "::mlir::func::FuncOp"> {
  let summary = "choose a layout for every global access from its contiguity";
  let description = [{
    For each load and store of a tensor: dimensions are ordered by the pointers' contiguity, a thread takes as many
    consecutive elements as fit in 16 bytes (32 from sm_100 on, where all accesses can) and as contiguity and alignment allow, and lanes run along the
    contiguous dimension first. Accesses of one shape and order in a function agree on the largest width, so that
    no conversion is needed between them. Conversions are put around the accesses whose layout changes.
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPUSelectLayoutsPass : Pass<"tilegpu-select-layouts", "::mlir::func::FuncOp"> {
  let summary = "choose the layouts of all tensors by cost";
  let description = [{
    Which layouts an operation's tensors have follows from one working layout, by the table in
    `lib/Analysis/LayoutRules.cpp`. Atomics, dots and operations that are not in the table keep theirs.
    Candidates are the layouts that coalescing gave to accesses with at least an element for each thread; they spread
    from there over definitions and uses. Ranges, splats, constants, cheap arithmetic on them and loads too small to
    fill the threads have no layout of their own: they are computed in whatever layout their users want.

    The choice minimises `lib/Analysis/LayoutCost.cpp`'s estimate: conversions (shuffles, shared memory), accesses
    (instructions, lines, sectors), arithmetic on replicas, reductions and scans, all times the trip counts of the loops
    around. It starts with the nearest access's layout everywhere; then, label by label, a minimum cut finds the set of
    operations and loop-carried values that should change to the label. A value that is still needed in another layout
    is converted behind its definition, or computed again when that costs less, which moves conversions up over casts
    and before what grows a tensor.

    At most 16 candidates for each connected part of a function; the work is about linear in the operations.
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPUUnrollLoopsPass : Pass<"tilegpu-unroll-loops", "::mlir::ModuleOp"> {
  let summary = "unroll loops that stream from memory, loads first";
  let description = [{
    An innermost `scf.for` whose only memory operations are loads is unrolled until a thread has `bytes-in-flight`
    bytes of loads before their first use, at most `max-factor` times; the loads of all iterations move to the start of
    the body with their address arithmetic. The iterations left over run in the original loop behind it. The factor
    that `tl.range(loop_unroll_factor=...)` asks for is taken as it is; 1 switches the pass off for a loop. Pipelined
    loops are not unrolled, whatever they ask for. CTAs of at most 128 threads get twice the goal. A loop that also reduces across
    threads is unrolled by two only.

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

def TileGPUDecomposeAtomicsPass : Pass<"tilegpu-decompose-atomics", "::mlir::func::FuncOp"> {
  let summary = "bring the old values of atomics, and volatile loads, to all threads that need them";
  let description = [{
    A scalar atomic is performed by the first thread, one of a tensor by the first of the threads that hold an
    element. Where other threads hold it too and the old value is used, it goes to them through a buffer in shared
    memory, whose barriers `tilegpu-insert-synchronisation` adds. A volatile load that several warps make, a scalar one for
    example, is handed around in the same way: its memory may change meanwhile, and all threads take the same branch.
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPUDecomposeReductionsPass : Pass<"tilegpu-decompose-reductions", "::mlir::func::FuncOp"> {
  let summary = "split reductions that cross warps";
  let description = [{
    A reduction whose axis is spread over warps becomes a partial reduction inside each warp, a layout conversion
    that brings the warps' results together in the registers of every thread that needs them, and a reduction inside
    the thread. What is left reduces over registers and lanes only.
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPUDecomposeScansPass : Pass<"tilegpu-decompose-scans", "::mlir::func::FuncOp"> {
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

def TileGPUDecomposeGathersPass : Pass<"tilegpu-decompose-gathers", "::mlir::func::FuncOp"> {
  let summary = "send gathers and histograms through shared memory";
  let description = [{
    A gather stores its source to a row-major buffer and reads each element by its index. A histogram counts in a
    buffer of zeros with atomic additions. Each gather is a `gather` remark with the buffer's bytes.
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPUDecomposeReduceScattersPass : Pass<"tilegpu-decompose-reduce-scatters", "::mlir::func::FuncOp"> {
  let summary = "CTAs of a cluster exchange parts of sums through distributed shared memory";
  let description = [{
    Each CTA stores every part of its rows into the ring of the CTA that gets it (`tilegpu.cluster_store`), and then adds up
    what has arrived in its own. Scatters that follow each other share the two barriers of the cluster: the first says
    that rings may be written to, the second that they have been. Each ring is a `memory` remark with its bytes.

    ```mlir
    tilegpu.cluster_barrier opens %ring : !ring
    tilegpu.cluster_store %sums, %ring part %p : tensor<128x64xf32, #a>, !ring
    tilegpu.cluster_barrier
    %first = tilegpu.local_load ... : !buffer -> tensor<64x64xf32, #b>
    ```
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect", "::mlir::arith::ArithDialect"];
}

def TileGPUAccelerateDotsPass : Pass<"tilegpu-accelerate-dots", "::mlir::func::FuncOp"> {
  let summary = "choose the instruction of every dot: wgmma, mma.sync or multiply-adds";
  let description = [{
    On `sm_90a` a `tilegpu.dot` of at least 64 rows, 8 columns and 32 bytes of depth, of types that the instruction has,
    becomes a `tilegpu.wgmma`: warpgroups are spread along the rows first, then along the columns; operands are stored
    to swizzled buffers, contiguous in the dimension in which memory is, as far as the instruction reads them so; a left
    operand computed from another dot stays in registers.

    Other dots become a `tilegpu.mma` on sm_80 and later: warps are spread for the fewest instructions and operand
    elements, along the rows alone when dots are chained; operands go through buffers that are swizzled so that
    fragments are read without bank conflicts, and are reshaped and widened behind the buffer. What is left (f32 in full
    precision, older targets) stays. Remarks say why a dot does not run on the best one.
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPUStageLoadsPass : Pass<"tilegpu-stage-loads", "::mlir::func::FuncOp"> {
  let summary = "one buffer for dots that read the same tensor; vectors in loops with dots through shared memory";
  let description = [{
    Buffers that are filled from the same tensor, in one order of the dimensions or another, become one and views of it
    where the readers can read its layout. So a tensor that is an operand of two dots, and transposed in one of them,
    is still a load that only fills a buffer, which `tilegpu-pipeline-loops` pipelines.

    In an `scf.for` with dots, a load of a vector of 32-bit elements or wider, whose address and mask are known
    ahead, goes through a buffer of shared memory, so that it is pipelined as well. So does one of 8 or 16 bits where
    as many neighbours as an async copy takes, 4 bytes, are known to be contiguous. Not so beside operands that all come by
    tensor copies. Beside batched dots it is a vector for each batch. Loops that write to global memory are left alone, as
    they are by the pipeliner.

    A load that fills a buffer and leaves each thread less than 4 bytes of it is spread anew: some threads have up to 16
    neighbouring bytes, the others repeat them.
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPUOverlapProductsPass : Pass<"tilegpu-overlap-products", "::mlir::func::FuncOp"> {
  let summary = "wait for a dot in flight where its result is used";
  let description = [{
    A `tilegpu.wgmma_wait` moves down to the first use of its results, past arithmetic, loads and the starts of other
    dots, and lets the dots started on the way stay in flight. It stays in front of barriers, of writes to shared memory,
    which could be to the dot's operands, and of a `tilegpu.slot_release` of what the dot reads.

    Does not change results.
  }];
}

def TileGPUBranchSelectsPass : Pass<"tilegpu-branch-selects", "::mlir::func::FuncOp"> {
  let summary = "compute what only one side of a select by a scalar needs in a branch";
  let description = [{
    An `arith.select` of two tensors by a scalar, as the one between scores with a mask and without, becomes an `scf.if` with
    what is computed for one of its operands alone inside, where that takes a thread more time than the branch: 32
    operations. All threads go the same way. Runs behind `tilegpu-overlap-products`: waits for dots in flight pass selects.

    Does not change results.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def TileGPUDeferReductionsPass : Pass<"tilegpu-defer-reductions", "::mlir::func::FuncOp"> {
  let summary = "threads add up for themselves in a loop, and together behind it";
  let description = [{
    A value that an `scf.for` carries and only adds a `tile.reduce` to in each iteration, multiplied before by something that
    is the same for all that is reduced or not, becomes one element per thread: `tilegpu.partial_reduce` in the loop, and
    one reduction behind it. So the row sums of online softmax need no shuffles in the loop, and where several warps share
    a row no barrier. The same for maxima and minima that nothing else in the loop reads. The value has to begin
    with zero, or with the result of such a loop; maxima and minima with anything.

    Additions come in another order; results differ in rounding.
  }];
  let dependentDialects = ["::tilec::tile::TileDialect", "::tilec::tilegpu::TileGPUDialect", "::mlir::arith::ArithDialect"];
}

def TileGPUPipelineLoopsPass : Pass<"tilegpu-pipeline-loops", "::mlir::func::FuncOp"> {
  let summary = "software-pipeline loops: async copies of operands iterations ahead, dots in flight";
  let description = [{
    In an `scf.for`, a load that only fills a buffer of a dot becomes an async copy (`cp.async`, TMA) into a ring of
    `num_stages` buffers, `num_stages - 1` iterations ahead, and a dot whose result is only added to in the next
    iteration stays in flight until then. `num_stages` is the loop's, or the kernel's; less than 2 switches the pass off.
    A remark says why a load stays, and of a copy that loses the load's eviction policy. Copies of rows of less than 128
    bytes that are not gathered get `whole_lines` where the target gains by it.

    In loops with several dots, or with one and in a loop over tiles or in programs of a cluster, that have a multiprocessor
    to themselves, and where `warp_specialize=True` asks for it, the tensor copies are started by warps of their own
    (`tilegpu-split-roles`): slots are acquired before they are filled, and released when they have been read. A remark says
    why not, where the loop asks for it. A kernel of one warpgroup whose tiles a second one is to take in turn gets the
    attribute `tilegpu.ping_pong` (`tilegpu-ping-pong`).

    In a loop without dots that asks for `num_stages` itself (`tl.range(..., num_stages=3)`), or one that reduces in
    each iteration if `reduction-stages` is given, loads become async copies into slots that each thread
    reads back itself: no registers, no barriers. There are as many stages as fit in 448 bytes of each thread
    and in shared memory.
  }];
  let options = [
    Option<"reductionStages", "reduction-stages", "int64_t", "0",
           "stages of loops that reduce in each iteration; less than 2: none">,
    Option<"loadWarps", "load-warps", "std::string", "\"auto\"",
           "warps of their own for tensor copies where loops do not say: on, off, or auto: where it pays">,
    Option<"numCtas", "num-ctas", "int", "1", "programs of a cluster, whose load warps copy for each other">
  ];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def TileGPUMakePersistentPass : Pass<"tilegpu-make-persistent", "::mlir::func::FuncOp"> {
  let summary = "CTAs that run one program after the other";
  let description = [{
    The kernel's body goes into a loop over the programs of its grid: a CTA runs those with the numbers `c`, `c + n`,
    `c + 2 n`, ... of all, where `c` is its own number and `n` that of CTAs. `tile.program_id` becomes
    `tilegpu.program_of_tile`, `tile.num_programs` an argument that the launch adds. Scalars that are the same for all
    programs are computed in front of the loop. A kernel that cannot be so (`PersistencePlan`) stays, with a remark.

    Where programs with a larger index along an axis have more iterations to do (causal attention), those with the largest
    index come first, and in two turns a CTA runs a long one and a short one. The rings of products get no more stages than
    leave room for a tile that threads exchange before they store it, or for 64 KiB of it, and those of attention none that
    take the room of the next program's queries, if there are at least two then; a `pipeline` remark says so.

    By cost: kernels whose programs make one tile of a product each, whose load warps then fetch the next one while it is
    stored, and those of attention whose queries can have a slot (`gainsFromTurns`); if programs are of different lengths,
    with `dynamic` only: else the GPU's own order is the better one. That is so for grids of more programs than run at once,
    which is for whoever compiles for a grid to ask; otherwise such a kernel gets the attribute
    `tilegpu.gains_from_turns`. Where rows of B begin between sectors of 32 bytes, a block takes a quarter more of the
    second cache's bandwidth: such programs run in pairs, which mostly have the same columns and copy for each other
    (`tilegpu.paired`, see tilegpu-multicast-copies), if a tile has no more rows than columns.

    ```mlir
    %t = ...  // this turn's program, of %gx * %gy * %gz
    %x = tilegpu.program_of_tile 0, %t of %gx, %gy, %gz
    ```
  }];
  let options = [
    Option<"persistent", "persistent", "std::string", "\"off\"",
           "on, off, or auto: by cost, for a grid of more programs than run at once">,
    Option<"reductionStages", "reduction-stages", "int64_t", "0", "as of tilegpu-pipeline-loops">,
    Option<"dynamic", "dynamic", "bool", "true",
           "whether programs of different lengths will go to the CTAs that are done first (tilegpu-schedule-dynamically)">
  ];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
}

def TileGPUOrderProgramsPass : Pass<"tilegpu-order-programs", "::mlir::func::FuncOp"> {
  let summary = "programs that take longest run first";
  let description = [{
    Where programs with a larger index along an axis have more iterations of their loops to do, or fewer (causal attention
    and its backward pass), those with most run first: a multiprocessor that is done early then has a short one to go on
    with, and the last ones end together. Of the heads, so many take turns as read together what fits a third of the second
    cache. `tile.program_id` becomes `tilegpu.ordered_program`.

    Only kernels with products of warpgroups, whose programs need not wait for each other (`PersistencePlan`).

    ```mlir
    // Of %g neighbours along y at first those with the last index along x.
    %x = tilegpu.ordered_program 0 longest 0 last in %g
    %y = tilegpu.ordered_program 1 longest 0 last in %g
    ```
  }];
  let options = [
    Option<"reductionStages", "reduction-stages", "int64_t", "0", "as of tilegpu-pipeline-loops">
  ];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def TileGPUSplitRolesPass : Pass<"tilegpu-split-roles", "::mlir::ModuleOp"> {
  let summary = "part kernels into computing warps and a warp that loads";
  let description = [{
    A function with `tilegpu.slot_acquire` becomes one `tilegpu.warp_roles`: a warp more than `tilegpu.num_warps`, counted
    by `tilegpu.load_warps`, starts the tensor copies of its pipelined loops and does nothing else. It runs ahead of the
    others as far as the rings allow, over the ends of loops as well. Rings and barrier objects are made in front.

    On modules: warps are launched for the module's kernel.
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect", "::mlir::NVVM::NVVMDialect", "::mlir::ub::UBDialect"];
}

def TileGPUMulticastCopiesPass : Pass<"tilegpu-multicast-copies", "::mlir::ModuleOp"> {
  let summary = "clusters of programs whose tensor copies fill the slots of several";
  let description = [{
    With `num-ctas` of n programs with the numbers `n i` to `n i + n - 1` along x form a cluster, in kernels whose load warps
    fill slots in loops that are as long for all programs, but for one around them (that of a persistent kernel, whose last
    iteration some of them may lack). A copy whose coordinates are the same for two, four or eight of them, which is seen
    when the kernel runs, is started once, by turns, for the slots of all these: a part of the reads of the second cache.
    The computing warps release a slot to all CTAs. The kernel's launch has a grid whose first size is a multiple of n.

    A remark says what was done, or why a kernel stays as it is.
  }];
  let options = [Option<"numCtas", "num-ctas", "int", "1", "programs of a cluster: 1, 2, 4 or 8">];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect", "::mlir::arith::ArithDialect"];
}

def TileGPUPingPongPass : Pass<"tilegpu-ping-pong", "::mlir::ModuleOp"> {
  let summary = "two warpgroups that take the tiles of a kernel in turn";
  let description = [{
    In a function with `tilegpu.ping_pong` (see tilegpu-pipeline-loops) a second group of `tilegpu.num_warps` warps is
    launched (`tilegpu.compute_groups`). Each computes every second tile of the loop over tiles, so that one multiplies
    while the other one stores its tile, computes with it, or begins the next one. The load warp fills the ring for both,
    tile after tile. They multiply in turn (`tilegpu.turn_wait`, `tilegpu.turn_pass`).

    Each group counts the slots of the other one's tiles, too: all loops of a tile fill one ring, how many iterations they
    have is arithmetic of the tile's number, and nothing is carried from tile to tile. Else a remark says why the kernel has
    one group.
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect", "::mlir::arith::ArithDialect"];
}

def TileGPUScheduleDynamicallyPass : Pass<"tilegpu-schedule-dynamically", "::mlir::ModuleOp"> {
  let summary = "programs go to the CTAs that are done first (a dynamic tile scheduler)";
  let description = [{
    In a persistent kernel with load warps whose programs take longer and longer, or shorter and shorter, a CTA begins with the
    program of its own number and takes the next one from a counter in global memory, an argument that the launch adds
    (`tile.program_counter`). The order stays: those that take longest come first, so that CTAs end together. The load warp
    takes a number while it loads for the program before, and tells the computing warps when it is done with that.

    Not where CTAs of a cluster run their programs at the same time, or two warpgroups take tiles in turn.

    ```mlir
    // load                                      // compute
    scf.for %turn = ... {                        scf.for %turn = ... {
      %tile = tilegpu.turn_program %turn ...       %tile = tilegpu.turn_program %turn ...
      %ticket = tilegpu.take_program %counter      ...
      ...                                          tilegpu.mbarrier_wait %full[%slot], %parity
      tilegpu.slot_acquire %empty[%slot], ...      %next = tilegpu.receive_program %number
      %next = tilegpu.send_program %ticket ...     tilegpu.slot_release %empty[%slot]
      tilegpu.next_program %next of %all           tilegpu.next_program %next of %all
    }                                            }
    ```
  }];
  let options = [
    Option<"programCounter", "program-counter", "bool", "true", "whether launches have a counter">
  ];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect", "::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"];
}

def TileGPUCheckProtocolPass : Pass<"tilegpu-check-protocol", "::mlir::func::FuncOp"> {
  let summary = "check how warps hand slots of rings to each other";
  let description = [{
    For functions with barrier objects, with roles (`tilegpu.warp_roles`) or without. Changes nothing. What each role does
    with barrier objects and slots is run abstractly (`RoleProtocol`): with 0, 1, D - 1, D, D + 1 and 2 D + 1 iterations of
    a loop over D slots, three of each loop around, as many in all loops and another count in each, and with one role
    ahead and the other.

    Errors name the role and both places: a wait that no arrival ends, a phase with more or fewer arrivals than its
    barrier object counts, a slot that is filled again before its release or read without a wait for its copy, a release
    before the last read in flight has retired, waits for one parity in a loop, named barriers with another number of
    threads than come, a barrier of the whole CTA in a role. Races between the warps of one role, fences and bytes are
    the simulator's.

    Control flow other than `scf.for`, `scf.if` and `scf.while`, and barrier objects that are chosen at run time are not
    followed: a `pipeline` remark says so.
  }];
}

def TileGPULowerTensorCopiesPass : Pass<"tilegpu-lower-tensor-copies", "::mlir::func::FuncOp"> {
  let summary = "loads through tensor maps outside of pipelines become TMA copies";
  let description = [{
    What `tilegpu-pipeline-loops` has left of `tile.descriptor_load`: a `tilegpu.tma_load` into a buffer, a wait for its
    barrier object, and a load from the buffer; or no load, where the value only fills a buffer of that layout. In a loop
    over tiles whose load warps fill rings that buffer is a ring of two slots, or of one, as many as fit beside an
    epilogue's (one beside those of a tile that leaves in parts, if not otherwise), if nothing writes what is copied:
    `tilegpu.slot_acquire` in front of the copy, which so is the load warps', and `tilegpu.slot_release` behind what reads
    the buffer last. One slot is released inside the last loop, behind the products of its last iteration that read it, if
    that has one; where all tiles have the same number of iterations, inside the loops in front of it as well.
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def TileGPULowerTensorStoresPass : Pass<"tilegpu-lower-tensor-stores", "::mlir::func::FuncOp"> {
  let summary = "stores and reductions through tensor maps become TMA copies";
  let description = [{
    `tile.descriptor_store`, `tile.descriptor_reduce`: a store to a buffer and a `tilegpu.tma_store` of it, which is waited for.

    With `bytes`, those of a loop over tiles that come one behind the other leave in parts where their buffers would take
    more: slices (`tilegpu.extract_slice`) along a dimension that registers alone part, of at most 16384 bytes, or of
    fewer where that is what it takes; up to two buffers for all slices of one type, each waited for before it is
    filled again, in front of the copy before so that one barrier tells of both. Parts of several stores come by turns, in no
    order where they overlap. The tensor maps are for blocks like the slices then, so nothing else may use them. Where no
    parts are small enough, all stays as it is without.

    ```mlir
    tile.descriptor_store %map[%i, %j], %x : !tile.desc<[128, 256], f16>, tensor<128x256xf16, #x>
    // becomes, with bytes=32768,
    %a = tilegpu.local_alloc : !b
    %0 = tilegpu.extract_slice %x axis = 1 start = 0 : tensor<128x256xf16, #x> -> tensor<128x64xf16, #s>
    tilegpu.local_store %0, %a : tensor<128x64xf16, #s>, !b
    tilegpu.tma_store %map[%i, %j], %a : !tile.desc<[128, 64], f16>, !b
    %1 = tilegpu.extract_slice %x axis = 1 start = 64 : tensor<128x256xf16, #x> -> tensor<128x64xf16, #s>
    tilegpu.local_store %1, %b : tensor<128x64xf16, #s>, !b
    tilegpu.tma_store_wait 0
    tilegpu.tma_store %map[%i, %j64], %b : !tile.desc<[128, 64], f16>, !b
    %2 = tilegpu.extract_slice %x axis = 1 start = 128 : tensor<128x256xf16, #x> -> tensor<128x64xf16, #s>
    tilegpu.local_store %2, %a : tensor<128x64xf16, #s>, !b
    // ...
    ```

    Does not change results.
  }];
  let options = [Option<"bytes", "bytes", "int64_t", "0",
                        "shared memory that the stores of a tile may take; 0: as much as they need">];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect", "::mlir::arith::ArithDialect"];
}

def TileGPUDecomposeDotsPass : Pass<"tilegpu-decompose-dots", "::mlir::func::FuncOp"> {
  let summary = "store the operands of dots by multiply-adds to shared memory";
  let description = [{
    A tensor operand of a `tilegpu.dot` is stored to a buffer that is swizzled for the rows or columns that each thread
    reads; 8-bit floats are widened to f16 before. What is left reads both operands from shared memory.
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPUDecomposeConversionsPass : Pass<"tilegpu-decompose-conversions", "::mlir::func::FuncOp"> {
  let summary = "send conversions that need it through shared memory";
  let description = [{
    A conversion that moves elements between warps, or for which shuffles would cost more, becomes an allocation in
    shared memory with a swizzled layout free of bank conflicts as far as possible, a store, and a load. The others
    stay and become register moves or shuffles.
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPURecomputeIndicesPass : Pass<"tilegpu-recompute-indices", "::mlir::func::FuncOp"> {
  let summary = "compute indices behind loops of products again";
  let description = [{
    What is behind the last loop that multiplies by warpgroups and uses integers, pointers or masks made in front of it
    from ranges and scalars gets them computed again, right in front of their first use. The thread's number comes anew there
    (`convert-tilegpu-to-threads`), so that later passes do not put them together again.
  }];
}

def TileGPUPlanRegistersPass : Pass<"tilegpu-plan-registers", "::mlir::ModuleOp"> {
  let summary = "decide what stays in registers, and what is loaded later, rematerialised or spilled to shared memory";
  let description = [{
    Functions with dots are left alone: their registers are planned around the accumulators. In the others the steps below are
    taken one after the other, by one estimate of register pressure (`RegisterPressure`). Results do not change.

    `occupancy`: where the tensors of one CTA take more than half of a multiprocessor's registers, most of what is loaded has
    elements of at most two bytes, and what two CTAs lack in registers fits into shared memory, the module gets
    `tilegpu.min_ctas = 2`, which the steps behind this one keep to, and `tilegpu.planned_occupancy`, which says that code
    without it would do as well should the assembler spill.

    `hoist`: a tensor that is loaded behind a reduction although its address does not depend on it (the weights of a layer
    norm) is loaded in front of it, so that its latency passes while the threads wait for each other anyway. The load moves
    up inside its block, to the last load before the reduction, as long as no operation between may write global memory,
    and a thread needs at most `hoist-registers` registers at every point that it passes, and no more than two CTAs on a
    multiprocessor have.

    `sink`: where the tensors that are live do not fit a thread's registers, loads and cheap elementwise operations whose
    results are used behind that point only move down to their first use, if no operation between may write global memory.

    `rematerialise`: there a tensor that at most four cheap elementwise operations make from one of fewer registers, such as
    an f32 tensor widened from a bf16 one, is computed again from that tensor behind the point. `tilegpu.refresh` keeps
    later steps from merging the two.

    `spill`: there registers of tensors that are not used are spilled to shared memory and reloaded before the next use:
    `tilegpu.park`, `tilegpu.unpark`. As many go as are needed and as shared memory has room for (`RegisterPlan`). Each thread
    reads what it has written itself, so there are no barriers and no bank conflicts. A `register-pressure` remark says how
    much was spilled to shared memory, or how much will be spilled to local memory. Functions with too high register pressure
    get the attribute `tilegpu.few_registers`.
  }];
  let options = [
    ListOption<"steps", "steps", "std::string", "the steps that are taken; none named: all">,
    Option<"hoistRegisters", "hoist-registers", "int64_t", "64",
           "registers of a thread, estimated, up to which loads are hoisted; zero: never">
  ];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPUOrderThreadCodePass : Pass<"tilegpu-order-thread-code", "::mlir::func::FuncOp"> {
  let summary = "schedule the code of a thread for low register pressure";
  let description = [{
    For functions with the attribute `tilegpu.few_registers`, after the conversion to threads. That conversion emits
    one tensor operation after the other for all registers; here each block is ordered anew: what stores, barriers and
    shuffles need is computed when they need it, one register after the other, and loads come as early as registers
    allow. The assembler schedules again, but starts from this order.

    Loads stay behind the writes before them and in front of the writes after them; accesses of a thread's own slots
    in shared memory (`tilegpu.slot`) are ordered among those of the same slot only. The cost is linear in the
    operations, times the number of places where a write has to wait for loads.
  }];
}

def TileGPUOverlapEpiloguesPass : Pass<"tilegpu-overlap-epilogues", "::mlir::func::FuncOp"> {
  let summary = "start a tile's first copies in front of the epilogue of the tile before";
  let description = [{
    Of an `scf.for` over tiles with a pipelined loop inside, the tensor copies that start in front of that loop
    (`tilegpu.tma_load` into a ring) start in front of the epilogue of the tile before instead, and those of the first tile
    in front of the loop over tiles: they arrive while the epilogue converts and stores. Scalar code that they depend on is
    repeated for the next tile. The rings have memory of their own in all of the loop over tiles; where fewer CTAs would
    fit on a multiprocessor for that, everything stays. One CTA is enough for a loop that steps by a constant and asks for it
    (`tl.range(flatten=True)`): its grid has one for each multiprocessor. Load warps run ahead without it.

    Of a loop over tiles that asks for it, the last iterations of the loop inside already start the copies of the next tile, in
    place of those of iterations past the end, so that the ring is never empty. That is for CTAs of 8 warps and more, and
    iterations of at least `least-product` multiplications whose operands the tensor core alone reads: the coordinates of both
    tiles are computed in each.

    Does not change results: nothing that the loop over tiles may write is copied, and no atomic that acquires and no
    volatile load is in it.
  }];
  let options = [Option<"leastProduct", "least-product", "int64_t", /*default=*/"1 << 20",
                        "Multiplications of 16-bit elements, or of as many bits of others, in an iteration of a loop whose "
                        "copies go on with the next tile's">];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPUStoreByWarpgroupPass : Pass<"tilegpu-store-by-warpgroup", "::mlir::func::FuncOp"> {
  let summary = "tensor stores by each warpgroup of what it has computed";
  let description = [{
    A `tilegpu.tma_store` of a loop over tiles gets `warpgroups` where the layout of all that is stored to its buffer gives each computing
    warpgroup the same part of it, in whole boxes: warpgroups then wait for none but their own warps, and
    one goes on with the next tile's products while another one stores. Not in the innermost loop of products, where each
    iteration would start more copies.
    Where boxes would be too high for that, the type of the tensor map gets `rows`, if nothing else uses the map. Maps that the kernel
    encodes stay with the thread that does so. Where some stores stay so and a wait leaves copies in flight, they get
    `commit_all`.

    ```mlir
    tilegpu.local_store %x, %buf
    tilegpu.tma_store %map[%i, %j], %buf : !tile.desc<[128, 64], f16>, !b
    // becomes, of two warpgroups with 64 rows each,
    tilegpu.local_store %x, %buf
    tilegpu.tma_store %map[%i, %j], %buf warpgroups = [0, 64] : !tile.desc<[128, 64], f16, rows = 64>, !b
    ```

    Does not change results.
  }];
}

def TileGPUDeferStoreWaitsPass : Pass<"tilegpu-defer-store-waits", "::mlir::func::FuncOp"> {
  let summary = "wait for a loop's copies to global memory in the next iteration";
  let description = [{
    A `tilegpu.tma_store_wait` right behind the `tilegpu.tma_store` of an `scf.for` moves to where the next iteration fills
    the buffer again, in front of the last other store to shared memory before that if there is one: the barrier behind
    that store serves both. Another wait follows the loop. The buffer moves in front of the loop, and so has memory
    of its own in all iterations; where fewer CTAs would fit on a multiprocessor for that, everything stays. Of waits that
    come together in this way, for two stores of an iteration, one stays.

    Does not change results.
  }];
}

def TileGPUEncodeTensorMapsPass : Pass<"tilegpu-encode-tensor-maps", "::mlir::func::FuncOp"> {
  let summary = "encode the tensor maps that only the program knows";
  let description = [{
    A `tile.make_tensor_descriptor` with `tile.encoded` becomes a `tilegpu.encode_tensor_map`, each into a slot of its own
    of memory that the CTA claims at its beginning (`tilegpu.tensor_maps_open`) and gives back at its end. One that runs
    again writes the slot again: its copies are over by then.
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect", "::mlir::LLVM::LLVMDialect"];
}

def TileGPUAllocateSharedMemoryPass : Pass<"tilegpu-allocate-shared-memory", "::mlir::ModuleOp"> {
  let summary = "place the shared-memory buffers";
  let description = [{
    Buffers that are never live together share memory. Sets `offset` on every `tilegpu.local_alloc` and the module's
    `tilegpu.shared_bytes`. An error says who uses what when the target's limit is exceeded.
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPUInsertSynchronisationPass : Pass<"tilegpu-insert-synchronisation", "::mlir::func::FuncOp"> {
  let summary = "put barriers and proxy fences between accesses that conflict, of shared and of global memory";
  let description = [{
    Shared memory. A barrier goes before an access of shared memory that overlaps an earlier one of another operation, where one of
    the two writes and other threads may not know that the earlier one is done: because no barrier lies between on some
    path, or because it was asynchronous and no barrier lies behind the wait that retires it. Slots of a ring are told
    apart.

    A proxy fence goes in front of the last barrier between an access through the generic proxy (loads, stores,
    cp.async) and a conflicting one through the async proxy (wgmma, TMA), outside of the loops that the first one is
    not in; behind the wait for it, where that barrier is in the next iteration. Points that others make superfluous go.

    A `tilegpu.tma_store_wait` goes where another one comes before anything overwrites what the stores read.

    Atomics. A scalar atomic with release order speaks for the whole program: where other threads may have accessed global
    memory since the last barrier, one is put before it. For one of a tensor that is done after stores only; its
    elements order the loads and atomics of the thread that performs them. A scalar one that acquires gets a barrier
    behind it where accesses follow and threads do not wait for its old value.

    Global memory. In the source the accesses of a program take effect one after the other. In the code each thread keeps
    its own order, and where a place is accessed twice by different threads, once to write, a barrier is inserted in front
    of the second access. Different threads are those that load one replicated element (a scalar, or a tensor smaller than
    the CTA), or have a place in two layouts, or at different elements. A barrier of the warp is enough where only lanes
    of one warp load the same. Accesses whose places have one thread each need none and get none. Places are compared as
    sums of a base, scalars and a pattern (`Analysis/GlobalAddress.h`); taken for granted are that pointer arguments point
    to different memory (except for what all threads load), that a loop that moves an access moves it to another block
    every time, and that blocks which are written one after the other at offsets of unknown distance are different ones.

    Passes that make asynchronous accesses insert the waits; no other pass inserts barriers or fences. Runs after
    allocation.
    `test-print-synchronisation` prints the plan.
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect"];
}

def TileGPUInsertTimelinePass : Pass<"tilegpu-insert-timeline", "::mlir::func::FuncOp"> {
  let summary = "mark what the warps of a kernel do and wait for, to be seen as a timeline";
  let description = [{
    Nothing without `capacity`. Otherwise the kernel takes one pointer more, behind its arguments and in front of tensor
    maps, to a buffer of zeros (`tilecrt/TimelineBuffer.h` says how large), and each operation of this list is put
    between two marks:

    | operation | kind |
    |---|---|
    | `mbarrier_wait` | `copy-wait`: a tensor copy has to land, or `program-wait`: the number of the next program has to come |
    | `slot_acquire` | `slot-wait`: the computing warps have to release a slot of a ring |
    | `turn_wait` | `turn-wait`: the other group of computing warps has to come to the last block of its tile |
    | `async_wait` | `async-wait`: copies by cp.async have to land |
    | `wgmma`, `mma`, `dot` | `dot`: products are issued; those of wgmma are in flight from then on |
    | `wgmma_wait` | `dot-wait`: products have to finish |
    | barriers of the CTA | `barrier` |
    | `tma_load`, `async_copy` | `copy`: copies are issued |
    | `tile.load` | `load`: loads are issued |
    | `tile.store`, `tma_store`, atomics | `store` |
    | `tma_store_wait` | `store-wait`: the buffers of tensor copies to global memory have to be read |
    | the body of a loop | `iteration` |

    The operations and their order stay. Runs last: what it marks is what the threads do.
  }];
  let options = [
    Option<"capacity", "capacity", "int64_t", "0", "most marks of a warp; 0: no timeline">,
    Option<"firstCta", "first-cta", "int64_t", "0", "the first CTA that is seen">,
    Option<"lastCta", "last-cta", "int64_t", "3", "the last one">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def TileGPUReportRemarksPass : Pass<"tilegpu-report-remarks", "::mlir::func::FuncOp"> {
  let summary = "report what the finished kernel loses time with, and why";
  let description = [{
    Reads the code after all layouts are chosen and changes nothing; does nothing in a context without a remark engine.
    Code that is the remainder of a wide loop or branch is left out, and what unrolling has copied is said once.

    `memory-coalescing`: a global access of less than 128 bits per instruction, or with more sectors per warp request
    than its bytes fill, and the reason. `argument-alignment`: a pointer argument that makes accesses narrow because
    nothing is known of its alignment. `layout-conversion`: a tensor that goes through shared memory into another
    layout; partial results of reductions and scans, and buffers of gathers, histograms and atomics do not count.
    `bank-conflict`: a shared-memory access that takes more wavefronts than its bytes fill. `offset-overflow`: narrow
    arithmetic that an address is computed from and that can overflow.
  }];
}

#endif // TILEC_TRANSFORMS_TILEGPU_PASSES_TD

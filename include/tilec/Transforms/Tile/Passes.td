//===- Passes on the tile dialect -------------------------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_TRANSFORMS_TILE_PASSES_TD
#define TILEC_TRANSFORMS_TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileLowerDescriptorsPass : Pass<"tile-lower-descriptors", "::mlir::func::FuncOp"> {
  let summary = "accesses through tensor descriptors become masked accesses through pointers";
  let description = [{
    A descriptor becomes the values that it is made of; a load, store or reduction through it computes pointers in 64
    bits and a mask that is true inside of the tensor. What the descriptor promises of alignment goes on as hints. The
    way to run descriptors where there is no hardware for them.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def TileMarkPollsPass : Pass<"tile-mark-polls", "::mlir::func::FuncOp"> {
  let summary = "loads by which a loop waits for memory become volatile";
  let description = [{
    A `while` that goes on until a load finds another value at the same address waits for somebody else to write it. Such a
    loop may compute nothing at all, so that only a volatile load keeps it, and keeps the load inside of it. Marked are
    loads that the loop's condition depends on and whose address is the same in each iteration: scalar ones anywhere in
    the loop, others in the condition itself.

    ```mlir
    scf.while : () -> () {
      %0 = tile.load %flag volatile : !tile.ptr<i32>
    ```
  }];
}

def TileSqueezeDescriptorAccessesPass : Pass<"tile-squeeze-descriptor-accesses", "::mlir::func::FuncOp"> {
  let summary = "descriptor accesses leave out the dimensions of size one that a reshape drops";
  let description = [{
    A block of one head, `[1, N, D]`, is reshaped to `[N, D]` before it is used. The access has this type itself then, so
    that later passes see a dot's operand that comes straight from a copy. The same for values that are reshaped
    before they are stored.

    ```mlir
    %0 = tile.descriptor_load %d[%h, %i, %z] : !tile.desc<[1, 64, 32], f16> -> tensor<64x32xf16>
    ```
  }];
}

def TileTakeTensorCopiesPass : Pass<"tile-take-tensor-copies", "::mlir::func::FuncOp"> {
  let summary = "loads through pointers that feed dots of warpgroups become loads through descriptors";
  let description = [{
    A load in a loop that is an operand of a dot by warpgroups, and whose addresses are those of a block of a tensor, loads
    through a descriptor made of the kernel's arguments, which `tile-take-tensor-maps` turns into a tensor map:

    ```mlir
    // a_ptr + (pid * 128 + i) * stride + (k * 64 + j), where k * 64 + j < K
    %a = tile.load %pointers, %mask, %zero : tensor<128x64x!tile.ptr<f16>>
    // becomes
    %d = tile.make_tensor_descriptor %a_ptr, shape [%most, %K], strides [%stride] : !tile.ptr<f16> -> !tile.desc<[128, 64], f16>
    %a = tile.descriptor_load %d[%row, %column] : !tile.desc<[128, 64], f16> -> tensor<128x64xf16>
    ```

    So does a load in front of loops with such loads, of which nothing but their dots reads the block, and one that any dot's
    operand is computed from if it has an eviction policy that async copies cannot have on the target.

    The address is a pointer argument and a sum of products. Of the block's two dimensions one has stride 1, the other one
    that the host can compute; pointers that a loop moves on are the first one and the iteration's number of steps. What
    else is added to the pointer, a batch or a head, becomes further dimensions, in which the block has size one. A mask
    is a conjunction of `coordinate < size` with a size that the host can compute, which is the tensor's size, and of
    `coordinate >= 0`; a dimension without a mask is as large as a map allows, or as another load of the tensor says, if all
    blocks of the loop end below that, so that both share a map. A coordinate `x % size` is `x` where a walk from
    the load to all stores shows that rows from `size` on are never stored.

    Indices are taken not to leave their types. Programs may be counted from the last one down. Coordinates that may be
    negative without a mask that says so are refused, as are those that may need more than 32 bits, bases and strides that
    are not known to be multiples of 16 bytes, memory that the kernel writes, and a loop of which other tensors would still
    be copied by threads. Blocks with extents that are no powers of two are taken where they are the right operand of a
    dot that `tile-widen-dots` widens, the left one of a dot that `tile-transpose-dots` transposes, or where each piece
    that `tile-split-tensors` cuts them into is copied so. A `tensor-map` remark says what a load that could have been one
    is missing.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let options = [
    Option<"mixed", "mixed", "bool", "false", "also in loops of which threads copy other tensors">
  ];
}

def TileTakeTensorStoresPass : Pass<"tile-take-tensor-stores", "::mlir::func::FuncOp"> {
  let summary = "stores through pointers of what a loop's dots sum up become stores through descriptors";
  let description = [{
    A store at the top level of the kernel, of a tensor of elements of up to 16 bits that is computed element by element from
    the sums of a loop's dots, transposed and narrowed where these have been transposed and widened, and whose addresses are
    those of a block of a tensor as for `tile-take-tensor-copies`, stores through a descriptor made of the kernel's arguments:

    ```mlir
    // c_ptr + (pid * 128 + i) * stride + j, where pid * 128 + i < M
    tile.store %pointers, %c, %mask : tensor<128x64x!tile.ptr<f16>>
    // becomes
    %d = tile.make_tensor_descriptor %c_ptr, shape [%M, %most], strides [%stride] : !tile.ptr<f16> -> !tile.desc<[128, 64], f16>
    tile.descriptor_store %d[%row, %zero], %c : !tile.desc<[128, 64], f16>, tensor<128x64xf16>
    ```

    Nothing else of the kernel accesses memory through this argument, no atomic orders accesses, and the kernel has other
    descriptors, so that it is launched with tensor maps anyway. A `tensor-map` remark says what a store that could have been one
    is missing. Extents that are no powers of two have to come in pieces that are (`tile-split-tensors`). Elements of 32 bits
    are left to threads: neighbouring pairs of sums, which they hold, fill whole sectors.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileTakeTensorMapsPass : Pass<"tile-take-tensor-maps", "::mlir::func::FuncOp"> {
  let summary = "descriptors made of arguments become tensor maps that the host encodes";
  let description = [{
    A descriptor whose base is an argument, and whose sizes and strides are computed from arguments and constants, becomes
    an argument of the kernel itself, behind those of the source, with the attribute `tile.tensor_map` that says how. Its
    loads and stores are then copies by the tensor memory access unit, and so are reductions that the unit has: sums of
    fp16, bf16 and fp32, all of integers of 32 and 64 bits. Of those, everything but smaller and larger of signed
    integers is done through a map whose attribute says `unsigned`. Blocks must be such that the unit can copy them,
    no atomic may release what a descriptor stores, and none of tensors acquire; behind a scalar one that acquires stands a
    proxy fence. A `tensor-map` remark says why a descriptor stays as it is; `tile-lower-descriptors` turns it into pointers.
  }];
}

def TileSplitKPass : Pass<"tile-split-k", "::mlir::ModuleOp"> {
  let summary = "the CTAs of a cluster share the iterations of a program's loop of dots";
  let description = [{
    Products of few tiles with a long K leave most of a GPU idle. With `parts` = 4 the grid has four times as many CTAs along
    x, those of a cluster run one program: each has every fourth iteration of the loop whose dots add to accumulators, and
    gets a fourth of the rows of the sums, which it goes on with and stores. The text of the kernel stays as it is, and so does
    its grid: whoever launches it multiplies.

    ```mlir
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zeros) -> (tensor<128x256xf32>) { ... tile.dot ... }
    tile.descriptor_store %desc[%m, %n], %acc : <[128, 256], f32>, tensor<128x256xf32>
    // becomes, with 2 parts
    %id = tile.program_id 0 : i32
    %part = arith.andi %id, %c1 : i32
    %begin = ... %part * 64
    %acc = scf.for %k = %begin to %K step %c128 iter_args(%sum = %zeros) -> (tensor<128x256xf32>) { ... tile.dot ... }
    %rows = tile.reduce_scatter %acc part %part : tensor<128x256xf32> -> tensor<64x256xf32>
    tile.descriptor_store %half[%m + %part * 64, %n], %rows : <[64, 256], f32>, tensor<64x256xf32>
    ```

    The kernel is left as it is, with a remark that says why, where there is no such loop at its top level, where the loop
    carries something else than sums and what each iteration adds the same to, and where something else than rows of tensors
    is stored. Sets `tile.split_k` on the module. Sums are added up in another order than by one CTA, the same one each time.
  }];
  let options = [Option<"parts", "parts", "int", "1", "CTAs of a program: a power of two up to 8">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileTransposeDotsPass : Pass<"tile-transpose-dots", "::mlir::func::FuncOp"> {
  let summary = "dots by warpgroups whose rows are no power of two become transposed dots";
  let description = [{
    wgmma makes 64 rows, and any multiple of 8 columns up to 256; two of them any multiple of 16 up to 512. A dot of 200 rows
    and 128 columns, whose operands come by descriptors, those of `tile-take-tensor-copies` among them, and whose result a loop
    adds to, becomes one of 128 rows and 200 columns of the transposed operands, which `tile-widen-dots` keeps whole; so does
    one whose right operand is made of 8-bit integers, that threads widen on the way to the instruction's registers. Otherwise
    it would be dots of 128, 64 and 8 rows (`tile-split-tensors`), the last one by single warps.

    ```mlir
    %sum = scf.for ... iter_args(%acc = %zeros) -> (tensor<128x200xf32>) {
      %x = tile.permute %b {order = array<i32: 1, 0>} : tensor<64x128xbf16> -> tensor<128x64xbf16>
      %y = tile.permute %a {order = array<i32: 1, 0>} : tensor<200x64xbf16> -> tensor<64x200xbf16>
      %d = tile.dot %x, %y, %acc : ... -> tensor<128x200xf32>
    }
    %c = tile.permute %sum {order = array<i32: 1, 0>} : tensor<128x200xf32> -> tensor<200x128xf32>
    ```
  }];
}

def TileWidenDotsPass : Pass<"tile-widen-dots", "::mlir::func::FuncOp"> {
  let summary = "dots by warpgroups whose columns are no power of two stay whole";
  let description = [{
    wgmma has instructions of 8, 16, 24, ... 256 columns. A dot of 208 of them, whose right operand comes by a descriptor and
    whose result is only added to, in a loop or by itself, is made one of 256 with the attribute `tile.columns`: the
    accumulator and the operand's block are wider than what is multiplied. Without that the dot would be one of 128, one of
    64 and one of 16 columns (`tile-split-tensors`), each of which reads the left operand. What is done with the result has
    the extents of before. Rows that are no power of two are cut into pieces of 64 and more. Where warpgroups share the columns
    of a piece (64 rows by 8 warps) each has every other 8 of them, for which K has to be contiguous in the right operand. So
    it has to be for more than 256 columns, multiples of 16, which two instructions make, half of them each. Where what lies
    beside the operand's columns may be no memory (no mask bounds it), its copies hold nothing else.

    ```mlir
    %c = scf.for ... iter_args(%acc = %zeros) -> (tensor<128x256xf32>) {
      %b = tile.descriptor_load %desc[%k, %n] : <[64, 256], bf16> -> tensor<64x256xbf16>
      %d = tile.dot %a, %b, %acc {tile.columns = 208 : i32} : ... -> tensor<128x256xf32>
    }
    %r = tile.narrow %c : tensor<128x256xf32> -> tensor<128x208xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileSplitTensorsPass : Pass<"tile-split-tensors", "::mlir::func::FuncOp"> {
  let summary = "tensors are cut into pieces whose extents are powers of two";
  let description = [{
    192 elements are 128 and 64, 80 are 64 and 16: where that costs less than to pad them, a dimension is cut into up to
    three pieces, and with it all dimensions that operations connect with it. Every operation is done for each piece, a
    reduction combines the results of the pieces, a dot along K adds them up, control flow carries all pieces.

    ```mlir
    %d = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x192xf16> -> tensor<64x192xf32>
    // becomes
    %d0 = tile.dot %a, %b0, %c0 : tensor<64x32xf16>, tensor<32x128xf16> -> tensor<64x128xf32>
    %d1 = tile.dot %a, %b1, %c1 : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    ```

    Dimensions stay whole that a scan goes along, a gather looks up in, a reshape joins or parts, a histogram counts into,
    a print numbers, or a function takes or gives; `tile-pad-tensors` pads them, and what is cheaper so: the cost is
    elements (at least one for every thread) times operations, and multiply-adds in the sizes that tensor cores have.
    A `padding` remark says what is cut how.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TilePadTensorsPass : Pass<"tile-pad-tensors", "::mlir::func::FuncOp"> {
  let summary = "extents become powers of two";
  let description = [{
    Every extent is rounded up to a power of two, the only ones that layouts know. The elements behind the old extents,
    the padding, may be anything; operations that would notice are changed:

    - loads, stores, atomics, histograms, assertions and prints are masked, so that memory is never touched for the padding;
    - a reduction, and a scan that comes from the end, finds the element that its operation leaves as it is (0 for a
      sum) in the padding. A combine region for which there is none known gets one value more, whether it is an
      element;
    - dots find zeros along K;
    - indices of a gather are 0 there;
    - a reshape after which padding would not be behind everything else becomes a gather, a reduction over all elements
      of several dimensions is done axis by axis.

    What is known of the padding already, zeros under the mask of a load for one, is not written again. A `padding`
    remark per kernel and extent says how many lanes are idle. Descriptors must have been lowered.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileShareReciprocalsPass : Pass<"tile-share-reciprocals", "::mlir::func::FuncOp"> {
  let summary = "multiply by the reciprocal where many elements are divided by one number";
  let description = [{
    `arith.divf` of f32 is a multiplication by the reciprocal: `(x * s) * (1 / (d * s))`, where `s` keeps the reciprocal of
    a divisor above 2^126 or below 2^-126 a normal number, and is 1 for others. An instruction that divides multiplies both
    numbers twice to choose `s`, for each element. Where all elements are divided by one scalar, `s` and the reciprocal are
    computed once:

    ```mlir
    %r = tile.reciprocal %scaled_d : f32
    %1 = arith.mulf %x, %s_everywhere : tensor<1024xf32>
    %2 = arith.mulf %1, %r_everywhere : tensor<1024xf32>
    ```

    Divisors that are known to need no `s` are multiplied by `tile.reciprocal` alone, whatever their number: constants,
    converted integers and f16, square roots, and the sum of a softmax, in which the largest element adds 1. Results are those
    of the instruction that divides, bit by bit, but those of constants, whose reciprocals are rounded to nearest.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def TileVersionMasksPass : Pass<"tile-version-masks", "::mlir::func::FuncOp"> {
  let summary = "version code: a fast one for programs in which all masks hold";
  let description = [{
    A mask such as `pid * B + arange(0, B) < n` holds for every lane in all programs but the last ones, yet an access
    under it may cover only as many elements as `n` is known to be a multiple of. Where that makes a load or store
    narrower than its addresses allow, the rest of the function goes into both branches of an `scf.if`:

    ```mlir
    scf.if %all_lanes { the rest, those comparisons replaced by true } else { the rest as it was }
    ```

    `%all_lanes` is computed from scalars in 64 bits so that no input makes it wrong: it is true only if no element of
    the comparison wraps around and the largest one satisfies it. The `scf.if` carries `tile.remainder`, which says
    that its `else` branch is narrow on purpose.

    Applies to the top level of functions without results and of `scf.if` without results in them; loops are the
    business of `tile-peel-masked-loops`, but an invariant mask used in a loop counts. Comparisons that do not depend
    on `tile.program_id` are left alone (`arange(0, B) < n` rarely holds for all lanes when B is n rounded up), and so
    are comparisons that make no access narrower, and more than `max-ops` operations.
  }];
  let options = [
    Option<"maxOps", "max-ops", "int64_t", "400", "most operations that are put into both branches">
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def TilePeelMaskedLoopsPass : Pass<"tile-peel-masked-loops", "::mlir::func::FuncOp"> {
  let summary = "peel the last, partial iteration off loops whose masks hold in all others";
  let description = [{
    A comparison in an `scf.for` whose two sides are sums of ranges, constants, invariant scalars and multiples of the
    induction variable holds for all elements up to some iteration: `i + arange(0, B) < n` while `i <= n - B`,
    `arange(0, B) < n - k * B` while `k <= n / B - 1`. The loop is split there:

    ```mlir
    %r = scf.for %i = %lb to %middle step %s { the body, those comparisons replaced by true }
    scf.for %i = %middle to %ub step %s iter_args(... = %r) { the body as it was }
    ```

    `%middle` is computed in 64 bits; a loop for which the computation could overflow, or an element wrap around, runs
    in the second loop as a whole. The second loop gets `tile.loop_unroll_factor = 1` and `tile.remainder`.

    Applies to innermost loops when an access becomes wider or, in bodies of at most `max-predicate-ops` operations,
    loses its mask (a mask that makes nothing narrower costs little at run time, a second loop costs compile time; in a
    kernel that never asks for its program number, and so runs as one program, it also costs the time to fetch code);
    then to the loops directly around innermost ones when an access becomes wider. Bodies of more than `max-ops`
    operations stay. Signed and unsigned comparisons `<`, `<=`, `>`, `>=`; loops that count up, signed.
  }];
  let options = [
    Option<"maxOps", "max-ops", "int64_t", "500", "most operations of a body that is copied">,
    Option<"maxPredicateOps", "max-predicate-ops", "int64_t", "16",
           "most operations of a body that is copied to get rid of masks alone">
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def TileMergeCountersPass : Pass<"tile-merge-counters", "::mlir::func::FuncOp"> {
  let summary = "compute what a loop counts besides from its counter";
  let description = [{
    A scalar that an `scf.for` carries, that begins a constant away from the lower bound and moves on by the step, is the
    induction variable plus that constant; its value behind the loop has no users. Persistent kernels count their tiles
    twice in this way, for loads and for stores: their places are computed once.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileHoistInvariantLoadsPass : Pass<"tile-hoist-invariant-loads", "::mlir::func::FuncOp"> {
  let summary = "make a load that is the same in each iteration of a loop once, in front of it";
  let description = [{
    A load whose pointer, mask and other value are computed outside of a loop moves in front of it, where nothing in the
    loop may write memory or wait for somebody who does, and where the result takes at most `registers` registers of a
    thread: a scale, a row of weights. Where the loop may have no iteration, that is the load's mask.
  }];
  let options = [
    Option<"registers", "registers", "int64_t", "4", "most registers of a thread that a hoisted tensor may take">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileDelayDotsPass : Pass<"tile-delay-dots", "::mlir::func::FuncOp"> {
  let summary = "run dots that read what other dots of an iteration give in the next one";
  let description = [{
    In a loop whose dots read what is computed from other dots of the same iteration, and whose results are only carried
    around, as in attention, those dots run one iteration later, between the dots of the next iteration and what is computed
    from them: the tensor cores multiply while the threads compute. A first iteration without them and a last one of them
    alone are loops with the attribute `tile.runs_once`, for a loop may have no iteration.

    A loop that goes on where the one in front of it ends, a whole number of steps behind that one's beginning, and would do
    the same late, as the loop over blocks with a mask goes on from that over whole ones, takes over its last dots: they run
    in its first iteration. It has a first iteration without them of its own for where the loops in front had none; where the loops
    do the same but for masks, and the first dots give a thread 64 registers or more, all have one first iteration in common,
    which selects by a scalar between what has a mask and what has none (`tilegpu-branch-selects`).

    Applies where warpgroups compute all dots of the loop, where it does nothing else but compute and load, by tensor copies,
    and where no load would be made twice. By cost: where the registers leave a multiprocessor to two CTAs at most, and
    what is handed on to the next iteration takes none of them away; with more of them, one multiplies while others compute.
    `warp_specialize` of the loop forces or forbids it, but the results of the dots and what is handed on never take more than
    `registers` registers of a thread. The results do not change: each sum is made of the same terms in the same order.
  }];
  let options = [
    Option<"registers", "registers", "int64_t", "192", "most registers of a thread for the dots' results and operands">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TilePrivatiseAtomicsPass : Pass<"tile-privatise-atomics", "::mlir::func::FuncOp"> {
  let summary = "privatise atomic additions to few places: count in shared memory first";
  let description = [{
    An atomic addition of one integer to many places whose offsets come from memory (a histogram) waits for others that add
    to the same places. Where the offsets of a program turn out to be below a quarter of its elements (and at most 2048),
    it counts them in shared memory, `tile.histogram`, and adds each count that is not zero, times the integer, with
    one atomic. Whether they are is found at run time by their maximum, or before when they are computed by a mask, a
    remainder or from narrow integers.

    Applies to tensors of one dimension with at least 512 elements, scalar base pointers, and additions whose old
    values are not used; the order of the additions to one place is not defined anyway. Floats are left alone: their sum
    depends on the order.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

#endif // TILEC_TRANSFORMS_TILE_PASSES_TD

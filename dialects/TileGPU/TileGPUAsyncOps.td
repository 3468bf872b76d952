//===- Views of shared memory, asynchronous copies, warpgroup matrix products ------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILEGPU_TILEGPUASYNCOPS_TD
#define TILEC_DIALECTS_TILEGPU_TILEGPUASYNCOPS_TD

include "dialects/TileGPU/TileGPUInterfaces.td"
include "dialects/TileGPU/TileGPUMatrixOps.td"

// Order among asynchronous operations and their waits is modelled as a resource of its own.
def TileGPU_AsyncOrder : Resource<"::tilec::tilegpu::AsyncOrderResource">;

def TileGPU_MemDescIndexOp : TileGPU_Op<"memdesc_index", [Pure]> {
  let summary = "one buffer of a ring";
  let description = [{
    The index is below the number of buffers. `memdesc_index_c1`: the result is the ring's type with one buffer.

    Example: `%1 = tilegpu.memdesc_index %ring[%i] : !tilegpu.memdesc<[64, 32], f16, #s, buffers = 3>`
  }];
  let arguments = (ins TileGPU_MemDescType:$ring, I32:$index);
  let results = (outs TileGPU_MemDescType:$result);
  let assemblyFormat = "$ring `[` $index `]` attr-dict `:` type($ring) `->` type($result)";
  let hasVerifier = 1;
}

def TileGPU_MemDescPermuteOp : TileGPU_Op<"memdesc_permute", [Pure]> {
  let summary = "the same buffer with its dimensions in another order";
  let description = [{
    Result dimension i is dimension `order[i]` of the source; nothing moves. `memdesc_permute_c1`: the order names each
    dimension once, and the result is the source's type with shape and layout in that order.

    Example: `%1 = tilegpu.memdesc_permute %0 order = [1, 0] : !tilegpu.memdesc<[64, 32], f16, #s> ->
    !tilegpu.memdesc<[32, 64], f16, #t>`
  }];
  let arguments = (ins TileGPU_MemDescType:$source, DenseI32ArrayAttr:$order);
  let results = (outs TileGPU_MemDescType:$result);
  let assemblyFormat = "$source `order` `=` $order attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def TileGPU_AsyncCopyOp : TileGPU_Op<"async_copy", [DeclareOpInterfaceMethods<TileGPU_AsyncOpInterface,
    ["usesAsyncProxy", "getNumAsyncGroups"]>, Tile_GlobalAccessOpInterface]> {
  let summary = "async copy of a tensor from global to shared memory (cp.async)";
  let description = [{
    Elements whose mask is false are filled with zeros. The copy belongs to the next group that `async_commit` closes,
    and may be read after an `async_wait` for that group and a barrier. The threads' vectors have at least 4 bytes.
    `evict` says how long the second-level cache is to keep what is read; with `whole_lines` it brings the lines of 128
    bytes that the vectors are parts of.

    `async_copy_c1`: pointers with a layout, to elements of the buffer's type, in its shape; one buffer, not a ring.
    `async_copy_c2`: a mask of the pointers' shape and layout.

    Example: `tilegpu.async_copy %p, %buf mask %m : tensor<64x32x!tile.ptr<f16>, #a>, !tilegpu.memdesc<[64, 32], f16, #s>`
  }];
  let arguments = (ins Arg<Tile_Tensor, "pointers", [MemRead]>:$pointer,
    Arg<TileGPU_MemDescType, "buffer", [MemWrite]>:$buffer, Optional<Tile_Tensor>:$mask,
    DefaultValuedAttr<Tile_CacheModifier, "::tilec::tile::CacheModifier::none">:$cache,
    DefaultValuedAttr<Tile_EvictionPolicy, "::tilec::tile::EvictionPolicy::normal">:$evict, UnitAttr:$whole_lines);
  let assemblyFormat = [{
    $pointer `,` $buffer (`mask` $mask^ `:` type($mask))? (`cache` `=` $cache^)? (`evict` `=` $evict^)? attr-dict
    `:` type($pointer) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def TileGPU_AsyncCommitOp : TileGPU_Op<"async_commit", [MemoryEffects<[MemWrite<TileGPU_AsyncOrder>]>,
    DeclareOpInterfaceMethods<TileGPU_AsyncOpInterface>]> {
  let summary = "closes a group of async copies";
  let description = [{ Example: `tilegpu.async_commit` }];
  let arguments = (ins);
  let assemblyFormat = "attr-dict";
}

def TileGPU_AsyncWaitOp : TileGPU_Op<"async_wait", [MemoryEffects<[MemWrite]>,
    DeclareOpInterfaceMethods<TileGPU_AsyncWaitOpInterface>]> {
  let summary = "waits until at most `pending` groups of this thread's copies are in flight";
  let description = [{ Other threads' copies are visible after a barrier. Example: `tilegpu.async_wait 1` }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "$pending attr-dict";
}

def TileGPU_ProxyFenceOp : TileGPU_Op<"proxy_fence", [MemoryEffects<[MemWrite]>]> {
  let summary = "orders this thread's accesses of shared memory before those of the asynchronous proxy";
  let description = [{
    Between a store or asynchronous copy of this thread and the barrier after which a warpgroup product or a tensor
    copy reads the data. With `all_memory` it orders accesses of global memory, too.
    Example: `tilegpu.proxy_fence`
  }];
  let arguments = (ins UnitAttr:$all_memory);
  let assemblyFormat = "(`all_memory` $all_memory^)? attr-dict";
}

def TileGPU_WgmmaOp : TileGPU_Op<"wgmma", [AllTypesMatch<["acc", "result"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<TileGPU_AsyncOpInterface, ["usesAsyncProxy", "isSynchronous", "getNumAsyncGroups"]>]> {
  let summary = "starts a dot of warpgroups (wgmma), added to an accumulator";
  let description = [{
    A is in shared memory or in registers, B in shared memory. The result may only be handed to `wgmma_wait` or, as
    accumulator, to another `wgmma` before a `wgmma_wait` has waited for it.

    With `fragments_of` the threads read that operand from its buffer, in any layout, to the registers of the
    instruction's A while earlier products are in flight. Of B that makes the transpose of the product, and the
    accumulator's layout is that of a product with its dimensions exchanged. The product is cut along K into
    `numGroups()` groups then, which are waited for one by one, and so are all products before it; any other product is
    one group.

    The buffer that fragments are read from may have 8-bit integers where the other operand has f16 or bf16: the threads
    widen them to that type, signed ones or, with `unsigned`, unsigned ones.

    With `max_imprecise_acc` a product of 8-bit floats is made in parts of `stepsOfPart()` instructions along K, the
    largest power of two of them that is in bounds, and at least one. Each part is summed by itself, waited for at once,
    and added to the f32 accumulator.

    `wgmma_c1`: the accumulator's layout is a wgmma accumulator's, the buffers' layouts are ones that the instruction
    reads, A's register layout is the operand's.
    `wgmma_c2`: shapes and types are those of a `tile.dot` of rank 2, and of an instruction: at least 32 bytes of depth,
    16 bits of A in registers; f32 operands are read as tf32. `fragments_of` names an operand in a buffer; only that one
    is widened.

    Example:
    ```mlir
    %3 = tilegpu.wgmma %0, %1, %2 : !tilegpu.memdesc<[128, 64], f16, #s>, !tilegpu.memdesc<[64, 256], f16, #t>
        -> tensor<128x256xf32, #c>
    ```
  }];
  let arguments = (ins TileGPU_DotOperand:$lhs, TileGPU_MemDescType:$rhs, Tile_Tensor:$acc,
    OptionalAttr<I32Attr>:$max_imprecise_acc, UnitAttr:$is_unsigned,
    OptionalAttr<ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<1>]>>:$fragments_of);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc (`max_imprecise_acc` `=` $max_imprecise_acc^)? (`unsigned` $is_unsigned^)?
    (`fragments_of` `=` $fragments_of^)? attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Whether instructions compute the product's transpose.
    bool isTransposed() { return getFragmentsOf() == 1; }
    /// Whether fragments are widened from 8-bit integers.
    bool widensFragments();
    /// An operand's elements as they are multiplied.
    ::mlir::RankedTensorType getMultipliedType(unsigned operand);
    /// The accumulator's layout with the instruction's rows first.
    LinearLayout getProductLayout();
    /// Instructions along K, and those of them whose fragments are in registers together.
    int64_t numSteps();
    int64_t stepsOfGroup();
    /// Whether the tensor core may sum a part of the product only: 8-bit floats with a bound on
    /// that, and an accumulator of f32.
    bool isCut();
    /// Instructions along K whose products the tensor core sums.
    int64_t stepsOfPart();
    /// Groups that the product is committed in.
    int64_t numGroups() { return numSteps() / stepsOfGroup(); }
  }];
  let hasVerifier = 1;
}

def TileGPU_WgmmaWaitOp : TileGPU_Op<"wgmma_wait", [MemoryEffects<[MemWrite<TileGPU_AsyncOrder>]>,
    DeclareOpInterfaceMethods<TileGPU_AsyncWaitOpInterface>]> {
  let summary = "waits until at most `pending` groups of wgmma are in flight";
  let description = [{
    A product is one group, or as many as its `numGroups()` says.
    The results are the operands, of which those of finished products may be used. `wgmma_wait_c1`: they have the
    operands' types.

    Example: `%1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<128x256xf32, #c> -> tensor<128x256xf32, #c>`
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$values, ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let results = (outs Variadic<Tile_Tensor>:$results);
  let assemblyFormat = "$values `pending` `=` $pending attr-dict `:` type($values) `->` type($results)";
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$values, "int32_t":$pending), [{
    $_state.addOperands(values);
    $_state.addTypes(values.getTypes());
    $_state.getOrAddProperties<Properties>().pending = $_builder.getI32IntegerAttr(pending);
  }]>];
  let hasVerifier = 1;
}

#endif // TILEC_DIALECTS_TILEGPU_TILEGPUASYNCOPS_TD

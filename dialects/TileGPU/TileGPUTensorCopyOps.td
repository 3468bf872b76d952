//===- Copies by the tensor memory access unit, barrier objects ---------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILEGPU_TILEGPUTENSORCOPYOPS_TD
#define TILEC_DIALECTS_TILEGPU_TILEGPUTENSORCOPYOPS_TD

include "dialects/TileGPU/TileGPUAsyncOps.td"

// A barrier object is a buffer of one i64; a ring of buffers is a ring of objects. Nothing but these operations may
// touch its bytes: allocation gives it memory of its own. Arrivals and waits use an object, which has to be
// initialised: they read it.

def TileGPU_MbarrierInitOp : TileGPU_Op<"mbarrier_init", [MemoryEffects<[MemWrite]>]> {
  let summary = "initialises a ring of mbarriers (barrier objects)";
  let description = [{
    One thread initialises every object for `count` arrivals a phase. Other threads may use them after a CTA barrier.

    Example: `tilegpu.mbarrier_init %bars count = 2 : !tilegpu.memdesc<[1], i64, #l, buffers = 3>`
  }];
  let arguments = (ins Arg<TileGPU_MemDescType, "barrier objects", [MemWrite]>:$barriers, I32Attr:$count);
  let assemblyFormat = "$barriers `count` `=` $count attr-dict `:` type($barriers)";
}

def TileGPU_MbarrierInvalOp : TileGPU_Op<"mbarrier_inval", [MemoryEffects<[MemWrite]>]> {
  let summary = "ends the life of a ring of barrier objects";
  let description = [{
    All threads are done with the objects: a CTA barrier lies before. They may be initialised again.

    Example: `tilegpu.mbarrier_inval %bars : !tilegpu.memdesc<[1], i64, #l, buffers = 3>`
  }];
  let arguments = (ins Arg<TileGPU_MemDescType, "barrier objects", [MemWrite]>:$barriers);
  let assemblyFormat = "$barriers attr-dict `:` type($barriers)";
}

def TileGPU_MbarrierWaitOp : TileGPU_Op<"mbarrier_wait", [MemoryEffects<[MemWrite]>,
    DeclareOpInterfaceMethods<TileGPU_AsyncWaitOpInterface, ["getBarrierObject"]>]> {
  let summary = "waits for a phase of a barrier object";
  let description = [{
    All threads wait until the phase with parity `parity` (0 or 1) is over; the first phase has parity 0. Then they may
    read what tensor copies have written.

    Example: `tilegpu.mbarrier_wait %bars[%slot], %parity : !tilegpu.memdesc<[1], i64, #l, buffers = 3>`
  }];
  let arguments = (ins Arg<TileGPU_MemDescType, "barrier objects", [MemRead]>:$barriers, I32:$slot, I32:$parity);
  let assemblyFormat = "$barriers `[` $slot `]` `,` $parity attr-dict `:` type($barriers)";
}

def TileGPU_TmaLoadOp : TileGPU_Op<"tma_load", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<TileGPU_AsyncOpInterface, ["usesAsyncProxy", "isSynchronous", "getNumAsyncGroups"]>]> {
  let summary = "TMA copy of a block of a described tensor to shared memory (cp.async.bulk.tensor)";
  let description = [{
    One thread arrives at the barrier object with the block's bytes as what is to come, and starts the copies, if
    `predicate` holds. With `arrivals` it arrives so often, for copies that this phase of the object does without. What lies outside of the tensor is filled with zeros, or NaN when the descriptor says so. The data
    may be read after an `mbarrier_wait` for the phase. Accesses of the buffer by threads lie before a proxy fence and a
    CTA barrier. `evict` says how long the second-level cache is to keep what is read.

    In a cluster of `tilegpu.num_ctas` CTAs those with a bit in `ctas` load the same block, this one among them. They copy it
    for each other (multicast), which completes the barrier objects of all: in a cluster of two one half of the boxes each, where their number is even;
    else this CTA starts box i if `turn` + i is a multiple of `last` + 1, their number, a power of two. `turn` of the CTAs
    are numbers one behind the other.

    `tma_load_c1`: the descriptor is a tensor map: an argument of the kernel, or one that the kernel encodes. `tma_load_c2`: the buffer has the
    descriptor's block shape and element type, in the layout of `tensorMapTile`. `tma_load_c3`: `ctas`, `last` and `turn`
    come together, in a cluster.

    Example:
    ```mlir
    tilegpu.tma_load %map[%i, %j], %buf, %bars[%slot] if %p : !tile.desc<[64, 32], f16>,
      !tilegpu.memdesc<[64, 32], f16, #s>, !tilegpu.memdesc<[1], i64, #l, buffers = 3>
    ```
  }];
  let arguments = (ins Arg<Tile_DescType, "tensor map", [MemRead]>:$desc, Variadic<I32>:$offsets,
    Arg<TileGPU_MemDescType, "buffer", [MemWrite]>:$buffer,
    Arg<TileGPU_MemDescType, "barrier objects", [MemRead]>:$barriers, I32:$slot,
    Optional<I1>:$predicate, Optional<I32>:$ctas, Optional<I32>:$last, Optional<I32>:$turn,
    DefaultValuedAttr<ConfinedAttr<I32Attr, [IntPositive]>, "1">:$arrivals,
    DefaultValuedAttr<Tile_EvictionPolicy, "::tilec::tile::EvictionPolicy::normal">:$evict);
  let assemblyFormat = [{
    $desc `[` $offsets `]` `,` $buffer `,` $barriers `[` $slot `]` (`if` $predicate^)? (`to` $ctas^ `last` $last `turn` $turn)?
    (`evict` `=` $evict^)? attr-dict `:` type($desc) `,`
    type($buffer) `,` type($barriers)
  }];
  let hasVerifier = 1;
}

def TileGPU_TmaStoreOp : TileGPU_Op<"tma_store", [DeclareOpInterfaceMethods<TileGPU_AsyncOpInterface>]> {
  let summary = "TMA store or reduction of a buffer to a block of a described tensor (cp.async.bulk.tensor, cp.reduce.async.bulk.tensor)";
  let description = [{
    One thread starts the copies and closes their group. What lies outside of the tensor is not written. With a
    `reduce` each element of the tensor becomes its combination with the buffer's, in one step. A proxy fence
    and a CTA barrier lie between the threads' stores to the buffer and this; the buffer may be written again after a
    `tma_store_wait` and a barrier.

    With `warpgroups = [d, n]` one thread of each computing warpgroup does so for the part of the buffer that its own
    warps have written: of G computing warpgroups number g has the elements e along dimension d of the
    block with (e / n) % G = g. A barrier of the warpgroup does where otherwise one of the CTA is needed.

    With `commit_all` one thread of each computing warpgroup closes a group, of which only the first one's has copies: so all
    of them count the same groups when they wait, where `warpgroups` have others.

    `tma_store_c1`: as `tma_load_c1`. `tma_store_c2`: as `tma_load_c2`. `tma_store_c3`: the reduction is not xchg.
    `tma_store_c4`: the parts of warpgroups are whole boxes. `tma_store_c5`: not `warpgroups` and `commit_all`.

    Example: `tilegpu.tma_store %map[%i, %j], %buf : !tile.desc<[64, 32], f16>, !tilegpu.memdesc<[64, 32], f16, #s>`,
    `tilegpu.tma_store %map[%i, %j], %buf warpgroups = [0, 64] : !tile.desc<[128, 64], f16, rows = 64>, !b`,
    `tilegpu.tma_store %map[%i, %j], %buf reduce = add : !tile.desc<[64, 32], f16>, !tilegpu.memdesc<[64, 32], f16, #s>`
  }];
  let arguments = (ins Arg<Tile_DescType, "tensor map", [MemWrite]>:$desc, Variadic<I32>:$offsets,
    Arg<TileGPU_MemDescType, "buffer", [MemRead]>:$buffer, OptionalAttr<Tile_AtomicKind>:$reduction,
    OptionalAttr<DenseI64ArrayAttr>:$warpgroups, UnitAttr:$commit_all);
  let builders = [OpBuilder<(ins "::mlir::Value":$desc, "::mlir::ValueRange":$offsets, "::mlir::Value":$buffer,
                                 "tile::AtomicKindAttr":$reduction), [{
    build($_builder, $_state, desc, offsets, buffer, reduction, ::mlir::DenseI64ArrayAttr(), /*commit_all=*/false);
  }]>];
  let extraClassDeclaration = [{
    /// The parts of the warpgroups of a CTA; nothing where one thread stores all, or where they are not whole boxes.
    std::optional<::tilec::BoxParts> getParts();
  }];
  let assemblyFormat = [{
    $desc `[` $offsets `]` `,` $buffer (`reduce` `=` $reduction^)? (`warpgroups` `=` $warpgroups^)? (`commit_all` $commit_all^)? attr-dict `:` type($desc) `,`
    type($buffer)
  }];
  let hasVerifier = 1;
}

def TileGPU_TmaStoreWaitOp : TileGPU_Op<"tma_store_wait", [MemoryEffects<[MemWrite]>,
    DeclareOpInterfaceMethods<TileGPU_AsyncWaitOpInterface>]> {
  let summary = "waits until at most `pending` groups of TMA stores still read shared memory";
  let description = [{ The thread that started them waits. Example: `tilegpu.tma_store_wait 0` }];
  let arguments = (ins I32Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}

#endif // TILEC_DIALECTS_TILEGPU_TILEGPUTENSORCOPYOPS_TD

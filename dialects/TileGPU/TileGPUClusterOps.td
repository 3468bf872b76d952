//===- What the CTAs of a cluster do together --------------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILEGPU_TILEGPUCLUSTEROPS_TD
#define TILEC_DIALECTS_TILEGPU_TILEGPUCLUSTEROPS_TD

include "dialects/TileGPU/TileGPULayoutOps.td"

def TileGPU_ClusterBarrierOp : TileGPU_Op<"cluster_barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "barrier of all threads of a cluster (barrier.cluster)";
  let description = [{
    Behind it the barrier objects of all CTAs are initialised, or no CTA accesses another one's any more, or all see what the
    others have stored. From it on the other CTAs may write to the buffers that it `opens`. In `compute` of
    `tilegpu.warp_roles` the warps of the other role count as long as they run.

    A `relaxed` one orders no accesses of memory, but those of barrier objects that `mbarrier_init` has made: a release in the
    cluster waits until the whole GPU sees what the threads have written.

    Example: `tilegpu.cluster_barrier`, `tilegpu.cluster_barrier relaxed`,
    `tilegpu.cluster_barrier opens %buf : !tilegpu.memdesc<[64, 32], f32, #layout, buffers = 2>`
  }];
  let arguments = (ins Arg<Variadic<TileGPU_MemDescType>, "buffers", [MemRead, MemWrite]>:$buffers, UnitAttr:$relaxed);
  let assemblyFormat = "(`relaxed` $relaxed^)? (`opens` $buffers^ `:` type($buffers))? attr-dict";
  let builders = [OpBuilder<(ins), "build($_builder, $_state, ::mlir::ValueRange());">,
                  OpBuilder<(ins "::mlir::ValueRange":$buffers), "build($_builder, $_state, buffers, /*relaxed=*/false);">];
}

def TileGPU_LaneCtaOp : TileGPU_Op<"lane_cta", [Pure]> {
  let summary = "the CTA of a cluster that a lane stands for";
  let description = [{
    The number of the lane modulo `tilegpu.num_ctas`: a rank in the cluster. What a warp computes from it is what each of the
    CTAs computes, at the same time.

    Example: `%cta = tilegpu.lane_cta`
  }];
  let results = (outs I32:$cta);
  let assemblyFormat = "attr-dict";
}

def TileGPU_SharingCtasOp : TileGPU_Op<"sharing_ctas", [Pure]> {
  let summary = "the CTAs of a cluster that copy a block for each other";
  let description = [{
    `same` says in a lane whether the CTA that it stands for (`tilegpu.lane_cta`) loads the same block as this one, which is true for
    this one itself. All lanes of the warp run it. `ctas` has a bit for each of them by its rank, if their number is a power
    of two, otherwise this one's alone; `last` is the number of bits less one, and `place` how many of them are of lower rank.

    Example: `%ctas, %last, %place = tilegpu.sharing_ctas %same`
  }];
  let arguments = (ins I1:$same);
  let results = (outs I32:$ctas, I32:$last, I32:$place);
  let assemblyFormat = "$same attr-dict";
}

def TileGPU_ClusterStoreOp : TileGPU_Op<"cluster_store", [Tile_LayoutRuleOpInterface]> {
  let summary = "writes parts of the rows of a tensor to the CTAs of a cluster";
  let description = [{
    `buffer` is a ring of as many buffers as the cluster has CTAs (`tile.split_k`), and as many equal parts the rows of the
    tensor have: part i goes to CTA i, into its ring's buffer of the number of the CTA that stores, `part`. It is there for all
    behind a `tilegpu.cluster_barrier`. Replicas write once.

    `cluster_store_c1`: a buffer has the shape of such a part and the tensor's element type.

    Example: `tilegpu.cluster_store %t, %ring part %p : tensor<128x32xf32, #a>, !tilegpu.memdesc<[64, 32], f32, #layout, buffers = 2>`
  }];
  let arguments = (ins Tile_Tensor:$value, Arg<TileGPU_MemDescType, "buffer", [MemWrite]>:$buffer, I32:$part);
  let assemblyFormat = "$value `,` $buffer `part` $part attr-dict `:` type($value) `,` type($buffer)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    tile::LayoutRule getLayoutRule() { return tile::LayoutRule::Pinned; }
    bool takesAnyLayout(::mlir::OpOperand &) { return true; }
  }];
}

#endif // TILEC_DIALECTS_TILEGPU_TILEGPUCLUSTEROPS_TD

// RUN: tile-opt %s --tilegpu-accelerate-dots --split-input-file | FileCheck %s

#a = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0], [64, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}, [128, 32]>
#b = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}, [32, 64]>
#am = #tilegpu.linear<{register = [[1, 0], [2, 0], [0, 4], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], warp = [[0, 1], [0, 2]], block = []}, [128, 32]>
#bk = #tilegpu.linear<{register = [[1, 0], [2, 0], [4, 0], [0, 32]], lane = [[8, 0], [16, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]], block = []}, [32, 64]>
#b32 = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}, [32, 32]>
#c = #tilegpu.linear<{register = [[0, 1], [0, 2], [8, 0], [16, 0], [32, 0], [64, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 0], [4, 0]], block = []}, [128, 64]>
#t = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}, [64, 32]>
#d = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}, [64, 32]>
#e = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0], [64, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}, [128, 32]>

// The layouts that wgmma reads are swizzled: 64 bytes of K in a row of A, 128 bytes of N in one of B.
// CHECK-DAG: #[[MA:.*]] = #tilegpu.linear<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0]
// CHECK-DAG: #[[MB:.*]] = #tilegpu.linear<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0]]}, [32, 64]>
// CHECK-DAG: #[[MK:.*]] = #tilegpu.linear<{offset = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8], [0, 16], [0, 32]]}, [32, 64]>
// CHECK-DAG: #[[M8:.*]] = #tilegpu.linear<{offset = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [0, 2], [16, 4], [0, 8], [0, 16], [0, 32]]}, [32, 64]>
// CHECK-DAG: #[[M32:.*]] = #tilegpu.linear<{offset = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [4, 1], [8, 2], [16, 4], [0, 8], [0, 16], [0, 32]]}, [32, 64]>
// CHECK-DAG: #[[FA:.*]] = #tilegpu.linear<{offset = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0], [8, 1], [16, 2], [32, 4], [0, 8], [0, 16]]}, [128, 32]>
// CHECK-DAG: #[[FB:.*]] = #tilegpu.linear<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 16], [8, 32], [16, 0]]}, [32, 64]>
// CHECK-DAG: #[[SPREAD:.*]] = #tilegpu.linear<{register = {{\[\[}}0, 8], [0, 16], [0, 32], [16, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], warp = {{\[\[}}4, 0], [8, 0]], block = []}, [32, 64]>
// CHECK-DAG: #[[PAIRED:.*]] = #tilegpu.linear<{register = {{\[\[}}0, 1], [1, 0], [0, 8], [0, 16], [0, 32], [64, 0]], lane = {{\[\[}}0, 2], [0, 4], [2, 0], [4, 0], [8, 0]], warp = {{\[\[}}16, 0], [32, 0]], block = []}, [128, 64]>
// CHECK-DAG: #[[TRANSPOSED:.*]] = #tilegpu.linear<{register = {{\[\[}}1, 0], [0, 1], [8, 0], [16, 0], [32, 0], [64, 0]], lane = {{\[\[}}2, 0], [4, 0], [0, 2], [0, 4], [0, 8]], warp = {{\[\[}}0, 16], [0, 32]], block = []}, [128, 64]>
// CHECK-DAG: #[[ACC:.*]] = #tilegpu.linear<{register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [64, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0]], block = []}, [128, 64]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// CHECK-LABEL: func @row_major
// CHECK-SAME: (%[[A:.*]]: tensor<128x32xf16, #{{.*}}>, %[[B:.*]]: tensor<32x64xf16, #{{.*}}>, %[[C:.*]]: tensor<128x64xf32, #[[C_LAYOUT:.*]]>)
// CHECK: %[[SA:.*]] = tilegpu.local_alloc : <[128, 32], f16, #[[MA]]>
// CHECK-NEXT: tilegpu.local_store %[[A]], %[[SA]]
// CHECK-NEXT: %[[SB:.*]] = tilegpu.local_alloc : <[32, 64], f16, #[[MB]]>
// CHECK-NEXT: tilegpu.local_store %[[B]], %[[SB]]
// CHECK-NEXT: %[[I:.*]] = tilegpu.convert_layout %[[C]] : {{.*}} -> tensor<128x64xf32, #[[ACC]]>
// CHECK-NEXT: %[[P:.*]] = tilegpu.wgmma %[[SA]], %[[SB]], %[[I]] max_imprecise_acc = 32 : {{.*}} -> tensor<128x64xf32, #[[ACC]]>
// CHECK-NEXT: %[[W:.*]] = tilegpu.wgmma_wait %[[P]] pending = 0
// CHECK-NEXT: %[[R:.*]] = tilegpu.convert_layout %[[W]] : {{.*}} -> tensor<128x64xf32, #[[C_LAYOUT]]>
// CHECK-NEXT: return %[[R]]
func.func @row_major(%a: tensor<128x32xf16, #a>, %b: tensor<32x64xf16, #b>, %c: tensor<128x64xf32, #c>) -> tensor<128x64xf32, #c> {
  %0 = tilegpu.dot %a, %b, %c max_imprecise_acc = 32 : tensor<128x32xf16, #a>, tensor<32x64xf16, #b> -> tensor<128x64xf32, #c>
  return %0 : tensor<128x64xf32, #c>
}

// A buffer is contiguous where memory is, behind permutations and elementwise operations too.
// CHECK-LABEL: func @k_major
// CHECK: tilegpu.local_alloc : <[128, 32], f16, #[[MA]]>
// CHECK: tilegpu.local_alloc : <[32, 64], f16, #[[MK]]>
func.func @k_major(%a: tensor<128x32xf16, #a>, %b: tensor<32x64xf16, #bk>, %c: tensor<128x64xf32, #c>) -> tensor<128x64xf32, #c> {
  %0 = arith.addf %b, %b : tensor<32x64xf16, #bk>
  %1 = tilegpu.convert_layout %0 : tensor<32x64xf16, #bk> -> tensor<32x64xf16, #b>
  %2 = tilegpu.dot %a, %1, %c : tensor<128x32xf16, #a>, tensor<32x64xf16, #b> -> tensor<128x64xf32, #c>
  return %2 : tensor<128x64xf32, #c>
}

// CHECK-LABEL: func @permuted
// CHECK: tile.permute
// CHECK: tilegpu.local_alloc : <[32, 64], f16, #[[MK]]>
func.func @permuted(%a: tensor<128x32xf16, #a>, %b: tensor<64x32xf16, #t>, %c: tensor<128x64xf32, #c>) -> tensor<128x64xf32, #c> {
  %0 = tile.permute %b {order = array<i32: 1, 0>} : tensor<64x32xf16, #t> -> tensor<32x64xf16, #bk>
  %1 = tilegpu.dot %a, %0, %c : tensor<128x32xf16, #a>, tensor<32x64xf16, #bk> -> tensor<128x64xf32, #c>
  return %1 : tensor<128x64xf32, #c>
}

// Other than 16 bits has to be K-major.
// CHECK-LABEL: func @float8
// CHECK: tilegpu.local_alloc : <[128, 32], f8E4M3FN, #{{.*}}>
// CHECK: tilegpu.local_alloc : <[32, 64], f8E5M2, #[[M8]]>
// CHECK: tilegpu.wgmma
func.func @float8(%a: tensor<128x32xf8E4M3FN, #a>, %b: tensor<32x64xf8E5M2, #bk>, %c: tensor<128x64xf32, #c>) -> tensor<128x64xf32, #c> {
  %0 = tilegpu.dot %a, %b, %c : tensor<128x32xf8E4M3FN, #a>, tensor<32x64xf8E5M2, #bk> -> tensor<128x64xf32, #c>
  return %0 : tensor<128x64xf32, #c>
}

// CHECK-LABEL: func @tf32
// CHECK: tilegpu.local_alloc : <[32, 64], f32, #[[M32]]>
// CHECK: tilegpu.wgmma
func.func @tf32(%a: tensor<128x32xf32, #a>, %b: tensor<32x64xf32, #bk>, %c: tensor<128x64xf32, #c>) -> tensor<128x64xf32, #c> {
  %0 = tilegpu.dot %a, %b, %c : tensor<128x32xf32, #a>, tensor<32x64xf32, #bk> -> tensor<128x64xf32, #c>
  return %0 : tensor<128x64xf32, #c>
}

// CHECK-LABEL: func @unsigned
// CHECK: tilegpu.wgmma %{{.*}}, %{{.*}}, %{{.*}} unsigned :
func.func @unsigned(%a: tensor<128x32xi8, #a>, %b: tensor<32x64xi8, #bk>, %c: tensor<128x64xi32, #c>) -> tensor<128x64xi32, #c> {
  %0 = tilegpu.dot %a, %b, %c unsigned : tensor<128x32xi8, #a>, tensor<32x64xi8, #bk> -> tensor<128x64xi32, #c>
  return %0 : tensor<128x64xi32, #c>
}

// Where memory is not, the threads read the left operand to registers. Rows that the instruction has 8 apart are
// neighbours then, which are read together, without bank conflicts from a swizzled buffer.
// CHECK-LABEL: func @fragments
// CHECK: %[[SA:.*]] = tilegpu.local_alloc : <[128, 32], f32, #[[FA]]>
// CHECK-NEXT: tilegpu.local_store
// CHECK-NEXT: %[[SB:.*]] = tilegpu.local_alloc : <[32, 64], f32, #[[M32]]>
// CHECK-NEXT: tilegpu.local_store
// CHECK: tilegpu.wgmma %[[SA]], %[[SB]], %{{.*}} fragments_of = 0 : {{.*}} -> tensor<128x64xf32, #[[PAIRED]]>
func.func @fragments(%a: tensor<128x32xf32, #am>, %b: tensor<32x64xf32, #bk>, %c: tensor<128x64xf32, #c>) -> tensor<128x64xf32, #c> {
  %0 = tilegpu.dot %a, %b, %c : tensor<128x32xf32, #am>, tensor<32x64xf32, #bk> -> tensor<128x64xf32, #c>
  return %0 : tensor<128x64xf32, #c>
}

// The transposed product has the right operand there.
// CHECK-LABEL: func @transposed_fragments
// CHECK: %[[SB:.*]] = tilegpu.local_alloc : <[32, 64], f8E5M2, #[[FB]]>
// CHECK: %[[SA:.*]] = tilegpu.local_alloc : <[128, 32], f8E4M3FN, #{{.*}}>
// CHECK: tilegpu.wgmma %[[SA]], %[[SB]], %{{.*}} fragments_of = 1 : {{.*}} -> tensor<128x64xf32, #[[TRANSPOSED]]>
func.func @transposed_fragments(%a: tensor<128x32xf8E4M3FN, #a>, %b: tensor<32x64xf8E5M2, #b>, %c: tensor<128x64xf32, #c>) -> tensor<128x64xf32, #c> {
  %0 = tilegpu.dot %a, %b, %c : tensor<128x32xf8E4M3FN, #a>, tensor<32x64xf8E5M2, #b> -> tensor<128x64xf32, #c>
  return %0 : tensor<128x64xf32, #c>
}

// Of two the larger one, as far as it has the rows of an instruction.
// CHECK-LABEL: func @larger_fragments
// CHECK: tilegpu.wgmma %{{.*}} fragments_of = 0 :
func.func @larger_fragments(%a: tensor<128x32xf32, #am>, %b: tensor<32x64xf32, #b>, %c: tensor<128x64xf32, #c>) -> tensor<128x64xf32, #c> {
  %0 = tilegpu.dot %a, %b, %c : tensor<128x32xf32, #am>, tensor<32x64xf32, #b> -> tensor<128x64xf32, #c>
  return %0 : tensor<128x64xf32, #c>
}

// The load of the other one, which copies single elements, has 8 lanes along memory and 4 along K.
// CHECK-LABEL: func @scattered
// CHECK: %[[P:.*]] = tilegpu.convert_layout %{{.*}} -> tensor<32x64x!tile.ptr<f32>, #[[SPREAD]]>
// CHECK: tile.load %[[P]]
// CHECK: tilegpu.wgmma %{{.*}} fragments_of = 0 :
func.func @scattered(%a: tensor<128x32xf32, #am>, %p: tensor<32x64x!tile.ptr<f32>, #b>, %c: tensor<128x64xf32, #c>) -> tensor<128x64xf32, #c> {
  %b = tile.load %p : tensor<32x64x!tile.ptr<f32>, #b>
  %0 = tilegpu.dot %a, %b, %c : tensor<128x32xf32, #am>, tensor<32x64xf32, #b> -> tensor<128x64xf32, #c>
  return %0 : tensor<128x64xf32, #c>
}

// CHECK-LABEL: func @few_columns
// CHECK-NOT: fragments_of
// CHECK: tilegpu.wgmma
func.func @few_columns(%a: tensor<128x32xf32, #a>, %b: tensor<32x32xf32, #b32>, %c: tensor<128x32xf32, #e>) -> tensor<128x32xf32, #e> {
  %0 = tilegpu.dot %a, %b, %c : tensor<128x32xf32, #a>, tensor<32x32xf32, #b32> -> tensor<128x32xf32, #e>
  return %0 : tensor<128x32xf32, #e>
}

// What does not change in a loop is stored in front of it, of all loops around.
// CHECK-LABEL: func @invariant
// CHECK-SAME: (%[[A:.*]]: tensor<128x32xf16, #{{.*}}>, %[[B:.*]]: tensor<32x64xf16, #{{.*}}>,
// CHECK: %[[SA:.*]] = tilegpu.local_alloc : <[128, 32]
// CHECK-NEXT: tilegpu.local_store %[[A]], %[[SA]]
// CHECK-NEXT: scf.for
// CHECK: scf.for
// CHECK: tile.load
// CHECK: %[[SB:.*]] = tilegpu.local_alloc : <[32, 64]
// CHECK: tilegpu.wgmma %[[SA]], %[[SB]]
func.func @invariant(%a: tensor<128x32xf16, #a>, %b: tensor<32x64xf16, #b>, %p: tensor<32x64x!tile.ptr<f16>, #b>, %c: tensor<128x64xf32, #c>, %n: i32) -> tensor<128x64xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c) -> (tensor<128x64xf32, #c>) : i32 {
    %1 = scf.for %j = %c0 to %n step %c1 iter_args(%y = %x) -> (tensor<128x64xf32, #c>) : i32 {
      %2 = tile.load %p : tensor<32x64x!tile.ptr<f16>, #b>
      %3 = tilegpu.dot %a, %2, %y : tensor<128x32xf16, #a>, tensor<32x64xf16, #b> -> tensor<128x64xf32, #c>
      scf.yield %3 : tensor<128x64xf32, #c>
    }
    scf.yield %1 : tensor<128x64xf32, #c>
  }
  return %0 : tensor<128x64xf32, #c>
}

// The left operand of a second product is computed from the first: it stays in registers, which hold two neighbours each.
// CHECK-LABEL: func @chain
// CHECK: %[[P:.*]] = tilegpu.wgmma %{{.*}} -> tensor<128x64xf32, #[[ACC]]>
// CHECK: tilegpu.wgmma_wait %[[P]]
// CHECK: %[[H:.*]] = arith.truncf
// CHECK: %[[L:.*]] = tilegpu.convert_layout %[[H]] : {{.*}} -> tensor<128x64xf16, #[[ACC]]>
// CHECK-NEXT: %[[S:.*]] = tilegpu.local_alloc : <[64, 32], f16
// CHECK: %[[Q:.*]] = tilegpu.wgmma %[[L]], %[[S]], %{{.*}} : tensor<128x64xf16, #[[ACC]]>,
func.func @chain(%a: tensor<128x32xf16, #a>, %b: tensor<32x64xf16, #b>, %c: tensor<128x64xf32, #c>, %d: tensor<64x32xf16, #d>, %e: tensor<128x32xf32, #e>) -> tensor<128x32xf32, #e> {
  %0 = tilegpu.dot %a, %b, %c : tensor<128x32xf16, #a>, tensor<32x64xf16, #b> -> tensor<128x64xf32, #c>
  %1 = arith.mulf %0, %0 : tensor<128x64xf32, #c>
  %2 = arith.truncf %1 : tensor<128x64xf32, #c> to tensor<128x64xf16, #c>
  %3 = tilegpu.dot %2, %d, %e : tensor<128x64xf16, #c>, tensor<64x32xf16, #d> -> tensor<128x32xf32, #e>
  return %3 : tensor<128x32xf32, #e>
}
}

// -----

// Warpgroups go along the rows first, then along the columns; an instruction has up to 256 columns.
#a = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0], [64, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0], [0, 0], [0, 0]], block = []}, [128, 32]>
#b = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0], [0, 0], [0, 0]], block = []}, [32, 64]>
#c = #tilegpu.linear<{register = [[0, 1], [0, 2], [32, 0], [64, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 0], [4, 0], [8, 0], [16, 0]], block = []}, [128, 64]>
// CHECK: #[[ACC:.*]] = #tilegpu.linear<{register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0], [64, 0], [0, 32]], block = []}, [128, 64]>
module attributes {tilegpu.num_warps = 16 : i32, tile.target = "sm_90a"} {
// CHECK-LABEL: func @four_groups
// CHECK: tilegpu.wgmma %{{.*}} -> tensor<128x64xf32, #[[ACC]]>
func.func @four_groups(%a: tensor<128x32xf16, #a>, %b: tensor<32x64xf16, #b>, %c: tensor<128x64xf32, #c>) -> tensor<128x64xf32, #c> {
  %0 = tilegpu.dot %a, %b, %c : tensor<128x32xf16, #a>, tensor<32x64xf16, #b> -> tensor<128x64xf32, #c>
  return %0 : tensor<128x64xf32, #c>
}
}

// -----

// What is computed from a narrower tensor for a wgmma is read from a buffer of that one, whose load can be copied ahead.
#a = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0], [64, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0], [16, 0]], block = []}, [128, 64]>
#b = #tilegpu.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0]], lane = [[16, 0], [32, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16], [0, 32]], block = []}, [64, 64]>
#c = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0], [64, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0], [16, 0]], block = []}, [128, 64]>
module attributes {tilegpu.num_warps = 8 : i32, tile.target = "sm_90a"} {
// CHECK-LABEL: @widened_right
// CHECK: %[[N:.*]] = tilegpu.local_alloc : <[64, 64], i8
// CHECK-NEXT: tilegpu.local_store %{{.*}}, %[[N]]
// CHECK-NEXT: %[[L:.*]] = tilegpu.local_load %[[N]] : {{.*}} -> tensor<64x64xi8, #[[F:.*]]>
// CHECK-NEXT: %[[W:.*]] = arith.sitofp %[[L]] : tensor<64x64xi8, #[[F]]> to tensor<64x64xbf16, #[[F]]>
// CHECK: %[[S:.*]] = arith.subf %[[W]], %{{.*}} : tensor<64x64xbf16, #[[F]]>
// CHECK: %[[B:.*]] = tilegpu.local_alloc : <[64, 64], bf16
// CHECK-NEXT: tilegpu.local_store %[[S]], %[[B]]
// CHECK: tilegpu.wgmma %{{.*}}, %[[B]]
func.func @widened_right(%a: tensor<128x64xbf16, #a>, %w: tensor<64x64xi8, #b>, %c: tensor<128x64xf32, #c>) -> tensor<128x64xf32, #c> {
  %eight = arith.constant dense<8.0> : tensor<64x64xbf16, #b>
  %x = arith.sitofp %w : tensor<64x64xi8, #b> to tensor<64x64xbf16, #b>
  %b = arith.subf %x, %eight : tensor<64x64xbf16, #b>
  %0 = tilegpu.dot %a, %b, %c : tensor<128x64xbf16, #a>, tensor<64x64xbf16, #b> -> tensor<128x64xf32, #c>
  return %0 : tensor<128x64xf32, #c>
}
}

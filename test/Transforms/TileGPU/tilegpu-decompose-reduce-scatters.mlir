// RUN: tile-opt %s --tilegpu-decompose-reduce-scatters | FileCheck %s
// RUN: tile-opt %s --tilegpu-decompose-reduce-scatters --tilegpu-allocate-shared-memory --tilegpu-insert-synchronisation | FileCheck %s --check-prefix=SYNC

#sums = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>
#rows = #tilegpu.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}, [32, 8]>
#rows16 = #tilegpu.linear<{register = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}, [16, 8]>

module attributes {tilegpu.num_warps = 4 : i32, tile.split_k = 2 : i32, tile.target = "sm_90a"} {
// Scatters behind each other share the barriers; each CTA adds up what has come, in the order of the CTAs.
// CHECK-LABEL: func @together
// CHECK-SAME: %[[A:[a-z0-9]*]]: tensor<64x8xf32{{.*}}, %[[B:[a-z0-9]*]]: tensor<64x8xi32{{.*}}, %[[PART:[a-z0-9]*]]: i32
// CHECK: %[[RINGA:.*]] = tilegpu.local_alloc : <[32, 8], f32, #{{.*}}, buffers = 2>
// CHECK: %[[RINGB:.*]] = tilegpu.local_alloc : <[32, 8], i32, #{{.*}}, buffers = 2>
// CHECK-NEXT: tilegpu.cluster_barrier opens %[[RINGA]], %[[RINGB]]
// CHECK-NEXT: tilegpu.cluster_store %[[A]], %[[RINGA]] part %[[PART]]
// CHECK-NEXT: tilegpu.cluster_store %[[B]], %[[RINGB]] part %[[PART]]
// CHECK-NEXT: tilegpu.cluster_barrier
// CHECK-NOT: opens
// CHECK: %[[FIRST:.*]] = tilegpu.memdesc_index %[[RINGA]][%c0
// CHECK: %[[A0:.*]] = tilegpu.local_load %[[FIRST]]
// CHECK: %[[SECOND:.*]] = tilegpu.memdesc_index %[[RINGA]][%c1
// CHECK: %[[A1:.*]] = tilegpu.local_load %[[SECOND]]
// CHECK: arith.addf %[[A0]], %[[A1]]
// CHECK: arith.addi %{{.*}}, %{{.*}} : tensor<32x8xi32
// CHECK-NOT: tilegpu.cluster_barrier

// The barriers of the cluster are the only ones.
// SYNC-LABEL: func @together
// SYNC-NOT: nvvm.barrier0
// SYNC: return
func.func @together(%a: tensor<64x8xf32, #sums>, %b: tensor<64x8xi32, #sums>, %part: i32) -> (tensor<32x8xf32, #rows>, tensor<32x8xi32, #rows>) {
  %r = tile.reduce_scatter %a part %part : tensor<64x8xf32, #sums> -> tensor<32x8xf32, #rows>
  %s = tile.reduce_scatter %b part %part : tensor<64x8xi32, #sums> -> tensor<32x8xi32, #rows>
  return %r, %s : tensor<32x8xf32, #rows>, tensor<32x8xi32, #rows>
}

// One that adds up what another one gave comes behind it.
// CHECK-LABEL: func @apart
// CHECK: tilegpu.cluster_barrier opens
// CHECK: tilegpu.cluster_barrier{{$}}
// CHECK: arith.addf
// CHECK: tilegpu.cluster_barrier opens
// CHECK: tilegpu.cluster_barrier{{$}}
// CHECK: arith.addf
func.func @apart(%a: tensor<64x8xf32, #sums>, %part: i32) -> tensor<16x8xf32, #rows16> {
  %r = tile.reduce_scatter %a part %part : tensor<64x8xf32, #sums> -> tensor<32x8xf32, #rows>
  %s = tile.reduce_scatter %r part %part : tensor<32x8xf32, #rows> -> tensor<16x8xf32, #rows16>
  return %s : tensor<16x8xf32, #rows16>
}

// What is stored in between stays there.
// CHECK-LABEL: func @around
// CHECK: tilegpu.cluster_barrier opens
// CHECK: tilegpu.cluster_barrier{{$}}
// CHECK: tile.store
// CHECK: tilegpu.cluster_barrier opens
// CHECK: tilegpu.cluster_barrier{{$}}
func.func @around(%a: tensor<64x8xf32, #sums>, %p: !tile.ptr<i32>, %part: i32) -> (tensor<32x8xf32, #rows>, tensor<32x8xf32, #rows>) {
  %r = tile.reduce_scatter %a part %part : tensor<64x8xf32, #sums> -> tensor<32x8xf32, #rows>
  tile.store %p, %part : !tile.ptr<i32>
  %s = tile.reduce_scatter %a part %part : tensor<64x8xf32, #sums> -> tensor<32x8xf32, #rows>
  return %r, %s : tensor<32x8xf32, #rows>, tensor<32x8xf32, #rows>
}
}

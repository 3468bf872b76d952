// RUN: tile-opt %s --verify-roundtrip | FileCheck %s
// RUN: tile-opt %s --convert-tilegpu-to-threads | FileCheck %s --check-prefix=THREADS

#sums = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>
#memory = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]}, [32, 8]>
!ring = !tilegpu.memdesc<[32, 8], f32, #memory, buffers = 2>

module attributes {tilegpu.num_warps = 4 : i32, tile.split_k = 2 : i32, tile.target = "sm_90a"} {
// CHECK-LABEL: func @store
// CHECK: tilegpu.cluster_barrier opens %[[RING:.*]] : !tilegpu.memdesc<[32, 8], f32, #{{.*}}, buffers = 2>
// CHECK: tilegpu.cluster_store %{{.*}}, %[[RING]] part %{{.*}} : tensor<64x8xf32, #{{.*}}>, <[32, 8], f32, #{{.*}}, buffers = 2>
// CHECK: tilegpu.cluster_barrier{{$}}

// Of 2048 bytes the upper half of the offset says whose ring it is; a CTA's slot there is its part.
// THREADS-LABEL: func @store
// THREADS-SAME: %[[PART:[a-z0-9]*]]: i32
// THREADS: nvvm.cluster.arrive
// THREADS: nvvm.cluster.wait
// THREADS: %[[SLOT:.*]] = arith.muli %[[PART]], %c1024_i32
// THREADS: %[[THERE:.*]] = nvvm.mapa {{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
// THREADS: llvm.store %{{.*}}, %[[THERE]] {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<7>
// THREADS: nvvm.mapa {{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
// THREADS: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<7>
// THREADS-NOT: nvvm.mapa
// THREADS: nvvm.cluster.arrive
func.func @store(%part: i32) {
  %t = arith.constant dense<1.0> : tensor<64x8xf32, #sums>
  %ring = tilegpu.local_alloc offset 0 : !ring
  tilegpu.cluster_barrier opens %ring : !ring
  tilegpu.cluster_store %t, %ring part %part : tensor<64x8xf32, #sums>, !ring
  tilegpu.cluster_barrier
  return
}
}

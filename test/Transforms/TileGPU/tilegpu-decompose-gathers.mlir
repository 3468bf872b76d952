// RUN: tile-opt %s --tilegpu-decompose-gathers | FileCheck %s

#a = #tilegpu.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}, [16, 16]>
#i = #tilegpu.linear<{register = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}, [16, 8]>
#v = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>
#c = #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]], block = []}, [64]>

module attributes {tilegpu.num_warps = 4 : i32} {
// CHECK-DAG: #[[MEM:.+]] = #tilegpu.linear<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]}, [16, 16]>
// CHECK-LABEL: func @gather
// CHECK-SAME: (%[[X:.*]]: tensor<16x16xf16, #{{.*}}>, %[[I:.*]]: tensor<16x8xi32, #[[L:.*]]>)
// CHECK: %[[B:.*]] = tilegpu.local_alloc : <[16, 16], f16, #[[MEM]]>
// CHECK: tilegpu.local_store %[[X]], %[[B]]
// CHECK: %[[R:.*]] = tilegpu.local_gather %[[B]][%[[I]]] axis = 1 : {{.*}} -> tensor<16x8xf16, #[[L]]>
// CHECK: return %[[R]]
func.func @gather(%x: tensor<16x16xf16, #a>, %i: tensor<16x8xi32, #i>) -> tensor<16x8xf16, #i> {
  %0 = tile.gather %x[%i] axis = 1 : tensor<16x16xf16, #a>, tensor<16x8xi32, #i> -> tensor<16x8xf16, #i>
  func.return %0 : tensor<16x8xf16, #i>
}

// CHECK-LABEL: func @histogram
// CHECK-SAME: (%[[X:.*]]: tensor<512xi32, #{{.*}}>, %[[M:.*]]: tensor<512xi1, #{{.*}}>)
// CHECK: %[[Z:.*]] = arith.constant dense<0> : tensor<64xi32, #[[C:.*]]>
// CHECK: %[[B:.*]] = tilegpu.local_alloc
// CHECK: tilegpu.local_store %[[Z]], %[[B]]
// CHECK: tilegpu.local_count %[[X]], %[[B]] mask %[[M]]
// CHECK: %[[R:.*]] = tilegpu.local_load %[[B]] : {{.*}} -> tensor<64xi32, #[[C]]>
// CHECK: return %[[R]]
func.func @histogram(%x: tensor<512xi32, #v>, %m: tensor<512xi1, #v>) -> tensor<64xi32, #c> {
  %0 = tile.histogram %x mask %m : tensor<512xi32, #v>, tensor<512xi1, #v> -> tensor<64xi32, #c>
  func.return %0 : tensor<64xi32, #c>
}
}

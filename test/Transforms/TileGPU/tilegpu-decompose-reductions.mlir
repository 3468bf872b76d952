// RUN: tile-opt %s --tilegpu-decompose-reductions | FileCheck %s

#row = #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[0, 16], [0, 32]], block = []}, [8, 64]>
#inside = #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}, [32, 16]>

module attributes {tilegpu.num_warps = 4 : i32} {
// CHECK-DAG: #[[PARTIAL:.+]] = #tilegpu.linear<{register = [], lane = {{\[\[}}0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}0, 1], [0, 2]], block = []}, [8, 4]>
// CHECK-DAG: #[[GATHERED:.+]] = #tilegpu.linear<{register = {{\[\[}}0, 1], [0, 2]], lane = {{\[\[}}0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}0, 0], [0, 0]], block = []}, [8, 4]>

// The four warps leave a partial result each; every thread of a row then has all four in registers.
// CHECK-LABEL: func @across_warps
// CHECK: %[[P:.*]] = tilegpu.partial_reduce(%{{.*}}) axis = 1 : {{.*}} -> tensor<8x4xf32, #[[PARTIAL]]>
// CHECK: %[[C:.*]] = tilegpu.convert_layout %[[P]] : {{.*}} -> tensor<8x4xf32, #[[GATHERED]]>
// CHECK: tile.reduce(%[[C]]) axis = 1
func.func @across_warps(%x: tensor<8x64xf32, #row>) {
  %0 = tile.reduce(%x) axis = 1 : (tensor<8x64xf32, #row>) -> tensor<8xf32, #tilegpu.linear<{register = [], lane = [[0], [0], [1], [2], [4]], warp = [[0], [0]], block = []}, [8]>> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  func.return
}

// CHECK-LABEL: func @no_inside_a_warp
// CHECK-NOT: partial_reduce
// CHECK: return
func.func @no_inside_a_warp(%x: tensor<32x16xf32, #inside>) {
  %0 = tile.reduce(%x) axis = 1 : (tensor<32x16xf32, #inside>) -> tensor<32xf32, #tilegpu.linear<{register = [], lane = [[0], [0], [1], [2], [4]], warp = [[8], [16]], block = []}, [32]>> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  func.return
}
}

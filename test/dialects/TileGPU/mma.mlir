// RUN: tile-opt %s --verify-roundtrip | FileCheck %s

#a = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}, [16, 16]>
#b = #tilegpu.linear<{register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = []}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}, [16, 8]>
#a8 = #tilegpu.linear<{register = [[0, 1], [0, 2], [1, 0]], lane = [[0, 4], [0, 8], [2, 0], [4, 0], [8, 0]], warp = [], block = []}, [16, 16]>
#b8 = #tilegpu.linear<{register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = []}, [16, 8]>
#c8 = #tilegpu.linear<{register = [[0, 1], [1, 0]], lane = [[0, 2], [0, 4], [2, 0], [4, 0], [8, 0]], warp = [], block = []}, [16, 8]>
#s1 = #tilegpu.linear<{register = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], warp = [], block = []}, [1, 1]>
module attributes {tilegpu.num_warps = 1 : i32} {
// CHECK-LABEL: @halves
func.func @halves(%a: tensor<16x16xf16, #a>, %b: tensor<16x8xf16, #b>, %c: tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c> {
  // CHECK: tilegpu.mma %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x16xf16, #{{.*}}>, tensor<16x8xf16, #{{.*}}> -> tensor<16x8xf32, #{{.*}}>
  %0 = tilegpu.mma %a, %b, %c : tensor<16x16xf16, #a>, tensor<16x8xf16, #b> -> tensor<16x8xf32, #c>
  return %0 : tensor<16x8xf32, #c>
}

// The same fragments hold tf32.
// CHECK-LABEL: @split
func.func @split(%a: tensor<16x16xf32, #a>, %b: tensor<16x8xf32, #b>, %c: tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c> {
  // CHECK: tilegpu.mma %{{.*}} split :
  %0 = tilegpu.mma %a, %b, %c split : tensor<16x16xf32, #a>, tensor<16x8xf32, #b> -> tensor<16x8xf32, #c>
  return %0 : tensor<16x8xf32, #c>
}

// Rows that are neighbours are in a thread.
// CHECK-LABEL: @pairs
func.func @pairs(%a: tensor<16x16xi8, #a8>, %b: tensor<16x8xi8, #b8>, %c: tensor<16x8xi32, #c8>) -> tensor<16x8xi32, #c8> {
  // CHECK: tilegpu.mma %{{.*}} unsigned :
  %0 = tilegpu.mma %a, %b, %c unsigned : tensor<16x16xi8, #a8>, tensor<16x8xi8, #b8> -> tensor<16x8xi32, #c8>
  return %0 : tensor<16x8xi32, #c8>
}

// Smaller than the instruction along everything.
// CHECK-LABEL: @small
func.func @small(%a: tensor<1x1xf16, #s1>, %c: tensor<1x1xf32, #s1>) -> tensor<1x1xf32, #s1> {
  // CHECK: tilegpu.mma
  %0 = tilegpu.mma %a, %a, %c : tensor<1x1xf16, #s1>, tensor<1x1xf16, #s1> -> tensor<1x1xf32, #s1>
  return %0 : tensor<1x1xf32, #s1>
}
}

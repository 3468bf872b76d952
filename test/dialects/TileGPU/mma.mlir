// RUN: tile-opt %s --verify-roundtrip | FileCheck %s

// A warp computes 16 x 8 elements of its own rows or columns from 16 bytes along K; two warps split the rows, two the
// columns.
#a = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [16, 0]], block = []}, [32, 16]>
#b = #tilegpu.linear<{register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 0]], block = []}, [16, 16]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [16, 0]], block = []}, [32, 16]>

// CHECK-LABEL: @mma
func.func @mma(%a: tensor<32x16xf16, #a>, %b: tensor<16x16xf16, #b>, %c: tensor<32x16xf32, #c>) -> tensor<32x16xf32, #c> {
  // CHECK: tilegpu.mma %{{.*}}, %{{.*}}, %{{.*}} : tensor<32x16xf16, #{{.*}}>, tensor<16x16xf16, #{{.*}}> -> tensor<32x16xf32, #{{.*}}>
  %0 = tilegpu.mma %a, %b, %c : tensor<32x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<32x16xf32, #c>
  return %0 : tensor<32x16xf32, #c>
}

// Four 8-bit integers to a register.
#a8 = #tilegpu.linear<{register = [[0, 1], [0, 2], [8, 0], [0, 16]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [16, 0]], block = []}, [32, 32]>
#b8 = #tilegpu.linear<{register = [[1, 0], [2, 0], [16, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 0]], block = []}, [32, 16]>

// CHECK-LABEL: @unsigned
func.func @unsigned(%a: tensor<32x32xi8, #a8>, %b: tensor<32x16xi8, #b8>, %c: tensor<32x16xi32, #c>) -> tensor<32x16xi32, #c> {
  // CHECK: tilegpu.mma %{{.*}}, %{{.*}}, %{{.*}} unsigned : tensor<32x32xi8, #{{.*}}>, tensor<32x16xi8, #{{.*}}> -> tensor<32x16xi32, #{{.*}}>
  %0 = tilegpu.mma %a, %b, %c unsigned : tensor<32x32xi8, #a8>, tensor<32x16xi8, #b8> -> tensor<32x16xi32, #c>
  return %0 : tensor<32x16xi32, #c>
}

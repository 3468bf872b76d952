// RUN: tile-opt %s --verify-roundtrip | FileCheck %s

#a = #tilegpu.linear<{register = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], warp = [[4, 0], [0, 0]], block = []}, [8, 8]>
#c = #tilegpu.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]], block = []}, [8, 8]>
#s = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}, [8, 8]>

// CHECK-LABEL: @operands
func.func @operands(%a: tensor<8x8xf32, #a>, %b: !tilegpu.memdesc<[8, 8], f32, #s>, %c: tensor<8x8xf32, #c>) -> tensor<8x8xf32, #c> {
  // CHECK: tilegpu.dot %{{.*}}, %{{.*}}, %{{.*}} precision = ieee : tensor<8x8xf32, #{{.*}}>, !tilegpu.memdesc<[8, 8], f32, #{{.*}}> -> tensor<8x8xf32, #{{.*}}>
  %0 = tilegpu.dot %a, %b, %c precision = ieee : tensor<8x8xf32, #a>, !tilegpu.memdesc<[8, 8], f32, #s> -> tensor<8x8xf32, #c>
  return %0 : tensor<8x8xf32, #c>
}

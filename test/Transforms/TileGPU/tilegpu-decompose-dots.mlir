// RUN: tile-opt %s --tilegpu-decompose-dots | FileCheck %s

#a = #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}, [32, 16]>
#b = #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}, [16, 32]>
#c = #tilegpu.linear<{register = [[0, 1], [0, 2], [1, 0]], lane = [[0, 4], [0, 8], [0, 16], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}, [32, 32]>
#s = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]]}, [16, 32]>

module attributes {tilegpu.num_warps = 4 : i32} {
// CHECK-LABEL: func @tensors
// CHECK-SAME: (%[[A:.*]]: tensor<32x16xf32, #{{.*}}>, %[[B:.*]]: tensor<16x32xf32, #{{.*}}>, %[[C:.*]]: tensor<32x32xf32, #{{.*}}>)
// CHECK: %[[SA:.*]] = tilegpu.local_alloc : <[32, 16], f32, #{{.*}}>
// CHECK: tilegpu.local_store %[[A]], %[[SA]]
// CHECK: %[[SB:.*]] = tilegpu.local_alloc : <[16, 32], f32, #{{.*}}>
// CHECK: tilegpu.local_store %[[B]], %[[SB]]
// CHECK: %[[R:.*]] = tilegpu.dot %[[SA]], %[[SB]], %[[C]] precision = ieee : !tilegpu.memdesc<[32, 16], f32, #{{.*}}>, !tilegpu.memdesc<[16, 32], f32, #{{.*}}>
// CHECK: return %[[R]]
func.func @tensors(%a: tensor<32x16xf32, #a>, %b: tensor<16x32xf32, #b>, %c: tensor<32x32xf32, #c>) -> tensor<32x32xf32, #c> {
  %0 = tilegpu.dot %a, %b, %c precision = ieee : tensor<32x16xf32, #a>, tensor<16x32xf32, #b> -> tensor<32x32xf32, #c>
  func.return %0 : tensor<32x32xf32, #c>
}

// 8-bit floats are widened.
// CHECK-LABEL: func @float8
// CHECK-SAME: (%[[A:.*]]: tensor<32x16xf8E5M2, #{{.*}}>, %[[B:.*]]: tensor<16x32xf8E4M3FN, #{{.*}}>
// CHECK: %[[W:.*]] = tile.fp_to_fp %[[A]] : {{.*}} -> tensor<32x16xf16, #{{.*}}>
// CHECK: %[[SA:.*]] = tilegpu.local_alloc : <[32, 16], f16, #{{.*}}>
// CHECK: tilegpu.local_store %[[W]], %[[SA]]
// CHECK: tile.fp_to_fp %[[B]] : {{.*}} -> tensor<16x32xf16, #{{.*}}>
// CHECK: tilegpu.dot %[[SA]], %{{.*}}, %{{.*}} : !tilegpu.memdesc<[32, 16], f16
func.func @float8(%a: tensor<32x16xf8E5M2, #a>, %b: tensor<16x32xf8E4M3FN, #b>, %c: tensor<32x32xf32, #c>) -> tensor<32x32xf32, #c> {
  %0 = tilegpu.dot %a, %b, %c : tensor<32x16xf8E5M2, #a>, tensor<16x32xf8E4M3FN, #b> -> tensor<32x32xf32, #c>
  func.return %0 : tensor<32x32xf32, #c>
}

// An operand in shared memory stays, and so the type of the other one.
// CHECK-LABEL: func @one_buffer
// CHECK-SAME: (%[[A:.*]]: tensor<32x16xf8E5M2, #{{.*}}>, %[[B:.*]]: !tilegpu.memdesc
// CHECK: %[[SA:.*]] = tilegpu.local_alloc : <[32, 16], f8E5M2, #{{.*}}>
// CHECK: tilegpu.local_store %[[A]], %[[SA]]
// CHECK-NOT: local_alloc
// CHECK: tilegpu.dot %[[SA]], %[[B]]
func.func @one_buffer(%a: tensor<32x16xf8E5M2, #a>, %b: !tilegpu.memdesc<[16, 32], f8E5M2, #s>, %c: tensor<32x32xf32, #c>) -> tensor<32x32xf32, #c> {
  %0 = tilegpu.dot %a, %b, %c : tensor<32x16xf8E5M2, #a>, !tilegpu.memdesc<[16, 32], f8E5M2, #s> -> tensor<32x32xf32, #c>
  func.return %0 : tensor<32x32xf32, #c>
}
}

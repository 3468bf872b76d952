// RUN: tile-opt %s --tilegpu-decompose-conversions --split-input-file | FileCheck %s

#a = #tilegpu.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]], block = []}, [128]>
#swapped_registers = #tilegpu.linear<{register = [[64]], lane = [[2], [4], [8], [16], [32]], warp = [[1]], block = []}, [128]>
#swapped_lanes = #tilegpu.linear<{register = [[1]], lane = [[4], [2], [8], [16], [32]], warp = [[64]], block = []}, [128]>

module attributes {tilegpu.num_warps = 2 : i32} {
// Data moves between warps.
// CHECK-LABEL: func @through_shared
// CHECK: %[[B:.*]] = tilegpu.local_alloc : <[128], f32
// CHECK: tilegpu.local_store %{{.*}}, %[[B]]
// CHECK: tilegpu.local_load %[[B]]
func.func @through_shared(%x: tensor<128xf32, #a>) -> tensor<128xf32, #swapped_registers> {
  %0 = tilegpu.convert_layout %x : tensor<128xf32, #a> -> tensor<128xf32, #swapped_registers>
  func.return %0 : tensor<128xf32, #swapped_registers>
}

// Data moves between lanes of a warp: shuffles, later.
// CHECK-LABEL: func @no_inside_a_warp
// CHECK-NOT: local_alloc
// CHECK: tilegpu.convert_layout
func.func @no_inside_a_warp(%x: tensor<128xf32, #a>) -> tensor<128xf32, #swapped_lanes> {
  %0 = tilegpu.convert_layout %x : tensor<128xf32, #a> -> tensor<128xf32, #swapped_lanes>
  func.return %0 : tensor<128xf32, #swapped_lanes>
}

// What is known of an address goes with it.
// CHECK-LABEL: func @indices
// CHECK: tilegpu.local_load %{{.*}} {tile.contiguity = array<i32: 128>, tile.divisibility = array<i32: 16>}
func.func @indices() -> tensor<128xi32, #swapped_registers> {
  %x = tile.make_range {start = 16 : i32, end = 144 : i32} : tensor<128xi32, #a>
  %0 = tilegpu.convert_layout %x : tensor<128xi32, #a> -> tensor<128xi32, #swapped_registers>
  func.return %0 : tensor<128xi32, #swapped_registers>
}
}

// -----

// 256 KB: one half of the elements after the other, each in a buffer of 128 KB.
#r = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0], [128, 0]], block = []}, [256, 256]>
#q = #tilegpu.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0], [128, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32], [0, 64], [0, 128]], block = []}, [256, 256]>
#r1 = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0], [128, 0]], block = []}, [256, 128]>
#q1 = #tilegpu.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], lane = [[128, 0], [0, 1], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32], [0, 64]], block = []}, [256, 128]>
#ring = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], block = []}, [128, 256]>
#rr = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0], [0, 128]], block = []}, [128, 256]>
module attributes {tilegpu.num_warps = 8 : i32, tile.target = "sm_90a"} {
// CHECK-LABEL: func @in_halves
// CHECK: %[[X:.*]] = arith.bitcast
// CHECK: %[[L:.*]] = arith.trunci %[[X]] : {{.*}} to tensor<256x256xi16
// CHECK: %[[B:.*]] = tilegpu.local_alloc : <[256, 256], i16
// CHECK: tilegpu.local_store %[[L]], %[[B]]
// CHECK: %[[L2:.*]] = tilegpu.local_load %[[B]]
// CHECK: %[[S:.*]] = arith.shrui %[[X]]
// CHECK: %[[H:.*]] = arith.trunci %[[S]] : {{.*}} to tensor<256x256xi16
// CHECK: %[[C:.*]] = tilegpu.local_alloc : <[256, 256], i16
// CHECK: tilegpu.local_store %[[H]], %[[C]]
// CHECK: %[[H2:.*]] = tilegpu.local_load %[[C]]
// CHECK: arith.extui %[[L2]]
// CHECK: arith.extui %[[H2]]
// CHECK: arith.shli
// CHECK: arith.ori
// CHECK: arith.bitcast
func.func @in_halves(%x: tensor<256x256xf32, #r>) -> tensor<256x256xf32, #q> {
  %0 = tilegpu.convert_layout %x : tensor<256x256xf32, #r> -> tensor<256x256xf32, #q>
  func.return %0 : tensor<256x256xf32, #q>
}

// 64 KB, where 192 KB are live meanwhile.
// CHECK-LABEL: func @beside_a_ring
// CHECK-COUNT-2: tilegpu.local_alloc : <[256, 128], i8
// CHECK-NOT: local_alloc
// CHECK: return
func.func @beside_a_ring(%x: tensor<256x128xf16, #r1>, %y: tensor<128x256xf32, #rr>) -> (tensor<256x128xf16, #q1>, tensor<128x256xf32, #rr>) {
  %ring = tilegpu.local_alloc : !tilegpu.memdesc<[128, 256], f32, #ring>
  %ring2 = tilegpu.local_alloc : !tilegpu.memdesc<[128, 256], f16, #ring>
  tilegpu.local_store %y, %ring : tensor<128x256xf32, #rr>, !tilegpu.memdesc<[128, 256], f32, #ring>
  %h = arith.truncf %y : tensor<128x256xf32, #rr> to tensor<128x256xf16, #rr>
  tilegpu.local_store %h, %ring2 : tensor<128x256xf16, #rr>, !tilegpu.memdesc<[128, 256], f16, #ring>
  %0 = tilegpu.convert_layout %x : tensor<256x128xf16, #r1> -> tensor<256x128xf16, #q1>
  %1 = tilegpu.local_load %ring : !tilegpu.memdesc<[128, 256], f32, #ring> -> tensor<128x256xf32, #rr>
  %2 = tilegpu.local_load %ring2 : !tilegpu.memdesc<[128, 256], f16, #ring> -> tensor<128x256xf16, #rr>
  %3 = arith.extf %2 : tensor<128x256xf16, #rr> to tensor<128x256xf32, #rr>
  %4 = arith.addf %1, %3 : tensor<128x256xf32, #rr>
  func.return %0, %4 : tensor<256x128xf16, #q1>, tensor<128x256xf32, #rr>
}
}

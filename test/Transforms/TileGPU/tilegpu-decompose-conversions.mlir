// RUN: tile-opt %s --tilegpu-decompose-conversions | FileCheck %s

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

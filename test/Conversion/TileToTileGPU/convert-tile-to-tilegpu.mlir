// RUN: tile-opt %s --convert-tile-to-tilegpu="num-warps=2 target=sm_80" | FileCheck %s

// CHECK: #[[RANGE:.*]] = #tilegpu.linear<{register = {{\[\[}}64], [128]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32]], block = []}, [256]>
// CHECK: module attributes {tile.target = "sm_80", tilegpu.num_warps = 2 : i32}

// One element per thread along the last dimension, what is left over in registers.
// CHECK-LABEL: func @range
// CHECK: tile.make_range
// CHECK-SAME: tensor<256xi32, #[[RANGE]]>
func.func @range() -> tensor<256xi32> {
  %0 = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  func.return %0 : tensor<256xi32>
}

// A broadcast ties its operand to its result.
// CHECK-LABEL: func @broadcast
// CHECK: %[[E:.*]] = tile.expand_dims
// CHECK: %[[C:.*]] = tilegpu.convert_layout %[[E]]
// CHECK: tile.broadcast %[[C]]
func.func @broadcast(%a: tensor<64xf32>) {
  %0 = tile.expand_dims %a {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
  %1 = tile.broadcast %0 : tensor<64x1xf32> -> tensor<64x32xf32>
  func.return
}

// A reduction's result is a slice of its operand's layout.
// CHECK-LABEL: func @reduce
// CHECK: %[[R:.*]] = tile.reduce
// CHECK: tilegpu.convert_layout %[[R]]
func.func @reduce(%a: tensor<64x64xf32>) -> tensor<64xf32> {
  %0 = tile.reduce(%a) axis = 1 : (tensor<64x64xf32>) -> tensor<64xf32> {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    tile.yield %s : f32
  }
  func.return %0 : tensor<64xf32>
}

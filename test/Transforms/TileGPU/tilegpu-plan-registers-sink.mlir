// RUN: tile-opt %s --split-input-file --tilegpu-plan-registers=steps=sink | FileCheck %s

#a = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>

// 32 registers for a thread, of which 8 are for tensors; three tensors would take 12 behind the reduction. A load of
// halves moves behind the conversion that uses it.
module attributes {tilegpu.min_ctas = 16 : i32} {
// CHECK-LABEL: func @late
// CHECK: %[[X:.*]] = tile.load
// CHECK-NEXT: tile.reduce(%[[X]])
// CHECK: %[[V:.*]] = arith.mulf %[[X]]
// CHECK-NEXT: %[[Y:.*]] = tile.load
// CHECK-NEXT: %[[W:.*]] = arith.mulf %[[V]], %[[Y]]
// CHECK-NEXT: %[[H:.*]] = tile.load
// CHECK-NEXT: %[[E:.*]] = arith.extf %[[H]]
// CHECK-NEXT: arith.mulf %[[W]], %[[E]]
func.func @late(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %r: !tile.ptr<f16>) -> tensor<512xf32, #a> {
  %i = tile.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #a>
  %r0 = tile.splat %r : !tile.ptr<f16> -> tensor<512x!tile.ptr<f16>, #a>
  %r1 = tile.addptr %r0, %i : tensor<512x!tile.ptr<f16>, #a>, tensor<512xi32, #a>
  %h = tile.load %r1 : tensor<512x!tile.ptr<f16>, #a>
  %e = arith.extf %h : tensor<512xf16, #a> to tensor<512xf32, #a>
  %q0 = tile.splat %q : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #a>
  %q1 = tile.addptr %q0, %i : tensor<512x!tile.ptr<f32>, #a>, tensor<512xi32, #a>
  %y = tile.load %q1 : tensor<512x!tile.ptr<f32>, #a>
  %p0 = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #a>
  %p1 = tile.addptr %p0, %i : tensor<512x!tile.ptr<f32>, #a>, tensor<512xi32, #a>
  %x = tile.load %p1 : tensor<512x!tile.ptr<f32>, #a>
  %s = tile.reduce(%x) axis = 0 : (tensor<512xf32, #a>) -> f32 {
  ^bb0(%b: f32, %c: f32):
    %t = arith.addf %b, %c : f32
    tile.yield %t : f32
  }
  %u = tile.splat %s : f32 -> tensor<512xf32, #a>
  %v = arith.mulf %x, %u : tensor<512xf32, #a>
  %w = arith.mulf %v, %y : tensor<512xf32, #a>
  %z = arith.mulf %w, %e : tensor<512xf32, #a>
  func.return %z : tensor<512xf32, #a>
}

// The store may write what is loaded: the loads stay in front of it, the conversion does not.
// CHECK-LABEL: func @store_between
// CHECK-COUNT-3: tile.load
// CHECK: tile.reduce
// CHECK: tile.store
// CHECK: arith.extf
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: return
func.func @store_between(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %r: !tile.ptr<f16>, %g: !tile.ptr<f32>) -> tensor<512xf32, #a> {
  %i = tile.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #a>
  %r0 = tile.splat %r : !tile.ptr<f16> -> tensor<512x!tile.ptr<f16>, #a>
  %r1 = tile.addptr %r0, %i : tensor<512x!tile.ptr<f16>, #a>, tensor<512xi32, #a>
  %h = tile.load %r1 : tensor<512x!tile.ptr<f16>, #a>
  %e = arith.extf %h : tensor<512xf16, #a> to tensor<512xf32, #a>
  %q0 = tile.splat %q : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #a>
  %q1 = tile.addptr %q0, %i : tensor<512x!tile.ptr<f32>, #a>, tensor<512xi32, #a>
  %y = tile.load %q1 : tensor<512x!tile.ptr<f32>, #a>
  %p0 = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #a>
  %p1 = tile.addptr %p0, %i : tensor<512x!tile.ptr<f32>, #a>, tensor<512xi32, #a>
  %x = tile.load %p1 : tensor<512x!tile.ptr<f32>, #a>
  %s = tile.reduce(%x) axis = 0 : (tensor<512xf32, #a>) -> f32 {
  ^bb0(%b: f32, %c: f32):
    %t = arith.addf %b, %c : f32
    tile.yield %t : f32
  }
  tile.store %g, %s : !tile.ptr<f32>
  %v = arith.mulf %x, %y : tensor<512xf32, #a>
  %z = arith.mulf %v, %e : tensor<512xf32, #a>
  func.return %z : tensor<512xf32, #a>
}
}

// -----

#a = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>

// Registers enough: the latency of early loads passes during the reduction.
// CHECK-LABEL: func @no_need
// CHECK-COUNT-3: tile.load
// CHECK: tile.reduce
func.func @no_need(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %r: !tile.ptr<f32>) -> tensor<512xf32, #a> {
  %i = tile.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #a>
  %q0 = tile.splat %q : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #a>
  %q1 = tile.addptr %q0, %i : tensor<512x!tile.ptr<f32>, #a>, tensor<512xi32, #a>
  %y = tile.load %q1 : tensor<512x!tile.ptr<f32>, #a>
  %r0 = tile.splat %r : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #a>
  %r1 = tile.addptr %r0, %i : tensor<512x!tile.ptr<f32>, #a>, tensor<512xi32, #a>
  %o = tile.load %r1 : tensor<512x!tile.ptr<f32>, #a>
  %p0 = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #a>
  %p1 = tile.addptr %p0, %i : tensor<512x!tile.ptr<f32>, #a>, tensor<512xi32, #a>
  %x = tile.load %p1 : tensor<512x!tile.ptr<f32>, #a>
  %s = tile.reduce(%x) axis = 0 : (tensor<512xf32, #a>) -> f32 {
  ^bb0(%b: f32, %c: f32):
    %t = arith.addf %b, %c : f32
    tile.yield %t : f32
  }
  %u = tile.splat %s : f32 -> tensor<512xf32, #a>
  %v = arith.mulf %x, %u : tensor<512xf32, #a>
  %w = arith.mulf %v, %y : tensor<512xf32, #a>
  %z = arith.mulf %w, %o : tensor<512xf32, #a>
  func.return %z : tensor<512xf32, #a>
}

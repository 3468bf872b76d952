// RUN: tile-opt %s --split-input-file --tilegpu-plan-registers=steps=rematerialise | FileCheck %s

#a = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>

// 32 registers for a thread, of which 8 are for tensors; behind the reduction x and y take 4 each, and g 2. Keeping the
// halves that x is made from saves 2.
module attributes {tilegpu.min_ctas = 16 : i32} {
// CHECK-LABEL: func @widened
// CHECK: %[[H:.*]] = tile.load %arg0
// CHECK-NEXT: %[[X:.*]] = arith.extf %[[H]]
// CHECK: tile.reduce(%[[X]])
// CHECK: %[[U:.*]] = tile.splat
// CHECK-NEXT: %[[R:.*]] = tilegpu.refresh %[[H]]
// CHECK-NEXT: %[[XX:.*]] = arith.extf %[[R]]
// CHECK-NEXT: arith.mulf %[[XX]], %[[U]]
// CHECK-NOT: tilegpu.refresh
func.func @widened(%p: tensor<512x!tile.ptr<bf16>, #a>, %y: tensor<512xf32, #a>, %q: tensor<512x!tile.ptr<bf16>, #a>) -> tensor<512xf32, #a> {
  %h = tile.load %p : tensor<512x!tile.ptr<bf16>, #a>
  %x = arith.extf %h : tensor<512xbf16, #a> to tensor<512xf32, #a>
  %g = tile.load %q : tensor<512x!tile.ptr<bf16>, #a>
  %s = tile.reduce(%x) axis = 0 : (tensor<512xf32, #a>) -> f32 {
  ^bb0(%b: f32, %c: f32):
    %t = arith.addf %b, %c : f32
    tile.yield %t : f32
  }
  %u = tile.splat %s : f32 -> tensor<512xf32, #a>
  %v = arith.mulf %x, %u : tensor<512xf32, #a>
  %w = arith.mulf %v, %y : tensor<512xf32, #a>
  %k = arith.extf %g : tensor<512xbf16, #a> to tensor<512xf32, #a>
  %z = arith.mulf %w, %k : tensor<512xf32, #a>
  func.return %z : tensor<512xf32, #a>
}

// Nothing narrower to keep: both are made from tensors of as many registers, and a division is not cheap.
// CHECK-LABEL: func @wide
// CHECK-NOT: tilegpu.refresh
// CHECK: return
func.func @wide(%p: tensor<512x!tile.ptr<f32>, #a>, %g: tensor<512xf32, #a>, %q: tensor<512x!tile.ptr<bf16>, #a>) -> tensor<512xf32, #a> {
  %h = tile.load %p : tensor<512x!tile.ptr<f32>, #a>
  %x = arith.negf %h : tensor<512xf32, #a>
  %i = tile.load %q : tensor<512x!tile.ptr<bf16>, #a>
  %d = arith.divf %i, %i : tensor<512xbf16, #a>
  %y = arith.divf %d, %i : tensor<512xbf16, #a>
  %s = tile.reduce(%x) axis = 0 : (tensor<512xf32, #a>) -> f32 {
  ^bb0(%b: f32, %c: f32):
    %t = arith.addf %b, %c : f32
    tile.yield %t : f32
  }
  %u = tile.splat %s : f32 -> tensor<512xf32, #a>
  %v = arith.mulf %x, %u : tensor<512xf32, #a>
  %w = arith.mulf %v, %g : tensor<512xf32, #a>
  %k = arith.extf %y : tensor<512xbf16, #a> to tensor<512xf32, #a>
  %z = arith.mulf %w, %k : tensor<512xf32, #a>
  func.return %z : tensor<512xf32, #a>
}

// The loop uses x again and again.
// CHECK-LABEL: func @loop
// CHECK-NOT: tilegpu.refresh
// CHECK: return
func.func @loop(%p: tensor<512x!tile.ptr<bf16>, #a>, %y: tensor<512xf32, #a>, %g: tensor<512xf32, #a>, %n: i32) -> tensor<512xf32, #a> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %h = tile.load %p : tensor<512x!tile.ptr<bf16>, #a>
  %x = arith.extf %h : tensor<512xbf16, #a> to tensor<512xf32, #a>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %y) -> (tensor<512xf32, #a>) : i32 {
    %s = tile.reduce(%acc) axis = 0 : (tensor<512xf32, #a>) -> f32 {
    ^bb0(%b: f32, %c: f32):
      %t = arith.addf %b, %c : f32
      tile.yield %t : f32
    }
    %u = tile.splat %s : f32 -> tensor<512xf32, #a>
    %v = arith.mulf %x, %u : tensor<512xf32, #a>
    %w = arith.mulf %v, %g : tensor<512xf32, #a>
    scf.yield %w : tensor<512xf32, #a>
  }
  func.return %r : tensor<512xf32, #a>
}
}

// -----

#a = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>

// Registers enough.
// CHECK-LABEL: func @no_need
// CHECK-NOT: tilegpu.refresh
// CHECK: return
func.func @no_need(%p: tensor<512x!tile.ptr<bf16>, #a>) -> tensor<512xf32, #a> {
  %h = tile.load %p : tensor<512x!tile.ptr<bf16>, #a>
  %x = arith.extf %h : tensor<512xbf16, #a> to tensor<512xf32, #a>
  %s = tile.reduce(%x) axis = 0 : (tensor<512xf32, #a>) -> f32 {
  ^bb0(%b: f32, %c: f32):
    %t = arith.addf %b, %c : f32
    tile.yield %t : f32
  }
  %u = tile.splat %s : f32 -> tensor<512xf32, #a>
  %v = arith.mulf %x, %u : tensor<512xf32, #a>
  func.return %v : tensor<512xf32, #a>
}

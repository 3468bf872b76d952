// RUN: tile-opt %s --tilegpu-plan-registers=steps=hoist | FileCheck %s
// RUN: tile-opt %s --tilegpu-plan-registers="steps=hoist hoist-registers=30" | FileCheck %s --check-prefixes=FEW
// RUN: tile-opt %s --tilegpu-plan-registers="steps=hoist hoist-registers=0" | FileCheck %s --check-prefixes=FEW

#a = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>

// The weights do not depend on the sum: they come behind the load in front of it, with their address. A thread has
// four registers of each tensor, which with 24 others is more than 30.
// CHECK-LABEL: func @weights
// CHECK: %[[X:.*]] = tile.load %arg0
// CHECK-NEXT: %[[O:.*]] = tile.splat %arg2
// CHECK-NEXT: %[[Q:.*]] = tile.addptr %arg1, %[[O]]
// CHECK-NEXT: tile.load %[[Q]]
// CHECK-NEXT: tile.reduce(%[[X]])
// FEW-LABEL: func @weights
// FEW: tile.reduce
// FEW: tile.load
func.func @weights(%p: tensor<512x!tile.ptr<f32>, #a>, %w: tensor<512x!tile.ptr<f32>, #a>, %i: i32) {
  %x = tile.load %p : tensor<512x!tile.ptr<f32>, #a>
  %s = tile.reduce(%x) axis = 0 : (tensor<512xf32, #a>) -> f32 {
  ^bb0(%b: f32, %c: f32):
    %t = arith.addf %b, %c : f32
    tile.yield %t : f32
  }
  %o = tile.splat %i : i32 -> tensor<512xi32, #a>
  %q = tile.addptr %w, %o : tensor<512x!tile.ptr<f32>, #a>, tensor<512xi32, #a>
  %y = tile.load %q : tensor<512x!tile.ptr<f32>, #a>
  %u = tile.splat %s : f32 -> tensor<512xf32, #a>
  %v = arith.mulf %x, %u : tensor<512xf32, #a>
  %z = arith.mulf %v, %y : tensor<512xf32, #a>
  tile.store %p, %z : tensor<512x!tile.ptr<f32>, #a>
  func.return
}

// The address is what was reduced.
// CHECK-LABEL: func @dependent
// CHECK: tile.reduce
// CHECK: tile.load
func.func @dependent(%p: tensor<512x!tile.ptr<i32>, #a>) -> tensor<512xi32, #a> {
  %x = tile.load %p : tensor<512x!tile.ptr<i32>, #a>
  %s = tile.reduce(%x) axis = 0 : (tensor<512xi32, #a>) -> i32 {
  ^bb0(%b: i32, %c: i32):
    %t = arith.addi %b, %c : i32
    tile.yield %t : i32
  }
  %o = tile.splat %s : i32 -> tensor<512xi32, #a>
  %q = tile.addptr %p, %o : tensor<512x!tile.ptr<i32>, #a>, tensor<512xi32, #a>
  %y = tile.load %q : tensor<512x!tile.ptr<i32>, #a>
  %z = arith.addi %x, %y : tensor<512xi32, #a>
  func.return %z : tensor<512xi32, #a>
}

// The store may write what is loaded.
// CHECK-LABEL: func @store_between
// CHECK: tile.reduce
// CHECK: tile.store
// CHECK-NEXT: tile.load
func.func @store_between(%p: tensor<512x!tile.ptr<f32>, #a>, %q: tensor<512x!tile.ptr<f32>, #a>, %r: !tile.ptr<f32>) -> tensor<512xf32, #a> {
  %x = tile.load %p : tensor<512x!tile.ptr<f32>, #a>
  %s = tile.reduce(%x) axis = 0 : (tensor<512xf32, #a>) -> f32 {
  ^bb0(%b: f32, %c: f32):
    %t = arith.addf %b, %c : f32
    tile.yield %t : f32
  }
  tile.store %r, %s : !tile.ptr<f32>
  %y = tile.load %q : tensor<512x!tile.ptr<f32>, #a>
  %z = arith.mulf %x, %y : tensor<512xf32, #a>
  func.return %z : tensor<512xf32, #a>
}

// CHECK-LABEL: func @volatile
// CHECK: tile.reduce
// CHECK: tile.load %{{.*}} volatile
func.func @volatile(%p: tensor<512x!tile.ptr<f32>, #a>, %q: tensor<512x!tile.ptr<f32>, #a>, %r: !tile.ptr<f32>) -> tensor<512xf32, #a> {
  %x = tile.load %p : tensor<512x!tile.ptr<f32>, #a>
  %s = tile.reduce(%x) axis = 0 : (tensor<512xf32, #a>) -> f32 {
  ^bb0(%b: f32, %c: f32):
    %t = arith.addf %b, %c : f32
    tile.yield %t : f32
  }
  %y = tile.load %q volatile : tensor<512x!tile.ptr<f32>, #a>
  %u = tile.splat %s : f32 -> tensor<512xf32, #a>
  %z = arith.mulf %u, %y : tensor<512xf32, #a>
  func.return %z : tensor<512xf32, #a>
}

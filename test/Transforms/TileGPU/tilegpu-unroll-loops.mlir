// RUN: tile-opt %s --tilegpu-unroll-loops | FileCheck %s
// RUN: tile-opt %s --tilegpu-unroll-loops="bytes-in-flight=16" | FileCheck %s --check-prefix=LESS

#a = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>

// The register budget: four CTAs of 128 threads.
// CHECK: module attributes {tilegpu.min_ctas = 4 : i32}

// 16 bytes an iteration: eight iterations at most, loads first, and a loop for the rest.
// CHECK-LABEL: func @stream
// CHECK: %[[MIDDLE:.*]] = arith.trunci
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[MIDDLE]]
// CHECK-COUNT-8: tile.load
// CHECK-NOT: tile.load
// CHECK-COUNT-8: arith.addf
// CHECK: scf.yield
// CHECK: scf.for %{{.*}} = %[[MIDDLE]] to
// CHECK-COUNT-1: tile.load
// LESS-LABEL: func @stream
// LESS-COUNT-2: tile.load
// LESS: scf.yield
func.func @stream(%p: tensor<512x!tile.ptr<f32>, #a>, %n: i32, %zero: tensor<512xf32, #a>) {
  %c0 = arith.constant 0 : i32
  %c512 = arith.constant 512 : i32
  %r = scf.for %i = %c0 to %n step %c512 iter_args(%acc = %zero) -> (tensor<512xf32, #a>) : i32 {
    %o = tile.splat %i : i32 -> tensor<512xi32, #a>
    %q = tile.addptr %p, %o : tensor<512x!tile.ptr<f32>, #a>, tensor<512xi32, #a>
    %x = tile.load %q : tensor<512x!tile.ptr<f32>, #a>
    %s = arith.addf %acc, %x : tensor<512xf32, #a>
    scf.yield %s : tensor<512xf32, #a>
  }
  func.return
}

// A reduction inside: twice only, and no register budget of its own.
// CHECK-LABEL: func @reducing
// CHECK-COUNT-2: tile.load
// CHECK: scf.yield
func.func @reducing(%p: tensor<512x!tile.ptr<f32>, #a>, %n: i32, %zero: f32) {
  %c0 = arith.constant 0 : i32
  %c512 = arith.constant 512 : i32
  %r = scf.for %i = %c0 to %n step %c512 iter_args(%acc = %zero) -> (f32) : i32 {
    %o = tile.splat %i : i32 -> tensor<512xi32, #a>
    %q = tile.addptr %p, %o : tensor<512x!tile.ptr<f32>, #a>, tensor<512xi32, #a>
    %x = tile.load %q : tensor<512x!tile.ptr<f32>, #a>
    %s = tile.reduce(%x) axis = 0 : (tensor<512xf32, #a>) -> f32 {
    ^bb0(%b: f32, %c: f32):
      %t = arith.addf %b, %c : f32
      tile.yield %t : f32
    }
    %u = arith.addf %acc, %s : f32
    scf.yield %u : f32
  }
  func.return
}

// The store may feed the next iteration's load.
// CHECK-LABEL: func @no_with_a_store
// CHECK-COUNT-1: tile.load
// CHECK-NOT: tile.load
// CHECK: return
func.func @no_with_a_store(%p: tensor<512x!tile.ptr<f32>, #a>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c512 = arith.constant 512 : i32
  scf.for %i = %c0 to %n step %c512 : i32 {
    %x = tile.load %p : tensor<512x!tile.ptr<f32>, #a>
    tile.store %p, %x : tensor<512x!tile.ptr<f32>, #a>
  }
  func.return
}

// CHECK-LABEL: func @no_index_counter
// CHECK-COUNT-1: tile.load
// CHECK-NOT: tile.load
// CHECK: return
func.func @no_index_counter(%p: tensor<512x!tile.ptr<f32>, #a>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = tile.load %p : tensor<512x!tile.ptr<f32>, #a>
  }
  func.return
}

// What the source asks for.
// CHECK-LABEL: func @asked
// CHECK: scf.for
// CHECK-COUNT-3: tile.store
// CHECK-NOT: tile.store
// CHECK: scf.for
func.func @asked(%p: tensor<512x!tile.ptr<f32>, #a>, %x: tensor<512xf32, #a>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    tile.store %p, %x : tensor<512x!tile.ptr<f32>, #a>
  } {tile.loop_unroll_factor = 3 : i32}
  func.return
}

// CHECK-LABEL: func @no_when_switched_off
// CHECK-COUNT-1: tile.load
// CHECK-NOT: tile.load
// CHECK: return
func.func @no_when_switched_off(%p: tensor<512x!tile.ptr<f32>, #a>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tile.load %p : tensor<512x!tile.ptr<f32>, #a>
  } {tile.loop_unroll_factor = 1 : i32}
  func.return
}

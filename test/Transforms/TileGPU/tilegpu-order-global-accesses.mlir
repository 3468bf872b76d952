// RUN: tile-opt %s --tilegpu-order-global-accesses | FileCheck %s

#all = #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}, [128]>
#some = #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]], block = []}, [32]>
#half = #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [0]], warp = [[16], [32]], block = []}, [64]>

module attributes {tilegpu.num_warps = 4 : i32} {
// All four warps load the scalar, one stores it.
// CHECK-LABEL: func @scalar
// CHECK: tile.load
// CHECK: nvvm.barrier0
// CHECK-NEXT: tile.store
func.func @scalar(%p: !tile.ptr<f32>) {
  %x = tile.load %p : !tile.ptr<f32>
  %y = arith.addf %x, %x : f32
  tile.store %p, %y : !tile.ptr<f32>
  func.return
}

// CHECK-LABEL: func @replicated_tensor
// CHECK: nvvm.barrier0
// CHECK-NEXT: tile.store
func.func @replicated_tensor(%p: tensor<32x!tile.ptr<f32>, #some>) {
  %x = tile.load %p : tensor<32x!tile.ptr<f32>, #some>
  tile.store %p, %x : tensor<32x!tile.ptr<f32>, #some>
  func.return
}

// The store meets the load of the iteration before.
// CHECK-LABEL: func @loop
// CHECK: scf.for
// CHECK-NEXT: nvvm.barrier0
// CHECK-NEXT: tile.store
func.func @loop(%p: !tile.ptr<f32>, %x: f32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    tile.store %p, %x : !tile.ptr<f32>
    %y = tile.load %p : !tile.ptr<f32>
  }
  func.return
}

// Every element has one thread: program order is thread order.
// CHECK-LABEL: func @no_one_owner
// CHECK-NOT: nvvm.barrier0
// CHECK: return
func.func @no_one_owner(%p: tensor<128x!tile.ptr<f32>, #all>) {
  %x = tile.load %p : tensor<128x!tile.ptr<f32>, #all>
  tile.store %p, %x : tensor<128x!tile.ptr<f32>, #all>
  func.return
}

// Lanes of one warp hold the same elements.
// CHECK-LABEL: func @replicated_lanes
// CHECK: tile.load
// CHECK-NOT: nvvm.barrier0
// CHECK: nvvm.bar.warp.sync
// CHECK-NEXT: tile.store
func.func @replicated_lanes(%p: tensor<64x!tile.ptr<f32>, #half>) {
  %x = tile.load %p : tensor<64x!tile.ptr<f32>, #half>
  tile.store %p, %x : tensor<64x!tile.ptr<f32>, #half>
  func.return
}

// One barrier is enough for what was loaded before it.
// CHECK-LABEL: func @once
// CHECK-COUNT-1: nvvm.barrier0
// CHECK-NOT: nvvm.barrier0
// CHECK: return
func.func @once(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) {
  %x = tile.load %p : !tile.ptr<f32>
  tile.store %q, %x : !tile.ptr<f32>
  tile.store %p, %x : !tile.ptr<f32>
  func.return
}
}

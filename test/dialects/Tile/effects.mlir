// RUN: tile-opt %s --cse --split-input-file | FileCheck %s

// Two loads of the same place are one when nothing is written in between.
// CHECK-LABEL: @loads_merge
func.func @loads_merge(%p: !tile.ptr<f32>) -> (f32, f32) {
  // CHECK: %[[A:.*]] = tile.load
  // CHECK-NOT: tile.load
  // CHECK: return %[[A]], %[[A]]
  %0 = tile.load %p : !tile.ptr<f32>
  %1 = tile.load %p : !tile.ptr<f32>
  return %0, %1 : f32, f32
}

// -----

// CHECK-LABEL: @no_merge_across_store
func.func @no_merge_across_store(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %v: f32) -> (f32, f32) {
  // CHECK: tile.load
  // CHECK: tile.store
  // CHECK: tile.load
  %0 = tile.load %p : !tile.ptr<f32>
  tile.store %q, %v : !tile.ptr<f32>
  %1 = tile.load %p : !tile.ptr<f32>
  return %0, %1 : f32, f32
}

// -----

// CHECK-LABEL: @no_merge_across_barrier
func.func @no_merge_across_barrier(%p: !tile.ptr<f32>) -> (f32, f32) {
  // CHECK: tile.load
  // CHECK: tile.barrier
  // CHECK: tile.load
  %0 = tile.load %p : !tile.ptr<f32>
  tile.barrier
  %1 = tile.load %p : !tile.ptr<f32>
  return %0, %1 : f32, f32
}

// -----

// CHECK-LABEL: @no_merge_volatile
func.func @no_merge_volatile(%p: !tile.ptr<f32>) -> (f32, f32) {
  // CHECK-COUNT-2: tile.load %{{.*}} volatile
  %0 = tile.load %p volatile : !tile.ptr<f32>
  %1 = tile.load %p volatile : !tile.ptr<f32>
  return %0, %1 : f32, f32
}

// -----

// CHECK-LABEL: @equal_reductions_merge
func.func @equal_reductions_merge(%x: tensor<8xf32>) -> (f32, f32) {
  // CHECK: %[[A:.*]] = tile.reduce
  // CHECK-NOT: tile.reduce
  // CHECK: return %[[A]], %[[A]]
  %0 = tile.reduce(%x) axis = 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %1 = tile.reduce(%x) axis = 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  return %0, %1 : f32, f32
}

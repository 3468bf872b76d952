// RUN: tile-opt %s --verify-roundtrip | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: @descriptors
// CHECK-SAME: !tile.desc<[8], f32, nan>
func.func @descriptors(%p: !tile.ptr<f32>, %m: i32, %n: i32, %s: i64, %i: i32, %d: !tile.desc<[8], f32, nan>) {
  // CHECK: %[[D:.*]] = tile.make_tensor_descriptor %{{.*}}, shape[%{{.*}}, %{{.*}}], strides[%{{.*}}] : <f32> -> <[16, 32], f32>
  %0 = tile.make_tensor_descriptor %p, shape [%m, %n], strides [%s] : !tile.ptr<f32> -> !tile.desc<[16, 32], f32>
  // CHECK: tile.make_tensor_descriptor %{{.*}}, shape[%{{.*}}], strides[] : <f32> -> <[8], f32, nan>
  %1 = tile.make_tensor_descriptor %p, shape [%m], strides [] : !tile.ptr<f32> -> !tile.desc<[8], f32, nan>
  // CHECK: %[[V:.*]] = tile.descriptor_load %[[D]][%{{.*}}, %{{.*}}] : <[16, 32], f32> -> tensor<16x32xf32>
  %2 = tile.descriptor_load %0[%i, %m] : !tile.desc<[16, 32], f32> -> tensor<16x32xf32>
  // CHECK: tile.descriptor_store %[[D]][%{{.*}}, %{{.*}}], %[[V]] : <[16, 32], f32>, tensor<16x32xf32>
  tile.descriptor_store %0[%i, %m], %2 : !tile.desc<[16, 32], f32>, tensor<16x32xf32>
  // CHECK: tile.descriptor_reduce add %[[D]][%{{.*}}, %{{.*}}], %[[V]] : <[16, 32], f32>, tensor<16x32xf32>
  tile.descriptor_reduce add %0[%i, %m], %2 : !tile.desc<[16, 32], f32>, tensor<16x32xf32>
  return
}

// CHECK-LABEL: func private @used(!tile.desc<[64, 256], f16, nan, used = [64, 208]>)
func.func private @used(!tile.desc<[64, 256], f16, nan, used = [64, 208]>)

// CHECK-LABEL: func private @rows(!tile.desc<[128, 64], f16, rows = 64>)
func.func private @rows(!tile.desc<[128, 64], f16, rows = 64>)

// RUN: tile-opt %s --tile-squeeze-descriptor-accesses | FileCheck %s
// RUN: tile-opt %s --tile-squeeze-descriptor-accesses --tile-lower-descriptors --canonicalize | FileCheck %s --check-prefix=POINTERS

// A block of one head is loaded and stored without the dimensions of size one, wherever they are.
// CHECK-LABEL: func.func @squeeze
// CHECK-NOT: reshape
// CHECK: %[[X:.*]] = tile.descriptor_load %{{.*}} : <[1, 64, 1, 32], f16> -> tensor<64x32xf16>
// CHECK: tile.descriptor_store %{{.*}}, %[[X]] : <[1, 64, 1, 32], f16>, tensor<64x32xf16>
// CHECK: tile.descriptor_reduce add %{{.*}}, %[[X]] : <[1, 64, 1, 32], f16>, tensor<64x32xf16>
// As pointers: no tensor of four dimensions is left.
// POINTERS-LABEL: func.func @squeeze
// POINTERS: tile.load {{.*}}tensor<64x32x
// POINTERS: tile.store {{.*}}tensor<64x32x
// POINTERS: tile.atomic_rmw {{.*}}tensor<64x32x
func.func @squeeze(%base: !tile.ptr<f16>, %b: i32, %h: i32, %s: i64) attributes {tile.kernel} {
  %n = arith.constant 128 : i32
  %d = tile.make_tensor_descriptor %base, shape [%b, %n, %h, %n], strides [%s, %s, %s] : !tile.ptr<f16> -> !tile.desc<[1, 64, 1, 32], f16>
  %x = tile.descriptor_load %d[%b, %h, %b, %h] : !tile.desc<[1, 64, 1, 32], f16> -> tensor<1x64x1x32xf16>
  %y = tile.reshape %x : tensor<1x64x1x32xf16> -> tensor<64x32xf16>
  %z = tile.reshape %y : tensor<64x32xf16> -> tensor<1x64x1x32xf16>
  tile.descriptor_store %d[%b, %h, %b, %h], %z : !tile.desc<[1, 64, 1, 32], f16>, tensor<1x64x1x32xf16>
  tile.descriptor_reduce add %d[%b, %h, %b, %h], %z : !tile.desc<[1, 64, 1, 32], f16>, tensor<1x64x1x32xf16>
  return
}

// Other shapes, and loads that are used in their own shape as well, stay.
// CHECK-LABEL: func.func @stays
// CHECK-COUNT-2: tile.reshape
func.func @stays(%base: !tile.ptr<f16>, %n: i32, %s: i64) -> (tensor<2048xf16>, tensor<64x32xf16>, tensor<1x64x32xf16>) attributes {tile.kernel} {
  %d = tile.make_tensor_descriptor %base, shape [%n, %n, %n], strides [%s, %s] : !tile.ptr<f16> -> !tile.desc<[1, 64, 32], f16>
  %x = tile.descriptor_load %d[%n, %n, %n] : !tile.desc<[1, 64, 32], f16> -> tensor<1x64x32xf16>
  %flat = tile.reshape %x : tensor<1x64x32xf16> -> tensor<2048xf16>
  %y = tile.descriptor_load %d[%n, %n, %n] : !tile.desc<[1, 64, 32], f16> -> tensor<1x64x32xf16>
  %block = tile.reshape %y : tensor<1x64x32xf16> -> tensor<64x32xf16>
  return %flat, %block, %y : tensor<2048xf16>, tensor<64x32xf16>, tensor<1x64x32xf16>
}

// RUN: tile-opt %s --tile-transpose-dots | FileCheck %s
// RUN: tile-opt %s --tile-transpose-dots --tile-widen-dots | FileCheck %s --check-prefix=WIDE

module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
// 104 rows are columns of the transposed dot, which is one instruction wide.
// CHECK-LABEL: func @rows
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x104xf32>
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]]) -> (tensor<64x104xf32>)
// CHECK: %[[A:.*]] = tile.descriptor_load {{.*}} -> tensor<104x32xf16>
// CHECK: %[[B:.*]] = tile.descriptor_load {{.*}} -> tensor<32x64xf16>
// CHECK: %[[X:.*]] = tile.permute %[[B]] {order = array<i32: 1, 0>} : tensor<32x64xf16> -> tensor<64x32xf16>
// CHECK: %[[Y:.*]] = tile.permute %[[A]] {order = array<i32: 1, 0>} : tensor<104x32xf16> -> tensor<32x104xf16>
// CHECK: tile.dot %[[X]], %[[Y]], %[[ACC]] : tensor<64x32xf16>, tensor<32x104xf16> -> tensor<64x104xf32>
// CHECK: %[[C:.*]] = tile.permute %[[SUM]] {order = array<i32: 1, 0>} : tensor<64x104xf32> -> tensor<104x64xf32>
// CHECK: tile.descriptor_store %{{.*}}, %[[C]]
// WIDE-LABEL: func @rows
// WIDE: tile.columns = 104
func.func @rows(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i32, %n: i32, %k: i32) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %kk = arith.extsi %k : i32 to i64
  %nn = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<104x64xf32>
  %a = tile.make_tensor_descriptor %pa, shape [%m, %k], strides [%kk] : !tile.ptr<f16> -> !tile.desc<[104, 32], f16>
  %b = tile.make_tensor_descriptor %pb, shape [%k, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[32, 64], f16>
  %c = tile.make_tensor_descriptor %pc, shape [%m, %n], strides [%nn] : !tile.ptr<f32> -> !tile.desc<[104, 64], f32>
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<104x64xf32>) : i32 {
    %x = tile.descriptor_load %a[%c0, %i] : !tile.desc<[104, 32], f16> -> tensor<104x32xf16>
    %y = tile.descriptor_load %b[%i, %c0] : !tile.desc<[32, 64], f16> -> tensor<32x64xf16>
    %d = tile.dot %x, %y, %acc : tensor<104x32xf16>, tensor<32x64xf16> -> tensor<104x64xf32>
    scf.yield %d : tensor<104x64xf32>
  }
  tile.descriptor_store %c[%c0, %c0], %sum : !tile.desc<[104, 64], f32>, tensor<104x64xf32>
  return
}

// By itself, of operands that were transposed: their transposes are what is loaded.
// CHECK-LABEL: func @alone
// CHECK: %[[A:.*]] = tile.descriptor_load {{.*}} -> tensor<32x104xf16>
// CHECK: %[[B:.*]] = tile.descriptor_load {{.*}} -> tensor<64x32xf16>
// CHECK: %[[D:.*]] = tile.dot %[[B]], %[[A]], %{{.*}} -> tensor<64x104xf32>
// CHECK: %[[T:.*]] = tile.permute %[[D]]
// CHECK: return %[[T]]
func.func @alone(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %n: i32) -> tensor<104x64xf32> {
  %c0 = arith.constant 0 : i32
  %nn = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<104x64xf32>
  %a = tile.make_tensor_descriptor %pa, shape [%n, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[32, 104], f16>
  %b = tile.make_tensor_descriptor %pb, shape [%n, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[64, 32], f16>
  %x = tile.descriptor_load %a[%c0, %c0] : !tile.desc<[32, 104], f16> -> tensor<32x104xf16>
  %xt = tile.permute %x {order = array<i32: 1, 0>} : tensor<32x104xf16> -> tensor<104x32xf16>
  %y = tile.descriptor_load %b[%c0, %c0] : !tile.desc<[64, 32], f16> -> tensor<64x32xf16>
  %yt = tile.permute %y {order = array<i32: 1, 0>} : tensor<64x32xf16> -> tensor<32x64xf16>
  %d = tile.dot %xt, %yt, %zero : tensor<104x32xf16>, tensor<32x64xf16> -> tensor<104x64xf32>
  return %d : tensor<104x64xf32>
}

// Bytes that do not lie along K; rows or columns that are no better the other way round; an operand that is not loaded.
// CHECK-LABEL: func @kept
// CHECK-NOT: tile.permute
// CHECK: return
func.func @kept(%p8: !tile.ptr<f8E4M3FN>, %p: !tile.ptr<f16>, %z: tensor<104x32xf16>, %n: i32) -> (tensor<104x64xf32>, tensor<104x48xf32>, tensor<104x64xf32>) {
  %c0 = arith.constant 0 : i32
  %nn = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<104x64xf32>
  %zero48 = arith.constant dense<0.0> : tensor<104x48xf32>
  %a8 = tile.make_tensor_descriptor %p8, shape [%n, %n], strides [%nn] : !tile.ptr<f8E4M3FN> -> !tile.desc<[104, 32], f8E4M3FN>
  %b8 = tile.make_tensor_descriptor %p8, shape [%n, %n], strides [%nn] : !tile.ptr<f8E4M3FN> -> !tile.desc<[32, 64], f8E4M3FN>
  %x8 = tile.descriptor_load %a8[%c0, %c0] : !tile.desc<[104, 32], f8E4M3FN> -> tensor<104x32xf8E4M3FN>
  %y8 = tile.descriptor_load %b8[%c0, %c0] : !tile.desc<[32, 64], f8E4M3FN> -> tensor<32x64xf8E4M3FN>
  %d8 = tile.dot %x8, %y8, %zero : tensor<104x32xf8E4M3FN>, tensor<32x64xf8E4M3FN> -> tensor<104x64xf32>
  %a = tile.make_tensor_descriptor %p, shape [%n, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[104, 32], f16>
  %b48 = tile.make_tensor_descriptor %p, shape [%n, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[32, 48], f16>
  %x = tile.descriptor_load %a[%c0, %c0] : !tile.desc<[104, 32], f16> -> tensor<104x32xf16>
  %y48 = tile.descriptor_load %b48[%c0, %c0] : !tile.desc<[32, 48], f16> -> tensor<32x48xf16>
  %d48 = tile.dot %x, %y48, %zero48 : tensor<104x32xf16>, tensor<32x48xf16> -> tensor<104x48xf32>
  %b = tile.make_tensor_descriptor %p, shape [%n, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[32, 64], f16>
  %y = tile.descriptor_load %b[%c0, %c0] : !tile.desc<[32, 64], f16> -> tensor<32x64xf16>
  %d = tile.dot %z, %y, %zero : tensor<104x32xf16>, tensor<32x64xf16> -> tensor<104x64xf32>
  return %d8, %d48, %d : tensor<104x64xf32>, tensor<104x48xf32>, tensor<104x64xf32>
}

// 8-bit weights that become floats: they are widened on the way to the registers from which the instruction takes its
// left operand.
// CHECK-LABEL: func @widened
// CHECK: scf.for {{.*}} -> (tensor<64x136xf32>)
// CHECK: %[[A:.*]] = tile.descriptor_load {{.*}} -> tensor<136x32xf16>
// CHECK: %[[W:.*]] = tile.descriptor_load {{.*}} -> tensor<64x32xi8>
// CHECK-NEXT: %[[X:.*]] = arith.uitofp %[[W]] : tensor<64x32xi8> to tensor<64x32xf16>
// CHECK-NEXT: %[[Y:.*]] = tile.permute %[[A]]
// CHECK-NEXT: tile.dot %[[X]], %[[Y]], %{{.*}} : tensor<64x32xf16>, tensor<32x136xf16> -> tensor<64x136xf32>
// WIDE-LABEL: func @widened
// WIDE: tile.columns = 136
func.func @widened(%pa: !tile.ptr<f16>, %pw: !tile.ptr<i8>, %n: i32) -> tensor<136x64xf32> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %nn = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<136x64xf32>
  %a = tile.make_tensor_descriptor %pa, shape [%n, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[136, 32], f16>
  %w = tile.make_tensor_descriptor %pw, shape [%n, %n], strides [%nn] : !tile.ptr<i8> -> !tile.desc<[64, 32], i8>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<136x64xf32>) : i32 {
    %x = tile.descriptor_load %a[%c0, %i] : !tile.desc<[136, 32], f16> -> tensor<136x32xf16>
    %y = tile.descriptor_load %w[%c0, %i] : !tile.desc<[64, 32], i8> -> tensor<64x32xi8>
    %yt = tile.permute %y {order = array<i32: 1, 0>} : tensor<64x32xi8> -> tensor<32x64xi8>
    %f = arith.uitofp %yt : tensor<32x64xi8> to tensor<32x64xf16>
    %d = tile.dot %x, %f, %acc : tensor<136x32xf16>, tensor<32x64xf16> -> tensor<136x64xf32>
    scf.yield %d : tensor<136x64xf32>
  }
  return %sum : tensor<136x64xf32>
}

// Too few rows for weights in registers (8 is a power of two, too), and weights that lie along the columns.
// CHECK-LABEL: func @widened_elsewhere
// CHECK: tile.dot {{.*}} -> tensor<8x64xf32>
// CHECK: tile.dot {{.*}} -> tensor<136x64xf32>
// CHECK: return
func.func @widened_elsewhere(%pa: !tile.ptr<f16>, %pw: !tile.ptr<i8>, %n: i32) -> (tensor<8x64xf32>, tensor<136x64xf32>) {
  %c0 = arith.constant 0 : i32
  %nn = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<8x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<136x64xf32>
  %a = tile.make_tensor_descriptor %pa, shape [%n, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[8, 32], f16>
  %b = tile.make_tensor_descriptor %pa, shape [%n, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[136, 32], f16>
  %w = tile.make_tensor_descriptor %pw, shape [%n, %n], strides [%nn] : !tile.ptr<i8> -> !tile.desc<[64, 32], i8>
  %v = tile.make_tensor_descriptor %pw, shape [%n, %n], strides [%nn] : !tile.ptr<i8> -> !tile.desc<[32, 64], i8>
  %x = tile.descriptor_load %a[%c0, %c0] : !tile.desc<[8, 32], f16> -> tensor<8x32xf16>
  %y = tile.descriptor_load %w[%c0, %c0] : !tile.desc<[64, 32], i8> -> tensor<64x32xi8>
  %yt = tile.permute %y {order = array<i32: 1, 0>} : tensor<64x32xi8> -> tensor<32x64xi8>
  %f = arith.sitofp %yt : tensor<32x64xi8> to tensor<32x64xf16>
  %d = tile.dot %x, %f, %zero : tensor<8x32xf16>, tensor<32x64xf16> -> tensor<8x64xf32>
  %x1 = tile.descriptor_load %b[%c0, %c0] : !tile.desc<[136, 32], f16> -> tensor<136x32xf16>
  %y1 = tile.descriptor_load %v[%c0, %c0] : !tile.desc<[32, 64], i8> -> tensor<32x64xi8>
  %f1 = arith.sitofp %y1 : tensor<32x64xi8> to tensor<32x64xf16>
  %d1 = tile.dot %x1, %f1, %zeros : tensor<136x32xf16>, tensor<32x64xf16> -> tensor<136x64xf32>
  return %d, %d1 : tensor<8x64xf32>, tensor<136x64xf32>
}
}

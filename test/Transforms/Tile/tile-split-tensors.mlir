// RUN: tile-opt %s --tile-split-tensors --canonicalize --cse | FileCheck %s

// A product of 192 columns: two products, of 128 and 64, and so with everything around it.
// CHECK-LABEL: func.func @columns
// CHECK-DAG: tile.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
// CHECK-DAG: tile.make_range {end = 192 : i32, start = 128 : i32} : tensor<64xi32>
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[C0:.*]] = %{{.*}}, %[[C1:.*]] = %{{.*}}) -> (tensor<64x128xf32>, tensor<64x64xf32>)
// CHECK: %[[D0:.*]] = tile.dot %[[A:.*]], %{{.*}}, %[[C0]] : tensor<64x32xf16>, tensor<32x128xf16> -> tensor<64x128xf32>
// CHECK: %[[D1:.*]] = tile.dot %[[A]], %{{.*}}, %[[C1]] : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
// CHECK: scf.yield %[[D0]], %[[D1]]
// CHECK: tile.store %{{.*}}, %[[R]]#0 : tensor<64x128x!tile.ptr<f32>>
// CHECK: tile.store %{{.*}}, %[[R]]#1 : tensor<64x64x!tile.ptr<f32>>
func.func @columns(%a: tensor<64x32xf16>, %base: !tile.ptr<f16>, %out: !tile.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = arith.constant dense<0.0> : tensor<64x192xf32>
  %range = tile.make_range {start = 0 : i32, end = 192 : i32} : tensor<192xi32>
  %row = tile.expand_dims %range {axis = 0 : i32} : tensor<192xi32> -> tensor<1x192xi32>
  %places = tile.broadcast %row : tensor<1x192xi32> -> tensor<32x192xi32>
  %bases = tile.splat %base : !tile.ptr<f16> -> tensor<32x192x!tile.ptr<f16>>
  %p = tile.addptr %bases, %places : tensor<32x192x!tile.ptr<f16>>, tensor<32x192xi32>
  %r = scf.for %i = %zero to %n step %one iter_args(%sum = %c) -> (tensor<64x192xf32>) : i32 {
    %b = tile.load %p : tensor<32x192x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %sum : tensor<64x32xf16>, tensor<32x192xf16> -> tensor<64x192xf32>
    scf.yield %d : tensor<64x192xf32>
  }
  %outs = tile.splat %out : !tile.ptr<f32> -> tensor<64x192x!tile.ptr<f32>>
  %wide = tile.broadcast %row : tensor<1x192xi32> -> tensor<64x192xi32>
  %q = tile.addptr %outs, %wide : tensor<64x192x!tile.ptr<f32>>, tensor<64x192xi32>
  tile.store %q, %r : tensor<64x192x!tile.ptr<f32>>
  return
}

// Along K the pieces' products are added up.
// CHECK-LABEL: func.func @depth
// CHECK: %[[D:.*]] = tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
// CHECK: tile.dot %{{.*}}, %{{.*}}, %[[D]] : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
func.func @depth(%p: !tile.ptr<f16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = tile.splat %p : !tile.ptr<f16> -> tensor<64x80x!tile.ptr<f16>>
  %1 = tile.splat %p : !tile.ptr<f16> -> tensor<80x64x!tile.ptr<f16>>
  %a = tile.load %0 : tensor<64x80x!tile.ptr<f16>>
  %b = tile.load %1 : tensor<80x64x!tile.ptr<f16>>
  %d = tile.dot %a, %b, %c : tensor<64x80xf16>, tensor<80x64xf16> -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// Reductions combine what the pieces give.
// CHECK-LABEL: func.func @reductions
// CHECK: %[[A:.*]] = tile.reduce({{.*}}) axis = 1 : (tensor<64x256xf32>) -> tensor<64xf32>
// CHECK: %[[B:.*]] = tile.reduce({{.*}}) axis = 1 : (tensor<64x1xf32>) -> tensor<64xf32>
// CHECK: arith.mulf %[[A]], %[[B]] : tensor<64xf32>
func.func @reductions(%p: !tile.ptr<f32>) -> tensor<64xf32> {
  %0 = tile.splat %p : !tile.ptr<f32> -> tensor<64x257x!tile.ptr<f32>>
  %x = tile.load %0 : tensor<64x257x!tile.ptr<f32>>
  %1 = tile.reduce(%x) axis = 1 : (tensor<64x257xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    tile.yield %s : f32
  }
  return %1 : tensor<64xf32>
}

// Descriptors of the pieces' shapes.
// CHECK-LABEL: func.func @descriptors
// CHECK-DAG: %[[D0:.*]] = tile.make_tensor_descriptor {{.*}} -> <[64, 64], f16>
// CHECK-DAG: %[[D1:.*]] = tile.make_tensor_descriptor {{.*}} -> <[64, 32], f16>
// CHECK: %[[X0:.*]] = tile.descriptor_load %[[D0]][%[[I:[a-z0-9]*]], %[[J:[a-z0-9]*]]]
// CHECK: %[[K:.*]] = arith.addi %[[J]], %c64_i32
// CHECK: %[[X1:.*]] = tile.descriptor_load %[[D1]][%[[I]], %[[K]]]
// CHECK: tile.descriptor_store %[[D0]][%[[J]], %[[I]]], %[[X0]]
func.func @descriptors(%base: !tile.ptr<f16>, %n: i32, %s: i64, %i: i32, %j: i32) {
  %d = tile.make_tensor_descriptor %base, shape [%n, %n], strides [%s] : !tile.ptr<f16> -> !tile.desc<[64, 96], f16>
  %x = tile.descriptor_load %d[%i, %j] : !tile.desc<[64, 96], f16> -> tensor<64x96xf16>
  tile.descriptor_store %d[%j, %i], %x : !tile.desc<[64, 96], f16>, tensor<64x96xf16>
  return
}

// What is small anyway is padded, and so is what an operation needs whole.
// CHECK-LABEL: func.func @whole
// CHECK: tile.load {{.*}} : tensor<96x!tile.ptr<f32>>
// CHECK: tile.load {{.*}} : tensor<64x96x!tile.ptr<f32>>
// CHECK: tile.scan({{.*}}) axis = 1
func.func @whole(%p: !tile.ptr<f32>) {
  %0 = tile.splat %p : !tile.ptr<f32> -> tensor<96x!tile.ptr<f32>>
  %x = tile.load %0 : tensor<96x!tile.ptr<f32>>
  tile.store %0, %x : tensor<96x!tile.ptr<f32>>
  %1 = tile.splat %p : !tile.ptr<f32> -> tensor<64x96x!tile.ptr<f32>>
  %y = tile.load %1 : tensor<64x96x!tile.ptr<f32>>
  %z = tile.scan(%y) axis = 1 : (tensor<64x96xf32>) -> tensor<64x96xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  tile.store %1, %z : tensor<64x96x!tile.ptr<f32>>
  return
}

// Hints hold as far as a piece's start keeps them.
// CHECK-LABEL: func.func @hints
// CHECK: arith.addi {{.*}} {tile.divisibility = array<i32: 1, 256>} : tensor<64x128xi32>
// CHECK: arith.addi {{.*}} {tile.divisibility = array<i32: 1, 128>} : tensor<64x64xi32>
func.func @hints(%p: !tile.ptr<i32>) {
  %0 = tile.splat %p : !tile.ptr<i32> -> tensor<64x192x!tile.ptr<i32>>
  %x = tile.load %0 : tensor<64x192x!tile.ptr<i32>>
  %y = arith.addi %x, %x {tile.divisibility = array<i32: 1, 256>} : tensor<64x192xi32>
  tile.store %0, %y : tensor<64x192x!tile.ptr<i32>>
  return
}

// Branches and while loops carry pieces; a kept dimension goes through reshape and permute.
// CHECK-LABEL: func.func @carried
// CHECK: scf.if %{{.*}} -> (tensor<1x64x128xf32>, tensor<1x64x64xf32>)
// CHECK: tile.permute {{.*}} : tensor<64x64xf32> -> tensor<64x64xf32>
// CHECK: scf.while {{.*}} : (tensor<128x64xf32>, tensor<64x64xf32>) -> (tensor<128x64xf32>, tensor<64x64xf32>)
func.func @carried(%p: !tile.ptr<f32>, %c: i1) {
  %0 = tile.splat %p : !tile.ptr<f32> -> tensor<1x64x192x!tile.ptr<f32>>
  %x = tile.load %0 : tensor<1x64x192x!tile.ptr<f32>>
  %y = scf.if %c -> (tensor<1x64x192xf32>) {
    %1 = arith.addf %x, %x : tensor<1x64x192xf32>
    scf.yield %1 : tensor<1x64x192xf32>
  } else {
    scf.yield %x : tensor<1x64x192xf32>
  }
  %2 = tile.reshape %y : tensor<1x64x192xf32> -> tensor<64x192xf32>
  %3 = tile.permute %2 {order = array<i32: 1, 0>} : tensor<64x192xf32> -> tensor<192x64xf32>
  %4 = scf.while (%w = %3) : (tensor<192x64xf32>) -> tensor<192x64xf32> {
    scf.condition(%c) %w : tensor<192x64xf32>
  } do {
  ^bb0(%w: tensor<192x64xf32>):
    %5 = arith.mulf %w, %w : tensor<192x64xf32>
    scf.yield %5 : tensor<192x64xf32>
  }
  %6 = tile.splat %p : !tile.ptr<f32> -> tensor<192x64x!tile.ptr<f32>>
  tile.store %6, %4 : tensor<192x64x!tile.ptr<f32>>
  return
}

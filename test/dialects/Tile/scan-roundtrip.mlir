// RUN: tile-opt %s --verify-roundtrip | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: @scan
func.func @scan(%x: tensor<128xf32>) -> tensor<128xf32> {
  // CHECK: tile.scan(%{{.*}}) axis = 0 : (tensor<128xf32>) -> tensor<128xf32> {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[B]] : f32
  // CHECK-NEXT: tile.yield %[[S]] : f32
  %0 = tile.scan(%x) axis = 0 : (tensor<128xf32>) -> tensor<128xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  return %0 : tensor<128xf32>
}

// CHECK-LABEL: @scan_pairs_reverse
func.func @scan_pairs_reverse(%x: tensor<4x8xf32, "in">, %i: tensor<4x8xi32, "in">) {
  // CHECK: tile.scan(%{{.*}}, %{{.*}}) axis = 1 reverse {tag} : (tensor<4x8xf32, "in">, tensor<4x8xi32, "in">) -> (tensor<4x8xf32, "in">, tensor<4x8xi32, "in">) {
  %0:2 = tile.scan(%x, %i) axis = 1 reverse {tag} : (tensor<4x8xf32, "in">, tensor<4x8xi32, "in">)
      -> (tensor<4x8xf32, "in">, tensor<4x8xi32, "in">) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    tile.yield %b, %ai : f32, i32
  }
  return
}

// CHECK-LABEL: @gather
func.func @gather(%x: tensor<16x64x!tile.ptr<f32>>, %i: tensor<16x32xi64, "a">) {
  // CHECK: tile.gather %{{.*}}[%{{.*}}] axis = 1 : tensor<16x64x!tile.ptr<f32>>, tensor<16x32xi64, "a"> -> tensor<16x32x!tile.ptr<f32>, "a">
  %0 = tile.gather %x[%i] axis = 1 : tensor<16x64x!tile.ptr<f32>>, tensor<16x32xi64, "a"> -> tensor<16x32x!tile.ptr<f32>, "a">
  return
}

// CHECK-LABEL: @histogram
func.func @histogram(%x: tensor<1024xi32>, %m: tensor<1024xi1>) {
  // CHECK: tile.histogram %{{.*}} : tensor<1024xi32> -> tensor<256xi32>
  %0 = tile.histogram %x : tensor<1024xi32> -> tensor<256xi32>
  // CHECK: tile.histogram %{{.*}} mask %{{.*}} : tensor<1024xi32>, tensor<1024xi1> -> tensor<8xi32>
  %1 = tile.histogram %x mask %m : tensor<1024xi32>, tensor<1024xi1> -> tensor<8xi32>
  return
}

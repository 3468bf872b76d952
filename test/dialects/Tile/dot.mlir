// RUN: tile-opt %s --verify-roundtrip | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: @dots
func.func @dots(%a: tensor<64x32xf16>, %b: tensor<32x16xf16>, %c: tensor<64x16xf32>, %h: tensor<64x16xf16>,
                %x: tensor<64x32xf32>, %y: tensor<32x16xf32>, %i: tensor<64x32xi8>, %j: tensor<32x16xi8>,
                %n: tensor<64x16xi32>, %p: tensor<64x32xf8E4M3FN>, %q: tensor<32x16xf8E5M2>) {
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x32xf16>, tensor<32x16xf16> -> tensor<64x16xf32>
  %0 = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x16xf16> -> tensor<64x16xf32>
  // CHECK: tile.dot %{{.*}} : tensor<64x32xf16>, tensor<32x16xf16> -> tensor<64x16xf16>
  %1 = tile.dot %a, %b, %h : tensor<64x32xf16>, tensor<32x16xf16> -> tensor<64x16xf16>
  // CHECK: tile.dot %{{.*}} precision = ieee : tensor<64x32xf32>
  %2 = tile.dot %x, %y, %c precision = ieee : tensor<64x32xf32>, tensor<32x16xf32> -> tensor<64x16xf32>
  // CHECK: tile.dot %{{.*}} precision = tf32x3 : tensor<64x32xf32>
  %3 = tile.dot %x, %y, %c precision = tf32x3 : tensor<64x32xf32>, tensor<32x16xf32> -> tensor<64x16xf32>
  // CHECK: tile.dot %{{.*}} unsigned : tensor<64x32xi8>
  %4 = tile.dot %i, %j, %n unsigned : tensor<64x32xi8>, tensor<32x16xi8> -> tensor<64x16xi32>
  // CHECK: tile.dot %{{.*}} max_imprecise_acc = 32 : tensor<64x32xf8E4M3FN>, tensor<32x16xf8E5M2>
  %5 = tile.dot %p, %q, %c max_imprecise_acc = 32 : tensor<64x32xf8E4M3FN>, tensor<32x16xf8E5M2> -> tensor<64x16xf32>
  return
}

// CHECK-LABEL: @batched
func.func @batched(%a: tensor<4x1x8xf64>, %b: tensor<4x8x2xf64>, %c: tensor<4x1x2xf64>) -> tensor<4x1x2xf64> {
  // CHECK: tile.dot %{{.*}} : tensor<4x1x8xf64>, tensor<4x8x2xf64> -> tensor<4x1x2xf64>
  %0 = tile.dot %a, %b, %c : tensor<4x1x8xf64>, tensor<4x8x2xf64> -> tensor<4x1x2xf64>
  return %0 : tensor<4x1x2xf64>
}

// CHECK-LABEL: @parts_of_sums
func.func @parts_of_sums(%a: tensor<64x16xf32>, %part: i32) -> tensor<16x16xf32> {
  // CHECK: tile.reduce_scatter %{{.*}} part %{{.*}} : tensor<64x16xf32> -> tensor<16x16xf32>
  %0 = tile.reduce_scatter %a part %part : tensor<64x16xf32> -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}

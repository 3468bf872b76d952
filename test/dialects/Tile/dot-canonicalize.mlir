// RUN: tile-opt %s --canonicalize | FileCheck %s

// An addition to a product that starts from zero becomes its accumulator, on either side.
// CHECK-LABEL: @addition
// CHECK-SAME: (%[[A:.*]]: tensor<16x16xf16>, %[[B:.*]]: tensor<16x16xf16>, %[[C:.*]]: tensor<16x16xf32>
func.func @addition(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  // CHECK: %[[L:.*]] = tile.dot %[[A]], %[[B]], %[[C]]
  %0 = tile.dot %a, %b, %zero : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %1 = arith.addf %0, %c : tensor<16x16xf32>
  // CHECK: %[[R:.*]] = tile.dot %[[B]], %[[A]], %[[C]]
  %2 = tile.dot %b, %a, %zero : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %3 = arith.addf %c, %2 : tensor<16x16xf32>
  // CHECK: return %[[L]], %[[R]]
  return %1, %3 : tensor<16x16xf32>, tensor<16x16xf32>
}

// CHECK-LABEL: @integers
// CHECK-SAME: %[[C:[a-z0-9]+]]: tensor<16x16xi32>
func.func @integers(%a: tensor<16x16xi8>, %b: tensor<16x16xi8>, %c: tensor<16x16xi32>) -> tensor<16x16xi32> {
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  // CHECK: %[[D:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[C]] unsigned
  %0 = tile.dot %a, %b, %zero unsigned : tensor<16x16xi8>, tensor<16x16xi8> -> tensor<16x16xi32>
  %1 = arith.addi %c, %0 : tensor<16x16xi32>
  // CHECK: return %[[D]]
  return %1 : tensor<16x16xi32>
}

// Not when the product is used elsewhere, starts from something else, or stands in another block.
// CHECK-LABEL: @kept
// CHECK-COUNT-3: arith.addf
func.func @kept(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>, %n: i32) -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %0 = tile.dot %a, %b, %zero : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %1 = arith.addf %0, %c : tensor<16x16xf32>
  %2 = tile.dot %a, %b, %c : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %3 = arith.addf %2, %c : tensor<16x16xf32>
  %4 = tile.dot %b, %a, %zero : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %5 = scf.for %i = %i0 to %n step %i1 iter_args(%s = %c) -> tensor<16x16xf32> : i32 {
    %6 = arith.addf %s, %4 : tensor<16x16xf32>
    scf.yield %6 : tensor<16x16xf32>
  }
  return %0, %1, %3, %5 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
}

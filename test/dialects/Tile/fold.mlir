// RUN: tile-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @splat_constant
func.func @splat_constant() -> (tensor<4xf32>, tensor<2x2xi32, "layout">) {
  // CHECK-DAG: %[[A:.*]] = arith.constant dense<1.500000e+00> : tensor<4xf32>
  // CHECK-DAG: %[[B:.*]] = arith.constant dense<7> : tensor<2x2xi32, "layout">
  // CHECK: return %[[A]], %[[B]]
  %f = arith.constant 1.5 : f32
  %i = arith.constant 7 : i32
  %0 = tile.splat %f : f32 -> tensor<4xf32>
  %1 = tile.splat %i : i32 -> tensor<2x2xi32, "layout">
  return %0, %1 : tensor<4xf32>, tensor<2x2xi32, "layout">
}

// -----

// CHECK-LABEL: @shape_ops_of_splat_constant
func.func @shape_ops_of_splat_constant() -> (tensor<8x4xf32>, tensor<8x1xf32>, tensor<2x4xf32>, tensor<1x8xf32>) {
  // CHECK-DAG: %[[A:.*]] = arith.constant dense<2.000000e+00> : tensor<8x4xf32>
  // CHECK-DAG: %[[B:.*]] = arith.constant dense<2.000000e+00> : tensor<8x1xf32>
  // CHECK-DAG: %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<2x4xf32>
  // CHECK-DAG: %[[D:.*]] = arith.constant dense<2.000000e+00> : tensor<1x8xf32>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  %c = arith.constant dense<2.0> : tensor<8xf32>
  %0 = tile.expand_dims %c {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  %1 = tile.broadcast %0 : tensor<8x1xf32> -> tensor<8x4xf32>
  %2 = tile.reshape %c : tensor<8xf32> -> tensor<2x4xf32>
  %3 = tile.permute %0 {order = array<i32: 1, 0>} : tensor<8x1xf32> -> tensor<1x8xf32>
  return %1, %0, %2, %3 : tensor<8x4xf32>, tensor<8x1xf32>, tensor<2x4xf32>, tensor<1x8xf32>
}

// -----

// CHECK-LABEL: @range_of_one
func.func @range_of_one() -> tensor<1xi32> {
  // CHECK: arith.constant dense<-3> : tensor<1xi32>
  %0 = tile.make_range {start = -3 : i32, end = -2 : i32} : tensor<1xi32>
  return %0 : tensor<1xi32>
}

// -----

// CHECK-LABEL: @addptr_zero
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<8x!tile.ptr<f32>>, %[[Q:[a-z0-9]+]]: !tile.ptr<f32>
func.func @addptr_zero(%p: tensor<8x!tile.ptr<f32>>, %q: !tile.ptr<f32>) -> (tensor<8x!tile.ptr<f32>>, !tile.ptr<f32>) {
  // CHECK-NEXT: return %[[P]], %[[Q]]
  %z = arith.constant dense<0> : tensor<8xi32>
  %s = arith.constant 0 : i64
  %0 = tile.addptr %p, %z : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %1 = tile.addptr %q, %s : !tile.ptr<f32>, i64
  return %0, %1 : tensor<8x!tile.ptr<f32>>, !tile.ptr<f32>
}

// -----

// CHECK-LABEL: @pointer_casts
// CHECK-SAME: %[[P:[a-z0-9]+]]: !tile.ptr<f32>, %[[A:[a-z0-9]+]]: i64
func.func @pointer_casts(%p: !tile.ptr<f32>, %a: i64) -> (!tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, i64) {
  // CHECK-NEXT: return %[[P]], %[[P]], %[[P]], %[[A]]
  %0 = tile.ptr_cast %p : !tile.ptr<f32> -> !tile.ptr<f32>
  %1 = tile.ptr_cast %p : !tile.ptr<f32> -> !tile.ptr<i8>
  %2 = tile.ptr_cast %1 : !tile.ptr<i8> -> !tile.ptr<f32>
  %3 = tile.ptr_to_int %p : !tile.ptr<f32> -> i64
  %4 = tile.int_to_ptr %3 : i64 -> !tile.ptr<f32>
  %5 = tile.int_to_ptr %a : i64 -> !tile.ptr<f32>
  %6 = tile.ptr_to_int %5 : !tile.ptr<f32> -> i64
  return %0, %2, %4, %6 : !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, i64
}

// -----

// CHECK-LABEL: @no_fold_retyping_pointer_casts
func.func @no_fold_retyping_pointer_casts(%p: !tile.ptr<f32>) -> !tile.ptr<i32> {
  // CHECK: tile.ptr_to_int
  // CHECK: tile.int_to_ptr
  %0 = tile.ptr_to_int %p : !tile.ptr<f32> -> i64
  %1 = tile.int_to_ptr %0 : i64 -> !tile.ptr<i32>
  return %1 : !tile.ptr<i32>
}

// -----

// CHECK-LABEL: @fp_to_fp_same_type
// CHECK-SAME: %[[X:.*]]: f32
func.func @fp_to_fp_same_type(%x: f32) -> f32 {
  // CHECK-NEXT: return %[[X]]
  %0 = tile.fp_to_fp %x : f32 -> f32
  return %0 : f32
}

// -----

// 1.0625 lies half way between 1.0 and 1.125; the even neighbour is 1.0. 1.1875 ties to 1.25, or truncates to 1.125.
// CHECK-LABEL: @fp_to_fp_rounding
func.func @fp_to_fp_rounding() -> (f8E4M3FN, f8E4M3FN, f8E4M3FN) {
  // CHECK-DAG: %[[A:.*]] = arith.constant 1.000000e+00 : f8E4M3FN
  // CHECK-DAG: %[[B:.*]] = arith.constant 1.250000e+00 : f8E4M3FN
  // CHECK-DAG: %[[C:.*]] = arith.constant 1.125000e+00 : f8E4M3FN
  // CHECK: return %[[A]], %[[B]], %[[C]]
  %a = arith.constant 1.0625 : f32
  %b = arith.constant 1.1875 : f32
  %0 = tile.fp_to_fp %a : f32 -> f8E4M3FN
  %1 = tile.fp_to_fp %b : f32 -> f8E4M3FN
  %2 = tile.fp_to_fp %b rounding rtz : f32 -> f8E4M3FN
  return %0, %1, %2 : f8E4M3FN, f8E4M3FN, f8E4M3FN
}

// -----

// 8-bit floats saturate, from infinities as well; wider ones overflow to infinity.
// CHECK-LABEL: @fp_to_fp_saturation
func.func @fp_to_fp_saturation() -> (tensor<4xf8E4M3FN>, tensor<4xf8E5M2>, f16, f16) {
  // CHECK-DAG: %[[A:.*]] = arith.constant dense<[4.480000e+02, -4.480000e+02, 4.480000e+02, 5.000000e-01]> : tensor<4xf8E4M3FN>
  // CHECK-DAG: %[[B:.*]] = arith.constant dense<[5.734400e+04, -5.734400e+04, 5.734400e+04, 5.000000e-01]> : tensor<4xf8E5M2>
  // CHECK-DAG: %[[C:.*]] = arith.constant 0x7C00 : f16
  // CHECK-DAG: %[[D:.*]] = arith.constant 6.550400e+04 : f16
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  %t = arith.constant dense<[1.0e+9, -1.0e+9, 0x7F800000, 0.5]> : tensor<4xf32>
  %s = arith.constant 1.0e+9 : f32
  %0 = tile.fp_to_fp %t : tensor<4xf32> -> tensor<4xf8E4M3FN>
  %1 = tile.fp_to_fp %t : tensor<4xf32> -> tensor<4xf8E5M2>
  %2 = tile.fp_to_fp %s : f32 -> f16
  %3 = tile.fp_to_fp %s rounding rtz : f32 -> f16
  return %0, %1, %2, %3 : tensor<4xf8E4M3FN>, tensor<4xf8E5M2>, f16, f16
}

// -----

// NaN stays NaN, in every format.
// CHECK-LABEL: @fp_to_fp_nan
func.func @fp_to_fp_nan() -> (f8E4M3FN, f8E5M2FNUZ, f8E5M2) {
  // CHECK-DAG: %[[A:.*]] = arith.constant 0x7F : f8E4M3FN
  // CHECK-DAG: %[[B:.*]] = arith.constant 0x80 : f8E5M2FNUZ
  // CHECK-DAG: %[[C:.*]] = arith.constant 0x7E : f8E5M2
  // CHECK: return %[[A]], %[[B]], %[[C]]
  %n = arith.constant 0x7FC00000 : f32
  %0 = tile.fp_to_fp %n : f32 -> f8E4M3FN
  %1 = tile.fp_to_fp %n : f32 -> f8E5M2FNUZ
  %2 = tile.fp_to_fp %n : f32 -> f8E5M2
  return %0, %1, %2 : f8E4M3FN, f8E5M2FNUZ, f8E5M2
}

// -----

// CHECK-LABEL: @fp_to_fp_widening
func.func @fp_to_fp_widening() -> tensor<2xf32, "layout"> {
  // CHECK: arith.constant dense<[4.480000e+02, 0.001953125]> : tensor<2xf32, "layout">
  %c = arith.constant dense<[448.0, 0.001953125]> : tensor<2xf8E4M3FN, "layout">
  %0 = tile.fp_to_fp %c : tensor<2xf8E4M3FN, "layout"> -> tensor<2xf32, "layout">
  return %0 : tensor<2xf32, "layout">
}

// -----

// CHECK-LABEL: @reciprocal
func.func @reciprocal() -> (f32, tensor<2xf32>) {
  // CHECK-DAG: arith.constant 0.333333343 : f32
  // CHECK-DAG: arith.constant dense<[2.500000e-01, 0x7F800000]> : tensor<2xf32>
  %a = arith.constant 3.0 : f32
  %b = arith.constant dense<[4.0, 0.0]> : tensor<2xf32>
  %0 = tile.reciprocal %a : f32
  %1 = tile.reciprocal %b : tensor<2xf32>
  return %0, %1 : f32, tensor<2xf32>
}

// -----

// CHECK-LABEL: @bit_reverse
func.func @bit_reverse() -> (i32, tensor<2xi8>) {
  // CHECK-DAG: arith.constant -2147483648 : i32
  // CHECK-DAG: arith.constant dense<[-128, 64]> : tensor<2xi8>
  %a = arith.constant 1 : i32
  %b = arith.constant dense<[1, 2]> : tensor<2xi8>
  %0 = tile.bit_reverse %a : i32
  %1 = tile.bit_reverse %b : tensor<2xi8>
  return %0, %1 : i32, tensor<2xi8>
}

// RUN: tile-opt %s --verify-roundtrip | FileCheck %s
// RUN: tile-opt %s --canonicalize --cse | FileCheck %s --check-prefix=CANON

// CHECK-LABEL: @rmw_forms
// CHECK-SAME: %[[P:.*]]: tensor<8x!tile.ptr<f32>>, %[[V:.*]]: tensor<8xf32>, %[[M:.*]]: tensor<8xi1>
func.func @rmw_forms(%p: tensor<8x!tile.ptr<f32>>, %v: tensor<8xf32>, %m: tensor<8xi1>) {
  // CHECK: tile.atomic_rmw add %[[P]], %[[V]] : tensor<8x!tile.ptr<f32>>
  %0 = tile.atomic_rmw add %p, %v : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.atomic_rmw max %[[P]], %[[V]] if %[[M]] sem = relaxed scope = sys {hint = 1 : i32} : tensor<8x!tile.ptr<f32>>
  %1 = tile.atomic_rmw max %p, %v if %m sem = relaxed scope = sys {hint = 1 : i32} : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.atomic_rmw xchg %[[P]], %[[V]] sem = release : tensor<8x!tile.ptr<f32>>
  %2 = tile.atomic_rmw xchg %p, %v sem = release scope = gpu : tensor<8x!tile.ptr<f32>>
  return
}

// CHECK-LABEL: @rmw_kinds_of_integers
func.func @rmw_kinds_of_integers(%p: !tile.ptr<i64>, %v: i64, %m: i1) -> i64 {
  // CHECK: atomic_rmw min
  %0 = tile.atomic_rmw min %p, %v : !tile.ptr<i64>
  // CHECK: atomic_rmw umin
  %1 = tile.atomic_rmw umin %p, %0 : !tile.ptr<i64>
  // CHECK: atomic_rmw umax
  %2 = tile.atomic_rmw umax %p, %1 : !tile.ptr<i64>
  // CHECK: atomic_rmw and
  %3 = tile.atomic_rmw and %p, %2 : !tile.ptr<i64>
  // CHECK: atomic_rmw or
  %4 = tile.atomic_rmw or %p, %3 : !tile.ptr<i64>
  // CHECK: atomic_rmw xor %{{.*}}, %{{.*}} if %{{.*}} sem = acquire scope = cta : !tile.ptr<i64>
  %5 = tile.atomic_rmw xor %p, %4 if %m sem = acquire scope = cta : !tile.ptr<i64>
  return %5 : i64
}

// CHECK-LABEL: @rmw_add_of_small_floats
func.func @rmw_add_of_small_floats(%p: !tile.ptr<f16>, %v: f16, %q: !tile.ptr<bf16>, %w: bf16) {
  // CHECK: tile.atomic_rmw add {{.*}} : !tile.ptr<f16>
  %0 = tile.atomic_rmw add %p, %v : !tile.ptr<f16>
  // CHECK: tile.atomic_rmw add {{.*}} : !tile.ptr<bf16>
  %1 = tile.atomic_rmw add %q, %w : !tile.ptr<bf16>
  return
}

// CHECK-LABEL: @cas_forms
func.func @cas_forms(%p: tensor<8x!tile.ptr<i32>>, %c: tensor<8xi32>, %q: !tile.ptr<i16>, %d: i16) {
  // CHECK: tile.atomic_cas %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<i32>>
  %0 = tile.atomic_cas %p, %c, %c : tensor<8x!tile.ptr<i32>>
  // CHECK: tile.atomic_cas %{{.*}}, %{{.*}}, %{{.*}} sem = acquire scope = cta : !tile.ptr<i16>
  %1 = tile.atomic_cas %q, %d, %d sem = acquire scope = cta : !tile.ptr<i16>
  return
}

// CANON-LABEL: @constant_masks
// CANON-SAME: %[[P:.*]]: tensor<8x!tile.ptr<i32>>, %[[V:.*]]: tensor<8xi32>
func.func @constant_masks(%p: tensor<8x!tile.ptr<i32>>, %v: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %true = arith.constant dense<true> : tensor<8xi1>
  %false = arith.constant dense<false> : tensor<8xi1>
  // CANON: %[[ZERO:.*]] = arith.constant dense<0> : tensor<8xi32>
  // CANON: %[[OLD:.*]] = tile.atomic_rmw add %[[P]], %[[V]] : tensor
  // CANON-NOT: atomic_rmw
  // CANON: return %[[OLD]], %[[ZERO]]
  %0 = tile.atomic_rmw add %p, %v if %true : tensor<8x!tile.ptr<i32>>
  %1 = tile.atomic_rmw or %p, %v if %false : tensor<8x!tile.ptr<i32>>
  return %0, %1 : tensor<8xi32>, tensor<8xi32>
}

// An atomic stays without users, does not merge with its like, and keeps loads apart.
// CANON-LABEL: @effects
func.func @effects(%p: !tile.ptr<i32>, %v: i32) -> (i32, i32) {
  // CANON: tile.load
  // CANON-COUNT-2: tile.atomic_rmw
  // CANON-COUNT-2: tile.atomic_cas
  // CANON: tile.load
  %0 = tile.load %p : !tile.ptr<i32>
  %1 = tile.atomic_rmw add %p, %v : !tile.ptr<i32>
  %2 = tile.atomic_rmw add %p, %v : !tile.ptr<i32>
  %3 = tile.atomic_cas %p, %v, %v : !tile.ptr<i32>
  %4 = tile.atomic_cas %p, %v, %v : !tile.ptr<i32>
  %5 = tile.load %p : !tile.ptr<i32>
  return %0, %5 : i32, i32
}

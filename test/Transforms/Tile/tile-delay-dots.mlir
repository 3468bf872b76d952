// RUN: tile-opt %s --tile-delay-dots --split-input-file | FileCheck %s

// The weights of an iteration are multiplied with its values in the next one, behind its first dot.
// CHECK-LABEL: func @attention
// CHECK-SAME: %[[Q:.*]]: tensor<128x128xf16>, %[[K:.*]]: !tile.desc<[128, 128], f16>, %[[V:[^:]*]]: !tile.desc
// CHECK-SAME: %[[N:[^:]*]]: i32, %[[INIT:.*]]: tensor<128x128xf32>
// CHECK: %[[ONCE:.*]] = arith.minsi %[[N]]
// CHECK: %[[FIRST:.*]]:2 = scf.for %[[I:.*]] = %c0_i32 to %[[ONCE]] {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %[[INIT]])
// CHECK:   tile.descriptor_load %[[K]][%[[I]], %c0_i32]
// CHECK-NOT: tile.descriptor_load
// CHECK:   scf.yield
// CHECK: } {tile.runs_once}
// CHECK: %[[MAIN:.*]]:2 = scf.for %[[I:.*]] = %{{.*}} to %[[N]] {{.*}} iter_args(%[[P:.*]] = %[[FIRST]]#0, %[[A:.*]] = %[[FIRST]]#1)
// CHECK:   %[[KEYS:.*]] = tile.descriptor_load %[[K]][%[[I]], %c0_i32]
// CHECK:   tile.dot %[[Q]], %[[KEYS]]
// CHECK:   %[[BEFORE:.*]] = arith.subi %[[I]], %c64_i32
// CHECK:   %[[VALUES:.*]] = tile.descriptor_load %[[V]][%[[BEFORE]], %c0_i32]
// CHECK:   %[[SUM:.*]] = tile.dot %[[P]], %[[VALUES]], %[[A]]
// CHECK:   %[[NEXT:.*]] = arith.mulf %[[SUM]]
// CHECK:   %[[WEIGHTS:.*]] = arith.truncf
// CHECK:   scf.yield %[[WEIGHTS]], %[[NEXT]]
// CHECK-NEXT: }
// CHECK-NOT: runs_once
// CHECK: %[[LAST:.*]] = scf.for %{{.*}} = %c0_i32 to %[[ONCE]] {{.*}} iter_args(%[[A:.*]] = %[[MAIN]]#1)
// CHECK:   tile.dot %[[MAIN]]#0, %{{.*}}, %[[A]]
// CHECK: } {tile.runs_once}
// CHECK: return %[[LAST]]
module attributes {tile.num_warps = 8 : i32, tile.target = "sm_90a"} {
func.func @attention(%q: tensor<128x128xf16>, %k: !tile.desc<[128, 128], f16>, %v: !tile.desc<[128, 128], f16>, %n: i32,
                     %init: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %init) -> tensor<128x128xf32> : i32 {
    %keys = tile.descriptor_load %k[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %s = tile.dot %q, %keys, %zero : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %p = math.exp2 %s : tensor<128x128xf32>
    %weights = arith.truncf %p : tensor<128x128xf32> to tensor<128x128xf16>
    %scaled = arith.mulf %acc, %s : tensor<128x128xf32>
    %values = tile.descriptor_load %v[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %t = tile.dot %weights, %values, %scaled : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  return %sum : tensor<128x128xf32>
}

// `warp_specialize = False` forbids it.
// CHECK-LABEL: func @forbidden
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
func.func @forbidden(%q: tensor<128x128xf16>, %k: !tile.desc<[128, 128], f16>, %v: !tile.desc<[128, 128], f16>, %n: i32,
                     %init: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %init) -> tensor<128x128xf32> : i32 {
    %keys = tile.descriptor_load %k[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %s = tile.dot %q, %keys, %zero : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %weights = arith.truncf %s : tensor<128x128xf32> to tensor<128x128xf16>
    %values = tile.descriptor_load %v[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %t = tile.dot %weights, %values, %acc : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  } {tile.warp_specialize = false}
  return %sum : tensor<128x128xf32>
}

// The keys are the values, too: they would be loaded twice.
// CHECK-LABEL: func @keys_are_values
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
func.func @keys_are_values(%q: tensor<128x128xf16>, %k: !tile.desc<[128, 128], f16>, %n: i32, %init: tensor<128x128xf32>)
    -> tensor<128x128xf32> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %init) -> tensor<128x128xf32> : i32 {
    %keys = tile.descriptor_load %k[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %s = tile.dot %q, %keys, %zero : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %weights = arith.truncf %s : tensor<128x128xf32> to tensor<128x128xf16>
    %t = tile.dot %weights, %keys, %acc : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  return %sum : tensor<128x128xf32>
}
}

// -----

// With so many CTAs beside each other, others multiply while one computes.
// CHECK-LABEL: func @small
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @small(%q: tensor<64x64xf16>, %k: !tile.desc<[64, 64], f16>, %v: !tile.desc<[64, 64], f16>, %n: i32,
                 %init: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %init) -> tensor<64x64xf32> : i32 {
    %keys = tile.descriptor_load %k[%i, %c0] : !tile.desc<[64, 64], f16> -> tensor<64x64xf16>
    %s = tile.dot %q, %keys, %zero : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %weights = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %values = tile.descriptor_load %v[%i, %c0] : !tile.desc<[64, 64], f16> -> tensor<64x64xf16>
    %t = tile.dot %weights, %values, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  return %sum : tensor<64x64xf32>
}
}

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

// A loop that goes on where the one in front of it ends takes over its last dot: its first iteration has none in front of it only
// if that one had no iteration. So there is one last dot.
// CHECK-LABEL: func @goes_on
// CHECK: %[[WHOLE:.*]] = arith.muli
// CHECK: %[[FIRST:.*]]:2 = scf.for
// CHECK: } {tile.runs_once}
// CHECK: %[[MAIN:.*]]:2 = scf.for %{{.*}} = %{{.*}} to %[[WHOLE]] {{.*}} iter_args(%{{.*}} = %[[FIRST]]#0, %{{.*}} = %[[FIRST]]#1)
// CHECK-NOT: runs_once
// CHECK: %[[RAN:.*]] = arith.cmpi slt, %c0_i32, %[[WHOLE]]
// CHECK: %[[END:.*]] = arith.select %[[RAN]], %[[WHOLE]], %{{.*}}
// CHECK: %[[AGAIN:.*]]:2 = scf.for %{{.*}} = %[[WHOLE]] to %[[END]] {{.*}} iter_args(%{{.*}} = %[[MAIN]]#0, %{{.*}} = %[[MAIN]]#1)
// CHECK: tile.dot
// CHECK-NOT: tile.dot
// CHECK: } {tile.runs_once}
// CHECK: %[[AHEAD:.*]] = arith.select %[[RAN]], %c0_i32{{.*}}, %c64_i32
// CHECK: %[[FROM:.*]] = arith.addi %[[WHOLE]], %[[AHEAD]]
// CHECK: %[[REST:.*]]:2 = scf.for %[[J:.*]] = %[[FROM]] to %{{.*}} iter_args(%{{.*}} = %[[AGAIN]]#0, %{{.*}} = %[[AGAIN]]#1)
// CHECK:   %[[BEFORE:.*]] = arith.subi %[[J]], %c64_i32
// CHECK:   tile.descriptor_load %{{.*}}[%[[BEFORE]], %c0_i32]
// CHECK: %[[LAST:.*]] = scf.for
// CHECK:   tile.dot %[[REST]]#0
// CHECK: } {tile.runs_once}
// CHECK-NEXT: return %[[LAST]]
func.func @goes_on(%q: tensor<128x128xf16>, %k: !tile.desc<[128, 128], f16>, %v: !tile.desc<[128, 128], f16>,
                     %n: i32, %init: tensor<128x128xf32>, %mask: tensor<128x128xf32>,
                     %other: !tile.desc<[128, 128], f16>) -> tensor<128x128xf32> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %quotient = arith.divsi %n, %c64 : i32
  %whole = arith.muli %quotient, %c64 : i32
  %a = scf.for %i = %c0 to %whole step %c64 iter_args(%acc = %init) -> tensor<128x128xf32> : i32 {
    %keys = tile.descriptor_load %k[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %s_a = tile.dot %q, %keys, %zero : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %weights = arith.truncf %s_a : tensor<128x128xf32> to tensor<128x128xf16>
    %scaled = arith.mulf %acc, %s_a : tensor<128x128xf32>
    %values = tile.descriptor_load %v[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %t = tile.dot %weights, %values, %scaled : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  %b = scf.for %i = %whole to %n step %c64 iter_args(%acc = %a) -> tensor<128x128xf32> : i32 {
    %keys = tile.descriptor_load %k[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %s_b = tile.dot %q, %keys, %zero : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %m_b = arith.addf %s_b, %mask : tensor<128x128xf32>
    %weights = arith.truncf %m_b : tensor<128x128xf32> to tensor<128x128xf16>
    %scaled = arith.mulf %acc, %m_b : tensor<128x128xf32>
    %values = tile.descriptor_load %v[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %t = tile.dot %weights, %values, %scaled : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  return %b : tensor<128x128xf32>
}

// Loops that do the same but for a mask have their first iteration in common, of whichever runs first: with the mask where that
// is one of the second loop.
// CHECK-LABEL: func @masked
// CHECK: %[[WHOLE:.*]] = arith.muli
// CHECK: %[[FROM:.*]] = arith.minsi %c0_i32, %[[WHOLE]]
// CHECK: %[[TO:.*]] = arith.maxsi %[[WHOLE]], %{{.*}}
// CHECK: %[[ONCE:.*]] = arith.minsi %[[TO]]
// CHECK: %[[FIRST:.*]]:2 = scf.for %[[I:.*]] = %[[FROM]] to %[[ONCE]]
// CHECK:   %[[S:.*]] = tile.dot
// CHECK:   %[[M:.*]] = arith.select %{{.*}}, %[[S]], %{{.*}} : tensor<128x128xi1>
// CHECK:   %[[IN:.*]] = arith.cmpi sge, %[[I]], %[[WHOLE]] : i32
// CHECK:   %[[X:.*]] = arith.select %[[IN]], %[[M]], %[[S]] : tensor
// CHECK:   arith.truncf %[[X]]
// CHECK: } {tile.runs_once}
// CHECK: %[[MAIN:.*]]:2 = scf.for %{{.*}} = %{{.*}} to %[[WHOLE]] {{.*}} iter_args(%{{.*}} = %[[FIRST]]#0, %{{.*}} = %[[FIRST]]#1)
// CHECK-NOT: arith.select
// CHECK: %[[RAN:.*]] = arith.cmpi slt, %c0_i32, %[[WHOLE]]
// CHECK: %[[AHEAD:.*]] = arith.select %[[RAN]], %c0_i32{{.*}}, %c64_i32
// CHECK: %[[NEXT:.*]] = arith.addi %[[WHOLE]], %[[AHEAD]]
// CHECK: %[[REST:.*]]:2 = scf.for %{{.*}} = %[[NEXT]] to %{{.*}} iter_args(%{{.*}} = %[[MAIN]]#0, %{{.*}} = %[[MAIN]]#1)
// CHECK:   arith.select %{{.*}} : tensor<128x128xi1>
// CHECK: %[[LAST:.*]] = scf.for %{{.*}} = %[[FROM]] to %[[ONCE]]
// CHECK:   tile.dot %[[REST]]#0
// CHECK: } {tile.runs_once}
// CHECK-NEXT: return %[[LAST]]
func.func @masked(%q: tensor<128x128xf16>, %k: !tile.desc<[128, 128], f16>, %v: !tile.desc<[128, 128], f16>,
                     %n: i32, %init: tensor<128x128xf32>, %place: tensor<128x128xi32>) -> tensor<128x128xf32> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %low = arith.constant dense<0xFF800000> : tensor<128x128xf32>
  %quotient = arith.divsi %n, %c64 : i32
  %whole = arith.muli %quotient, %c64 : i32
  %a = scf.for %i = %c0 to %whole step %c64 iter_args(%acc = %init) -> tensor<128x128xf32> : i32 {
    %keys = tile.descriptor_load %k[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %s = tile.dot %q, %keys, %zero : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %weights = arith.truncf %s : tensor<128x128xf32> to tensor<128x128xf16>
    %scaled = arith.mulf %acc, %s : tensor<128x128xf32>
    %values = tile.descriptor_load %v[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %t = tile.dot %weights, %values, %scaled : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  %b = scf.for %i = %whole to %n step %c64 iter_args(%acc = %a) -> tensor<128x128xf32> : i32 {
    %keys = tile.descriptor_load %k[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %s = tile.dot %q, %keys, %zero : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %at = tile.splat %i : i32 -> tensor<128x128xi32>
    %on = arith.cmpi sle, %at, %place : tensor<128x128xi32>
    %m = arith.select %on, %s, %low : tensor<128x128xi1>, tensor<128x128xf32>
    %weights = arith.truncf %m : tensor<128x128xf32> to tensor<128x128xf16>
    %scaled = arith.mulf %acc, %m : tensor<128x128xf32>
    %values = tile.descriptor_load %v[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %t = tile.dot %weights, %values, %scaled : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  return %b : tensor<128x128xf32>
}

// With masks in front and behind, as in a sliding window, it has none only in iterations of the loop between.
// CHECK-LABEL: func @window
// CHECK: %[[FIRST:.*]]:2 = scf.for
// CHECK:   %[[S:.*]] = tile.dot
// CHECK:   %[[M:.*]] = arith.select %{{.*}}, %[[S]], %{{.*}} : tensor<128x128xi1>
// CHECK:   %[[THIRD:.*]] = arith.cmpi sge
// CHECK:   %[[SECOND:.*]] = arith.cmpi sge
// CHECK:   %[[NOT:.*]] = arith.xori %[[THIRD]], %true
// CHECK:   %[[BETWEEN:.*]] = arith.andi %[[SECOND]], %[[NOT]]
// CHECK:   arith.select %[[BETWEEN]], %[[S]], %[[M]]
// CHECK: } {tile.runs_once}
// CHECK-COUNT-3: scf.yield
// CHECK: scf.for
// CHECK: } {tile.runs_once}
// CHECK-NEXT: return
func.func @window(%q: tensor<128x128xf16>, %k: !tile.desc<[128, 128], f16>, %v: !tile.desc<[128, 128], f16>,
                     %n: i32, %init: tensor<128x128xf32>, %place: tensor<128x128xi32>) -> tensor<128x128xf32> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %low = arith.constant dense<0xFF800000> : tensor<128x128xf32>
  %quotient = arith.divsi %n, %c64 : i32
  %whole = arith.muli %quotient, %c64 : i32
  %half = arith.divsi %quotient, %c64 : i32
  %begin = arith.muli %half, %c64 : i32
  %a = scf.for %i = %c0 to %begin step %c64 iter_args(%acc = %init) -> tensor<128x128xf32> : i32 {
    %keys = tile.descriptor_load %k[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %s = tile.dot %q, %keys, %zero : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %at = tile.splat %i : i32 -> tensor<128x128xi32>
    %on = arith.cmpi sle, %at, %place : tensor<128x128xi32>
    %m = arith.select %on, %s, %low : tensor<128x128xi1>, tensor<128x128xf32>
    %weights = arith.truncf %m : tensor<128x128xf32> to tensor<128x128xf16>
    %scaled = arith.mulf %acc, %m : tensor<128x128xf32>
    %values = tile.descriptor_load %v[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %t = tile.dot %weights, %values, %scaled : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  %b = scf.for %i = %begin to %whole step %c64 iter_args(%acc = %a) -> tensor<128x128xf32> : i32 {
    %keys = tile.descriptor_load %k[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %s = tile.dot %q, %keys, %zero : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %weights = arith.truncf %s : tensor<128x128xf32> to tensor<128x128xf16>
    %scaled = arith.mulf %acc, %s : tensor<128x128xf32>
    %values = tile.descriptor_load %v[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %t = tile.dot %weights, %values, %scaled : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  %c = scf.for %i = %whole to %n step %c64 iter_args(%acc = %b) -> tensor<128x128xf32> : i32 {
    %keys = tile.descriptor_load %k[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %s = tile.dot %q, %keys, %zero : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %at = tile.splat %i : i32 -> tensor<128x128xi32>
    %on = arith.cmpi sle, %at, %place : tensor<128x128xi32>
    %m = arith.select %on, %s, %low : tensor<128x128xi1>, tensor<128x128xf32>
    %weights = arith.truncf %m : tensor<128x128xf32> to tensor<128x128xf16>
    %scaled = arith.mulf %acc, %m : tensor<128x128xf32>
    %values = tile.descriptor_load %v[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %t = tile.dot %weights, %values, %scaled : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  return %c : tensor<128x128xf32>
}

// Where the first loop takes its scores with the mask and without, and the second one takes one of its own for both, each has a
// first iteration of its own.
// CHECK-LABEL: func @raw_scores
// CHECK-COUNT-3: runs_once
// CHECK-NOT: runs_once
// CHECK: return
func.func @raw_scores(%q: tensor<128x128xf16>, %k: !tile.desc<[128, 128], f16>, %v: !tile.desc<[128, 128], f16>,
                     %n: i32, %init: tensor<128x128xf32>, %place: tensor<128x128xi32>) -> tensor<128x128xf32> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %low = arith.constant dense<0xFF800000> : tensor<128x128xf32>
  %quotient = arith.divsi %n, %c64 : i32
  %whole = arith.muli %quotient, %c64 : i32
  %a = scf.for %i = %c0 to %whole step %c64 iter_args(%acc = %init) -> tensor<128x128xf32> : i32 {
    %keys = tile.descriptor_load %k[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %s = tile.dot %q, %keys, %zero : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %at = tile.splat %i : i32 -> tensor<128x128xi32>
    %on = arith.cmpi sle, %at, %place : tensor<128x128xi32>
    %m = arith.select %on, %s, %low : tensor<128x128xi1>, tensor<128x128xf32>
    %weights = arith.truncf %m : tensor<128x128xf32> to tensor<128x128xf16>
    %scaled = arith.mulf %acc, %s : tensor<128x128xf32>
    %values = tile.descriptor_load %v[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %t = tile.dot %weights, %values, %scaled : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  %b = scf.for %i = %whole to %n step %c64 iter_args(%acc = %a) -> tensor<128x128xf32> : i32 {
    %keys = tile.descriptor_load %k[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %s = tile.dot %q, %keys, %zero : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %weights = arith.truncf %s : tensor<128x128xf32> to tensor<128x128xf16>
    %scaled = arith.mulf %acc, %s : tensor<128x128xf32>
    %values = tile.descriptor_load %v[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %t = tile.dot %weights, %values, %scaled : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  return %b : tensor<128x128xf32>
}

// The first loop's loads stay in front of a store.
// CHECK-LABEL: func @store_between
// CHECK-COUNT-2: scf.for
// CHECK: tile.store
// CHECK-COUNT-3: scf.for
// CHECK: return
func.func @store_between(%q: tensor<128x128xf16>, %k: !tile.desc<[128, 128], f16>, %v: !tile.desc<[128, 128], f16>,
                     %n: i32, %init: tensor<128x128xf32>, %place: tensor<128x128xi32>,
                     %p: !tile.ptr<f32>, %x: f32) -> tensor<128x128xf32> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %low = arith.constant dense<0xFF800000> : tensor<128x128xf32>
  %quotient = arith.divsi %n, %c64 : i32
  %whole = arith.muli %quotient, %c64 : i32
  %a = scf.for %i = %c0 to %whole step %c64 iter_args(%acc = %init) -> tensor<128x128xf32> : i32 {
    %keys = tile.descriptor_load %k[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %s = tile.dot %q, %keys, %zero : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %weights = arith.truncf %s : tensor<128x128xf32> to tensor<128x128xf16>
    %scaled = arith.mulf %acc, %s : tensor<128x128xf32>
    %values = tile.descriptor_load %v[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %t = tile.dot %weights, %values, %scaled : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  tile.store %p, %x : !tile.ptr<f32>
  %b = scf.for %i = %whole to %n step %c64 iter_args(%acc = %a) -> tensor<128x128xf32> : i32 {
    %keys = tile.descriptor_load %k[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %s = tile.dot %q, %keys, %zero : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %at = tile.splat %i : i32 -> tensor<128x128xi32>
    %on = arith.cmpi sle, %at, %place : tensor<128x128xi32>
    %m = arith.select %on, %s, %low : tensor<128x128xi1>, tensor<128x128xf32>
    %weights = arith.truncf %m : tensor<128x128xf32> to tensor<128x128xf16>
    %scaled = arith.mulf %acc, %m : tensor<128x128xf32>
    %values = tile.descriptor_load %v[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %t = tile.dot %weights, %values, %scaled : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  return %b : tensor<128x128xf32>
}

// Nor is what a mask divides by computed where its loop does not run.
// CHECK-LABEL: func @may_divide_by_zero
// CHECK-COUNT-3: runs_once
// CHECK-NOT: runs_once
// CHECK: return
func.func @may_divide_by_zero(%q: tensor<128x128xf16>, %k: !tile.desc<[128, 128], f16>, %v: !tile.desc<[128, 128], f16>,
                     %n: i32, %init: tensor<128x128xf32>, %place: tensor<128x128xi32>) -> tensor<128x128xf32> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %low = arith.constant dense<0xFF800000> : tensor<128x128xf32>
  %quotient = arith.divsi %n, %c64 : i32
  %whole = arith.muli %quotient, %c64 : i32
  %a = scf.for %i = %c0 to %whole step %c64 iter_args(%acc = %init) -> tensor<128x128xf32> : i32 {
    %keys = tile.descriptor_load %k[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %s = tile.dot %q, %keys, %zero : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %part = arith.divsi %n, %i : i32
    %at = tile.splat %part : i32 -> tensor<128x128xi32>
    %on = arith.cmpi sle, %at, %place : tensor<128x128xi32>
    %m = arith.select %on, %s, %low : tensor<128x128xi1>, tensor<128x128xf32>
    %weights = arith.truncf %m : tensor<128x128xf32> to tensor<128x128xf16>
    %scaled = arith.mulf %acc, %m : tensor<128x128xf32>
    %values = tile.descriptor_load %v[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %t = tile.dot %weights, %values, %scaled : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  %b = scf.for %i = %whole to %n step %c64 iter_args(%acc = %a) -> tensor<128x128xf32> : i32 {
    %keys = tile.descriptor_load %k[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %s = tile.dot %q, %keys, %zero : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %weights = arith.truncf %s : tensor<128x128xf32> to tensor<128x128xf16>
    %scaled = arith.mulf %acc, %s : tensor<128x128xf32>
    %values = tile.descriptor_load %v[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %t = tile.dot %weights, %values, %scaled : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  return %b : tensor<128x128xf32>
}

// Where a loop ends within a step, or the other one multiplies with something else, each has a last dot.
// CHECK-LABEL: func @ends_within
// CHECK-COUNT-6: scf.for
// CHECK: return
func.func @ends_within(%q: tensor<128x128xf16>, %k: !tile.desc<[128, 128], f16>, %v: !tile.desc<[128, 128], f16>,
                     %n: i32, %init: tensor<128x128xf32>, %mask: tensor<128x128xf32>,
                     %other: !tile.desc<[128, 128], f16>) -> tensor<128x128xf32> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %c3 = arith.constant 3 : i32
  %whole = arith.divsi %n, %c3 : i32
  %a = scf.for %i = %c0 to %whole step %c64 iter_args(%acc = %init) -> tensor<128x128xf32> : i32 {
    %keys = tile.descriptor_load %k[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %s_a = tile.dot %q, %keys, %zero : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %weights = arith.truncf %s_a : tensor<128x128xf32> to tensor<128x128xf16>
    %scaled = arith.mulf %acc, %s_a : tensor<128x128xf32>
    %values = tile.descriptor_load %v[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %t = tile.dot %weights, %values, %scaled : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  %b = scf.for %i = %whole to %n step %c64 iter_args(%acc = %a) -> tensor<128x128xf32> : i32 {
    %keys = tile.descriptor_load %k[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %s_b = tile.dot %q, %keys, %zero : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %m_b = arith.addf %s_b, %mask : tensor<128x128xf32>
    %weights = arith.truncf %m_b : tensor<128x128xf32> to tensor<128x128xf16>
    %scaled = arith.mulf %acc, %m_b : tensor<128x128xf32>
    %values = tile.descriptor_load %v[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %t = tile.dot %weights, %values, %scaled : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  return %b : tensor<128x128xf32>
}

// CHECK-LABEL: func @other_values
// CHECK-COUNT-6: scf.for
// CHECK: return
func.func @other_values(%q: tensor<128x128xf16>, %k: !tile.desc<[128, 128], f16>, %v: !tile.desc<[128, 128], f16>,
                     %n: i32, %init: tensor<128x128xf32>, %mask: tensor<128x128xf32>,
                     %other: !tile.desc<[128, 128], f16>) -> tensor<128x128xf32> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %quotient = arith.divsi %n, %c64 : i32
  %whole = arith.muli %quotient, %c64 : i32
  %a = scf.for %i = %c0 to %whole step %c64 iter_args(%acc = %init) -> tensor<128x128xf32> : i32 {
    %keys = tile.descriptor_load %k[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %s_a = tile.dot %q, %keys, %zero : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %weights = arith.truncf %s_a : tensor<128x128xf32> to tensor<128x128xf16>
    %scaled = arith.mulf %acc, %s_a : tensor<128x128xf32>
    %values = tile.descriptor_load %v[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %t = tile.dot %weights, %values, %scaled : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  %b = scf.for %i = %whole to %n step %c64 iter_args(%acc = %a) -> tensor<128x128xf32> : i32 {
    %keys = tile.descriptor_load %k[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %s_b = tile.dot %q, %keys, %zero : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %m_b = arith.addf %s_b, %mask : tensor<128x128xf32>
    %weights = arith.truncf %m_b : tensor<128x128xf32> to tensor<128x128xf16>
    %scaled = arith.mulf %acc, %m_b : tensor<128x128xf32>
    %values = tile.descriptor_load %other[%i, %c0] : !tile.desc<[128, 128], f16> -> tensor<128x128xf16>
    %t = tile.dot %weights, %values, %scaled : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  return %b : tensor<128x128xf32>
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

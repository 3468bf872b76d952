// RUN: tile-opt %s --tile-hoist-invariant-loads | FileCheck %s

module attributes {tile.num_warps = 4 : i32} {
// The scale is loaded once, if at all.
// CHECK-LABEL: func @scalar
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[FROM:.*]], %[[TO:.*]] : i32
// CHECK: %[[SCALE:.*]] = tile.load %{{.*}}, %[[ANY]] : !tile.ptr<f32>
// CHECK: scf.for %{{.*}} = %[[FROM]] to %[[TO]]
// CHECK-NOT: tile.load
// CHECK: arith.addf %{{.*}}, %[[SCALE]]
func.func @scalar(%p: !tile.ptr<f32>, %n: i32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 : i32 {
    %x = tile.load %p : !tile.ptr<f32>
    %t = arith.addf %s, %x : f32
    scf.yield %t : f32
  }
  return %sum : f32
}

// Two loops, the inner one with iterations in any case.
// CHECK-LABEL: func @masked_tensor
// CHECK: %[[ANY:.*]] = arith.cmpi slt
// CHECK: %[[SPLAT:.*]] = tile.splat %[[ANY]]
// CHECK: %[[MASK:.*]] = arith.andi %{{.*}}, %[[SPLAT]] : tensor<512xi1>
// CHECK: tile.load %{{.*}}, %[[MASK]], %{{.*}} : tensor<512x!tile.ptr<f32>>
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: tile.load
// CHECK: return
func.func @masked_tensor(%p: tensor<512x!tile.ptr<f32>>, %m: tensor<512xi1>, %o: tensor<512xf32>, %n: i32)
    -> tensor<512xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %o) -> tensor<512xf32> : i32 {
    %inner = scf.for %j = %c0 to %c4 step %c1 iter_args(%t = %s) -> tensor<512xf32> : i32 {
      %x = tile.load %p, %m, %o : tensor<512x!tile.ptr<f32>>
      %u = arith.addf %t, %x : tensor<512xf32>
      scf.yield %u : tensor<512xf32>
    }
    scf.yield %inner : tensor<512xf32>
  }
  return %sum : tensor<512xf32>
}

// A store in the loop, a place that moves, more registers than are spent, a load that may not be made.
// CHECK-LABEL: func @stay
// CHECK-NOT: tile.load
// CHECK: scf.for
// CHECK: tile.load
// CHECK: tile.store
// CHECK: scf.for
// CHECK: tile.addptr
// CHECK: tile.load
// CHECK: scf.for
// CHECK: tile.load
// CHECK: scf.for
// CHECK: scf.if
// CHECK: tile.load
func.func @stay(%p: !tile.ptr<f32>, %q: tensor<1024x!tile.ptr<f32>>, %n: i32, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tile.load %p : !tile.ptr<f32>
    tile.store %p, %x : !tile.ptr<f32>
  }
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<1024xf32>
  scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 : i32 {
    %at = tile.addptr %p, %i : !tile.ptr<f32>, i32
    %x = tile.load %at : !tile.ptr<f32>
    %t = arith.addf %s, %x : f32
    scf.yield %t : f32
  }
  scf.for %i = %c0 to %n step %c1 iter_args(%s = %zeros) -> tensor<1024xf32> : i32 {
    %x = tile.load %q : tensor<1024x!tile.ptr<f32>>
    %t = arith.addf %s, %x : tensor<1024xf32>
    scf.yield %t : tensor<1024xf32>
  }
  scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 : i32 {
    %t = scf.if %c -> f32 {
      %x = tile.load %p : !tile.ptr<f32>
      scf.yield %x : f32
    } else {
      scf.yield %s : f32
    }
    scf.yield %t : f32
  }
  return
}
}

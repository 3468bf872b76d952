// RUN: tile-opt %s --tile-lower-descriptors --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @load
// CHECK-SAME: (%[[P:.*]]: !tile.ptr<f16>, %[[M:.*]]: i32, %[[N:.*]]: i32, %[[S:.*]]: i64, %[[I:.*]]: i32, %[[J:.*]]: i32)
// CHECK-NOT: tile.desc
// Rows are multiples of 16 bytes apart, and so are the pointers.
// CHECK: arith.muli %{{.*}} {tile.divisibility = array<i32: 8, 8>} : tensor<4x1xi64>
// CHECK: arith.cmpi slt, {{.*}} : tensor<4x1xi32>
// CHECK: arith.cmpi sge, {{.*}} : tensor<4x1xi32>
// CHECK: arith.cmpi slt, {{.*}} : tensor<1x16xi32>
// CHECK: arith.cmpi sge, {{.*}} : tensor<1x16xi32>
// CHECK: tile.splat %[[P]] {tile.divisibility = array<i32: 16, 16>} : !tile.ptr<f16> -> tensor<4x16x!tile.ptr<f16>>
// CHECK: %[[A:.*]] = tile.addptr %{{.*}} : tensor<4x16x!tile.ptr<f16>>, tensor<4x16xi64>
// CHECK: %[[V:.*]] = tile.load %[[A]], %{{.*}} : tensor<4x16x!tile.ptr<f16>>
// CHECK: return %[[V]]
func.func @load(%p: !tile.ptr<f16>, %m: i32, %n: i32, %s: i64, %i: i32, %j: i32) -> tensor<4x16xf16> {
  %0 = tile.make_tensor_descriptor %p, shape [%m, %n], strides [%s] : !tile.ptr<f16> -> !tile.desc<[4, 16], f16>
  %1 = tile.descriptor_load %0[%i, %j] : !tile.desc<[4, 16], f16> -> tensor<4x16xf16>
  return %1 : tensor<4x16xf16>
}

// CHECK-LABEL: @nan
// CHECK: %[[NAN:.*]] = arith.constant dense<0x7FC00000> : tensor<16xf32>
// CHECK: tile.load %{{.*}}, %{{.*}}, %[[NAN]] : tensor<16x!tile.ptr<f32>>
func.func @nan(%p: !tile.ptr<f32>, %n: i32, %i: i32) -> tensor<16xf32> {
  %0 = tile.make_tensor_descriptor %p, shape [%n], strides [] : !tile.ptr<f32> -> !tile.desc<[16], f32, nan>
  %1 = tile.descriptor_load %0[%i] : !tile.desc<[16], f32, nan> -> tensor<16xf32>
  return %1 : tensor<16xf32>
}

// CHECK-LABEL: @store_and_reduce
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<16xf32>
// CHECK: tile.store %[[A:.*]], %[[X]], %[[M:.*]] : tensor<16x!tile.ptr<f32>>
// CHECK: tile.atomic_rmw add %[[A]], %[[X]] if %[[M]] sem = relaxed : tensor<16x!tile.ptr<f32>>
func.func @store_and_reduce(%p: !tile.ptr<f32>, %n: i32, %i: i32, %x: tensor<16xf32>) {
  %0 = tile.make_tensor_descriptor %p, shape [%n], strides [] : !tile.ptr<f32> -> !tile.desc<[16], f32>
  tile.descriptor_store %0[%i], %x : !tile.desc<[16], f32>, tensor<16xf32>
  tile.descriptor_reduce add %0[%i], %x : !tile.desc<[16], f32>, tensor<16xf32>
  return
}

// Threads have no atomic minimum of f16: they exchange until nobody comes between.
// CHECK-LABEL: @narrow_minimum
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<16xf16>
// CHECK: %[[OLD:.*]] = tile.load %[[A:.*]], %[[M:.*]] : tensor<16x!tile.ptr<f16>>
// CHECK: %[[LESS:.*]] = arith.cmpf olt
// CHECK: %[[BETTER:.*]] = arith.ori %[[LESS]]
// CHECK: %[[OPEN:.*]] = arith.andi %[[M]], %[[BETTER]]
// CHECK: scf.while (%[[WAS:.*]] = %[[OLD]], %[[LEFT:.*]] = %[[OPEN]])
// CHECK: %[[BITS:.*]] = arith.extui %[[LEFT]]
// CHECK: %[[ANY:.*]] = tile.reduce(%[[BITS]])
// CHECK: %[[GO:.*]] = arith.cmpi ne, %[[ANY]]
// CHECK: scf.condition(%[[GO]])
// CHECK: %[[FOUND:.*]] = tile.atomic_cas %[[A]], %{{.*}}, %[[X]] if %{{.*}} sem = relaxed : tensor<16x!tile.ptr<f16>>
// CHECK: scf.yield %[[FOUND]]
func.func @narrow_minimum(%p: !tile.ptr<f16>, %n: i32, %i: i32, %x: tensor<16xf16>) {
  %0 = tile.make_tensor_descriptor %p, shape [%n], strides [] : !tile.ptr<f16> -> !tile.desc<[16], f16>
  tile.descriptor_reduce min %0[%i], %x : !tile.desc<[16], f16>, tensor<16xf16>
  return
}

// Descriptors that a branch chooses and that a loop carries.
// CHECK-LABEL: @control_flow
// CHECK-NOT: tile.desc
// CHECK: %[[Q:.*]] = arith.select %{{.*}} : !tile.ptr<f32>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[Q]], {{.*}}) -> (!tile.ptr<f32>, i32, !tile.ptr<f32>, i32)
// CHECK: tile.store
func.func @control_flow(%c: i1, %p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %n: i32, %x: tensor<16xf32>) {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %a = tile.make_tensor_descriptor %p, shape [%n], strides [] : !tile.ptr<f32> -> !tile.desc<[16], f32>
  %b = tile.make_tensor_descriptor %q, shape [%i1], strides [] : !tile.ptr<f32> -> !tile.desc<[16], f32>
  %d = scf.if %c -> !tile.desc<[16], f32> {
    scf.yield %a : !tile.desc<[16], f32>
  } else {
    scf.yield %b : !tile.desc<[16], f32>
  }
  %e = arith.select %c, %b, %a : !tile.desc<[16], f32>
  scf.for %i = %i0 to %n step %i1 iter_args(%now = %d, %next = %e) -> (!tile.desc<[16], f32>, !tile.desc<[16], f32>) : i32 {
    tile.descriptor_store %now[%i], %x : !tile.desc<[16], f32>, tensor<16xf32>
    scf.yield %next, %now : !tile.desc<[16], f32>, !tile.desc<[16], f32>
  }
  return
}

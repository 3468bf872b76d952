// RUN: tile-opt %s --canonicalize --split-input-file | FileCheck %s

// Shape ops of a splat become a splat of the final shape.
// CHECK-LABEL: @splat_through_shape_ops
// CHECK-SAME: %[[S:.*]]: f32
func.func @splat_through_shape_ops(%s: f32) -> tensor<32x8xf32> {
  // CHECK-NEXT: %[[R:.*]] = tile.splat %[[S]] : f32 -> tensor<32x8xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = tile.splat %s : f32 -> tensor<8xf32>
  %1 = tile.expand_dims %0 {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  %2 = tile.broadcast %1 : tensor<8x1xf32> -> tensor<8x32xf32>
  %3 = tile.permute %2 {order = array<i32: 1, 0>} : tensor<8x32xf32> -> tensor<32x8xf32>
  %4 = tile.reshape %3 : tensor<32x8xf32> -> tensor<256xf32>
  %5 = tile.reshape %4 : tensor<256xf32> -> tensor<32x8xf32>
  return %5 : tensor<32x8xf32>
}

// -----

// CHECK-LABEL: @splat_keeps_encoding
func.func @splat_keeps_encoding(%p: !tile.ptr<f32>) -> tensor<8x4x!tile.ptr<f32>, "b"> {
  // CHECK-NEXT: %[[R:.*]] = tile.splat %{{.*}} : !tile.ptr<f32> -> tensor<8x4x!tile.ptr<f32>, "b">
  // CHECK-NEXT: return %[[R]]
  %0 = tile.splat %p : !tile.ptr<f32> -> tensor<8x1x!tile.ptr<f32>, "a">
  %1 = tile.broadcast %0 : tensor<8x1x!tile.ptr<f32>, "a"> -> tensor<8x4x!tile.ptr<f32>, "b">
  return %1 : tensor<8x4x!tile.ptr<f32>, "b">
}

// -----

// CHECK-LABEL: @broadcast_of_broadcast
// CHECK-SAME: %[[X:.*]]: tensor<1x1xf32>
func.func @broadcast_of_broadcast(%x: tensor<1x1xf32>) -> tensor<8x4xf32> {
  // CHECK-NEXT: %[[R:.*]] = tile.broadcast %[[X]] : tensor<1x1xf32> -> tensor<8x4xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = tile.broadcast %x : tensor<1x1xf32> -> tensor<8x1xf32>
  %1 = tile.broadcast %0 : tensor<8x1xf32> -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// CHECK-LABEL: @reshape_of_reshape
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>
func.func @reshape_of_reshape(%x: tensor<8x4xf32>) -> tensor<2x16xf32> {
  // CHECK-NEXT: %[[R:.*]] = tile.reshape %[[X]] : tensor<8x4xf32> -> tensor<2x16xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = tile.reshape %x : tensor<8x4xf32> -> tensor<32xf32>
  %1 = tile.reshape %0 : tensor<32xf32> -> tensor<2x16xf32>
  return %1 : tensor<2x16xf32>
}

// -----

// Another user of the inner value may depend on the order that it chose.
// CHECK-LABEL: @no_merge_into_reordering_reshape
func.func @no_merge_into_reordering_reshape(%x: tensor<8x4xf32>) -> tensor<2x16xf32> {
  // CHECK: tile.reshape %{{.*}} allow_reorder
  // CHECK: tile.reshape
  %0 = tile.reshape %x allow_reorder : tensor<8x4xf32> -> tensor<32xf32>
  %1 = tile.reshape %0 : tensor<32xf32> -> tensor<2x16xf32>
  return %1 : tensor<2x16xf32>
}

// -----

// CHECK-LABEL: @permute_of_permute
// CHECK-SAME: %[[X:.*]]: tensor<2x4x8xf32>
func.func @permute_of_permute(%x: tensor<2x4x8xf32>) -> (tensor<4x2x8xf32>, tensor<2x4x8xf32>) {
  // CHECK-NEXT: %[[R:.*]] = tile.permute %[[X]] {order = array<i32: 1, 0, 2>} : tensor<2x4x8xf32> -> tensor<4x2x8xf32>
  // CHECK-NEXT: return %[[R]], %[[X]]
  %0 = tile.permute %x {order = array<i32: 2, 0, 1>} : tensor<2x4x8xf32> -> tensor<8x2x4xf32>
  %1 = tile.permute %0 {order = array<i32: 2, 1, 0>} : tensor<8x2x4xf32> -> tensor<4x2x8xf32>
  %2 = tile.permute %0 {order = array<i32: 1, 2, 0>} : tensor<8x2x4xf32> -> tensor<2x4x8xf32>
  return %1, %2 : tensor<4x2x8xf32>, tensor<2x4x8xf32>
}

// -----

// CHECK-LABEL: @identity_shape_ops
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>
func.func @identity_shape_ops(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]]
  %0 = tile.broadcast %x : tensor<8x4xf32> -> tensor<8x4xf32>
  %1 = tile.reshape %x : tensor<8x4xf32> -> tensor<8x4xf32>
  %2 = tile.permute %x {order = array<i32: 0, 1>} : tensor<8x4xf32> -> tensor<8x4xf32>
  return %0, %1, %2 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// A square transpose has equal types and is no identity.
// CHECK-LABEL: @no_fold_square_transpose
func.func @no_fold_square_transpose(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: tile.permute
  %0 = tile.permute %x {order = array<i32: 1, 0>} : tensor<8x8xf32> -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// CHECK-LABEL: @load_mask_true
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<8x!tile.ptr<f32>>
func.func @load_mask_true(%p: tensor<8x!tile.ptr<f32>>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[R:.*]] = tile.load %[[P]] cache = cg volatile : tensor<8x!tile.ptr<f32>>
  // CHECK-NEXT: return %[[R]]
  %t = arith.constant dense<true> : tensor<8xi1>
  %0 = tile.load %p, %t, %o cache = cg volatile : tensor<8x!tile.ptr<f32>>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @load_mask_false
// CHECK-SAME: %[[O:[a-z0-9]+]]: tensor<8xf32>
func.func @load_mask_false(%p: tensor<8x!tile.ptr<f32>>, %o: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<8xf32>
  // CHECK-NEXT: return %[[O]], %[[Z]]
  %f = arith.constant dense<false> : tensor<8xi1>
  %0 = tile.load %p, %f, %o : tensor<8x!tile.ptr<f32>>
  %1 = tile.load %p, %f : tensor<8x!tile.ptr<f32>>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A pointer has no zero constant; it is made from the integer.
// CHECK-LABEL: @load_mask_false_pointer
func.func @load_mask_false_pointer(%p: !tile.ptr<!tile.ptr<f32>>) -> !tile.ptr<f32> {
  // CHECK-NEXT: %[[Z:.*]] = arith.constant 0 : i64
  // CHECK-NEXT: %[[R:.*]] = tile.int_to_ptr %[[Z]] : i64 -> !tile.ptr<f32>
  // CHECK-NEXT: return %[[R]]
  %f = arith.constant false
  %0 = tile.load %p, %f : !tile.ptr<!tile.ptr<f32>>
  return %0 : !tile.ptr<f32>
}

// -----

// CHECK-LABEL: @no_mask_change_mixed
func.func @no_mask_change_mixed(%p: tensor<2x!tile.ptr<f32>>) -> tensor<2xf32> {
  // CHECK: tile.load %{{.*}}, %{{.*}} : tensor<2x!tile.ptr<f32>>
  %m = arith.constant dense<[true, false]> : tensor<2xi1>
  %0 = tile.load %p, %m : tensor<2x!tile.ptr<f32>>
  return %0 : tensor<2xf32>
}

// -----

// CHECK-LABEL: @store_masks
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<8x!tile.ptr<f32>>, %[[V:[a-z0-9]+]]: tensor<8xf32>
func.func @store_masks(%p: tensor<8x!tile.ptr<f32>>, %v: tensor<8xf32>) {
  // CHECK-NEXT: tile.store %[[P]], %[[V]] evict = evict_last : tensor<8x!tile.ptr<f32>>
  // CHECK-NEXT: return
  %t = arith.constant dense<true> : tensor<8xi1>
  %f = arith.constant dense<false> : tensor<8xi1>
  tile.store %p, %v, %t evict = evict_last : tensor<8x!tile.ptr<f32>>
  tile.store %p, %v, %f : tensor<8x!tile.ptr<f32>>
  return
}

// -----

// An unused load goes away, an unused volatile load stays.
// CHECK-LABEL: @dead_loads
func.func @dead_loads(%p: !tile.ptr<f32>) {
  // CHECK-NEXT: tile.load %{{.*}} volatile
  // CHECK-NEXT: return
  %0 = tile.load %p : !tile.ptr<f32>
  %1 = tile.load %p volatile : !tile.ptr<f32>
  return
}

// What is the same for all elements is added to the base: a splat, or a constant.
// CHECK-LABEL: func @uniform_offset_first
// CHECK-SAME: (%[[P:.*]]: !tile.ptr<f32>, %[[X:.*]]: tensor<8xi32>, %[[I:.*]]: i32)
// CHECK: %[[B:.*]] = tile.addptr %[[P]], %[[I]] : !tile.ptr<f32>, i32
// CHECK: %[[S:.*]] = tile.splat %[[B]]
// CHECK: %[[R:.*]] = tile.addptr %[[S]], %[[X]]
// CHECK: %[[C:.*]] = tile.addptr %[[P]], %c64_i32
// CHECK: %[[T:.*]] = tile.splat %[[C]]
// CHECK: %[[Q:.*]] = tile.addptr %[[T]], %[[X]]
// CHECK: return %[[R]], %[[Q]]
func.func @uniform_offset_first(%p: !tile.ptr<f32>, %x: tensor<8xi32>, %i: i32) -> (tensor<8x!tile.ptr<f32>>, tensor<8x!tile.ptr<f32>>) {
  %c64 = arith.constant dense<64> : tensor<8xi32>
  %0 = tile.splat %p : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %1 = tile.addptr %0, %x : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %2 = tile.splat %i : i32 -> tensor<8xi32>
  %3 = tile.addptr %1, %2 : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %4 = tile.addptr %1, %c64 : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  return %3, %4 : tensor<8x!tile.ptr<f32>>, tensor<8x!tile.ptr<f32>>
}

// Different offsets, or a base that is not the same for all elements, stay in their order.
// CHECK-LABEL: func @different_offsets_stay
// CHECK-SAME: (%[[P:.*]]: tensor<8x!tile.ptr<f32>>, %[[S:.*]]: !tile.ptr<f32>, %[[X:.*]]: tensor<8xi32>, %[[Y:.*]]: tensor<8xi32>, %[[I:.*]]: i32)
// CHECK: %[[U:.*]] = tile.splat %[[I]]
// CHECK: %[[A:.*]] = tile.addptr %[[P]], %[[X]]
// CHECK: %[[B:.*]] = tile.addptr %[[A]], %[[U]]
// CHECK: %[[V:.*]] = tile.splat %[[S]]
// CHECK: %[[C:.*]] = tile.addptr %[[V]], %[[X]]
// CHECK: %[[D:.*]] = tile.addptr %[[C]], %[[Y]]
// CHECK: return %[[B]], %[[D]]
func.func @different_offsets_stay(%p: tensor<8x!tile.ptr<f32>>, %s: !tile.ptr<f32>, %x: tensor<8xi32>, %y: tensor<8xi32>, %i: i32) -> (tensor<8x!tile.ptr<f32>>, tensor<8x!tile.ptr<f32>>) {
  %0 = tile.splat %i : i32 -> tensor<8xi32>
  %1 = tile.addptr %p, %x : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %2 = tile.addptr %1, %0 : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %3 = tile.splat %s : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %4 = tile.addptr %3, %x : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %5 = tile.addptr %4, %y : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  return %2, %5 : tensor<8x!tile.ptr<f32>>, tensor<8x!tile.ptr<f32>>
}

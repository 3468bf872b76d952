// RUN: tile-opt %s --tilegpu-decompose-atomics | FileCheck %s

#one = #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}, [128]>
#few = #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [0]], warp = [[0], [0]], block = []}, [16]>

module attributes {tilegpu.num_warps = 4 : i32} {
// CHECK-DAG: #[[FEW:.+]] = #tilegpu.linear<{register = [], lane = {{\[\[}}1], [2], [4], [8], [0]]
// CHECK-DAG: #[[MEMORY:.+]] = #tilegpu.linear<{offset = {{\[\[}}1], [2], [4], [8]]}, [16]>

// Threads that hold copies read the old value from shared memory.
// CHECK-LABEL: func @replicated
// CHECK: %[[OLD:.*]] = tile.atomic_rmw
// CHECK: %[[BUFFER:.*]] = tilegpu.local_alloc : <[16], i32, #[[MEMORY]]>
// CHECK: tilegpu.local_store %[[OLD]], %[[BUFFER]]
// CHECK: %[[ALL:.*]] = tilegpu.local_load %[[BUFFER]] {{.*}} -> tensor<16xi32, #[[FEW]]>
// CHECK: arith.addi %[[ALL]], %[[ALL]]
func.func @replicated(%p: tensor<16x!tile.ptr<i32>, #few>, %v: tensor<16xi32, #few>) -> tensor<16xi32, #few> {
  %0 = tile.atomic_rmw add %p, %v : tensor<16x!tile.ptr<i32>, #few>
  %1 = arith.addi %0, %0 : tensor<16xi32, #few>
  return %1 : tensor<16xi32, #few>
}

// CHECK-LABEL: func @no_copies
// CHECK-NOT: local_alloc
// CHECK: return
func.func @no_copies(%p: tensor<128x!tile.ptr<i32>, #one>, %v: tensor<128xi32, #one>) -> tensor<128xi32, #one> {
  %0 = tile.atomic_cas %p, %v, %v : tensor<128x!tile.ptr<i32>, #one>
  return %0 : tensor<128xi32, #one>
}

// Nobody looks, or only a store, which the same thread makes.
// CHECK-LABEL: func @no_reader_elsewhere
// CHECK-NOT: local_alloc
// CHECK: return
func.func @no_reader_elsewhere(%p: tensor<16x!tile.ptr<i32>, #few>, %v: tensor<16xi32, #few>, %q: !tile.ptr<i32>, %s: i32) {
  %0 = tile.atomic_rmw add %p, %v : tensor<16x!tile.ptr<i32>, #few>
  %1 = tile.atomic_rmw max %p, %v sem = relaxed : tensor<16x!tile.ptr<i32>, #few>
  tile.store %p, %1 : tensor<16x!tile.ptr<i32>, #few>
  %2 = tile.atomic_rmw add %q, %s sem = relaxed : !tile.ptr<i32>
  tile.store %q, %2 : !tile.ptr<i32>
  return
}

// CHECK-LABEL: func @scalar
// CHECK: %[[OLD:.*]] = tile.atomic_rmw
// CHECK: %[[TENSOR:.*]] = tile.splat %[[OLD]]
// CHECK: tilegpu.local_store %[[TENSOR]]
// CHECK: %[[ALL:.*]] = tilegpu.local_load
// CHECK: %[[SHARED:.*]] = tile.reduce(%[[ALL]])
// CHECK: return %[[SHARED]]
func.func @scalar(%p: !tile.ptr<f32>, %v: f32) -> f32 {
  %0 = tile.atomic_rmw xchg %p, %v : !tile.ptr<f32>
  return %0 : f32
}

// A tensor's elements acquire for their threads; the last ones for nobody.
// CHECK-LABEL: func @tensors
// CHECK: tile.atomic_rmw add %{{.*}}, %{{.*}} : tensor
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.atomic_rmw add %{{.*}}, %{{.*}} sem = release
// CHECK-NEXT: return
func.func @tensors(%p: tensor<128x!tile.ptr<i32>, #one>, %v: tensor<128xi32, #one>) {
  %0 = tile.atomic_rmw add %p, %v : tensor<128x!tile.ptr<i32>, #one>
  %1 = tile.load %p : tensor<128x!tile.ptr<i32>, #one>
  %2 = tile.atomic_rmw add %p, %1 : tensor<128x!tile.ptr<i32>, #one>
  return
}

// The program's own barrier does.
// Threads that found different values would go different ways.
// CHECK-LABEL: func @volatile_loads
// CHECK: %[[OWN:.*]] = tile.load %{{.*}} volatile : !tile.ptr<i32>
// CHECK: %[[SPLAT:.*]] = tile.splat %[[OWN]]
// CHECK: tilegpu.local_store %[[SPLAT]]
// CHECK: tilegpu.local_load
// CHECK: %[[FOUND:.*]] = tile.reduce
// CHECK: %[[SEVERAL:.*]] = tile.load %{{.*}} volatile : tensor<16x
// CHECK: tilegpu.local_store %[[SEVERAL]]
// CHECK: %[[ALL:.*]] = tilegpu.local_load
// Of these each has one thread.
// CHECK: %[[SINGLE:.*]] = tile.load %{{.*}} volatile : tensor<128x
// CHECK-NOT: local_
// CHECK: return %[[FOUND]], %[[ALL]], %[[SINGLE]]
func.func @volatile_loads(%q: !tile.ptr<i32>, %f: tensor<16x!tile.ptr<i32>, #few>, %p: tensor<128x!tile.ptr<i32>, #one>)
    -> (i32, tensor<16xi32, #few>, tensor<128xi32, #one>) {
  %0 = tile.load %q volatile : !tile.ptr<i32>
  %1 = tile.load %f volatile : tensor<16x!tile.ptr<i32>, #few>
  %2 = tile.load %p volatile : tensor<128x!tile.ptr<i32>, #one>
  return %0, %1, %2 : i32, tensor<16xi32, #few>, tensor<128xi32, #one>
}
}

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

// All threads have stored before one of them says so.
// CHECK-LABEL: func @release_after_store
// CHECK: tile.store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.atomic_rmw
// Another atomic of the same thread needs none.
// CHECK-NEXT: tile.atomic_rmw
func.func @release_after_store(%p: tensor<128x!tile.ptr<i32>, #one>, %v: tensor<128xi32, #one>, %q: !tile.ptr<i32>, %s: i32) {
  tile.store %p, %v : tensor<128x!tile.ptr<i32>, #one>
  %0 = tile.atomic_rmw add %q, %s sem = release : !tile.ptr<i32>
  %1 = tile.atomic_rmw add %q, %s sem = release : !tile.ptr<i32>
  return
}

// A lock is taken before the loads: the barrier is in the loop, which may run again after what follows.
// CHECK-LABEL: func @release_in_a_loop
// CHECK: scf.while
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.atomic_cas
func.func @release_in_a_loop(%p: tensor<128x!tile.ptr<i32>, #one>, %q: !tile.ptr<i32>, %s: i32) -> tensor<128xi32, #one> {
  scf.while : () -> () {
    %0 = tile.atomic_cas %q, %s, %s : !tile.ptr<i32>
    %1 = arith.cmpi ne, %0, %s : i32
    scf.condition(%1)
  } do {
    scf.yield
  }
  %2 = tile.load %p : tensor<128x!tile.ptr<i32>, #one>
  return %2 : tensor<128xi32, #one>
}

// CHECK-LABEL: func @no_barrier
// CHECK-NOT: tile.barrier
// CHECK: return
func.func @no_barrier(%p: tensor<128x!tile.ptr<i32>, #one>, %q: !tile.ptr<i32>, %s: i32) {
  // Nothing came before.
  %0 = tile.atomic_rmw add %q, %s sem = release : !tile.ptr<i32>
  // The elements of a tensor speak for themselves.
  %1 = tile.load %p : tensor<128x!tile.ptr<i32>, #one>
  %2 = tile.atomic_rmw add %p, %1 : tensor<128x!tile.ptr<i32>, #one>
  // No release.
  %4 = tile.atomic_rmw add %q, %s sem = relaxed : !tile.ptr<i32>
  return
}

// A scalar one acquires for all threads, which wait for it where nobody brings them its old value; nothing is behind the
// last one.
// CHECK-LABEL: func @acquire_before_load
// CHECK: tile.atomic_rmw add %{{.*}}, %{{.*}} sem = acquire
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.load
// CHECK: tile.atomic_rmw xchg %{{.*}}, %{{.*}} : !tile.ptr<i32>
// CHECK-NOT: tile.barrier
// CHECK: return
func.func @acquire_before_load(%p: tensor<128x!tile.ptr<i32>, #one>, %q: !tile.ptr<i32>, %s: i32) -> tensor<128xi32, #one> {
  %0 = tile.atomic_rmw add %q, %s sem = acquire : !tile.ptr<i32>
  %1 = tile.load %p : tensor<128x!tile.ptr<i32>, #one>
  %2 = tile.atomic_rmw xchg %q, %s : !tile.ptr<i32>
  return %1 : tensor<128xi32, #one>
}

// A loop's next iteration comes behind.
// CHECK-LABEL: func @acquire_in_a_loop
// CHECK: scf.for
// CHECK: tile.load
// CHECK: tile.atomic_rmw add %{{.*}}, %{{.*}} : !tile.ptr<i32>
// CHECK-NEXT: tile.barrier
func.func @acquire_in_a_loop(%p: tensor<128x!tile.ptr<i32>, #one>, %q: !tile.ptr<i32>, %s: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %s step %c1 : i32 {
    %0 = tile.load %p : tensor<128x!tile.ptr<i32>, #one>
    %1 = tile.atomic_rmw add %p, %0 sem = relaxed : tensor<128x!tile.ptr<i32>, #one>
    %2 = tile.atomic_rmw add %q, %s : !tile.ptr<i32>
  }
  return
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
// CHECK-LABEL: func @barrier_is_there
// CHECK: tile.barrier
// CHECK-NOT: tile.barrier
// CHECK: return
func.func @barrier_is_there(%p: tensor<128x!tile.ptr<i32>, #one>, %v: tensor<128xi32, #one>, %q: !tile.ptr<i32>, %s: i32) {
  tile.store %p, %v : tensor<128x!tile.ptr<i32>, #one>
  tile.barrier
  %0 = tile.atomic_rmw xchg %q, %s : !tile.ptr<i32>
  return
}

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

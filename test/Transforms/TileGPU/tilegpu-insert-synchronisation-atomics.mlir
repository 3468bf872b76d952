// RUN: tile-opt %s --tilegpu-insert-synchronisation | FileCheck %s

#one = #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}, [128]>

module attributes {tilegpu.num_warps = 4 : i32} {
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

// A lock is taken before the loads, which are behind the loop.
// CHECK-LABEL: func @spin
// CHECK: scf.while
// CHECK-NEXT: tile.atomic_cas
func.func @spin(%p: tensor<128x!tile.ptr<i32>, #one>, %q: !tile.ptr<i32>, %s: i32) -> tensor<128xi32, #one> {
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


// A load that an earlier iteration of the outer loop has made is published by the next one's lock.
// CHECK-LABEL: func @spin_in_a_loop
// CHECK: scf.while
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.atomic_cas
func.func @spin_in_a_loop(%p: tensor<128x!tile.ptr<i32>, #one>, %q: !tile.ptr<i32>, %s: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %s step %c1 : i32 {
    scf.while : () -> () {
      %0 = tile.atomic_cas %q, %s, %s : !tile.ptr<i32>
      %1 = arith.cmpi ne, %0, %s : i32
      scf.condition(%1)
    } do {
      scf.yield
    }
    %2 = tile.load %p : tensor<128x!tile.ptr<i32>, #one>
    tile.print "x" %2 : tensor<128xi32, #one>
  }
  return
}
}

// RUN: tile-opt %s --test-barrier-need | FileCheck %s

// `barrier` marks the ops that need one before them.

#layout = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}, [128]>
!buffer = !tilegpu.memdesc<[128], f32, #layout>
#ring = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]}, [8, 16]>
#rows = #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]], block = []}, [8, 16]>
!one = !tilegpu.memdesc<[8, 16], f32, #ring>
!three = !tilegpu.memdesc<[8, 16], f32, #ring, buffers = 3>

// CHECK-LABEL: func.func @read_after_write
func.func @read_after_write(%v: tensor<128xf32>) -> tensor<128xf32> {
  %a = tilegpu.local_alloc offset 0 : !buffer
  // CHECK: local_store %{{[^{]+}} : tensor
  tilegpu.local_store %v, %a : tensor<128xf32>, !buffer
  // CHECK: local_load {{.*}}{barrier}
  %0 = tilegpu.local_load %a : !buffer -> tensor<128xf32>
  // Reads do not disturb each other.
  // CHECK: local_load %{{[0-9]+}} : <
  %1 = tilegpu.local_load %a : !buffer -> tensor<128xf32>
  // CHECK: local_store {{.*}}{barrier}
  tilegpu.local_store %v, %a : tensor<128xf32>, !buffer
  // CHECK: local_store {{.*}}{barrier}
  tilegpu.local_store %1, %a : tensor<128xf32>, !buffer
  return %0 : tensor<128xf32>
}

// Different bytes do not conflict; one barrier serves both reads.
// CHECK-LABEL: func.func @disjoint
func.func @disjoint(%v: tensor<128xf32>) {
  %a = tilegpu.local_alloc offset 0 : !buffer
  %b = tilegpu.local_alloc offset 512 : !buffer
  // CHECK-NOT: {barrier}
  // CHECK: local_store
  // CHECK-NOT: {barrier}
  // CHECK: local_store
  tilegpu.local_store %v, %a : tensor<128xf32>, !buffer
  tilegpu.local_store %v, %b : tensor<128xf32>, !buffer
  // CHECK: local_load {{.*}}{barrier}
  %0 = tilegpu.local_load %a : !buffer -> tensor<128xf32>
  // CHECK: local_load %{{[0-9]+}} : <
  %1 = tilegpu.local_load %b : !buffer -> tensor<128xf32>
  return
}

// Bytes are reused by another buffer: write after read, also for a partial overlap.
// CHECK-LABEL: func.func @reused_bytes
func.func @reused_bytes(%v: tensor<128xf32>) {
  %a = tilegpu.local_alloc offset 0 : !buffer
  %b = tilegpu.local_alloc offset 256 : !buffer
  tilegpu.local_store %v, %a : tensor<128xf32>, !buffer
  tile.barrier
  // CHECK: local_load %{{[0-9]+}} : <
  %0 = tilegpu.local_load %a : !buffer -> tensor<128xf32>
  // CHECK: local_store {{.*}}{barrier}
  tilegpu.local_store %0, %b : tensor<128xf32>, !buffer
  return
}

// Without offsets every buffer may be anywhere.
// CHECK-LABEL: func.func @unplaced
func.func @unplaced(%v: tensor<128xf32>) {
  %a = tilegpu.local_alloc : !buffer
  %b = tilegpu.local_alloc : !buffer
  tilegpu.local_store %v, %a : tensor<128xf32>, !buffer
  // CHECK: local_store {{.*}}
  // CHECK: local_store {{.*}}{barrier}
  tilegpu.local_store %v, %b : tensor<128xf32>, !buffer
  return
}

// Barriers of the whole CTA count; a barrier of some threads does not.
// CHECK-LABEL: func.func @existing_barriers
func.func @existing_barriers(%v: tensor<128xf32>) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %a = tilegpu.local_alloc offset 0 : !buffer
  tilegpu.local_store %v, %a : tensor<128xf32>, !buffer
  nvvm.barrier0
  // CHECK: nvvm.barrier0
  // CHECK: local_load %{{[0-9]+}} : <
  %0 = tilegpu.local_load %a : !buffer -> tensor<128xf32>
  nvvm.barrier
  // CHECK: local_store %{{[^{]+}} : tensor
  tilegpu.local_store %v, %a : tensor<128xf32>, !buffer
  nvvm.barrier id = %c0 number_of_threads = %c64
  // CHECK: local_load {{.*}}{barrier}
  %1 = tilegpu.local_load %a : !buffer -> tensor<128xf32>
  return
}

// The read of one iteration and the write of the next meet at the back edge.
// CHECK-LABEL: func.func @back_edge
func.func @back_edge(%v: tensor<128xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tilegpu.local_alloc offset 0 : !buffer
  scf.for %i = %c0 to %n step %c1 : i32 {
    // CHECK: local_store {{.*}}{barrier}
    tilegpu.local_store %v, %a : tensor<128xf32>, !buffer
    // CHECK: local_load {{.*}}{barrier}
    %0 = tilegpu.local_load %a : !buffer -> tensor<128xf32>
  }
  return
}

// A barrier at the end of the body covers the back edge, also through an inner loop. A store does not conflict with
// itself in the next iteration.
// CHECK-LABEL: func.func @nested_loops
func.func @nested_loops(%v: tensor<128xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tilegpu.local_alloc offset 0 : !buffer
  %b = tilegpu.local_alloc offset 512 : !buffer
  scf.for %i = %c0 to %n step %c1 : i32 {
    // CHECK: local_store %{{[^{]+}} : tensor
    tilegpu.local_store %v, %a : tensor<128xf32>, !buffer
    // CHECK: scf.for
    scf.for %j = %c0 to %n step %c1 : i32 {
      // CHECK: local_store %{{[^{]+}} : tensor
      tilegpu.local_store %v, %b : tensor<128xf32>, !buffer
    }
    // CHECK: local_load {{.*}}{barrier}
    %0 = tilegpu.local_load %a : !buffer -> tensor<128xf32>
    %1 = tilegpu.local_load %b : !buffer -> tensor<128xf32>
    tile.barrier
  }
  return
}

// After an `if` the accesses of both branches are pending.
// CHECK-LABEL: func.func @branches
func.func @branches(%v: tensor<128xf32>, %c: i1) {
  %a = tilegpu.local_alloc offset 0 : !buffer
  %b = tilegpu.local_alloc offset 512 : !buffer
  tilegpu.local_store %v, %b : tensor<128xf32>, !buffer
  scf.if %c {
    // CHECK: scf.if
    // CHECK: local_store %{{[^{]+}} : tensor
    tilegpu.local_store %v, %a : tensor<128xf32>, !buffer
  } else {
    // CHECK: else
    // CHECK: local_load {{.*}}{barrier}
    %0 = tilegpu.local_load %b : !buffer -> tensor<128xf32>
  }
  // CHECK: local_load {{.*}}{barrier}
  %1 = tilegpu.local_load %a : !buffer -> tensor<128xf32>
  return
}

// A loop that may not run leaves what was pending before it; one that certainly runs does not.
// CHECK-LABEL: func.func @barrier_inside
func.func @barrier_inside(%v: tensor<128xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %a = tilegpu.local_alloc offset 0 : !buffer
  tilegpu.local_store %v, %a : tensor<128xf32>, !buffer
  scf.for %i = %c0 to %n step %c1 : i32 {
    tile.barrier
  }
  // CHECK: tile.barrier
  // CHECK: local_load {{.*}}{barrier}
  %0 = tilegpu.local_load %a : !buffer -> tensor<128xf32>
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    tile.barrier
  }
  // CHECK: tile.barrier
  // CHECK: local_store %{{[^{]+}} : tensor
  tilegpu.local_store %v, %a : tensor<128xf32>, !buffer
  return
}

// The condition of a `while` runs before and after the body.
// CHECK-LABEL: func.func @while_loop
func.func @while_loop(%v: tensor<128xf32>, %c: i1) {
  %a = tilegpu.local_alloc offset 0 : !buffer
  scf.while : () -> () {
    // CHECK: scf.while
    // CHECK: local_load {{.*}}{barrier}
    %0 = tilegpu.local_load %a : !buffer -> tensor<128xf32>
    scf.condition(%c)
  } do {
    // CHECK: local_store {{.*}}{barrier}
    tilegpu.local_store %v, %a : tensor<128xf32>, !buffer
    scf.yield
  }
  // CHECK: local_store {{.*}}{barrier}
  tilegpu.local_store %v, %a : tensor<128xf32>, !buffer
  return
}

// Two buffers that a loop swaps: each name may be either.
// CHECK-LABEL: func.func @carried_descriptors
func.func @carried_descriptors(%v: tensor<128xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tilegpu.local_alloc offset 0 : !buffer
  %b = tilegpu.local_alloc offset 512 : !buffer
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (!buffer, !buffer) : i32 {
    // CHECK: local_store {{.*}}{barrier}
    tilegpu.local_store %v, %x : tensor<128xf32>, !buffer
    // CHECK: local_load {{.*}}{barrier}
    %0 = tilegpu.local_load %y : !buffer -> tensor<128xf32>
    scf.yield %y, %x : !buffer, !buffer
  }
  return
}

// Inside a loop, and in front of it, whoever made a ring of buffers has placed its barriers. What follows the loop has to
// wait for the last accesses: another buffer in the same memory, and the first copies when the loop runs again.
// CHECK-LABEL: func.func @ring
func.func @ring(%p: tensor<8x16x!tile.ptr<f32>, #rows>, %n: i32, %v: tensor<128xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tilegpu.local_alloc offset 0 : !three
  %other = tilegpu.local_alloc offset 0 : !buffer
  scf.for %j = %c0 to %n step %c1 : i32 {
    // CHECK: async_copy {{.*}}{barrier}
    %0 = tilegpu.memdesc_index %r[%c0] : !three -> !one
    tilegpu.async_copy %p, %0 : tensor<8x16x!tile.ptr<f32>, #rows>, !one
    // CHECK-NOT: {barrier}
    %1 = tilegpu.memdesc_index %r[%c1] : !three -> !one
    tilegpu.async_copy %p, %1 : tensor<8x16x!tile.ptr<f32>, #rows>, !one
    scf.for %i = %c0 to %n step %c1 : i32 {
      nvvm.barrier0
      %2 = tilegpu.memdesc_index %r[%i] : !three -> !one
      tilegpu.async_copy %p, %2 : tensor<8x16x!tile.ptr<f32>, #rows>, !one
      %3 = tilegpu.local_load %2 : !one -> tensor<8x16xf32, #rows>
    }
  }
  // CHECK: local_store {{.*}}{barrier}
  tilegpu.local_store %v, %other : tensor<128xf32>, !buffer
  return
}

// A copy is in flight over barriers: others may write to its memory behind a barrier after the wait for it.
// CHECK-LABEL: func.func @copy_in_flight
func.func @copy_in_flight(%p: tensor<8x16x!tile.ptr<f32>, #rows>, %v: tensor<128xf32>) {
  %r = tilegpu.local_alloc offset 0 : !one
  %a = tilegpu.local_alloc offset 0 : !buffer
  %b = tilegpu.local_alloc offset 4096 : !buffer
  // CHECK: async_copy {{[^{]+}} : tensor
  tilegpu.async_copy %p, %r : tensor<8x16x!tile.ptr<f32>, #rows>, !one
  tilegpu.async_commit
  tile.barrier
  tilegpu.async_wait 0
  // CHECK: local_store %{{[^{]+}} : tensor
  tilegpu.local_store %v, %b : tensor<128xf32>, !buffer
  // CHECK: local_store {{.*}}{barrier}
  tilegpu.local_store %v, %a : tensor<128xf32>, !buffer
  return
}

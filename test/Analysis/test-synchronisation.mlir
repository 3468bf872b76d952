// RUN: tile-opt %s --test-synchronisation | FileCheck %s

// `barrier` and `fence` mark the ops that need one before them, `_behind` behind them.

#layout = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}, [128]>
#ma = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#mb = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#mc = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>
#object = #tilegpu.linear<{offset = []}, [1]>
!a = !tilegpu.memdesc<[64, 16], f16, #ma>
!b = !tilegpu.memdesc<[16, 8], f16, #mb>
!bars = !tilegpu.memdesc<[1], i64, #object>
!ring_bars = !tilegpu.memdesc<[1], i64, #object, buffers = 3>
!ring = !tilegpu.memdesc<[64, 16], f16, #ma, buffers = 3>
!buffer = !tilegpu.memdesc<[128], f32, #layout>
#ring = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]}, [8, 16]>
#rows = #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]], block = []}, [8, 16]>
#other_rows = #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[1, 0], [0, 4], [0, 8], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]], block = []}, [8, 16]>
#cols = #tilegpu.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [0, 0]], block = []}, [16, 8]>
!one = !tilegpu.memdesc<[8, 16], f32, #ring>
!two = !tilegpu.memdesc<[8, 16], f32, #ring, buffers = 2>
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

// Slots of a ring are told apart: an iteration reads one, and fills the one that was read in the iteration before, in front
// of the barrier behind the wait. What comes behind the loop has to wait for the last reads: another buffer in the same
// memory, and the first copies when the loop runs again.
// CHECK-LABEL: func.func @ring
func.func @ring(%p: tensor<8x16x!tile.ptr<f32>, #rows>, %n: i32, %v: tensor<128xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %r = tilegpu.local_alloc offset 0 : !three
  %other = tilegpu.local_alloc offset 0 : !buffer
  scf.for %j = %c0 to %n step %c1 : i32 {
    // CHECK: async_copy {{.*}}{barrier}
    %0 = tilegpu.memdesc_index %r[%c0] : !three -> !one
    tilegpu.async_copy %p, %0 : tensor<8x16x!tile.ptr<f32>, #rows>, !one
    tilegpu.async_commit
    // CHECK-NOT: {barrier
    %1 = tilegpu.memdesc_index %r[%c1] : !three -> !one
    tilegpu.async_copy %p, %1 : tensor<8x16x!tile.ptr<f32>, #rows>, !one
    tilegpu.async_commit
    // CHECK: async_wait 1 {barrier_behind}
    // CHECK-NOT: {barrier
    scf.for %i = %c0 to %n step %c1 iter_args(%fill = %c2, %read = %c0) -> (i32, i32) : i32 {
      tilegpu.async_wait 1
      %2 = tilegpu.memdesc_index %r[%read] : !three -> !one
      %3 = tilegpu.local_load %2 : !one -> tensor<8x16xf32, #rows>
      %4 = tilegpu.memdesc_index %r[%fill] : !three -> !one
      tilegpu.async_copy %p, %4 : tensor<8x16x!tile.ptr<f32>, #rows>, !one
      tilegpu.async_commit
      %5 = arith.addi %fill, %c1 : i32
      %6 = arith.cmpi eq, %5, %c3 : i32
      %next_fill = arith.select %6, %c0, %5 : i32
      %7 = arith.addi %read, %c1 : i32
      %8 = arith.cmpi eq, %7, %c3 : i32
      %next_read = arith.select %8, %c0, %7 : i32
      scf.yield %next_fill, %next_read : i32, i32
    }
    tilegpu.async_wait 0
  }
  // CHECK: local_store {{.*}}{barrier}
  tilegpu.local_store %v, %other : tensor<128xf32>, !buffer
  return
}

// Without knowing how the slots go on, any of them may be the one that is read.
// CHECK-LABEL: func.func @unknown_slots
func.func @unknown_slots(%v: tensor<8x16xf32, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tilegpu.local_alloc offset 0 : !three
  scf.for %i = %c0 to %n step %c1 : i32 {
    %0 = tilegpu.memdesc_index %r[%i] : !three -> !one
    // CHECK: local_store {{.*}}{barrier}
    tilegpu.local_store %v, %0 : tensor<8x16xf32, #rows>, !one
    %1 = tilegpu.memdesc_index %r[%n] : !three -> !one
    // CHECK: local_load {{.*}}{barrier}
    %2 = tilegpu.local_load %1 : !one -> tensor<8x16xf32, #rows>
  }
  return
}

// Of two buffers one is stored to while the other is still read: one barrier an iteration.
// CHECK-LABEL: func.func @two_slots
func.func @two_slots(%v: tensor<8x16xf32, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tilegpu.local_alloc offset 0 : !two
  scf.for %i = %c0 to %n step %c1 iter_args(%half = %c0) -> (i32) : i32 {
    %0 = tilegpu.memdesc_index %r[%half] : !two -> !one
    // CHECK-NOT: {barrier}
    // CHECK: local_store
    // CHECK-NOT: {barrier}
    tilegpu.local_store %v, %0 : tensor<8x16xf32, #rows>, !one
    // CHECK: local_load {{.*}}{barrier}
    %1 = tilegpu.local_load %0 : !one -> tensor<8x16xf32, #rows>
    %other = arith.xori %half, %c1 : i32
    scf.yield %other : i32
  }
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

// What threads store is fenced before wgmma reads it through the async proxy: in front of the barrier.
// CHECK-LABEL: func.func @fence_behind_store
func.func @fence_behind_store(%v: tensor<16x8xf16>, %a: !a, %x: tensor<64x8xf32, #mc>) -> tensor<64x8xf32, #mc> {
  %b = tilegpu.local_alloc offset 0 : !b
  // CHECK: local_store %{{[^{]+}} : tensor
  tilegpu.local_store %v, %b : tensor<16x8xf16>, !b
  // CHECK: wgmma {{.*}}{fence_and_barrier}
  %0 = tilegpu.wgmma %a, %b, %x : !a, !b -> tensor<64x8xf32, #mc>
  %1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x8xf32, #mc> -> tensor<64x8xf32, #mc>
  // CHECK: wgmma %
  // CHECK-NOT: {fence
  // CHECK: wgmma_wait
  %2 = tilegpu.wgmma %a, %b, %1 : !a, !b -> tensor<64x8xf32, #mc>
  %3 = tilegpu.wgmma_wait %2 pending = 0 : tensor<64x8xf32, #mc> -> tensor<64x8xf32, #mc>
  return %3 : tensor<64x8xf32, #mc>
}

// cp.async goes through the generic proxy: a thread fences its copies when it has waited for them.
// CHECK-LABEL: func.func @fence_behind_copies
func.func @fence_behind_copies(%p: tensor<16x8x!tile.ptr<f16>, #cols>, %a: !a, %x: tensor<64x8xf32, #mc>) -> tensor<64x8xf32, #mc> {
  %b = tilegpu.local_alloc offset 0 : !b
  // CHECK: async_copy %{{[^{]+}} : tensor
  tilegpu.async_copy %p, %b : tensor<16x8x!tile.ptr<f16>, #cols>, !b
  tilegpu.async_commit
  // CHECK: async_wait 0{{$}}
  tilegpu.async_wait 0
  // CHECK: nvvm.barrier0 {fence}
  nvvm.barrier0
  // CHECK: wgmma %{{[^{]+}} : !tilegpu
  %0 = tilegpu.wgmma %a, %b, %x : !a, !b -> tensor<64x8xf32, #mc>
  %1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x8xf32, #mc> -> tensor<64x8xf32, #mc>
  return %1 : tensor<64x8xf32, #mc>
}

// A fence of what was stored in front of a loop is in front of the loop.
// CHECK-LABEL: func.func @fence_outside_of_loop
func.func @fence_outside_of_loop(%v: tensor<16x8xf16>, %a: !a, %x: tensor<64x8xf32, #mc>, %n: i32) -> tensor<64x8xf32, #mc> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b = tilegpu.local_alloc offset 0 : !b
  tilegpu.local_store %v, %b : tensor<16x8xf16>, !b
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> tensor<64x8xf32, #mc> : i32 {
    // CHECK: nvvm.barrier0{{$}}
    nvvm.barrier0
    // CHECK: wgmma %{{[^{]+}} : !tilegpu
    %0 = tilegpu.wgmma %a, %b, %acc : !a, !b -> tensor<64x8xf32, #mc>
    %1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x8xf32, #mc> -> tensor<64x8xf32, #mc>
    scf.yield %1 : tensor<64x8xf32, #mc>
  // CHECK: } {fence}
  }
  return %sum : tensor<64x8xf32, #mc>
}

// The barrier object is initialised by one thread, and all know of it before they wait. Between TMA loads and wgmma there is
// the object, and no barrier or fence. What threads read is fenced before the next load overwrites it.
// CHECK-LABEL: func.func @tensor_copies
func.func @tensor_copies(%map: !tile.desc<[64, 16], f16>, %other: !b, %x: tensor<64x8xf32, #mc>, %i: i32) -> tensor<64x8xf32, #mc> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tilegpu.local_alloc offset 0 : !a
  %bars = tilegpu.local_alloc offset 2048 : !bars
  // CHECK: mbarrier_init %{{[^{]+}} : <
  tilegpu.mbarrier_init %bars count = 1 : !bars
  // CHECK: tma_load {{.*}}{barrier}
  tilegpu.tma_load %map[%i, %i], %a, %bars[%c0] : !tile.desc<[64, 16], f16>, !a, !bars
  // CHECK: mbarrier_wait %{{[^{]+}} : <
  tilegpu.mbarrier_wait %bars[%c0], %c0 : !bars
  // CHECK: wgmma %{{[^{]+}} : !tilegpu
  %0 = tilegpu.wgmma %a, %other, %x : !a, !b -> tensor<64x8xf32, #mc>
  %1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x8xf32, #mc> -> tensor<64x8xf32, #mc>
  // CHECK: local_load %{{[^{]+}} : <
  %2 = tilegpu.local_load %a : !a -> tensor<64x16xf16>
  // CHECK: tma_load {{.*}}{fence_and_barrier}
  tilegpu.tma_load %map[%i, %i], %a, %bars[%c0] : !tile.desc<[64, 16], f16>, !a, !bars
  tilegpu.mbarrier_wait %bars[%c0], %c1 : !bars
  return %1 : tensor<64x8xf32, #mc>
}

// Copies ahead are started where the loop runs: one that does not leaves nothing in flight.
// CHECK-LABEL: func.func @copies_of_a_loop_that_may_not_run
func.func @copies_of_a_loop_that_may_not_run(%map: !tile.desc<[64, 16], f16>, %v: tensor<128xf32>, %begin: i32, %end: i32) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %a = tilegpu.local_alloc offset 0 : !a
  %other = tilegpu.local_alloc offset 0 : !buffer
  %bars = tilegpu.local_alloc offset 2048 : !bars
  tilegpu.mbarrier_init %bars count = 1 : !bars
  %second = arith.addi %begin, %c32 : i32
  %runs = arith.cmpi slt, %second, %end : i32
  // CHECK: tma_load {{.*}}{barrier}
  tilegpu.tma_load %map[%c0, %c0], %a, %bars[%c0] if %runs : !tile.desc<[64, 16], f16>, !a, !bars
  scf.for %i = %begin to %end step %c32 : i32 {
    tilegpu.mbarrier_wait %bars[%c0], %c0 : !bars
  }
  // CHECK: local_store %{{[^{]+}} : tensor
  tilegpu.local_store %v, %other : tensor<128xf32>, !buffer
  return
}

// A copy that depends on something else may have been started.
// CHECK-LABEL: func.func @copies_of_another_range
func.func @copies_of_another_range(%map: !tile.desc<[64, 16], f16>, %v: tensor<128xf32>, %begin: i32, %end: i32) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %cm32 = arith.constant -32 : i32
  %a = tilegpu.local_alloc offset 0 : !a
  %other = tilegpu.local_alloc offset 0 : !buffer
  %bars = tilegpu.local_alloc offset 2048 : !bars
  tilegpu.mbarrier_init %bars count = 1 : !bars
  %before = arith.addi %begin, %cm32 : i32
  %runs = arith.cmpi slt, %before, %end : i32
  // CHECK: tma_load {{.*}}{barrier}
  tilegpu.tma_load %map[%c0, %c0], %a, %bars[%c0] if %runs : !tile.desc<[64, 16], f16>, !a, !bars
  scf.for %i = %begin to %end step %c32 : i32 {
    tilegpu.mbarrier_wait %bars[%c0], %c0 : !bars
  }
  // CHECK: local_store {{.*}}{barrier}
  tilegpu.local_store %v, %other : tensor<128xf32>, !buffer
  return
}

// Copies that the first of two loops starts for both: when neither runs, none is in flight.
// CHECK-LABEL: func.func @copies_of_two_loops_that_may_not_run
func.func @copies_of_two_loops_that_may_not_run(%map: !tile.desc<[64, 16], f16>, %v: tensor<128xf32>, %begin: i32, %middle: i32, %end: i32) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %a = tilegpu.local_alloc offset 0 : !a
  %other = tilegpu.local_alloc offset 0 : !buffer
  %bars = tilegpu.local_alloc offset 2048 : !bars
  tilegpu.mbarrier_init %bars count = 1 : !bars
  %first = arith.minsi %begin, %middle : i32
  %last = arith.maxsi %middle, %end : i32
  %second = arith.addi %first, %c32 : i32
  %runs = arith.cmpi slt, %second, %last : i32
  // CHECK: tma_load {{.*}}{barrier}
  tilegpu.tma_load %map[%c0, %c0], %a, %bars[%c0] if %runs : !tile.desc<[64, 16], f16>, !a, !bars
  scf.for %i = %begin to %middle step %c32 : i32 {
    tilegpu.mbarrier_wait %bars[%c0], %c0 : !bars
  }
  scf.for %i = %middle to %end step %c32 : i32 {
    tilegpu.mbarrier_wait %bars[%c0], %c0 : !bars
  }
  // CHECK: local_store %{{[^{]+}} : tensor
  tilegpu.local_store %v, %other : tensor<128xf32>, !buffer
  return
}

// The second loop does not begin where the first ends: without either, there may be copies.
// CHECK-LABEL: func.func @copies_of_two_loops_with_a_gap
func.func @copies_of_two_loops_with_a_gap(%map: !tile.desc<[64, 16], f16>, %v: tensor<128xf32>, %begin: i32, %middle: i32, %end: i32) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %a = tilegpu.local_alloc offset 0 : !a
  %other = tilegpu.local_alloc offset 0 : !buffer
  %bars = tilegpu.local_alloc offset 2048 : !bars
  tilegpu.mbarrier_init %bars count = 1 : !bars
  %first = arith.minsi %begin, %middle : i32
  %last = arith.maxsi %middle, %end : i32
  %runs = arith.cmpi slt, %first, %last : i32
  // CHECK: tma_load {{.*}}{barrier}
  tilegpu.tma_load %map[%c0, %c0], %a, %bars[%c0] if %runs : !tile.desc<[64, 16], f16>, !a, !bars
  scf.for %i = %begin to %middle step %c32 : i32 {
    tilegpu.mbarrier_wait %bars[%c0], %c0 : !bars
  }
  scf.for %i = %c0 to %end step %c32 : i32 {
    tilegpu.mbarrier_wait %bars[%c0], %c0 : !bars
  }
  // CHECK: local_store {{.*}}{barrier}
  tilegpu.local_store %v, %other : tensor<128xf32>, !buffer
  return
}

// The copy in the outer loop's iteration before may have been started; the loop that waits for it ran then.
// CHECK-LABEL: func.func @copies_of_an_earlier_iteration
func.func @copies_of_an_earlier_iteration(%map: !tile.desc<[64, 16], f16>, %v: tensor<128xf32>, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %a = tilegpu.local_alloc offset 0 : !a
  %other = tilegpu.local_alloc offset 0 : !buffer
  %bars = tilegpu.local_alloc offset 2048 : !bars
  tilegpu.mbarrier_init %bars count = 1 : !bars
  scf.for %j = %c0 to %n step %c32 : i32 {
    %end = arith.muli %j, %m : i32
    // CHECK: local_store {{.*}}{barrier}
    tilegpu.local_store %v, %other : tensor<128xf32>, !buffer
    %runs = arith.cmpi slt, %c0, %end : i32
    // CHECK: tma_load {{.*}}{fence_and_barrier}
    tilegpu.tma_load %map[%c0, %c0], %a, %bars[%c0] if %runs : !tile.desc<[64, 16], f16>, !a, !bars
    scf.for %i = %c0 to %end step %c32 : i32 {
    }
  }
  return
}

// Copies are started two iterations ahead. Behind the loop those that have been waited for are done, and those for later iterations
// have not been started.
// CHECK-LABEL: func.func @copies_past_the_end
func.func @copies_past_the_end(%map: !tile.desc<[64, 16], f16>, %v: tensor<128xf32>, %begin: i32, %end: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %ring = tilegpu.local_alloc offset 0 : !ring
  %other = tilegpu.local_alloc offset 0 : !buffer
  %bars = tilegpu.local_alloc offset 6144 : !ring_bars
  tilegpu.mbarrier_init %bars count = 1 : !ring_bars
  // CHECK: tma_load {{.*}}{barrier}
  %runs = arith.cmpi slt, %begin, %end : i32
  %first = tilegpu.memdesc_index %ring[%c0] : !ring -> !a
  tilegpu.tma_load %map[%c0, %c0], %first, %bars[%c0] if %runs : !tile.desc<[64, 16], f16>, !a, !ring_bars
  %next = arith.addi %begin, %c32 : i32
  %runs_twice = arith.cmpi slt, %next, %end : i32
  %second = tilegpu.memdesc_index %ring[%c1] : !ring -> !a
  tilegpu.tma_load %map[%c0, %c0], %second, %bars[%c1] if %runs_twice : !tile.desc<[64, 16], f16>, !a, !ring_bars
  scf.for %i = %begin to %end step %c32 iter_args(%fill = %c2, %read = %c0) -> (i32, i32) : i32 {
    tilegpu.mbarrier_wait %bars[%read], %c0 : !ring_bars
    %ahead = arith.addi %i, %c64 : i32
    %comes = arith.cmpi slt, %ahead, %end : i32
    %slot = tilegpu.memdesc_index %ring[%fill] : !ring -> !a
    tilegpu.tma_load %map[%ahead, %c0], %slot, %bars[%fill] if %comes : !tile.desc<[64, 16], f16>, !a, !ring_bars
    %0 = arith.addi %fill, %c1 : i32
    %1 = arith.cmpi eq, %0, %c3 : i32
    %next_fill = arith.select %1, %c0, %0 : i32
    %2 = arith.addi %read, %c1 : i32
    %3 = arith.cmpi eq, %2, %c3 : i32
    %next_read = arith.select %3, %c0, %2 : i32
    scf.yield %next_fill, %next_read : i32, i32
  }
  // CHECK: local_store %{{[^{]+}} : tensor
  tilegpu.local_store %v, %other : tensor<128xf32>, !buffer
  return
}

// One iteration ahead by the bound, two by the slots: the last copy is started, and nothing in the loop waits for it.
// CHECK-LABEL: func.func @copies_further_ahead
func.func @copies_further_ahead(%map: !tile.desc<[64, 16], f16>, %v: tensor<128xf32>, %begin: i32, %end: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c32 = arith.constant 32 : i32
  %ring = tilegpu.local_alloc offset 0 : !ring
  %other = tilegpu.local_alloc offset 0 : !buffer
  %bars = tilegpu.local_alloc offset 6144 : !ring_bars
  tilegpu.mbarrier_init %bars count = 1 : !ring_bars
  nvvm.barrier0
  // CHECK: scf.for
  scf.for %i = %begin to %end step %c32 iter_args(%fill = %c2, %read = %c0) -> (i32, i32) : i32 {
    tilegpu.mbarrier_wait %bars[%read], %c0 : !ring_bars
    %ahead = arith.addi %i, %c32 : i32
    %comes = arith.cmpi slt, %ahead, %end : i32
    %slot = tilegpu.memdesc_index %ring[%fill] : !ring -> !a
    tilegpu.tma_load %map[%ahead, %c0], %slot, %bars[%fill] if %comes : !tile.desc<[64, 16], f16>, !a, !ring_bars
    %0 = arith.addi %fill, %c1 : i32
    %1 = arith.cmpi eq, %0, %c3 : i32
    %next_fill = arith.select %1, %c0, %0 : i32
    %2 = arith.addi %read, %c1 : i32
    %3 = arith.cmpi eq, %2, %c3 : i32
    %next_read = arith.select %3, %c0, %2 : i32
    scf.yield %next_fill, %next_read : i32, i32
  }
  // CHECK: local_store {{.*}}{barrier}
  tilegpu.local_store %v, %other : tensor<128xf32>, !buffer
  return
}

// Where threads read fragments of a product, they have waited for the products before: the barrier that is there makes it known.
// CHECK-LABEL: func.func @products_before_fragments
func.func @products_before_fragments(%v: tensor<128xf32>, %x: tensor<64x8xf32, #mc>) -> tensor<64x8xf32, #mc> {
  %a = tilegpu.local_alloc offset 0 : !a
  %b = tilegpu.local_alloc offset 2048 : !b
  %fragments = tilegpu.local_alloc offset 4096 : !a
  %over_a = tilegpu.local_alloc offset 0 : !buffer
  %over_b = tilegpu.local_alloc offset 2048 : !buffer
  %0 = tilegpu.wgmma %a, %b, %x : !a, !b -> tensor<64x8xf32, #mc>
  %1 = tilegpu.wgmma %fragments, %b, %0 fragments_of = 0 : !a, !b -> tensor<64x8xf32, #mc>
  nvvm.barrier0
  // CHECK: local_store %{{[^{]+}} : tensor
  tilegpu.local_store %v, %over_a : tensor<128xf32>, !buffer
  %2 = tilegpu.wgmma_wait %1 pending = 0 : tensor<64x8xf32, #mc> -> tensor<64x8xf32, #mc>
  // The product's own operand is waited for here.
  // CHECK: local_store {{.*}}{barrier}
  tilegpu.local_store %v, %over_b : tensor<128xf32>, !buffer
  return %2 : tensor<64x8xf32, #mc>
}

// Every thread writes what it has waited for again: copies past a loop's end need nothing but the wait.
// CHECK-LABEL: func.func @copies_to_the_same_parts
func.func @copies_to_the_same_parts(%p: tensor<8x16x!tile.ptr<f32>, #rows>, %q: tensor<8x16x!tile.ptr<f32>, #other_rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tilegpu.local_alloc offset 0 : !three
  %b = tilegpu.local_alloc offset 512 : !two
  %a1 = tilegpu.memdesc_index %a[%c1] : !three -> !one
  %b0 = tilegpu.memdesc_index %b[%c0] : !two -> !one
  tilegpu.async_copy %p, %a1 : tensor<8x16x!tile.ptr<f32>, #rows>, !one
  tilegpu.async_commit
  tilegpu.async_wait 0
  // CHECK: async_copy %{{[^{]+}} : tensor
  tilegpu.async_copy %p, %b0 : tensor<8x16x!tile.ptr<f32>, #rows>, !one
  tilegpu.async_commit
  tilegpu.async_wait 0
  // Other threads.
  // CHECK: async_copy {{.*}}{barrier}
  tilegpu.async_copy %q, %b0 : tensor<8x16x!tile.ptr<f32>, #other_rows>, !one
  return
}

// A barrier that the second of two copies needs is in front of both: one does for all that are started together.
// CHECK-LABEL: func.func @copies_started_together
func.func @copies_started_together(%p: tensor<8x16x!tile.ptr<f32>, #rows>, %v: tensor<128xf32>) {
  %a = tilegpu.local_alloc offset 0 : !one
  %b = tilegpu.local_alloc offset 512 : !one
  %other = tilegpu.local_alloc offset 512 : !buffer
  tilegpu.local_store %v, %other : tensor<128xf32>, !buffer
  // CHECK: async_copy {{.*}}{barrier}
  tilegpu.async_copy %p, %a : tensor<8x16x!tile.ptr<f32>, #rows>, !one
  // CHECK: async_copy %{{[^{]+}} : tensor
  tilegpu.async_copy %p, %b : tensor<8x16x!tile.ptr<f32>, #rows>, !one
  return
}

// A TMA store reads what threads have stored, and is done when the thread that has started it has waited, and a barrier has
// told the others.
// CHECK-LABEL: func.func @tensor_store
func.func @tensor_store(%map: !tile.desc<[64, 16], f16>, %v: tensor<64x16xf16>, %i: i32) {
  %a = tilegpu.local_alloc offset 0 : !a
  tilegpu.local_store %v, %a : tensor<64x16xf16>, !a
  // CHECK: tma_store {{.*}}{fence_and_barrier}
  tilegpu.tma_store %map[%i, %i], %a : !tile.desc<[64, 16], f16>, !a
  tilegpu.tma_store_wait 0
  // CHECK: local_store {{.*}}{barrier}
  tilegpu.local_store %v, %a : tensor<64x16xf16>, !a
  return
}

// What a thread stores twice it stores in order; the read in between of all others needs a barrier on both sides.
// CHECK-LABEL: func.func @stores_to_the_same_parts
func.func @stores_to_the_same_parts(%v: tensor<8x16xf32, #rows>, %w: tensor<8x16xf32, #other_rows>) -> tensor<8x16xf32, #rows> {
  %a = tilegpu.local_alloc offset 0 : !one
  %b = tilegpu.local_alloc offset 0 : !one
  tilegpu.local_store %v, %a : tensor<8x16xf32, #rows>, !one
  // CHECK: local_store
  // CHECK-NEXT: local_store %{{[^{]+}} : tensor
  tilegpu.local_store %v, %b : tensor<8x16xf32, #rows>, !one
  // CHECK: local_load {{.*}}{barrier}
  %0 = tilegpu.local_load %b : !one -> tensor<8x16xf32, #rows>
  // CHECK: local_store {{.*}}{barrier}
  tilegpu.local_store %v, %a : tensor<8x16xf32, #rows>, !one
  // Other threads.
  // CHECK: local_store {{.*}}{barrier}
  tilegpu.local_store %w, %b : tensor<8x16xf32, #other_rows>, !one
  return %0 : tensor<8x16xf32, #rows>
}

// Each warpgroup stores what it has written: only its own warps wait.
// CHECK-LABEL: func.func @stores_by_warpgroups
func.func @stores_by_warpgroups(%map: !tile.desc<[64, 16], f16, rows = 32>, %v: tensor<64x16xf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tilegpu.local_alloc offset 0 : !a
  scf.for %i = %c0 to %n step %c1 : i32 {
    tilegpu.tma_store_wait 0
    // CHECK: local_store {{.*}}{warpgroup_barrier}
    tilegpu.local_store %v, %a : tensor<64x16xf16>, !a
    // CHECK: tma_store {{.*}}{fence_and_warpgroup_barrier
    tilegpu.tma_store %map[%i, %i], %a warpgroups = [0, 32] : !tile.desc<[64, 16], f16, rows = 32>, !a
  }
  tilegpu.tma_store_wait 0
  // Another buffer in the same place is everybody's.
  %b = tilegpu.local_alloc offset 0 : !a
  // CHECK: local_store {{.*}}{barrier}
  tilegpu.local_store %v, %b : tensor<64x16xf16>, !a
  return
}

// CHECK-LABEL: func.func @has_warpgroup_barriers
func.func @has_warpgroup_barriers(%map: !tile.desc<[64, 16], f16, rows = 32>, %v: tensor<64x16xf16>, %i: i32) {
  %a = tilegpu.local_alloc offset 0 : !a
  // CHECK: local_store %{{[^{]+}} : tensor
  tilegpu.local_store %v, %a : tensor<64x16xf16>, !a
  tilegpu.proxy_fence
  tilegpu.warpgroup_barrier
  // CHECK: tma_store %{{[^{]+}} : <
  tilegpu.tma_store %map[%i, %i], %a warpgroups = [0, 32] : !tile.desc<[64, 16], f16, rows = 32>, !a
  tilegpu.tma_store_wait 0
  tilegpu.warpgroup_barrier
  // CHECK: local_store %{{[^{]+}} : tensor
  tilegpu.local_store %v, %a : tensor<64x16xf16>, !a
  return
}

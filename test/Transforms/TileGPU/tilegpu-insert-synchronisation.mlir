// RUN: tile-opt %s --tilegpu-insert-synchronisation | FileCheck %s

#r = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>
#ma = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#mb = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#mc = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>
#b = #tilegpu.linear<{register = [[0, 1], [8, 0], [16, 0]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [0, 0]], block = []}, [32, 16]>
#m = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0]]}, [32, 16]>
#s = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256]]}, [512]>

// Read after write, then write after read of the same memory.
// CHECK-LABEL: func @reuse
// CHECK: local_store
// CHECK-NEXT: nvvm.barrier
// CHECK-NEXT: local_load
// CHECK-NEXT: local_alloc
// CHECK-NEXT: nvvm.barrier
// CHECK-NEXT: local_store
// CHECK-NEXT: return
func.func @reuse(%x: tensor<512xf32, #r>) {
  %a = tilegpu.local_alloc offset 0 : !tilegpu.memdesc<[512], f32, #s>
  tilegpu.local_store %x, %a : tensor<512xf32, #r>, !tilegpu.memdesc<[512], f32, #s>
  %0 = tilegpu.local_load %a : !tilegpu.memdesc<[512], f32, #s> -> tensor<512xf32, #r>
  %b = tilegpu.local_alloc offset 0 : !tilegpu.memdesc<[512], f32, #s>
  tilegpu.local_store %x, %b : tensor<512xf32, #r>, !tilegpu.memdesc<[512], f32, #s>
  func.return
}

// The back edge: the next iteration's store meets this iteration's load.
// CHECK-LABEL: func @loop
// CHECK: scf.for
// CHECK: nvvm.barrier
// CHECK-NEXT: local_store
// CHECK-NEXT: nvvm.barrier
// CHECK-NEXT: local_load
func.func @loop(%x: tensor<512xf32, #r>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tilegpu.local_alloc offset 0 : !tilegpu.memdesc<[512], f32, #s>
  scf.for %i = %c0 to %n step %c1 : i32 {
    tilegpu.local_store %x, %a : tensor<512xf32, #r>, !tilegpu.memdesc<[512], f32, #s>
    %0 = tilegpu.local_load %a : !tilegpu.memdesc<[512], f32, #s> -> tensor<512xf32, #r>
  }
  func.return
}

// Either loop may run or not: the barrier in front of the first is for both.
// CHECK-LABEL: func @loops_one_behind_the_other
// CHECK: local_store
// CHECK-NEXT: nvvm.barrier
// CHECK-NEXT: scf.for
// CHECK-NOT: nvvm.barrier
// CHECK: return
func.func @loops_one_behind_the_other(%x: tensor<512xf32, #r>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b = tilegpu.local_alloc offset 0 : !tilegpu.memdesc<[512], f32, #s>
  tilegpu.local_store %x, %b : tensor<512xf32, #r>, !tilegpu.memdesc<[512], f32, #s>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %y = tilegpu.local_load %b : !tilegpu.memdesc<[512], f32, #s> -> tensor<512xf32, #r>
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    %y = tilegpu.local_load %b : !tilegpu.memdesc<[512], f32, #s> -> tensor<512xf32, #r>
  }
  return
}

// CHECK-LABEL: func @no_conflict
// CHECK-NOT: nvvm.barrier
// CHECK: return
func.func @no_conflict(%x: tensor<512xf32, #r>) {
  %a = tilegpu.local_alloc offset 0 : !tilegpu.memdesc<[512], f32, #s>
  %b = tilegpu.local_alloc offset 2048 : !tilegpu.memdesc<[512], f32, #s>
  tilegpu.local_store %x, %a : tensor<512xf32, #r>, !tilegpu.memdesc<[512], f32, #s>
  tilegpu.local_store %x, %b : tensor<512xf32, #r>, !tilegpu.memdesc<[512], f32, #s>
  func.return
}

// Threads park registers in places of their own: the same places need no barrier, others' bytes do.
// CHECK-LABEL: func @parked
// CHECK-NOT: nvvm.barrier
// CHECK: tilegpu.unpark
// CHECK: tilegpu.unpark
// CHECK: nvvm.barrier
// CHECK-NEXT: local_store
func.func @parked(%x: tensor<512xf32, #r>) {
  %a = tilegpu.local_alloc offset 0 : !tilegpu.memdesc<[512], i32, #s>
  tilegpu.park %x into %a : tensor<512xf32, #r>, !tilegpu.memdesc<[512], i32, #s>
  %0 = tilegpu.unpark %x from %a : tensor<512xf32, #r>, !tilegpu.memdesc<[512], i32, #s>
  %b = tilegpu.local_alloc offset 0 : !tilegpu.memdesc<[512], i32, #s>
  tilegpu.park %0 into %b : tensor<512xf32, #r>, !tilegpu.memdesc<[512], i32, #s>
  %1 = tilegpu.unpark %0 from %b : tensor<512xf32, #r>, !tilegpu.memdesc<[512], i32, #s>
  %c = tilegpu.local_alloc offset 0 : !tilegpu.memdesc<[512], f32, #s>
  tilegpu.local_store %1, %c : tensor<512xf32, #r>, !tilegpu.memdesc<[512], f32, #s>
  func.return
}

// A product reads until it is waited for, whatever barriers lie between; the other warps' products are done behind the next
// barrier. The accumulator comes around a loop.
// CHECK-LABEL: func @product_over_barrier
// CHECK: scf.for
// CHECK: nvvm.barrier0
// CHECK: tilegpu.wgmma_wait {{.*}} pending = 1
// CHECK: }
// CHECK-NEXT: tilegpu.wgmma_wait {{.*}} pending = 0
// CHECK-NEXT: nvvm.barrier
// CHECK-NEXT: tilegpu.local_store
func.func @product_over_barrier(%a: !tilegpu.memdesc<[64, 16], f16, #ma>, %x: tensor<64x8xf32, #mc>, %v: tensor<16x8xf16>,
                                %n: i32) -> tensor<64x8xf32, #mc> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b = tilegpu.local_alloc offset 0 : !tilegpu.memdesc<[16, 8], f16, #mb>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> tensor<64x8xf32, #mc> : i32 {
    %0 = tilegpu.wgmma %a, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #mc>
    nvvm.barrier0
    %1 = tilegpu.wgmma_wait %0 pending = 1 : tensor<64x8xf32, #mc> -> tensor<64x8xf32, #mc>
    scf.yield %1 : tensor<64x8xf32, #mc>
  }
  %done = tilegpu.wgmma_wait %sum pending = 0 : tensor<64x8xf32, #mc> -> tensor<64x8xf32, #mc>
  tilegpu.local_store %v, %b : tensor<16x8xf16>, !tilegpu.memdesc<[16, 8], f16, #mb>
  func.return %done : tensor<64x8xf32, #mc>
}

// Nothing overwrites what a store reads before the next wait, which is for both.
// CHECK-LABEL: func @stores_of_two_buffers
// CHECK-NOT: tilegpu.tma_store_wait
// CHECK: tilegpu.tma_store %{{.*}}
// CHECK-NOT: tilegpu.tma_store_wait
// CHECK: tilegpu.tma_store %{{.*}}
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK-NEXT: return
func.func @stores_of_two_buffers(%map: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %i: i32) {
  %one = tilegpu.local_alloc offset 0 : <[32, 16], f16, #m>
  %two = tilegpu.local_alloc offset 1024 : <[32, 16], f16, #m>
  tilegpu.local_store %x, %one : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
  tilegpu.tma_store %map[%i, %i], %one : <[32, 16], f16>, <[32, 16], f16, #m>
  tilegpu.tma_store_wait 0
  tilegpu.local_store %x, %two : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
  tilegpu.tma_store %map[%i, %i], %two : <[32, 16], f16>, <[32, 16], f16, #m>
  tilegpu.tma_store_wait 0
  return
}

// Two buffers in one place: the first is read before the second is filled.
// CHECK-LABEL: func @stores_of_one_place
// CHECK: tilegpu.tma_store %{{.*}}
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK: tilegpu.tma_store %{{.*}}
// CHECK-NEXT: tilegpu.tma_store_wait 0
func.func @stores_of_one_place(%map: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %i: i32) {
  %one = tilegpu.local_alloc offset 0 : <[32, 16], f16, #m>
  %two = tilegpu.local_alloc offset 512 : <[32, 16], f16, #m>
  tilegpu.local_store %x, %one : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
  tilegpu.tma_store %map[%i, %i], %one : <[32, 16], f16>, <[32, 16], f16, #m>
  tilegpu.tma_store_wait 0
  tilegpu.local_store %x, %two : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
  tilegpu.tma_store %map[%i, %i], %two : <[32, 16], f16>, <[32, 16], f16, #m>
  tilegpu.tma_store_wait 0
  return
}

// The loop waits before it fills the buffer, and where it does not run the wait behind it comes first.
// CHECK-LABEL: func @store_in_front_of_a_loop_that_waits
// CHECK: tilegpu.tma_store %{{.*}}
// CHECK-NEXT: scf.for
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK: tilegpu.tma_store %{{.*}}
// CHECK-NEXT: }
// CHECK-NEXT: tilegpu.tma_store_wait 0
func.func @store_in_front_of_a_loop_that_waits(%map: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %i: i32, %n: i32, %one: i32) {
  %buffer = tilegpu.local_alloc offset 0 : <[32, 16], f16, #m>
  tilegpu.local_store %x, %buffer : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
  tilegpu.tma_store %map[%i, %i], %buffer : <[32, 16], f16>, <[32, 16], f16, #m>
  tilegpu.tma_store_wait 0
  scf.for %j = %i to %n step %one : i32 {
    tilegpu.tma_store_wait 0
    tilegpu.local_store %x, %buffer : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %map[%j, %j], %buffer : <[32, 16], f16>, <[32, 16], f16, #m>
  }
  tilegpu.tma_store_wait 0
  return
}

// CHECK-LABEL: func @store_in_front_of_a_loop_that_stores
// CHECK: tilegpu.tma_store %{{.*}}
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK: scf.for
// CHECK: tilegpu.tma_store %{{.*}}
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK-NEXT: }
func.func @store_in_front_of_a_loop_that_stores(%map: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %i: i32, %n: i32, %one: i32) {
  %buffer = tilegpu.local_alloc offset 0 : <[32, 16], f16, #m>
  tilegpu.local_store %x, %buffer : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
  tilegpu.tma_store %map[%i, %i], %buffer : <[32, 16], f16>, <[32, 16], f16, #m>
  tilegpu.tma_store_wait 0
  scf.for %j = %i to %n step %one : i32 {
    tilegpu.local_store %x, %buffer : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %map[%j, %j], %buffer : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
  }
  return
}

// RUN: tile-opt %s --tilegpu-defer-store-waits --split-input-file | FileCheck %s
// RUN: tile-opt %s --tilegpu-defer-store-waits --tilegpu-allocate-shared-memory --tilegpu-insert-synchronisation --split-input-file | FileCheck %s --check-prefix=SYNC

#b = #tilegpu.linear<{register = [[0, 1], [8, 0], [16, 0]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [0, 0]], block = []}, [32, 16]>
#m = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0]]}, [32, 16]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// The next iteration waits, and the last one's store is waited for behind the loop.
// CHECK-LABEL: func @loop
// CHECK: %[[BUF:.*]] = tilegpu.local_alloc
// CHECK-NEXT: scf.for
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK-NEXT: tilegpu.local_store %{{.*}}, %[[BUF]]
// CHECK-NEXT: tilegpu.tma_store %{{.*}}, %[[BUF]]
// CHECK-NEXT: }
// CHECK-NEXT: tilegpu.tma_store_wait 0
// SYNC-LABEL: func @loop
// SYNC: scf.for
// SYNC-NEXT: tilegpu.tma_store_wait 0
// SYNC-NEXT: nvvm.barrier0
// SYNC-NEXT: tilegpu.local_store
// SYNC-NEXT: tilegpu.proxy_fence
// SYNC-NEXT: nvvm.barrier0
// SYNC-NEXT: tilegpu.tma_store
func.func @loop(%map: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %buf = tilegpu.local_alloc : <[32, 16], f16, #m>
    tilegpu.local_store %x, %buf : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %map[%i, %i], %buf : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
  }
  return
}

// In front of another store to shared memory: its barrier serves both.
// CHECK-LABEL: func @one_barrier
// CHECK: scf.for
// CHECK: tilegpu.tma_store_wait 0
// CHECK-NEXT: tilegpu.local_store
// CHECK-NEXT: tilegpu.local_load
// CHECK-NEXT: tilegpu.local_store
// SYNC-LABEL: func @one_barrier
// SYNC: tilegpu.tma_store_wait 0
// SYNC-NEXT: tilegpu.local_store
// SYNC-NEXT: nvvm.barrier0
// SYNC-NEXT: tilegpu.local_load
// SYNC-NEXT: tilegpu.local_store
func.func @one_barrier(%map: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %buf = tilegpu.local_alloc : <[32, 16], f16, #m>
    %other = tilegpu.local_alloc : <[32, 16], f16, #m>
    tilegpu.local_store %x, %other : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    %y = tilegpu.local_load %other : <[32, 16], f16, #m> -> tensor<32x16xf16, #b>
    tilegpu.local_store %y, %buf : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %map[%i, %i], %buf reduce = add : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
  }
  return
}

// Two stores in each iteration: one wait is for both, in the loop and behind it.
// CHECK-LABEL: func @two_stores
// CHECK: scf.for
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK-NEXT: tilegpu.local_store
// CHECK-NEXT: tilegpu.tma_store %
// CHECK-NEXT: tilegpu.local_store
// CHECK-NEXT: tilegpu.tma_store %
// CHECK-NEXT: }
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK-NEXT: return
// SYNC-LABEL: func @two_stores
// SYNC: tilegpu.tma_store_wait 0
// SYNC-NEXT: nvvm.barrier0
// SYNC-NEXT: tilegpu.local_store
// SYNC: nvvm.barrier0
// SYNC-NEXT: tilegpu.tma_store %
// SYNC-NEXT: tilegpu.local_store
// SYNC-NEXT: tilegpu.proxy_fence
// SYNC-NEXT: nvvm.barrier0
// SYNC-NEXT: tilegpu.tma_store %
func.func @two_stores(%map: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %left = tilegpu.local_alloc : <[32, 16], f16, #m>
    tilegpu.local_store %x, %left : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %map[%i, %c0], %left : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
    %right = tilegpu.local_alloc : <[32, 16], f16, #m>
    tilegpu.local_store %x, %right : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %map[%i, %c1], %right : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
  }
  return
}

// A tile in three parts: none of the waits is behind a copy of the iteration.
// CHECK-LABEL: func @three_stores
// CHECK: scf.for
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK-COUNT-3: tilegpu.tma_store %
// CHECK-NEXT: }
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK-NEXT: return
// SYNC-LABEL: func @three_stores
// SYNC: tilegpu.tma_store_wait 0
// SYNC-NEXT: nvvm.barrier0
// SYNC-NEXT: tilegpu.local_store
// SYNC-NOT: tilegpu.tma_store_wait
// SYNC: }
func.func @three_stores(%map: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %left = tilegpu.local_alloc : <[32, 16], f16, #m>
    tilegpu.local_store %x, %left : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %map[%i, %c0], %left : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
    %middle = tilegpu.local_alloc : <[32, 16], f16, #m>
    tilegpu.local_store %x, %middle : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %map[%i, %c1], %middle : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
    %right = tilegpu.local_alloc : <[32, 16], f16, #m>
    tilegpu.local_store %x, %right : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %map[%i, %c2], %right : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
  }
  return
}

// A tile in four parts, through two buffers: both are in front of the loop, and its first part waits for the last iteration's.
// The waits between parts stay.
// CHECK-LABEL: func @series
// CHECK: tilegpu.local_alloc
// CHECK-NEXT: tilegpu.local_alloc
// CHECK-NEXT: scf.for
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK-NEXT: tilegpu.local_store %{{.*}}, %[[A:.*]] :
// CHECK-NEXT: tilegpu.tma_store %{{.*}}, %[[A]] :
// CHECK-NEXT: tilegpu.local_store %{{.*}}, %[[B:.*]] :
// CHECK-NEXT: tilegpu.tma_store %{{.*}}, %[[B]] :
// CHECK-NEXT: tilegpu.tma_store_wait 1
// CHECK-NEXT: tilegpu.local_store %{{.*}}, %[[A]] :
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK-NEXT: tilegpu.tma_store %{{.*}}, %[[A]] :
// CHECK-NEXT: tilegpu.local_store %{{.*}}, %[[B]] :
// CHECK-NEXT: tilegpu.tma_store %{{.*}}, %[[B]] :
// CHECK-NEXT: }
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK-NEXT: return
// SYNC-LABEL: func @series
// SYNC-DAG: tilegpu.local_alloc offset 0
// SYNC-DAG: tilegpu.local_alloc offset 1024
// SYNC: scf.for
// SYNC-NEXT: tilegpu.tma_store_wait 0
// SYNC-NEXT: nvvm.barrier0
// SYNC-NEXT: tilegpu.local_store
func.func @series(%map: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tilegpu.local_alloc : <[32, 16], f16, #m>
    %b = tilegpu.local_alloc : <[32, 16], f16, #m>
    tilegpu.local_store %x, %a : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %map[%i, %c0], %a : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.local_store %x, %b : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %map[%i, %c1], %b : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 1
    tilegpu.local_store %x, %a : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
    tilegpu.tma_store %map[%n, %c0], %a : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.local_store %x, %b : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %map[%n, %c1], %b : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
  }
  return
}

// Through one buffer.
// CHECK-LABEL: func @series_of_one_buffer
// CHECK: scf.for
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK-NEXT: tilegpu.local_store
// CHECK-NEXT: tilegpu.tma_store %
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK-NEXT: tilegpu.local_store
// CHECK-NEXT: tilegpu.tma_store %
// CHECK-NEXT: }
// CHECK-NEXT: tilegpu.tma_store_wait 0
func.func @series_of_one_buffer(%map: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tilegpu.local_alloc : <[32, 16], f16, #m>
    tilegpu.local_store %x, %a : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %map[%i, %c0], %a : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
    tilegpu.local_store %x, %a : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %map[%i, %c1], %a : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
  }
  return
}

// Something else is done with one of the buffers.
// CHECK-LABEL: func @series_read
// CHECK: tilegpu.tma_store_wait 0
// CHECK-NEXT: }
func.func @series_read(%map: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tilegpu.local_alloc : <[32, 16], f16, #m>
    %b = tilegpu.local_alloc : <[32, 16], f16, #m>
    tilegpu.local_store %x, %a : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %map[%i, %c0], %a : <[32, 16], f16>, <[32, 16], f16, #m>
    %y = tilegpu.local_load %a : <[32, 16], f16, #m> -> tensor<32x16xf16, #b>
    tilegpu.local_store %y, %b : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %map[%i, %c1], %b : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
  }
  return
}

// A wait behind another store is no repetition.
// CHECK-LABEL: func @store_between
// CHECK: tilegpu.tma_store %
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK-NEXT: tilegpu.tma_store %
// CHECK-NEXT: tilegpu.tma_store_wait 0
func.func @store_between(%map: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %i: i32) {
  %buf = tilegpu.local_alloc : <[32, 16], f16, #m>
  tilegpu.local_store %x, %buf : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
  tilegpu.tma_store %map[%i, %i], %buf : <[32, 16], f16>, <[32, 16], f16, #m>
  tilegpu.tma_store_wait 0
  tilegpu.tma_store %map[%i, %i], %buf : <[32, 16], f16>, <[32, 16], f16, #m>
  tilegpu.tma_store_wait 0
  return
}

// Outside of loops there is nothing to wait in.
// CHECK-LABEL: func @once
// CHECK: tilegpu.tma_store %
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK-NEXT: return
func.func @once(%map: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %i: i32) {
  %buf = tilegpu.local_alloc : <[32, 16], f16, #m>
  tilegpu.local_store %x, %buf : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
  tilegpu.tma_store %map[%i, %i], %buf : <[32, 16], f16>, <[32, 16], f16, #m>
  tilegpu.tma_store_wait 0
  return
}
}

// -----

// Two vectors of 64 KiB that share memory now would leave room for one CTA instead of three.
#b = #tilegpu.linear<{register = [[128], [256], [512], [1024], [2048], [4096], [8192]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}, [16384]>
#m = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048], [4096], [8192]]}, [16384]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// CHECK-LABEL: func @no_room
// CHECK: tilegpu.tma_store %
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK-NEXT: }
func.func @no_room(%map: !tile.desc<[16384], f32>, %x: tensor<16384xf32, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %other = tilegpu.local_alloc : <[16384], f32, #m>
    tilegpu.local_store %x, %other : tensor<16384xf32, #b>, <[16384], f32, #m>
    %y = tilegpu.local_load %other : <[16384], f32, #m> -> tensor<16384xf32, #b>
    %buf = tilegpu.local_alloc : <[16384], f32, #m>
    tilegpu.local_store %y, %buf : tensor<16384xf32, #b>, <[16384], f32, #m>
    tilegpu.tma_store %map[%i], %buf : <[16384], f32>, <[16384], f32, #m>
    tilegpu.tma_store_wait 0
  }
  return
}
}

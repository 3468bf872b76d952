// RUN: tile-opt %s --test-shared-allocation | FileCheck %s

// `shared` is [offset, size, end] in bytes.

#small = #tilegpu.linear<{offset = [[1], [2], [4], [8]]}, [16]>
#medium = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32]]}, [64]>
#large = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}, [128]>
!small = !tilegpu.memdesc<[16], f32, #small>
!medium = !tilegpu.memdesc<[64], f32, #medium>
!large = !tilegpu.memdesc<[128], f32, #large>
#ma = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#mb = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>

// One after the other: the same bytes.
// CHECK-LABEL: func.func @sequential
// CHECK-SAME: shared.total = 512
func.func @sequential(%v: tensor<128xf32>) -> (tensor<128xf32>, tensor<128xf32>) {
  // CHECK: tilegpu.local_alloc {shared = [0, 512, 512]}
  %a = tilegpu.local_alloc : !large
  tilegpu.local_store %v, %a : tensor<128xf32>, !large
  %0 = tilegpu.local_load %a : !large -> tensor<128xf32>
  // CHECK: tilegpu.local_alloc {shared = [0, 512, 512]}
  %b = tilegpu.local_alloc : !large
  tilegpu.local_store %v, %b : tensor<128xf32>, !large
  %1 = tilegpu.local_load %b : !large -> tensor<128xf32>
  return %0, %1 : tensor<128xf32>, tensor<128xf32>
}

// Both live at once: apart, the larger one first.
// CHECK-LABEL: func.func @overlapping
// CHECK-SAME: shared.total = 768
func.func @overlapping(%v: tensor<128xf32>, %w: tensor<64xf32>) -> (tensor<128xf32>, tensor<64xf32>) {
  // CHECK: tilegpu.local_alloc {shared = [512, 256, 768]}
  %a = tilegpu.local_alloc : !medium
  tilegpu.local_store %w, %a : tensor<64xf32>, !medium
  // CHECK: tilegpu.local_alloc {shared = [0, 512, 512]}
  %b = tilegpu.local_alloc : !large
  tilegpu.local_store %v, %b : tensor<128xf32>, !large
  %0 = tilegpu.local_load %a : !medium -> tensor<64xf32>
  %1 = tilegpu.local_load %b : !large -> tensor<128xf32>
  return %1, %0 : tensor<128xf32>, tensor<64xf32>
}

// The place of the allocation does not count, the uses do.
// CHECK-LABEL: func.func @allocated_early
// CHECK-SAME: shared.total = 512
func.func @allocated_early(%v: tensor<128xf32>) -> (tensor<128xf32>, tensor<128xf32>) {
  // CHECK: tilegpu.local_alloc {shared = [0, 512, 512]}
  %a = tilegpu.local_alloc : !large
  // CHECK: tilegpu.local_alloc {shared = [0, 512, 512]}
  %b = tilegpu.local_alloc : !large
  tilegpu.local_store %v, %a : tensor<128xf32>, !large
  %0 = tilegpu.local_load %a : !large -> tensor<128xf32>
  tilegpu.local_store %v, %b : tensor<128xf32>, !large
  %1 = tilegpu.local_load %b : !large -> tensor<128xf32>
  return %0, %1 : tensor<128xf32>, tensor<128xf32>
}

// A buffer from outside is live through the whole loop, one of the body is not.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: shared.total = 1024
func.func @loop(%v: tensor<128xf32>, %n: i32) -> tensor<128xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: tilegpu.local_alloc {shared = [0, 512, 512]}
  %outer = tilegpu.local_alloc : !large
  tilegpu.local_store %v, %outer : tensor<128xf32>, !large
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %v) -> (tensor<128xf32>) : i32 {
    %0 = tilegpu.local_load %outer : !large -> tensor<128xf32>
    // CHECK: tilegpu.local_alloc {shared = [512, 512, 1024]}
    %a = tilegpu.local_alloc : !large
    tilegpu.local_store %0, %a : tensor<128xf32>, !large
    %1 = tilegpu.local_load %a : !large -> tensor<128xf32>
    // CHECK: tilegpu.local_alloc {shared = [512, 512, 1024]}
    %b = tilegpu.local_alloc : !large
    tilegpu.local_store %1, %b : tensor<128xf32>, !large
    %2 = tilegpu.local_load %b : !large -> tensor<128xf32>
    scf.yield %2 : tensor<128xf32>
  }
  return %r : tensor<128xf32>
}

// Filled in one iteration and read in the next: live all the time, though the last use comes first in the text.
// CHECK-LABEL: func.func @across_iterations
// CHECK-SAME: shared.total = 1024
func.func @across_iterations(%v: tensor<128xf32>, %n: i32) -> tensor<128xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: tilegpu.local_alloc {shared = [0, 512, 512]}
  %outer = tilegpu.local_alloc : !large
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %v) -> (tensor<128xf32>) : i32 {
    %0 = tilegpu.local_load %outer : !large -> tensor<128xf32>
    tilegpu.local_store %0, %outer : tensor<128xf32>, !large
    // CHECK: tilegpu.local_alloc {shared = [512, 512, 1024]}
    %a = tilegpu.local_alloc : !large
    tilegpu.local_store %0, %a : tensor<128xf32>, !large
    %1 = tilegpu.local_load %a : !large -> tensor<128xf32>
    scf.yield %1 : tensor<128xf32>
  }
  return %r : tensor<128xf32>
}

// Buffers that a loop hands from one iteration to the next.
// CHECK-LABEL: func.func @carried_descriptors
// CHECK-SAME: shared.total = 1536
func.func @carried_descriptors(%v: tensor<128xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: tilegpu.local_alloc {shared = [0, 512, 512]}
  %a = tilegpu.local_alloc : !large
  // CHECK: tilegpu.local_alloc {shared = [512, 512, 1024]}
  %b = tilegpu.local_alloc : !large
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (!large, !large) : i32 {
    tilegpu.local_store %v, %x : tensor<128xf32>, !large
    // CHECK: tilegpu.local_alloc {shared = [1024, 512, 1536]}
    %c = tilegpu.local_alloc : !large
    tilegpu.local_store %v, %c : tensor<128xf32>, !large
    scf.yield %y, %x : !large, !large
  }
  return
}

// A buffer that the body allocates and passes on is live around the back edge.
// CHECK-LABEL: func.func @yielded_allocation
// CHECK-SAME: shared.total = 1536
func.func @yielded_allocation(%v: tensor<128xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: tilegpu.local_alloc {shared = [0, 512, 512]}
  %a = tilegpu.local_alloc : !large
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (!large) : i32 {
    // CHECK: tilegpu.local_alloc {shared = [512, 512, 1024]}
    %b = tilegpu.local_alloc : !large
    tilegpu.local_store %v, %b : tensor<128xf32>, !large
    %0 = tilegpu.local_load %b : !large -> tensor<128xf32>
    // CHECK: tilegpu.local_alloc {shared = [1024, 512, 1536]}
    %c = tilegpu.local_alloc : !large
    tilegpu.local_store %0, %c : tensor<128xf32>, !large
    %1 = tilegpu.local_load %x : !large -> tensor<128xf32>
    scf.yield %c : !large
  }
  return
}

// The branches of an `if` share.
// CHECK-LABEL: func.func @branches
// CHECK-SAME: shared.total = 512
func.func @branches(%v: tensor<128xf32>, %c: i1) {
  scf.if %c {
    // CHECK: tilegpu.local_alloc {shared = [0, 512, 512]}
    %a = tilegpu.local_alloc : !large
    tilegpu.local_store %v, %a : tensor<128xf32>, !large
  } else {
    // CHECK: tilegpu.local_alloc {shared = [0, 512, 512]}
    %a = tilegpu.local_alloc : !large
    tilegpu.local_store %v, %a : tensor<128xf32>, !large
  }
  return
}

// The gap that a large buffer leaves is filled; a small buffer needs no more than 16-byte alignment.
// CHECK-LABEL: func.func @small_buffers
// CHECK-SAME: shared.total = 384
func.func @small_buffers(%v: tensor<16xf32>, %w: tensor<64xf32>) {
  // CHECK: tilegpu.local_alloc {shared = [256, 64, 320]}
  %a = tilegpu.local_alloc : !small
  // CHECK: tilegpu.local_alloc {shared = [320, 64, 384]}
  %b = tilegpu.local_alloc : !small
  // CHECK: tilegpu.local_alloc {shared = [0, 256, 256]}
  %c = tilegpu.local_alloc : !medium
  tilegpu.local_store %v, %a : tensor<16xf32>, !small
  tilegpu.local_store %v, %b : tensor<16xf32>, !small
  tilegpu.local_store %w, %c : tensor<64xf32>, !medium
  %0 = tilegpu.local_load %a : !small -> tensor<16xf32>
  %1 = tilegpu.local_load %b : !small -> tensor<16xf32>
  return
}

// A buffer that nobody uses takes no one's place.
// CHECK-LABEL: func.func @unused
// CHECK-SAME: shared.total = 512
func.func @unused(%v: tensor<128xf32>) {
  // CHECK: tilegpu.local_alloc {shared = [0, 512, 512]}
  %a = tilegpu.local_alloc : !large
  // CHECK: tilegpu.local_alloc {shared = [0, 512, 512]}
  %b = tilegpu.local_alloc : !large
  tilegpu.local_store %v, %b : tensor<128xf32>, !large
  return
}

// CHECK-LABEL: func.func @no_buffers
// CHECK-SAME: shared.total = 0
func.func @no_buffers() {
  return
}

// The swizzle of what wgmma reads is of addresses: each buffer begins at a multiple of 1024 bytes, also one of a ring that
// a view is taken of. A ring has the bytes of all its buffers.
// CHECK-LABEL: func.func @swizzled
// CHECK-SAME: shared.total = 7424
func.func @swizzled(%v: tensor<16xf32>, %i: i32, %x: tensor<64x8xf32, #c>) -> (tensor<64x8xf32, #c>, tensor<16xf32>) {
  // CHECK: tilegpu.local_alloc {shared = [6144, 256, 6400]} : <[16, 8], f16
  %b = tilegpu.local_alloc : !tilegpu.memdesc<[16, 8], f16, #mb>
  // CHECK: tilegpu.local_alloc {shared = [0, 6144, 6144]} : <[64, 16], f16, {{.*}}, buffers = 3>
  %r = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma, buffers = 3>
  // CHECK: tilegpu.local_alloc {shared = [7168, 256, 7424]} : <[16, 8], f16
  %d = tilegpu.local_alloc : !tilegpu.memdesc<[16, 8], f16, #mb>
  // CHECK: tilegpu.local_alloc {shared = [6400, 64, 6464]} : <[16], f32
  %s = tilegpu.local_alloc : !small
  tilegpu.local_store %v, %s : tensor<16xf32>, !small
  %a = tilegpu.memdesc_index %r[%i] : !tilegpu.memdesc<[64, 16], f16, #ma, buffers = 3> -> !tilegpu.memdesc<[64, 16], f16, #ma>
  %0 = tilegpu.wgmma %a, %b, %x : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
  %1 = tilegpu.local_load %s : !small -> tensor<16xf32>
  %2 = tilegpu.wgmma %a, %d, %0 : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
  %3 = tilegpu.wgmma %a, %b, %2 : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
  return %3, %1 : tensor<64x8xf32, #c>, tensor<16xf32>
}

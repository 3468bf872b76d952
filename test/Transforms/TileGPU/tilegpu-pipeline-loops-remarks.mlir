// RUN: tile-opt %s --tilegpu-pipeline-loops --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s
// RUN: tile-opt %s --tilegpu-pipeline-loops | FileCheck %s --check-prefix=KEPT

// Loads that stay, and why.
// KEPT-NOT: tilegpu.async_copy

#a = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>
#t = #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]], block = []}, [8, 16]>
#bk = #tilegpu.linear<{register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0], [0, 0]], block = []}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>
#ma = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#mb = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#a2 = #tilegpu.linear<{register = [[0, 1], [0, 2], [32, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}, [64, 16]>
#k8 = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4], [0, 8]]}, [64, 16]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {

// Options that can't be followed.
// CHECK: NoEffect
// CHECK-SAME: 'flatten' has no effect: there is no loop inside
// CHECK: NotSpecialised
// CHECK-SAME: warps are not specialised: ", Remark="no tensor copies of this loop run ahead"
func.func @options(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  scf.for %i = %c0 to %n step %c16 : i32 {
    nvvm.barrier0
  } {tile.flatten, tile.warp_specialize = true}
  return
}

// CHECK: NotPipelined
// CHECK-SAME: load is not pipelined: ", Remark="it is volatile or loads a scalar"
// KEPT: tile.load
func.func @volatile(%p: !tile.ptr<f16>, %at: tensor<64x16xi32, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %n: i32) -> tensor<64x8xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
    %1 = tile.addptr %p, %i : !tile.ptr<f16>, i32
    %2 = tile.splat %1 : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>, #a>
    %3 = tile.addptr %2, %at {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<64x16x!tile.ptr<f16>, #a>, tensor<64x16xi32, #a>
    %4 = tile.load %3 volatile : tensor<64x16x!tile.ptr<f16>, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %4, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %5 = tilegpu.wgmma %sa, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %6 = tilegpu.wgmma_wait %5 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    scf.yield %6 : tensor<64x8xf32, #c>
  }
  return %0 : tensor<64x8xf32, #c>
}

// CHECK: NotPipelined
// CHECK-SAME: load is not pipelined: ", Remark="masked-off elements are not zero"
// KEPT: tile.load
func.func @other_values(%p: !tile.ptr<f16>, %at: tensor<64x16xi32, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %n: i32, %m: tensor<64x16xi1, #a>, %z: tensor<64x16xf16, #a>) -> tensor<64x8xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
    %1 = tile.addptr %p, %i : !tile.ptr<f16>, i32
    %2 = tile.splat %1 : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>, #a>
    %3 = tile.addptr %2, %at {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<64x16x!tile.ptr<f16>, #a>, tensor<64x16xi32, #a>
    %4 = tile.load %3, %m, %z : tensor<64x16x!tile.ptr<f16>, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %4, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %5 = tilegpu.wgmma %sa, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %6 = tilegpu.wgmma_wait %5 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    scf.yield %6 : tensor<64x8xf32, #c>
  }
  return %0 : tensor<64x8xf32, #c>
}

// CHECK: NotPipelined
// CHECK-SAME: load is not pipelined: ", Remark="no 4 bytes are contiguous both in global and in shared memory"
// KEPT: tile.load
func.func @unaligned(%p: !tile.ptr<f16>, %at: tensor<64x16xi32, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %n: i32) -> tensor<64x8xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
    %1 = tile.addptr %p, %i : !tile.ptr<f16>, i32
    %2 = tile.splat %1 : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>, #a>
    %3 = tile.addptr %2, %at : tensor<64x16x!tile.ptr<f16>, #a>, tensor<64x16xi32, #a>
    %4 = tile.load %3 : tensor<64x16x!tile.ptr<f16>, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %4, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %5 = tilegpu.wgmma %sa, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %6 = tilegpu.wgmma_wait %5 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    scf.yield %6 : tensor<64x8xf32, #c>
  }
  return %0 : tensor<64x8xf32, #c>
}

// CHECK: NotPipelined
// CHECK-SAME: load is not pipelined: ", Remark="no 4 bytes are contiguous both in global and in shared memory"
// KEPT: tile.load
func.func @other_direction(%p: !tile.ptr<f16>, %at: tensor<64x16xi32, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %n: i32, %sx: !tilegpu.memdesc<[64, 16], f16, #ma>) -> tensor<64x8xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
    %1 = tile.addptr %p, %i : !tile.ptr<f16>, i32
    %2 = tile.splat %1 : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>, #a>
    %3 = tile.addptr %2, %at {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<64x16x!tile.ptr<f16>, #a>, tensor<64x16xi32, #a>
    %4 = tile.load %3 : tensor<64x16x!tile.ptr<f16>, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #k8>
    tilegpu.local_store %4, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #k8>
    %5 = tilegpu.wgmma %sx, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %6 = tilegpu.wgmma_wait %5 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    scf.yield %6 : tensor<64x8xf32, #c>
  }
  return %0 : tensor<64x8xf32, #c>
}

// CHECK: NotPipelined
// CHECK-SAME: load is not pipelined: ", Remark="the loop writes to the same memory, or may do so"
// KEPT: tile.load
func.func @writes(%x: tensor<64x16xf16, #a>, %p: !tile.ptr<f16>, %at: tensor<64x16xi32, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %n: i32) -> tensor<64x8xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
    %1 = tile.addptr %p, %i : !tile.ptr<f16>, i32
    %2 = tile.splat %1 : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>, #a>
    %3 = tile.addptr %2, %at {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<64x16x!tile.ptr<f16>, #a>, tensor<64x16xi32, #a>
    %4 = tile.load %3 : tensor<64x16x!tile.ptr<f16>, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %4, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    tile.store %3, %x : tensor<64x16x!tile.ptr<f16>, #a>
    %5 = tilegpu.wgmma %sa, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %6 = tilegpu.wgmma_wait %5 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    scf.yield %6 : tensor<64x8xf32, #c>
  }
  return %0 : tensor<64x8xf32, #c>
}

// A tile that is stored behind a loop inside comes behind all of that loop.
// CHECK: NotPipelined
// CHECK-SAME: load is not pipelined: ", Remark="the loop writes to global memory and has a loop inside"
// KEPT: tile.load
func.func @writes_behind_a_loop(%out: !tile.ptr<f16>, %x: tensor<64x16xf16, #a>, %p: !tile.ptr<f16>, %at: tensor<64x16xi32, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %n: i32) -> tensor<64x8xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
    %1 = tile.addptr %p, %i : !tile.ptr<f16>, i32
    %2 = tile.splat %1 : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>, #a>
    %3 = tile.addptr %2, %at {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<64x16x!tile.ptr<f16>, #a>, tensor<64x16xi32, #a>
    %4 = tile.load %3 : tensor<64x16x!tile.ptr<f16>, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %4, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    scf.for %j = %c0 to %n step %c16 : i32 {
      nvvm.barrier0
    }
    %5 = tilegpu.wgmma %sa, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %6 = tilegpu.wgmma_wait %5 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    %7 = tile.splat %out : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>, #a>
    %8 = tile.addptr %7, %at : tensor<64x16x!tile.ptr<f16>, #a>, tensor<64x16xi32, #a>
    tile.store %8, %x : tensor<64x16x!tile.ptr<f16>, #a>
    scf.yield %6 : tensor<64x8xf32, #c>
  }
  return %0 : tensor<64x8xf32, #c>
}

// Another program's stores, which the atomic sees, come before the loads behind it.
// CHECK: NotPipelined
// CHECK-SAME: load is not pipelined: ", Remark="an atomic of the loop acquires"
// KEPT: tile.load
func.func @acquires(%flag: !tile.ptr<i32>, %one: i32, %p: !tile.ptr<f16>, %at: tensor<64x16xi32, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %n: i32) -> tensor<64x8xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
    %old = tile.atomic_rmw add %flag, %one sem = acquire : !tile.ptr<i32>
    %1 = tile.addptr %p, %i : !tile.ptr<f16>, i32
    %2 = tile.splat %1 : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>, #a>
    %3 = tile.addptr %2, %at {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<64x16x!tile.ptr<f16>, #a>, tensor<64x16xi32, #a>
    %4 = tile.load %3 : tensor<64x16x!tile.ptr<f16>, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %4, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %5 = tilegpu.wgmma %sa, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %6 = tilegpu.wgmma_wait %5 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    scf.yield %6 : tensor<64x8xf32, #c>
  }
  return %0 : tensor<64x8xf32, #c>
}

// CHECK: NotPipelined
// CHECK-SAME: load is not pipelined: ", Remark="its address depends on a dot or on control flow"
// KEPT: tile.load
func.func @address_of_a_branch(%p: !tile.ptr<f16>, %at: tensor<64x16xi32, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %n: i32, %ip: !tile.ptr<i32>) -> tensor<64x8xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
    %far = arith.cmpi sgt, %i, %c16 : i32
    %k = scf.if %far -> i32 {
      scf.yield %i : i32
    } else {
      scf.yield %c0 : i32
    }
    %1 = tile.addptr %p, %k : !tile.ptr<f16>, i32
    %2 = tile.splat %1 : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>, #a>
    %3 = tile.addptr %2, %at {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<64x16x!tile.ptr<f16>, #a>, tensor<64x16xi32, #a>
    %4 = tile.load %3 : tensor<64x16x!tile.ptr<f16>, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %4, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %5 = tilegpu.wgmma %sa, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %6 = tilegpu.wgmma_wait %5 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    scf.yield %6 : tensor<64x8xf32, #c>
  }
  return %0 : tensor<64x8xf32, #c>
}

// A value that something else needs as well has no purpose but that: nothing to say.
// CHECK-NOT: remark
// KEPT: func @two_uses
// KEPT-NOT: tilegpu.async_copy
func.func @two_uses(%p: !tile.ptr<f16>, %at: tensor<64x16xi32, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %n: i32, %other: !tilegpu.memdesc<[64, 16], f16, #ma>) -> tensor<64x8xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
    %1 = tile.addptr %p, %i : !tile.ptr<f16>, i32
    %2 = tile.splat %1 : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>, #a>
    %3 = tile.addptr %2, %at {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<64x16x!tile.ptr<f16>, #a>, tensor<64x16xi32, #a>
    %4 = tile.load %3 : tensor<64x16x!tile.ptr<f16>, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %4, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %y = tilegpu.convert_layout %4 : tensor<64x16xf16, #a> -> tensor<64x16xf16, #a2>
    tilegpu.local_store %y, %other : tensor<64x16xf16, #a2>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %5 = tilegpu.wgmma %sa, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %6 = tilegpu.wgmma_wait %5 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    scf.yield %6 : tensor<64x8xf32, #c>
  }
  return %0 : tensor<64x8xf32, #c>
}
}

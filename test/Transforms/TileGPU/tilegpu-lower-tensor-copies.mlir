// RUN: tile-opt %s --tilegpu-lower-tensor-copies --tilegpu-lower-tensor-stores --split-input-file | FileCheck %s
// RUN: tile-opt %s --tilegpu-lower-tensor-copies --tilegpu-lower-tensor-stores --tilegpu-allocate-shared-memory --tilegpu-insert-synchronisation --split-input-file | FileCheck %s --check-prefix=SYNC

#b = #tilegpu.linear<{register = [[0, 1], [8, 0], [16, 0]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [0, 0]], block = []}, [32, 16]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// The barrier object is initialised once, its phase goes around the loop.
// CHECK-LABEL: func.func @load
// CHECK-NEXT: %[[BARS:.*]] = tilegpu.local_alloc : <[1], i64
// CHECK-NEXT: tilegpu.mbarrier_init %[[BARS]] count = 1
// CHECK: scf.for {{.*}} iter_args(%[[PARITY:.*]] = %c0_i32{{.*}})
// CHECK: %[[BUF:.*]] = tilegpu.local_alloc : <[32, 16], f16
// CHECK: tilegpu.tma_load %arg0[%arg1, %{{.*}}], %[[BUF]], %[[BARS]][%{{.*}}] :
// CHECK: tilegpu.mbarrier_wait %[[BARS]][%{{.*}}], %[[PARITY]]
// CHECK: %[[NEXT:.*]] = arith.xori %[[PARITY]]
// CHECK: %[[VALUE:.*]] = tilegpu.local_load %[[BUF]]
// CHECK: %[[OUT:.*]] = tilegpu.local_alloc : <[32, 16], f16
// CHECK-NEXT: tilegpu.local_store %[[VALUE]], %[[OUT]]
// CHECK-NEXT: tilegpu.tma_store %arg0[%arg1, %arg1], %[[OUT]]
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK: scf.yield %[[NEXT]]
// SYNC-LABEL: func.func @load
// SYNC: scf.for
// SYNC: nvvm.barrier0
// SYNC-NEXT: tilegpu.tma_load
// SYNC-NEXT: tilegpu.mbarrier_wait
// SYNC: tilegpu.local_store
// SYNC-NEXT: tilegpu.proxy_fence
// SYNC-NEXT: nvvm.barrier0
// SYNC-NEXT: tilegpu.tma_store
// SYNC-NEXT: tilegpu.tma_store_wait 0
func.func @load(%map: !tile.desc<[32, 16], f16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tile.descriptor_load %map[%n, %i] : !tile.desc<[32, 16], f16> -> tensor<32x16xf16, #b>
    tile.descriptor_store %map[%n, %n], %x : !tile.desc<[32, 16], f16>, tensor<32x16xf16, #b>
  }
  return
}

// Behind a branch the objects live as long as the branch.
// CHECK-LABEL: func.func @branch
// CHECK: scf.if
// CHECK-NEXT: %[[BARS:.*]] = tilegpu.local_alloc
// CHECK-NEXT: tilegpu.mbarrier_init %[[BARS]]
// CHECK: tilegpu.tma_load
// CHECK: tilegpu.mbarrier_inval %[[BARS]]
// CHECK-NEXT: }
func.func @branch(%map: !tile.desc<[32, 16], f16>, %n: i32, %p: i1) {
  scf.if %p {
    %x = tile.descriptor_load %map[%n, %n] : !tile.desc<[32, 16], f16> -> tensor<32x16xf16, #b>
    tile.descriptor_store %map[%n, %n], %x : !tile.desc<[32, 16], f16>, tensor<32x16xf16, #b>
  }
  return
}

// A reduction is a store that combines.
// CHECK-LABEL: func.func @reduction
// CHECK: %[[OUT:.*]] = tilegpu.local_alloc : <[32, 16], f16
// CHECK-NEXT: tilegpu.local_store %{{.*}}, %[[OUT]]
// CHECK-NEXT: tilegpu.tma_store %arg0[%arg1, %arg1], %[[OUT]] reduce = add
// CHECK-NEXT: tilegpu.tma_store_wait 0
func.func @reduction(%map: !tile.desc<[32, 16], f16>, %n: i32, %x: tensor<32x16xf16, #b>) {
  tile.descriptor_reduce add %map[%n, %n], %x : !tile.desc<[32, 16], f16>, tensor<32x16xf16, #b>
  return
}
}

// -----

// Two loads that only fill buffers, one after the other: both copies start before the first is
// waited for, and no value goes through registers. One that memory is written behind is read into
// registers. One for a loop is waited for in front of it, behind what else goes on there.
#c = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}, [16, 64]>
#s = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0]]}, [16, 64]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// CHECK-LABEL: func.func @fill_two
// CHECK: %[[A:.*]] = tilegpu.local_alloc : <[16, 64], f16
// CHECK: tilegpu.tma_load %arg0[%arg1, %arg1], %[[A]], %[[BARA:.*]][%{{.*}}] :
// CHECK-NOT: tilegpu.mbarrier_wait
// CHECK: %[[B:.*]] = tilegpu.local_alloc : <[16, 64], f16
// CHECK: tilegpu.tma_load %arg0[%arg1, %{{.*}}], %[[B]], %[[BARB:.*]][%{{.*}}] :
// CHECK-DAG: tilegpu.mbarrier_wait %[[BARA]]
// CHECK-DAG: tilegpu.mbarrier_wait %[[BARB]]
// CHECK-NOT: tilegpu.local_load
// CHECK: tilegpu.tma_store %arg0[%arg1, %arg1], %[[A]]
// CHECK-LABEL: func.func @fill_behind_write
// CHECK: tilegpu.tma_load
// CHECK: tilegpu.local_load
// CHECK: tile.store
// CHECK: tilegpu.local_store
// CHECK-LABEL: func.func @fill_for_loop
// CHECK: tilegpu.tma_load
// CHECK-NOT: tilegpu.mbarrier_wait
// CHECK: %[[X:.*]] = arith.addi
// CHECK-NEXT: tilegpu.mbarrier_wait
// CHECK: scf.for {{.*}} to %[[X]]
func.func @fill_two(%map: !tile.desc<[16, 64], f16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %x = tile.descriptor_load %map[%n, %n] : !tile.desc<[16, 64], f16> -> tensor<16x64xf16, #c>
  %y = tile.descriptor_load %map[%n, %c0] : !tile.desc<[16, 64], f16> -> tensor<16x64xf16, #c>
  %b = tilegpu.local_alloc : <[16, 64], f16, #s>
  tilegpu.local_store %y, %b : tensor<16x64xf16, #c>, <[16, 64], f16, #s>
  %a = tilegpu.local_alloc : <[16, 64], f16, #s>
  tilegpu.local_store %x, %a : tensor<16x64xf16, #c>, <[16, 64], f16, #s>
  tilegpu.tma_store %map[%n, %n], %a : !tile.desc<[16, 64], f16>, <[16, 64], f16, #s>
  tilegpu.tma_store %map[%n, %c0], %b : !tile.desc<[16, 64], f16>, <[16, 64], f16, #s>
  tilegpu.tma_store_wait 0
  return
}

func.func @fill_behind_write(%map: !tile.desc<[16, 64], f16>, %n: i32, %p: !tile.ptr<f16>, %v: f16) {
  %x = tile.descriptor_load %map[%n, %n] : !tile.desc<[16, 64], f16> -> tensor<16x64xf16, #c>
  tile.store %p, %v : !tile.ptr<f16>
  %a = tilegpu.local_alloc : <[16, 64], f16, #s>
  tilegpu.local_store %x, %a : tensor<16x64xf16, #c>, <[16, 64], f16, #s>
  tilegpu.tma_store %map[%n, %n], %a : !tile.desc<[16, 64], f16>, <[16, 64], f16, #s>
  tilegpu.tma_store_wait 0
  return
}

func.func @fill_for_loop(%map: !tile.desc<[16, 64], f16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = tile.descriptor_load %map[%n, %n] : !tile.desc<[16, 64], f16> -> tensor<16x64xf16, #c>
  %a = tilegpu.local_alloc : <[16, 64], f16, #s>
  tilegpu.local_store %x, %a : tensor<16x64xf16, #c>, <[16, 64], f16, #s>
  %end = arith.addi %n, %n : i32
  scf.for %i = %c0 to %end step %c1 : i32 {
    tilegpu.tma_store %map[%n, %i], %a : !tile.desc<[16, 64], f16>, <[16, 64], f16, #s>
    tilegpu.tma_store_wait 0
  }
  return
}
}

// -----

// In a loop over tiles whose load warps fill a ring, a block that is copied once for each tile is in one of two slots of theirs, or
// in the only one that there is memory for: released behind the loop that reads it. Not one that the kernel writes.
#c = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}, [16, 64]>
#s = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0]]}, [16, 64]>
#c8 = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [0, 0]], block = []}, [8, 64]>
#s8 = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]]}, [8, 64]>
#one = #tilegpu.linear<{offset = []}, [1]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// CHECK-LABEL: func.func @for_load_warps
// CHECK-DAG: tilegpu.mbarrier_init %[[EMPTY:.*]] count = 4 : {{.*}}buffers = 2>
// CHECK-DAG: tilegpu.mbarrier_init %[[FULL:.*]] count = 1 : {{.*}}buffers = 2>
// CHECK: scf.for {{.*}} iter_args(%[[SLOT:.*]] = %c0_i32{{.*}}, %[[PARITY:.*]] = %c0_i32{{.*}})
// CHECK: %[[SLOTS:.*]] = tilegpu.local_alloc : <[16, 64], f16, {{.*}}buffers = 2>
// CHECK: %[[Q:.*]] = tilegpu.memdesc_index %[[SLOTS]][%[[SLOT]]]
// CHECK: %[[BEFORE:.*]] = arith.xori %[[PARITY]], %c1_i32
// CHECK: tilegpu.slot_acquire %[[EMPTY]][%[[SLOT]]], %[[BEFORE]] for %[[FULL]]
// CHECK: tilegpu.tma_load %arg0{{.*}}, %[[Q]], %[[FULL]][%[[SLOT]]]
// CHECK: tilegpu.mbarrier_wait %[[FULL]][%[[SLOT]]], %[[PARITY]]
// CHECK-DAG: %[[NEXT:.*]] = arith.xori %[[SLOT]], %c1_i32
// CHECK-DAG: %[[PHASE:.*]] = arith.xori %[[PARITY]], %[[SLOT]]
// CHECK: scf.for
// CHECK: tilegpu.local_load %[[Q]]
// CHECK: }
// CHECK: tilegpu.slot_release %[[EMPTY]][%[[SLOT]]]
// CHECK: scf.yield %[[NEXT]], %[[PHASE]]
// CHECK-NOT: tilegpu.slot_release
// CHECK-LABEL: func.func @one_slot
// CHECK-DAG: tilegpu.mbarrier_init %[[EMPTY:.*]] count = 4 : <[1], i64, {{[^,]*}}>
// CHECK-DAG: tilegpu.mbarrier_init %[[FULL:.*]] count = 1 : <[1], i64, {{[^,]*}}>
// CHECK: scf.for {{.*}} iter_args(%[[PARITY:.*]] = %c0_i32{{.*}})
// CHECK: %[[BEFORE:.*]] = arith.xori %[[PARITY]]
// CHECK-NEXT: tilegpu.slot_acquire %[[EMPTY]][%c0_i32{{.*}}], %[[BEFORE]] for %[[FULL]]
// CHECK: %[[NEXT:.*]] = arith.xori %[[PARITY]]
// CHECK: tilegpu.slot_release %[[EMPTY]][%c0_i32{{.*}}]
// CHECK: scf.yield %[[NEXT]]
// Two blocks would leave no memory for barrier objects.
// CHECK-LABEL: func.func @beside_barriers
// CHECK-COUNT-1: scf.for {{.*}} iter_args(%{{[a-z0-9]+}} = %c0_i32{{[_0-9]*}}) -> (i32)
// CHECK-LABEL: func.func @written
// CHECK-COUNT-1: tilegpu.slot_acquire
// CHECK-NOT: tilegpu.slot_acquire
func.func @for_load_warps(%map: !tile.desc<[16, 64], f16>, %k: !tile.desc<[16, 64], f16>, %n: i32, %out: !tile.ptr<f16>, %p: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %empty = tilegpu.local_alloc : <[1], i64, #one>
  %full = tilegpu.local_alloc : <[1], i64, #one>
  %ring = tilegpu.local_alloc : <[16, 64], f16, #s>
  scf.for %t = %c0 to %n step %c1 : i32 {
    %x = tile.descriptor_load %map[%t, %c0] : !tile.desc<[16, 64], f16> -> tensor<16x64xf16, #c>
    %q = tilegpu.local_alloc : <[16, 64], f16, #s>
    tilegpu.local_store %x, %q : tensor<16x64xf16, #c>, <[16, 64], f16, #s>
    scf.for %i = %c0 to %n step %c1 : i32 {
      tilegpu.slot_acquire %empty[%c0], %p for %full : <[1], i64, #one>, <[1], i64, #one>
      tilegpu.tma_load %k[%i, %c0], %ring, %full[%c0] : <[16, 64], f16>, <[16, 64], f16, #s>, <[1], i64, #one>
      tilegpu.mbarrier_wait %full[%c0], %p : <[1], i64, #one>
      %y = tilegpu.local_load %q : <[16, 64], f16, #s> -> tensor<16x64xf16, #c>
      %o = tile.splat %out : !tile.ptr<f16> -> tensor<16x64x!tile.ptr<f16>, #c>
      tile.store %o, %y : tensor<16x64x!tile.ptr<f16>, #c>
      tilegpu.slot_release %empty[%c0] : <[1], i64, #one>
    }
  }
  return
}

func.func @one_slot(%map: !tile.desc<[16, 64], f16>, %k: !tile.desc<[16, 64], f16>, %n: i32, %out: !tile.ptr<f16>, %p: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %empty = tilegpu.local_alloc : <[1], i64, #one>
  %full = tilegpu.local_alloc : <[1], i64, #one>
  %slots = tilegpu.local_alloc : <[16, 64], f16, #s, buffers = 111>
  %ring = tilegpu.memdesc_index %slots[%c0] : <[16, 64], f16, #s, buffers = 111> -> <[16, 64], f16, #s>
  scf.for %t = %c0 to %n step %c1 : i32 {
    %x = tile.descriptor_load %map[%t, %c0] : !tile.desc<[16, 64], f16> -> tensor<16x64xf16, #c>
    %q = tilegpu.local_alloc : <[16, 64], f16, #s>
    tilegpu.local_store %x, %q : tensor<16x64xf16, #c>, <[16, 64], f16, #s>
    scf.for %i = %c0 to %n step %c1 : i32 {
      tilegpu.slot_acquire %empty[%c0], %p for %full : <[1], i64, #one>, <[1], i64, #one>
      tilegpu.tma_load %k[%i, %c0], %ring, %full[%c0] : <[16, 64], f16>, <[16, 64], f16, #s>, <[1], i64, #one>
      tilegpu.mbarrier_wait %full[%c0], %p : <[1], i64, #one>
      %y = tilegpu.local_load %q : <[16, 64], f16, #s> -> tensor<16x64xf16, #c>
      %o = tile.splat %out : !tile.ptr<f16> -> tensor<16x64x!tile.ptr<f16>, #c>
      tile.store %o, %y : tensor<16x64x!tile.ptr<f16>, #c>
      tilegpu.slot_release %empty[%c0] : <[1], i64, #one>
    }
  }
  return
}

func.func @beside_barriers(%map: !tile.desc<[8, 64], f16>, %k: !tile.desc<[16, 64], f16>, %n: i32, %out: !tile.ptr<f16>, %p: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %empty = tilegpu.local_alloc : <[1], i64, #one>
  %full = tilegpu.local_alloc : <[1], i64, #one>
  %slots = tilegpu.local_alloc : <[16, 64], f16, #s, buffers = 112>
  %ring = tilegpu.memdesc_index %slots[%c0] : <[16, 64], f16, #s, buffers = 112> -> <[16, 64], f16, #s>
  scf.for %t = %c0 to %n step %c1 : i32 {
    %x = tile.descriptor_load %map[%t, %c0] : !tile.desc<[8, 64], f16> -> tensor<8x64xf16, #c8>
    %q = tilegpu.local_alloc : <[8, 64], f16, #s8>
    tilegpu.local_store %x, %q : tensor<8x64xf16, #c8>, <[8, 64], f16, #s8>
    scf.for %i = %c0 to %n step %c1 : i32 {
      tilegpu.slot_acquire %empty[%c0], %p for %full : <[1], i64, #one>, <[1], i64, #one>
      tilegpu.tma_load %k[%i, %c0], %ring, %full[%c0] : <[16, 64], f16>, <[16, 64], f16, #s>, <[1], i64, #one>
      tilegpu.mbarrier_wait %full[%c0], %p : <[1], i64, #one>
      %y = tilegpu.local_load %q : <[8, 64], f16, #s8> -> tensor<8x64xf16, #c8>
      %o = tile.splat %out : !tile.ptr<f16> -> tensor<8x64x!tile.ptr<f16>, #c8>
      tile.store %o, %y : tensor<8x64x!tile.ptr<f16>, #c8>
      tilegpu.slot_release %empty[%c0] : <[1], i64, #one>
    }
  }
  return
}

func.func @written(%map: !tile.desc<[16, 64], f16>, %k: !tile.desc<[16, 64], f16>, %n: i32, %p: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %empty = tilegpu.local_alloc : <[1], i64, #one>
  %full = tilegpu.local_alloc : <[1], i64, #one>
  %ring = tilegpu.local_alloc : <[16, 64], f16, #s>
  scf.for %t = %c0 to %n step %c1 : i32 {
    %x = tile.descriptor_load %map[%t, %c0] : !tile.desc<[16, 64], f16> -> tensor<16x64xf16, #c>
    %q = tilegpu.local_alloc : <[16, 64], f16, #s>
    tilegpu.local_store %x, %q : tensor<16x64xf16, #c>, <[16, 64], f16, #s>
    scf.for %i = %c0 to %n step %c1 : i32 {
      tilegpu.slot_acquire %empty[%c0], %p for %full : <[1], i64, #one>, <[1], i64, #one>
      tilegpu.tma_load %k[%i, %c0], %ring, %full[%c0] : <[16, 64], f16>, <[16, 64], f16, #s>, <[1], i64, #one>
      tilegpu.mbarrier_wait %full[%c0], %p : <[1], i64, #one>
      tilegpu.tma_store %map[%i, %c0], %q : !tile.desc<[16, 64], f16>, <[16, 64], f16, #s>
      tilegpu.tma_store_wait 0
    }
  }
  return
}
}

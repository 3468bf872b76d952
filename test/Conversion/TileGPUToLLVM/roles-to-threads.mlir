// RUN: tile-opt %s -split-input-file --convert-tilegpu-to-threads | FileCheck %s

#l = #tilegpu.linear<{offset = []}, [1]>

// Warps 4 and up load; the barrier of the others is one of 128 threads. One lane arrives for its warp.
// CHECK-LABEL: func @one_group
// CHECK: nvvm.barrier0
// CHECK: %[[WARP:.*]] = nvvm.shfl.sync idx
// CHECK: %[[LOADS:.*]] = arith.cmpi uge, %[[WARP]], %c4_i32
// CHECK-NEXT: scf.if %[[LOADS]] {
// CHECK-NOT: nvvm.setmaxregister
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: } else {
// CHECK: tilegpu.named_barrier 1 threads = 128
// CHECK: %[[LANE0:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : i32
// CHECK-NOT: scf.if
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c0_i32{{.*}}, predicate = %[[LANE0]]
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.load_warps = 1 : i32, tile.target = "sm_90a"} {
func.func @one_group(%slot: i32, %parity: i32) {
  %full = tilegpu.local_alloc {offset = 0 : i32} : !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  %empty = tilegpu.local_alloc {offset = 32 : i32} : !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  nvvm.barrier0
  tilegpu.warp_roles load {
    tilegpu.slot_acquire %empty[%slot], %parity for %full : !tilegpu.memdesc<[1], i64, #l, buffers = 3>, !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  } compute {
    nvvm.barrier0
    tilegpu.slot_release %empty[%slot] : !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  }
  return
}
}

// -----

#l = #tilegpu.linear<{offset = []}, [1]>

// A warpgroup loads: its registers go to the others, and one of its warps works.
// CHECK-LABEL: func @two_groups
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: nvvm.setmaxregister decrease 24
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : i32
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: } else {
// CHECK-NEXT: nvvm.setmaxregister increase 240
module attributes {tilegpu.num_warps = 8 : i32, tilegpu.load_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @two_groups(%slot: i32, %parity: i32) {
  %full = tilegpu.local_alloc {offset = 0 : i32} : !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  %empty = tilegpu.local_alloc {offset = 32 : i32} : !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  tilegpu.warp_roles load {
    tilegpu.slot_acquire %empty[%slot], %parity for %full : !tilegpu.memdesc<[1], i64, #l, buffers = 3>, !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  } compute {
    tilegpu.slot_release %empty[%slot] : !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  }
  return
}
}

// -----

#l = #tilegpu.linear<{offset = []}, [1]>

// Two CTAs: a lane arrives for its warp at the object of each, or both lanes at the own one.
// CHECK-LABEL: func @cluster
// CHECK: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK: %[[ARRIVES:.*]] = arith.cmpi ult, %[[LANE:.*]], %c2_i32
// CHECK: scf.if %[[ARRIVES]] {
// CHECK: %[[OWN:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
// CHECK: %[[CTA:.*]] = arith.select %arg2, %[[OWN]], %[[LANE]] : i32
// CHECK: %[[THERE:.*]] = nvvm.mapa %{{.*}}, %[[CTA]]
// CHECK: nvvm.mbarrier.arrive %[[THERE]] : !llvm.ptr<7>
// CHECK: nvvm.cluster.arrive
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.load_warps = 1 : i32, tilegpu.num_ctas = 2 : i32, tile.target = "sm_90a"} {
func.func @cluster(%slot: i32, %parity: i32, %alone: i1) {
  %full = tilegpu.local_alloc {offset = 0 : i32} : !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  %empty = tilegpu.local_alloc {offset = 32 : i32} : !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  nvvm.barrier0
  tilegpu.cluster_barrier
  tilegpu.warp_roles load {
    tilegpu.slot_acquire %empty[%slot], %parity for %full : !tilegpu.memdesc<[1], i64, #l, buffers = 3>, !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  } compute {
    tilegpu.slot_release %empty[%slot] without %alone : !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  }
  tilegpu.cluster_barrier
  return
}
}

// -----

#l = #tilegpu.linear<{offset = []}, [1]>

// The thread that starts the copies waits, the others go on.
// CHECK-LABEL: func @elected
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
// CHECK: %[[WAITS:.*]] = arith.andi %[[FIRST]], %arg2
// CHECK: scf.if %[[WAITS]] {
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK-NEXT: }
// CHECK-NOT: nvvm.mbarrier.try_wait.parity
module attributes {tilegpu.num_warps = 8 : i32, tile.target = "sm_90a"} {
func.func @elected(%slot: i32, %parity: i32, %p: i1) {
  %full = tilegpu.local_alloc {offset = 0 : i32} : !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  %empty = tilegpu.local_alloc {offset = 32 : i32} : !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  tilegpu.slot_acquire %empty[%slot], %parity for %full elected if %p : !tilegpu.memdesc<[1], i64, #l, buffers = 3>, !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  return
}
}

// RUN: tile-opt %s "--tilegpu-insert-timeline=capacity=64 first-cta=1 last-cta=2" | FileCheck %s
// RUN: tile-opt %s --tilegpu-insert-timeline | FileCheck %s --check-prefix=NONE

// NONE-NOT: timeline

#l = #tilegpu.linear<{offset = []}, [1]>
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.load_warps = 4 : i32, tile.target = "sm_90a"} {
// The buffer comes behind the arguments and in front of tensor maps.
// CHECK-LABEL: func @roles
// CHECK-SAME: (%arg0: i32 {tile.name = "n"}, %[[BUFFER:.*]]: !tile.ptr<i64> {tile.divisibility = 16 : i32, tile.name = "<timeline>", tile.type = "*i64"}, %arg2: !tile.desc
// CHECK-NEXT: %[[LOG:.*]] = tilegpu.timeline_open %[[BUFFER]] ctas = 1 to 2 capacity = 64
// CHECK: tilegpu.timeline_mark %[[LOG]] begin 0 "barrier"
// CHECK-NEXT: nvvm.barrier0
// CHECK-NEXT: tilegpu.timeline_mark %[[LOG]] end 0 "barrier"
// CHECK-NEXT: tilegpu.warp_roles load
// CHECK-NEXT: scf.for
// CHECK-NEXT: tilegpu.timeline_mark %[[LOG]] begin 1 "iteration"
// CHECK-NEXT: tilegpu.timeline_mark %[[LOG]] begin 2 "slot-wait"
// CHECK-NEXT: tilegpu.slot_acquire
// CHECK-NEXT: tilegpu.timeline_mark %[[LOG]] end 2 "slot-wait"
// CHECK-NEXT: tilegpu.timeline_mark %[[LOG]] end 1 "iteration"
// CHECK: } compute {
// CHECK-NEXT: tilegpu.timeline_mark %[[LOG]] begin 3 "copy-wait"
// CHECK-NEXT: tilegpu.mbarrier_wait
// CHECK-NEXT: tilegpu.timeline_mark %[[LOG]] end 3 "copy-wait"
// CHECK: }
// CHECK-NEXT: tilegpu.timeline_close %[[LOG]]
// CHECK-NEXT: return
func.func @roles(%n: i32 {tile.name = "n"}, %map: !tile.desc<[64, 32], f16> {tile.tensor_map = {}}) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %full = tilegpu.local_alloc : !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  %empty = tilegpu.local_alloc : !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  nvvm.barrier0
  tilegpu.warp_roles load {
    scf.for %i = %zero to %n step %one : i32 {
      tilegpu.slot_acquire %empty[%zero], %zero for %full : !tilegpu.memdesc<[1], i64, #l, buffers = 3>, !tilegpu.memdesc<[1], i64, #l, buffers = 3>
    }
  } compute {
    tilegpu.mbarrier_wait %full[%zero], %zero : !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  }
  return
}

// Of a loop with a condition, the body that it lets through.
// CHECK-LABEL: func @poll
// CHECK: scf.while
// CHECK-NOT: timeline_mark
// CHECK: } do {
// CHECK: tilegpu.timeline_mark %{{.*}} begin 0 "iteration"
// CHECK: tilegpu.async_wait 1
// CHECK-NEXT: tilegpu.timeline_mark %{{.*}} end 1 "async-wait"
// CHECK-NEXT: tilegpu.timeline_mark %{{.*}} end 0 "iteration"
func.func @poll(%p: i1) attributes {tile.kernel} {
  scf.while : () -> () {
    scf.condition(%p)
  } do {
    tilegpu.async_wait 1
    scf.yield
  }
  return
}

// A function that kernels call is no kernel.
// CHECK-LABEL: func @helper()
// CHECK-NOT: timeline
func.func @helper() {
  nvvm.barrier0
  return
}
}

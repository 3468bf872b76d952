// RUN: tile-opt %s | tile-opt | FileCheck %s

#l = #tilegpu.linear<{offset = []}, [1]>

// CHECK-LABEL: func @roles
// CHECK: tilegpu.warp_roles load {
// CHECK-NEXT: tilegpu.slot_acquire %{{.*}}[%arg0], %arg1 for %{{.*}} : <[1], i64, #{{.*}}, buffers = 3>, <[1], i64, #{{.*}}, buffers = 3>
// CHECK-NEXT: } compute {
// CHECK-NEXT: tilegpu.slot_release %{{.*}}[%arg0] : <[1], i64, #{{.*}}, buffers = 3>
// CHECK-NEXT: tilegpu.slot_release %{{.*}}[%arg0] if %arg2 : <[1], i64, #{{.*}}, buffers = 3>
// CHECK: tilegpu.cluster_barrier
func.func @roles(%slot: i32, %parity: i32, %p: i1) {
  %full = tilegpu.local_alloc : !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  %empty = tilegpu.local_alloc : !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  tilegpu.warp_roles load {
    tilegpu.slot_acquire %empty[%slot], %parity for %full : !tilegpu.memdesc<[1], i64, #l, buffers = 3>, !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  } compute {
    tilegpu.slot_release %empty[%slot] : !tilegpu.memdesc<[1], i64, #l, buffers = 3>
    tilegpu.slot_release %empty[%slot] if %p : !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  }
  tilegpu.cluster_barrier
  // CHECK: tilegpu.warpgroup_barrier
  tilegpu.warpgroup_barrier
  // CHECK: tilegpu.named_barrier 2 + %arg0 threads = 128
  tilegpu.named_barrier 2 + %slot threads = 128
  return
}

// Among computing warps, where one thread acquires.
// CHECK-LABEL: func @elected
// CHECK: tilegpu.slot_acquire %{{.*}}[%arg0], %arg1 for %{{.*}} elected : <[1], i64
// CHECK: tilegpu.slot_acquire %{{.*}}[%arg0], %arg1 for %{{.*}} elected if %arg2 : <[1], i64
func.func @elected(%slot: i32, %parity: i32, %p: i1) {
  %full = tilegpu.local_alloc : !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  %empty = tilegpu.local_alloc : !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  tilegpu.slot_acquire %empty[%slot], %parity for %full elected : !tilegpu.memdesc<[1], i64, #l, buffers = 3>, !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  tilegpu.slot_acquire %empty[%slot], %parity for %full elected if %p : !tilegpu.memdesc<[1], i64, #l, buffers = 3>, !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  return
}

// A ring whose buffers are not used to their end.
// CHECK-LABEL: func private @shorter(!tilegpu.memdesc<[1], i64, #{{.*}}, buffers = 3, bytes = 4>)
func.func private @shorter(!tilegpu.memdesc<[1], i64, #l, buffers = 3, bytes = 4>)

// CHECK-LABEL: module attributes {tilegpu.num_ctas = 4
module attributes {tilegpu.num_ctas = 4 : i32} {
// CHECK: tilegpu.slot_release %{{.*}}[%arg0] if %arg1 without %arg2 : <[1], i64, #{{.*}}, buffers = 3>
func.func @cluster(%slot: i32, %p: i1, %q: i1) {
  %empty = tilegpu.local_alloc : !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  tilegpu.slot_release %empty[%slot] if %p without %q : !tilegpu.memdesc<[1], i64, #l, buffers = 3>
  return
}
}

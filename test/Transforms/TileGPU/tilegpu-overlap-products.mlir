// RUN: tile-opt %s --tilegpu-overlap-products | FileCheck %s

#c = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>
#s = #tilegpu.linear<{register = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]], block = []}, [64]>
#ma = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#mn = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]]}, [16, 16]>
#l = #tilegpu.linear<{offset = []}, [1]>
#mc = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}, [64, 16]>

module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// Two products start together; the first is waited for alone, and the third starts before the second is waited for.
// CHECK-LABEL: func @chain
// CHECK-SAME: (%[[A:.*]]: !tilegpu.memdesc<{{.*}}>, %[[B:.*]]: !tilegpu.memdesc<{{.*}}>, %[[C:.*]]: tensor<64x16xf32, #{{.*}}>)
// CHECK-NEXT: %[[S:.*]] = tilegpu.wgmma %[[A]], %[[B]], %[[C]]
// CHECK-NEXT: %[[T:.*]] = tilegpu.wgmma %[[A]], %[[B]], %[[C]]
// CHECK-NEXT: %[[SW:.*]] = tilegpu.wgmma_wait %[[S]] pending = 1
// CHECK-NEXT: %[[E:.*]] = math.exp2 %[[SW]]
// CHECK-NEXT: %[[H:.*]] = arith.truncf %[[E]]
// CHECK-NEXT: %[[U:.*]] = tilegpu.wgmma %[[H]], %[[B]], %[[C]]
// CHECK-NEXT: %[[TW:.*]] = tilegpu.wgmma_wait %[[T]] pending = 1
// CHECK-NEXT: arith.mulf %[[E]], %[[TW]]
// CHECK-NEXT: %[[UW:.*]] = tilegpu.wgmma_wait %[[U]] pending = 0
// CHECK-NEXT: return
func.func @chain(%a: !tilegpu.memdesc<[64, 16], f16, #ma>, %b: !tilegpu.memdesc<[16, 16], f16, #mn>, %c: tensor<64x16xf32, #c>) -> (tensor<64x16xf32, #c>, tensor<64x16xf32, #c>) {
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<[64, 16], f16, #ma>, <[16, 16], f16, #mn> -> tensor<64x16xf32, #c>
  %s = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
  %1 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<[64, 16], f16, #ma>, <[16, 16], f16, #mn> -> tensor<64x16xf32, #c>
  %t = tilegpu.wgmma_wait %1 pending = 0 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
  %e = math.exp2 %s : tensor<64x16xf32, #c>
  %h = arith.truncf %e : tensor<64x16xf32, #c> to tensor<64x16xf16, #c>
  %2 = tilegpu.wgmma %h, %b, %c : tensor<64x16xf16, #c>, <[16, 16], f16, #mn> -> tensor<64x16xf32, #c>
  %u = tilegpu.wgmma_wait %2 pending = 0 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
  %m = arith.mulf %e, %t : tensor<64x16xf32, #c>
  return %u, %m : tensor<64x16xf32, #c>, tensor<64x16xf32, #c>
}

// A store could be to an operand, and a barrier could be what a store elsewhere waits for.
// CHECK-LABEL: func @stores_and_barriers
// CHECK: tilegpu.wgmma
// CHECK-NEXT: arith.addf
// CHECK-NEXT: tilegpu.wgmma_wait %{{.*}} pending = 0
// CHECK-NEXT: tilegpu.local_store
// CHECK-NEXT: tilegpu.wgmma
// CHECK-NEXT: tilegpu.wgmma_wait %{{.*}} pending = 0
// CHECK-NEXT: nvvm.barrier
func.func @stores_and_barriers(%a: !tilegpu.memdesc<[64, 16], f16, #ma>, %b: !tilegpu.memdesc<[16, 16], f16, #mn>, %c: tensor<64x16xf32, #c>, %d: !tilegpu.memdesc<[64, 16], f32, #mc>) -> (tensor<64x16xf32, #c>, tensor<64x16xf32, #c>) {
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<[64, 16], f16, #ma>, <[16, 16], f16, #mn> -> tensor<64x16xf32, #c>
  %s = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
  %x = arith.addf %c, %c : tensor<64x16xf32, #c>
  tilegpu.local_store %x, %d : tensor<64x16xf32, #c>, <[64, 16], f32, #mc>
  %1 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<[64, 16], f16, #ma>, <[16, 16], f16, #mn> -> tensor<64x16xf32, #c>
  %t = tilegpu.wgmma_wait %1 pending = 0 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
  nvvm.barrier0
  return %s, %t : tensor<64x16xf32, #c>, tensor<64x16xf32, #c>
}

// A wait for the products of the iteration before stays.
// CHECK-LABEL: func @carried
// CHECK: tilegpu.wgmma_wait %{{.*}} pending = 1
// CHECK-NEXT: arith.addf
func.func @carried(%a: !tilegpu.memdesc<[64, 16], f16, #ma>, %b: !tilegpu.memdesc<[16, 16], f16, #mn>, %c: tensor<64x16xf32, #c>) -> (tensor<64x16xf32, #c>, tensor<64x16xf32, #c>) {
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<[64, 16], f16, #ma>, <[16, 16], f16, #mn> -> tensor<64x16xf32, #c>
  %s = tilegpu.wgmma_wait %0 pending = 1 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
  %x = arith.addf %c, %c : tensor<64x16xf32, #c>
  return %s, %x : tensor<64x16xf32, #c>, tensor<64x16xf32, #c>
}

// Reductions and conversions inside a warp are arithmetic, too.
// CHECK-LABEL: func @reduction
// CHECK: tilegpu.wgmma
// CHECK: tilegpu.wgmma
// CHECK: tilegpu.wgmma_wait %{{.*}} pending = 1
// CHECK: tile.reduce
// CHECK: tilegpu.wgmma_wait %{{.*}} pending = 0
// CHECK: arith.addf
func.func @reduction(%a: !tilegpu.memdesc<[64, 16], f16, #ma>, %b: !tilegpu.memdesc<[16, 16], f16, #mn>, %c: tensor<64x16xf32, #c>) -> (tensor<64xf32, #s>, tensor<64x16xf32, #c>) {
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<[64, 16], f16, #ma>, <[16, 16], f16, #mn> -> tensor<64x16xf32, #c>
  %s = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
  %1 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<[64, 16], f16, #ma>, <[16, 16], f16, #mn> -> tensor<64x16xf32, #c>
  %t = tilegpu.wgmma_wait %1 pending = 0 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
  %m = tile.reduce(%s) axis = 1 : (tensor<64x16xf32, #c>) -> tensor<64xf32, #s> {
  ^bb0(%x: f32, %y: f32):
    %z = arith.maxnumf %x, %y : f32
    tile.yield %z : f32
  }
  %u = arith.addf %t, %t : tensor<64x16xf32, #c>
  return %m, %u : tensor<64xf32, #s>, tensor<64x16xf32, #c>
}

// Two rings. Releasing the slot of the first one waits for the dot that reads it, not for the second dot, and at the end of an
// iteration that of the second for the other one.
// CHECK-LABEL: func @releases
// CHECK: scf.for
// CHECK: %[[S:.*]] = tilegpu.wgmma %{{.*}}, %{{.*}}, %{{.*}} : !tilegpu.memdesc
// CHECK-NEXT: %[[T:.*]] = tilegpu.wgmma %{{.*}}, %{{.*}}, %{{.*}} : tensor
// CHECK-NEXT: tilegpu.wgmma_wait %[[S]] pending = 1
// CHECK-NEXT: tilegpu.slot_release %[[EMPTY:.*]][%{{.*}}] if
// CHECK-NEXT: math.exp2
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: %[[TW:.*]] = tilegpu.wgmma_wait %[[T]] pending = 0
// CHECK-NEXT: tilegpu.slot_release
// CHECK-NEXT: arith.mulf %[[TW]]
func.func @releases(%map: !tile.desc<[64, 16], f16>, %mapB: !tile.desc<[16, 16], f16>, %none: tensor<64x16xf32, #c>, %half: tensor<64x16xf16, #c>, %slot: i32, %parity: i32, %isLast: i1, %n: i32) -> tensor<64x16xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
  %b = tilegpu.local_alloc : !tilegpu.memdesc<[16, 16], f16, #mn, buffers = 2>
  %fullA = tilegpu.local_alloc : !tilegpu.memdesc<[1], i64, #l>
  %emptyA = tilegpu.local_alloc : !tilegpu.memdesc<[1], i64, #l>
  %fullB = tilegpu.local_alloc : !tilegpu.memdesc<[1], i64, #l, buffers = 2>
  %emptyB = tilegpu.local_alloc : !tilegpu.memdesc<[1], i64, #l, buffers = 2>
  tilegpu.slot_acquire %emptyA[%c0], %parity for %fullA : !tilegpu.memdesc<[1], i64, #l>, !tilegpu.memdesc<[1], i64, #l>
  tilegpu.tma_load %map[%c0, %c0], %a, %fullA[%c0] : <[64, 16], f16>, <[64, 16], f16, #ma>, <[1], i64, #l>
  %fill = tilegpu.memdesc_index %b[%slot] : <[16, 16], f16, #mn, buffers = 2> -> <[16, 16], f16, #mn>
  tilegpu.slot_acquire %emptyB[%slot], %parity for %fullB : !tilegpu.memdesc<[1], i64, #l, buffers = 2>, !tilegpu.memdesc<[1], i64, #l, buffers = 2>
  tilegpu.tma_load %mapB[%c0, %c0], %fill, %fullB[%slot] : <[16, 16], f16>, <[16, 16], f16, #mn>, <[1], i64, #l, buffers = 2>
  %view = tilegpu.memdesc_index %b[%slot] : <[16, 16], f16, #mn, buffers = 2> -> <[16, 16], f16, #mn>
  %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %none, %p = %half) -> (tensor<64x16xf32, #c>, tensor<64x16xf16, #c>) : i32 {
    %0 = tilegpu.wgmma %a, %view, %none : !tilegpu.memdesc<[64, 16], f16, #ma>, <[16, 16], f16, #mn> -> tensor<64x16xf32, #c>
    %s = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
    %1 = tilegpu.wgmma %p, %view, %acc : tensor<64x16xf16, #c>, <[16, 16], f16, #mn> -> tensor<64x16xf32, #c>
    %t = tilegpu.wgmma_wait %1 pending = 0 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
    tilegpu.slot_release %emptyA[%c0] if %isLast : !tilegpu.memdesc<[1], i64, #l>
    %e = math.exp2 %s : tensor<64x16xf32, #c>
    %h = arith.truncf %e : tensor<64x16xf32, #c> to tensor<64x16xf16, #c>
    tilegpu.slot_release %emptyB[%slot] : !tilegpu.memdesc<[1], i64, #l, buffers = 2>
    %m = arith.mulf %t, %t : tensor<64x16xf32, #c>
    scf.yield %m, %h : tensor<64x16xf32, #c>, tensor<64x16xf16, #c>
  }
  return %sum#0 : tensor<64x16xf32, #c>
}

// A sum that a loop hands on while its dot is in flight is waited for in front of a release of what the loop has read.
// CHECK-LABEL: func @release_behind
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: tilegpu.wgmma_wait %[[SUM]] pending = 0
// CHECK-NEXT: tilegpu.slot_release
func.func @release_behind(%map: !tile.desc<[16, 16], f16>, %a: !tilegpu.memdesc<[64, 16], f16, #ma>, %none: tensor<64x16xf32, #c>, %slot: i32, %parity: i32, %n: i32) -> tensor<64x16xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b = tilegpu.local_alloc : !tilegpu.memdesc<[16, 16], f16, #mn, buffers = 2>
  %full = tilegpu.local_alloc : !tilegpu.memdesc<[1], i64, #l, buffers = 2>
  %empty = tilegpu.local_alloc : !tilegpu.memdesc<[1], i64, #l, buffers = 2>
  %view = tilegpu.memdesc_index %b[%slot] : <[16, 16], f16, #mn, buffers = 2> -> <[16, 16], f16, #mn>
  tilegpu.slot_acquire %empty[%slot], %parity for %full : !tilegpu.memdesc<[1], i64, #l, buffers = 2>, !tilegpu.memdesc<[1], i64, #l, buffers = 2>
  tilegpu.tma_load %map[%c0, %c0], %view, %full[%slot] : <[16, 16], f16>, <[16, 16], f16, #mn>, <[1], i64, #l, buffers = 2>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %none) -> (tensor<64x16xf32, #c>) : i32 {
    %0 = tilegpu.wgmma %a, %view, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, <[16, 16], f16, #mn> -> tensor<64x16xf32, #c>
    %1 = tilegpu.wgmma_wait %0 pending = 1 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
    scf.yield %1 : tensor<64x16xf32, #c>
  }
  %w = tilegpu.wgmma_wait %sum pending = 0 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
  tilegpu.slot_release %empty[%slot] : !tilegpu.memdesc<[1], i64, #l, buffers = 2>
  %m = arith.mulf %w, %w : tensor<64x16xf32, #c>
  return %m : tensor<64x16xf32, #c>
}
}

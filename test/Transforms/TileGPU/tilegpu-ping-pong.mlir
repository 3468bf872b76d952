// RUN: tile-opt %s --split-input-file --tilegpu-ping-pong --canonicalize | FileCheck %s
// RUN: tile-opt %s --split-input-file --tilegpu-ping-pong --tilegpu-allocate-shared-memory --tilegpu-check-protocol | FileCheck %s --check-prefix=MEMORY
// RUN: tile-opt %s --split-input-file --tilegpu-ping-pong --remarks-filter-missed=pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISSED

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#b = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>
#m = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 4], [8, 0], [16, 0], [32, 0]]}, [64, 8]>
#l = #tilegpu.linear<{offset = []}, [1]>

// Group g takes every second tile, from its own first one on, and begins g tiles further in the ring of three.
// CHECK: module attributes {{{.*}}tilegpu.compute_groups = 2 : i32, tilegpu.load_warps = 4 : i32, tilegpu.num_warps = 4 : i32
// CHECK-LABEL: func @tiles
// CHECK: load {
// CHECK: scf.for %{{.*}} = %c0_i32 to %arg3 step %c2_i32 iter_args
// CHECK: } compute {
// CHECK-NEXT: %[[GROUP:.*]] = tilegpu.compute_group
// CHECK-NEXT: %[[SECOND:.*]] = arith.cmpi ne, %[[GROUP]], %c0_i32
// All tiles have as many blocks.
// CHECK-NEXT: %[[END:.*]] = arith.addi %arg4, %c1_i32
// CHECK-NEXT: %[[COUNT:.*]] = arith.addi %arg4, %c1_i32
// CHECK-NEXT: %[[RUNS:.*]] = arith.cmpi sgt, %[[END]], %c0_i32
// CHECK-NEXT: %[[SLOTS:.*]] = arith.select %[[RUNS]], %[[COUNT]], %c0_i32
// CHECK-NEXT: %[[ROUNDS:.*]] = arith.divui %[[SLOTS]], %c3_i32
// CHECK-NEXT: %[[REST:.*]] = arith.remui %[[SLOTS]], %c3_i32
// CHECK-NEXT: %[[ODD:.*]] = arith.andi %[[ROUNDS]], %c1_i32
// CHECK: %[[SLOT0:.*]] = arith.select %[[SECOND]], %{{.*}}, %c0_i32
// CHECK-NEXT: %[[PARITY0:.*]] = arith.select %[[SECOND]], %{{.*}}, %c0_i32
// CHECK-NEXT: %[[BEGIN:.*]] = arith.select %[[SECOND]], %c2_i32, %c0_i32
// The first turn is the first group's, if there are tiles.
// CHECK-NEXT: %[[SOME:.*]] = arith.cmpi sgt, %arg3, %c0_i32
// CHECK-NEXT: %[[GIVES:.*]] = arith.andi %[[SECOND]], %[[SOME]]
// CHECK-NEXT: tilegpu.turn_pass of %[[GROUP]] if %[[GIVES]]
// CHECK-NEXT: scf.for %[[TILE:.*]] = %[[BEGIN]] to %arg3 step %c4_i32 iter_args(%[[SLOT:.*]] = %[[SLOT0]], %[[PARITY:.*]] = %[[PARITY0]])
// CHECK: tilegpu.turn_wait of %[[GROUP]]
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[TILE]], %c2_i32
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %arg3
// CHECK-NEXT: %[[K:.*]]:3 = scf.for %[[I:.*]] = %c0_i32 to %[[LIMIT:.*]] step %c1_i32 iter_args(%{{.*}}, %{{.*}} = %[[SLOT]], %{{.*}} = %[[PARITY]])
// With the last block it is passed on.
// CHECK-NEXT: %[[BLOCK:.*]] = arith.addi %[[I]], %c1_i32
// CHECK-NEXT: %[[LAST:.*]] = arith.cmpi sge, %[[BLOCK]], %[[LIMIT]]
// CHECK-NEXT: %[[PASSES:.*]] = arith.andi %[[MORE]], %[[LAST]]
// CHECK-NEXT: tilegpu.turn_pass of %[[GROUP]] if %[[PASSES]]
// CHECK-NEXT: tilegpu.mbarrier_wait
// Or behind the loop, if there was none.
// CHECK: %[[EMPTY:.*]] = arith.cmpi sle, %[[LIMIT]], %c0_i32
// CHECK-NEXT: %[[LATE:.*]] = arith.andi %[[MORE]], %[[EMPTY]]
// CHECK-NEXT: tilegpu.turn_pass of %[[GROUP]] if %[[LATE]]
// CHECK-NEXT: tilegpu.wgmma_wait %[[K]]#0 pending = 0
// The other group's tile lies between.
// CHECK: %[[BEHIND:.*]] = arith.addi %[[K]]#1, %[[REST]]
// CHECK-NEXT: %[[WRAPS:.*]] = arith.cmpi uge, %[[BEHIND]], %c3_i32
// CHECK-NEXT: %[[LESS:.*]] = arith.subi %[[BEHIND]], %c3_i32
// CHECK-NEXT: %[[TOGGLED:.*]] = arith.xori %[[K]]#2, %[[ODD]]
// CHECK-NEXT: %[[WRAPPED:.*]] = arith.extui %[[WRAPS]] : i1 to i32
// CHECK-NEXT: %[[SLOT1:.*]] = arith.select %[[WRAPS]], %[[LESS]], %[[BEHIND]]
// CHECK-NEXT: %[[PARITY1:.*]] = arith.xori %[[TOGGLED]], %[[WRAPPED]]
// CHECK-NEXT: scf.yield %[[SLOT1]], %[[PARITY1]]

// The ring once, the tile's buffer twice.
// MEMORY: module attributes {{{.*}}tilegpu.group_bytes = 2048 : i32,{{.*}} tilegpu.shared_bytes = 11264 : i32
// MEMORY: compute {
// MEMORY: tilegpu.local_alloc offset 7168 : <[64, 8]
module attributes {tilegpu.load_warps = 1 : i32, tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @tiles(%amap: !tile.desc<[64, 16], f16>, %b: !tilegpu.memdesc<[16, 8], f16, #b>, %cmap: !tile.desc<[64, 8], f32>, %n: i32, %k: i32) attributes {tilegpu.ping_pong} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #c>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %empty = tilegpu.local_alloc : <[1], i64, #l, buffers = 3>
  %full = tilegpu.local_alloc : <[1], i64, #l, buffers = 3>
  %as = tilegpu.local_alloc : <[64, 16], f16, #a, buffers = 3>
  tilegpu.mbarrier_init %empty count = 4 : <[1], i64, #l, buffers = 3>
  tilegpu.mbarrier_init %full count = 1 : <[1], i64, #l, buffers = 3>
  nvvm.barrier0
  tilegpu.warp_roles load {
    %0:2 = scf.for %t = %c0 to %n step %c2 iter_args(%slot = %c0, %parity = %c0) -> (i32, i32) : i32 {
      %end = arith.addi %k, %c1 : i32
      %1:2 = scf.for %i = %c0 to %end step %c1 iter_args(%s = %slot, %p = %parity) -> (i32, i32) : i32 {
        %before = arith.xori %p, %c1 : i32
        tilegpu.slot_acquire %empty[%s], %before for %full : <[1], i64, #l, buffers = 3>, <[1], i64, #l, buffers = 3>
        %a = tilegpu.memdesc_index %as[%s] : <[64, 16], f16, #a, buffers = 3> -> <[64, 16], f16, #a>
        tilegpu.tma_load %amap[%t, %i], %a, %full[%s] : !tile.desc<[64, 16], f16>, <[64, 16], f16, #a>, <[1], i64, #l, buffers = 3>
        %next = arith.addi %s, %c1 : i32
        %wraps = arith.cmpi eq, %next, %c3 : i32
        %s1 = arith.select %wraps, %c0, %next : i32
        %p1 = arith.select %wraps, %before, %p : i32
        scf.yield %s1, %p1 : i32, i32
      }
      scf.yield %1#0, %1#1 : i32, i32
    }
  } compute {
    %0:2 = scf.for %t = %c0 to %n step %c2 iter_args(%slot = %c0, %parity = %c0) -> (i32, i32) : i32 {
      %end = arith.addi %k, %c1 : i32
      %1:3 = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zero, %s = %slot, %p = %parity) -> (tensor<64x8xf32, #c>, i32, i32) : i32 {
        tilegpu.mbarrier_wait %full[%s], %p : <[1], i64, #l, buffers = 3>
        %a = tilegpu.memdesc_index %as[%s] : <[64, 16], f16, #a, buffers = 3> -> <[64, 16], f16, #a>
        %q = tilegpu.wgmma %a, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #a>, <[16, 8], f16, #b> -> tensor<64x8xf32, #c>
        %w = tilegpu.wgmma_wait %q pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
        tilegpu.slot_release %empty[%s] : <[1], i64, #l, buffers = 3>
        %other = arith.xori %p, %c1 : i32
        %next = arith.addi %s, %c1 : i32
        %wraps = arith.cmpi eq, %next, %c3 : i32
        %s1 = arith.select %wraps, %c0, %next : i32
        %p1 = arith.select %wraps, %other, %p : i32
        scf.yield %w, %s1, %p1 : tensor<64x8xf32, #c>, i32, i32
      }
      %sum = tilegpu.wgmma_wait %1#0 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
      %buffer = tilegpu.local_alloc : <[64, 8], f32, #m>
      tilegpu.local_store %sum, %buffer : tensor<64x8xf32, #c>, !tilegpu.memdesc<[64, 8], f32, #m>
      nvvm.barrier0
      tilegpu.tma_store %cmap[%t, %c0], %buffer : <[64, 8], f32>, <[64, 8], f32, #m>
      tilegpu.tma_store_wait 0
      scf.yield %1#1, %1#2 : i32, i32
    }
  }
  return
}
}

// -----

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#b = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>
#m = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 4], [8, 0], [16, 0], [32, 0]]}, [64, 8]>
#l = #tilegpu.linear<{offset = []}, [1]>

// Tile t has k + t blocks: behind its own tile a group passes over those of the next one, the other group's.
// CHECK-LABEL: func @lengths
// CHECK: scf.for %[[TILE:.*]] = %{{.*}} to %arg3 step %c4_i32
// CHECK: tilegpu.tma_store_wait
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[TILE]], %c2_i32
// CHECK-NEXT: %[[END:.*]] = arith.addi %arg4, %[[NEXT]]
// CHECK: %[[RUNS:.*]] = arith.cmpi sgt, %[[END]], %c0_i32
// CHECK: %[[SLOTS:.*]] = arith.select %[[RUNS]], %{{.*}}, %c0_i32
// CHECK: arith.remui %[[SLOTS]], %c3_i32
module attributes {tilegpu.load_warps = 1 : i32, tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @lengths(%amap: !tile.desc<[64, 16], f16>, %b: !tilegpu.memdesc<[16, 8], f16, #b>, %cmap: !tile.desc<[64, 8], f32>, %n: i32, %k: i32) attributes {tilegpu.ping_pong} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #c>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %empty = tilegpu.local_alloc : <[1], i64, #l, buffers = 3>
  %full = tilegpu.local_alloc : <[1], i64, #l, buffers = 3>
  %as = tilegpu.local_alloc : <[64, 16], f16, #a, buffers = 3>
  tilegpu.mbarrier_init %empty count = 4 : <[1], i64, #l, buffers = 3>
  tilegpu.mbarrier_init %full count = 1 : <[1], i64, #l, buffers = 3>
  nvvm.barrier0
  tilegpu.warp_roles load {
    %0:2 = scf.for %t = %c0 to %n step %c2 iter_args(%slot = %c0, %parity = %c0) -> (i32, i32) : i32 {
      %end = arith.addi %k, %t : i32
      %1:2 = scf.for %i = %c0 to %end step %c1 iter_args(%s = %slot, %p = %parity) -> (i32, i32) : i32 {
        %before = arith.xori %p, %c1 : i32
        tilegpu.slot_acquire %empty[%s], %before for %full : <[1], i64, #l, buffers = 3>, <[1], i64, #l, buffers = 3>
        %a = tilegpu.memdesc_index %as[%s] : <[64, 16], f16, #a, buffers = 3> -> <[64, 16], f16, #a>
        tilegpu.tma_load %amap[%t, %i], %a, %full[%s] : !tile.desc<[64, 16], f16>, <[64, 16], f16, #a>, <[1], i64, #l, buffers = 3>
        %next = arith.addi %s, %c1 : i32
        %wraps = arith.cmpi eq, %next, %c3 : i32
        %s1 = arith.select %wraps, %c0, %next : i32
        %p1 = arith.select %wraps, %before, %p : i32
        scf.yield %s1, %p1 : i32, i32
      }
      scf.yield %1#0, %1#1 : i32, i32
    }
  } compute {
    %0:2 = scf.for %t = %c0 to %n step %c2 iter_args(%slot = %c0, %parity = %c0) -> (i32, i32) : i32 {
      %end = arith.addi %k, %t : i32
      %1:3 = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zero, %s = %slot, %p = %parity) -> (tensor<64x8xf32, #c>, i32, i32) : i32 {
        tilegpu.mbarrier_wait %full[%s], %p : <[1], i64, #l, buffers = 3>
        %a = tilegpu.memdesc_index %as[%s] : <[64, 16], f16, #a, buffers = 3> -> <[64, 16], f16, #a>
        %q = tilegpu.wgmma %a, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #a>, <[16, 8], f16, #b> -> tensor<64x8xf32, #c>
        %w = tilegpu.wgmma_wait %q pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
        tilegpu.slot_release %empty[%s] : <[1], i64, #l, buffers = 3>
        %other = arith.xori %p, %c1 : i32
        %next = arith.addi %s, %c1 : i32
        %wraps = arith.cmpi eq, %next, %c3 : i32
        %s1 = arith.select %wraps, %c0, %next : i32
        %p1 = arith.select %wraps, %other, %p : i32
        scf.yield %w, %s1, %p1 : tensor<64x8xf32, #c>, i32, i32
      }
      %sum = tilegpu.wgmma_wait %1#0 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
      %buffer = tilegpu.local_alloc : <[64, 8], f32, #m>
      tilegpu.local_store %sum, %buffer : tensor<64x8xf32, #c>, !tilegpu.memdesc<[64, 8], f32, #m>
      nvvm.barrier0
      tilegpu.tma_store %cmap[%t, %c0], %buffer : <[64, 8], f32>, <[64, 8], f32, #m>
      tilegpu.tma_store_wait 0
      scf.yield %1#1, %1#2 : i32, i32
    }
  }
  return
}
}

// -----

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#b = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>
#m = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 4], [8, 0], [16, 0], [32, 0]]}, [64, 8]>
#l = #tilegpu.linear<{offset = []}, [1]>

// Memory says how many.
// CHECK-LABEL: func @loaded
// CHECK-NOT: turn_wait
// MISSED: tiles are not taken in turn by two warpgroups: {{.*}}how many blocks another tile has is not known
module attributes {tilegpu.load_warps = 1 : i32, tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @loaded(%amap: !tile.desc<[64, 16], f16>, %b: !tilegpu.memdesc<[16, 8], f16, #b>, %cmap: !tile.desc<[64, 8], f32>, %n: i32, %lengths: !tile.ptr<i32>) attributes {tilegpu.ping_pong} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #c>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %empty = tilegpu.local_alloc : <[1], i64, #l, buffers = 3>
  %full = tilegpu.local_alloc : <[1], i64, #l, buffers = 3>
  %as = tilegpu.local_alloc : <[64, 16], f16, #a, buffers = 3>
  tilegpu.mbarrier_init %empty count = 4 : <[1], i64, #l, buffers = 3>
  tilegpu.mbarrier_init %full count = 1 : <[1], i64, #l, buffers = 3>
  nvvm.barrier0
  tilegpu.warp_roles load {
    %0:2 = scf.for %t = %c0 to %n step %c2 iter_args(%slot = %c0, %parity = %c0) -> (i32, i32) : i32 {
      %end = tile.load %lengths : !tile.ptr<i32>
      %1:2 = scf.for %i = %c0 to %end step %c1 iter_args(%s = %slot, %p = %parity) -> (i32, i32) : i32 {
        %before = arith.xori %p, %c1 : i32
        tilegpu.slot_acquire %empty[%s], %before for %full : <[1], i64, #l, buffers = 3>, <[1], i64, #l, buffers = 3>
        %a = tilegpu.memdesc_index %as[%s] : <[64, 16], f16, #a, buffers = 3> -> <[64, 16], f16, #a>
        tilegpu.tma_load %amap[%t, %i], %a, %full[%s] : !tile.desc<[64, 16], f16>, <[64, 16], f16, #a>, <[1], i64, #l, buffers = 3>
        %next = arith.addi %s, %c1 : i32
        %wraps = arith.cmpi eq, %next, %c3 : i32
        %s1 = arith.select %wraps, %c0, %next : i32
        %p1 = arith.select %wraps, %before, %p : i32
        scf.yield %s1, %p1 : i32, i32
      }
      scf.yield %1#0, %1#1 : i32, i32
    }
  } compute {
    %0:2 = scf.for %t = %c0 to %n step %c2 iter_args(%slot = %c0, %parity = %c0) -> (i32, i32) : i32 {
      %end = tile.load %lengths : !tile.ptr<i32>
      %1:3 = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zero, %s = %slot, %p = %parity) -> (tensor<64x8xf32, #c>, i32, i32) : i32 {
        tilegpu.mbarrier_wait %full[%s], %p : <[1], i64, #l, buffers = 3>
        %a = tilegpu.memdesc_index %as[%s] : <[64, 16], f16, #a, buffers = 3> -> <[64, 16], f16, #a>
        %q = tilegpu.wgmma %a, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #a>, <[16, 8], f16, #b> -> tensor<64x8xf32, #c>
        %w = tilegpu.wgmma_wait %q pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
        tilegpu.slot_release %empty[%s] : <[1], i64, #l, buffers = 3>
        %other = arith.xori %p, %c1 : i32
        %next = arith.addi %s, %c1 : i32
        %wraps = arith.cmpi eq, %next, %c3 : i32
        %s1 = arith.select %wraps, %c0, %next : i32
        %p1 = arith.select %wraps, %other, %p : i32
        scf.yield %w, %s1, %p1 : tensor<64x8xf32, #c>, i32, i32
      }
      %sum = tilegpu.wgmma_wait %1#0 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
      %buffer = tilegpu.local_alloc : <[64, 8], f32, #m>
      tilegpu.local_store %sum, %buffer : tensor<64x8xf32, #c>, !tilegpu.memdesc<[64, 8], f32, #m>
      nvvm.barrier0
      tilegpu.tma_store %cmap[%t, %c0], %buffer : <[64, 8], f32>, <[64, 8], f32, #m>
      tilegpu.tma_store_wait 0
      scf.yield %1#1, %1#2 : i32, i32
    }
  }
  return
}
}

// -----

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#b = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>
#m = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 4], [8, 0], [16, 0], [32, 0]]}, [64, 8]>
#l = #tilegpu.linear<{offset = []}, [1]>

// One slot.
// CHECK-LABEL: func @one_slot
// CHECK-NOT: turn_wait
// MISSED: tiles are not taken in turn by two warpgroups: {{.*}}the ring has one slot
module attributes {tilegpu.load_warps = 1 : i32, tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @one_slot(%amap: !tile.desc<[64, 16], f16>, %b: !tilegpu.memdesc<[16, 8], f16, #b>, %cmap: !tile.desc<[64, 8], f32>, %n: i32, %k: i32) attributes {tilegpu.ping_pong} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #c>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 1 : i32
  %empty = tilegpu.local_alloc : <[1], i64, #l, buffers = 1>
  %full = tilegpu.local_alloc : <[1], i64, #l, buffers = 1>
  %as = tilegpu.local_alloc : <[64, 16], f16, #a, buffers = 1>
  tilegpu.mbarrier_init %empty count = 4 : <[1], i64, #l, buffers = 1>
  tilegpu.mbarrier_init %full count = 1 : <[1], i64, #l, buffers = 1>
  nvvm.barrier0
  tilegpu.warp_roles load {
    %0:2 = scf.for %t = %c0 to %n step %c2 iter_args(%slot = %c0, %parity = %c0) -> (i32, i32) : i32 {
      %end = arith.addi %k, %c1 : i32
      %1:2 = scf.for %i = %c0 to %end step %c1 iter_args(%s = %slot, %p = %parity) -> (i32, i32) : i32 {
        %before = arith.xori %p, %c1 : i32
        tilegpu.slot_acquire %empty[%s], %before for %full : <[1], i64, #l, buffers = 1>, <[1], i64, #l, buffers = 1>
        %a = tilegpu.memdesc_index %as[%s] : <[64, 16], f16, #a, buffers = 1> -> <[64, 16], f16, #a>
        tilegpu.tma_load %amap[%t, %i], %a, %full[%s] : !tile.desc<[64, 16], f16>, <[64, 16], f16, #a>, <[1], i64, #l, buffers = 1>
        %next = arith.addi %s, %c1 : i32
        %wraps = arith.cmpi eq, %next, %c3 : i32
        %s1 = arith.select %wraps, %c0, %next : i32
        %p1 = arith.select %wraps, %before, %p : i32
        scf.yield %s1, %p1 : i32, i32
      }
      scf.yield %1#0, %1#1 : i32, i32
    }
  } compute {
    %0:2 = scf.for %t = %c0 to %n step %c2 iter_args(%slot = %c0, %parity = %c0) -> (i32, i32) : i32 {
      %end = arith.addi %k, %c1 : i32
      %1:3 = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zero, %s = %slot, %p = %parity) -> (tensor<64x8xf32, #c>, i32, i32) : i32 {
        tilegpu.mbarrier_wait %full[%s], %p : <[1], i64, #l, buffers = 1>
        %a = tilegpu.memdesc_index %as[%s] : <[64, 16], f16, #a, buffers = 1> -> <[64, 16], f16, #a>
        %q = tilegpu.wgmma %a, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #a>, <[16, 8], f16, #b> -> tensor<64x8xf32, #c>
        %w = tilegpu.wgmma_wait %q pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
        tilegpu.slot_release %empty[%s] : <[1], i64, #l, buffers = 1>
        %other = arith.xori %p, %c1 : i32
        %next = arith.addi %s, %c1 : i32
        %wraps = arith.cmpi eq, %next, %c3 : i32
        %s1 = arith.select %wraps, %c0, %next : i32
        %p1 = arith.select %wraps, %other, %p : i32
        scf.yield %w, %s1, %p1 : tensor<64x8xf32, #c>, i32, i32
      }
      %sum = tilegpu.wgmma_wait %1#0 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
      %buffer = tilegpu.local_alloc : <[64, 8], f32, #m>
      tilegpu.local_store %sum, %buffer : tensor<64x8xf32, #c>, !tilegpu.memdesc<[64, 8], f32, #m>
      nvvm.barrier0
      tilegpu.tma_store %cmap[%t, %c0], %buffer : <[64, 8], f32>, <[64, 8], f32, #m>
      tilegpu.tma_store_wait 0
      scf.yield %1#1, %1#2 : i32, i32
    }
  }
  return
}
}

// -----

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#b = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>
#m = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 4], [8, 0], [16, 0], [32, 0]]}, [64, 8]>
#l = #tilegpu.linear<{offset = []}, [1]>

// Nobody has planned it.
// CHECK-LABEL: func @unasked
// CHECK-NOT: turn_wait
// MISSED-NOT: remark
module attributes {tilegpu.load_warps = 1 : i32, tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @unasked(%amap: !tile.desc<[64, 16], f16>, %b: !tilegpu.memdesc<[16, 8], f16, #b>, %cmap: !tile.desc<[64, 8], f32>, %n: i32, %k: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #c>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %empty = tilegpu.local_alloc : <[1], i64, #l, buffers = 3>
  %full = tilegpu.local_alloc : <[1], i64, #l, buffers = 3>
  %as = tilegpu.local_alloc : <[64, 16], f16, #a, buffers = 3>
  tilegpu.mbarrier_init %empty count = 4 : <[1], i64, #l, buffers = 3>
  tilegpu.mbarrier_init %full count = 1 : <[1], i64, #l, buffers = 3>
  nvvm.barrier0
  tilegpu.warp_roles load {
    %0:2 = scf.for %t = %c0 to %n step %c2 iter_args(%slot = %c0, %parity = %c0) -> (i32, i32) : i32 {
      %end = arith.addi %k, %c1 : i32
      %1:2 = scf.for %i = %c0 to %end step %c1 iter_args(%s = %slot, %p = %parity) -> (i32, i32) : i32 {
        %before = arith.xori %p, %c1 : i32
        tilegpu.slot_acquire %empty[%s], %before for %full : <[1], i64, #l, buffers = 3>, <[1], i64, #l, buffers = 3>
        %a = tilegpu.memdesc_index %as[%s] : <[64, 16], f16, #a, buffers = 3> -> <[64, 16], f16, #a>
        tilegpu.tma_load %amap[%t, %i], %a, %full[%s] : !tile.desc<[64, 16], f16>, <[64, 16], f16, #a>, <[1], i64, #l, buffers = 3>
        %next = arith.addi %s, %c1 : i32
        %wraps = arith.cmpi eq, %next, %c3 : i32
        %s1 = arith.select %wraps, %c0, %next : i32
        %p1 = arith.select %wraps, %before, %p : i32
        scf.yield %s1, %p1 : i32, i32
      }
      scf.yield %1#0, %1#1 : i32, i32
    }
  } compute {
    %0:2 = scf.for %t = %c0 to %n step %c2 iter_args(%slot = %c0, %parity = %c0) -> (i32, i32) : i32 {
      %end = arith.addi %k, %c1 : i32
      %1:3 = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zero, %s = %slot, %p = %parity) -> (tensor<64x8xf32, #c>, i32, i32) : i32 {
        tilegpu.mbarrier_wait %full[%s], %p : <[1], i64, #l, buffers = 3>
        %a = tilegpu.memdesc_index %as[%s] : <[64, 16], f16, #a, buffers = 3> -> <[64, 16], f16, #a>
        %q = tilegpu.wgmma %a, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #a>, <[16, 8], f16, #b> -> tensor<64x8xf32, #c>
        %w = tilegpu.wgmma_wait %q pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
        tilegpu.slot_release %empty[%s] : <[1], i64, #l, buffers = 3>
        %other = arith.xori %p, %c1 : i32
        %next = arith.addi %s, %c1 : i32
        %wraps = arith.cmpi eq, %next, %c3 : i32
        %s1 = arith.select %wraps, %c0, %next : i32
        %p1 = arith.select %wraps, %other, %p : i32
        scf.yield %w, %s1, %p1 : tensor<64x8xf32, #c>, i32, i32
      }
      %sum = tilegpu.wgmma_wait %1#0 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
      %buffer = tilegpu.local_alloc : <[64, 8], f32, #m>
      tilegpu.local_store %sum, %buffer : tensor<64x8xf32, #c>, !tilegpu.memdesc<[64, 8], f32, #m>
      nvvm.barrier0
      tilegpu.tma_store %cmap[%t, %c0], %buffer : <[64, 8], f32>, <[64, 8], f32, #m>
      tilegpu.tma_store_wait 0
      scf.yield %1#1, %1#2 : i32, i32
    }
  }
  return
}
}

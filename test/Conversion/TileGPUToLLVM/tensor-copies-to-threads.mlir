// RUN: tile-opt %s -split-input-file --convert-tilegpu-to-threads --convert-threads-to-llvm | FileCheck %s

#l = #tilegpu.linear<{offset = []}, [1]>
#s = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [0, 64]]}, [8, 128]>
!buffer = !tilegpu.memdesc<[8, 128], f16, #s>
!bars = !tilegpu.memdesc<[1], i64, #l, buffers = 2>

module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// The map is passed by value; rows of 256 bytes are two boxes; the last dimension comes first.
// CHECK-LABEL: llvm.func @copies
// CHECK-SAME: %[[MAP:.*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME: %[[I:[a-z0-9]+]]: i32
// CHECK-COUNT-2: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[MAP]], %{{.*}}, box[%[[I]], %[[I]]]
// CHECK: %[[SECOND:.*]] = llvm.add %[[I]], %{{.*}} : i32
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[MAP]], %{{.*}}, box[%[[SECOND]], %[[I]]]
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.global.shared.cta %[[MAP]]
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK: nvvm.mbarrier.inval
func.func @copies(%map: !tile.desc<[8, 128], f16> {tile.tensor_map = {base = 0 : i32, shape = ["8", "8"], strides = ["8"]}}, %i: i32, %p: i1) attributes {tile.kernel} {
  %bars = tilegpu.local_alloc offset 2048 : !bars
  %buf = tilegpu.local_alloc offset 0 : !buffer
  tilegpu.mbarrier_init %bars count = 1 : !bars
  tilegpu.tma_load %map[%i, %i], %buf, %bars[%i] if %p : !tile.desc<[8, 128], f16>, !buffer, !bars
  tilegpu.mbarrier_wait %bars[%i], %i : !bars
  tilegpu.tma_store %map[%i, %i], %buf : !tile.desc<[8, 128], f16>, !buffer
  tilegpu.tma_store_wait 1
  tilegpu.mbarrier_inval %bars : !bars
  return
}

// CHECK-LABEL: llvm.func @reductions
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.reduce %{{.*}} {redKind = #nvvm.tma_redux_kind<add>}
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.reduce %{{.*}} {redKind = #nvvm.tma_redux_kind<max>}
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.reduce %{{.*}} {redKind = #nvvm.tma_redux_kind<min>}
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.reduce %{{.*}} {redKind = #nvvm.tma_redux_kind<xor>}
func.func @reductions(%map: !tile.desc<[8, 128], f16> {tile.tensor_map = {base = 0 : i32, shape = ["8", "8"], strides = ["8"]}}, %i: i32) attributes {tile.kernel} {
  %buf = tilegpu.local_alloc offset 0 : !buffer
  tilegpu.tma_store %map[%i, %i], %buf reduce = add : !tile.desc<[8, 128], f16>, !buffer
  tilegpu.tma_store %map[%i, %i], %buf reduce = umax : !tile.desc<[8, 128], f16>, !buffer
  tilegpu.tma_store %map[%i, %i], %buf reduce = min : !tile.desc<[8, 128], f16>, !buffer
  tilegpu.tma_store %map[%i, %i], %buf reduce = xor : !tile.desc<[8, 128], f16>, !buffer
  return
}
}

// -----

#l = #tilegpu.linear<{offset = []}, [1]>
#s = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [0, 64]]}, [8, 128]>
#w = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]]}, [8, 64]>
!buffer = !tilegpu.memdesc<[8, 128], f16, #s>
!bars = !tilegpu.memdesc<[1], i64, #l, buffers = 2>

module attributes {tilegpu.num_warps = 4 : i32, tilegpu.num_ctas = 2 : i32, tile.target = "sm_90a"} {
// What both CTAs load: one box of two each, for both; else both boxes for this one.
// CHECK-LABEL: llvm.func @halves
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[BYTES:.*]] :
// CHECK: %[[BOTH:.*]] = llvm.icmp "ne" %arg4,
// CHECK: llvm.cond_br %[[BOTH]]
// CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
// CHECK: %[[PLACE:.*]] = llvm.mul %[[RANK]], %{{.*}} : i32
// CHECK: %[[COLUMN:.*]] = llvm.mul %[[RANK]], %{{.*}} : i32
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %
// CHECK-NOT: multicast_mask
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT: multicast_mask
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
func.func @halves(%map: !tile.desc<[8, 128], f16> {tile.tensor_map = {base = 0 : i32, shape = ["8", "8"], strides = ["8"]}}, %i: i32, %p: i1, %ctas: i32, %last: i32) attributes {tile.kernel} {
  %bars = tilegpu.local_alloc offset 2048 : !bars
  %buf = tilegpu.local_alloc offset 0 : !buffer
  tilegpu.tma_load %map[%i, %i], %buf, %bars[%i] if %p to %ctas last %last turn %i : !tile.desc<[8, 128], f16>, !buffer, !bars
  return
}

// One box: by turns.
// CHECK-LABEL: llvm.func @turns
// CHECK: %[[BOTH:.*]] = llvm.icmp "ne" %arg3,
// CHECK: llvm.cond_br %[[BOTH]]
// CHECK: %[[TURN:.*]] = llvm.and %arg1, %arg3 : i32
// CHECK: %[[MINE:.*]] = llvm.icmp "eq" %[[TURN]], %{{.*}}
// CHECK: llvm.cond_br %[[MINE]]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %
func.func @turns(%map: !tile.desc<[8, 64], f16> {tile.tensor_map = {base = 0 : i32, shape = ["8", "8"], strides = ["8"]}}, %i: i32, %ctas: i32, %last: i32) attributes {tile.kernel} {
  %bars = tilegpu.local_alloc offset 2048 : !bars
  %buf = tilegpu.local_alloc offset 0 : !tilegpu.memdesc<[8, 64], f16, #w>
  tilegpu.tma_load %map[%i, %i], %buf, %bars[%i] to %ctas last %last turn %i : !tile.desc<[8, 64], f16>, !tilegpu.memdesc<[8, 64], f16, #w>, !bars
  return
}
}

// -----

#w = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [0, 64]]}, [8, 128]>
!buffer = !tilegpu.memdesc<[8, 128], f16, #w>
!bars = !tilegpu.memdesc<[1], i64, #tilegpu.linear<{offset = []}, [1]>, buffers = 3>

module attributes {tilegpu.num_warps = 4 : i32, tilegpu.num_ctas = 4 : i32, tile.target = "sm_90a"} {
// Of four CTAs those that load the block take its boxes by turns, from the turn on; one by itself copies both.
// CHECK-LABEL: llvm.func @some
// CHECK: %[[SHARED:.*]] = llvm.icmp "ne" %arg3,
// CHECK: llvm.cond_br %[[SHARED]]
// CHECK: %[[MASK:.*]] = llvm.trunc %arg2 : i32 to i16
// CHECK: %[[WHOSE:.*]] = llvm.and %arg1, %arg3 : i32
// CHECK: %[[MINE:.*]] = llvm.icmp "eq" %[[WHOSE]], %{{.*}} : i32
// CHECK: llvm.cond_br %[[MINE]]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %[[MASK]]
// CHECK: %[[NEXT:.*]] = llvm.add %arg1, %{{.*}} : i32
// CHECK: llvm.and %[[NEXT]], %{{.*}} : i32
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %[[MASK]]
// CHECK-NOT: multicast_mask
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT: nvvm.cp.async.bulk.tensor
func.func @some(%map: !tile.desc<[8, 128], f16> {tile.tensor_map = {base = 0 : i32, shape = ["8", "8"], strides = ["8"]}}, %i: i32, %ctas: i32, %last: i32) attributes {tile.kernel} {
  %bars = tilegpu.local_alloc offset 2048 : !bars
  %buf = tilegpu.local_alloc offset 0 : !buffer
  tilegpu.tma_load %map[%i, %i], %buf, %bars[%i] to %ctas last %last turn %i : !tile.desc<[8, 128], f16>, !buffer, !bars
  return
}

// Of warps that load the elected thread starts the copies; of those in a row it is asked once.
// CHECK-LABEL: llvm.func @row
// CHECK: nvvm.elect.sync
// CHECK-NOT: nvvm.elect.sync
// CHECK-COUNT-2: nvvm.mbarrier.arrive.expect_tx
func.func @row(%map: !tile.desc<[8, 128], f16> {tile.tensor_map = {base = 0 : i32, shape = ["8", "8"], strides = ["8"]}}, %i: i32) attributes {tile.kernel} {
  %bars = tilegpu.local_alloc offset 2048 : !bars
  %buf = tilegpu.local_alloc offset 0 : !buffer
  tilegpu.warp_roles load {
    tilegpu.tma_load %map[%i, %i], %buf, %bars[%i] : !tile.desc<[8, 128], f16>, !buffer, !bars
    tilegpu.tma_load %map[%i, %i], %buf, %bars[%i] : !tile.desc<[8, 128], f16>, !buffer, !bars
  } compute {
  }
  return
}

// A lane arrives at each CTA, or here in place of one that has ended.
// CHECK-LABEL: llvm.func @without
// CHECK: llvm.icmp "ult"
// CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
// CHECK: %[[CTA:.*]] = llvm.select %arg1, %[[RANK]], %{{.*}} : i1, i32
// CHECK: nvvm.mapa %{{.*}}, %[[CTA]]
func.func @without(%i: i32, %ended: i1) attributes {tile.kernel} {
  %bars = tilegpu.local_alloc offset 2048 : !bars
  tilegpu.slot_release %bars[%i] without %ended : !bars
  return
}

// A bit for each lane of the first four; three CTAs copy for themselves.
// CHECK-LABEL: llvm.func @sharing
// CHECK: %[[LANE:.*]] = llvm.and %{{.*}}, %{{.*}} : i32
// CHECK: %[[CTA:.*]] = llvm.and %[[LANE]], %{{.*}} : i32
// CHECK: %[[SAME:.*]] = llvm.icmp "eq" %arg1, %[[CTA]]
// CHECK: %[[LANES:.*]] = nvvm.vote.sync ballot %{{.*}}, %[[SAME]]
// CHECK: %[[BITS:.*]] = llvm.and %[[LANES]], %{{.*}} : i32
// CHECK: llvm.intr.ctpop(%[[BITS]])
// CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
// CHECK: %[[OWN:.*]] = llvm.shl %{{.*}}, %[[RANK]]
// CHECK: %[[CTAS:.*]] = llvm.select %{{.*}}, %[[OWN]], %[[BITS]]
// CHECK: llvm.and %[[CTAS]], %
// CHECK: llvm.intr.ctpop
// The objects of all are initialised before, by a fence of their own.
// CHECK: nvvm.cluster.arrive.relaxed
// CHECK-NEXT: nvvm.cluster.wait
func.func @sharing(%map: !tile.desc<[8, 128], f16> {tile.tensor_map = {base = 0 : i32, shape = ["8", "8"], strides = ["8"]}}, %i: i32) attributes {tile.kernel} {
  %cta = tilegpu.lane_cta
  %same = arith.cmpi eq, %i, %cta : i32
  %ctas, %last, %place = tilegpu.sharing_ctas %same
  tilegpu.cluster_barrier relaxed
  %bars = tilegpu.local_alloc offset 2048 : !bars
  %buf = tilegpu.local_alloc offset 0 : !buffer
  tilegpu.tma_load %map[%i, %i], %buf, %bars[%i] to %ctas last %last turn %place : !tile.desc<[8, 128], f16>, !buffer, !bars
  return
}
}

// -----

#m = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [64, 0], [0, 64]]}, [128, 128]>
!m = !tilegpu.memdesc<[128, 128], f16, #m>

module attributes {tilegpu.num_warps = 8 : i32, tile.target = "sm_90a"} {
// The first thread of each warpgroup starts two copies of 64 rows: those of its own rows, 8192 bytes behind the first
// warpgroup's.
// CHECK-LABEL: llvm.func @warpgroups
// CHECK: tilegpu.named_barrier 2 + %{{.*}} threads = 128
// CHECK: %[[WITHIN:.*]] = llvm.and %{{.*}}, %{{.*}} : i32
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[WITHIN]]
// CHECK: tilegpu.wall
// CHECK: llvm.cond_br %[[FIRST]]
// CHECK: %[[GROUP:.*]] = llvm.udiv
// CHECK: llvm.mlir.constant(8192 : i32)
// CHECK: %[[OFFSET:.*]] = llvm.mul %[[GROUP]], %
// CHECK: llvm.mlir.constant(64 : i32)
// CHECK: %[[AHEAD:.*]] = llvm.mul %[[GROUP]], %
// CHECK: %[[ROW:.*]] = llvm.add %arg1, %[[AHEAD]]
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %{{.*}}[%[[OFFSET]]]
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.*}}, %[[PLACE]], box[%arg1, %[[ROW]]]
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.*}}, box[%{{.*}}, %[[ROW]]]
// CHECK-NEXT: nvvm.cp.async.bulk.commit.group
func.func @warpgroups(%map: !tile.desc<[128, 128], f16, rows = 64> {tile.tensor_map = {base = 0 : i32, shape = ["8", "8"], strides = ["8"]}}, %i: i32) attributes {tile.kernel} {
  %buf = tilegpu.local_alloc offset 0 : !m
  tilegpu.warpgroup_barrier
  tilegpu.tma_store %map[%i, %i], %buf warpgroups = [0, 64] : !tile.desc<[128, 128], f16, rows = 64>, !m
  return
}

// One thread starts both copies, and the first one of each warpgroup counts them.
// CHECK-LABEL: llvm.func @commit_all
// CHECK: %[[CTA:.*]] = llvm.icmp "eq"
// CHECK: llvm.cond_br %[[CTA]]
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-NOT: nvvm.cp.async.bulk.commit.group
// CHECK: %[[WITHIN:.*]] = llvm.and %{{.*}}, %{{.*}} : i32
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[WITHIN]]
// CHECK: llvm.cond_br %[[FIRST]], ^[[COMMIT:.*]], ^
// CHECK: ^[[COMMIT]]:
// CHECK-NEXT: nvvm.cp.async.bulk.commit.group
// CHECK-NOT: nvvm.cp.async.bulk.commit.group
// CHECK: llvm.return
func.func @commit_all(%map: !tile.desc<[128, 128], f16> {tile.tensor_map = {base = 0 : i32, shape = ["8", "8"], strides = ["8"]}}, %i: i32) attributes {tile.kernel} {
  %buf = tilegpu.local_alloc offset 0 : !m
  tilegpu.tma_store %map[%i, %i], %buf commit_all : !tile.desc<[128, 128], f16>, !m
  return
}
}

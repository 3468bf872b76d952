// RUN: tile-opt %s "--tilegpu-pipeline-loops=load-warps=on" --cse | FileCheck %s --check-prefix=PIPELINE
// RUN: tile-opt %s "--tilegpu-pipeline-loops=load-warps=on" --tilegpu-split-roles --cse --canonicalize | FileCheck %s
// RUN: tile-opt %s "--tilegpu-pipeline-loops=load-warps=on" --tilegpu-split-roles --tilegpu-allocate-shared-memory --tilegpu-insert-synchronisation | FileCheck %s --check-prefix=SYNC
// RUN: tile-opt %s "--tilegpu-pipeline-loops=load-warps=auto" | FileCheck %s --check-prefix=AUTO

// One dot in an iteration: warps of their own do not pay by themselves.
// AUTO-NOT: slot_acquire

#a = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>
#t = #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]], block = []}, [8, 16]>
#bk = #tilegpu.linear<{register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0], [0, 0]], block = []}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>
#ma = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#fa = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>
#fb = #tilegpu.linear<{register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0], [0, 0]], block = []}, [16, 8]>
#f = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>
#mb = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>

// CHECK: module attributes {{{.*}}tilegpu.load_warps = 1 : i32
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// The product of an iteration stays in flight: the slot of the one before is released. A copy waits for the release.
// PIPELINE-LABEL: func @persistent
// PIPELINE: tilegpu.mbarrier_init %[[EMPTY:.*]] count = 4
// PIPELINE: tilegpu.mbarrier_init %[[FULL:.*]] count = 2
// PIPELINE: scf.for {{.*}} iter_args({{.*}}, %[[SLOT0:.*]] = %c0_i32, %[[PARITY0:.*]] = %c0_i32)
// No copies in front of the loop: an iteration acquires and fills its own slot, and the role that loads is ahead by itself.
// PIPELINE-NOT: {{slot_acquire|tma_load}}
// PIPELINE: scf.for %[[I:.*]] = %c0_i32 to {{.*}} iter_args({{.*}}, %[[SLOT:.*]] = %[[SLOT0]], %[[PARITY:.*]] = %[[PARITY0]])
// PIPELINE: %[[BEFORE:.*]] = arith.xori %[[PARITY]], %c1_i32
// PIPELINE-NEXT: tilegpu.slot_acquire %[[EMPTY]][%[[SLOT]]], %[[BEFORE]] for %[[FULL]]
// PIPELINE-NEXT: tilegpu.tma_load %arg0[%{{.*}}, %[[I]]], %{{.*}}, %[[FULL]][%[[SLOT]]] :
// PIPELINE: tilegpu.mbarrier_wait %[[FULL]][%[[SLOT]]], %[[PARITY]]
// PIPELINE: tilegpu.wgmma
// PIPELINE: tilegpu.wgmma_wait %{{.*}} pending = 1
// PIPELINE: %[[LATER:.*]] = arith.cmpi ne, %[[I]], %c0_i32
// PIPELINE-NEXT: %[[LESS:.*]] = arith.subi %[[SLOT]], %c1_i32
// PIPELINE: %[[LAST:.*]] = arith.minui %[[LESS]], %c2_i32
// PIPELINE-NEXT: tilegpu.slot_release %[[EMPTY]][%[[LAST]]] if %[[LATER]]
// The last iteration's slot, if there was one.
// PIPELINE: tilegpu.wgmma_wait %{{.*}} pending = 0
// PIPELINE: tilegpu.slot_release %[[EMPTY]][%{{.*}}] if

// The role that loads has the loops, and nothing that they carry for the other one.
// CHECK-LABEL: func @persistent
// CHECK-COUNT-4: tilegpu.local_alloc
// CHECK-NEXT: tilegpu.mbarrier_init %{{.*}} count = 4
// CHECK-NEXT: tilegpu.mbarrier_init %{{.*}} count = 2
// CHECK: nvvm.barrier0
// CHECK: tilegpu.warp_roles
// CHECK-SAME: load {
// CHECK: scf.for {{.*}} iter_args(%{{[^,]*}}, %{{[^,]*}}) -> (i32, i32)
// CHECK-NOT: {{wgmma|mbarrier_wait|slot_release}}
// CHECK: tilegpu.slot_acquire
// CHECK: tilegpu.tma_load
// CHECK: } compute {
// CHECK-NOT: {{tma_load|slot_acquire}}
// CHECK: tilegpu.mbarrier_wait
// CHECK: tilegpu.wgmma
// CHECK: tilegpu.slot_release
// CHECK-NOT: {{tma_load|slot_acquire}}
// CHECK: return

// Objects tell each role of the other: no barriers and no fences but the one in front.
// SYNC-LABEL: func.func @persistent
// SYNC: nvvm.barrier0
// SYNC-NOT: {{nvvm.barrier0|proxy_fence}}
// SYNC: return
func.func @persistent(%amap: !tile.desc<[64, 16], f16>, %bmap: !tile.desc<[8, 16], f16>, %c: tensor<64x8xf32, #c>, %n: i32, %p: tensor<64x8x!tile.ptr<f32>, #c>) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %r = scf.for %t = %c0 to %n step %c16 iter_args(%sum = %c) -> (tensor<64x8xf32, #c>) : i32 {
    %0 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %sum) -> (tensor<64x8xf32, #c>) : i32 {
      %a = tile.descriptor_load %amap[%t, %i] : !tile.desc<[64, 16], f16> -> tensor<64x16xf16, #a>
      %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
      tilegpu.local_store %a, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
      %b = tile.descriptor_load %bmap[%c0, %i] : !tile.desc<[8, 16], f16> -> tensor<8x16xf16, #t>
      %bt = tile.permute %b {order = array<i32: 1, 0>} : tensor<8x16xf16, #t> -> tensor<16x8xf16, #bk>
      %sb = tilegpu.local_alloc : !tilegpu.memdesc<[16, 8], f16, #mb>
      tilegpu.local_store %bt, %sb : tensor<16x8xf16, #bk>, !tilegpu.memdesc<[16, 8], f16, #mb>
      %q = tilegpu.wgmma %sa, %sb, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
      %w = tilegpu.wgmma_wait %q pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
      scf.yield %w : tensor<64x8xf32, #c>
    }
    scf.yield %0 : tensor<64x8xf32, #c>
  }
  tile.store %p, %r : tensor<64x8x!tile.ptr<f32>, #c>
  return
}

// Two loops, one behind the other, with buffers of the same types: one ring, whose copies go on over the end of the first.
// PIPELINE-LABEL: func @twice
// PIPELINE-COUNT-2: tilegpu.mbarrier_init
// PIPELINE-NOT: tilegpu.mbarrier_init
// PIPELINE: %[[FIRST:.*]]:3 = scf.for
// PIPELINE: tilegpu.wgmma_wait %[[FIRST]]#0 pending = 0
// PIPELINE: tilegpu.slot_release
// PIPELINE: scf.for {{.*}} iter_args({{.*}} = %[[FIRST]]#1, {{.*}} = %[[FIRST]]#2)
func.func @twice(%amap: !tile.desc<[64, 16], f16>, %b: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %n: i32, %p: tensor<64x8x!tile.ptr<f32>, #c>) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
    %a = tile.descriptor_load %amap[%c0, %i] : !tile.desc<[64, 16], f16> -> tensor<64x16xf16, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %a, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %q = tilegpu.wgmma %sa, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %w = tilegpu.wgmma_wait %q pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    scf.yield %w : tensor<64x8xf32, #c>
  }
  %1 = scf.for %i = %n to %c16 step %c16 iter_args(%acc = %0) -> (tensor<64x8xf32, #c>) : i32 {
    %a = tile.descriptor_load %amap[%c16, %i] : !tile.desc<[64, 16], f16> -> tensor<64x16xf16, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %a, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %q = tilegpu.wgmma %sa, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %w = tilegpu.wgmma_wait %q pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    scf.yield %w : tensor<64x8xf32, #c>
  }
  tile.store %p, %1 : tensor<64x8x!tile.ptr<f32>, #c>
  return
}

// The first loop is in a loop that the second one is behind, with a barrier of the program that orders nothing of what is copied: one ring,
// whose slots go on from what the loop around leaves.
// PIPELINE-LABEL: func @behind_tiles
// PIPELINE-COUNT-2: tilegpu.mbarrier_init
// PIPELINE-NOT: tilegpu.mbarrier_init
// PIPELINE: tilegpu.local_alloc : <[64, 16], f16, {{.*}} buffers = 3>
// PIPELINE-NOT: buffers = 3>{{$}}
// PIPELINE: %[[TILES:.*]]:2 = scf.for
// PIPELINE: scf.for
// PIPELINE: tile.barrier
// PIPELINE: scf.yield
// PIPELINE: scf.for {{.*}} iter_args({{.*}} = %[[TILES]]#0, {{.*}} = %[[TILES]]#1)
// SYNC-LABEL: func.func @behind_tiles
// SYNC: load {
// SYNC: compute {
// SYNC-NOT: proxy_fence
// SYNC: return
func.func @behind_tiles(%amap: !tile.desc<[64, 16], f16> {tile.tensor_map = {base = 4 : i32, shape = ["64", "16"], strides = ["16"]}}, %b: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %n: i32, %from: !tile.ptr<f16>, %to: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %p = tile.splat %to : !tile.ptr<f32> -> tensor<64x8x!tile.ptr<f32>, #c>
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  scf.for %tile = %c1 to %n step %c1 : i32 {
    %0 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
      %a = tile.descriptor_load %amap[%tile, %i] : !tile.desc<[64, 16], f16> -> tensor<64x16xf16, #a>
      %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
      tilegpu.local_store %a, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
      %q = tilegpu.wgmma %sa, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
      %w = tilegpu.wgmma_wait %q pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
      scf.yield %w : tensor<64x8xf32, #c>
    }
    tile.store %p, %0 : tensor<64x8x!tile.ptr<f32>, #c>
    tile.barrier
  }
  %1 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
    %a = tile.descriptor_load %amap[%c16, %i] : !tile.desc<[64, 16], f16> -> tensor<64x16xf16, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %a, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %q = tilegpu.wgmma %sa, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %w = tilegpu.wgmma_wait %q pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    scf.yield %w : tensor<64x8xf32, #c>
  }
  tile.store %p, %1 : tensor<64x8x!tile.ptr<f32>, #c>
  return
}

// What the threads read through the generic proxy is fenced before the slot is released, and all lanes have read.
// SYNC-LABEL: func.func @fragments
// SYNC: compute {
// SYNC: tilegpu.local_load
// SYNC: tilegpu.proxy_fence
// SYNC: nvvm.bar.warp.sync
// SYNC-NEXT: tilegpu.slot_release
// SYNC-NOT: {{nvvm.barrier0|proxy_fence}}
// SYNC: return
func.func @fragments(%amap: !tile.desc<[64, 16], f16>, %b: tensor<16x8xf16, #fb>, %c: tensor<64x8xf32, #f>, %n: i32, %p: tensor<64x8x!tile.ptr<f32>, #f>) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #f>) : i32 {
    %a = tile.descriptor_load %amap[%c0, %i] : !tile.desc<[64, 16], f16> -> tensor<64x16xf16, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %a, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %l = tilegpu.local_load %sa : !tilegpu.memdesc<[64, 16], f16, #ma> -> tensor<64x16xf16, #fa>
    %m = tilegpu.mma %l, %b, %acc : tensor<64x16xf16, #fa>, tensor<16x8xf16, #fb> -> tensor<64x8xf32, #f>
    scf.yield %m : tensor<64x8xf32, #f>
  }
  tile.store %p, %0 : tensor<64x8x!tile.ptr<f32>, #f>
  return
}
}

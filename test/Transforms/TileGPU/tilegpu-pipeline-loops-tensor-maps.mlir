// RUN: tile-opt %s --tilegpu-pipeline-loops --cse | FileCheck %s
// RUN: tile-opt %s --tilegpu-pipeline-loops --cse --tilegpu-allocate-shared-memory --tilegpu-insert-synchronisation | FileCheck %s --check-prefix=SYNC

#a = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>
#t = #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]], block = []}, [8, 16]>
#bk = #tilegpu.linear<{register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0], [0, 0]], block = []}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>
#ma = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#mb = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>

module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// The copy engine fills the rings: slot and parity go on around the outer loop, an iteration begins with the wait for its
// slot, and the next copies lie behind the barrier after the wait for the product before.
// CHECK-LABEL: func @persistent
// CHECK-NEXT: %[[BARS:.*]] = tilegpu.local_alloc : <[1], i64, #{{.*}}, buffers = 3>
// CHECK-NEXT: tilegpu.mbarrier_init %[[BARS]] count = 2
// CHECK: %[[OUTER:.*]]:3 = scf.for {{.*}} iter_args({{.*}}, %[[SLOT0:.*]] = %c0_i32, %[[PARITY0:.*]] = %c0_i32)
// CHECK: tilegpu.tma_load %arg0[%{{.*}}, %c0_i32], %{{.*}}, %[[BARS]][%[[SLOT0]]] if
// CHECK: tilegpu.tma_load %arg1[%c0_i32, %c0_i32], %{{.*}}, %[[BARS]][%[[SLOT0]]] if
// CHECK-COUNT-2: tilegpu.tma_load
// CHECK: %[[INNER:.*]]:4 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[FILL:.*]] = %{{.*}}, %[[READ:.*]] = %[[SLOT0]], %[[PARITY:.*]] = %[[PARITY0]])
// CHECK-NEXT: tilegpu.mbarrier_wait %[[BARS]][%[[READ]]], %[[PARITY]]
// CHECK: tilegpu.wgmma
// CHECK: tilegpu.wgmma_wait %{{.*}} pending = 1
// CHECK: tilegpu.tma_load %arg0[%{{.*}}, %{{.*}}], %{{.*}}, %[[BARS]][%[[FILL]]] if
// CHECK: tilegpu.tma_load %arg1[%{{.*}}, %{{.*}}], %{{.*}}, %[[BARS]][%[[FILL]]] if
// CHECK: arith.xori %[[PARITY]], %c1_i32
// CHECK: }
// CHECK-NEXT: %[[LAST:.*]] = tilegpu.wgmma_wait %[[INNER]]#0 pending = 0
// CHECK-NEXT: scf.yield %[[LAST]], %[[INNER]]#2, %[[INNER]]#3
// One barrier for the initialisation of the objects. The slots that a tile fills first are not those that the last products
// of the tile before read. In the loop the objects tell of the copies, and a barrier of the products that have read the slot
// which is filled.
// SYNC-LABEL: func.func @persistent
// SYNC: nvvm.barrier0
// SYNC-NEXT: scf.for
// SYNC-NOT: {{nvvm.barrier0|proxy_fence}}
// SYNC: tilegpu.tma_load
// SYNC-NOT: {{nvvm.barrier0|proxy_fence}}
// SYNC: scf.for
// SYNC-NEXT: tilegpu.mbarrier_wait
// SYNC-NOT: {{nvvm.barrier0|proxy_fence}}
// SYNC: tilegpu.wgmma_wait {{.*}} pending = 1
// SYNC-NEXT: nvvm.barrier0
// SYNC-NOT: {{nvvm.barrier0|proxy_fence}}
// SYNC: return
func.func @persistent(%amap: !tile.desc<[64, 16], f16>, %bmap: !tile.desc<[8, 16], f16>, %c: tensor<64x8xf32, #c>, %n: i32) -> tensor<64x8xf32, #c> {
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
      %p = tilegpu.wgmma %sa, %sb, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
      %w = tilegpu.wgmma_wait %p pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
      scf.yield %w : tensor<64x8xf32, #c>
    }
    scf.yield %0 : tensor<64x8xf32, #c>
  }
  return %r : tensor<64x8xf32, #c>
}

// A loop that begins where the one before ends, with the same copies: that one's last iterations start its first copies,
// into the same ring.
// CHECK-LABEL: func @goes_on
// CHECK-NEXT: %[[BARS:.*]] = tilegpu.local_alloc : <[1], i64, #{{.*}}, buffers = 3>
// CHECK-NEXT: tilegpu.mbarrier_init %[[BARS]] count = 1
// CHECK-NOT: tilegpu.mbarrier_init
// CHECK: %[[MIDDLE:.*]] = arith.muli %arg3
// CHECK: %[[BEGIN:.*]] = arith.minsi %c0_i32, %[[MIDDLE]]
// CHECK: %[[END:.*]] = arith.maxsi %[[MIDDLE]], %arg4
// CHECK: arith.cmpi slt, %[[BEGIN]], %[[END]]
// CHECK-COUNT-2: tilegpu.tma_load
// CHECK: %[[FIRST:.*]]:4 = scf.for {{.*}} to %[[MIDDLE]]
// CHECK: arith.cmpi slt, %{{.*}}, %[[END]]
// CHECK: tilegpu.tma_load
// CHECK-NOT: tilegpu.tma_load
// CHECK: scf.for {{.*}} = %[[MIDDLE]] to %arg4 {{.*}} iter_args({{.*}} = %[[FIRST]]#0, {{.*}} = %[[FIRST]]#1, {{.*}} = %[[FIRST]]#2, {{.*}} = %[[FIRST]]#3)
// CHECK: arith.cmpi slt, %{{.*}}, %arg4
// CHECK: tilegpu.tma_load
func.func @goes_on(%amap: !tile.desc<[64, 16], f16>, %sb: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %m: i32, %n: i32) -> tensor<64x8xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %middle = arith.muli %m, %c16 : i32
  %0 = scf.for %i = %c0 to %middle step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
    %a = tile.descriptor_load %amap[%c0, %i] : !tile.desc<[64, 16], f16> -> tensor<64x16xf16, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %a, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %p = tilegpu.wgmma %sa, %sb, %c : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %w = tilegpu.wgmma_wait %p pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    %s = arith.addf %w, %acc : tensor<64x8xf32, #c>
    scf.yield %s : tensor<64x8xf32, #c>
  }
  %1 = scf.for %i = %middle to %n step %c16 iter_args(%acc = %0) -> (tensor<64x8xf32, #c>) : i32 {
    %a = tile.descriptor_load %amap[%c0, %i] : !tile.desc<[64, 16], f16> -> tensor<64x16xf16, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %a, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %p = tilegpu.wgmma %sa, %sb, %c : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %w = tilegpu.wgmma_wait %p pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    %s = arith.addf %w, %acc : tensor<64x8xf32, #c>
    scf.yield %s : tensor<64x8xf32, #c>
  }
  return %1 : tensor<64x8xf32, #c>
}

// Steps of the first could end behind its end.
// CHECK-LABEL: func @ends_anywhere
// CHECK-COUNT-2: tilegpu.mbarrier_init
// CHECK-COUNT-2: tilegpu.tma_load
// CHECK: scf.for
// CHECK: tilegpu.tma_load
// CHECK-COUNT-2: tilegpu.tma_load
// CHECK: scf.for
func.func @ends_anywhere(%amap: !tile.desc<[64, 16], f16>, %sb: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %m: i32, %n: i32) -> tensor<64x8xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %0 = scf.for %i = %c0 to %m step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
    %a = tile.descriptor_load %amap[%c0, %i] : !tile.desc<[64, 16], f16> -> tensor<64x16xf16, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %a, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %p = tilegpu.wgmma %sa, %sb, %c : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %w = tilegpu.wgmma_wait %p pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    %s = arith.addf %w, %acc : tensor<64x8xf32, #c>
    scf.yield %s : tensor<64x8xf32, #c>
  }
  %1 = scf.for %i = %m to %n step %c16 iter_args(%acc = %0) -> (tensor<64x8xf32, #c>) : i32 {
    %a = tile.descriptor_load %amap[%c0, %i] : !tile.desc<[64, 16], f16> -> tensor<64x16xf16, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %a, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %p = tilegpu.wgmma %sa, %sb, %c : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %w = tilegpu.wgmma_wait %p pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    %s = arith.addf %w, %acc : tensor<64x8xf32, #c>
    scf.yield %s : tensor<64x8xf32, #c>
  }
  return %1 : tensor<64x8xf32, #c>
}

// What is written between them may be what the second copies.
// CHECK-LABEL: func @written_between
// CHECK-COUNT-2: tilegpu.mbarrier_init
// CHECK: scf.for
// CHECK: tile.store
// CHECK-COUNT-2: tilegpu.tma_load
// CHECK: scf.for
func.func @written_between(%amap: !tile.desc<[64, 16], f16>, %sb: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %m: i32, %n: i32, %out: !tile.ptr<f32>, %x: f32) -> tensor<64x8xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %middle = arith.muli %m, %c16 : i32
  %0 = scf.for %i = %c0 to %middle step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
    %a = tile.descriptor_load %amap[%c0, %i] : !tile.desc<[64, 16], f16> -> tensor<64x16xf16, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %a, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %p = tilegpu.wgmma %sa, %sb, %c : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %w = tilegpu.wgmma_wait %p pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    %s = arith.addf %w, %acc : tensor<64x8xf32, #c>
    scf.yield %s : tensor<64x8xf32, #c>
  }
  tile.store %out, %x : !tile.ptr<f32>
  %1 = scf.for %i = %middle to %n step %c16 iter_args(%acc = %0) -> (tensor<64x8xf32, #c>) : i32 {
    %a = tile.descriptor_load %amap[%c0, %i] : !tile.desc<[64, 16], f16> -> tensor<64x16xf16, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %a, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %p = tilegpu.wgmma %sa, %sb, %c : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %w = tilegpu.wgmma_wait %p pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    %s = arith.addf %w, %acc : tensor<64x8xf32, #c>
    scf.yield %s : tensor<64x8xf32, #c>
  }
  return %1 : tensor<64x8xf32, #c>
}
}

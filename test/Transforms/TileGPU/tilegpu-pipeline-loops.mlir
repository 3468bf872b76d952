// RUN: tile-opt %s --tilegpu-pipeline-loops --cse --split-input-file | FileCheck %s
// RUN: tile-opt %s --tilegpu-pipeline-loops --cse --tilegpu-allocate-shared-memory --tilegpu-insert-synchronisation \
// RUN:     --split-input-file | FileCheck %s --check-prefix=SYNC

#a = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>
#t = #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]], block = []}, [8, 16]>
#bk = #tilegpu.linear<{register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0], [0, 0]], block = []}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>
#ma = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#mb = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>

// Without a number, three stages: two iterations ahead. B is permuted: the copy sees its buffer in the order of the load.
// CHECK-DAG: #[[MA:.*]] = #tilegpu.linear<{offset = {{.*}}, [64, 16]>
// CHECK-DAG: #[[MB:.*]] = #tilegpu.linear<{offset = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
// CHECK-DAG: #[[MT:.*]] = #tilegpu.linear<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8]]}, [8, 16]>
#am = #tilegpu.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 32]], lane = [[16, 0], [32, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]], block = []}, [64, 64]>
#bn = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [32, 0]], lane = [[0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}, [64, 64]>
#cp = #tilegpu.linear<{register = [[0, 1], [1, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 64]>
#sm = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]}, [64, 64]>
#sn = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}, [64, 64]>
#sk = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [16, 2], [32, 4], [0, 8], [0, 16], [0, 32]]}, [64, 64]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// CHECK-LABEL: func @carried_product
// CHECK-SAME: (%[[P:.*]]: !tile.ptr<f16>, %[[AT:.*]]: tensor<64x16xi32, #{{.*}}>, %{{.*}}: tensor<8x16x!tile.ptr<f16>, #{{.*}}>, %[[STEP:.*]]: tensor<8x16xi32, #{{.*}}>, %[[INIT:.*]]: tensor<64x8xf32, #{{.*}}>, %[[N:.*]]: i32)
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : i32
// CHECK: %[[Q:.*]] = tile.addptr
// CHECK: %[[RA:.*]] = tilegpu.local_alloc : <[64, 16], f16, #[[MA]], buffers = 3>
// CHECK: %[[RB:.*]] = tilegpu.local_alloc : <[16, 8], f16, #[[MB]], buffers = 3>
// Iteration 0 to buffer 0, if there is one.
// CHECK: %[[Q1:.*]] = tile.addptr %[[Q]], %[[STEP]]
// CHECK: %[[IN0:.*]] = arith.cmpi slt, %[[C0]], %[[N]] : i32
// CHECK: %[[M0:.*]] = tile.splat %[[IN0]] : i1 -> tensor<64x16xi1
// CHECK: %[[A0:.*]] = tilegpu.memdesc_index %[[RA]][%[[C0]]]
// CHECK: tilegpu.async_copy %{{.*}}, %[[A0]] mask %[[M0]]
// CHECK: %[[MB0:.*]] = tile.splat %[[IN0]] : i1 -> tensor<8x16xi1
// CHECK: %[[B0:.*]] = tilegpu.memdesc_index %[[RB]][%[[C0]]]
// CHECK: %[[T0:.*]] = tilegpu.memdesc_permute %[[B0]] order = [1, 0] : <[16, 8], f16, #[[MB]]> -> <[8, 16], f16, #[[MT]]>
// CHECK: tilegpu.async_copy %[[Q]], %[[T0]] mask %[[MB0]]
// CHECK: tilegpu.async_commit
// Iteration 1 to buffer 1, with the pointers that are carried one iteration ahead.
// CHECK: %[[Q2:.*]] = tile.addptr %[[Q1]], %[[STEP]]
// CHECK: %[[IN1:.*]] = arith.cmpi slt, %{{.*}}, %[[N]] : i32
// CHECK: tilegpu.memdesc_index %[[RA]][%c1_i32]
// CHECK: tilegpu.async_copy
// CHECK: tilegpu.async_copy %[[Q1]]
// CHECK: tilegpu.async_commit
// CHECK: %[[LOOP:.*]]:5 = scf.for %[[I:.*]] = %[[C0]] to %[[N]] step %[[C16]] iter_args(%[[ACC:.*]] = %[[INIT]], %[[QI:.*]] = %[[Q]], %[[QA:.*]] = %[[Q2]], %[[FILL:.*]] = %c2_i32, %[[READ:.*]] = %[[C0]])
// CHECK-NEXT: tilegpu.async_wait 1
// CHECK-NOT: tilegpu.wgmma
// CHECK: %[[AI:.*]] = tilegpu.memdesc_index %[[RA]][%[[READ]]]
// CHECK: %[[BI:.*]] = tilegpu.memdesc_index %[[RB]][%[[READ]]]
// CHECK-NOT: tile.load
// CHECK-NOT: tilegpu.local_store
// CHECK: %[[NEW:.*]] = tilegpu.wgmma %[[AI]], %[[BI]], %[[ACC]]
// The product of this iteration stays in flight, the one before has landed: its buffers are filled.
// CHECK: %[[DONE:.*]] = tilegpu.wgmma_wait %[[NEW]] pending = 1
// CHECK: %[[AHEAD:.*]] = arith.addi %[[I]], %{{.*}} : i32
// CHECK: %[[QN:.*]] = tile.addptr %[[QA]], %[[STEP]]
// CHECK: arith.cmpi slt, %[[AHEAD]], %[[N]]
// CHECK: tilegpu.memdesc_index %[[RA]][%[[FILL]]]
// CHECK: tilegpu.async_copy
// CHECK: tilegpu.async_copy %[[QA]]
// CHECK: tilegpu.async_commit
// CHECK: %[[F1:.*]] = arith.addi %[[FILL]], %c1_i32
// CHECK: %[[FW:.*]] = arith.cmpi eq, %[[F1]], %c3_i32
// CHECK: %[[FN:.*]] = arith.select %[[FW]], %[[C0]], %[[F1]]
// CHECK: %[[R1:.*]] = arith.addi %[[READ]], %c1_i32
// CHECK: %[[RN:.*]] = arith.select
// CHECK: scf.yield %[[DONE]], %{{.*}}, %[[QN]], %[[FN]], %[[RN]]
// CHECK: }
// CHECK-NEXT: tilegpu.async_wait 0
// CHECK-NEXT: %[[LAST:.*]] = tilegpu.wgmma_wait %[[LOOP]]#0 pending = 0
// CHECK-NEXT: return %[[LAST]]
// All know of the copies, and of the product that has read the slot which is filled.
// SYNC-LABEL: func.func @carried_product
// SYNC: scf.for
// SYNC-NEXT: tilegpu.async_wait 1
// SYNC-NEXT: tilegpu.proxy_fence
// SYNC-NEXT: nvvm.barrier0
// SYNC: tilegpu.wgmma %
// SYNC: tilegpu.wgmma_wait {{.*}} pending = 1
// SYNC-NEXT: nvvm.barrier0
// SYNC-NOT: {{nvvm.barrier0|proxy_fence}}
// SYNC: return
func.func @carried_product(%p: !tile.ptr<f16>, %at: tensor<64x16xi32, #a>, %q0: tensor<8x16x!tile.ptr<f16>, #t>, %step: tensor<8x16xi32, #t>, %c: tensor<64x8xf32, #c>, %n: i32) -> tensor<64x8xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %q = tile.addptr %q0, %step {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<8x16x!tile.ptr<f16>, #t>, tensor<8x16xi32, #t>
  %0:2 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c, %qi = %q) -> (tensor<64x8xf32, #c>, tensor<8x16x!tile.ptr<f16>, #t>) : i32 {
    %1 = tile.addptr %p, %i : !tile.ptr<f16>, i32
    %2 = tile.splat %1 : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>, #a>
    %3 = tile.addptr %2, %at {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<64x16x!tile.ptr<f16>, #a>, tensor<64x16xi32, #a>
    %4 = tile.load %3 : tensor<64x16x!tile.ptr<f16>, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %4, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %5 = tile.load %qi : tensor<8x16x!tile.ptr<f16>, #t>
    %6 = tile.permute %5 {order = array<i32: 1, 0>} : tensor<8x16xf16, #t> -> tensor<16x8xf16, #bk>
    %sb = tilegpu.local_alloc : !tilegpu.memdesc<[16, 8], f16, #mb>
    tilegpu.local_store %6, %sb : tensor<16x8xf16, #bk>, !tilegpu.memdesc<[16, 8], f16, #mb>
    %7 = tilegpu.wgmma %sa, %sb, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %8 = tilegpu.wgmma_wait %7 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    %9 = tile.addptr %qi, %step {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<8x16x!tile.ptr<f16>, #t>, tensor<8x16xi32, #t>
    scf.yield %8, %9 : tensor<64x8xf32, #c>, tensor<8x16x!tile.ptr<f16>, #t>
  }
  return %0#0 : tensor<64x8xf32, #c>
}

// Two stages, as the loop says: one iteration ahead. The buffer of B is made outside and stays.
// CHECK-LABEL: func @two_stages
// CHECK: tilegpu.local_alloc : <[64, 16], f16, #[[MA]], buffers = 2>
// CHECK-COUNT-1: tilegpu.async_commit
// CHECK: scf.for
// CHECK-NEXT: tilegpu.async_wait 0
// CHECK: tilegpu.wgmma
// CHECK: tilegpu.wgmma_wait %{{.*}} pending = 1
// CHECK: tilegpu.async_commit
// CHECK: }
// CHECK: tilegpu.wgmma_wait %{{.*}} pending = 0
func.func @two_stages(%p: !tile.ptr<f16>, %at: tensor<64x16xi32, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %n: i32) -> tensor<64x8xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
    %1 = tile.addptr %p, %i : !tile.ptr<f16>, i32
    %2 = tile.splat %1 : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>, #a>
    %3 = tile.addptr %2, %at {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<64x16x!tile.ptr<f16>, #a>, tensor<64x16xi32, #a>
    %4 = tile.load %3 : tensor<64x16x!tile.ptr<f16>, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %4, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %5 = tilegpu.wgmma %sa, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %6 = tilegpu.wgmma_wait %5 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    scf.yield %6 : tensor<64x8xf32, #c>
  } {tile.num_stages = 2 : i32}
  return %0 : tensor<64x8xf32, #c>
}

// CHECK-LABEL: func @four_stages
// CHECK: tilegpu.local_alloc : <[64, 16], f16, #[[MA]], buffers = 4>
// CHECK-COUNT-3: tilegpu.async_commit
// CHECK: scf.for
// CHECK-NEXT: tilegpu.async_wait 2
// CHECK: tilegpu.wgmma_wait %{{.*}} pending = 1
func.func @four_stages(%p: !tile.ptr<f16>, %at: tensor<64x16xi32, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %n: i32) -> tensor<64x8xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
    %1 = tile.addptr %p, %i : !tile.ptr<f16>, i32
    %2 = tile.splat %1 : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>, #a>
    %3 = tile.addptr %2, %at {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<64x16x!tile.ptr<f16>, #a>, tensor<64x16xi32, #a>
    %4 = tile.load %3 : tensor<64x16x!tile.ptr<f16>, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %4, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %5 = tilegpu.wgmma %sa, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %6 = tilegpu.wgmma_wait %5 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    scf.yield %6 : tensor<64x8xf32, #c>
  } {tile.num_stages = 4 : i32}
  return %0 : tensor<64x8xf32, #c>
}

// CHECK-LABEL: func @one_stage
// CHECK-NOT: buffers
// CHECK-NOT: async
// CHECK: scf.for
// CHECK: tile.load
// CHECK: tilegpu.local_store
// CHECK-NOT: tilegpu.wgmma
// CHECK: tilegpu.wgmma
// CHECK-NEXT: tilegpu.wgmma_wait %{{.*}} pending = 0
// CHECK-NOT: async
func.func @one_stage(%p: !tile.ptr<f16>, %at: tensor<64x16xi32, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %n: i32) -> tensor<64x8xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
    %1 = tile.addptr %p, %i : !tile.ptr<f16>, i32
    %2 = tile.splat %1 : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>, #a>
    %3 = tile.addptr %2, %at {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<64x16x!tile.ptr<f16>, #a>, tensor<64x16xi32, #a>
    %4 = tile.load %3 : tensor<64x16x!tile.ptr<f16>, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %4, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %5 = tilegpu.wgmma %sa, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %6 = tilegpu.wgmma_wait %5 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    scf.yield %6 : tensor<64x8xf32, #c>
  } {tile.num_stages = 1 : i32}
  return %0 : tensor<64x8xf32, #c>
}

// The sum is halved before the next product adds to it: the product is waited for where it was, and the copies are issued
// first, into the buffer that the barrier will free. The next iteration's copies are waited for while the product runs.
// CHECK-LABEL: func @used_result
// CHECK: tilegpu.async_wait 1
// CHECK: scf.for
// CHECK-NOT: tilegpu.wgmma
// CHECK-NOT: tilegpu.async_wait
// CHECK: tilegpu.async_copy
// CHECK-NEXT: tilegpu.async_commit
// CHECK: %[[P:.*]] = tilegpu.wgmma
// CHECK-NEXT: tilegpu.async_wait 1
// CHECK-NEXT: tilegpu.wgmma_wait %[[P]] pending = 0
// CHECK: scf.yield
// CHECK: tilegpu.async_wait 0
// CHECK-NOT: tilegpu.wgmma_wait
// The fences are behind the waits, the barrier is where the slot is filled that the iteration before has read.
// SYNC-LABEL: func.func @used_result
// SYNC: tilegpu.async_wait 1
// SYNC-NEXT: tilegpu.proxy_fence
// SYNC-NEXT: scf.for
// SYNC-NOT: {{async_copy|proxy_fence}}
// SYNC: nvvm.barrier0
// SYNC-NEXT: tilegpu.async_copy
// SYNC: tilegpu.async_commit
// SYNC-NOT: {{nvvm.barrier0|proxy_fence}}
// SYNC: tilegpu.wgmma %
// SYNC-NEXT: tilegpu.async_wait 1
// SYNC-NEXT: tilegpu.proxy_fence
// SYNC-NEXT: tilegpu.wgmma_wait
// SYNC-NOT: {{nvvm.barrier0|proxy_fence}}
// SYNC: return
func.func @used_result(%p: !tile.ptr<f16>, %at: tensor<64x16xi32, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %n: i32) -> tensor<64x8xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
    %1 = tile.addptr %p, %i : !tile.ptr<f16>, i32
    %2 = tile.splat %1 : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>, #a>
    %3 = tile.addptr %2, %at {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<64x16x!tile.ptr<f16>, #a>, tensor<64x16xi32, #a>
    %4 = tile.load %3 : tensor<64x16x!tile.ptr<f16>, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %4, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %h = arith.addf %acc, %acc : tensor<64x8xf32, #c>
    %5 = tilegpu.wgmma %sa, %b, %h : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %6 = tilegpu.wgmma_wait %5 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    scf.yield %6 : tensor<64x8xf32, #c>
  }
  return %0 : tensor<64x8xf32, #c>
}

// The other buffer is written again in the next iteration, while the product is in flight: there are two of it. The copies
// are issued behind the fence, which would wait for them.
// CHECK-LABEL: func @stored_operand
// CHECK: %[[PAIR:.*]] = tilegpu.local_alloc : <[16, 8], f16, #[[MB:.*]], buffers = 2>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[HALF:.*]] = %{{.*}}) ->
// CHECK: %[[SB:.*]] = tilegpu.memdesc_index %[[PAIR]][%[[HALF]]]
// CHECK-NOT: tilegpu.async
// CHECK: tilegpu.local_store %{{.*}}, %[[SB]]
// CHECK-NEXT: %[[P:.*]] = tilegpu.wgmma %{{.*}}, %[[SB]],
// CHECK-NEXT: tilegpu.wgmma_wait %[[P]] pending = 1
// CHECK: tilegpu.async_commit
// CHECK: %[[OTHER:.*]] = arith.xori %[[HALF]], %{{.*}}
// CHECK-NEXT: scf.yield %{{.*}}, %{{.*}}, %{{.*}}, %[[OTHER]] :
// One barrier tells of the copies and of the stores.
// SYNC-LABEL: func.func @stored_operand
// SYNC: scf.for
// SYNC-NEXT: tilegpu.async_wait 1
// SYNC-NOT: {{nvvm.barrier0|proxy_fence}}
// SYNC: tilegpu.local_store
// SYNC-NEXT: tilegpu.proxy_fence
// SYNC-NEXT: nvvm.barrier0
// SYNC-NEXT: tilegpu.wgmma %
// SYNC-NEXT: tilegpu.wgmma_wait {{.*}} pending = 1
// SYNC-NEXT: nvvm.barrier0
// SYNC: tilegpu.async_commit
// SYNC-NOT: {{nvvm.barrier0|proxy_fence}}
// SYNC: return
func.func @stored_operand(%p: !tile.ptr<f16>, %at: tensor<64x16xi32, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %n: i32, %x: tensor<16x8xf16, #bk>) -> tensor<64x8xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
    %1 = tile.addptr %p, %i : !tile.ptr<f16>, i32
    %2 = tile.splat %1 : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>, #a>
    %3 = tile.addptr %2, %at {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<64x16x!tile.ptr<f16>, #a>, tensor<64x16xi32, #a>
    %4 = tile.load %3 : tensor<64x16x!tile.ptr<f16>, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %4, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %sb = tilegpu.local_alloc : !tilegpu.memdesc<[16, 8], f16, #mb>
    tilegpu.local_store %x, %sb : tensor<16x8xf16, #bk>, !tilegpu.memdesc<[16, 8], f16, #mb>
    %5 = tilegpu.wgmma %sa, %sb, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %6 = tilegpu.wgmma_wait %5 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    scf.yield %6 : tensor<64x8xf32, #c>
  }
  return %0 : tensor<64x8xf32, #c>
}

// Bytes that are transposed from the ring to such a buffer, and fragments from the other ring, whose last part alone is in
// flight over the back edge: the copies of the next iteration are waited for behind the product. None in flight reads what
// is copied, and the barrier at the head is enough for the copies, too.
// CHECK-LABEL: func @transposed_operand
// CHECK: scf.for
// CHECK: tilegpu.local_load
// CHECK: tilegpu.local_store
// CHECK-NEXT: %[[P:.*]] = tilegpu.wgmma
// CHECK-NEXT: tilegpu.async_wait 0
// CHECK-NEXT: tilegpu.wgmma_wait %[[P]] pending = 2
// CHECK: tilegpu.async_commit
// CHECK: scf.yield
// SYNC-LABEL: func.func @transposed_operand
// SYNC: tilegpu.async_wait 1
// SYNC: scf.for
// SYNC: nvvm.barrier0
// SYNC: tilegpu.local_store
// SYNC-NEXT: tilegpu.proxy_fence
// SYNC-NEXT: nvvm.barrier0
// SYNC-NEXT: tilegpu.wgmma %
// SYNC-NOT: {{nvvm.barrier0|proxy_fence}}
// SYNC: return
func.func @transposed_operand(%p: !tile.ptr<i8>, %at: tensor<64x64xi32, #am>, %bt: tensor<64x64xi32, #bn>, %c: tensor<64x64xi32, #cp>, %n: i32) -> tensor<64x64xi32, #cp> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %0 = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %c) -> (tensor<64x64xi32, #cp>) : i32 {
    %1 = tile.addptr %p, %i : !tile.ptr<i8>, i32
    %2 = tile.splat %1 : !tile.ptr<i8> -> tensor<64x64x!tile.ptr<i8>, #am>
    %3 = tile.addptr %2, %at {tile.contiguity = array<i32: 16, 1>, tile.divisibility = array<i32: 16, 16>} : tensor<64x64x!tile.ptr<i8>, #am>, tensor<64x64xi32, #am>
    %4 = tile.load %3 : tensor<64x64x!tile.ptr<i8>, #am>
    %5 = tile.splat %1 : !tile.ptr<i8> -> tensor<64x64x!tile.ptr<i8>, #bn>
    %6 = tile.addptr %5, %bt {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<64x64x!tile.ptr<i8>, #bn>, tensor<64x64xi32, #bn>
    %7 = tile.load %6 : tensor<64x64x!tile.ptr<i8>, #bn>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 64], i8, #sm>
    tilegpu.local_store %4, %sa : tensor<64x64xi8, #am>, !tilegpu.memdesc<[64, 64], i8, #sm>
    %sn = tilegpu.local_alloc : !tilegpu.memdesc<[64, 64], i8, #sn>
    tilegpu.local_store %7, %sn : tensor<64x64xi8, #bn>, !tilegpu.memdesc<[64, 64], i8, #sn>
    %8 = tilegpu.local_load %sn : !tilegpu.memdesc<[64, 64], i8, #sn> -> tensor<64x64xi8, #bn>
    %sb = tilegpu.local_alloc : !tilegpu.memdesc<[64, 64], i8, #sk>
    tilegpu.local_store %8, %sb : tensor<64x64xi8, #bn>, !tilegpu.memdesc<[64, 64], i8, #sk>
    %9 = tilegpu.wgmma %sa, %sb, %acc fragments_of = 0 : !tilegpu.memdesc<[64, 64], i8, #sm>, !tilegpu.memdesc<[64, 64], i8, #sk> -> tensor<64x64xi32, #cp>
    %10 = tilegpu.wgmma_wait %9 pending = 0 : tensor<64x64xi32, #cp> -> tensor<64x64xi32, #cp>
    scf.yield %10 : tensor<64x64xi32, #cp>
  }
  return %0 : tensor<64x64xi32, #cp>
}

// A mask is computed for the iteration of the copy, and holds in range only. The remark-free case: zeros elsewhere.
// CHECK-LABEL: func @masked
// CHECK: scf.for %[[I:[a-z0-9]*]] =
// CHECK: %[[AHEAD:.*]] = arith.addi %[[I]]
// CHECK: %[[LIMIT:.*]] = tile.splat %[[AHEAD]] : i32 -> tensor<64x16xi32
// CHECK: %[[OWN:.*]] = arith.cmpi slt, %{{.*}}, %[[LIMIT]]
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[AHEAD]]
// CHECK: %[[ALL:.*]] = tile.splat %[[IN]]
// CHECK: %[[MASK:.*]] = arith.andi %[[ALL]], %[[OWN]]
// CHECK: tilegpu.async_copy %{{.*}}, %{{.*}} mask %[[MASK]] : {{.*}} cache = cg
func.func @masked(%p: !tile.ptr<f16>, %at: tensor<64x16xi32, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %n: i32) -> tensor<64x8xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %z = arith.constant dense<0.0> : tensor<64x16xf16, #a>
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
    %1 = tile.addptr %p, %i : !tile.ptr<f16>, i32
    %2 = tile.splat %1 : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>, #a>
    %3 = tile.addptr %2, %at {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<64x16x!tile.ptr<f16>, #a>, tensor<64x16xi32, #a>
    %l = tile.splat %i : i32 -> tensor<64x16xi32, #a>
    %m = arith.cmpi slt, %at, %l {tile.constancy = array<i32: 1, 16>} : tensor<64x16xi32, #a>
    %4 = tile.load %3, %m, %z cache = cg : tensor<64x16x!tile.ptr<f16>, #a>
    %sa = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #ma>
    tilegpu.local_store %4, %sa : tensor<64x16xf16, #a>, !tilegpu.memdesc<[64, 16], f16, #ma>
    %5 = tilegpu.wgmma %sa, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, !tilegpu.memdesc<[16, 8], f16, #mb> -> tensor<64x8xf32, #c>
    %6 = tilegpu.wgmma_wait %5 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
    scf.yield %6 : tensor<64x8xf32, #c>
  }
  return %0 : tensor<64x8xf32, #c>
}

// Where the address is loaded, that load is done ahead, too, at the head of the iteration, and not for iterations that do
// not exist.
// CHECK-LABEL: func @loaded_address
// CHECK: %[[IN:.*]] = arith.cmpi slt, %c0_i32, %{{.*}}
// CHECK: tile.load %{{.*}}, %[[IN]] : !tile.ptr<i32>
// CHECK: tilegpu.async_copy
// CHECK: scf.for
// CHECK: arith.cmpi slt
// CHECK: tile.load %{{.*}}, %{{.*}} : !tile.ptr<i32>
// CHECK: tilegpu.async_wait 1
// CHECK: tilegpu.wgmma
// CHECK: tilegpu.async_copy
// CHECK: scf.yield
func.func @loaded_address(%p: !tile.ptr<f16>, %at: tensor<64x16xi32, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %n: i32, %ip: !tile.ptr<i32>) -> tensor<64x8xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
    %j = tile.addptr %ip, %i : !tile.ptr<i32>, i32
    %k = tile.load %j : !tile.ptr<i32>
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

// The condition of an unsigned loop is unsigned.
// CHECK-LABEL: func @unsigned_range
// CHECK: arith.cmpi ult
// CHECK: scf.for unsigned
// CHECK: arith.cmpi ult
func.func @unsigned_range(%p: !tile.ptr<f16>, %at: tensor<64x16xi32, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %n: i32) -> tensor<64x8xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %0 = scf.for unsigned %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
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
}

// -----

// The kernel's number.
#a = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>
#t = #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]], block = []}, [8, 16]>
#bk = #tilegpu.linear<{register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0], [0, 0]], block = []}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>
#ma = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#mb = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a", tile.num_stages = 5 : i32} {
// CHECK-LABEL: func @of_the_module
// CHECK: tilegpu.local_alloc {{.*}}, buffers = 5>
// CHECK-COUNT-4: tilegpu.async_commit
// CHECK: scf.for
func.func @of_the_module(%p: !tile.ptr<f16>, %at: tensor<64x16xi32, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %n: i32) -> tensor<64x8xf32, #c> {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x8xf32, #c>) : i32 {
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
}

// RUN: tile-opt %s --convert-tilegpu-to-threads --cse | FileCheck %s

#p = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>
#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#q = #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]], block = []}, [8, 16]>
#b = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#bt = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8]]}, [8, 16]>

module attributes {tilegpu.num_warps = 4 : i32} {
// A buffer of the ring is its number times 2048 bytes on; 16 bytes at a time, past the L1 cache.
// CHECK-LABEL: func @ring
// CHECK-SAME: (%[[RING:.*]]: !llvm.ptr<3>, %[[I:[a-z0-9]*]]: i32,
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 2048 : i32
// CHECK: %[[OFFSET:.*]] = arith.muli %[[I]], %[[BYTES]] : i32
// CHECK: %[[BUFFER:.*]] = llvm.getelementptr %[[RING]][%[[OFFSET]]]
// CHECK: %[[TO:.*]] = llvm.getelementptr %[[BUFFER]][%{{.*}}]
// CHECK: nvvm.cp.async.shared.global %[[TO]], %{{.*}}, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
// CHECK-NOT: cp.async.shared
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 1
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
func.func @ring(%ring: !tilegpu.memdesc<[64, 16], f16, #a, buffers = 3>, %i: i32, %p: tensor<64x16x!tile.ptr<f16>, #p>, %at: tensor<64x16xi32, #p>) {
  %0 = tilegpu.memdesc_index %ring[%i] : !tilegpu.memdesc<[64, 16], f16, #a, buffers = 3> -> !tilegpu.memdesc<[64, 16], f16, #a>
  %1 = tile.addptr %p, %at {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<64x16x!tile.ptr<f16>, #p>, tensor<64x16xi32, #p>
  tilegpu.async_copy %1, %0 : tensor<64x16x!tile.ptr<f16>, #p>, !tilegpu.memdesc<[64, 16], f16, #a>
  tilegpu.async_commit
  tilegpu.async_wait 1
  tilegpu.proxy_fence
  return
}

// What the copy says to the second-level cache.
// CHECK-LABEL: func @told
// CHECK: nvvm.cp.async.shared.global {{.*}} {tilegpu.evict = 2 : i32, tilegpu.whole_lines}
func.func @told(%to: !tilegpu.memdesc<[64, 16], f16, #a>, %p: tensor<64x16x!tile.ptr<f16>, #p>, %at: tensor<64x16xi32, #p>) {
  %0 = tile.addptr %p, %at {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<64x16x!tile.ptr<f16>, #p>, tensor<64x16xi32, #p>
  tilegpu.async_copy %0, %to evict = evict_last {whole_lines} : tensor<64x16x!tile.ptr<f16>, #p>, !tilegpu.memdesc<[64, 16], f16, #a>
  return
}

// With a mask the rest is filled with zeros: a size of no bytes. With .ca the line stays in L1.
// CHECK-LABEL: func @masked
// CHECK: %[[SIZE:.*]] = arith.select %{{.*}}, %c16_i32, %c0_i32 : i32
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = ca, %[[SIZE]]
func.func @masked(%to: !tilegpu.memdesc<[64, 16], f16, #a>, %p: tensor<64x16x!tile.ptr<f16>, #p>, %at: tensor<64x16xi32, #p>, %limit: i32) {
  %0 = tile.addptr %p, %at {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<64x16x!tile.ptr<f16>, #p>, tensor<64x16xi32, #p>
  %l = tile.splat %limit : i32 -> tensor<64x16xi32, #p>
  %m = arith.cmpi slt, %at, %l {tile.constancy = array<i32: 1, 16>} : tensor<64x16xi32, #p>
  tilegpu.async_copy %0, %to mask %m : tensor<64x16xi1, #p> cache = ca : tensor<64x16x!tile.ptr<f16>, #p>, !tilegpu.memdesc<[64, 16], f16, #a>
  return
}

// Another order of the dimensions is the same memory. What four warps hold one copies, 8 bytes at a time: through L1.
// CHECK-LABEL: func @permuted
// CHECK-SAME: (%[[B:.*]]: !llvm.ptr<3>,
// CHECK: %[[TO:.*]] = llvm.getelementptr %[[B]][%{{.*}}]
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: nvvm.cp.async.shared.global %[[TO]], %{{.*}}, 8, cache = ca
// CHECK-NEXT: }
func.func @permuted(%b: !tilegpu.memdesc<[16, 8], f16, #b>, %p: tensor<8x16x!tile.ptr<f16>, #q>, %at: tensor<8x16xi32, #q>) {
  %0 = tilegpu.memdesc_permute %b order = [1, 0] : !tilegpu.memdesc<[16, 8], f16, #b> -> !tilegpu.memdesc<[8, 16], f16, #bt>
  %1 = tile.addptr %p, %at {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<8x16x!tile.ptr<f16>, #q>, tensor<8x16xi32, #q>
  tilegpu.async_copy %1, %0 : tensor<8x16x!tile.ptr<f16>, #q>, !tilegpu.memdesc<[8, 16], f16, #bt>
  return
}
}

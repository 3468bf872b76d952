// RUN: tile-opt %s --convert-tilegpu-to-threads --cse | FileCheck %s

#v4 = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>
#swapped = #tilegpu.linear<{register = [], lane = [[2], [1], [4], [8], [16]], warp = [[0], [0]], block = []}, [32]>
#lanes = #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]], block = []}, [32]>
#eight = #tilegpu.linear<{register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [[0], [0]], block = []}, [256]>
#halves = #tilegpu.linear<{register = [[0, 1], [0, 16], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 32]>
#half = #tilegpu.linear<{register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>

module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// Four consecutive aligned floats are one instruction.
// CHECK-LABEL: func @vector_access
// CHECK-COUNT-1: tilegpu.ld_global {{.*}} -> vector<4xi32>
// CHECK-NOT: tilegpu.ld_global
// CHECK-COUNT-1: tilegpu.st_global {{.*}} : vector<4xi32>
// CHECK-NOT: tilegpu.st_global
func.func @vector_access(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  %r = tile.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #v4>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #v4>
  %a = tile.addptr %s, %r : tensor<512x!tile.ptr<f32>, #v4>, tensor<512xi32, #v4>
  %v = tile.load %a : tensor<512x!tile.ptr<f32>, #v4>
  tile.store %a, %v : tensor<512x!tile.ptr<f32>, #v4>
  func.return
}

// Warps that hold the same elements store once.
// CHECK-LABEL: func @replicated_store
// CHECK: %[[T:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[M:.*]] = arith.constant 96
// CHECK: %[[B:.*]] = arith.andi %[[T]], %[[M]]
// CHECK: %[[F:.*]] = arith.cmpi eq, %[[B]]
// CHECK: tilegpu.st_global {{.*}} if %[[F]]
func.func @replicated_store(%p: !tile.ptr<f32>, %x: tensor<32xf32, #lanes>) {
  %r = tile.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #lanes>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
  %a = tile.addptr %s, %r : tensor<32x!tile.ptr<f32>, #lanes>, tensor<32xi32, #lanes>
  tile.store %a, %x : tensor<32x!tile.ptr<f32>, #lanes>
  func.return
}

// CHECK-LABEL: func @float_reduction
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl.sync
func.func @float_reduction(%p: !tile.ptr<f32>, %x: tensor<32xf32, #lanes>) {
  %0 = tile.reduce(%x) axis = 0 : (tensor<32xf32, #lanes>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  tile.store %p, %0 : !tile.ptr<f32>
  func.return
}

// Eight numbers of a thread are added in pairs; eight products in four chains, in which the second one is a multiply-add.
// CHECK-LABEL: func @sum_of_numbers
// CHECK: %[[A:.*]] = arith.addf
// CHECK-NEXT: %[[B:.*]] = arith.addf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: arith.addf %[[A]], %[[B]]
func.func @sum_of_numbers(%p: !tile.ptr<f32>, %x: tensor<256xf32, #eight>) {
  %0 = tile.reduce(%x) axis = 0 : (tensor<256xf32, #eight>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  tile.store %p, %0 : !tile.ptr<f32>
  func.return
}

// CHECK-LABEL: func @sum_of_products
// CHECK: %[[FIRST:.*]] = arith.mulf
// CHECK: %[[SECOND:.*]] = arith.mulf
// CHECK-COUNT-2: arith.mulf
// CHECK: %[[FIFTH:.*]] = arith.mulf
// CHECK: %[[SIXTH:.*]] = arith.mulf
// CHECK: %[[A:.*]] = arith.addf %[[FIRST]], %[[FIFTH]]
// CHECK-NEXT: %[[B:.*]] = arith.addf %[[SECOND]], %[[SIXTH]]
// CHECK-NEXT: arith.addf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: arith.addf %[[A]], %[[B]]
func.func @sum_of_products(%p: !tile.ptr<f32>, %x: tensor<256xf32, #eight>) {
  %squares = arith.mulf %x, %x : tensor<256xf32, #eight>
  %0 = tile.reduce(%squares) axis = 0 : (tensor<256xf32, #eight>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  tile.store %p, %0 : !tile.ptr<f32>
  func.return
}

// CHECK-LABEL: func @integer_reduction
// CHECK: nvvm.redux.sync umax
// CHECK-NOT: nvvm.shfl.sync
func.func @integer_reduction(%p: !tile.ptr<i32>, %x: tensor<32xi32, #lanes>) {
  %0 = tile.reduce(%x) axis = 0 : (tensor<32xi32, #lanes>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %s = arith.maxui %a, %b : i32
    tile.yield %s : i32
  }
  tile.store %p, %0 : !tile.ptr<i32>
  func.return
}

// CHECK-LABEL: func @shuffle_conversion
// CHECK: nvvm.shfl.sync
// CHECK-NOT: convert_layout
func.func @shuffle_conversion(%p: !tile.ptr<f32>, %x: tensor<32xf32, #lanes>) {
  %0 = tilegpu.convert_layout %x : tensor<32xf32, #lanes> -> tensor<32xf32, #swapped>
  %r = tile.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #swapped>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #swapped>
  %a = tile.addptr %s, %r : tensor<32x!tile.ptr<f32>, #swapped>, tensor<32xi32, #swapped>
  tile.store %a, %0 : tensor<32x!tile.ptr<f32>, #swapped>
  func.return
}

// The second half of the columns is in every second pair of registers.
// CHECK-LABEL: func @extract_slice
// CHECK: tilegpu.st_global %arg3, %arg0
// CHECK-NEXT: tilegpu.st_global %arg4, %arg0
// CHECK-NEXT: tilegpu.st_global %arg7, %arg0
// CHECK-NEXT: tilegpu.st_global %arg8, %arg0
// CHECK-NEXT: tilegpu.st_global %arg11, %arg0
// CHECK-NEXT: tilegpu.st_global %arg12, %arg0
// CHECK-NEXT: tilegpu.st_global %arg15, %arg0
// CHECK-NEXT: tilegpu.st_global %arg16, %arg0
// CHECK-NEXT: return
func.func @extract_slice(%p: !tile.ptr<i32>, %x: tensor<64x32xi32, #halves>) {
  %0 = tilegpu.extract_slice %x axis = 1 start = 16 : tensor<64x32xi32, #halves> -> tensor<64x16xi32, #half>
  %a = tile.splat %p : !tile.ptr<i32> -> tensor<64x16x!tile.ptr<i32>, #half>
  tile.store %a, %0 : tensor<64x16x!tile.ptr<i32>, #half>
  func.return
}

// CHECK-LABEL: func @reciprocal
// CHECK: nvvm.rcp.approx.ftz.f %{{.*}} : f32
func.func @reciprocal(%p: !tile.ptr<f32>, %x: f32) {
  %0 = tile.reciprocal %x : f32
  tile.store %p, %0 : !tile.ptr<f32>
  func.return
}

// One instruction for a register, `brev.b32`.
// CHECK-LABEL: func @bit_reverse
// CHECK: llvm.intr.bitreverse(%{{.*}}) : (i32) -> i32
// CHECK-NOT: llvm.intr.bitreverse
// CHECK: return
func.func @bit_reverse(%p: !tile.ptr<i32>, %x: i32) {
  %0 = tile.bit_reverse %x : i32
  tile.store %p, %0 : !tile.ptr<i32>
  func.return
}
}

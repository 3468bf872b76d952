// RUN: tile-opt %s --split-input-file --tilegpu-plan-registers=steps=occupancy | FileCheck %s

// Sixteen warps with 64 elements a thread of a row that is kept in f32: one CTA would have more than 64 registers a
// thread, and the half of the row that two CTAs do not hold takes 48 of 113 KB.
// CHECK: module attributes {{.*}}tilegpu.min_ctas = 2{{.*}}tilegpu.planned_occupancy
#row = #tilegpu.linear<{register = [[1], [2], [4], [4096], [8192], [16384]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512], [1024], [2048]], block = []}, [32768]>
module attributes {tilegpu.num_warps = 16 : i32, tile.target = "sm_90a"} {
  func.func @narrow(%p: tensor<32768x!tile.ptr<bf16>, #row>) {
    %l = tile.load %p : tensor<32768x!tile.ptr<bf16>, #row>
    %x = arith.extf %l : tensor<32768xbf16, #row> to tensor<32768xf32, #row>
    %s = tile.reduce(%x) axis = 0 : (tensor<32768xf32, #row>) -> f32 {
    ^bb0(%b: f32, %c: f32):
      %t = arith.addf %b, %c : f32
      tile.yield %t : f32
    }
    %u = tile.splat %s : f32 -> tensor<32768xf32, #row>
    %v = arith.divf %x, %u : tensor<32768xf32, #row>
    %y = arith.truncf %v : tensor<32768xf32, #row> to tensor<32768xbf16, #row>
    tile.store %p, %y : tensor<32768x!tile.ptr<bf16>, #row>
    func.return
  }
}

// -----

// The same row with elements of four bytes is bound by memory: one CTA.
// CHECK: module attributes
// CHECK-NOT: min_ctas
// CHECK-SAME: {
// CHECK-LABEL: func @wide
#row = #tilegpu.linear<{register = [[1], [2], [4096], [8192], [16384], [4]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512], [1024], [2048]], block = []}, [32768]>
module attributes {tilegpu.num_warps = 16 : i32, tile.target = "sm_90a"} {
  func.func @wide(%p: tensor<32768x!tile.ptr<f32>, #row>) {
    %x = tile.load %p : tensor<32768x!tile.ptr<f32>, #row>
    %s = tile.reduce(%x) axis = 0 : (tensor<32768xf32, #row>) -> f32 {
    ^bb0(%b: f32, %c: f32):
      %t = arith.addf %b, %c : f32
      tile.yield %t : f32
    }
    %u = tile.splat %s : f32 -> tensor<32768xf32, #row>
    %v = arith.divf %x, %u : tensor<32768xf32, #row>
    tile.store %p, %v : tensor<32768x!tile.ptr<f32>, #row>
    func.return
  }
}

// -----

// Few registers: two CTAs fit anyway.
// CHECK: module attributes
// CHECK-NOT: min_ctas
// CHECK-SAME: {
// CHECK-LABEL: func @short
#row = #tilegpu.linear<{register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512], [1024], [2048]], block = []}, [4096]>
module attributes {tilegpu.num_warps = 16 : i32, tile.target = "sm_90a"} {
  func.func @short(%p: tensor<4096x!tile.ptr<bf16>, #row>) {
    %l = tile.load %p : tensor<4096x!tile.ptr<bf16>, #row>
    %x = arith.extf %l : tensor<4096xbf16, #row> to tensor<4096xf32, #row>
    %s = tile.reduce(%x) axis = 0 : (tensor<4096xf32, #row>) -> f32 {
    ^bb0(%b: f32, %c: f32):
      %t = arith.addf %b, %c : f32
      tile.yield %t : f32
    }
    %u = tile.splat %s : f32 -> tensor<4096xf32, #row>
    %v = arith.divf %x, %u : tensor<4096xf32, #row>
    %y = arith.truncf %v : tensor<4096xf32, #row> to tensor<4096xbf16, #row>
    tile.store %p, %y : tensor<4096x!tile.ptr<bf16>, #row>
    func.return
  }
}

// RUN: tile-opt %s --tilegpu-accelerate-dots --split-input-file --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s
// RUN: tile-opt %s --tilegpu-accelerate-dots --split-input-file | FileCheck %s --check-prefix=KEPT

// Products that wgmma does not have go to single warps, or stay, and say why.
// KEPT-NOT: tilegpu.wgmma

#a = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}, [64, 32]>
#b = #tilegpu.linear<{register = [[0, 1], [0, 2], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}, [32, 32]>
#n = #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 0], [0, 0]], block = []}, [32, 4]>
#m = #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [0, 0]], block = []}, [64, 4]>
#k = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [0, 0]], block = []}, [64, 8]>
#l = #tilegpu.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], warp = [[2, 0], [4, 0]], block = []}, [8, 32]>
#d = #tilegpu.linear<{register = [[0, 0, 1], [0, 0, 2], [0, 16, 0], [0, 32, 0], [1, 0, 0]], lane = [[0, 0, 4], [0, 0, 8], [0, 0, 16], [0, 1, 0], [0, 2, 0]], warp = [[0, 4, 0], [0, 8, 0]], block = []}, [2, 64, 32]>
#e = #tilegpu.linear<{register = [[0, 0, 1], [0, 0, 2], [0, 16, 0], [1, 0, 0]], lane = [[0, 0, 4], [0, 0, 8], [0, 0, 16], [0, 1, 0], [0, 2, 0]], warp = [[0, 4, 0], [0, 8, 0]], block = []}, [2, 32, 32]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @f(%a: tensor<64x32xf16, #a>, %b: tensor<32x32xf16, #b>, %f: tensor<64x32xf32, #a>, %g: tensor<32x32xf32, #b>,
             %n: tensor<32x4xf16, #n>, %cn: tensor<64x4xf32, #m>, %ak: tensor<64x8xf16, #k>, %bk: tensor<8x32xf16, #l>,
             %d3: tensor<2x64x32xf16, #d>, %e3: tensor<2x32x32xf16, #e>, %f3: tensor<2x64x32xf32, #d>, %h: tensor<64x32xf64, #a>, %i: tensor<32x32xf64, #b>) {
  // CHECK: NoWgmma {{.*}}dot runs as mma.sync instead of wgmma: ", Remark="wgmma needs at least 64 rows"
  // KEPT: tilegpu.mma
  %0 = tilegpu.dot %b, %b, %g : tensor<32x32xf16, #b>, tensor<32x32xf16, #b> -> tensor<32x32xf32, #b>
  // CHECK: NoWgmma {{.*}}dot runs as mma.sync instead of wgmma: ", Remark="wgmma needs at least 8 columns"
  // KEPT: tilegpu.mma
  %1 = tilegpu.dot %a, %n, %cn : tensor<64x32xf16, #a>, tensor<32x4xf16, #n> -> tensor<64x4xf32, #m>
  // CHECK: NoWgmma {{.*}}dot runs as mma.sync instead of wgmma: ", Remark="wgmma needs 32 bytes along K"
  // KEPT: tilegpu.mma
  %2 = tilegpu.dot %ak, %bk, %f : tensor<64x8xf16, #k>, tensor<8x32xf16, #l> -> tensor<64x32xf32, #a>
  // CHECK: NoWgmma {{.*}}dot runs as mma.sync instead of wgmma: ", Remark="wgmma takes no batches"
  // KEPT: tilegpu.mma
  %3 = tilegpu.dot %d3, %e3, %f3 : tensor<2x64x32xf16, #d>, tensor<2x32x32xf16, #e> -> tensor<2x64x32xf32, #d>
  // CHECK: NoWgmma {{.*}}dot runs as mma.sync instead of wgmma: ", Remark="wgmma has no such combination of types"
  // KEPT: tilegpu.mma
  %4 = tilegpu.dot %h, %i, %h : tensor<64x32xf64, #a>, tensor<32x32xf64, #b> -> tensor<64x32xf64, #a>
  // f32 operands are cut off to tf32 only where that is asked for.
  // CHECK: NoTensorCore {{.*}}dot runs as multiply-adds, not on tensor cores: ", Remark="tensor cores do not multiply f32 in full precision"
  // KEPT: tilegpu.dot
  %5 = tilegpu.dot %f, %g, %f precision = ieee : tensor<64x32xf32, #a>, tensor<32x32xf32, #b> -> tensor<64x32xf32, #a>
  return
}
}

// -----

#a = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0]], block = []}, [64, 32]>
#b = #tilegpu.linear<{register = [[0, 1], [0, 2], [8, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]], block = []}, [32, 32]>
module attributes {tilegpu.num_warps = 2 : i32, tile.target = "sm_90a"} {
func.func @two_warps(%a: tensor<64x32xf16, #a>, %b: tensor<32x32xf16, #b>, %c: tensor<64x32xf32, #a>) {
  // CHECK: NoWgmma {{.*}}dot runs as mma.sync instead of wgmma: ", Remark="wgmma needs a multiple of 4 warps"
  // KEPT: tilegpu.mma
  %0 = tilegpu.dot %a, %b, %c : tensor<64x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<64x32xf32, #a>
  return
}
}

// -----

#a = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}, [64, 32]>
#b = #tilegpu.linear<{register = [[0, 1], [0, 2], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}, [32, 32]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90"} {
func.func @other_target(%a: tensor<64x32xf16, #a>, %b: tensor<32x32xf16, #b>, %c: tensor<64x32xf32, #a>) {
  // KEPT: tilegpu.mma
  %0 = tilegpu.dot %a, %b, %c : tensor<64x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<64x32xf32, #a>
  return
}
}

// CHECK-NOT: remark:
// KEPT-NOT: tilegpu.wgmma

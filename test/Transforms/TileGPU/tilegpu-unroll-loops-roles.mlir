// RUN: tile-opt %s --tilegpu-unroll-loops | FileCheck %s

// Warps that hand registers over share all that a multiprocessor has: their loops ask for no room for other CTAs, with
// which the kernel would be launched with fewer registers than the warps ask for, and they would wait for ever.
#a = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256], [512]], block = []}, [1024]>

// CHECK-NOT: tilegpu.min_ctas
// CHECK: scf.for
// CHECK-COUNT-4: tile.load
module attributes {tilegpu.num_warps = 8 : i32, tilegpu.load_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @stream(%p: tensor<1024x!tile.ptr<f32>, #a>, %n: i32, %zero: tensor<1024xf32, #a>) {
  %c0 = arith.constant 0 : i32
  %c1024 = arith.constant 1024 : i32
  %r = scf.for %i = %c0 to %n step %c1024 iter_args(%acc = %zero) -> (tensor<1024xf32, #a>) : i32 {
    %o = tile.splat %i : i32 -> tensor<1024xi32, #a>
    %q = tile.addptr %p, %o : tensor<1024x!tile.ptr<f32>, #a>, tensor<1024xi32, #a>
    %x = tile.load %q : tensor<1024x!tile.ptr<f32>, #a>
    %s = arith.addf %acc, %x : tensor<1024xf32, #a>
    scf.yield %s : tensor<1024xf32, #a>
  }
  func.return
}
}

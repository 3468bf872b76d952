// The steps have tests of their own, tilegpu-plan-registers-STEP.mlir; here all are taken, in their order.
// RUN: tile-opt %s --tilegpu-plan-registers | FileCheck %s
// RUN: tile-opt %s --tilegpu-plan-registers=steps=rematerialise,spill | FileCheck %s --check-prefix=LATER
// RUN: not tile-opt %s --tilegpu-plan-registers=steps=hoist,wait 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: tilegpu-plan-registers has no step 'wait'

#row = #tilegpu.linear<{register = [[1], [2], [4], [8], [16], [2048], [4096], [8192]], lane = [[32], [64], [128], [256], [512]], warp = [[1024]], block = []}, [16384]>

module attributes {tilegpu.num_warps = 2 : i32, tilegpu.min_ctas = 16 : i32} {
// With 64 registers a thread the weights are loaded behind the reduction; of the row in bf16 the narrow form stays, and is
// widened again. Without the first steps, tensors are spilled to shared memory.
// CHECK-LABEL: func @norm
// CHECK: tile.load
// CHECK: tile.reduce
// CHECK: tilegpu.refresh
// CHECK: arith.extf
// CHECK: tile.load
// LATER-LABEL: func @norm
// LATER: tile.load
// LATER: tile.load
// LATER: tile.reduce
func.func @norm(%p: tensor<16384x!tile.ptr<bf16>, #row>, %w: tensor<16384x!tile.ptr<f32>, #row>, %o: tensor<16384x!tile.ptr<f32>, #row>) {
  %h = tile.load %p : tensor<16384x!tile.ptr<bf16>, #row>
  %weights = tile.load %w : tensor<16384x!tile.ptr<f32>, #row>
  %x = arith.extf %h : tensor<16384xbf16, #row> to tensor<16384xf32, #row>
  %sum = tile.reduce(%x) axis = 0 : (tensor<16384xf32, #row>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %all = tile.splat %sum : f32 -> tensor<16384xf32, #row>
  %y = arith.mulf %x, %all : tensor<16384xf32, #row>
  %z = arith.mulf %y, %weights : tensor<16384xf32, #row>
  tile.store %o, %z : tensor<16384x!tile.ptr<f32>, #row>
  return
}
}

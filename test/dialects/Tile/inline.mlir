// RUN: tile-opt %s --inline | FileCheck %s

// CHECK-LABEL: @kernel
func.func @kernel(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  // CHECK-NOT: call
  // CHECK: tile.program_id
  // CHECK: tile.reduce
  // CHECK: tile.store
  %0 = func.call @total(%p) : (!tile.ptr<f32>) -> f32
  tile.store %p, %0 : !tile.ptr<f32>
  return
}

func.func private @total(%p: !tile.ptr<f32>) -> f32 {
  %pid = tile.program_id 0 : i32
  %q = tile.addptr %p, %pid : !tile.ptr<f32>, i32
  %s = tile.splat %q : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %x = tile.load %s : tensor<8x!tile.ptr<f32>>
  %0 = tile.reduce(%x) axis = 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %0 : f32
}

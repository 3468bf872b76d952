// RUN: tile-opt %s --convert-tilegpu-to-threads --verify-diagnostics

#c = #tilegpu.linear<{register = [], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [0, 0]], warp = [], block = []}, [4, 4]>

module attributes {tilegpu.num_warps = 1 : i32} {
func.func @tensors(%a: tensor<4x4xf32, #c>) -> tensor<4x4xf32, #c> {
  // expected-error @+2 {{expected operands in shared memory: run tilegpu-decompose-dots first}}
  // expected-error @+1 {{failed to legalize operation 'tilegpu.dot'}}
  %0 = tilegpu.dot %a, %a, %a : tensor<4x4xf32, #c>, tensor<4x4xf32, #c> -> tensor<4x4xf32, #c>
  return %0 : tensor<4x4xf32, #c>
}
}

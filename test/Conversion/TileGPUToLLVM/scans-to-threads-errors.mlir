// RUN: tile-opt %s -split-input-file --convert-tilegpu-to-threads -verify-diagnostics

#a = #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}, [128]>
module attributes {tilegpu.num_warps = 4 : i32} {
func.func @across_warps(%x: tensor<128xf32, #a>) {
  // expected-error @+2 {{expected a layout that can be scanned inside a warp: run tilegpu-decompose-scans first}}
  // expected-error @+1 {{failed to legalize operation 'tile.scan'}}
  %0 = tile.scan(%x) axis = 0 : (tensor<128xf32, #a>) -> tensor<128xf32, #a> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  func.return
}
}

// -----

#c = #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]], block = []}, [32]>
module attributes {tilegpu.num_warps = 4 : i32} {
func.func @not_decomposed(%x: tensor<32xi32, #c>) {
  // expected-error @+1 {{failed to legalize operation 'tile.histogram'}}
  %0 = tile.histogram %x : tensor<32xi32, #c> -> tensor<32xi32, #c>
  func.return
}
}

// RUN: tile-opt %s -split-input-file -verify-diagnostics

#sums = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>
#memory = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]}, [32, 8]>

func.func @cluster_store_c1(%t: tensor<64x8xf32, #sums>, %part: i32) {
  %ring = tilegpu.local_alloc : !tilegpu.memdesc<[32, 8], f32, #memory, buffers = 4>
  // expected-error @+1 {{expected a tensor of as many parts as there are buffers, each of their shape and element type}}
  tilegpu.cluster_store %t, %ring part %part : tensor<64x8xf32, #sums>, !tilegpu.memdesc<[32, 8], f32, #memory, buffers = 4>
  return
}

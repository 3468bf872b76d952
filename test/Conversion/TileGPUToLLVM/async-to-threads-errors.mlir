// RUN: tile-opt %s --convert-tilegpu-to-threads --verify-diagnostics

#p = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>
#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>

module attributes {tilegpu.num_warps = 4 : i32} {
// Nothing is known of the addresses: one element of 2 bytes.
func.func @narrow(%p: tensor<64x16x!tile.ptr<f16>, #p>, %to: !tilegpu.memdesc<[64, 16], f16, #a>) {
  // expected-error @below {{expected vectors of at least 4 bytes, got 2}}
  // expected-error @below {{failed to legalize}}
  tilegpu.async_copy %p, %to : tensor<64x16x!tile.ptr<f16>, #p>, !tilegpu.memdesc<[64, 16], f16, #a>
  return
}
}

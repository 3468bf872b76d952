// RUN: tile-opt %s --tilegpu-allocate-shared-memory -verify-diagnostics

#s = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048], [4096], [8192], [16384], [32768], [65536]]}, [131072]>

module attributes {tile.target = "sm_90a"} {
// expected-error @below {{kernel 'too_much' needs 524288 bytes of shared memory, but a CTA has 232448}}
func.func @too_much(%x: tensor<131072xf32, #tilegpu.linear<{register = [[128], [256], [512], [1024], [2048], [4096], [8192], [16384], [32768], [65536]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}, [131072]>>) {
  // expected-note @below {{1 buffer of 131072xf32 for data exchanged between threads: 524288 bytes}}
  %a = tilegpu.local_alloc : !tilegpu.memdesc<[131072], f32, #s>
  tilegpu.local_store %x, %a : tensor<131072xf32, #tilegpu.linear<{register = [[128], [256], [512], [1024], [2048], [4096], [8192], [16384], [32768], [65536]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}, [131072]>>, !tilegpu.memdesc<[131072], f32, #s>
  func.return
}
}

// RUN: tile-opt %s --split-input-file --verify-diagnostics

#a = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>
#s = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128]]}, [256]>

func.func @park_c1(%x: tensor<512xf32, #a>, %s: !tilegpu.memdesc<[256], i32, #s>) {
  // expected-error @below {{expected slots of 512 32-bit integers, got '!tilegpu.memdesc<[256], i32}}
  tilegpu.park %x into %s : tensor<512xf32, #a>, !tilegpu.memdesc<[256], i32, #s>
  return
}

// -----

#a = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>
#s = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256]]}, [512]>

func.func @park_c2(%x: tensor<512xf32, #a>, %s: !tilegpu.memdesc<[512], i32, #s>) {
  // expected-error @below {{expected at most 1 slots, as many 16-byte vectors as a thread has, got 2}}
  tilegpu.park %x into %s, %s : tensor<512xf32, #a>, !tilegpu.memdesc<[512], i32, #s>, !tilegpu.memdesc<[512], i32, #s>
  return
}

// -----

#a = #tilegpu.linear<{register = [[1], [0]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = []}, [256]>
#s = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256]]}, [512]>

func.func @park_c2_replicas(%x: tensor<256xf32, #a>, %s: !tilegpu.memdesc<[512], i32, #s>) {
  // expected-error @below {{expected registers without replicas, got 'tensor<256xf32}}
  tilegpu.park %x into %s : tensor<256xf32, #a>, !tilegpu.memdesc<[512], i32, #s>
  return
}

// -----

#a = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>
#s = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256]]}, [512]>

func.func @unpark_c1(%x: tensor<512xf32, #a>, %s: !tilegpu.memdesc<[512], f32, #s>) {
  // expected-error @below {{expected slots of 512 32-bit integers, got '!tilegpu.memdesc<[512], f32}}
  %0 = tilegpu.unpark %x from %s : tensor<512xf32, #a>, !tilegpu.memdesc<[512], f32, #s>
  return
}

// -----

#a = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>
#s = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256]]}, [512]>

// Four halves are no vector.
func.func @unpark_c2(%x: tensor<512xf16, #a>, %s: !tilegpu.memdesc<[512], i32, #s>) {
  // expected-error @below {{expected at most 0 slots, as many 16-byte vectors as a thread has, got 1}}
  %0 = tilegpu.unpark %x from %s : tensor<512xf16, #a>, !tilegpu.memdesc<[512], i32, #s>
  return
}

// -----

#a = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>

func.func @refresh_c1(%x: tensor<512xf64, #a>) {
  // expected-error @below {{expected elements of 8, 16 or 32 bits, got 'tensor<512xf64}}
  %0 = tilegpu.refresh %x : tensor<512xf64, #a>
  return
}

// -----

#a = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>

func.func @refresh_c1_pointers(%x: tensor<512x!tile.ptr<f32>, #a>) {
  // expected-error @below {{expected elements of 8, 16 or 32 bits, got}}
  %0 = tilegpu.refresh %x : tensor<512x!tile.ptr<f32>, #a>
  return
}

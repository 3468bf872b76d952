// RUN: tile-opt %s -split-input-file -verify-diagnostics

#a = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>
#s = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128]]}, [256]>

func.func @local_store_c1(%x: tensor<512xf32, #a>, %b: !tilegpu.memdesc<[256], f32, #s>) {
  // expected-error @below {{expected tensor and buffer of the same shape and element type}}
  tilegpu.local_store %x, %b : tensor<512xf32, #a>, !tilegpu.memdesc<[256], f32, #s>
  func.return
}

// -----

#a = #tilegpu.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = []}, [256]>
#s = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128]]}, [256]>

func.func @local_load_c1(%b: !tilegpu.memdesc<[256], f32, #s>) {
  // expected-error @below {{expected tensor and buffer of the same shape and element type}}
  %0 = tilegpu.local_load %b : !tilegpu.memdesc<[256], f32, #s> -> tensor<256xf16, #a>
  func.return
}

// -----

// expected-error @below {{invalid layout}}
#bad = #tilegpu.linear<{register = [[3]], lane = []}, [2]>

// -----

#s = #tilegpu.linear<{offset = [[1], [2]]}, [4]>
// expected-error @below {{expected a layout of the buffer's shape}}
func.func private @memdesc_shape(!tilegpu.memdesc<[8], f32, #s>)

// -----

#a = #tilegpu.linear<{register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 16]], block = []}, [32, 32]>
#b = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 0]], block = []}, [32, 16]>

func.func @extract_slice_axis(%x: tensor<32x32xf32, #a>) {
  // expected-error @below {{expected a dimension of}}
  %0 = tilegpu.extract_slice %x axis = 2 start = 0 : tensor<32x32xf32, #a> -> tensor<32x16xf32, #b>
  func.return
}

// -----

#a = #tilegpu.linear<{register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 16]], block = []}, [32, 32]>
#b = #tilegpu.linear<{register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 0]], block = []}, [32, 16]>

func.func @extract_slice_c2_warps(%x: tensor<32x32xf32, #a>) {
  // expected-error @below {{expected registers to part}}
  %0 = tilegpu.extract_slice %x axis = 1 start = 0 : tensor<32x32xf32, #a> -> tensor<32x16xf32, #b>
  func.return
}

// -----

#a = #tilegpu.linear<{register = [[0, 1], [0, 8], [8, 0], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 0]], block = []}, [32, 32]>
#b = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 0]], block = []}, [32, 16]>

func.func @extract_slice_c2_layout(%x: tensor<32x32xf32, #a>) {
  // expected-error @below {{expected registers to part}}
  %0 = tilegpu.extract_slice %x axis = 1 start = 16 : tensor<32x32xf32, #a> -> tensor<32x16xf32, #b>
  func.return
}

// -----

#a = #tilegpu.linear<{register = [[0, 1], [0, 8], [8, 0], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 0]], block = []}, [32, 32]>
#b = #tilegpu.linear<{register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]], block = []}, [16, 16]>

func.func @extract_slice_c1_shape(%x: tensor<32x32xf32, #a>) {
  // expected-error @below {{expected registers to part}}
  %0 = tilegpu.extract_slice %x axis = 1 start = 16 : tensor<32x32xf32, #a> -> tensor<16x16xf32, #b>
  func.return
}

// -----

#a = #tilegpu.linear<{register = [[0, 1], [0, 8], [8, 0], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 0]], block = []}, [32, 32]>
#b = #tilegpu.linear<{register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 0]], block = []}, [32, 16]>

func.func @extract_slice_c1_start(%x: tensor<32x32xf32, #a>) {
  // expected-error @below {{expected the start of a slice of 16 elements, got 8}}
  %0 = tilegpu.extract_slice %x axis = 1 start = 8 : tensor<32x32xf32, #a> -> tensor<32x16xf32, #b>
  func.return
}

// -----

#a = #tilegpu.linear<{register = [[0, 1], [0, 8], [8, 0], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 0]], block = []}, [32, 32]>
#b = #tilegpu.linear<{register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 0]], block = []}, [32, 16]>

func.func @extract_slice_c1_end(%x: tensor<32x32xf32, #a>) {
  // expected-error @below {{expected the start of a slice of 16 elements, got 32}}
  %0 = tilegpu.extract_slice %x axis = 1 start = 32 : tensor<32x32xf32, #a> -> tensor<32x16xf32, #b>
  func.return
}

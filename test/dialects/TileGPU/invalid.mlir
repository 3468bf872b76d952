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

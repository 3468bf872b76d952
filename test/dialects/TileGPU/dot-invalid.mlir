// RUN: tile-opt %s --split-input-file --verify-diagnostics

#c = #tilegpu.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]], block = []}, [8, 8]>
#s = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]}, [4, 8]>

func.func @dot_c1(%a: tensor<8x8xf32, #c>, %b: !tilegpu.memdesc<[4, 8], f32, #s>) -> tensor<8x8xf32, #c> {
  // expected-error @below {{expects the left operand's columns to be as many as the right operand's rows, got 8 and 4}}
  %0 = tilegpu.dot %a, %b, %a : tensor<8x8xf32, #c>, !tilegpu.memdesc<[4, 8], f32, #s> -> tensor<8x8xf32, #c>
  return %0 : tensor<8x8xf32, #c>
}

// -----

#c = #tilegpu.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]], block = []}, [8, 8]>

func.func @dot_c2(%a: tensor<8x8xf16, #c>, %c: tensor<8x8xi32, #c>) -> tensor<8x8xi32, #c> {
  // expected-error @below {{cannot multiply 'f16' and 'f16' in 'i32'}}
  %0 = tilegpu.dot %a, %a, %c : tensor<8x8xf16, #c>, tensor<8x8xf16, #c> -> tensor<8x8xi32, #c>
  return %0 : tensor<8x8xi32, #c>
}

// -----

#c = #tilegpu.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]], block = []}, [8, 8]>

func.func @dot_c4(%a: tensor<8x8xf32, #c>) -> tensor<8x8xf32, #c> {
  // expected-error @below {{expects 'unsigned' on integers only, got 'f32'}}
  %0 = tilegpu.dot %a, %a, %a unsigned : tensor<8x8xf32, #c>, tensor<8x8xf32, #c> -> tensor<8x8xf32, #c>
  return %0 : tensor<8x8xf32, #c>
}

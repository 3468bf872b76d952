// RUN: tile-opt %s --split-input-file --verify-diagnostics

#a = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [16, 0]], block = []}, [32, 16]>
#b = #tilegpu.linear<{register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 0]], block = []}, [16, 16]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [16, 0]], block = []}, [32, 16]>

func.func @mma_c1(%a: tensor<32x16xf16, #a>, %b: tensor<16x16xbf16, #b>, %c: tensor<32x16xf32, #c>) {
  // expected-error @below {{has no product of 'f16' and 'bf16' in 'f32'}}
  %0 = tilegpu.mma %a, %b, %c : tensor<32x16xf16, #a>, tensor<16x16xbf16, #b> -> tensor<32x16xf32, #c>
  return
}

// -----

#a = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [16, 0]], block = []}, [32, 16]>
#b = #tilegpu.linear<{register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 0]], block = []}, [16, 16]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [16, 0]], block = []}, [32, 16]>

func.func @mma_c1_accumulator(%a: tensor<32x16xbf16, #a>, %b: tensor<16x16xbf16, #b>, %c: tensor<32x16xbf16, #c>) {
  // expected-error @below {{has no product of 'bf16' and 'bf16' in 'bf16'}}
  %0 = tilegpu.mma %a, %b, %c : tensor<32x16xbf16, #a>, tensor<16x16xbf16, #b> -> tensor<32x16xbf16, #c>
  return
}

// -----

#a = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [16, 0]], block = []}, [32, 16]>
#b = #tilegpu.linear<{register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 0]], block = []}, [16, 16]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [16, 0]], block = []}, [32, 16]>

func.func @mma_c1_unsigned(%a: tensor<32x16xf16, #a>, %b: tensor<16x16xf16, #b>, %c: tensor<32x16xf32, #c>) {
  // expected-error @below {{expected 'unsigned' with operands of 8-bit integers only, got 'f16'}}
  %0 = tilegpu.mma %a, %b, %c unsigned : tensor<32x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<32x16xf32, #c>
  return
}

// -----

#a = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [16, 0]], block = []}, [32, 16]>
#b = #tilegpu.linear<{register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 0]], block = []}, [16, 16]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 8]], block = []}, [32, 16]>

// The warps of the result are not where the operands have their rows and columns.
func.func @mma_c2(%a: tensor<32x16xf16, #a>, %b: tensor<16x16xf16, #b>, %c: tensor<32x16xf32, #c>) {
  // expected-error @below {{expected layouts of the instruction's fragments}}
  %0 = tilegpu.mma %a, %b, %c : tensor<32x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<32x16xf32, #c>
  return
}

// -----

#a = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [16, 0]], block = []}, [32, 16]>
#b = #tilegpu.linear<{register = [[1, 0], [8, 0]], lane = [[4, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 0]], block = []}, [16, 16]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [16, 0]], block = []}, [32, 16]>

// The lanes hold K in another order than those of the left operand.
func.func @mma_c2_depth(%a: tensor<32x16xf16, #a>, %b: tensor<16x16xf16, #b>, %c: tensor<32x16xf32, #c>) {
  // expected-error @below {{expected layouts of the instruction's fragments}}
  %0 = tilegpu.mma %a, %b, %c : tensor<32x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<32x16xf32, #c>
  return
}

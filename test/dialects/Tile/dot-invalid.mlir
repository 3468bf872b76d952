// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @dot_c1_rank(%a: tensor<32xf16>, %b: tensor<32x16xf16>, %c: tensor<64x16xf32>) {
  // expected-error @+1 {{expects operands of rank 2 or 3, all the same, got 1, 2 and 2}}
  %0 = tile.dot %a, %b, %c : tensor<32xf16>, tensor<32x16xf16> -> tensor<64x16xf32>
  return
}

// -----

func.func @dot_c1_depth(%a: tensor<64x32xf16>, %b: tensor<16x16xf16>, %c: tensor<64x16xf32>) {
  // expected-error @+1 {{expects the left operand's columns to be as many as the right operand's rows, got 32 and 16}}
  %0 = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<16x16xf16> -> tensor<64x16xf32>
  return
}

// -----

func.func @dot_c1_result(%a: tensor<64x32xf16>, %b: tensor<32x16xf16>, %c: tensor<16x64xf32>) {
  // expected-error @+1 {{expects an accumulator of shape [64, 16], got [16, 64]}}
  %0 = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x16xf16> -> tensor<16x64xf32>
  return
}

// -----

func.func @dot_c1_batch(%a: tensor<2x64x32xf16>, %b: tensor<4x32x16xf16>, %c: tensor<2x64x16xf32>) {
  // expected-error @+1 {{expects operands of one batch size, got 2 and 4}}
  %0 = tile.dot %a, %b, %c : tensor<2x64x32xf16>, tensor<4x32x16xf16> -> tensor<2x64x16xf32>
  return
}

// -----

func.func @dot_c2_mixed(%a: tensor<64x32xf16>, %b: tensor<32x16xbf16>, %c: tensor<64x16xf32>) {
  // expected-error @+1 {{cannot multiply 'f16' and 'bf16' in 'f32'}}
  %0 = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x16xbf16> -> tensor<64x16xf32>
  return
}

// -----

func.func @dot_c2_accumulator(%a: tensor<64x32xbf16>, %b: tensor<32x16xbf16>, %c: tensor<64x16xbf16>) {
  // expected-error @+1 {{cannot multiply 'bf16' and 'bf16' in 'bf16'}}
  %0 = tile.dot %a, %b, %c : tensor<64x32xbf16>, tensor<32x16xbf16> -> tensor<64x16xbf16>
  return
}

// -----

func.func @dot_c3(%a: tensor<64x32xf8E5M2>, %b: tensor<32x16xf8E5M2>, %c: tensor<64x16xf32>) {
  // expected-error @+1 {{expects 'max_imprecise_acc' not to be negative, got -1}}
  %0 = tile.dot %a, %b, %c max_imprecise_acc = -1 : tensor<64x32xf8E5M2>, tensor<32x16xf8E5M2> -> tensor<64x16xf32>
  return
}

// -----

func.func @dot_c4(%a: tensor<64x32xf16>, %b: tensor<32x16xf16>, %c: tensor<64x16xf32>) {
  // expected-error @+1 {{expects 'unsigned' on integers only, got 'f16'}}
  %0 = tile.dot %a, %b, %c unsigned : tensor<64x32xf16>, tensor<32x16xf16> -> tensor<64x16xf32>
  return
}

// -----

func.func @reduce_scatter_c1_parts(%a: tensor<64x16xf32>, %part: i32) {
  // expected-error @+1 {{expects a whole part of 64 rows, got 48}}
  %0 = tile.reduce_scatter %a part %part : tensor<64x16xf32> -> tensor<48x16xf32>
  return
}

// -----

func.func @reduce_scatter_c1_columns(%a: tensor<64x16xf32>, %part: i32) {
  // expected-error @+1 {{expects all dimensions but the first to stay as they are}}
  %0 = tile.reduce_scatter %a part %part : tensor<64x16xf32> -> tensor<32x8xf32>
  return
}

// -----

func.func @reduce_scatter_c1_rank(%a: tensor<64x16xf32>, %part: i32) {
  // expected-error @+1 {{expects a result of rank 2, got rank 1}}
  %0 = tile.reduce_scatter %a part %part : tensor<64x16xf32> -> tensor<32xf32>
  return
}

// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @inline_asm_c1(%x: tensor<64xf32>) {
  // expected-error @+1 {{expects a positive 'pack', got 0}}
  %0 = tile.inline_asm "" constraints = "=f,f" pack = 0 (%x) : (tensor<64xf32>) -> tensor<64xf32>
  return
}

// -----

func.func @inline_asm_c2(%x: f32) {
  // expected-error @+1 {{expects at least one result, got none}}
  tile.inline_asm "" constraints = "f" pack = 1 (%x) : (f32) -> ()
  return
}

// -----

func.func @map_c1(%x: tensor<64xi32>) {
  // expected-error @+1 {{expects operands, results and a positive 'pack', got 1, 1 and 0}}
  %0 = tile.map(%x) pack = 0 : (tensor<64xi32>) -> tensor<64xi32> {
  ^bb0(%a: i32):
    tile.yield %a : i32
  }
  return
}

// -----

func.func @map_c2(%x: tensor<64xi32>) {
  // expected-error @+1 {{expects region arguments of types ('i32', 'i32'), got ('i32')}}
  %0 = tile.map(%x) pack = 2 : (tensor<64xi32>) -> tensor<64xi32> {
  ^bb0(%a: i32):
    tile.yield %a, %a : i32, i32
  }
  return
}

// -----

func.func @map_c3(%x: tensor<64xi32>) {
  // expected-error @+1 {{expects the region to yield ('i32'), got ('i64')}}
  %0 = tile.map(%x) pack = 1 : (tensor<64xi32>) -> tensor<64xi32> {
  ^bb0(%a: i32):
    %w = arith.extsi %a : i32 to i64
    tile.yield %w : i64
  }
  return
}

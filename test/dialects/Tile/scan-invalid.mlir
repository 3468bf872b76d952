// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @scan_no_operands() {
  // expected-error @+1 {{expected 1 or more operands}}
  "tile.scan"() <{axis = 0 : i32}> ({
  ^bb0:
    tile.yield
  }) : () -> ()
  return
}

// -----

func.func @scan_c1(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects 'axis' in [0, 1), got -1}}
  %0 = tile.scan(%x) axis = -1 : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @scan_c2_type(%x: tensor<8xf32, "a">) {
  // expected-error @+1 {{expects a result of type 'tensor<8xf32, "a">', got 'tensor<8xf32, "b">'}}
  %0 = tile.scan(%x) axis = 0 : (tensor<8xf32, "a">) -> tensor<8xf32, "b"> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @scan_c2_count(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects one result per operand, got 2 operands and 1 results}}
  %0 = tile.scan(%x, %x) axis = 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @scan_c3(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects region arguments of types ('f32', 'f32'), got ('f32')}}
  %0 = tile.scan(%x) axis = 0 : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @scan_c4(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects the region to yield ('f32'), got ('f32', 'f32')}}
  %0 = tile.scan(%x) axis = 0 : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @scan_c5(%x: tensor<8xf32, "a">, %y: tensor<8xf32, "b">) {
  // expected-error @+1 {{expects one layout for all operands, got 'tensor<8xf32, "a">' and 'tensor<8xf32, "b">'}}
  %0:2 = tile.scan(%x, %y) axis = 0 : (tensor<8xf32, "a">, tensor<8xf32, "b">) -> (tensor<8xf32, "a">, tensor<8xf32, "b">) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @scan_isolated(%x: tensor<8xf32>, %y: f32) {
  // expected-note @+1 {{required by region isolation constraints}}
  %0 = tile.scan(%x) axis = 0 : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{using value defined outside the region}}
    %c = arith.addf %a, %y : f32
    tile.yield %c : f32
  }
  return
}

// -----

func.func @gather_c1(%x: tensor<8xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{expects 'axis' in [0, 1), got 1}}
  %0 = tile.gather %x[%i] axis = 1 : tensor<8xf32>, tensor<4xi32> -> tensor<4xf32>
  return
}

// -----

func.func @gather_c2_rank(%x: tensor<8x4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{expects source and indices of the same rank, got 2 and 1}}
  %0 = tile.gather %x[%i] axis = 1 : tensor<8x4xf32>, tensor<4xi32> -> tensor<4xf32>
  return
}

// -----

func.func @gather_c2_shape(%x: tensor<8x4xf32>, %i: tensor<16x4xi32>) {
  // expected-error @+1 {{expects source and indices to agree in dimension 0, got 8 and 16}}
  %0 = tile.gather %x[%i] axis = 1 : tensor<8x4xf32>, tensor<16x4xi32> -> tensor<16x4xf32>
  return
}

// -----

func.func @gather_c3(%x: tensor<8xf32>, %i: tensor<4xi32, "a">) {
  // expected-error @+1 {{expects a result of type 'tensor<4xf32, "a">', got 'tensor<4xf32>'}}
  %0 = tile.gather %x[%i] axis = 0 : tensor<8xf32>, tensor<4xi32, "a"> -> tensor<4xf32>
  return
}

// -----

func.func @gather_float_index(%x: tensor<8xf32>, %i: tensor<4xf32>) {
  // expected-error @+1 {{operand #1 must be}}
  %0 = tile.gather %x[%i] axis = 0 : tensor<8xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @histogram_c1(%x: tensor<8x4xi32>) {
  // expected-error @+1 {{expects source and result with one dimension, got 'tensor<8x4xi32>' and 'tensor<16xi32>'}}
  %0 = tile.histogram %x : tensor<8x4xi32> -> tensor<16xi32>
  return
}

// -----

func.func @histogram_c2(%x: tensor<8xi32>, %m: tensor<8xi1, "a">) {
  // expected-error @+1 {{expects a mask of the source's shape and layout, got 'tensor<8xi1, "a">' for 'tensor<8xi32>'}}
  %0 = tile.histogram %x mask %m : tensor<8xi32>, tensor<8xi1, "a"> -> tensor<16xi32>
  return
}

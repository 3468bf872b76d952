// RUN: tile-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a block of 1 to 5 dimensions with at most 1048576 elements, got [16, 0]}}
func.func private @desc_c1(!tile.desc<[16, 0], f32>)

// -----

// expected-error @+1 {{expected used elements inside of the block, got [16, 40]}}
func.func private @desc_c3(!tile.desc<[16, 32], f32, used = [16, 40]>)

// -----

// expected-error @+1 {{expected used elements inside of the block, got [16]}}
func.func private @desc_c3_rank(!tile.desc<[16, 32], f32, nan, used = [16]>)

// -----

// expected-error @+1 {{expected integer or float elements, got '!tile.ptr<f32>'}}
func.func private @desc_c2_element(!tile.desc<[16], !tile.ptr<f32>>)

// -----

// expected-error @+1 {{expected float elements to pad with NaN, got 'i32'}}
func.func private @desc_c2_nan(!tile.desc<[16], i32, nan>)

// -----

func.func @make_tensor_descriptor_c1(%p: !tile.ptr<f32>, %n: i32) {
  // expected-error @+1 {{expects a pointer to 'f16', got '!tile.ptr<f32>'}}
  %0 = tile.make_tensor_descriptor %p, shape [%n], strides [] : !tile.ptr<f32> -> !tile.desc<[16], f16>
  return
}

// -----

func.func @make_tensor_descriptor_c2(%p: !tile.ptr<f32>, %n: i32) {
  // expected-error @+1 {{expects 2 sizes and 1 strides, got 1 and 0}}
  %0 = tile.make_tensor_descriptor %p, shape [%n], strides [] : !tile.ptr<f32> -> !tile.desc<[16, 16], f32>
  return
}

// -----

func.func @descriptor_load_c1(%d: !tile.desc<[16, 16], f32>, %n: i32) {
  // expected-error @+1 {{expects 2 offsets, got 1}}
  %0 = tile.descriptor_load %d[%n] : !tile.desc<[16, 16], f32> -> tensor<16x16xf32>
  return
}

// -----

func.func @descriptor_load_c2(%d: !tile.desc<[16, 16], f32>, %n: i32) {
  // expected-error @+1 {{expects a tensor of type 'tensor<16x16xf32>', got 'tensor<16x8xf32>'}}
  %0 = tile.descriptor_load %d[%n, %n] : !tile.desc<[16, 16], f32> -> tensor<16x8xf32>
  return
}

// -----

func.func @descriptor_store_c1(%d: !tile.desc<[16], f32>, %x: tensor<16xf32>) {
  // expected-error @+1 {{expects 1 offsets, got 0}}
  tile.descriptor_store %d[], %x : !tile.desc<[16], f32>, tensor<16xf32>
  return
}

// -----

func.func @descriptor_store_c2(%d: !tile.desc<[16], f32>, %n: i32, %x: tensor<16xf16>) {
  // expected-error @+1 {{expects a tensor of type 'tensor<16xf32>', got 'tensor<16xf16>'}}
  tile.descriptor_store %d[%n], %x : !tile.desc<[16], f32>, tensor<16xf16>
  return
}

// -----

func.func @descriptor_reduce_c1(%d: !tile.desc<[16], f32>, %x: tensor<16xf32>) {
  // expected-error @+1 {{expects 1 offsets, got 0}}
  tile.descriptor_reduce add %d[], %x : !tile.desc<[16], f32>, tensor<16xf32>
  return
}

// -----

func.func @descriptor_reduce_c2(%d: !tile.desc<[16], f32>, %n: i32, %x: tensor<8xf32>) {
  // expected-error @+1 {{expects a tensor of type 'tensor<16xf32>', got 'tensor<8xf32>'}}
  tile.descriptor_reduce add %d[%n], %x : !tile.desc<[16], f32>, tensor<8xf32>
  return
}

// -----

func.func @descriptor_reduce_c3(%d: !tile.desc<[16], i8>, %n: i32, %x: tensor<16xi8>) {
  // expected-error @+1 {{has no 'add' of 'i8' elements}}
  tile.descriptor_reduce add %d[%n], %x : !tile.desc<[16], i8>, tensor<16xi8>
  return
}

// -----

// expected-error @+1 {{expected rows of a copy to be a multiple of 8, got 12}}
func.func private @desc_c4(!tile.desc<[16, 32], f32, rows = 12>)

// RUN: tile-opt %s --tile-pad-tensors --split-input-file --verify-diagnostics

func.func @descriptor(%base: !tile.ptr<f32>, %n: i32) {
  // expected-error @+1 {{expected tensor descriptors of '!tile.desc<[12], f32>' to be lowered to pointers before padding}}
  %0 = tile.make_tensor_descriptor %base, shape [%n], strides [] : !tile.ptr<f32> -> !tile.desc<[12], f32>
  return
}

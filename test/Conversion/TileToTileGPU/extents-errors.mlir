// RUN: tile-opt %s --convert-tile-to-tilegpu -verify-diagnostics

func.func @extents(%s: f32) {
  // expected-error @below {{expected tensors whose sizes are powers of two, got 'tensor<12xf32>'; 'tile-pad-tensors' makes them so}}
  %0 = tile.splat %s : f32 -> tensor<12xf32>
  return
}

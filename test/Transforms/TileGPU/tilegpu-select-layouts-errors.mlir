// RUN: tile-opt %s --tilegpu-select-layouts --verify-diagnostics

func.func @no_layouts(%x: i32) {
  // expected-error @+1 {{expected tensors with layouts: run convert-tile-to-tilegpu first}}
  %0 = tile.splat %x : i32 -> tensor<64xi32>
  func.return
}

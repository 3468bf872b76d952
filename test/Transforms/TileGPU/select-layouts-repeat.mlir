// RUN: tile-opt %s --tilegpu-select-layouts | FileCheck %s

// A value that is needed in two layouts is computed twice where that is cheaper than a conversion.

#row = #tilegpu.linear<{register = [[0, 1], [0, 2], [8, 0], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 0], [4, 0]], block = []}, [64, 64]>
#col = #tilegpu.linear<{register = [[1, 0], [2, 0], [0, 8], [0, 16], [0, 32]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [0, 1]], warp = [[0, 2], [0, 4]], block = []}, [64, 64]>
#range = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [0]], warp = [[0], [0]], block = []}, [64]>
#range1 = #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 0]], warp = [[0, 0], [0, 0]], block = []}, [1, 64]>

module attributes {tilegpu.num_warps = 4 : i32} {

// Ranges, splats and index arithmetic are made anew.
// CHECK-LABEL: func @indices
// CHECK-COUNT-2: tile.make_range
// CHECK-NOT: convert_layout
// CHECK: return
func.func @indices(%rows: tensor<64x64x!tile.ptr<i32>, #row>, %cols: tensor<64x64x!tile.ptr<i32>, #col>, %n: i32) {
  %r = tile.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #range>
  %s = tile.splat %n : i32 -> tensor<64xi32, #range>
  %i = arith.muli %r, %s : tensor<64xi32, #range>
  %e = tile.expand_dims %i {axis = 0 : i32} : tensor<64xi32, #range> -> tensor<1x64xi32, #range1>
  %b = tile.broadcast %e : tensor<1x64xi32, #range1> -> tensor<64x64xi32, #row>
  tile.store %rows, %b : tensor<64x64x!tile.ptr<i32>, #row>
  %c = tilegpu.convert_layout %b : tensor<64x64xi32, #row> -> tensor<64x64xi32, #col>
  tile.store %cols, %c : tensor<64x64x!tile.ptr<i32>, #col>
  func.return
}

// Many divisions are not: the quotients are converted.
// CHECK-LABEL: func @expensive
// CHECK-COUNT-3: arith.divsi
// CHECK-NOT: arith.divsi
// CHECK: tilegpu.convert_layout
// CHECK-NOT: arith.divsi
// CHECK: return
func.func @expensive(%rows: tensor<64x64x!tile.ptr<i32>, #row>, %cols: tensor<64x64x!tile.ptr<i32>, #col>, %n: i32) {
  %s = tile.splat %n : i32 -> tensor<64x64xi32, #row>
  %r = tile.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #range>
  %e = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32, #range> -> tensor<1x64xi32, #range1>
  %b = tile.broadcast %e : tensor<1x64xi32, #range1> -> tensor<64x64xi32, #row>
  %d = arith.divsi %s, %b : tensor<64x64xi32, #row>
  %f = arith.divsi %d, %b : tensor<64x64xi32, #row>
  %g = arith.divsi %s, %f : tensor<64x64xi32, #row>
  tile.store %rows, %g : tensor<64x64x!tile.ptr<i32>, #row>
  %c = tilegpu.convert_layout %g : tensor<64x64xi32, #row> -> tensor<64x64xi32, #col>
  tile.store %cols, %c : tensor<64x64x!tile.ptr<i32>, #col>
  func.return
}

// A cast of loaded data that is needed in both layouts: converted before, cast twice.
// CHECK-LABEL: func @cast
// CHECK: tilegpu.convert_layout {{.*}} : tensor<64x64xi8, {{.*}}> -> tensor<64x64xi8, {{.*}}>
// CHECK-COUNT-2: arith.extsi
// CHECK-NOT: convert_layout
// CHECK: return
func.func @cast(%b: tensor<64x64x!tile.ptr<i8>, #row>, %rows: tensor<64x64x!tile.ptr<i64>, #row>, %cols: tensor<64x64x!tile.ptr<i64>, #col>) {
  %x = tile.load %b : tensor<64x64x!tile.ptr<i8>, #row>
  %w = arith.extsi %x : tensor<64x64xi8, #row> to tensor<64x64xi64, #row>
  tile.store %rows, %w : tensor<64x64x!tile.ptr<i64>, #row>
  %c = tilegpu.convert_layout %w : tensor<64x64xi64, #row> -> tensor<64x64xi64, #col>
  tile.store %cols, %c : tensor<64x64x!tile.ptr<i64>, #col>
  func.return
}

}

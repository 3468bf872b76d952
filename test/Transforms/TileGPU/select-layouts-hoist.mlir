// RUN: tile-opt %s --tilegpu-select-layouts | FileCheck %s

// Conversions stand where the least data goes through them.

#row = #tilegpu.linear<{register = [[0, 1], [0, 2], [8, 0], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 0], [4, 0]], block = []}, [64, 64]>
#col = #tilegpu.linear<{register = [[1, 0], [2, 0], [0, 8], [0, 16], [0, 32]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [0, 1]], warp = [[0, 2], [0, 4]], block = []}, [64, 64]>
#rows_of_row = #tilegpu.linear<{register = [[8], [16], [32]], lane = [[0], [0], [0], [0], [1]], warp = [[2], [4]], block = []}, [64]>
#rows_of_row1 = #tilegpu.linear<{register = [[8, 0], [16, 0], [32, 0]], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [1, 0]], warp = [[2, 0], [4, 0]], block = []}, [64, 1]>
#line = #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]], block = []}, [64]>

module attributes {tilegpu.num_warps = 4 : i32} {

// Before a widening cast, behind a narrowing one.
// CHECK-LABEL: func @over_casts
// CHECK: tilegpu.convert_layout {{.*}} : tensor<64x64xf16, {{.*}}> -> tensor<64x64xf16, {{.*}}>
// CHECK: arith.extf
// CHECK: math.exp
// CHECK: tile.store
// CHECK: tile.load
// CHECK: math.exp
// CHECK: arith.truncf
// CHECK: tilegpu.convert_layout {{.*}} : tensor<64x64xf16, {{.*}}> -> tensor<64x64xf16, {{.*}}>
// CHECK-NOT: convert_layout
// CHECK: return
func.func @over_casts(%h: tensor<64x64x!tile.ptr<f16>, #row>, %f: tensor<64x64x!tile.ptr<f32>, #col>, %g: tensor<64x64x!tile.ptr<f32>, #row>, %k: tensor<64x64x!tile.ptr<f16>, #col>) {
  %x = tile.load %h : tensor<64x64x!tile.ptr<f16>, #row>
  %w = arith.extf %x : tensor<64x64xf16, #row> to tensor<64x64xf32, #row>
  %e = math.exp %w : tensor<64x64xf32, #row>
  %c = tilegpu.convert_layout %e : tensor<64x64xf32, #row> -> tensor<64x64xf32, #col>
  tile.store %f, %c : tensor<64x64x!tile.ptr<f32>, #col>
  %y = tile.load %g : tensor<64x64x!tile.ptr<f32>, #row>
  %yc = tilegpu.convert_layout %y : tensor<64x64xf32, #row> -> tensor<64x64xf32, #col>
  %z = math.exp %yc : tensor<64x64xf32, #col>
  %n = arith.truncf %z : tensor<64x64xf32, #col> to tensor<64x64xf16, #col>
  tile.store %k, %n : tensor<64x64x!tile.ptr<f16>, #col>
  func.return
}

// Sums of rows, repeated over columns: 64 numbers are converted, not 4096.
// CHECK-LABEL: func @over_broadcast
// CHECK: tile.reduce
// CHECK: tilegpu.convert_layout {{.*}} : tensor<64{{(x1)?}}xf32, {{.*}}> -> tensor<64{{(x1)?}}xf32, {{.*}}>
// CHECK: tile.broadcast
// CHECK-NOT: convert_layout
// CHECK: return
func.func @over_broadcast(%rows: tensor<64x64x!tile.ptr<f32>, #row>, %cols: tensor<64x64x!tile.ptr<f32>, #col>) {
  %x = tile.load %rows : tensor<64x64x!tile.ptr<f32>, #row>
  %s = tile.reduce(%x) axis = 1 : (tensor<64x64xf32, #row>) -> tensor<64xf32, #rows_of_row> {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tile.yield %t : f32
  }
  %e = tile.expand_dims %s {axis = 1 : i32} : tensor<64xf32, #rows_of_row> -> tensor<64x1xf32, #rows_of_row1>
  %b = tile.broadcast %e : tensor<64x1xf32, #rows_of_row1> -> tensor<64x64xf32, #row>
  %c = tilegpu.convert_layout %b : tensor<64x64xf32, #row> -> tensor<64x64xf32, #col>
  tile.store %cols, %c : tensor<64x64x!tile.ptr<f32>, #col>
  func.return
}

// The result of a reduction is converted, not what is reduced. Atomics keep their layouts.
// CHECK-LABEL: func @below_reduction
// CHECK-NOT: convert_layout
// CHECK: tile.reduce
// CHECK: tilegpu.convert_layout {{.*}} : tensor<64xf32, {{.*}}> -> tensor<64xf32, {{.*}}>
// CHECK-NOT: convert_layout
// CHECK: return
func.func @below_reduction(%rows: tensor<64x64x!tile.ptr<f32>, #row>, %line: tensor<64x!tile.ptr<f32>, #line>) {
  %x = tile.load %rows : tensor<64x64x!tile.ptr<f32>, #row>
  %s = tile.reduce(%x) axis = 1 : (tensor<64x64xf32, #row>) -> tensor<64xf32, #rows_of_row> {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tile.yield %t : f32
  }
  %c = tilegpu.convert_layout %s : tensor<64xf32, #rows_of_row> -> tensor<64xf32, #line>
  %old = tile.atomic_rmw add %line, %c : tensor<64x!tile.ptr<f32>, #line>
  func.return
}

}

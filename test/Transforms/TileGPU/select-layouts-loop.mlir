// RUN: tile-opt %s --tilegpu-select-layouts | FileCheck %s

// What goes round a loop may change its layout when fewer conversions are executed.

#row = #tilegpu.linear<{register = [[0, 1], [0, 2], [8, 0], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 0], [4, 0]], block = []}, [64, 64]>
#col = #tilegpu.linear<{register = [[1, 0], [2, 0], [0, 8], [0, 16], [0, 32]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [0, 1]], warp = [[0, 2], [0, 4]], block = []}, [64, 64]>

module attributes {tilegpu.num_warps = 4 : i32} {

// The initial value has rows, what is added in each iteration columns: the initial value is converted, once.
// CHECK-LABEL: func @initial_value
// CHECK: tile.load %{{.*}} : tensor<64x64x!tile.ptr<f32>, #[[ROW:.*]]>
// CHECK: tilegpu.convert_layout %{{.*}} : tensor<64x64xf32, #[[ROW]]> -> tensor<64x64xf32, #[[COL:.*]]>
// CHECK: scf.for {{.*}} -> (tensor<64x64xf32, #[[COL]]>)
// CHECK-NOT: convert_layout
// CHECK: return
func.func @initial_value(%rows: tensor<64x64x!tile.ptr<f32>, #row>, %cols: tensor<64x64x!tile.ptr<f32>, #col>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %init = tile.load %rows : tensor<64x64x!tile.ptr<f32>, #row>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<64x64xf32, #row>) : i32 {
    %v = tile.load %cols : tensor<64x64x!tile.ptr<f32>, #col>
    %k = tilegpu.convert_layout %v : tensor<64x64xf32, #col> -> tensor<64x64xf32, #row>
    %a = arith.addf %acc, %k : tensor<64x64xf32, #row>
    scf.yield %a : tensor<64x64xf32, #row>
  }
  %t = tilegpu.convert_layout %sum : tensor<64x64xf32, #row> -> tensor<64x64xf32, #col>
  tile.store %cols, %t : tensor<64x64x!tile.ptr<f32>, #col>
  func.return
}

// The result is stored in rows: it is converted behind the loop.
// CHECK-LABEL: func @result
// CHECK: scf.for
// CHECK-NOT: convert_layout
// CHECK: scf.yield
// CHECK: tilegpu.convert_layout
// CHECK-NOT: convert_layout
// CHECK: return
func.func @result(%rows: tensor<64x64x!tile.ptr<f32>, #row>, %cols: tensor<64x64x!tile.ptr<f32>, #col>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #row>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #row>) : i32 {
    %v = tile.load %cols : tensor<64x64x!tile.ptr<f32>, #col>
    %k = tilegpu.convert_layout %v : tensor<64x64xf32, #col> -> tensor<64x64xf32, #row>
    %a = arith.addf %acc, %k : tensor<64x64xf32, #row>
    scf.yield %a : tensor<64x64xf32, #row>
  }
  tile.store %rows, %sum : tensor<64x64x!tile.ptr<f32>, #row>
  func.return
}

// A while loop's two variables change together.
// CHECK-LABEL: func @while
// CHECK: tilegpu.convert_layout
// CHECK: scf.while
// CHECK-NOT: convert_layout
// CHECK: return
func.func @while(%rows: tensor<64x64x!tile.ptr<f32>, #row>, %cols: tensor<64x64x!tile.ptr<f32>, #col>, %go: i1) {
  %init = tile.load %rows : tensor<64x64x!tile.ptr<f32>, #row>
  %sum = scf.while (%acc = %init) : (tensor<64x64xf32, #row>) -> tensor<64x64xf32, #row> {
    scf.condition(%go) %acc : tensor<64x64xf32, #row>
  } do {
  ^bb0(%acc: tensor<64x64xf32, #row>):
    %v = tile.load %cols : tensor<64x64x!tile.ptr<f32>, #col>
    %k = tilegpu.convert_layout %v : tensor<64x64xf32, #col> -> tensor<64x64xf32, #row>
    %a = arith.addf %acc, %k : tensor<64x64xf32, #row>
    scf.yield %a : tensor<64x64xf32, #row>
  }
  %t = tilegpu.convert_layout %sum : tensor<64x64xf32, #row> -> tensor<64x64xf32, #col>
  tile.store %cols, %t : tensor<64x64x!tile.ptr<f32>, #col>
  func.return
}

// Both ways through a branch end in columns; only one of them comes from rows.
// CHECK-LABEL: func @branch
// CHECK: scf.if {{.*}} -> (tensor<64x64xf32, #[[COL:.*]]>)
// CHECK: tile.load %{{.*}} : tensor<64x64x!tile.ptr<f32>, #[[ROW:.*]]>
// CHECK: tilegpu.convert_layout %{{.*}} : tensor<64x64xf32, #[[ROW]]> -> tensor<64x64xf32, #[[COL]]>
// CHECK: else
// CHECK-NOT: convert_layout
// CHECK: return
func.func @branch(%rows: tensor<64x64x!tile.ptr<f32>, #row>, %cols: tensor<64x64x!tile.ptr<f32>, #col>, %c: i1) {
  %v = scf.if %c -> (tensor<64x64xf32, #row>) {
    %r = tile.load %rows : tensor<64x64x!tile.ptr<f32>, #row>
    scf.yield %r : tensor<64x64xf32, #row>
  } else {
    %l = tile.load %cols : tensor<64x64x!tile.ptr<f32>, #col>
    %k = tilegpu.convert_layout %l : tensor<64x64xf32, #col> -> tensor<64x64xf32, #row>
    scf.yield %k : tensor<64x64xf32, #row>
  }
  %t = tilegpu.convert_layout %v : tensor<64x64xf32, #row> -> tensor<64x64xf32, #col>
  tile.store %cols, %t : tensor<64x64x!tile.ptr<f32>, #col>
  func.return
}

}

// RUN: tile-opt %s --tilegpu-select-layouts | FileCheck %s

// Two layouts meet. Which one gives way depends on what a conversion costs, not on which comes first.

#row = #tilegpu.linear<{register = [[0, 1], [0, 2], [8, 0], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 0], [4, 0]], block = []}, [64, 64]>
#col = #tilegpu.linear<{register = [[1, 0], [2, 0], [0, 8], [0, 16], [0, 32]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [0, 1]], warp = [[0, 2], [0, 4]], block = []}, [64, 64]>

module attributes {tilegpu.num_warps = 4 : i32} {

// Two of three are columns: the row is converted, although it is the first operand.
// CHECK-LABEL: func @minority_is_converted
// CHECK: %[[R:.*]] = tile.load %{{.*}} : tensor<64x64x!tile.ptr<f32>, #[[ROW:.*]]>
// CHECK: %[[CONVERTED:.*]] = tilegpu.convert_layout %[[R]] : tensor<64x64xf32, #[[ROW]]> -> tensor<64x64xf32, #[[COL:.*]]>
// CHECK: %[[C:.*]] = tile.load %{{.*}} : tensor<64x64x!tile.ptr<f32>, #[[COL]]>
// CHECK-NOT: convert_layout
// CHECK: arith.addf %[[CONVERTED]], %[[C]] : tensor<64x64xf32, #[[COL]]>
// CHECK-NOT: convert_layout
// CHECK: return
func.func @minority_is_converted(%rows: tensor<64x64x!tile.ptr<f32>, #row>, %cols: tensor<64x64x!tile.ptr<f32>, #col>) {
  %r = tile.load %rows : tensor<64x64x!tile.ptr<f32>, #row>
  %c = tile.load %cols : tensor<64x64x!tile.ptr<f32>, #col>
  %k = tilegpu.convert_layout %c : tensor<64x64xf32, #col> -> tensor<64x64xf32, #row>
  %s = arith.addf %r, %k : tensor<64x64xf32, #row>
  %t = tilegpu.convert_layout %s : tensor<64x64xf32, #row> -> tensor<64x64xf32, #col>
  tile.store %cols, %t : tensor<64x64x!tile.ptr<f32>, #col>
  func.return
}

// The same with the store in rows: now the column is converted.
// CHECK-LABEL: func @other_minority
// CHECK: %[[R:.*]] = tile.load %{{.*}} : tensor<64x64x!tile.ptr<f32>, #[[ROW:.*]]>
// CHECK: %[[C:.*]] = tile.load %{{.*}} : tensor<64x64x!tile.ptr<f32>, #[[COL:.*]]>
// CHECK: %[[CONVERTED:.*]] = tilegpu.convert_layout %[[C]] : tensor<64x64xf32, #[[COL]]> -> tensor<64x64xf32, #[[ROW]]>
// CHECK: arith.addf %[[CONVERTED]], %[[R]] : tensor<64x64xf32, #[[ROW]]>
// CHECK-NOT: convert_layout
// CHECK: return
func.func @other_minority(%rows: tensor<64x64x!tile.ptr<f32>, #row>, %cols: tensor<64x64x!tile.ptr<f32>, #col>) {
  %r = tile.load %rows : tensor<64x64x!tile.ptr<f32>, #row>
  %c = tile.load %cols : tensor<64x64x!tile.ptr<f32>, #col>
  %k = tilegpu.convert_layout %r : tensor<64x64xf32, #row> -> tensor<64x64xf32, #col>
  %s = arith.addf %c, %k : tensor<64x64xf32, #col>
  %t = tilegpu.convert_layout %s : tensor<64x64xf32, #col> -> tensor<64x64xf32, #row>
  tile.store %rows, %t : tensor<64x64x!tile.ptr<f32>, #row>
  func.return
}

// Bytes decide: one 64-bit tensor against two 8-bit ones.
// CHECK-LABEL: func @narrow_is_converted
// CHECK-COUNT-2: tilegpu.convert_layout %{{.*}} : tensor<64x64xi8, {{.*}}> -> tensor<64x64xi8, {{.*}}>
// CHECK-NOT: convert_layout
// CHECK: return
func.func @narrow_is_converted(%a: tensor<64x64x!tile.ptr<i8>, #row>, %b: tensor<64x64x!tile.ptr<i8>, #row>, %c: tensor<64x64x!tile.ptr<i64>, #col>) {
  %x = tile.load %a : tensor<64x64x!tile.ptr<i8>, #row>
  %y = tile.load %b : tensor<64x64x!tile.ptr<i8>, #row>
  %z = tile.load %c : tensor<64x64x!tile.ptr<i64>, #col>
  %k = tilegpu.convert_layout %z : tensor<64x64xi64, #col> -> tensor<64x64xi64, #row>
  %x64 = arith.extsi %x : tensor<64x64xi8, #row> to tensor<64x64xi64, #row>
  %y64 = arith.extsi %y : tensor<64x64xi8, #row> to tensor<64x64xi64, #row>
  %s = arith.muli %x64, %k : tensor<64x64xi64, #row>
  %t = arith.addi %s, %y64 : tensor<64x64xi64, #row>
  %w = tilegpu.convert_layout %t : tensor<64x64xi64, #row> -> tensor<64x64xi64, #col>
  tile.store %c, %w : tensor<64x64x!tile.ptr<i64>, #col>
  func.return
}

}

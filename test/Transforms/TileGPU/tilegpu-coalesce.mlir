// RUN: tile-opt %s --convert-tile-to-tilegpu --tilegpu-coalesce | FileCheck %s

// CHECK-DAG: #[[F32:.+]] = #tilegpu.linear<{register = {{\[\[}}1], [2], [512]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]], block = []}, [1024]>
// CHECK-DAG: #[[F16:.+]] = #tilegpu.linear<{register = {{\[\[}}1], [2], [4]], lane = {{\[\[}}8], [16], [32], [64], [128]], warp = {{\[\[}}256], [512]], block = []}, [1024]>
// CHECK-DAG: #[[ONE:.+]] = #tilegpu.linear<{register = {{\[\[}}128], [256], [512]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32], [64]], block = []}, [1024]>
// CHECK-DAG: #[[COLUMN:.+]] = #tilegpu.linear<{register = {{\[\[}}1, 0], [2, 0]{{.*}}lane = {{\[\[}}4, 0], [8, 0]

// Aligned and contiguous: four consecutive floats, 16 bytes, in a thread.
// CHECK-LABEL: func @aligned_f32
// CHECK: tile.load {{.*}} : tensor<1024x!tile.ptr<f32>, #[[F32]]>
func.func @aligned_f32(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %a = tile.addptr %s, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %a : tensor<1024x!tile.ptr<f32>>
  tile.store %a, %v : tensor<1024x!tile.ptr<f32>>
  func.return
}

// Eight halves make 16 bytes.
// CHECK-LABEL: func @aligned_f16
// CHECK: tile.load {{.*}} : tensor<1024x!tile.ptr<f16>, #[[F16]]>
func.func @aligned_f16(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}) {
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %s = tile.splat %p : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %a = tile.addptr %s, %r : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %v = tile.load %a : tensor<1024x!tile.ptr<f16>>
  func.return
}

// Nothing is known of the address: one element per thread.
// CHECK-LABEL: func @unaligned
// CHECK: tile.load {{.*}} : tensor<1024x!tile.ptr<f32>, #[[ONE]]>
func.func @unaligned(%p: !tile.ptr<f32>) {
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %a = tile.addptr %s, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %a : tensor<1024x!tile.ptr<f32>>
  func.return
}

// Contiguous along the first dimension: lanes run along it.
// CHECK-LABEL: func @column_major
// CHECK: tile.load {{.*}} : tensor<64x64x!tile.ptr<f32>, #[[COLUMN]]>
func.func @column_major(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %stride: i32 {tile.divisibility = 16 : i32}) {
  %r = tile.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %cols = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %st = tile.splat %stride : i32 -> tensor<1x64xi32>
  %off = arith.muli %cols, %st : tensor<1x64xi32>
  %rb = tile.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb = tile.broadcast %off : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %rb, %cb : tensor<64x64xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %a = tile.addptr %s, %o : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %v = tile.load %a : tensor<64x64x!tile.ptr<f32>>
  func.return
}

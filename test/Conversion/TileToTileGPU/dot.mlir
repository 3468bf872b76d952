// RUN: tile-opt %s --convert-tile-to-tilegpu | FileCheck %s
// RUN: tile-opt %s --convert-tile-to-tilegpu=num-warps=8 | FileCheck %s --check-prefix=WIDE

// A thread computes 4 by 4 neighbouring elements, a warp 16 by 32, four warps are a square.
// CHECK-DAG: #[[C:linear[0-9]*]] = #tilegpu.linear<{register = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [4, 0], [8, 0]], warp = {{\[\[}}0, 32], [16, 0]], block = []}, [32, 64]>
// Small results: one element per thread, the rest of the threads have replicas.
// CHECK-DAG: #[[S:linear[0-9]*]] = #tilegpu.linear<{register = [], lane = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0], [0, 0]], warp = {{\[\[}}0, 0], [0, 0]], block = []}, [4, 4]>
// WIDE-DAG: #[[B:linear[0-9]*]] = #tilegpu.linear<{register = [], lane = {{\[\[}}0, 0, 1], [0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0]], warp = {{\[\[}}0, 4, 0], [1, 0, 0], [2, 0, 0]], block = []}, [4, 8, 8]>

// CHECK-LABEL: @dot
// CHECK-SAME: %[[A:.*]]: tensor<32x16xf16, #{{.*}}>, %[[B:.*]]: tensor<16x64xf16, #{{.*}}>, %[[ACC:.*]]: tensor<32x64xf32, #[[L:.*]]>)
func.func @dot(%a: tensor<32x16xf16>, %b: tensor<16x64xf16>, %c: tensor<32x64xf32>) -> tensor<32x64xf32> {
  // CHECK: %[[I:.*]] = tilegpu.convert_layout %[[ACC]] : {{.*}} -> tensor<32x64xf32, #[[C]]>
  // CHECK: %[[D:.*]] = tilegpu.dot %[[A]], %[[B]], %[[I]] : {{.*}} -> tensor<32x64xf32, #[[C]]>
  // CHECK: tilegpu.convert_layout %[[D]] : tensor<32x64xf32, #[[C]]> -> tensor<32x64xf32, #[[L]]>
  %0 = tile.dot %a, %b, %c : tensor<32x16xf16>, tensor<16x64xf16> -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}

// CHECK-LABEL: @small
func.func @small(%a: tensor<4x1xi8>, %b: tensor<1x4xi8>, %c: tensor<4x4xi32>) -> tensor<4x4xi32> {
  // CHECK: tilegpu.dot {{.*}} unsigned : {{.*}} -> tensor<4x4xi32, #[[S]]>
  %0 = tile.dot %a, %b, %c unsigned : tensor<4x1xi8>, tensor<1x4xi8> -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}

// WIDE-LABEL: @batched
func.func @batched(%a: tensor<4x8x2xf32>, %b: tensor<4x2x8xf32>, %c: tensor<4x8x8xf32>) -> tensor<4x8x8xf32> {
  // WIDE: tilegpu.dot {{.*}} precision = ieee : {{.*}} -> tensor<4x8x8xf32, #[[B]]>
  %0 = tile.dot %a, %b, %c precision = ieee : tensor<4x8x2xf32>, tensor<4x2x8xf32> -> tensor<4x8x8xf32>
  return %0 : tensor<4x8x8xf32>
}

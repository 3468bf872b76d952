// RUN: tile-opt %s --tilegpu-decompose-scans | FileCheck %s
// RUN: tile-opt %s --tilegpu-decompose-scans --remarks-filter=scan --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#wrapped = #tilegpu.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [1024]>
#rows = #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [[1, 0], [2, 0]], block = []}, [4, 128]>
#tall = #tilegpu.linear<{register = [[0, 1], [0, 2], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [[1, 0], [2, 0]], block = []}, [64, 128]>
#mixed = #tilegpu.linear<{register = [[32], [64]], lane = [[1], [2], [4], [8], [16]], warp = [[128], [256]], block = []}, [512]>

module attributes {tilegpu.num_warps = 4 : i32} {
// CHECK-DAG: #[[WRAPPED:.+]] = #tilegpu.linear<{register = {{\[\[}}1], [2], [512]]
// CHECK-DAG: #[[OWN:.+]] = #tilegpu.linear<{register = {{\[\[}}4]], lane = {{\[\[}}0], [0], [0], [0], [0]], warp = {{\[\[}}1], [2]], block = []}, [8]>
// CHECK-DAG: #[[ALL:.+]] = #tilegpu.linear<{register = {{\[\[}}4], [1], [2]], lane = {{\[\[}}0], [0], [0], [0], [0]], warp = {{\[\[}}0], [0]], block = []}, [8]>
// CHECK-DAG: #[[COLUMNS:.+]] = #tilegpu.linear<{register = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = {{\[\[}}0, 32], [0, 64]]
// CHECK-DAG: #[[LINE:.+]] = #tilegpu.linear<{register = {{\[\[}}1], [2]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]], block = []}, [512]>

// Two chunks of four warps leave eight totals; every thread then has all of them.
// CHECK-LABEL: func @across_warps
// CHECK: %[[P:.*]]:2 = tilegpu.partial_scan(%{{.*}}) axis = 0 reverse : (tensor<1024xf32, #[[WRAPPED]]>) -> (tensor<1024xf32, #[[WRAPPED]]>, tensor<8xf32, #[[OWN]]>) {
// CHECK: arith.addf
// CHECK: %[[C:.*]] = tilegpu.convert_layout %[[P]]#1 : {{.*}} -> tensor<8xf32, #[[ALL]]>
// CHECK: %[[R:.*]] = tilegpu.finish_scan(%[[P]]#0, %[[C]]) axis = 0 reverse
// CHECK: arith.addf
// CHECK: return %[[R]]
func.func @across_warps(%x: tensor<1024xf32, #wrapped>) -> tensor<1024xf32, #wrapped> {
  %0 = tile.scan(%x) axis = 0 reverse : (tensor<1024xf32, #wrapped>) -> tensor<1024xf32, #wrapped> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  func.return %0 : tensor<1024xf32, #wrapped>
}

// CHECK-LABEL: func @inside_a_warp
// CHECK-NEXT: tile.scan
// CHECK-NOT: tilegpu
// CHECK: return
func.func @inside_a_warp(%x: tensor<4x128xf32, #rows>) {
  %0 = tile.scan(%x) axis = 1 : (tensor<4x128xf32, #rows>) -> tensor<4x128xf32, #rows> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  func.return
}

// Each thread would hold 256 totals to scan its 64 elements: a column per thread is better.
// CHECK-LABEL: func @too_many_totals
// CHECK: %[[X:.*]] = tilegpu.convert_layout %{{.*}} -> tensor<64x128xf32, #[[COLUMNS]]>
// CHECK: %[[I:.*]] = tilegpu.convert_layout %{{.*}} -> tensor<64x128xi32, #[[COLUMNS]]>
// CHECK: %[[S:.*]]:2 = tile.scan(%[[X]], %[[I]]) axis = 0
// CHECK-DAG: %[[V:.*]] = tilegpu.convert_layout %[[S]]#0
// CHECK-DAG: %[[K:.*]] = tilegpu.convert_layout %[[S]]#1
// CHECK: return %[[V]], %[[K]]
// REMARK: scan converts the layout of its operand
func.func @too_many_totals(%x: tensor<64x128xf32, #tall>, %i: tensor<64x128xi32, #tall>) -> (tensor<64x128xf32, #tall>, tensor<64x128xi32, #tall>) {
  %0:2 = tile.scan(%x, %i) axis = 0 : (tensor<64x128xf32, #tall>, tensor<64x128xi32, #tall>) -> (tensor<64x128xf32, #tall>, tensor<64x128xi32, #tall>) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %s = arith.addf %a, %b : f32
    tile.yield %s, %ai : f32, i32
  }
  func.return %0#0, %0#1 : tensor<64x128xf32, #tall>, tensor<64x128xi32, #tall>
}

// Registers between lanes and warps: converted, then split.
// CHECK-LABEL: func @registers_above_lanes
// CHECK: tilegpu.convert_layout %{{.*}} -> tensor<512xf32, #[[LINE]]>
// CHECK: tilegpu.partial_scan
// CHECK: tilegpu.finish_scan
// CHECK: tilegpu.convert_layout %{{.*}} : tensor<512xf32, #[[LINE]]>
func.func @registers_above_lanes(%x: tensor<512xf32, #mixed>) -> tensor<512xf32, #mixed> {
  %0 = tile.scan(%x) axis = 0 : (tensor<512xf32, #mixed>) -> tensor<512xf32, #mixed> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  func.return %0 : tensor<512xf32, #mixed>
}
}

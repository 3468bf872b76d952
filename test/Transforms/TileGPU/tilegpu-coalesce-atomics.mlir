// RUN: tile-opt %s --convert-tile-to-tilegpu --tilegpu-coalesce | FileCheck %s
// RUN: tile-opt %s --convert-tile-to-tilegpu=target=sm_80 --tilegpu-coalesce | FileCheck %s --check-prefix=SM80
// RUN: tile-opt %s --convert-tile-to-tilegpu --tilegpu-coalesce --tilegpu-select-layouts | FileCheck %s --check-prefix=KEPT

// CHECK-DAG: #[[FOUR:.+]] = #tilegpu.linear<{register = {{\[\[}}1], [2], [512]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]], block = []}, [1024]>
// CHECK-DAG: #[[EIGHT:.+]] = #tilegpu.linear<{register = {{\[\[}}1], [2], [4]], lane = {{\[\[}}8], [16], [32], [64], [128]], warp = {{\[\[}}256], [512]], block = []}, [1024]>
// CHECK-DAG: #[[ONE:.+]] = #tilegpu.linear<{register = {{\[\[}}128], [256], [512]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32], [64]], block = []}, [1024]>
// SM80-DAG: #[[TWO:.+]] = #tilegpu.linear<{register = {{\[\[}}1], [256], [512]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = {{\[\[}}64], [128]], block = []}, [1024]>
// SM80-DAG: #[[ONE:.+]] = #tilegpu.linear<{register = {{\[\[}}128], [256], [512]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32], [64]], block = []}, [1024]>

// Neighbours: as many in a thread as an instruction takes, else one in each lane.
// CHECK-LABEL: func @neighbours
// CHECK: tile.atomic_rmw add {{.*}} : tensor<1024x!tile.ptr<f32>, #[[FOUR]]>
// CHECK: tile.atomic_rmw add {{.*}} : tensor<1024x!tile.ptr<f16>, #[[EIGHT]]>
// CHECK: tile.atomic_rmw max {{.*}} : tensor<1024x!tile.ptr<f32>, #[[ONE]]>
// CHECK: tile.atomic_cas {{.*}} : tensor<1024x!tile.ptr<f32>, #[[ONE]]>
// SM80-LABEL: func @neighbours
// SM80: tile.atomic_rmw add {{.*}} : tensor<1024x!tile.ptr<f32>, #[[ONE]]>
// SM80: tile.atomic_rmw add {{.*}} : tensor<1024x!tile.ptr<f16>, #[[TWO]]>
func.func @neighbours(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %h: !tile.ptr<f16> {tile.divisibility = 16 : i32}) {
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %pp = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %pa = tile.addptr %pp, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %hh = tile.splat %h : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %ha = tile.addptr %hh, %r : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %x = arith.constant dense<1.0> : tensor<1024xf32>
  %y = arith.constant dense<1.0> : tensor<1024xf16>
  %0 = tile.atomic_rmw add %pa, %x : tensor<1024x!tile.ptr<f32>>
  %1 = tile.atomic_rmw add %ha, %y : tensor<1024x!tile.ptr<f16>>
  %2 = tile.atomic_rmw max %pa, %x : tensor<1024x!tile.ptr<f32>>
  %3 = tile.atomic_cas %pa, %x, %x : tensor<1024x!tile.ptr<f32>>
  return
}

// Scattered addresses do not care: the layout is that of the load, and nothing is converted.
// CHECK-LABEL: func @scattered
// CHECK: tile.load {{.*}} : tensor<1024x!tile.ptr<i32>, #[[FOUR]]>
// CHECK: tile.atomic_rmw add {{.*}} : tensor<1024x!tile.ptr<f32>, #[[FOUR]]>
// KEPT-LABEL: func @scattered
// KEPT-NOT: convert_layout
// KEPT: return
func.func @scattered(%p: !tile.ptr<f32>, %q: !tile.ptr<i32> {tile.divisibility = 16 : i32}) {
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %qq = tile.splat %q : !tile.ptr<i32> -> tensor<1024x!tile.ptr<i32>>
  %qa = tile.addptr %qq, %r : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
  %i = tile.load %qa : tensor<1024x!tile.ptr<i32>>
  %pp = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %pa = tile.addptr %pp, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = arith.constant dense<1.0> : tensor<1024xf32>
  %0 = tile.atomic_rmw add %pa, %x : tensor<1024x!tile.ptr<f32>>
  return
}

// Too few elements for all threads: a load would be repeated in another layout, an atomic must not be.
// KEPT-LABEL: func @few_elements
// KEPT-COUNT-1: tile.atomic_rmw
// KEPT: tilegpu.convert_layout
// KEPT-NOT: tile.atomic_rmw
// KEPT: return
func.func @few_elements(%p: !tile.ptr<i32>, %q: !tile.ptr<i32> {tile.divisibility = 16 : i32}) {
  %r = tile.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %pp = tile.splat %p : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  %pa = tile.addptr %pp, %r : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  %old = tile.atomic_rmw add %pa, %r : tensor<16x!tile.ptr<i32>>
  %e = tile.expand_dims %old {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %b = tile.broadcast %e : tensor<16x1xi32> -> tensor<16x64xi32>
  %qq = tile.splat %q : !tile.ptr<i32> -> tensor<16x64x!tile.ptr<i32>>
  %qa = tile.addptr %qq, %b : tensor<16x64x!tile.ptr<i32>>, tensor<16x64xi32>
  tile.store %qa, %b : tensor<16x64x!tile.ptr<i32>>
  return
}

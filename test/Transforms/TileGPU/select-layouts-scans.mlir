// RUN: tile-opt %s --convert-tile-to-tilegpu --tilegpu-coalesce --tilegpu-select-layouts | FileCheck %s

// A scan works in the layout of what was loaded and hands it on.
// CHECK-LABEL: func @scan_of_loaded
// CHECK-NOT: convert_layout
// CHECK: tile.scan
// CHECK-NOT: convert_layout
// CHECK: return
func.func @scan_of_loaded(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xa = tile.addptr %xs, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %xa : tensor<1024x!tile.ptr<f32>>
  %w = tile.scan(%v) axis = 0 : (tensor<1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %xa, %w : tensor<1024x!tile.ptr<f32>>
  func.return
}

// One of numbers takes the layout of the store.
// CHECK-LABEL: func @scan_of_numbers
// CHECK-NOT: convert_layout
// CHECK: return
func.func @scan_of_numbers(%x: !tile.ptr<i32> {tile.divisibility = 16 : i32}) {
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<1024x!tile.ptr<i32>>
  %xa = tile.addptr %xs, %r : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
  %w = tile.scan(%r) axis = 0 : (tensor<1024xi32>) -> tensor<1024xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %xa, %w : tensor<1024x!tile.ptr<i32>>
  func.return
}

// A gather gives its result in the layout of the indices, whatever the source has; a histogram in that of the store.
// CHECK-LABEL: func @gather_and_count
// CHECK: %[[X:.*]] = tile.load {{.*}} : tensor<4096x!tile.ptr<i32>, #[[SOURCE:.*]]>
// CHECK: %[[I:.*]] = tile.load {{.*}} : tensor<1024x!tile.ptr<i32>, #[[PICK:.*]]>
// CHECK-NOT: convert_layout
// CHECK: tile.gather %[[X]][%[[I]]] axis = 0 : tensor<4096xi32, #[[SOURCE]]>, tensor<1024xi32, #[[PICK]]> -> tensor<1024xi32, #[[PICK]]>
// CHECK-NOT: convert_layout
// CHECK: tile.histogram %{{.*}} : tensor<1024xi32, #[[PICK]]> -> tensor<4096xi32, #[[SOURCE]]>
// CHECK-NOT: convert_layout
// CHECK: return
func.func @gather_and_count(%x: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<i32> {tile.divisibility = 16 : i32}) {
  %r = tile.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<4096x!tile.ptr<i32>>
  %xa = tile.addptr %xs, %r : tensor<4096x!tile.ptr<i32>>, tensor<4096xi32>
  %v = tile.load %xa : tensor<4096x!tile.ptr<i32>>
  %q = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<1024x!tile.ptr<i32>>
  %ya = tile.addptr %ys, %q : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
  %i = tile.load %ya : tensor<1024x!tile.ptr<i32>>
  %g = tile.gather %v[%i] axis = 0 : tensor<4096xi32>, tensor<1024xi32> -> tensor<1024xi32>
  tile.store %ya, %g : tensor<1024x!tile.ptr<i32>>
  %h = tile.histogram %g : tensor<1024xi32> -> tensor<4096xi32>
  tile.store %xa, %h : tensor<4096x!tile.ptr<i32>>
  func.return
}

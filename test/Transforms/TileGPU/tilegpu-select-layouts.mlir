// RUN: tile-opt %s --convert-tile-to-tilegpu --tilegpu-coalesce --tilegpu-select-layouts | FileCheck %s

// Everything takes the layout of the accesses.
// CHECK-LABEL: func @add
// CHECK-NOT: convert_layout
// CHECK: return
func.func @add(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xa = tile.addptr %xs, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %ya = tile.addptr %ys, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %xa : tensor<1024x!tile.ptr<f32>>
  %w = arith.addf %v, %v : tensor<1024xf32>
  tile.store %ya, %w : tensor<1024x!tile.ptr<f32>>
  func.return
}

// Accumulators and pointers that go round a loop take the layout of the load that they meet.
// CHECK-LABEL: func @loop
// CHECK-NOT: convert_layout
// CHECK: scf.for
// CHECK-NOT: convert_layout
// CHECK: return
func.func @loop(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %step = arith.constant dense<1024> : tensor<1024xi32>
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xa = tile.addptr %xs, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %res:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %p = %xa) -> (tensor<1024xf32>, tensor<1024x!tile.ptr<f32>>) : i32 {
    %v = tile.load %p : tensor<1024x!tile.ptr<f32>>
    %a = arith.addf %acc, %v : tensor<1024xf32>
    %q = tile.addptr %p, %step : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    scf.yield %a, %q : tensor<1024xf32>, tensor<1024x!tile.ptr<f32>>
  }
  %s = tile.reduce(%res#0) axis = 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tile.yield %t : f32
  }
  tile.store %y, %s : !tile.ptr<f32>
  func.return
}

// A transposed store needs exactly one conversion, of the data.
// CHECK-LABEL: func @transpose
// CHECK: tile.load
// CHECK: tilegpu.convert_layout
// CHECK-NOT: tilegpu.convert_layout
// CHECK: return
func.func @transpose(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %s: i32 {tile.divisibility = 16 : i32}) {
  %r = tile.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %i = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %j = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %si = tile.splat %s : i32 -> tensor<64x1xi32>
  %sj = tile.splat %s : i32 -> tensor<1x64xi32>
  %is = arith.muli %i, %si : tensor<64x1xi32>
  %js = arith.muli %j, %sj : tensor<1x64xi32>
  %isb = tile.broadcast %is : tensor<64x1xi32> -> tensor<64x64xi32>
  %jb = tile.broadcast %j : tensor<1x64xi32> -> tensor<64x64xi32>
  %ib = tile.broadcast %i : tensor<64x1xi32> -> tensor<64x64xi32>
  %jsb = tile.broadcast %js : tensor<1x64xi32> -> tensor<64x64xi32>
  %ro = arith.addi %isb, %jb : tensor<64x64xi32>
  %co = arith.addi %jsb, %ib : tensor<64x64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %xa = tile.addptr %xs, %ro : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %ya = tile.addptr %ys, %co : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %v = tile.load %xa : tensor<64x64x!tile.ptr<f32>>
  tile.store %ya, %v : tensor<64x64x!tile.ptr<f32>>
  func.return
}

// RUN: tile-opt %s --convert-tile-to-tilegpu --tilegpu-coalesce --tilegpu-select-layouts | FileCheck %s

// Bytes are read, their halves joined and stored as twice as many 16-bit numbers. A load of 8 bytes a thread and a
// store of 8 numbers a thread do not fit together; the load gives way, because 4 bytes a thread are still whole lines.
// Nothing is converted, both halves of a byte are in the thread that stores them.
// CHECK-DAG: #[[BYTES:.*]] = #tilegpu.linear<{register = {{\[\[}}1], [2], [512]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]], block = []}, [1024]>
// CHECK-DAG: #[[NUMBERS:.*]] = #tilegpu.linear<{register = {{\[\[}}1], [2], [4], [1024]], lane = {{\[\[}}8], [16], [32], [64], [128]], warp = {{\[\[}}256], [512]], block = []}, [2048]>
// CHECK-LABEL: func @interleave
// CHECK-NOT: convert_layout
// CHECK: tile.load %{{.*}} : tensor<1024x!tile.ptr<i8>, #[[BYTES]]>
// CHECK-NOT: convert_layout
// CHECK: tile.reshape {{.*}} -> tensor<2048xi16, #[[NUMBERS]]>
// CHECK-NOT: convert_layout
// CHECK: tile.store %{{.*}} : tensor<2048x!tile.ptr<i16>, #[[NUMBERS]]>
func.func @interleave(%x: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %y: !tile.ptr<i16> {tile.divisibility = 16 : i32}) {
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<i8> -> tensor<1024x!tile.ptr<i8>>
  %xa = tile.addptr %xs, %r : tensor<1024x!tile.ptr<i8>>, tensor<1024xi32>
  %v = tile.load %xa : tensor<1024x!tile.ptr<i8>>
  %w = arith.extui %v : tensor<1024xi8> to tensor<1024xi16>
  %m = arith.constant dense<15> : tensor<1024xi16>
  %four = arith.constant dense<4> : tensor<1024xi16>
  %low = arith.andi %w, %m : tensor<1024xi16>
  %high = arith.shrui %w, %four : tensor<1024xi16>
  %two = tile.make_range {start = 0 : i32, end = 2 : i32} : tensor<2xi32>
  %zero = arith.constant dense<0> : tensor<2xi32>
  %first = arith.cmpi eq, %two, %zero : tensor<2xi32>
  %f = tile.expand_dims %first {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
  %fb = tile.broadcast %f : tensor<1x2xi1> -> tensor<1024x2xi1>
  %l = tile.expand_dims %low {axis = 1 : i32} : tensor<1024xi16> -> tensor<1024x1xi16>
  %lb = tile.broadcast %l : tensor<1024x1xi16> -> tensor<1024x2xi16>
  %h = tile.expand_dims %high {axis = 1 : i32} : tensor<1024xi16> -> tensor<1024x1xi16>
  %hb = tile.broadcast %h : tensor<1024x1xi16> -> tensor<1024x2xi16>
  %j = arith.select %fb, %lb, %hb : tensor<1024x2xi1>, tensor<1024x2xi16>
  %c = tile.reshape %j : tensor<1024x2xi16> -> tensor<2048xi16>
  %s = tile.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %ys = tile.splat %y : !tile.ptr<i16> -> tensor<2048x!tile.ptr<i16>>
  %ya = tile.addptr %ys, %s : tensor<2048x!tile.ptr<i16>>, tensor<2048xi32>
  tile.store %ya, %c : tensor<2048x!tile.ptr<i16>>
  func.return
}

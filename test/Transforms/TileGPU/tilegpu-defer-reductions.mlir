// RUN: tile-opt %s --tilegpu-defer-reductions | FileCheck %s

// Rows of four lanes, with columns of registers below and above them, as accumulators of dots have them.
#rows = #tilegpu.linear<{register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}, [32, 16]>
#row = #tilegpu.linear<{register = [], lane = [[0], [0], [1], [2], [4]], warp = [[8], [16]], block = []}, [32]>
// A row of all threads.
#line = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>
// Columns by lanes that differ in the row, too.
#skew = #tilegpu.linear<{register = [[0, 1], [0, 8]], lane = [[1, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}, [32, 16]>

module attributes {tilegpu.num_warps = 4 : i32} {
// CHECK-DAG: #[[OWN:.+]] = #tilegpu.linear<{register = [], lane = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}8, 0], [16, 0]], block = []}, [32, 4]>
// CHECK-DAG: #[[THREAD:.+]] = #tilegpu.linear<{register = [], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32], [64]], block = []}, [128]>

// The second loop goes on with what the threads have from the first.
// CHECK-LABEL: func @online_softmax
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<32x4xf32, #[[OWN]]>
// CHECK: %[[FIRST:.*]] = scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[ZERO]]) -> (tensor<32x4xf32, #[[OWN]]>)
// CHECK: %[[E:.*]] = tile.expand_dims %{{.*}} {axis = 1 : i32}
// CHECK: %[[B:.*]] = tile.broadcast %[[E]] : {{.*}} -> tensor<32x4xf32, #[[OWN]]>
// CHECK: %[[SCALED:.*]] = arith.mulf %[[SUM]], %[[B]]
// CHECK: %[[PART:.*]] = tilegpu.partial_reduce(%{{.*}}) axis = 1 : {{.*}} -> tensor<32x4xf32, #[[OWN]]>
// CHECK: %[[NEXT:.*]] = arith.addf %[[SCALED]], %[[PART]]
// CHECK: scf.yield %[[NEXT]]
// CHECK: %[[SECOND:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]])
// CHECK: tilegpu.partial_reduce
// CHECK: %[[ALL:.*]] = tile.reduce(%[[SECOND]]) axis = 1 : {{.*}} -> tensor<32xf32, #
// CHECK: return %[[ALL]]
func.func @online_softmax(%n: i32, %x: tensor<32x16xf32, #rows>, %s: tensor<32xf32, #row>) -> tensor<32xf32, #row> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32xf32, #row>
  %first = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<32xf32, #row>) : i32 {
    %scaled = arith.mulf %sum, %s : tensor<32xf32, #row>
    %part = tile.reduce(%x) axis = 1 : (tensor<32x16xf32, #rows>) -> tensor<32xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %next = arith.addf %scaled, %part : tensor<32xf32, #row>
    scf.yield %next : tensor<32xf32, #row>
  }
  %second = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %first) -> (tensor<32xf32, #row>) : i32 {
    %part = tile.reduce(%x) axis = 1 : (tensor<32x16xf32, #rows>) -> tensor<32xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %next = arith.addf %part, %sum : tensor<32xf32, #row>
    scf.yield %next : tensor<32xf32, #row>
  }
  func.return %second : tensor<32xf32, #row>
}

// The number is one for all threads of the CTA: no barrier in the loop. A maximum may begin anywhere.
// CHECK-LABEL: func @numbers
// CHECK: %[[INIT:.*]] = tile.splat %{{.*}} : f32 -> tensor<128xf32, #[[THREAD]]>
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %[[INIT]], %{{.*}} = %{{.*}}) -> (tensor<128xf32, #[[THREAD]]>, tensor<128xi32, #[[THREAD]]>)
// CHECK-COUNT-2: tilegpu.partial_reduce
// CHECK-DAG: tile.reduce(%[[R]]#0) axis = 0 : {{.*}} -> f32
// CHECK-DAG: tile.reduce(%[[R]]#1) axis = 0 : {{.*}} -> i32
func.func @numbers(%n: i32, %most: f32, %x: tensor<512xf32, #line>, %y: tensor<512xi32, #line>) -> (f32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %most, %count = %c0) -> (f32, i32) : i32 {
    %p = tile.reduce(%x) axis = 0 : (tensor<512xf32, #line>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tile.yield %c : f32
    }
    %q = tile.reduce(%y) axis = 0 : (tensor<512xi32, #line>) -> i32 {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tile.yield %c : i32
    }
    %m1 = arith.maxnumf %m, %p : f32
    %count1 = arith.addi %count, %q : i32
    scf.yield %m1, %count1 : f32, i32
  }
  func.return %r#0, %r#1 : f32, i32
}

// Sums that begin with something, that the loop reads, that others combine with, and of threads that are not told apart.
// CHECK-LABEL: func @left_alone
// CHECK-NOT: partial_reduce
// CHECK: return
func.func @left_alone(%n: i32, %start: f32, %x: tensor<512xf32, #line>, %z: tensor<32x16xf32, #skew>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %none = arith.constant dense<0.0> : tensor<32xf32, #row>
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%s0 = %start, %s1 = %zero, %s2 = %zero, %s3 = %none) -> (f32, f32, f32, tensor<32xf32, #row>) : i32 {
    %p0 = tile.reduce(%x) axis = 0 : (tensor<512xf32, #line>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %n0 = arith.addf %s0, %p0 : f32
    %y = tile.splat %s1 : f32 -> tensor<512xf32, #line>
    %p1 = tile.reduce(%y) axis = 0 : (tensor<512xf32, #line>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %n1 = arith.addf %s1, %p1 : f32
    %p2 = tile.reduce(%x) axis = 0 : (tensor<512xf32, #line>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tile.yield %c : f32
    }
    %n2 = arith.addf %s2, %p2 : f32
    %p3 = tile.reduce(%z) axis = 1 : (tensor<32x16xf32, #skew>) -> tensor<32xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %n3 = arith.addf %s3, %p3 : tensor<32xf32, #row>
    scf.yield %n0, %n1, %n2, %n3 : f32, f32, f32, tensor<32xf32, #row>
  }
  func.return
}
}

// RUN: tile-opt %s --tile-merge-counters --canonicalize --allow-unregistered-dialect | FileCheck %s

// A loop over tiles that counts them twice: from one step in front of the first, and moved on before it is used.
// CHECK-LABEL: func @tiles
// CHECK: scf.for %[[TILE:.*]] = %{{.*}} to %{{.*}} step %c132_i32 {{.*}} {
// CHECK-NEXT: "test.loads"(%[[TILE]])
// CHECK-NEXT: "test.stores"(%[[TILE]])
func.func @tiles(%first: i32, %n: i32) {
  %step = arith.constant 132 : i32
  %before = arith.subi %first, %step : i32
  scf.for %tile = %first to %n step %step iter_args(%at = %before) -> (i32) : i32 {
    "test.loads"(%tile) : (i32) -> ()
    %now = arith.addi %at, %step : i32
    "test.stores"(%now) : (i32) -> ()
    scf.yield %now : i32
  }
  return
}

// A step that is the same value, and another distance.
// CHECK-LABEL: func @distance
// CHECK: scf.for %[[I:.*]] = %c4_i32 to %{{.*}} step %{{.*}} {{.*}} {
// CHECK-NEXT: %[[AT:.*]] = arith.addi %[[I]], %c3_i32
// CHECK-NEXT: "test.use"(%[[AT]])
func.func @distance(%n: i32, %step: i32) {
  %c4 = arith.constant 4 : i32
  %c7 = arith.constant 7 : i32
  scf.for %i = %c4 to %n step %step iter_args(%at = %c7) -> (i32) : i32 {
    "test.use"(%at) : (i32) -> ()
    %next = arith.addi %step, %at : i32
    scf.yield %next : i32
  }
  return
}

// Another step, a start that is no constant away, a value that the loop's users want, and one that is moved on twice.
// CHECK-LABEL: func @others
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (i32, i32, i32, i32)
func.func @others(%n: i32, %start: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %0:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %start, %c = %c0, %d = %c0) -> (i32, i32, i32, i32) : i32 {
    "test.use"(%a, %b, %c, %d) : (i32, i32, i32, i32) -> ()
    %nextA = arith.addi %a, %c2 : i32
    %nextB = arith.addi %b, %c1 : i32
    %nextC = arith.addi %c, %c1 : i32
    %once = arith.addi %d, %i : i32
    %nextD = arith.addi %once, %c1 : i32
    scf.yield %nextA, %nextB, %nextC, %nextD : i32, i32, i32, i32
  }
  return %0#2 : i32
}

// RUN: tile-opt %s --tile-mark-polls --canonicalize | FileCheck %s

// A loop that computes nothing: without the mark it would be taken away.
// CHECK-LABEL: func.func @wait
// CHECK: scf.while
// CHECK: tile.load %{{.*}} volatile : !tile.ptr<i32>
// A volatile load asks the memory anew by itself.
// CHECK: scf.while
// CHECK: tile.load %{{.*}} volatile : !tile.ptr<i32>
func.func @wait(%flag: !tile.ptr<i32>, %n: i32) {
  scf.while : () -> () {
    %0 = tile.load %flag : !tile.ptr<i32>
    %1 = arith.cmpi slt, %0, %n : i32
    scf.condition(%1)
  } do {
    scf.yield
  }
  scf.while : () -> () {
    %0 = tile.load %flag cache = cv : !tile.ptr<i32>
    %1 = arith.cmpi slt, %0, %n : i32
    scf.condition(%1)
  } do {
    scf.yield
  }
  return
}

// The flag of a `break` carries what was found into the condition. What the loop does besides waiting is no poll.
// CHECK-LABEL: func.func @leave
// CHECK: scf.while
// CHECK: tile.addptr
// CHECK: tile.load %{{.*}} volatile : !tile.ptr<i32>
// CHECK: tile.load %{{[a-z0-9]*}} : !tile.ptr<i32>
func.func @leave(%flag: !tile.ptr<i32>, %n: i32) -> i32 {
  %go = arith.constant true
  %zero = arith.constant 0 : i32
  %0:2 = scf.while (%left = %go, %sum = %zero) : (i1, i32) -> (i1, i32) {
    scf.condition(%left) %left, %sum : i1, i32
  } do {
  ^bb0(%left: i1, %sum: i32):
    %at = tile.addptr %flag, %n : !tile.ptr<i32>, i32
    %found = tile.load %at : !tile.ptr<i32>
    %is = arith.cmpi ne, %found, %n : i32
    %next = scf.if %is -> i1 {
      scf.yield %left : i1
    } else {
      %no = arith.constant false
      scf.yield %no : i1
    }
    %other = tile.load %flag : !tile.ptr<i32>
    %more = arith.addi %sum, %other : i32
    scf.yield %next, %more : i1, i32
  }
  return %0#1 : i32
}

// A search looks elsewhere in each iteration. One without a use goes.
// CHECK-LABEL: func.func @search
// CHECK: scf.while
// CHECK: tile.load %{{[a-z0-9]*}} : !tile.ptr<i32>
// CHECK-NOT: scf.while
func.func @search(%table: !tile.ptr<i32>, %key: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %0 = scf.while (%i = %zero) : (i32) -> i32 {
    %at = tile.addptr %table, %i : !tile.ptr<i32>, i32
    %found = tile.load %at : !tile.ptr<i32>
    %is = arith.cmpi ne, %found, %key : i32
    scf.condition(%is) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  %1 = scf.while (%i = %zero) : (i32) -> i32 {
    %at = tile.addptr %table, %i : !tile.ptr<i32>, i32
    %found = tile.load %at : !tile.ptr<i32>
    %is = arith.cmpi ne, %found, %key : i32
    scf.condition(%is) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  return %0 : i32
}

// A block of flags in the condition itself.
// CHECK-LABEL: func.func @all
// CHECK: tile.load %{{.*}} volatile : tensor<4x!tile.ptr<i32>>
func.func @all(%flags: tensor<4x!tile.ptr<i32>>, %n: i32) {
  scf.while : () -> () {
    %0 = tile.load %flags : tensor<4x!tile.ptr<i32>>
    %1 = tile.reduce(%0) axis = 0 : (tensor<4xi32>) -> i32 {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tile.yield %c : i32
    }
    %2 = arith.cmpi slt, %1, %n : i32
    scf.condition(%2)
  } do {
    scf.yield
  }
  return
}

// RUN: tile-opt %s --split-input-file --tilegpu-order-thread-code | FileCheck %s

// As few registers as a thread can have: nothing is read before it is needed.
module attributes {tilegpu.min_ctas = 32 : i32} {
// CHECK-LABEL: func @by_demand
// CHECK-NOT: few_registers
// CHECK: %[[A:.*]] = tilegpu.ld_global %arg0
// CHECK: tilegpu.st_shared %[[A]]
// CHECK: %[[B:.*]] = tilegpu.ld_global %arg1
// CHECK: tilegpu.st_shared %[[B]]
func.func @by_demand(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %s: !llvm.ptr<3>, %t: !llvm.ptr<3>) attributes {tilegpu.few_registers} {
  %a = tilegpu.ld_global %p : !llvm.ptr<1> -> vector<4xi32>
  %b = tilegpu.ld_global %q : !llvm.ptr<1> -> vector<4xi32>
  tilegpu.st_shared %a, %s : vector<4xi32>, !llvm.ptr<3>
  tilegpu.st_shared %b, %t : vector<4xi32>, !llvm.ptr<3>
  return
}

// A sum takes its summands as they come; walls keep the next ones behind it.
// CHECK-LABEL: func @folded
// CHECK-COUNT-2: tilegpu.ld_global
// CHECK-NEXT: %[[X:.*]] = arith.addi
// CHECK-NEXT: tilegpu.wall %[[X]] : i32
// CHECK-NEXT: tilegpu.ld_global
// CHECK-NEXT: %[[Y:.*]] = arith.addi %[[X]]
// CHECK-NEXT: tilegpu.wall %[[Y]] : i32
// CHECK-NEXT: tilegpu.ld_global
// CHECK: arith.addi
// CHECK: tilegpu.st_global
func.func @folded(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %r: !llvm.ptr<1>, %s: !llvm.ptr<1>) attributes {tilegpu.few_registers} {
  %a = tilegpu.ld_global %p : !llvm.ptr<1> -> i32
  %b = tilegpu.ld_global %q : !llvm.ptr<1> -> i32
  %c = tilegpu.ld_global %r : !llvm.ptr<1> -> i32
  %d = tilegpu.ld_global %s : !llvm.ptr<1> -> i32
  %0 = arith.addi %a, %b : i32
  %1 = arith.addi %0, %c : i32
  %2 = arith.addi %1, %d : i32
  tilegpu.st_global %2, %p : i32, !llvm.ptr<1>
  return
}

// What is read before a write stays in front of it.
// CHECK-LABEL: func @held
// CHECK: %[[A:.*]] = tilegpu.ld_global %arg0
// CHECK: %[[B:.*]] = tilegpu.ld_global %arg1
// CHECK: tilegpu.st_global %[[A]], %arg1
// CHECK: %[[C:.*]] = tilegpu.ld_global %arg0
// CHECK: tilegpu.st_global %[[B]], %arg0
// CHECK: tilegpu.st_global %[[C]], %arg1
func.func @held(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) attributes {tilegpu.few_registers} {
  %a = tilegpu.ld_global %p : !llvm.ptr<1> -> i32
  %b = tilegpu.ld_global %q : !llvm.ptr<1> -> i32
  tilegpu.st_global %a, %q : i32, !llvm.ptr<1>
  %c = tilegpu.ld_global %p : !llvm.ptr<1> -> i32
  tilegpu.st_global %b, %p : i32, !llvm.ptr<1>
  tilegpu.st_global %c, %q : i32, !llvm.ptr<1>
  return
}

// A read of one slot does not wait for a write of another one, but for one of its own.
// CHECK-LABEL: func @slots
// CHECK: tilegpu.st_shared %arg2, %arg0 {tilegpu.slot = 0 : i32}
// CHECK: tilegpu.st_shared %arg2, %arg1 {tilegpu.slot = 2048 : i32}
// CHECK: tilegpu.ld_shared %arg0 {tilegpu.slot = 0 : i32}
// CHECK: tilegpu.st_global
func.func @slots(%s: !llvm.ptr<3>, %t: !llvm.ptr<3>, %v: vector<4xi32>, %p: !llvm.ptr<1>) attributes {tilegpu.few_registers} {
  tilegpu.st_shared %v, %s {tilegpu.slot = 0 : i32} : vector<4xi32>, !llvm.ptr<3>
  %a = tilegpu.ld_shared %s {tilegpu.slot = 0 : i32} : !llvm.ptr<3> -> vector<4xi32>
  tilegpu.st_shared %v, %t {tilegpu.slot = 2048 : i32} : vector<4xi32>, !llvm.ptr<3>
  tilegpu.st_global %a, %p : vector<4xi32>, !llvm.ptr<1>
  return
}

// So it is with local memory: reads move over global writes, and not over the local write behind them.
// CHECK-LABEL: func @local
// CHECK: %[[A:.*]] = llvm.load %arg0
// CHECK: tilegpu.st_global %[[A]], %arg1
// CHECK: %[[B:.*]] = llvm.load %arg0
// CHECK: tilegpu.st_global %[[B]], %arg1
// CHECK: llvm.store
func.func @local(%s: !llvm.ptr, %p: !llvm.ptr<1>, %v: vector<128xi32>) attributes {tilegpu.few_registers} {
  %a = llvm.load %s : !llvm.ptr -> vector<128xi32>
  %b = llvm.load %s : !llvm.ptr -> vector<128xi32>
  tilegpu.st_global %a, %p : vector<128xi32>, !llvm.ptr<1>
  tilegpu.st_global %b, %p : vector<128xi32>, !llvm.ptr<1>
  llvm.store %v, %s : vector<128xi32>, !llvm.ptr
  return
}

// Other functions stay as they are.
// CHECK-LABEL: func @unmarked
// CHECK-COUNT-2: tilegpu.ld_global
// CHECK-COUNT-2: tilegpu.st_shared
func.func @unmarked(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %s: !llvm.ptr<3>, %t: !llvm.ptr<3>) {
  %a = tilegpu.ld_global %p : !llvm.ptr<1> -> vector<4xi32>
  %b = tilegpu.ld_global %q : !llvm.ptr<1> -> vector<4xi32>
  tilegpu.st_shared %a, %s : vector<4xi32>, !llvm.ptr<3>
  tilegpu.st_shared %b, %t : vector<4xi32>, !llvm.ptr<3>
  return
}
}

// -----

// With registers enough, reads come as early as the writes allow.
// CHECK-LABEL: func @early
// CHECK: tilegpu.ld_global
// CHECK-NEXT: tilegpu.ld_global
// CHECK-NEXT: tilegpu.st_shared
// CHECK-NEXT: tilegpu.st_shared
// CHECK-NEXT: return
func.func @early(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %s: !llvm.ptr<3>, %t: !llvm.ptr<3>) attributes {tilegpu.few_registers} {
  %a = tilegpu.ld_global %p : !llvm.ptr<1> -> vector<4xi32>
  tilegpu.st_shared %a, %s : vector<4xi32>, !llvm.ptr<3>
  %b = tilegpu.ld_global %q : !llvm.ptr<1> -> vector<4xi32>
  tilegpu.st_shared %b, %t : vector<4xi32>, !llvm.ptr<3>
  return
}

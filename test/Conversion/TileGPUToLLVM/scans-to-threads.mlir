// RUN: tile-opt %s --convert-tilegpu-to-threads --cse | FileCheck %s

#vector = #tilegpu.linear<{register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []}, [4]>
#lanes = #tilegpu.linear<{register = [], lane = [[0], [1], [2], [0], [0]], warp = [[0], [0]], block = []}, [4]>
#chunks = #tilegpu.linear<{register = [[1], [4]], lane = [[2], [0], [0], [0], [0]], warp = [[0], [0]], block = []}, [8]>
#a = #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}, [128]>
#g = #tilegpu.linear<{register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []}, [4]>
#w = #tilegpu.linear<{register = [], lane = [[0], [0], [0], [0], [0]], warp = [[1], [2]], block = []}, [4]>
#s = #tilegpu.linear<{offset = [[1], [2], [4]]}, [8]>
#s2 = #tilegpu.linear<{offset = [[0, 1], [0, 2], [1, 0]]}, [2, 4]>
#m2 = #tilegpu.linear<{register = [[0, 1]], lane = [[1, 0], [0, 0], [0, 0], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = []}, [2, 2]>

module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// Inside a thread: one after the other, the left operand first, from the far end when reversed.
// CHECK-LABEL: func @in_a_thread
// CHECK-SAME: %[[X0:[^:]*]]: i32, %[[X1:[^:]*]]: i32, %[[X2:[^:]*]]: i32, %[[X3:[^:]*]]: i32
// CHECK-NOT: shfl
// CHECK: %[[S2:.*]] = arith.subi %[[X3]], %[[X2]]
// CHECK: %[[S1:.*]] = arith.subi %[[S2]], %[[X1]]
// CHECK: %[[S0:.*]] = arith.subi %[[S1]], %[[X0]]
// CHECK: tilegpu.st_global %[[S0]]
// CHECK: tilegpu.st_global %[[S1]]
// CHECK: tilegpu.st_global %[[S2]]
// CHECK: tilegpu.st_global %[[X3]]
func.func @in_a_thread(%x: tensor<4xi32, #vector>, %p0: tensor<4x!tile.ptr<i32>, #vector>) {
  %0 = tile.scan(%x) axis = 0 reverse : (tensor<4xi32, #vector>) -> tensor<4xi32, #vector> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.subi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %p0, %0 : tensor<4x!tile.ptr<i32>, #vector>
  func.return
}

// Over two bits of the lane number: two steps. Lanes 1 mod 2 take their neighbour's, lanes 2 and 3 mod 4 lane 1's.
// CHECK-LABEL: func @over_lanes
// CHECK-SAME: %[[X:[^:]*]]: i32
// CHECK: %[[C29:.*]] = arith.constant 29 : i32
// CHECK: %[[SRC:.*]] = arith.andi %{{.*}}, %[[C29]]
// CHECK: %[[O:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[X]], %[[SRC]]
// CHECK: %[[BIT:.*]] = arith.andi %{{.*}}, %[[C2:.*]] :
// CHECK: %[[LATER:.*]] = arith.cmpi eq, %[[BIT]], %[[C2]]
// CHECK: %[[SUM:.*]] = arith.addi %[[O]], %[[X]]
// CHECK: %[[STEP:.*]] = arith.select %[[LATER]], %[[SUM]], %[[X]]
// CHECK: nvvm.shfl.sync idx %{{.*}}, %[[STEP]]
// CHECK-NOT: shfl
// CHECK: return
func.func @over_lanes(%x: tensor<4xi32, #lanes>, %p0: tensor<4x!tile.ptr<i32>, #lanes>) {
  %0 = tile.scan(%x) axis = 0 : (tensor<4xi32, #lanes>) -> tensor<4xi32, #lanes> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %p0, %0 : tensor<4x!tile.ptr<i32>, #lanes>
  func.return
}

// Two chunks of two elements in two lanes: one step and the lane before for each, and the first chunk's total.
// CHECK-LABEL: func @chunks
// CHECK-COUNT-5: nvvm.shfl.sync idx
// CHECK-NOT: shfl
// CHECK: return
func.func @chunks(%x: tensor<8xi32, #chunks>, %p0: tensor<8x!tile.ptr<i32>, #chunks>) {
  %0 = tile.scan(%x) axis = 0 : (tensor<8xi32, #chunks>) -> tensor<8xi32, #chunks> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %p0, %0 : tensor<8x!tile.ptr<i32>, #chunks>
  func.return
}

// The first warp keeps what it has, the others take the totals before theirs.
// CHECK-LABEL: func @totals
// CHECK-SAME: %[[X:[^:]*]]: i32, %[[T0:[^:]*]]: i32, %[[T1:[^:]*]]: i32, %[[T2:[^:]*]]: i32, %[[T3:[^:]*]]: i32
// CHECK: %[[P2:.*]] = arith.addi %[[T0]], %[[T1]]
// CHECK: %[[P3:.*]] = arith.addi %[[P2]], %[[T2]]
// CHECK: %[[LOW:.*]] = arith.select %{{.*}}, %[[T0]], %[[T0]]
// CHECK: %[[HIGH:.*]] = arith.select %{{.*}}, %[[P3]], %[[P2]]
// CHECK: %[[BEFORE:.*]] = arith.select %{{.*}}, %[[HIGH]], %[[LOW]]
// CHECK: %[[SUM:.*]] = arith.addi %[[BEFORE]], %[[X]]
// CHECK: %[[R:.*]] = arith.select %{{.*}}, %[[X]], %[[SUM]]
// CHECK: tilegpu.st_global %[[R]]
func.func @totals(%x: tensor<128xi32, #a>, %t: tensor<4xi32, #g>, %p0: tensor<128x!tile.ptr<i32>, #a>) {
  %0 = tilegpu.finish_scan(%x, %t) axis = 0 : (tensor<128xi32, #a>, tensor<4xi32, #g>) -> tensor<128xi32, #a> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %p0, %0 : tensor<128x!tile.ptr<i32>, #a>
  func.return
}

// The last lane's sum is the warp's.
// CHECK-LABEL: func @partial
// CHECK-COUNT-6: nvvm.shfl.sync idx
// CHECK-NOT: shfl
// CHECK: return
func.func @partial(%x: tensor<128xi32, #a>, %p0: tensor<128x!tile.ptr<i32>, #a>, %p1: tensor<4x!tile.ptr<i32>, #w>) {
  %0:2 = tilegpu.partial_scan(%x) axis = 0 : (tensor<128xi32, #a>) -> (tensor<128xi32, #a>, tensor<4xi32, #w>) {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %p0, %0#0 : tensor<128x!tile.ptr<i32>, #a>
  tile.store %p1, %0#1 : tensor<4x!tile.ptr<i32>, #w>
  func.return
}

// Own row times 16 bytes, and the index times 4.
// CHECK-LABEL: func @gather
// CHECK-SAME: %[[B:[^:]*]]: !llvm.ptr<3>, %[[I0:[^:]*]]: i16, %[[I1:[^:]*]]: i16
// CHECK: %[[BIT:.*]] = arith.andi %{{.*}}, %c1_i32
// CHECK: %[[ROW:.*]] = arith.shli %[[BIT]],
// CHECK: %[[W0:.*]] = arith.extsi %[[I0]] : i16 to i32
// CHECK: %[[Y0:.*]] = arith.shli %[[W0]]
// CHECK: %[[O0:.*]] = arith.addi %[[ROW]], %[[Y0]]
// CHECK: %[[A0:.*]] = llvm.getelementptr %[[B]][%[[O0]]]
// CHECK: tilegpu.ld_shared %[[A0]]
// CHECK: arith.extsi %[[I1]]
// CHECK: tilegpu.ld_shared
func.func @gather(%b: !tilegpu.memdesc<[2, 4], f32, #s2>, %i: tensor<2x2xi16, #m2>, %p0: tensor<2x2x!tile.ptr<f32>, #m2>) {
  %0 = tilegpu.local_gather %b[%i] axis = 1 : !tilegpu.memdesc<[2, 4], f32, #s2>, tensor<2x2xi16, #m2> -> tensor<2x2xf32, #m2>
  tile.store %p0, %0 : tensor<2x2x!tile.ptr<f32>, #m2>
  func.return
}

// Numbers below 8 whose mask holds are counted, by one of the threads that have them.
// CHECK-LABEL: func @count
// CHECK-SAME: %[[X:[^:]*]]: i32, %[[M:[^:]*]]: i1, %[[B:[^:]*]]: !llvm.ptr<3>
// CHECK: %[[FIRST:.*]] = arith.cmpi eq
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[X]]
// CHECK: %[[OWN:.*]] = arith.andi %[[IN]], %[[FIRST]]
// CHECK: %[[P:.*]] = arith.andi %[[OWN]], %[[M]]
// CHECK: %[[A:.*]] = llvm.getelementptr %[[B]]
// CHECK: tilegpu.atomic_add_shared %{{.*}}, %[[A]] if %[[P]]
func.func @count(%x: tensor<4xi32, #lanes>, %m: tensor<4xi1, #lanes>, %b: !tilegpu.memdesc<[8], i32, #s>) {
  tilegpu.local_count %x, %b mask %m : tensor<4xi32, #lanes>, !tilegpu.memdesc<[8], i32, #s>, tensor<4xi1, #lanes>
  func.return
}
}

// RUN: tile-opt %s --tilegpu-branch-selects | FileCheck %s

#c = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 128]>
#d = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>

module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// What is computed for one side alone is in its branch; the scores and what makes the condition are not.
// CHECK-LABEL: func @mask
// CHECK-SAME: (%[[S:.*]]: tensor<64x128xf32, #{{.*}}>, %[[I:.*]]: tensor<64x128xi32, #{{.*}}>, %[[N:.*]]: tensor<64x128xi32, #{{.*}}>, %[[AT:.*]]: i32, %[[END:.*]]: i32)
// CHECK: %[[OTHER:.*]] = arith.constant dense<0xFF800000>
// CHECK-NEXT: %[[IN:.*]] = arith.cmpi sge, %[[AT]], %[[END]] : i32
// CHECK-NEXT: %[[R:.*]] = scf.if %[[IN]]
// CHECK-NEXT:   %[[M:.*]] = arith.cmpi slt, %[[I]], %[[N]]
// CHECK-NEXT:   %[[T:.*]] = arith.select %[[M]], %[[S]], %[[OTHER]]
// CHECK-NEXT:   scf.yield %[[T]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   scf.yield %[[S]]
// CHECK-NEXT: }
// CHECK-NEXT: math.exp2 %[[R]]
func.func @mask(%s: tensor<64x128xf32, #c>, %i: tensor<64x128xi32, #c>, %n: tensor<64x128xi32, #c>, %at: i32, %end: i32) -> tensor<64x128xf32, #c> {
  %other = arith.constant dense<0xFF800000> : tensor<64x128xf32, #c>
  %m = arith.cmpi slt, %i, %n : tensor<64x128xi32, #c>
  %t = arith.select %m, %s, %other : tensor<64x128xi1, #c>, tensor<64x128xf32, #c>
  %in = arith.cmpi sge, %at, %end : i32
  %r = arith.select %in, %t, %s : tensor<64x128xf32, #c>
  %e = math.exp2 %r : tensor<64x128xf32, #c>
  return %e : tensor<64x128xf32, #c>
}

// The second operand's side, and both.
// CHECK-LABEL: func @both
// CHECK: scf.if
// CHECK-NEXT: math.exp2
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: math.log2
// CHECK-NEXT: scf.yield
func.func @both(%s: tensor<64x128xf32, #c>, %p: i1) -> tensor<64x128xf32, #c> {
  %a = math.exp2 %s : tensor<64x128xf32, #c>
  %b = math.log2 %s : tensor<64x128xf32, #c>
  %r = arith.select %p, %a, %b : tensor<64x128xf32, #c>
  return %r : tensor<64x128xf32, #c>
}

// A few operations take less time than a branch; what others use, too, and what is chosen element by element is computed anyway.
// CHECK-LABEL: func @selects
// CHECK-NOT: scf.if
func.func @selects(%s: tensor<64x128xf32, #c>, %d: tensor<64x16xf32, #d>, %m: tensor<64x128xi1, #c>, %p: i1) -> (tensor<64x16xf32, #d>, tensor<64x128xf32, #c>, tensor<64x128xf32, #c>, tensor<64x128xf32, #c>) {
  %few = math.exp2 %d : tensor<64x16xf32, #d>
  %0 = arith.select %p, %few, %d : tensor<64x16xf32, #d>
  %a = math.exp2 %s : tensor<64x128xf32, #c>
  %1 = arith.select %p, %a, %s : tensor<64x128xf32, #c>
  %b = math.log2 %s : tensor<64x128xf32, #c>
  %2 = arith.select %m, %b, %s : tensor<64x128xi1, #c>, tensor<64x128xf32, #c>
  return %0, %1, %2, %a : tensor<64x16xf32, #d>, tensor<64x128xf32, #c>, tensor<64x128xf32, #c>, tensor<64x128xf32, #c>
}
}

// RUN: tile-opt %s --tile-share-reciprocals | FileCheck %s

// The elements are divided by copies of one number: its scale and reciprocal are made once.
// CHECK-LABEL: func.func @copies
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<64xf32>, %[[D:[a-z0-9]+]]: f32
// CHECK: %[[SIZE:.*]] = math.absf %[[D]] : f32
// CHECK: %[[HUGE:.*]] = arith.cmpf ogt, %[[SIZE]], %{{.*}} : f32
// CHECK: %[[TINY:.*]] = arith.cmpf olt, %[[SIZE]], %{{.*}} : f32
// CHECK: %[[UP:.*]] = arith.select %[[TINY]], %{{.*}}, %{{.*}} : f32
// CHECK: %[[SCALE:.*]] = arith.select %[[HUGE]], %{{.*}}, %[[UP]] : f32
// CHECK: %[[SCALED:.*]] = arith.mulf %[[D]], %[[SCALE]] : f32
// CHECK: %[[R:.*]] = tile.reciprocal %[[SCALED]] : f32
// CHECK-DAG: %[[SCALES:.*]] = tile.splat %[[SCALE]]
// CHECK-DAG: %[[RS:.*]] = tile.splat %[[R]]
// CHECK: %[[Y:.*]] = arith.mulf %[[X]], %[[SCALES]] : tensor<64xf32>
// CHECK: %[[Z:.*]] = arith.mulf %[[Y]], %[[RS]] : tensor<64xf32>
// CHECK: return %[[Z]]
func.func @copies(%x: tensor<64xf32>, %d: f32) -> tensor<64xf32> {
  %0 = tile.splat %d : f32 -> tensor<64xf32>
  %1 = arith.divf %x, %0 : tensor<64xf32>
  return %1 : tensor<64xf32>
}

// One divisor for each row, used twice: the reciprocals are those of the rows, made once.
// CHECK-LABEL: func.func @rows
// CHECK: tile.reciprocal %{{.*}} : tensor<4xf32>
// CHECK-NOT: tile.reciprocal
// CHECK-COUNT-2: arith.mulf %{{.*}}, %{{.*}} : tensor<4x32xf32>
// CHECK-NOT: arith.divf
func.func @rows(%x: tensor<4x32xf32>, %y: tensor<4x32xf32>, %d: tensor<4xf32>) -> (tensor<4x32xf32>, tensor<4x32xf32>) {
  %root = math.sqrt %d : tensor<4xf32>
  %0 = tile.expand_dims %root {axis = 1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  %1 = tile.broadcast %0 : tensor<4x1xf32> -> tensor<4x32xf32>
  %2 = arith.divf %x, %1 : tensor<4x32xf32>
  %3 = arith.divf %y, %1 : tensor<4x32xf32>
  return %2, %3 : tensor<4x32xf32>, tensor<4x32xf32>
}

// The sum of a softmax is at least 1.
// CHECK-LABEL: func.func @softmax
// CHECK-NOT: math.absf
// CHECK: %[[R:.*]] = tile.reciprocal %{{.*}} : f32
// CHECK: %[[RS:.*]] = tile.splat %[[R]]
// CHECK: arith.mulf %{{.*}}, %[[RS]] : tensor<64xf32>
// CHECK-NOT: arith.mulf
func.func @softmax(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = tile.reduce(%x) axis = 0 : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tile.yield %m : f32
  }
  %1 = tile.splat %0 : f32 -> tensor<64xf32>
  %2 = arith.subf %x, %1 : tensor<64xf32>
  %3 = math.exp %2 : tensor<64xf32>
  %4 = tile.reduce(%3) axis = 0 : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %5 = tile.splat %4 : f32 -> tensor<64xf32>
  %6 = arith.divf %3, %5 : tensor<64xf32>
  return %6 : tensor<64xf32>
}

// The maximum of other numbers says nothing about the sum.
// CHECK-LABEL: func.func @negative_other_maximum
// CHECK: math.absf
func.func @negative_other_maximum(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = tile.reduce(%y) axis = 0 : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tile.yield %m : f32
  }
  %1 = tile.splat %0 : f32 -> tensor<64xf32>
  %2 = arith.subf %x, %1 : tensor<64xf32>
  %3 = math.exp %2 : tensor<64xf32>
  %4 = tile.reduce(%3) axis = 0 : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %5 = tile.splat %4 : f32 -> tensor<64xf32>
  %6 = arith.divf %3, %5 : tensor<64xf32>
  return %6 : tensor<64xf32>
}

// The maxima of the rows stand in the columns of a square: each element loses that of another row.
// CHECK-LABEL: func.func @negative_maximum_of_another_row
// CHECK-NOT: tile.reciprocal
// CHECK: arith.divf
func.func @negative_maximum_of_another_row(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = tile.reduce(%x) axis = 1 : (tensor<8x8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tile.yield %m : f32
  }
  %row = tile.expand_dims %0 {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  %1 = tile.broadcast %row : tensor<1x8xf32> -> tensor<8x8xf32>
  %2 = arith.subf %x, %1 : tensor<8x8xf32>
  %3 = math.exp2 %2 : tensor<8x8xf32>
  %4 = tile.reduce(%3) axis = 1 : (tensor<8x8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %column = tile.expand_dims %4 {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  %5 = tile.broadcast %column : tensor<8x1xf32> -> tensor<8x8xf32>
  %6 = arith.divf %3, %5 : tensor<8x8xf32>
  return %6 : tensor<8x8xf32>
}

// Scalars, too, where the divisor needs no scale; both means have one reciprocal.
// CHECK-LABEL: func.func @means
// CHECK: tile.reciprocal
// CHECK-NOT: tile.reciprocal
// CHECK-NOT: arith.divf
func.func @means(%x: f32, %y: f32, %n: i32) -> (f32, f32) {
  %0 = arith.sitofp %n : i32 to f32
  %1 = arith.divf %x, %0 : f32
  %2 = arith.divf %y, %0 : f32
  return %1, %2 : f32, f32
}

// CHECK-LABEL: func.func @constant
// CHECK-DAG: arith.constant dense<0.333333343> : tensor<64xf32>
// CHECK: arith.mulf
// CHECK-NOT: arith.divf
func.func @constant(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = arith.constant dense<3.0> : tensor<64xf32>
  %1 = arith.divf %x, %0 : tensor<64xf32>
  return %1 : tensor<64xf32>
}

// A divisor of bf16 may be tiny, one of f16 not.
// CHECK-LABEL: func.func @narrow
// CHECK: tile.reciprocal
// CHECK: arith.divf
func.func @narrow(%x: tensor<64xf32>, %h: tensor<64xf16>, %b: tensor<64xbf16>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = arith.extf %h : tensor<64xf16> to tensor<64xf32>
  %1 = arith.divf %x, %0 : tensor<64xf32>
  %2 = arith.extf %b : tensor<64xbf16> to tensor<64xf32>
  %3 = arith.divf %x, %2 : tensor<64xf32>
  return %1, %3 : tensor<64xf32>, tensor<64xf32>
}

// A divisor for each row that may be tiny: its scale would be a second tensor that changes its layout.
// CHECK-LABEL: func.func @negative_rows
// CHECK: arith.divf
func.func @negative_rows(%x: tensor<4x32xf32>, %d: tensor<4xf32>) -> tensor<4x32xf32> {
  %0 = tile.expand_dims %d {axis = 1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  %1 = tile.broadcast %0 : tensor<4x1xf32> -> tensor<4x32xf32>
  %2 = arith.divf %x, %1 : tensor<4x32xf32>
  return %2 : tensor<4x32xf32>
}

// One division for each element stays one, and so do an approximate one and those of other types.
// CHECK-LABEL: func.func @negative_others
// CHECK-COUNT-4: arith.divf
func.func @negative_others(%x: tensor<64xf32>, %y: tensor<64xf32>, %d: f32, %h: tensor<64xf16>, %e: f16, %f: f32)
    -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf16>, f32) {
  %0 = arith.divf %x, %y : tensor<64xf32>
  %1 = tile.splat %d : f32 -> tensor<64xf32>
  %2 = arith.divf %x, %1 fastmath<arcp> : tensor<64xf32>
  %3 = tile.splat %e : f16 -> tensor<64xf16>
  %4 = arith.divf %h, %3 : tensor<64xf16>
  %5 = arith.divf %d, %f : f32
  return %0, %2, %4, %5 : tensor<64xf32>, tensor<64xf32>, tensor<64xf16>, f32
}

// RUN: tile-opt %s --tile-pad-tensors --canonicalize --cse | FileCheck %s

// Accesses are masked, elementwise operations are wider.
// CHECK-LABEL: func.func @accesses
// CHECK-DAG: %[[END:.*]] = arith.constant dense<96> : tensor<128xi32>
// CHECK-DAG: %[[RANGE:.*]] = tile.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[RANGE]], %[[END]] : tensor<128xi32>
// CHECK: %[[X:.*]] = tile.load %[[P:.*]], %[[INSIDE]] : tensor<128x!tile.ptr<f32>>
// CHECK: %[[MASK:.*]] = arith.andi %{{.*}}, %[[INSIDE]] : tensor<128xi1>
// CHECK: tile.load %[[P]], %[[MASK]], %{{.*}} : tensor<128x!tile.ptr<f32>>
// CHECK: %[[SUM:.*]] = arith.addf {{.*}} : tensor<128xf32>
// CHECK: tile.store %[[P]], %[[SUM]], %[[INSIDE]]
// CHECK: tile.atomic_rmw add %[[P]], %[[SUM]] if %[[INSIDE]] : tensor<128x!tile.ptr<f32>>
// CHECK: tile.atomic_cas %[[P]], %[[X]], %[[SUM]] if %[[INSIDE]] : tensor<128x!tile.ptr<f32>>
func.func @accesses(%base: !tile.ptr<f32>, %n: i32, %fill: f32) {
  %range = tile.make_range {start = 0 : i32, end = 96 : i32} : tensor<96xi32>
  %bases = tile.splat %base : !tile.ptr<f32> -> tensor<96x!tile.ptr<f32>>
  %p = tile.addptr %bases, %range : tensor<96x!tile.ptr<f32>>, tensor<96xi32>
  %limit = tile.splat %n : i32 -> tensor<96xi32>
  %mask = arith.cmpi slt, %range, %limit : tensor<96xi32>
  %other = tile.splat %fill : f32 -> tensor<96xf32>
  %x = tile.load %p : tensor<96x!tile.ptr<f32>>
  %y = tile.load %p, %mask, %other : tensor<96x!tile.ptr<f32>>
  %sum = arith.addf %x, %y : tensor<96xf32>
  tile.store %p, %sum : tensor<96x!tile.ptr<f32>>
  %old = tile.atomic_rmw add %p, %sum : tensor<96x!tile.ptr<f32>>
  %older = tile.atomic_cas %p, %x, %sum : tensor<96x!tile.ptr<f32>>
  return
}

// A range goes on, also when it does not start at 0.
// CHECK-LABEL: func.func @range
// CHECK: tile.make_range {end = 13 : i32, start = 5 : i32} : tensor<8xi32>
func.func @range(%p: !tile.ptr<i32>) {
  %range = tile.make_range {start = 5 : i32, end = 11 : i32} : tensor<6xi32>
  %bases = tile.splat %p : !tile.ptr<i32> -> tensor<6x!tile.ptr<i32>>
  tile.store %bases, %range : tensor<6x!tile.ptr<i32>>
  return
}

// Its end must be a number of 32 bits.
// CHECK-LABEL: func.func @last_range
// CHECK: tile.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
func.func @last_range(%p: !tile.ptr<i32>) {
  %range = tile.make_range {start = 2147483641 : i32, end = 2147483647 : i32} : tensor<6xi32>
  %bases = tile.splat %p : !tile.ptr<i32> -> tensor<6x!tile.ptr<i32>>
  tile.store %bases, %range : tensor<6x!tile.ptr<i32>>
  return
}

// The zeros of a masked load are what a sum leaves as it is; a product needs ones.
// CHECK-LABEL: func.func @sums
// CHECK: %[[X:.*]] = tile.load
// CHECK: tile.reduce(%[[X]]) axis = 1 : (tensor<4x128xf32>) -> tensor<4xf32>
// CHECK: %[[ONES:.*]] = arith.select %{{.*}}, %[[X]], %{{.*}} : tensor<4x128xi1>, tensor<4x128xf32>
// CHECK: tile.reduce(%[[ONES]]) axis = 1 : (tensor<4x128xf32>) -> tensor<4xf32>
// CHECK: tile.reduce(%{{.*}}) axis = 0
func.func @sums(%p: tensor<3x96x!tile.ptr<f32>>, %q: tensor<3x!tile.ptr<f32>>, %r: tensor<96x!tile.ptr<f32>>) {
  %x = tile.load %p : tensor<3x96x!tile.ptr<f32>>
  %0 = tile.reduce(%x) axis = 1 : (tensor<3x96xf32>) -> tensor<3xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  tile.store %q, %0 : tensor<3x!tile.ptr<f32>>
  %1 = tile.reduce(%x) axis = 1 : (tensor<3x96xf32>) -> tensor<3xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    tile.yield %s : f32
  }
  tile.store %q, %1 : tensor<3x!tile.ptr<f32>>
  %2 = tile.reduce(%x) axis = 0 : (tensor<3x96xf32>) -> tensor<96xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  tile.store %r, %2 : tensor<96x!tile.ptr<f32>>
  return
}

// A region without an element that it leaves as it is: elements of the padding are left out.
// CHECK-LABEL: func.func @flagged
// CHECK: tile.reduce(%{{.*}}, %[[INSIDE:.*]]) axis = 0 : (tensor<8xf32>, tensor<8xi1>) -> (f32, i1)
// CHECK: ^bb0(%[[A:.*]]: f32, %[[FA:.*]]: i1, %[[B:.*]]: f32, %[[FB:.*]]: i1):
// CHECK: %[[C:.*]] = arith.subf %[[A]], %[[B]] : f32
// CHECK: %[[L:.*]] = arith.select %[[FB]], %[[C]], %[[A]] : f32
// CHECK: %[[R:.*]] = arith.select %[[FA]], %[[L]], %[[B]] : f32
// CHECK: %[[F:.*]] = arith.ori %[[FA]], %[[FB]] : i1
// CHECK: tile.yield %[[R]], %[[F]] : f32, i1
func.func @flagged(%x: tensor<5xf32>) -> f32 {
  %0 = tile.reduce(%x) axis = 0 : (tensor<5xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    tile.yield %s : f32
  }
  return %0 : f32
}

// Padding comes last in a scan, unless it goes backwards.
// CHECK-LABEL: func.func @scans
// CHECK-SAME: (%[[X:.*]]: tensor<8xi32>)
// CHECK: tile.scan(%[[X]]) axis = 0 : (tensor<8xi32>) -> tensor<8xi32>
// CHECK: %[[Y:.*]] = arith.select %{{.*}}, %[[X]], %{{.*}} : tensor<8xi1>, tensor<8xi32>
// CHECK: tile.scan(%[[Y]]) axis = 0 reverse : (tensor<8xi32>) -> tensor<8xi32>
// CHECK: tile.scan(%[[X]], %{{.*}}) axis = 0 reverse : (tensor<8xi32>, tensor<8xi1>) -> (tensor<8xi32>, tensor<8xi1>)
func.func @scans(%x: tensor<5xi32>) -> (tensor<5xi32>, tensor<5xi32>, tensor<5xi32>) {
  %0 = tile.scan(%x) axis = 0 : (tensor<5xi32>) -> tensor<5xi32> {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tile.yield %s : i32
  }
  %1 = tile.scan(%x) axis = 0 reverse : (tensor<5xi32>) -> tensor<5xi32> {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tile.yield %s : i32
  }
  %2 = tile.scan(%x) axis = 0 reverse : (tensor<5xi32>) -> tensor<5xi32> {
  ^bb0(%a: i32, %b: i32):
    %s = arith.subi %a, %b : i32
    tile.yield %s : i32
  }
  return %0, %1, %2 : tensor<5xi32>, tensor<5xi32>, tensor<5xi32>
}

// K is filled with zeros where they are not known to be there; M and N need nothing.
// CHECK-LABEL: func.func @product
// CHECK: %[[A:.*]] = tile.load
// CHECK: %[[B:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x128xi1>, tensor<64x128xf16>
// CHECK: tile.dot %[[A]], %[[B]], %{{.*}} : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
func.func @product(%p: tensor<48x40x!tile.ptr<f16>>, %b: tensor<40x80xf16>, %c: tensor<48x80xf32>) -> tensor<48x80xf32> {
  %a = tile.load %p : tensor<48x40x!tile.ptr<f16>>
  %0 = tile.dot %a, %b, %c : tensor<48x40xf16>, tensor<40x80xf16> -> tensor<48x80xf32>
  return %0 : tensor<48x80xf32>
}

// Padding behind everything else stays there.
// CHECK-LABEL: func.func @reshapes
// CHECK-SAME: (%[[X:.*]]: tensor<128xf32>)
// CHECK: %[[Y:.*]] = tile.reshape %[[X]] : tensor<128xf32> -> tensor<4x32xf32>
// CHECK: %[[Z:.*]] = tile.gather %[[X]][%{{.*}}] axis = 0 : tensor<128xf32>, tensor<128xi32> -> tensor<128xf32>
// CHECK: %[[W:.*]] = tile.reshape %[[Z]] : tensor<128xf32> -> tensor<32x4xf32>
// CHECK: return %[[Y]], %[[W]]
func.func @reshapes(%x: tensor<96xf32>) -> (tensor<3x32xf32>, tensor<32x3xf32>) {
  %0 = tile.reshape %x : tensor<96xf32> -> tensor<3x32xf32>
  %1 = tile.reshape %x : tensor<96xf32> -> tensor<32x3xf32>
  return %0, %1 : tensor<3x32xf32>, tensor<32x3xf32>
}

// Numbers are computed where they go, not moved.
// CHECK-LABEL: func.func @reshaped_range
// CHECK-NOT: tile.gather
// CHECK: return
func.func @reshaped_range() -> tensor<5x3xi32> {
  %range = tile.make_range {start = 2 : i32, end = 17 : i32} : tensor<15xi32>
  %0 = tile.reshape %range : tensor<15xi32> -> tensor<5x3xi32>
  return %0 : tensor<5x3xi32>
}

// All elements of a block, in any order: axis by axis.
// CHECK-LABEL: func.func @whole
// CHECK-NOT: tile.gather
// CHECK: tile.reduce(%{{.*}}) axis = 1 : (tensor<4x8xi32>) -> tensor<4xi32>
// CHECK: tile.reduce(%{{.*}}) axis = 0 : (tensor<4xi32>) -> i32
func.func @whole(%x: tensor<3x5xi32>) -> i32 {
  %flat = tile.reshape %x allow_reorder : tensor<3x5xi32> -> tensor<15xi32>
  %0 = tile.reduce(%flat) axis = 0 : (tensor<15xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tile.yield %s : i32
  }
  return %0 : i32
}

// CHECK-LABEL: func.func @by_index
// CHECK: %[[I:.*]] = arith.select
// CHECK: tile.gather %{{.*}}[%[[I]]] axis = 0 : tensor<8xf32>, tensor<4xi32> -> tensor<4xf32>
// CHECK: tile.histogram %{{.*}} mask %{{.*}} : tensor<4xi32>, tensor<4xi1> -> tensor<16xi32>
// CHECK: %[[HOLDS:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xi1>
// CHECK: tile.assert %[[HOLDS]], "positive"
// CHECK: tile.print "x" {extents = [array<i64: 3>, array<i64>]} %{{.*}}, %{{.*}} : tensor<4xi32>, i32
func.func @by_index(%x: tensor<6xf32>, %i: tensor<3xi32>, %c: tensor<3xi1>, %n: i32) -> (tensor<3xf32>, tensor<10xi32>) {
  %0 = tile.gather %x[%i] axis = 0 : tensor<6xf32>, tensor<3xi32> -> tensor<3xf32>
  %1 = tile.histogram %i : tensor<3xi32> -> tensor<10xi32>
  tile.assert %c, "positive" : tensor<3xi1>
  tile.print "x" %i, %n : tensor<3xi32>, i32
  return %0, %1 : tensor<3xf32>, tensor<10xi32>
}

// Control flow carries padded values.
// CHECK-LABEL: func.func @carried
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<128xf32>)
// CHECK: scf.if %{{.*}} -> (tensor<128xf32>)
func.func @carried(%x: tensor<96xf32>, %n: index, %c: i1) -> tensor<96xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = scf.for %i = %zero to %n step %one iter_args(%sum = %x) -> (tensor<96xf32>) {
    %1 = scf.if %c -> (tensor<96xf32>) {
      %2 = arith.addf %sum, %x : tensor<96xf32>
      scf.yield %2 : tensor<96xf32>
    } else {
      scf.yield %sum : tensor<96xf32>
    }
    scf.yield %1 : tensor<96xf32>
  }
  return %0 : tensor<96xf32>
}

// Constants keep their elements.
// CHECK-LABEL: func.func @constants
// CHECK-DAG: arith.constant dense<7> : tensor<4xi32>
// CHECK-DAG: arith.constant dense<{{\[}}[1, 2, 3, 3], [4, 5, 6, 6]]> : tensor<2x4xi32>
func.func @constants() -> (tensor<3xi32>, tensor<2x3xi32>) {
  %0 = arith.constant dense<7> : tensor<3xi32>
  %1 = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  return %0, %1 : tensor<3xi32>, tensor<2x3xi32>
}

// What is a power of two stays.
// CHECK-LABEL: func.func @untouched
// CHECK: tile.load %{{.*}} : tensor<64x!tile.ptr<f32>>
func.func @untouched(%p: tensor<64x!tile.ptr<f32>>) -> tensor<64xf32> {
  %0 = tile.load %p : tensor<64x!tile.ptr<f32>>
  return %0 : tensor<64xf32>
}

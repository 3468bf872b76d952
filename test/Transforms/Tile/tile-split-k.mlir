// RUN: tile-opt %s -split-input-file --tile-split-k=parts=2 | FileCheck %s
// RUN: tile-opt %s -split-input-file --tile-split-k=parts=2 --tile-split-tensors --canonicalize | FileCheck %s --check-prefix=PIECES
// RUN: tile-opt %s -split-input-file --tile-split-k=parts=1 | FileCheck %s --check-prefix=ONE
// RUN: not tile-opt %s --tile-split-k=parts=3 2>&1 | FileCheck %s --check-prefix=PARTS

// PARTS: error: expected 'parts' to be a power of two up to 8, got 3
// ONE-NOT: tile.split_k
// ONE-NOT: tile.reduce_scatter

// Two CTAs have every second block of K each, and the rows of a tile in halves, one after the other.
// CHECK: tile.split_k = 2 : i32
// CHECK-LABEL: func @descriptors
// CHECK: %[[CTA:.*]] = tile.program_id 0
// CHECK: %[[PART:.*]] = arith.andi %[[CTA]], %c1_i32
// CHECK: %[[ID:.*]] = tile.program_id 0
// CHECK: %[[PROGRAM:.*]] = arith.shrui %[[ID]], %c1_i32
// CHECK: %[[GRID:.*]] = tile.num_programs 0
// CHECK: %[[PROGRAMS:.*]] = arith.shrui %[[GRID]], %c1_i32
// CHECK: %[[OTHER:.*]] = tile.program_id 1
// CHECK: %[[SUM:.*]] = arith.addi %[[PROGRAM]], %[[PROGRAMS]]
// CHECK: %[[ROW:.*]] = arith.addi %[[SUM]], %[[OTHER]]
// CHECK: %[[HALF:.*]] = tile.make_tensor_descriptor {{.*}} -> <[32, 208], f16>
// CHECK: %[[BEGIN:.*]] = arith.muli %[[PART]], %c64_i32
// CHECK: %[[ACC:.*]] = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c128_i32
// CHECK: tile.dot
// CHECK: %[[ROWS:.*]] = tile.reduce_scatter %[[ACC]] part %[[PART]] : tensor<64x208xf32> -> tensor<32x208xf32>
// CHECK: %[[HALVES:.*]] = arith.truncf %[[ROWS]] : tensor<32x208xf32>
// CHECK: %[[AHEAD:.*]] = arith.muli %[[PART]], %c32_i32
// CHECK: %[[FIRST:.*]] = arith.addi %[[ROW]], %[[AHEAD]]
// CHECK: tile.descriptor_store %[[HALF]][%[[FIRST]], %{{.*}}], %[[HALVES]]
// CHECK-NOT: tensor<64x208xf16>

// Pieces of columns are exchanged right behind each other.
// PIECES-LABEL: func @descriptors
// PIECES: tile.reduce_scatter %{{.*}} part %[[PART:.*]] : tensor<64x128xf32> -> tensor<32x128xf32>
// PIECES-NEXT: tile.reduce_scatter %{{.*}} part %[[PART]] : tensor<64x64xf32> -> tensor<32x64xf32>
// PIECES-NEXT: tile.reduce_scatter %{{.*}} part %[[PART]] : tensor<64x16xf32> -> tensor<32x16xf32>
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @descriptors(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f16>, %m: i32, %n: i32, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %id = tile.program_id 0 : i32
  %grid = tile.num_programs 0 : i32
  %other = tile.program_id 1 : i32
  %sum = arith.addi %id, %grid : i32
  %row = arith.addi %sum, %other : i32
  %kk = arith.extsi %k : i32 to i64
  %nn = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x208xf32>
  %a = tile.make_tensor_descriptor %pa, shape [%m, %k], strides [%kk] : !tile.ptr<f16> -> !tile.desc<[64, 64], f16>
  %b = tile.make_tensor_descriptor %pb, shape [%k, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[64, 208], f16>
  %c = tile.make_tensor_descriptor %pc, shape [%m, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[64, 208], f16>
  %acc = scf.for %i = %c0 to %k step %c64 iter_args(%before = %zero) -> (tensor<64x208xf32>) : i32 {
    %x = tile.descriptor_load %a[%row, %i] : !tile.desc<[64, 64], f16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %b[%i, %c0] : !tile.desc<[64, 208], f16> -> tensor<64x208xf16>
    %d = tile.dot %x, %y, %before : tensor<64x64xf16>, tensor<64x208xf16> -> tensor<64x208xf32>
    scf.yield %d : tensor<64x208xf32>
  }
  %h = arith.truncf %acc : tensor<64x208xf32> to tensor<64x208xf16>
  tile.descriptor_store %c[%row, %c0], %h : !tile.desc<[64, 208], f16>, tensor<64x208xf16>
  return
}
}

// -----

// Pointers begin a step further on in the second CTA, and move by two steps, in 64 bits. Only the first CTA's sum begins with what was
// there. The bias is loaded for the part, the mask compared for its rows.
// CHECK-LABEL: func @pointers
// CHECK: %[[PART:.*]] = arith.andi
// CHECK: %[[RANGE:.*]] = tile.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
// CHECK: %[[START:.*]] = tile.splat
// CHECK: %[[ROWS:.*]] = arith.addi %[[RANGE]], %[[START]] : tensor<16xi32>
// CHECK: %[[BIAS:.*]] = tile.load {{.*}} : tensor<16x32x!tile.ptr<f32>>
// CHECK: %[[STEP:.*]] = arith.extsi %{{.*}} : tensor<32x16xi32> to tensor<32x16xi64>
// CHECK: %[[WIDE:.*]] = arith.extsi %[[PART]] : i32 to i64
// CHECK: %[[TIMES:.*]] = tile.splat %[[WIDE]]
// CHECK: %[[MOVED:.*]] = arith.muli %[[STEP]], %[[TIMES]]
// CHECK: %[[POINTERS:.*]] = tile.addptr %{{.*}}, %[[MOVED]] : tensor<32x16x!tile.ptr<f16>>, tensor<32x16xi64>
// CHECK: %[[TWICE:.*]] = arith.muli %{{.*}} : tensor<32x16xi64>
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[PART]], %c0_i32
// CHECK: %[[INIT:.*]] = arith.select %[[FIRST]], %{{.*}}, %{{.*}} : tensor<32x32xf32>
// CHECK: %[[LOOP:.*]]:2 = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c2_i32 iter_args(%{{.*}} = %[[INIT]], %{{.*}} = %[[POINTERS]])
// CHECK: tile.addptr %{{.*}}, %[[TWICE]]
// CHECK: %[[SUM:.*]] = tile.reduce_scatter %[[LOOP]]#0 part %[[PART]] : tensor<32x32xf32> -> tensor<16x32xf32>
// CHECK: %[[BIASED:.*]] = arith.addf %[[SUM]], %[[BIAS]]
// CHECK: tile.atomic_rmw {{.*}} tensor<16x32x!tile.ptr<f32>>
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @pointers(%pa: !tile.ptr<f16>, %b: tensor<16x32xf16>, %pc: !tile.ptr<f32>, %m: i32, %k: i32, %stride: i32, %init: tensor<32x32xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %range = tile.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %rows = tile.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %wide = tile.broadcast %rows : tensor<32x1xi32> -> tensor<32x32xi32>
  %base = tile.splat %pc : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %places = tile.addptr %base, %wide : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %below = tile.splat %m : i32 -> tensor<32x32xi32>
  %mask = arith.cmpi slt, %wide, %below : tensor<32x32xi32>
  %bias = tile.load %places, %mask : tensor<32x32x!tile.ptr<f32>>
  %pointers = tile.splat %pa : !tile.ptr<f16> -> tensor<32x16x!tile.ptr<f16>>
  %by = tile.splat %stride : i32 -> tensor<32x16xi32>
  %acc:2 = scf.for %i = %c0 to %k step %c1 iter_args(%before = %init, %p = %pointers) -> (tensor<32x32xf32>, tensor<32x16x!tile.ptr<f16>>) : i32 {
    %x = tile.load %p : tensor<32x16x!tile.ptr<f16>>
    %d = tile.dot %x, %b, %before : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
    %next = tile.addptr %p, %by : tensor<32x16x!tile.ptr<f16>>, tensor<32x16xi32>
    scf.yield %d, %next : tensor<32x32xf32>, tensor<32x16x!tile.ptr<f16>>
  }
  %biased = arith.addf %acc#0, %bias : tensor<32x32xf32>
  %old = tile.atomic_rmw add %places, %biased if %mask sem = relaxed : tensor<32x32x!tile.ptr<f32>>
  return
}
}

// -----

// A pointer that the loop carries as it is: tensor copies have taken the place of its loads.
// CHECK-LABEL: func @unmoved
// CHECK: scf.for {{.*}} step %c2_i32
// CHECK: tile.reduce_scatter {{.*}} -> tensor<16x32xf32>
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @unmoved(%a: tensor<32x16xf16>, %b: tensor<16x32xf16>, %pa: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %range = tile.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %rows = tile.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %wide = tile.broadcast %rows : tensor<32x1xi32> -> tensor<32x32xi32>
  %base = tile.splat %pc : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %places = tile.addptr %base, %wide : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %pointers = tile.splat %pa : !tile.ptr<f16> -> tensor<32x16x!tile.ptr<f16>>
  %acc:2 = scf.for %i = %c0 to %k step %c1 iter_args(%before = %zeros, %p = %pointers) -> (tensor<32x32xf32>, tensor<32x16x!tile.ptr<f16>>) : i32 {
    %d = tile.dot %a, %b, %before : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
    scf.yield %d, %p : tensor<32x32xf32>, tensor<32x16x!tile.ptr<f16>>
  }
  tile.store %places, %acc#0 : tensor<32x32x!tile.ptr<f32>>
  return
}
}

// -----

// What is stored transposed is cut along its columns; the sums of rows are rows of the sums.
// CHECK-LABEL: func @transposed
// CHECK: %[[SUM:.*]] = tile.reduce_scatter {{.*}} -> tensor<16x32xf32>
// CHECK: %[[BACK:.*]] = tile.permute %[[SUM]] {order = array<i32: 1, 0>} : tensor<16x32xf32> -> tensor<32x16xf32>
// CHECK: tile.store %{{.*}}, %[[BACK]] : tensor<32x16x!tile.ptr<f32>>
// CHECK: %[[TOTAL:.*]] = tile.reduce(%[[SUM]])
// CHECK: tile.store %{{.*}}, %[[TOTAL]] : tensor<16x!tile.ptr<f32>>
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @transposed(%x: tensor<32x16xf16>, %y: tensor<16x32xf16>, %pc: !tile.ptr<f32>, %pd: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %acc = scf.for %i = %c0 to %k step %c1 iter_args(%before = %zero) -> (tensor<32x32xf32>) : i32 {
    %d = tile.dot %x, %y, %zero : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
    %s = arith.addf %before, %d : tensor<32x32xf32>
    scf.yield %s : tensor<32x32xf32>
  }
  %t = tile.permute %acc {order = array<i32: 1, 0>} : tensor<32x32xf32> -> tensor<32x32xf32>
  %c = tile.splat %pc : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  tile.store %c, %t : tensor<32x32x!tile.ptr<f32>>
  %r = tile.reduce(%acc) axis = 1 : (tensor<32x32xf32>) -> tensor<32xf32> {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tile.yield %s : f32
  }
  %d = tile.splat %pd : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  tile.store %d, %r : tensor<32x!tile.ptr<f32>>
  return
}
}

// -----

// A step that is a number is multiplied here; a reduction through a descriptor adds a part of the rows.
// CHECK-LABEL: func @constant_step
// CHECK: %[[PART:.*]] = arith.andi
// CHECK: %[[HALF:.*]] = tile.make_tensor_descriptor {{.*}} -> <[16, 32], f32>
// CHECK: scf.for %{{.*}} = %[[PART]] to %{{.*}} step %c2_i32 iter_args(%{{.*}}, %[[COUNT:.*]] = %{{.*}})
// CHECK: arith.addi %[[COUNT]], %c14_i32
// CHECK: %[[ROWS:.*]] = tile.reduce_scatter
// CHECK: tile.descriptor_reduce add %[[HALF]][%{{.*}}, %{{.*}}], %[[ROWS]]
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @constant_step(%x: tensor<32x16xf16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %n: i32, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %nn = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %b = tile.make_tensor_descriptor %pb, shape [%k, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[16, 32], f16>
  %c = tile.make_tensor_descriptor %pc, shape [%n, %n], strides [%nn] : !tile.ptr<f32> -> !tile.desc<[32, 32], f32>
  %acc:2 = scf.for %i = %c0 to %k step %c1 iter_args(%before = %zero, %at = %c0) -> (tensor<32x32xf32>, i32) : i32 {
    %y = tile.descriptor_load %b[%at, %c0] : !tile.desc<[16, 32], f16> -> tensor<16x32xf16>
    %d = tile.dot %x, %y, %before : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
    %next = arith.addi %at, %c7 : i32
    scf.yield %d, %next : tensor<32x32xf32>, i32
  }
  tile.descriptor_reduce add %c[%c0, %c0], %acc#0 : !tile.desc<[32, 32], f32>, tensor<32x32xf32>
  return
}
}

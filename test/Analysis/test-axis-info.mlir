// RUN: tile-opt %s --test-axis-info | FileCheck %s

// The index chain of an elementwise kernel: 4 elements of f32 per access, masked in groups of 16.
// CHECK-LABEL: func.func @vector_add
func.func @vector_add(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) {
  // CHECK: tile.program_id 0 {facts = "contiguity = [1], divisibility = [1], constancy = [1], nonnegative"}
  %pid = tile.program_id 0 : i32
  // CHECK: constant = 1024
  %block = arith.constant 1024 : i32
  // CHECK: arith.muli {{.*}}divisibility = [1024], constancy = [1], nonnegative
  %start = arith.muli %pid, %block : i32
  // CHECK: tile.make_range {{.*}}contiguity = [1024], divisibility = [4611686018427387904], constancy = [1]
  %range = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  // CHECK: tile.splat {{.*}}contiguity = [1], divisibility = [1024], constancy = [1024]
  %starts = tile.splat %start : i32 -> tensor<1024xi32>
  // CHECK: arith.addi {{.*}}contiguity = [1024], divisibility = [1024], constancy = [1]
  %offsets = arith.addi %starts, %range : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  // CHECK: arith.cmpi slt{{.*}}constancy = [16]
  %mask = arith.cmpi slt, %offsets, %ns : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  // CHECK: tile.addptr {{.*}}contiguity = [1024], divisibility = [16], constancy = [1]
  %ptrs = tile.addptr %xs, %offsets : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  // CHECK: tile.load {{.*}}facts.vector = array<i32: 4>
  %v = tile.load %ptrs, %mask : tensor<1024x!tile.ptr<f32>>
  // CHECK: tile.store {{.*}}facts.vector = array<i32: 4>
  tile.store %ptrs, %v, %mask : tensor<1024x!tile.ptr<f32>>
  return
}

// Without promises a pointer is aligned to its element only, and any n may cut the mask anywhere.
// CHECK-LABEL: func.func @no_divisibility
func.func @no_divisibility(%x: !tile.ptr<f16>, %n: i32) {
  %range = tile.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  // CHECK: arith.cmpi slt{{.*}}constancy = [1]
  %mask = arith.cmpi slt, %range, %ns : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  // CHECK: tile.addptr {{.*}}contiguity = [64], divisibility = [2], constancy = [1]
  %ptrs = tile.addptr %xs, %range : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  // CHECK: tile.load {{.*}}facts.vector = array<i32: 1>
  %v = tile.load %ptrs, %mask : tensor<64x!tile.ptr<f16>>
  tile.store %ptrs, %v : tensor<64x!tile.ptr<f16>>
  return
}

// Row-major: rows[:, None] * stride + columns[None, :] runs along dimension 1, aligned by the stride.
// CHECK-LABEL: func.func @row_major
func.func @row_major(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %stride: i32 {tile.divisibility = 16 : i32}) {
  %rows = tile.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  // CHECK: tile.expand_dims {{.*}}contiguity = [32, 1], divisibility = [4611686018427387904, 1], constancy = [1, 1]
  %column = tile.expand_dims %rows {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %strides = tile.splat %stride : i32 -> tensor<32x1xi32>
  // CHECK: arith.muli {{.*}}contiguity = [1, 1], divisibility = [16, 16], constancy = [1, 1]
  %starts = arith.muli %column, %strides : tensor<32x1xi32>
  // CHECK: tile.broadcast {{.*}}contiguity = [1, 1], divisibility = [16, 16], constancy = [1, 64]
  %rowStarts = tile.broadcast %starts : tensor<32x1xi32> -> tensor<32x64xi32>
  %cols = tile.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tile.expand_dims %cols {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  // CHECK: tile.broadcast {{.*}}contiguity = [1, 64], divisibility = [1, 4611686018427387904], constancy = [32, 1]
  %colOffsets = tile.broadcast %row : tensor<1x64xi32> -> tensor<32x64xi32>
  // CHECK: arith.addi {{.*}}contiguity = [1, 64], divisibility = [1, 16], constancy = [1, 1]
  %offsets = arith.addi %rowStarts, %colOffsets : tensor<32x64xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
  // CHECK: tile.addptr {{.*}}contiguity = [1, 64], divisibility = [2, 16], constancy = [1, 1]
  %ptrs = tile.addptr %xs, %offsets : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
  // CHECK: tile.load {{.*}}facts.vector = array<i32: 1, 8>
  %v = tile.load %ptrs : tensor<32x64x!tile.ptr<f16>>
  tile.store %ptrs, %v : tensor<32x64x!tile.ptr<f16>>
  return
}

// Column-major, by a permutation of the pointers.
// CHECK-LABEL: func.func @column_major
func.func @column_major(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  %c128 = arith.constant dense<128> : tensor<1x32xi32>
  %range = tile.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row = tile.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %starts = arith.muli %row, %c128 : tensor<1x32xi32>
  %all = tile.broadcast %starts : tensor<1x32xi32> -> tensor<16x32xi32>
  %inner = tile.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %column = tile.expand_dims %inner {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %cols = tile.broadcast %column : tensor<16x1xi32> -> tensor<16x32xi32>
  %offsets = arith.addi %cols, %all : tensor<16x32xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>>
  // CHECK: tile.addptr {{.*}}contiguity = [16, 1], divisibility = [16, 4], constancy = [1, 1]
  %ptrs = tile.addptr %xs, %offsets : tensor<16x32x!tile.ptr<f32>>, tensor<16x32xi32>
  // CHECK: tile.permute {{.*}}contiguity = [1, 16], divisibility = [4, 16], constancy = [1, 1]
  %turned = tile.permute %ptrs {order = array<i32: 1, 0>} : tensor<16x32x!tile.ptr<f32>> -> tensor<32x16x!tile.ptr<f32>>
  // CHECK: tile.load {{.*}}facts.vector = array<i32: 1, 4>
  %v = tile.load %turned : tensor<32x16x!tile.ptr<f32>>
  tile.store %turned, %v : tensor<32x16x!tile.ptr<f32>>
  return
}

// `pointers += BLOCK` in a loop keeps the alignment that BLOCK has, and no more.
// CHECK-LABEL: func.func @loop_carried_pointers
func.func @loop_carried_pointers(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %k: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant dense<4> : tensor<64xi32>
  %c64 = arith.constant dense<64> : tensor<64xi32>
  %range = tile.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %ptrs = tile.addptr %xs, %range : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %end:2 = scf.for %i = %c0 to %k step %c1 iter_args(%p = %ptrs, %q = %ptrs)
      -> (tensor<64x!tile.ptr<f16>>, tensor<64x!tile.ptr<f16>>) : i32 {
    // CHECK: tile.load {{.*}}facts.vector = array<i32: 8>
    %v = tile.load %p : tensor<64x!tile.ptr<f16>>
    // CHECK: tile.load {{.*}}facts.vector = array<i32: 4>
    %w = tile.load %q : tensor<64x!tile.ptr<f16>>
    tile.store %p, %w : tensor<64x!tile.ptr<f16>>
    tile.store %q, %v : tensor<64x!tile.ptr<f16>>
    %nextP = tile.addptr %p, %c64 : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
    // CHECK: tile.addptr {{.*}}contiguity = [64], divisibility = [8], constancy = [1]
    %nextQ = tile.addptr %q, %c4 : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
    scf.yield %nextP, %nextQ : tensor<64x!tile.ptr<f16>>, tensor<64x!tile.ptr<f16>>
  // CHECK: } {facts = "contiguity = [64], divisibility = [16], constancy = [1]", facts.args =
  // CHECK-SAME: "contiguity = [1], divisibility = [1], constancy = [1], nonnegative",
  // CHECK-SAME: "contiguity = [64], divisibility = [16], constancy = [1]", "contiguity = [64], divisibility = [8], constancy = [1]"]}
  }
  return
}

// The induction variable is a multiple of what divides both the lower bound and the step.
// CHECK-LABEL: func.func @induction_variable
func.func @induction_variable(%lower: i32 {tile.divisibility = 32 : i32}, %upper: i32) {
  %c48 = arith.constant 48 : i32
  scf.for %i = %lower to %upper step %c48 : i32 {
    // CHECK: arith.addi {{.*}}divisibility = [16]
    %0 = arith.addi %i, %i : i32
  // CHECK: facts.args = ["contiguity = [1], divisibility = [16], constancy = [1]"]
  }
  return
}

// A carried value that starts constant and changes is not constant; two that swap are joined.
// CHECK-LABEL: func.func @carried_scalars
func.func @carried_scalars(%n: i32) -> (i32, i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c12 = arith.constant 12 : i32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c8, %b = %c12, %c = %c0) -> (i32, i32, i32) : i32 {
    %next = arith.addi %c, %c8 : i32
    scf.yield %b, %a, %next : i32, i32, i32
  // CHECK: facts.args = ["{{[^"]*}}",
  // CHECK-SAME: "contiguity = [1], divisibility = [4], constancy = [1], nonnegative",
  // CHECK-SAME: "contiguity = [1], divisibility = [4], constancy = [1], nonnegative",
  // CHECK-SAME: "contiguity = [1], divisibility = [8], constancy = [1], nonnegative"]
  }
  return %r#0, %r#1, %r#2 : i32, i32, i32
}

// A variable that is first assigned in the loop enters it as poison, which says nothing against anything.
// CHECK-LABEL: func.func @poison_at_entry
func.func @poison_at_entry(%n: i32) -> tensor<16xi32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %undefined = ub.poison : tensor<16xi32>
  %range = tile.make_range {start = 16 : i32, end = 32 : i32} : tensor<16xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %undefined) -> (tensor<16xi32>) : i32 {
    scf.yield %range : tensor<16xi32>
  // CHECK: facts = "contiguity = [16], divisibility = [16], constancy = [1], nonnegative"
  }
  return %r : tensor<16xi32>
}

// CHECK-LABEL: func.func @branches
func.func @branches(%c: i1, %n: i32 {tile.divisibility = 8 : i32}) -> tensor<32xi32> {
  %range = tile.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %r = scf.if %c -> (tensor<32xi32>) {
    %ns = tile.splat %n : i32 -> tensor<32xi32>
    %0 = arith.addi %ns, %range : tensor<32xi32>
    scf.yield %0 : tensor<32xi32>
  } else {
    %c4 = arith.constant dense<4> : tensor<32xi32>
    %0 = arith.addi %range, %c4 : tensor<32xi32>
    scf.yield %0 : tensor<32xi32>
  // CHECK: } {facts = "contiguity = [32], divisibility = [4], constancy = [1]"}
  }
  return %r : tensor<32xi32>
}

// CHECK-LABEL: func.func @while_loop
func.func @while_loop(%n: i32) -> i32 {
  %c16 = arith.constant 16 : i32
  %c4 = arith.constant 4 : i32
  %r = scf.while (%a = %c16) : (i32) -> i32 {
    %go = arith.cmpi slt, %a, %n : i32
    scf.condition(%go) %a : i32
  } do {
  ^bb0(%b: i32):
    %next = arith.addi %b, %c4 : i32
    scf.yield %next : i32
  // CHECK: } attributes {facts = "contiguity = [1], divisibility = [4], constancy = [1], nonnegative", facts.args =
  // CHECK-SAME: "contiguity = [1], divisibility = [4], constancy = [1], nonnegative", "contiguity = [1], divisibility = [4]
  }
  return %r : i32
}

// Hints raise what is known; they count down to their power of two.
// CHECK-LABEL: func.func @hints
func.func @hints(%n: i32, %v: tensor<64xi32>) {
  // CHECK: arith.muli {{.*}}divisibility = [16]
  %0 = arith.muli %n, %n {tile.divisibility = array<i32: 48>} : i32
  // CHECK: arith.remsi {{.*}}contiguity = [32], divisibility = [32], constancy = [1]
  %1 = arith.remsi %v, %v {tile.divisibility = array<i32: 32>, tile.contiguity = array<i32: 32>} : tensor<64xi32>
  // CHECK: arith.divsi {{.*}}contiguity = [1], divisibility = [1], constancy = [8]
  %2 = arith.divsi %v, %v {tile.constancy = array<i32: 8>} : tensor<64xi32>
  // A hint never takes anything away.
  // CHECK: tile.make_range {{.*}}contiguity = [64], divisibility = [64], constancy = [1]
  %3 = tile.make_range {start = 64 : i32, end = 128 : i32, tile.contiguity = array<i32: 4>, tile.divisibility = array<i32: 4>} : tensor<64xi32>
  return
}

// What the program assumes about a value counts where the value is defined in the same block.
// CHECK-LABEL: func.func @assumptions
// CHECK-SAME: facts.args = ["contiguity = [1], divisibility = [32], constancy = [1], nonnegative", "contiguity = [1], divisibility = [8], constancy = [1]", "contiguity = [1], divisibility = [1], constancy = [1]"]
func.func @assumptions(%n: i32, %m: i32, %k: i32) {
  %c0 = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  %c32 = arith.constant 32 : i32
  %0 = arith.remsi %n, %c32 : i32
  %1 = arith.cmpi eq, %0, %c0 : i32
  %2 = arith.cmpi sge, %n, %c0 : i32
  %3 = arith.andi %1, %2 : i1
  tile.assume %3 : i1
  %4 = arith.andi %m, %c7 : i32
  %5 = arith.cmpi eq, %4, %c0 : i32
  tile.assume %5 : i1
  scf.if %5 {
    %6 = arith.remsi %k, %c32 : i32
    %7 = arith.cmpi eq, %6, %c0 : i32
    tile.assume %7 : i1
  }
  return
}

// The wrapped rows of a matrix product: (pid * 128 + range) % M. Runs survive up to what divides M.
// CHECK-LABEL: func.func @wrapped_rows
func.func @wrapped_rows(%m: i32 {tile.divisibility = 16 : i32}, %groups: i32) {
  %c128 = arith.constant 128 : i32
  %pid = tile.program_id 0 : i32
  %row = arith.divsi %pid, %groups : i32
  %start = arith.muli %row, %c128 : i32
  %starts = tile.splat %start : i32 -> tensor<128xi32>
  %range = tile.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %rows = arith.addi %starts, %range : tensor<128xi32>
  %ms = tile.splat %m : i32 -> tensor<128xi32>
  // CHECK: arith.remsi {{.*}}contiguity = [16], divisibility = [16], constancy = [1], nonnegative
  %wrapped = arith.remsi %rows, %ms : tensor<128xi32>
  // CHECK: arith.divsi {{.*}}contiguity = [1], divisibility = [1], constancy = [16], nonnegative
  %quotient = arith.divsi %rows, %ms : tensor<128xi32>
  return
}

// -4 % 4, -3 % 4, ... is 0, -3, -2, -1: no run. The same numbers without a sign do wrap in step.
// CHECK-LABEL: func.func @negative_remainder
func.func @negative_remainder() {
  %c4 = arith.constant dense<4> : tensor<16xi32>
  %range = tile.make_range {start = -16 : i32, end = 0 : i32} : tensor<16xi32>
  // CHECK: arith.remsi {{.*}}contiguity = [1], divisibility = [1], constancy = [1]
  %0 = arith.remsi %range, %c4 : tensor<16xi32>
  // CHECK: arith.divsi {{.*}}constancy = [1]
  %1 = arith.divsi %range, %c4 : tensor<16xi32>
  // CHECK: arith.remui {{.*}}contiguity = [4], divisibility = [4], constancy = [1]
  %2 = arith.remui %range, %c4 : tensor<16xi32>
  // CHECK: arith.floordivsi {{.*}}constancy = [4]
  %3 = arith.floordivsi %range, %c4 : tensor<16xi32>
  return
}

// CHECK-LABEL: func.func @bits
func.func @bits(%n: i32 {tile.divisibility = 8 : i32}) {
  %c3 = arith.constant dense<3> : tensor<64xi32>
  %c15 = arith.constant dense<15> : tensor<64xi32>
  %cm16 = arith.constant dense<-16> : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %range = tile.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  // CHECK: arith.andi {{.*}}contiguity = [16], divisibility = [4611686018427387904], constancy = [1], nonnegative
  %0 = arith.andi %range, %c15 : tensor<64xi32>
  // CHECK: arith.andi {{.*}}contiguity = [1], divisibility = [16], constancy = [16]
  %1 = arith.andi %range, %cm16 : tensor<64xi32>
  // CHECK: arith.shrsi {{.*}}contiguity = [1], divisibility = [1], constancy = [8]
  %2 = arith.shrsi %range, %c3 : tensor<64xi32>
  // CHECK: arith.shli {{.*}}contiguity = [1], divisibility = [64], constancy = [64]
  %3 = arith.shli %ns, %c3 : tensor<64xi32>
  // CHECK: arith.ori {{.*}}contiguity = [8], divisibility = [8], constancy = [1]
  %4 = arith.ori %range, %ns : tensor<64xi32>
  // CHECK: arith.xori {{.*}}contiguity = [8], divisibility = [8], constancy = [1]
  %5 = arith.xori %ns, %range : tensor<64xi32>
  return
}

// CHECK-LABEL: func.func @masks
func.func @masks(%n: i32 {tile.divisibility = 16 : i32}, %m: i32 {tile.divisibility = 4 : i32}) {
  %range = tile.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %ms = tile.splat %m : i32 -> tensor<64xi32>
  // CHECK: arith.cmpi ult{{.*}}constancy = [16]
  %0 = arith.cmpi ult, %range, %ns : tensor<64xi32>
  // CHECK: arith.cmpi uge{{.*}}constancy = [16]
  %1 = arith.cmpi uge, %range, %ns : tensor<64xi32>
  // CHECK: arith.cmpi sgt{{.*}}constancy = [16]
  %2 = arith.cmpi sgt, %ns, %range : tensor<64xi32>
  // x <= n splits between n and n + 1.
  // CHECK: arith.cmpi sle{{.*}}constancy = [1]
  %3 = arith.cmpi sle, %range, %ns : tensor<64xi32>
  %c31 = arith.constant dense<31> : tensor<64xi32>
  // CHECK: arith.cmpi sle{{.*}}constancy = [32]
  %4 = arith.cmpi sle, %range, %c31 : tensor<64xi32>
  // CHECK: arith.cmpi eq{{.*}}constancy = [1]
  %5 = arith.cmpi eq, %range, %ns : tensor<64xi32>
  // CHECK: arith.cmpi eq{{.*}}constancy = [64]
  %6 = arith.cmpi eq, %ms, %ns : tensor<64xi32>
  // CHECK: arith.cmpi sge{{.*}}constancy = [4]
  %7 = arith.cmpi sge, %range, %ms : tensor<64xi32>
  // CHECK: arith.andi {{.*}}constancy = [4]
  %8 = arith.andi %0, %7 : tensor<64xi1>
  // CHECK: arith.select {{.*}}contiguity = [16], divisibility = [16], constancy = [1]
  %shifted = arith.addi %range, %ns : tensor<64xi32>
  %9 = arith.select %0, %range, %shifted : tensor<64xi1>, tensor<64xi32>
  return
}

// The mask of a matrix edge: rows < M and columns < N, each constant along the other dimension.
// CHECK-LABEL: func.func @mask_2d
func.func @mask_2d(%m: i32, %n: i32 {tile.divisibility = 8 : i32}) {
  %range = tile.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %column = tile.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %row = tile.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %ms = tile.splat %m : i32 -> tensor<32x1xi32>
  %ns = tile.splat %n : i32 -> tensor<1x32xi32>
  %0 = arith.cmpi slt, %column, %ms : tensor<32x1xi32>
  %1 = arith.cmpi slt, %row, %ns : tensor<1x32xi32>
  // CHECK: tile.broadcast {{.*}}constancy = [1, 32]
  %2 = tile.broadcast %0 : tensor<32x1xi1> -> tensor<32x32xi1>
  // CHECK: tile.broadcast {{.*}}constancy = [32, 8]
  %3 = tile.broadcast %1 : tensor<1x32xi1> -> tensor<32x32xi1>
  // CHECK: arith.andi {{.*}}constancy = [1, 8]
  %4 = arith.andi %2, %3 : tensor<32x32xi1>
  return
}

// Powers of two survive an overflow: 2^31 * 2 is zero in i32. Products saturate instead of overflowing themselves.
// CHECK-LABEL: func.func @overflow
func.func @overflow(%a: i64 {tile.divisibility = 1073741824 : i32}, %n: i32) {
  %big = arith.constant -2147483648 : i32
  // CHECK: arith.addi {{.*}}divisibility = [4611686018427387904], constancy = [1], constant = 0
  %0 = arith.addi %big, %big : i32
  // CHECK: arith.muli {{.*}}divisibility = [1152921504606846976]
  %1 = arith.muli %a, %a : i64
  // CHECK: arith.muli {{.*}}divisibility = [4611686018427387904]
  %2 = arith.muli %1, %a : i64
  %min = arith.constant -9223372036854775808 : i64
  // CHECK: arith.addi {{.*}}divisibility = [1073741824]
  %3 = arith.addi %min, %a : i64
  // CHECK: arith.divsi {{.*}}divisibility = [1], constancy = [1]
  %minus = arith.constant -1 : i32
  %4 = arith.divsi %big, %minus : i32
  %zero = arith.constant 0 : i32
  // CHECK: arith.remsi {{.*}}constancy = [1]"
  %5 = arith.remsi %big, %zero : i32
  %c40 = arith.constant 40 : i32
  // CHECK: arith.shli {{.*}}divisibility = [1], constancy = [1]"
  %6 = arith.shli %n, %c40 : i32
  return
}

// CHECK-LABEL: func.func @casts
func.func @casts(%x: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 8 : i32}) {
  %range = tile.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  // CHECK: arith.extsi {{.*}}contiguity = [64], divisibility = [4611686018427387904], constancy = [1], nonnegative
  %0 = arith.extsi %range : tensor<64xi32> to tensor<64xi64>
  // CHECK: arith.trunci {{.*}}contiguity = [64]
  %1 = arith.trunci %0 : tensor<64xi64> to tensor<64xi16>
  // As an unsigned number the sum could pass from -1 to 0, but not inside aligned groups.
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %sum = arith.addi %range, %ns : tensor<64xi32>
  // CHECK: arith.extui {{.*}}contiguity = [8], divisibility = [8], constancy = [1], nonnegative
  %2 = arith.extui %sum : tensor<64xi32> to tensor<64xi64>
  // CHECK: arith.index_cast {{.*}}divisibility = [8]
  %3 = arith.index_cast %n : i32 to index
  %xs = tile.splat %x : !tile.ptr<i8> -> tensor<64x!tile.ptr<i8>>
  %ptrs = tile.addptr %xs, %range : tensor<64x!tile.ptr<i8>>, tensor<64xi32>
  // Addresses of bytes count up by one, as integers do; as pointers to f32 they do not.
  // CHECK: tile.ptr_to_int {{.*}}contiguity = [64], divisibility = [16], constancy = [1]
  %4 = tile.ptr_to_int %ptrs : tensor<64x!tile.ptr<i8>> -> tensor<64xi64>
  // CHECK: tile.ptr_cast {{.*}}contiguity = [1], divisibility = [1], constancy = [1]
  %5 = tile.ptr_cast %ptrs : tensor<64x!tile.ptr<i8>> -> tensor<64x!tile.ptr<f32>>
  // CHECK: tile.ptr_cast {{.*}}contiguity = [1], divisibility = [16], constancy = [64]
  %6 = tile.ptr_cast %xs : tensor<64x!tile.ptr<i8>> -> tensor<64x!tile.ptr<f32>>
  // CHECK: tile.int_to_ptr {{.*}}contiguity = [64], divisibility = [16], constancy = [1]
  %7 = tile.int_to_ptr %4 : tensor<64xi64> -> tensor<64x!tile.ptr<i8>>
  return
}

// CHECK-LABEL: func.func @reshapes
func.func @reshapes(%n: i32 {tile.divisibility = 8 : i32}) {
  %range = tile.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  // CHECK: tile.reshape {{.*}}contiguity = [1, 16], divisibility = [1, 16], constancy = [1, 1]
  %0 = tile.reshape %range : tensor<64xi32> -> tensor<4x16xi32>
  // CHECK: tile.reshape {{.*}}contiguity = [16], divisibility = [16], constancy = [1]
  %1 = tile.reshape %0 : tensor<4x16xi32> -> tensor<64xi32>
  %column = tile.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %wide = tile.broadcast %column : tensor<64x1xi32> -> tensor<64x16xi32>
  // CHECK: tile.reshape {{.*}}contiguity = [1], divisibility = [1], constancy = [16]
  %2 = tile.reshape %wide : tensor<64x16xi32> -> tensor<1024xi32>
  // CHECK: tile.reshape {{.*}}contiguity = [1, 1, 1], divisibility = [1, 1, 1], constancy = [1, 2, 8]
  %3 = tile.reshape %2 : tensor<1024xi32> -> tensor<64x2x8xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  // CHECK: tile.reshape {{.*}}allow_reorder{{.*}}divisibility = [8, 8], constancy = [8, 8]
  %4 = tile.reshape %ns allow_reorder : tensor<64xi32> -> tensor<8x8xi32>
  // CHECK: tile.reshape {{.*}}allow_reorder{{.*}}contiguity = [1, 1], divisibility = [1, 1], constancy = [1, 1]
  %5 = tile.reshape %range allow_reorder : tensor<64xi32> -> tensor<8x8xi32>
  return
}

// Constants are measured.
// CHECK-LABEL: func.func @constants
func.func @constants() {
  // CHECK: contiguity = [4], divisibility = [8], constancy = [1], nonnegative
  %0 = arith.constant dense<[0, 1, 2, 3, 8, 9, 10, 11]> : tensor<8xi32>
  // CHECK: contiguity = [1], divisibility = [2], constancy = [2]
  %1 = arith.constant dense<[2, 2, -6, -6]> : tensor<4xi32>
  // CHECK: constancy = [8]"
  %2 = arith.constant dense<1.5> : tensor<8xf32>
  // CHECK: constancy = [8], constant = 1
  %3 = arith.constant dense<true> : tensor<8xi1>
  return
}

// Equal addresses give equal values, and elementwise functions keep them equal. A volatile load promises nothing.
// CHECK-LABEL: func.func @equal_values
func.func @equal_values(%x: !tile.ptr<i32> {tile.divisibility = 16 : i32}) {
  %c2 = arith.constant dense<2> : tensor<32xi32>
  %range = tile.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %quarter = arith.shrui %range, %c2 : tensor<32xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>>
  // CHECK: tile.addptr {{.*}}contiguity = [1], divisibility = [4], constancy = [4]
  %ptrs = tile.addptr %xs, %quarter : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
  // CHECK: tile.load {{.*}}constancy = [4]
  %0 = tile.load %ptrs : tensor<32x!tile.ptr<i32>>
  // CHECK: tile.load {{.*}}constancy = [1]
  %1 = tile.load %ptrs volatile : tensor<32x!tile.ptr<i32>>
  // CHECK: arith.sitofp {{.*}}constancy = [4]
  %2 = arith.sitofp %0 : tensor<32xi32> to tensor<32xf32>
  // CHECK: math.exp {{.*}}constancy = [4]
  %3 = math.exp %2 : tensor<32xf32>
  return
}

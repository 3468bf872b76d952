// RUN: tile-opt %s --tile-version-masks | FileCheck %s
// RUN: tile-opt %s --tile-version-masks="max-ops=2" | FileCheck %s --check-prefix=SMALL

module attributes {tile.num_warps = 1 : i32} {

// All lanes are on when the last one is: n - pid*B >= B, in 64 bits. The rest of the function is there twice.
// CHECK-LABEL: func @copy
// CHECK-SAME: %[[N:[a-z0-9]+]]: i32)
// CHECK: %[[FIRST:.*]] = arith.muli
// CHECK: %[[MASK:.*]] = arith.cmpi slt
// CHECK-DAG: %[[WN:.*]] = arith.extsi %[[N]] : i32 to i64
// CHECK-DAG: %[[WF:.*]] = arith.extsi %[[FIRST]] : i32 to i64
// CHECK: %[[ROOM:.*]] = arith.subi %[[WN]], %[[WF]]
// CHECK: %[[ALL:.*]] = arith.cmpi sge, %[[ROOM]], %c1024_i64
// CHECK: scf.if %[[ALL]]
// CHECK:   tile.load %{{[^,]*}} :
// CHECK:   tile.store %{{[^,]*}}, %{{[^,]*}} :
// CHECK: else
// CHECK:   tile.load %{{[^,]*}}, %[[MASK]] :
// CHECK:   tile.store %{{[^,]*}}, %{{[^,]*}}, %[[MASK]] :
// CHECK: tile.remainder
// CHECK-NEXT: return
// SMALL-LABEL: func @copy
// SMALL-NOT: scf.if
// SMALL: return
func.func @copy(%p: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %n: i32) {
  %c1024 = arith.constant 1024 : i32
  %pid = tile.program_id 0 : i32
  %first = arith.muli %pid, %c1024 : i32
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %fs = tile.splat %first : i32 -> tensor<1024xi32>
  %o = arith.addi %fs, %r : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %o, %ns : tensor<1024xi32>
  %ps = tile.splat %p : !tile.ptr<bf16> -> tensor<1024x!tile.ptr<bf16>>
  %a = tile.addptr %ps, %o : tensor<1024x!tile.ptr<bf16>>, tensor<1024xi32>
  %qs = tile.splat %q : !tile.ptr<bf16> -> tensor<1024x!tile.ptr<bf16>>
  %b = tile.addptr %qs, %o : tensor<1024x!tile.ptr<bf16>>, tensor<1024xi32>
  %x = tile.load %a, %m : tensor<1024x!tile.ptr<bf16>>
  tile.store %b, %x, %m : tensor<1024x!tile.ptr<bf16>>
  func.return
}

// Rows and columns: only the comparison of the columns, along which accesses are wide, is worth a version.
// CHECK-LABEL: func @tile_2d
// CHECK: %[[ROWS:.*]] = tile.broadcast %{{.*}} : tensor<16x1xi1>
// CHECK: arith.cmpi sge, %{{.*}}, %c64_i64
// CHECK-NEXT: scf.if
// CHECK:   tile.load %{{[^,]*}}, %[[ROWS]] volatile :
// CHECK: else
// CHECK:   tile.load %{{[^,]*}}, %{{.*}} :
func.func @tile_2d(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %stride: i32 {tile.divisibility = 16 : i32}, %rows: i32, %cols: i32) {
  %c16 = arith.constant 16 : i32
  %c64 = arith.constant 64 : i32
  %pid0 = tile.program_id 0 : i32
  %pid1 = tile.program_id 1 : i32
  %i0 = arith.muli %pid0, %c16 : i32
  %j0 = arith.muli %pid1, %c64 : i32
  %r16 = tile.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %r64 = tile.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %is = tile.splat %i0 : i32 -> tensor<16xi32>
  %js = tile.splat %j0 : i32 -> tensor<64xi32>
  %i = arith.addi %is, %r16 : tensor<16xi32>
  %j = arith.addi %js, %r64 : tensor<64xi32>
  %ic = tile.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %jr = tile.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rs = tile.splat %rows : i32 -> tensor<16x1xi32>
  %cs = tile.splat %cols : i32 -> tensor<1x64xi32>
  %mi = arith.cmpi slt, %ic, %rs : tensor<16x1xi32>
  %mj = arith.cmpi slt, %jr, %cs : tensor<1x64xi32>
  %mib = tile.broadcast %mi : tensor<16x1xi1> -> tensor<16x64xi1>
  %mjb = tile.broadcast %mj : tensor<1x64xi1> -> tensor<16x64xi1>
  %m = arith.andi %mib, %mjb : tensor<16x64xi1>
  %ss = tile.splat %stride : i32 -> tensor<16x1xi32>
  %ro = arith.muli %ic, %ss : tensor<16x1xi32>
  %rob = tile.broadcast %ro : tensor<16x1xi32> -> tensor<16x64xi32>
  %job = tile.broadcast %jr : tensor<1x64xi32> -> tensor<16x64xi32>
  %o = arith.addi %rob, %job : tensor<16x64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x64x!tile.ptr<f32>>
  %a = tile.addptr %ps, %o : tensor<16x64x!tile.ptr<f32>>, tensor<16x64xi32>
  %x = tile.load %a, %m volatile : tensor<16x64x!tile.ptr<f32>>
  func.return
}

// Two comparisons along the same dimension, one of them in 64 bits behind a 32-bit sum: that sum must not wrap around.
// CHECK-LABEL: func @two_bounds
// CHECK: arith.addi %{{.*}}, %c288230376151711744_i64
// CHECK: arith.cmpi ult
// CHECK: arith.cmpi sge
// CHECK: arith.cmpi sge, %{{.*}}, %c-2147482624_i64
// CHECK: arith.cmpi sge
// CHECK: scf.if
// CHECK: tile.load %{{[^,]*}} :
// CHECK: else
func.func @two_bounds(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i64, %k: i32) {
  %c1024 = arith.constant 1024 : i32
  %pid = tile.program_id 0 : i32
  %first = arith.muli %pid, %c1024 : i32
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %fs = tile.splat %first : i32 -> tensor<1024xi32>
  %o = arith.addi %fs, %r : tensor<1024xi32>
  %ow = arith.extsi %o : tensor<1024xi32> to tensor<1024xi64>
  %ns = tile.splat %n : i64 -> tensor<1024xi64>
  %ks = tile.splat %k : i32 -> tensor<1024xi32>
  %mn = arith.cmpi slt, %ow, %ns : tensor<1024xi64>
  %mk = arith.cmpi sge, %ks, %o : tensor<1024xi32>
  %m = arith.andi %mn, %mk : tensor<1024xi1>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %a = tile.addptr %ps, %o : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %a, %m volatile : tensor<1024x!tile.ptr<f32>>
  func.return
}

// A mask of the function in a loop: the loop is in both branches. What is in front of the first access stays there.
// CHECK-LABEL: func @in_a_loop
// CHECK: tile.load %{{.*}} : !tile.ptr<i32>
// CHECK: scf.if
// CHECK:   scf.for
// CHECK:     tile.load %{{[^,]*}} :
// CHECK: else
// CHECK:   scf.for
// CHECK:     tile.load %{{[^,]*}}, %
func.func @in_a_loop(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %trips: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c256 = arith.constant 256 : i32
  %pid = tile.program_id 0 : i32
  %first = arith.muli %pid, %c256 : i32
  %r = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %fs = tile.splat %first : i32 -> tensor<256xi32>
  %o = arith.addi %fs, %r : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %m = arith.cmpi slt, %o, %ns : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %a = tile.addptr %ps, %o : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %t = tile.load %trips : !tile.ptr<i32>
  scf.for %i = %c0 to %t step %c1 : i32 {
    %x = tile.load %a, %m volatile : tensor<256x!tile.ptr<f32>>
  }
  func.return
}

// The same in a branch without results.
// CHECK-LABEL: func @in_a_branch
// CHECK: scf.if
// CHECK:   scf.if
// CHECK:     tile.store %{{[^,]*}}, %{{[^,]*}} :
// CHECK:   else
func.func @in_a_branch(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %c: i1, %x: tensor<256xf32>) {
  %c256 = arith.constant 256 : i32
  scf.if %c {
    %pid = tile.program_id 0 : i32
    %first = arith.muli %pid, %c256 : i32
    %r = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
    %fs = tile.splat %first : i32 -> tensor<256xi32>
    %o = arith.addi %fs, %r : tensor<256xi32>
    %ns = tile.splat %n : i32 -> tensor<256xi32>
    %m = arith.cmpi slt, %o, %ns : tensor<256xi32>
    %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
    %a = tile.addptr %ps, %o : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
    tile.store %a, %x, %m : tensor<256x!tile.ptr<f32>>
  }
  func.return
}

// The lanes switch off in groups of 16: the access is wide under the mask.
// CHECK-LABEL: func @no_divisible
// CHECK-NOT: scf.if
// CHECK: return
func.func @no_divisible(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) {
  %c256 = arith.constant 256 : i32
  %pid = tile.program_id 0 : i32
  %first = arith.muli %pid, %c256 : i32
  %r = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %fs = tile.splat %first : i32 -> tensor<256xi32>
  %o = arith.addi %fs, %r : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %m = arith.cmpi slt, %o, %ns : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %a = tile.addptr %ps, %o : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %a, %m volatile : tensor<256x!tile.ptr<f32>>
  func.return
}

// The addresses are not known to be aligned: the mask is not what makes the access narrow.
// CHECK-LABEL: func @no_unaligned
// CHECK-NOT: scf.if
// CHECK: return
func.func @no_unaligned(%p: !tile.ptr<f32>, %n: i32) {
  %c256 = arith.constant 256 : i32
  %pid = tile.program_id 0 : i32
  %first = arith.muli %pid, %c256 : i32
  %r = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %fs = tile.splat %first : i32 -> tensor<256xi32>
  %o = arith.addi %fs, %r : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %m = arith.cmpi slt, %o, %ns : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %a = tile.addptr %ps, %o : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %a, %m volatile : tensor<256x!tile.ptr<f32>>
  func.return
}

// One element per thread: there is nothing to be wider with.
// CHECK-LABEL: func @no_small_tensor
// CHECK-NOT: scf.if
// CHECK: return
func.func @no_small_tensor(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) {
  %c32 = arith.constant 32 : i32
  %pid = tile.program_id 0 : i32
  %first = arith.muli %pid, %c32 : i32
  %r = tile.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %fs = tile.splat %first : i32 -> tensor<32xi32>
  %o = arith.addi %fs, %r : tensor<32xi32>
  %ns = tile.splat %n : i32 -> tensor<32xi32>
  %m = arith.cmpi slt, %o, %ns : tensor<32xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %a = tile.addptr %ps, %o : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %x = tile.load %a, %m volatile : tensor<32x!tile.ptr<f32>>
  func.return
}

// A row of n elements in a block of at least n: all lanes are on in no program, or in all of them.
// CHECK-LABEL: func @no_row
// CHECK-NOT: scf.if
// CHECK: return
func.func @no_row(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) {
  %r = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %a = tile.addptr %ps, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %a, %m volatile : tensor<256x!tile.ptr<f32>>
  func.return
}

// What the function returns would have to come out of the branches.
// CHECK-LABEL: func @no_results
// CHECK-NOT: scf.if
// CHECK: return
func.func @no_results(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) -> tensor<256xf32> {
  %c256 = arith.constant 256 : i32
  %pid = tile.program_id 0 : i32
  %first = arith.muli %pid, %c256 : i32
  %r = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %fs = tile.splat %first : i32 -> tensor<256xi32>
  %o = arith.addi %fs, %r : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %m = arith.cmpi slt, %o, %ns : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %a = tile.addptr %ps, %o : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %a, %m : tensor<256x!tile.ptr<f32>>
  func.return %x : tensor<256xf32>
}

// A comparison that the arithmetic does not show to be an order of indices.
// CHECK-LABEL: func @no_index_sum
// CHECK-NOT: scf.if
// CHECK: return
func.func @no_index_sum(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %mask: tensor<256xi32>) {
  %c256 = arith.constant 256 : i32
  %pid = tile.program_id 0 : i32
  %first = arith.muli %pid, %c256 : i32
  %r = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %fs = tile.splat %first : i32 -> tensor<256xi32>
  %o = arith.addi %fs, %r : tensor<256xi32>
  %odd = arith.xori %o, %mask : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %m = arith.cmpi slt, %odd, %ns : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %a = tile.addptr %ps, %o : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %a, %m volatile : tensor<256x!tile.ptr<f32>>
  func.return
}

}

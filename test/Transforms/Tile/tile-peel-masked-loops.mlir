// RUN: tile-opt %s --tile-peel-masked-loops | FileCheck %s
// RUN: tile-opt %s --tile-peel-masked-loops="max-ops=4" | FileCheck %s --check-prefix=SMALL
// RUN: tile-opt %s --tile-peel-masked-loops="max-predicate-ops=0" | FileCheck %s --check-prefix=WIDER

module attributes {tile.num_warps = 1 : i32} {

// The first loop does the whole blocks, without mask and `other`; the second one starts where it ends, with its results.
// CHECK-LABEL: func @sum
// CHECK-SAME: %[[N:[a-z0-9]+]]: i32
// CHECK: %[[WIDE:.*]] = arith.extsi %[[N]] : i32 to i64
// CHECK: %[[LAST:.*]] = arith.addi %[[WIDE]], %c-1023_i64
// CHECK: %[[SPAN:.*]] = arith.maxsi %[[LAST]], %c0_i64
// CHECK: %[[UP:.*]] = arith.addi %[[SPAN]], %c1023_i64
// CHECK: %[[TRIPS:.*]] = arith.divsi %[[UP]], %c1024_i64
// CHECK: %[[END:.*]] = arith.muli %[[TRIPS]], %c1024_i64
// CHECK: %[[MIDDLE:.*]] = arith.trunci %[[END]] : i64 to i32
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} = %c0_i32 to %[[MIDDLE]] step %c1024_i32
// CHECK-NOT: arith.cmpi
// CHECK: tile.load %{{[^,]*}} :
// CHECK: scf.yield
// CHECK-NOT: tile.loop_unroll_factor
// CHECK: scf.for %{{.*}} = %[[MIDDLE]] to %[[N]] step %c1024_i32 iter_args(%{{.*}} = %[[SUM]])
// CHECK: %[[MASK:.*]] = arith.cmpi slt
// CHECK: tile.load %{{.*}}, %[[MASK]], %{{.*}} :
// CHECK: {tile.loop_unroll_factor = 1 : i32, tile.remainder}
// SMALL-LABEL: func @sum
// SMALL-COUNT-1: tile.load
// SMALL-NOT: tile.load
// SMALL: return
// WIDER-LABEL: func @sum
// WIDER-COUNT-2: tile.load
func.func @sum(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) -> tensor<1024xf32> {
  %c0 = arith.constant 0 : i32
  %step = arith.constant 1024 : i32
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %sum = scf.for %i = %c0 to %n step %step iter_args(%acc = %zero) -> (tensor<1024xf32>) : i32 {
    %is = tile.splat %i : i32 -> tensor<1024xi32>
    %o = arith.addi %is, %r : tensor<1024xi32>
    %m = arith.cmpi slt, %o, %ns : tensor<1024xi32>
    %a = tile.addptr %ps, %o : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %x = tile.load %a, %m, %zero : tensor<1024x!tile.ptr<f32>>
    %s = arith.addf %acc, %x : tensor<1024xf32>
    scf.yield %s : tensor<1024xf32>
  }
  func.return %sum : tensor<1024xf32>
}

// A multiple of 16 elements: the access is wide anyway, the mask is all there is to win.
// CHECK-LABEL: func @mask_only
// CHECK: scf.for
// CHECK: tile.load %{{[^,]*}} :
// CHECK: scf.for
// CHECK: tile.load %{{.*}}, %
// WIDER-LABEL: func @mask_only
// WIDER-COUNT-1: tile.load
// WIDER-NOT: tile.load
// WIDER: return
func.func @mask_only(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %step = arith.constant 1024 : i32
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  scf.for %i = %c0 to %n step %step : i32 {
    %is = tile.splat %i : i32 -> tensor<1024xi32>
    %o = arith.addi %is, %r : tensor<1024xi32>
    %m = arith.cmpi slt, %o, %ns : tensor<1024xi32>
    %a = tile.addptr %ps, %o : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %x = tile.load %a, %m volatile : tensor<1024x!tile.ptr<f32>>
  }
  func.return
}

// The loop of a matrix product over k blocks: offs < K - k*B holds for k <= (K - B) / B.
// CHECK-LABEL: func @counted
// CHECK-SAME: %[[K:[a-z0-9]+]]: i32
// CHECK: %[[WIDE:.*]] = arith.extsi %[[K]] : i32 to i64
// CHECK: %[[REST:.*]] = arith.addi %[[WIDE]], %c-64_i64
// CHECK: %[[LAST:.*]] = arith.shrsi %[[REST]], %c6_i64
// CHECK: %[[END:.*]] = arith.addi %[[LAST]], %c1_i64
// CHECK: %[[MIN:.*]] = arith.minsi %[[END]], %{{.*}} : i64
// CHECK: %[[MIDDLE:.*]] = arith.trunci
// CHECK: scf.for %{{.*}} = %c0_i32 to %[[MIDDLE]]
// CHECK-NOT: arith.cmpi
// CHECK: tile.load %{{[^,]*}} :
// CHECK: scf.for %{{.*}} = %[[MIDDLE]] to
// CHECK: arith.cmpi slt
func.func @counted(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %k: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c63 = arith.constant 63 : i32
  %c64 = arith.constant 64 : i32
  %up = arith.addi %k, %c63 : i32
  %blocks = arith.divsi %up, %c64 : i32
  %r = tile.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<16x64x!tile.ptr<f16>>
  %all = tile.broadcast %row : tensor<1x64xi32> -> tensor<16x64xi32>
  %a = tile.addptr %ps, %all : tensor<16x64x!tile.ptr<f16>>, tensor<16x64xi32>
  scf.for %i = %c0 to %blocks step %c1 : i32 {
    %done = arith.muli %i, %c64 : i32
    %left = arith.subi %k, %done : i32
    %ls = tile.splat %left : i32 -> tensor<1x64xi32>
    %m = arith.cmpi slt, %row, %ls : tensor<1x64xi32>
    %mask = tile.broadcast %m : tensor<1x64xi1> -> tensor<16x64xi1>
    %x = tile.load %a, %mask volatile : tensor<16x64x!tile.ptr<f16>>
  }
  func.return
}

// The step need not be a constant (a grid-stride loop), nor the lower bound. Below, block 2**31 - 1 is not reached.
// CHECK-LABEL: func @grid_stride
// CHECK: %[[STEP:.*]] = arith.maxsi %{{.*}}, %c1_i64
// CHECK: arith.divsi %{{.*}}, %[[STEP]]
// CHECK: %[[FAR:.*]] = arith.cmpi sgt, %{{.*}}, %c2147483647_i64
// CHECK: arith.select %[[FAR]]
// CHECK: scf.for
// CHECK: tile.store %{{[^,]*}}, %{{[^,]*}} :
// CHECK: scf.for
func.func @grid_stride(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %x: tensor<256xf32>) {
  %c256 = arith.constant 256 : i32
  %pid = tile.program_id 0 : i32
  %programs = tile.num_programs 0 : i32
  %first = arith.muli %pid, %c256 : i32
  %step = arith.muli %programs, %c256 : i32
  %r = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  scf.for %i = %first to %n step %step : i32 {
    %is = tile.splat %i : i32 -> tensor<256xi32>
    %o = arith.addi %is, %r : tensor<256xi32>
    %m = arith.cmpi sgt, %ns, %o : tensor<256xi32>
    %a = tile.addptr %ps, %o : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
    tile.store %a, %x, %m : tensor<256x!tile.ptr<f32>>
  }
  func.return
}

// In 64 bits a guard keeps the arithmetic from overflowing.
// CHECK-LABEL: func @wide
// CHECK-SAME: %[[N:[a-z0-9]+]]: i64
// CHECK: %[[SHIFTED:.*]] = arith.addi %[[N]], %c288230376151711744_i64
// CHECK: %[[SAFE:.*]] = arith.cmpi ult, %[[SHIFTED]], %c576460752303423488_i64
// CHECK: %[[MIDDLE:.*]] = arith.select %[[SAFE]], %{{.*}}, %c0_i64
// CHECK: scf.for %{{.*}} = %c0_i64{{.*}} to %[[MIDDLE]]
func.func @wide(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c256 = arith.constant 256 : i64
  %r = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %rw = arith.extsi %r : tensor<256xi32> to tensor<256xi64>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %ns = tile.splat %n : i64 -> tensor<256xi64>
  scf.for %i = %c0 to %n step %c256 : i64 {
    %is = tile.splat %i : i64 -> tensor<256xi64>
    %o = arith.addi %is, %rw : tensor<256xi64>
    %m = arith.cmpi slt, %o, %ns : tensor<256xi64>
    %a = tile.addptr %ps, %o : tensor<256x!tile.ptr<f32>>, tensor<256xi64>
    %x = tile.load %a, %m volatile : tensor<256x!tile.ptr<f32>>
  }
  func.return
}

// 1000 elements in blocks of 256: three whole ones, known at compile time. A select under the mask goes, too.
// CHECK-LABEL: func @constant_bounds
// CHECK: scf.for %{{.*}} = %c0_i32 to %c768_i32 step
// CHECK-NOT: arith.select
// CHECK: scf.for %{{.*}} = %c768_i32 to %c1000_i32 step
// CHECK: arith.select
func.func @constant_bounds(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: tensor<256xf32>) {
  %c0 = arith.constant 0 : i32
  %c256 = arith.constant 256 : i32
  %c1000 = arith.constant 1000 : i32
  %ns = arith.constant dense<1000> : tensor<256xi32>
  %r = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  scf.for %i = %c0 to %c1000 step %c256 : i32 {
    %is = tile.splat %i : i32 -> tensor<256xi32>
    %o = arith.addi %is, %r : tensor<256xi32>
    %m = arith.cmpi slt, %o, %ns : tensor<256xi32>
    %a = tile.addptr %ps, %o : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
    %x = tile.load %a, %m : tensor<256x!tile.ptr<f32>>
    %z = arith.select %m, %x, %y : tensor<256xi1>, tensor<256xf32>
    tile.store %a, %z, %m : tensor<256x!tile.ptr<f32>>
  }
  func.return
}

// All iterations are whole: no second loop.
// CHECK-LABEL: func @nothing_left
// CHECK: %[[R:.*]] = scf.for
// CHECK: tile.load %{{[^,]*}} :
// CHECK-NOT: scf.for
// CHECK: return %[[R]]
func.func @nothing_left(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: tensor<256xf32>) -> tensor<256xf32> {
  %c0 = arith.constant 0 : i32
  %c256 = arith.constant 256 : i32
  %c1024 = arith.constant 1024 : i32
  %ns = arith.constant dense<1024> : tensor<256xi32>
  %r = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %sum = scf.for %i = %c0 to %c1024 step %c256 iter_args(%acc = %y) -> (tensor<256xf32>) : i32 {
    %is = tile.splat %i : i32 -> tensor<256xi32>
    %o = arith.addi %is, %r : tensor<256xi32>
    %m = arith.cmpi slt, %o, %ns : tensor<256xi32>
    %a = tile.addptr %ps, %o : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
    %x = tile.load %a, %m : tensor<256x!tile.ptr<f32>>
    %s = arith.addf %acc, %x : tensor<256xf32>
    scf.yield %s : tensor<256xf32>
  }
  func.return %sum : tensor<256xf32>
}

// A row mask stays: the access becomes wide under it.
// CHECK-LABEL: func @row_mask_stays
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: tensor<4x256xi1>
// CHECK: scf.for
// CHECK: tile.load %{{[^,]*}}, %[[ROWS]] :
// CHECK: scf.for
// CHECK: arith.andi
func.func @row_mask_stays(%rows: tensor<4x256xi1> , %p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %stride: i32 {tile.divisibility = 16 : i32}, %rm: i32) {
  %c0 = arith.constant 0 : i32
  %c256 = arith.constant 256 : i32
  %r4 = tile.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %col4 = tile.expand_dims %r4 {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %ss = tile.splat %stride : i32 -> tensor<4x1xi32>
  %ro = arith.muli %col4, %ss : tensor<4x1xi32>
  %rob = tile.broadcast %ro : tensor<4x1xi32> -> tensor<4x256xi32>
  %r = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<4x256x!tile.ptr<f32>>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %rs = tile.splat %rm : i32 -> tensor<4x1xi32>
  %rmask = arith.cmpi slt, %col4, %rs : tensor<4x1xi32>
  %rmb = tile.broadcast %rmask : tensor<4x1xi1> -> tensor<4x256xi1>
  scf.for %i = %c0 to %n step %c256 : i32 {
    %is = tile.splat %i : i32 -> tensor<256xi32>
    %o = arith.addi %is, %r : tensor<256xi32>
    %m = arith.cmpi slt, %o, %ns : tensor<256xi32>
    %m2 = tile.expand_dims %m {axis = 0 : i32} : tensor<256xi1> -> tensor<1x256xi1>
    %mb = tile.broadcast %m2 : tensor<1x256xi1> -> tensor<4x256xi1>
    %both = arith.andi %rows, %mb : tensor<4x256xi1>
    %o2 = tile.expand_dims %o {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
    %ob = tile.broadcast %o2 : tensor<1x256xi32> -> tensor<4x256xi32>
    %off = arith.addi %rob, %ob : tensor<4x256xi32>
    %a = tile.addptr %ps, %off : tensor<4x256x!tile.ptr<f32>>, tensor<4x256xi32>
    %x = tile.load %a, %both : tensor<4x256x!tile.ptr<f32>>
    %also = arith.andi %rmb, %mb : tensor<4x256xi1>
    tile.store %a, %x, %also : tensor<4x256x!tile.ptr<f32>>
  }
  func.return
}

// Both loops of a nest: the inner one for its columns, the outer one because its rows are contiguous in another access.
// CHECK-LABEL: func @nest
// CHECK: scf.for
// CHECK:   scf.for
// CHECK:   scf.for
// CHECK:   tile.remainder
// CHECK:   tile.store %{{[^,]*}}, %{{[^,]*}} :
// CHECK: scf.for
// CHECK:   scf.for
// CHECK:   scf.for
// CHECK:   tile.remainder
// CHECK:   tile.store %{{[^,]*}}, %{{[^,]*}}, %
// CHECK: tile.remainder
func.func @nest(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i32, %n: i32, %y: tensor<256xf32>) {
  %c0 = arith.constant 0 : i32
  %c256 = arith.constant 256 : i32
  %r = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %ms = tile.splat %m : i32 -> tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  scf.for %i = %c0 to %m step %c256 : i32 {
    %sum = scf.for %j = %c0 to %n step %c256 iter_args(%acc = %y) -> (tensor<256xf32>) : i32 {
      %js = tile.splat %j : i32 -> tensor<256xi32>
      %o = arith.addi %js, %r : tensor<256xi32>
      %in = arith.cmpi slt, %o, %ns : tensor<256xi32>
      %a = tile.addptr %ps, %o : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
      %x = tile.load %a, %in : tensor<256x!tile.ptr<f32>>
      %s = arith.addf %acc, %x : tensor<256xf32>
      scf.yield %s : tensor<256xf32>
    }
    %is = tile.splat %i : i32 -> tensor<256xi32>
    %rows = arith.addi %is, %r : tensor<256xi32>
    %in = arith.cmpi slt, %rows, %ms : tensor<256xi32>
    %b = tile.addptr %qs, %rows : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
    tile.store %b, %sum, %in : tensor<256x!tile.ptr<f32>>
  }
  func.return
}

// An atomic addition of floats is wide without the mask.
// CHECK-LABEL: func @atomic
// CHECK: scf.for
// CHECK: tile.atomic_rmw add %{{[^,]*}}, %{{[^ ]*}} :
// CHECK: scf.for
// CHECK: tile.atomic_rmw add %{{[^,]*}}, %{{[^ ]*}} if
func.func @atomic(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %x: tensor<256xf32>) {
  %c0 = arith.constant 0 : i32
  %c256 = arith.constant 256 : i32
  %r = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  scf.for %i = %c0 to %n step %c256 : i32 {
    %is = tile.splat %i : i32 -> tensor<256xi32>
    %o = arith.addi %is, %r : tensor<256xi32>
    %m = arith.cmpi slt, %o, %ns : tensor<256xi32>
    %a = tile.addptr %ps, %o : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
    %old = tile.atomic_rmw add %a, %x if %m : tensor<256x!tile.ptr<f32>>
  }
  func.return
}

// Holds from some iteration on: nearly all iterations would be left over.
// CHECK-LABEL: func @no_lower_bound
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @no_lower_bound(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %low: i32) {
  %c0 = arith.constant 0 : i32
  %c256 = arith.constant 256 : i32
  %r = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %ls = tile.splat %low : i32 -> tensor<256xi32>
  scf.for %i = %c0 to %n step %c256 : i32 {
    %is = tile.splat %i : i32 -> tensor<256xi32>
    %o = arith.addi %is, %r : tensor<256xi32>
    %m = arith.cmpi sge, %o, %ls : tensor<256xi32>
    %a = tile.addptr %ps, %o : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
    %x = tile.load %a, %m volatile : tensor<256x!tile.ptr<f32>>
  }
  func.return
}

// The bound changes in the loop.
// CHECK-LABEL: func @no_loaded_bound
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @no_loaded_bound(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %sizes: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c256 = arith.constant 256 : i32
  %r = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  scf.for %i = %c0 to %n step %c256 : i32 {
    %size = tile.load %sizes : !tile.ptr<i32>
    %ss = tile.splat %size : i32 -> tensor<256xi32>
    %is = tile.splat %i : i32 -> tensor<256xi32>
    %o = arith.addi %is, %r : tensor<256xi32>
    %m = arith.cmpi slt, %o, %ss : tensor<256xi32>
    %a = tile.addptr %ps, %o : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
    %x = tile.load %a, %m volatile : tensor<256x!tile.ptr<f32>>
  }
  func.return
}

// No access has the comparison in its mask.
// CHECK-LABEL: func @no_access
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @no_access(%p: tensor<256x!tile.ptr<f32>>, %n: i32, %y: tensor<256xf32>, %z: tensor<256xf32>) {
  %c0 = arith.constant 0 : i32
  %c256 = arith.constant 256 : i32
  %r = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  scf.for %i = %c0 to %n step %c256 : i32 {
    %is = tile.splat %i : i32 -> tensor<256xi32>
    %o = arith.addi %is, %r : tensor<256xi32>
    %m = arith.cmpi slt, %o, %ns : tensor<256xi32>
    %x = arith.select %m, %y, %z : tensor<256xi1>, tensor<256xf32>
    tile.store %p, %x : tensor<256x!tile.ptr<f32>>
  }
  func.return
}

// Fewer elements than a block: no iteration is whole.
// CHECK-LABEL: func @no_whole_iteration
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @no_whole_iteration(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c256 = arith.constant 256 : i32
  %c100 = arith.constant 100 : i32
  %ns = arith.constant dense<100> : tensor<256xi32>
  %r = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  scf.for %i = %c0 to %c100 step %c256 : i32 {
    %is = tile.splat %i : i32 -> tensor<256xi32>
    %o = arith.addi %is, %r : tensor<256xi32>
    %m = arith.cmpi slt, %o, %ns : tensor<256xi32>
    %a = tile.addptr %ps, %o : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
    %x = tile.load %a, %m volatile : tensor<256x!tile.ptr<f32>>
  }
  func.return
}

// An induction variable that is compared as unsigned.
// CHECK-LABEL: func @no_unsigned_loop
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @no_unsigned_loop(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c256 = arith.constant 256 : i32
  %r = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  scf.for unsigned %i = %c0 to %n step %c256 : i32 {
    %is = tile.splat %i : i32 -> tensor<256xi32>
    %o = arith.addi %is, %r : tensor<256xi32>
    %m = arith.cmpi ult, %o, %ns : tensor<256xi32>
    %a = tile.addptr %ps, %o : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
    %x = tile.load %a, %m volatile : tensor<256x!tile.ptr<f32>>
  }
  func.return
}

// What a loop left over is not split again.
// CHECK-LABEL: func @no_remainder
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @no_remainder(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c256 = arith.constant 256 : i32
  %r = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  scf.for %i = %c0 to %n step %c256 : i32 {
    %is = tile.splat %i : i32 -> tensor<256xi32>
    %o = arith.addi %is, %r : tensor<256xi32>
    %m = arith.cmpi slt, %o, %ns : tensor<256xi32>
    %a = tile.addptr %ps, %o : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
    %x = tile.load %a, %m volatile : tensor<256x!tile.ptr<f32>>
  } {tile.remainder}
  func.return
}

}

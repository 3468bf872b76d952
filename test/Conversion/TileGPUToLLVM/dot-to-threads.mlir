// RUN: tile-opt %s --convert-tilegpu-to-threads --split-input-file | FileCheck %s

// One element per thread: a row and a column of four, in one 16-byte load where they are adjacent.
#r = #tilegpu.linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]]}, [8, 4]>
#k = #tilegpu.linear<{offset = [[1, 0], [2, 0], [0, 1], [0, 2]]}, [4, 4]>
#c = #tilegpu.linear<{register = [], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [], block = []}, [8, 4]>

module attributes {tilegpu.num_warps = 1 : i32} {
// CHECK-LABEL: func @unrolled
// CHECK-SAME: (%{{.*}}: !llvm.ptr<3>, %{{.*}}: !llvm.ptr<3>, %[[C:.*]]: f32, %{{.*}}: !llvm.ptr<3>)
// CHECK: %[[A:.*]] = tilegpu.ld_shared %{{.*}} : <3> -> vector<4xi32>
// CHECK: %[[B:.*]] = tilegpu.ld_shared %{{.*}} : <3> -> vector<4xi32>
// CHECK-NOT: scf.for
// CHECK: %[[S0:.*]] = math.fma %{{.*}}, %{{.*}}, %[[C]] : f32
// CHECK: %[[S1:.*]] = math.fma %{{.*}}, %{{.*}}, %[[S0]] : f32
// CHECK: %[[S2:.*]] = math.fma %{{.*}}, %{{.*}}, %[[S1]] : f32
// CHECK: %[[S3:.*]] = math.fma %{{.*}}, %{{.*}}, %[[S2]] : f32
// CHECK: llvm.bitcast %[[S3]] : f32 to i32
func.func @unrolled(%a: !tilegpu.memdesc<[8, 4], f32, #r>, %b: !tilegpu.memdesc<[4, 4], f32, #k>, %c: tensor<8x4xf32, #c>, %o: !tilegpu.memdesc<[8, 4], f32, #r>) {
  %0 = tilegpu.dot %a, %b, %c : !tilegpu.memdesc<[8, 4], f32, #r>, !tilegpu.memdesc<[4, 4], f32, #k> -> tensor<8x4xf32, #c>
  tilegpu.local_store %0, %o : tensor<8x4xf32, #c>, !tilegpu.memdesc<[8, 4], f32, #r>
  return
}

// CHECK-LABEL: func @integers
// CHECK: arith.extui %{{.*}} : i8 to i32
// CHECK: arith.muli %{{.*}} : i32
// CHECK: arith.addi %{{.*}} : i32
func.func @integers(%a: !tilegpu.memdesc<[8, 4], i8, #r>, %b: !tilegpu.memdesc<[4, 4], i8, #k>, %c: tensor<8x4xi32, #c>, %o: !tilegpu.memdesc<[8, 4], i32, #r>) {
  %0 = tilegpu.dot %a, %b, %c unsigned : !tilegpu.memdesc<[8, 4], i8, #r>, !tilegpu.memdesc<[4, 4], i8, #k> -> tensor<8x4xi32, #c>
  tilegpu.local_store %0, %o : tensor<8x4xi32, #c>, !tilegpu.memdesc<[8, 4], i32, #r>
  return
}

// Sums in f16 are computed in f32 and rounded once.
// CHECK-LABEL: func @halves
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK-COUNT-4: math.fma %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @halves(%a: !tilegpu.memdesc<[8, 4], f16, #r>, %b: !tilegpu.memdesc<[4, 4], f16, #k>, %c: tensor<8x4xf16, #c>, %o: !tilegpu.memdesc<[8, 4], f16, #r>) {
  %0 = tilegpu.dot %a, %b, %c : !tilegpu.memdesc<[8, 4], f16, #r>, !tilegpu.memdesc<[4, 4], f16, #k> -> tensor<8x4xf16, #c>
  tilegpu.local_store %0, %o : tensor<8x4xf16, #c>, !tilegpu.memdesc<[8, 4], f16, #r>
  return
}
}

// -----

// Many products: a loop over pieces of K, whose sums are the loop's variables.
#r = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0]]}, [16, 64]>
#k = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}, [64, 32]>
#o = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]]}, [16, 32]>
#c = #tilegpu.linear<{register = [[0, 1], [0, 2], [1, 0], [2, 0], [0, 16]], lane = [[0, 4], [0, 8], [4, 0], [8, 0], [0, 0]], warp = [], block = []}, [16, 32]>

module attributes {tilegpu.num_warps = 1 : i32} {
// CHECK-LABEL: func @looped
// Four rows and eight columns, of which a thread holds 64 elements at a time: pieces of four.
// CHECK-DAG: %[[N:.*]] = arith.constant 16 : i32
// CHECK: %{{.*}}:32 = scf.for %{{.*}} = %{{.*}} to %[[N]] step %{{.*}} iter_args({{.*}}) -> ({{.*}}) : i32 {
// CHECK: tilegpu.ld_shared %{{.*}} : <3> -> vector<4xi32>
// CHECK-COUNT-128: math.fma
// CHECK-NOT: math.fma
// CHECK: scf.yield
func.func @looped(%a: !tilegpu.memdesc<[16, 64], f32, #r>, %b: !tilegpu.memdesc<[64, 32], f32, #k>, %c: tensor<16x32xf32, #c>, %o: !tilegpu.memdesc<[16, 32], f32, #o>) {
  %0 = tilegpu.dot %a, %b, %c : !tilegpu.memdesc<[16, 64], f32, #r>, !tilegpu.memdesc<[64, 32], f32, #k> -> tensor<16x32xf32, #c>
  tilegpu.local_store %0, %o : tensor<16x32xf32, #c>, !tilegpu.memdesc<[16, 32], f32, #o>
  return
}
}

// -----

// 256 sums of a thread do not fit in registers: a loop takes 64 at a time, eight rows by eight columns, from local
// memory.
#r = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}, [64, 8]>
#k = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0], [4, 0]]}, [8, 128]>
#o = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}, [64, 128]>
#c = #tilegpu.linear<{register = [[0, 1], [0, 2], [1, 0], [2, 0], [0, 32], [0, 64], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [4, 0], [8, 0]], warp = [], block = []}, [64, 128]>

module attributes {tilegpu.num_warps = 1 : i32} {
// CHECK-LABEL: func @groups
// CHECK-SAME: tilegpu.few_registers
// CHECK: %[[SUMS:.*]] = llvm.alloca %{{.*}} x !llvm.array<256 x f32> {alignment = 16 : i64}
// CHECK: scf.for %{{.*}} to %c4_i32{{[_0-9]*}} step
// CHECK-NOT: llvm.load
// CHECK: %{{.*}}:64 = scf.for %{{.*}} to %c2_i32{{[_0-9]*}} step
// CHECK-COUNT-256: math.fma
// CHECK-NOT: math.fma
// CHECK-COUNT-16: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr
// CHECK-COUNT-64: llvm.load %{{.*}} -> vector<4xf32>
// CHECK-NOT: llvm.alloca
// Other sums than one for all begin in local memory; the array is the same.
// CHECK-COUNT-64: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr
// CHECK: scf.for %{{.*}} to %c4_i32{{[_0-9]*}} step
// CHECK-COUNT-16: llvm.load %{{.*}} -> vector<4xf32>
// CHECK: %{{.*}}:64 = scf.for
// CHECK-COUNT-256: math.fma
// CHECK-NOT: math.fma
func.func @groups(%a: !tilegpu.memdesc<[64, 8], f32, #r>, %b: !tilegpu.memdesc<[8, 128], f32, #k>, %o: !tilegpu.memdesc<[64, 128], f32, #o>) {
  %c = arith.constant dense<0.0> : tensor<64x128xf32, #c>
  %0 = tilegpu.dot %a, %b, %c : !tilegpu.memdesc<[64, 8], f32, #r>, !tilegpu.memdesc<[8, 128], f32, #k> -> tensor<64x128xf32, #c>
  %1 = tilegpu.dot %a, %b, %0 : !tilegpu.memdesc<[64, 8], f32, #r>, !tilegpu.memdesc<[8, 128], f32, #k> -> tensor<64x128xf32, #c>
  tilegpu.local_store %1, %o : tensor<64x128xf32, #c>, !tilegpu.memdesc<[64, 128], f32, #o>
  return
}
}

// -----

// Each of these is small enough to unroll, all of them are not.
#r = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]]}, [16, 32]>
#k = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]}, [32, 32]>
#o = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]]}, [16, 32]>
#c = #tilegpu.linear<{register = [[0, 1], [0, 2], [1, 0], [2, 0], [0, 16]], lane = [[0, 4], [0, 8], [4, 0], [8, 0], [0, 0]], warp = [], block = []}, [16, 32]>

module attributes {tilegpu.num_warps = 1 : i32} {
// CHECK-LABEL: func @four
// CHECK-NOT: scf.for
// CHECK-COUNT-4096: math.fma
func.func @four(%a: !tilegpu.memdesc<[16, 32], f32, #r>, %b: !tilegpu.memdesc<[32, 32], f32, #k>, %c: tensor<16x32xf32, #c>, %o: !tilegpu.memdesc<[16, 32], f32, #o>) {
  %0 = tilegpu.dot %a, %b, %c : !tilegpu.memdesc<[16, 32], f32, #r>, !tilegpu.memdesc<[32, 32], f32, #k> -> tensor<16x32xf32, #c>
  %1 = tilegpu.dot %a, %b, %0 : !tilegpu.memdesc<[16, 32], f32, #r>, !tilegpu.memdesc<[32, 32], f32, #k> -> tensor<16x32xf32, #c>
  %2 = tilegpu.dot %a, %b, %1 : !tilegpu.memdesc<[16, 32], f32, #r>, !tilegpu.memdesc<[32, 32], f32, #k> -> tensor<16x32xf32, #c>
  %3 = tilegpu.dot %a, %b, %2 : !tilegpu.memdesc<[16, 32], f32, #r>, !tilegpu.memdesc<[32, 32], f32, #k> -> tensor<16x32xf32, #c>
  tilegpu.local_store %3, %o : tensor<16x32xf32, #c>, !tilegpu.memdesc<[16, 32], f32, #o>
  return
}

// CHECK-LABEL: func @five
// CHECK-COUNT-5: scf.for
// CHECK-COUNT-128: math.fma
// CHECK-NOT: math.fma
func.func @five(%a: !tilegpu.memdesc<[16, 32], f32, #r>, %b: !tilegpu.memdesc<[32, 32], f32, #k>, %c: tensor<16x32xf32, #c>, %o: !tilegpu.memdesc<[16, 32], f32, #o>) {
  %0 = tilegpu.dot %a, %b, %c : !tilegpu.memdesc<[16, 32], f32, #r>, !tilegpu.memdesc<[32, 32], f32, #k> -> tensor<16x32xf32, #c>
  %1 = tilegpu.dot %a, %b, %0 : !tilegpu.memdesc<[16, 32], f32, #r>, !tilegpu.memdesc<[32, 32], f32, #k> -> tensor<16x32xf32, #c>
  %2 = tilegpu.dot %a, %b, %1 : !tilegpu.memdesc<[16, 32], f32, #r>, !tilegpu.memdesc<[32, 32], f32, #k> -> tensor<16x32xf32, #c>
  %3 = tilegpu.dot %a, %b, %2 : !tilegpu.memdesc<[16, 32], f32, #r>, !tilegpu.memdesc<[32, 32], f32, #k> -> tensor<16x32xf32, #c>
  %4 = tilegpu.dot %a, %b, %3 : !tilegpu.memdesc<[16, 32], f32, #r>, !tilegpu.memdesc<[32, 32], f32, #k> -> tensor<16x32xf32, #c>
  tilegpu.local_store %4, %o : tensor<16x32xf32, #c>, !tilegpu.memdesc<[16, 32], f32, #o>
  return
}
}

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

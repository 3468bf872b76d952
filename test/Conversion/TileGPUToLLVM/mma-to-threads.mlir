// RUN: tile-opt %s --convert-tilegpu-to-threads --cse --split-input-file | FileCheck %s

#a = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}, [16, 16]>
#b = #tilegpu.linear<{register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = []}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}, [16, 8]>
#sa = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]]}, [16, 16]>
#st = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}, [16, 8]>
#sn = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [0, 4]]}, [16, 8]>
#o16 = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}, [16, 8]>
module attributes {tilegpu.num_warps = 1 : i32, tile.target = "sm_80"} {
// Four matrices of rows; two of columns, which are transposed on the way.
// CHECK-LABEL: func @halves
// CHECK: nvvm.ldmatrix %{{.*}} {eltType = {{.*}}b16{{.*}}, layout = #nvvm.mma_layout<row>, num = 4 : i32, {{.*}}} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
// CHECK: nvvm.ldmatrix %{{.*}} {eltType = {{.*}}b16{{.*}}, layout = #nvvm.mma_layout<col>, num = 2 : i32, {{.*}}} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
// CHECK: tilegpu.thread_mma {{.*}} as f16, f16, f32 : i32, i32, i32, i32 * i32, i32 + f32, f32, f32, f32 -> f32, f32, f32, f32
// CHECK-NOT: tilegpu.thread_mma
func.func @halves(%a: !tilegpu.memdesc<[16, 16], f16, #sa>, %b: !tilegpu.memdesc<[16, 8], f16, #st>, %c: tensor<16x8xf32, #c>, %o: !tilegpu.memdesc<[16, 8], f32, #o16>) {
  %0 = tilegpu.local_load %a : !tilegpu.memdesc<[16, 16], f16, #sa> -> tensor<16x16xf16, #a>
  %1 = tilegpu.local_load %b : !tilegpu.memdesc<[16, 8], f16, #st> -> tensor<16x8xf16, #b>
  %2 = tilegpu.mma %0, %1, %c : tensor<16x16xf16, #a>, tensor<16x8xf16, #b> -> tensor<16x8xf32, #c>
  tilegpu.local_store %2, %o : tensor<16x8xf32, #c>, !tilegpu.memdesc<[16, 8], f32, #o16>
  return
}

// Two steps along K of tf32.
// CHECK-LABEL: func @tf32
// CHECK-COUNT-2: tilegpu.thread_mma {{.*}} as tf32, tf32, f32
// CHECK-NOT: tilegpu.thread_mma
func.func @tf32(%a: tensor<16x16xf32, #a>, %b: tensor<16x8xf32, #b>, %c: tensor<16x8xf32, #c>, %o: !tilegpu.memdesc<[16, 8], f32, #o16>) {
  %0 = tilegpu.mma %a, %b, %c : tensor<16x16xf32, #a>, tensor<16x8xf32, #b> -> tensor<16x8xf32, #c>
  tilegpu.local_store %0, %o : tensor<16x8xf32, #c>, !tilegpu.memdesc<[16, 8], f32, #o16>
  return
}

// Two small products and the large one per step; the small sum counts where it is a number.
// CHECK-LABEL: func @split
// CHECK: %[[MASK:.*]] = arith.constant -8192 : i32
// CHECK: arith.andi %{{.*}}, %[[MASK]] : i32
// CHECK: arith.subf %{{.*}} : f32
// CHECK-COUNT-6: tilegpu.thread_mma {{.*}} as tf32, tf32, f32
// CHECK-NOT: tilegpu.thread_mma
// CHECK: %[[IS:.*]] = arith.cmpf ord, %[[SMALL:.*]], %[[SMALL]] : f32
// CHECK: arith.select %[[IS]], %[[SMALL]], %{{.*}} : f32
// CHECK: arith.addf %{{.*}} : f32
func.func @split(%a: tensor<16x16xf32, #a>, %b: tensor<16x8xf32, #b>, %c: tensor<16x8xf32, #c>, %o: !tilegpu.memdesc<[16, 8], f32, #o16>) {
  %0 = tilegpu.mma %a, %b, %c split : tensor<16x16xf32, #a>, tensor<16x8xf32, #b> -> tensor<16x8xf32, #c>
  tilegpu.local_store %0, %o : tensor<16x8xf32, #c>, !tilegpu.memdesc<[16, 8], f32, #o16>
  return
}

// Instructions of 8 rows and 4 deep.
// CHECK-LABEL: func @doubles
// CHECK-COUNT-8: tilegpu.thread_mma %{{.*}} * %{{.*}} + %{{.*}}, %{{.*}} as f64, f64, f64 : f64 * f64 + f64, f64 -> f64, f64
// CHECK-NOT: tilegpu.thread_mma
func.func @doubles(%a: tensor<16x16xf64, #a>, %b: tensor<16x8xf64, #b>, %c: tensor<16x8xf64, #c>, %o: !tilegpu.memdesc<[16, 8], f64, #o16>) {
  %0 = tilegpu.mma %a, %b, %c : tensor<16x16xf64, #a>, tensor<16x8xf64, #b> -> tensor<16x8xf64, #c>
  tilegpu.local_store %0, %o : tensor<16x8xf64, #c>, !tilegpu.memdesc<[16, 8], f64, #o16>
  return
}
}

// -----

// K of 2: lanes without a part of it have zeros in both operands, words of K that is not there are
// zero; 8 rows: the second half of A is zero.
#a = #tilegpu.linear<{register = [[0, 1]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [], block = []}, [8, 2]>
#b = #tilegpu.linear<{register = [[1, 0]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = []}, [2, 8]>
#c = #tilegpu.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}, [8, 8]>
#o8 = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}, [8, 8]>
module attributes {tilegpu.num_warps = 1 : i32, tile.target = "sm_80"} {
// CHECK-LABEL: func @padded
// CHECK-SAME: %[[C0:[a-z0-9]+]]: f32, %[[C1:[a-z0-9]+]]: f32, %{{[a-z0-9]+}}: !llvm.ptr<3>)
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: arith.cmpi eq, %{{.*}}, %[[ZERO]] : i32
// CHECK: %[[A:.*]] = arith.select %{{.*}}, %{{.*}}, %[[ZERO]] : i32
// CHECK: %[[B:.*]] = arith.select %{{.*}}, %{{.*}}, %[[ZERO]] : i32
// CHECK: %[[NONE:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[D:.*]]:4 = tilegpu.thread_mma %[[A]], %[[ZERO]], %[[ZERO]], %[[ZERO]] * %[[B]], %[[ZERO]] + %[[C0]], %[[C1]], %[[NONE]], %[[NONE]] as f16, f16, f32
// CHECK: llvm.insertelement %[[D]]#0
// CHECK: llvm.insertelement %[[D]]#1
func.func @padded(%a: tensor<8x2xf16, #a>, %b: tensor<2x8xf16, #b>, %c: tensor<8x8xf32, #c>, %o: !tilegpu.memdesc<[8, 8], f32, #o8>) {
  %0 = tilegpu.mma %a, %b, %c : tensor<8x2xf16, #a>, tensor<2x8xf16, #b> -> tensor<8x8xf32, #c>
  tilegpu.local_store %0, %o : tensor<8x8xf32, #c>, !tilegpu.memdesc<[8, 8], f32, #o8>
  return
}
}

// -----

// 8-bit elements that memory has along the rows: 16-bit units transposed, the bytes of two words
// sorted by row.
#a = #tilegpu.linear<{register = [[0, 1], [0, 2], [1, 0]], lane = [[0, 4], [0, 8], [2, 0], [4, 0], [8, 0]], warp = [], block = []}, [16, 16]>
#s = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [0, 4], [0, 8]]}, [16, 16]>
module attributes {tilegpu.num_warps = 1 : i32, tile.target = "sm_80"} {
// CHECK-LABEL: func @pairs
// CHECK: %[[M:.*]] = nvvm.ldmatrix %{{.*}} {{.*}}layout = #nvvm.mma_layout<col>, num = 2 : i32
// CHECK: llvm.shufflevector %[[L:.*]], %[[H:.*]] [0, 2, 4, 6] : vector<4xi8>
// CHECK: llvm.shufflevector %[[L]], %[[H]] [1, 3, 5, 7] : vector<4xi8>
func.func @pairs(%a: !tilegpu.memdesc<[16, 16], i8, #s>, %o: !tilegpu.memdesc<[16, 16], i8, #s>) {
  %0 = tilegpu.local_load %a : !tilegpu.memdesc<[16, 16], i8, #s> -> tensor<16x16xi8, #a>
  tilegpu.local_store %0, %o : tensor<16x16xi8, #a>, !tilegpu.memdesc<[16, 16], i8, #s>
  return
}
}

// -----

// What an instruction computes for rows that the tensor does not have goes on to the next along K.
#a = #tilegpu.linear<{register = [[0, 1], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}, [8, 32]>
#b = #tilegpu.linear<{register = [[1, 0], [8, 0], [16, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = []}, [32, 8]>
#c = #tilegpu.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}, [8, 8]>
#o = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}, [8, 8]>
module attributes {tilegpu.num_warps = 1 : i32, tile.target = "sm_80"} {
// CHECK-LABEL: func @idle_rows
// CHECK: %[[NONE:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[D:.*]]:4 = tilegpu.thread_mma {{.*}} + %{{.*}}, %{{.*}}, %[[NONE]], %[[NONE]] as f16, f16, f32
// CHECK: %[[E:.*]]:4 = tilegpu.thread_mma {{.*}} + %[[D]]#0, %[[D]]#1, %[[D]]#2, %[[D]]#3 as f16, f16, f32
// CHECK: llvm.insertelement %[[E]]#0
// CHECK: llvm.insertelement %[[E]]#1
func.func @idle_rows(%a: tensor<8x32xf16, #a>, %b: tensor<32x8xf16, #b>, %c: tensor<8x8xf32, #c>, %o: !tilegpu.memdesc<[8, 8], f32, #o>) {
  %0 = tilegpu.mma %a, %b, %c : tensor<8x32xf16, #a>, tensor<32x8xf16, #b> -> tensor<8x8xf32, #c>
  tilegpu.local_store %0, %o : tensor<8x8xf32, #c>, !tilegpu.memdesc<[8, 8], f32, #o>
  return
}
}

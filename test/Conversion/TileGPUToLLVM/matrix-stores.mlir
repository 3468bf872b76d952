// RUN: tile-opt %s --convert-tilegpu-to-threads --cse --split-input-file | FileCheck %s
// RUN: sed s/sm_90/sm_89/ %s | tile-opt --convert-tilegpu-to-threads --cse --split-input-file | FileCheck %s --check-prefix=OLD

// OLD-NOT: nvvm.stmatrix

#c = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}, [16, 16]>
#twice = #tilegpu.linear<{register = [[0, 1], [0, 0], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}, [16, 16]>
#narrow = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}, [16, 8]>
#small = #tilegpu.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}, [8, 8]>
#vectors = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [0, 8], [8, 0]], warp = [], block = []}, [16, 16]>
#rows = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [0, 8], [8, 0]]}, [16, 16]>
#columns = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [0, 4], [8, 0], [0, 8]]}, [16, 16]>
#plain = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]}, [16, 16]>
#narrow_rows = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}, [16, 8]>
#small_rows = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}, [8, 8]>
#small_columns = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]}, [8, 8]>
module attributes {tilegpu.num_warps = 1 : i32, tile.target = "sm_90"} {
// Lane l points to row l % 8 of matrix l / 8: 16 bytes times l % 8, the rows 8 apart 256 bytes on, the columns 128.
// CHECK-LABEL: func @rows
// CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c31
// CHECK-NOT: tilegpu.st_shared
// CHECK: nvvm.stmatrix %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {{.*}}layout = #nvvm.mma_layout<row>{{.*}} : !llvm.ptr<3>, i32, i32, i32, i32
// CHECK-NOT: nvvm.stmatrix
// CHECK-NOT: tilegpu.st_shared
func.func @rows(%x: tensor<16x16xf16, #c>, %o: !tilegpu.memdesc<[16, 16], f16, #rows>) {
  tilegpu.local_store %x, %o : tensor<16x16xf16, #c>, !tilegpu.memdesc<[16, 16], f16, #rows>
  return
}

// The buffer is transposed: a thread's pair is in two rows of memory.
// CHECK-LABEL: func @columns
// CHECK-NOT: tilegpu.st_shared
// CHECK: nvvm.stmatrix %{{.*}} {{.*}}layout = #nvvm.mma_layout<col>{{.*}} : !llvm.ptr<3>, i32, i32, i32, i32
// CHECK-NOT: nvvm.stmatrix
func.func @columns(%x: tensor<16x16xbf16, #c>, %o: !tilegpu.memdesc<[16, 16], bf16, #columns>) {
  tilegpu.local_store %x, %o : tensor<16x16xbf16, #c>, !tilegpu.memdesc<[16, 16], bf16, #columns>
  return
}

// CHECK-LABEL: func @two_matrices
// CHECK: nvvm.stmatrix %{{.*}} {{.*}}layout = #nvvm.mma_layout<row>{{.*}} : !llvm.ptr<3>, i32, i32
// CHECK-NOT: nvvm.stmatrix
func.func @two_matrices(%x: tensor<16x8xi16, #narrow>, %o: !tilegpu.memdesc<[16, 8], i16, #narrow_rows>) {
  tilegpu.local_store %x, %o : tensor<16x8xi16, #narrow>, !tilegpu.memdesc<[16, 8], i16, #narrow_rows>
  return
}

// One word of a thread is one store anyway; two halves are not.
// CHECK-LABEL: func @one_matrix
// CHECK: tilegpu.st_shared
// CHECK: nvvm.stmatrix %{{.*}} {{.*}}layout = #nvvm.mma_layout<col>{{.*}} : !llvm.ptr<3>, i32
// CHECK-NOT: tilegpu.st_shared
func.func @one_matrix(%x: tensor<8x8xf16, #small>, %o: !tilegpu.memdesc<[8, 8], f16, #small_rows>, %t: !tilegpu.memdesc<[8, 8], f16, #small_columns>) {
  tilegpu.local_store %x, %o : tensor<8x8xf16, #small>, !tilegpu.memdesc<[8, 8], f16, #small_rows>
  tilegpu.local_store %x, %t : tensor<8x8xf16, #small>, !tilegpu.memdesc<[8, 8], f16, #small_columns>
  return
}

// Of registers with the same elements one is stored.
// CHECK-LABEL: func @replicas
// CHECK-COUNT-1: nvvm.stmatrix %{{.*}} : !llvm.ptr<3>, i32, i32, i32, i32
// CHECK-NOT: nvvm.stmatrix
func.func @replicas(%x: tensor<16x16xf16, #twice>, %o: !tilegpu.memdesc<[16, 16], f16, #rows>) {
  tilegpu.local_store %x, %o : tensor<16x16xf16, #twice>, !tilegpu.memdesc<[16, 16], f16, #rows>
  return
}

// A thread has 16 bytes; rows are in the same banks.
// CHECK-LABEL: func @negative_vectors
// CHECK-NOT: nvvm.stmatrix
// CHECK: tilegpu.st_shared {{.*}}vector<4xi32>
func.func @negative_vectors(%x: tensor<16x16xf16, #vectors>, %o: !tilegpu.memdesc<[16, 16], f16, #rows>) {
  tilegpu.local_store %x, %o : tensor<16x16xf16, #vectors>, !tilegpu.memdesc<[16, 16], f16, #rows>
  return
}
}

// -----

#c = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0]], block = []}, [16, 16]>
#rows = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [0, 8], [8, 0]]}, [16, 16]>
module attributes {tilegpu.num_warps = 2 : i32, tile.target = "sm_90"} {
// Only one of the warps stores: the instruction has no predicate.
// CHECK-LABEL: func @negative_warps
// CHECK-NOT: nvvm.stmatrix
// CHECK: tilegpu.st_shared
func.func @negative_warps(%x: tensor<16x16xf16, #c>, %o: !tilegpu.memdesc<[16, 16], f16, #rows>) {
  tilegpu.local_store %x, %o : tensor<16x16xf16, #c>, !tilegpu.memdesc<[16, 16], f16, #rows>
  return
}
}

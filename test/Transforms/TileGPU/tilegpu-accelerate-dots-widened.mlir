// RUN: tile-opt %s --tilegpu-accelerate-dots | FileCheck %s

#a = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0], [64, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}, [128, 64]>
#at = #tilegpu.linear<{register = [[1, 0], [2, 0], [4, 0], [0, 16], [0, 32], [0, 64]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2]], warp = [[0, 4], [0, 8]], block = []}, [64, 128]>
#w = #tilegpu.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 32]], lane = [[16, 0], [32, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]], block = []}, [64, 64]>
#wt = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [32, 0]], lane = [[0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}, [64, 64]>
#c = #tilegpu.linear<{register = [[0, 1], [0, 2], [8, 0], [16, 0], [32, 0], [64, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 0], [4, 0]], block = []}, [128, 64]>
#ct = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [0, 4]], warp = [[1, 0], [2, 0]], block = []}, [64, 128]>
#s = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}, [64, 64]>
#d = #tilegpu.linear<{register = [[0, 1], [0, 2], [8, 0], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 0], [4, 0]], block = []}, [64, 64]>

// The transposed product's rows are those of the instruction, 8 of them apart.
// CHECK-DAG: #[[TRANSPOSED:.*]] = #tilegpu.linear<{register = {{\[\[}}1, 0], [0, 8], [8, 0], [16, 0], [32, 0], [64, 0]], lane = {{\[\[}}2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = {{\[\[}}0, 16], [0, 32]], block = []}, [128, 64]>
// CHECK-DAG: #[[ROWS:.*]] = #tilegpu.linear<{register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0]], block = []}, [64, 128]>
// As TMA writes it: 64 bytes in a row, whose 16-byte units are swizzled.
// CHECK-DAG: #[[COPIED:.*]] = #tilegpu.linear<{offset = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [16, 2], [32, 4], [0, 8], [0, 16], [0, 32]]}, [64, 64]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// CHECK-LABEL: func @right
// CHECK-SAME: (%[[A:.*]]: tensor<128x64xbf16, #{{.*}}>, %[[W:.*]]: tensor<64x64xi8, #{{.*}}>
// CHECK: %[[SW:.*]] = tilegpu.local_alloc : <[64, 64], i8, #{{.*}}>
// CHECK-NEXT: tilegpu.local_store %[[W]], %[[SW]]
// CHECK-NEXT: %[[SA:.*]] = tilegpu.local_alloc : <[128, 64], bf16, #{{.*}}>
// CHECK-NEXT: tilegpu.local_store %[[A]], %[[SA]]
// CHECK: tilegpu.wgmma %[[SA]], %[[SW]], %{{.*}} fragments_of = 1 : !tilegpu.memdesc<[128, 64], bf16, #{{.*}}>, <[64, 64], i8, #{{.*}}> -> tensor<128x64xf32, #[[TRANSPOSED]]>
func.func @right(%a: tensor<128x64xbf16, #a>, %w: tensor<64x64xi8, #w>, %c: tensor<128x64xf32, #c>) -> tensor<128x64xf32, #c> {
  %0 = arith.sitofp %w : tensor<64x64xi8, #w> to tensor<64x64xbf16, #w>
  %1 = tilegpu.dot %a, %0, %c : tensor<128x64xbf16, #a>, tensor<64x64xbf16, #w> -> tensor<128x64xf32, #c>
  return %1 : tensor<128x64xf32, #c>
}

// CHECK-LABEL: func @left
// CHECK: tilegpu.wgmma %{{.*}}, %{{.*}}, %{{.*}} unsigned fragments_of = 0 : !tilegpu.memdesc<[64, 64], i8, #{{.*}}>, <[64, 128], f16, #{{.*}}> -> tensor<64x128xf32, #[[ROWS]]>
func.func @left(%w: tensor<64x64xi8, #wt>, %a: tensor<64x128xf16, #at>, %c: tensor<64x128xf32, #ct>) -> tensor<64x128xf32, #ct> {
  %0 = arith.uitofp %w : tensor<64x64xi8, #wt> to tensor<64x64xf16, #wt>
  %1 = tilegpu.dot %0, %a, %c : tensor<64x64xf16, #wt>, tensor<64x128xf16, #at> -> tensor<64x128xf32, #ct>
  return %1 : tensor<64x128xf32, #ct>
}

// CHECK-LABEL: func @copied
// CHECK: tile.descriptor_load
// CHECK: tilegpu.local_alloc : <[64, 64], i8, #[[COPIED]]>
// CHECK: fragments_of = 1
func.func @copied(%a: tensor<128x64xf16, #a>, %desc: !tile.desc<[64, 64], i8>, %c: tensor<128x64xf32, #c>) -> tensor<128x64xf32, #c> {
  %zero = arith.constant 0 : i32
  %0 = tile.descriptor_load %desc[%zero, %zero] : <[64, 64], i8> -> tensor<64x64xi8, #wt>
  %1 = arith.sitofp %0 : tensor<64x64xi8, #wt> to tensor<64x64xf16, #wt>
  %2 = tile.permute %1 {order = array<i32: 1, 0>} : tensor<64x64xf16, #wt> -> tensor<64x64xf16, #w>
  %3 = tilegpu.dot %a, %2, %c : tensor<128x64xf16, #a>, tensor<64x64xf16, #w> -> tensor<128x64xf32, #c>
  return %3 : tensor<128x64xf32, #c>
}

// Bytes that are neighbours along the columns, and what is more than widened, are multiplied as wide tensors; of 64 rows
// those are multiplied by mma.sync.
// CHECK-LABEL: func @along_columns
// CHECK-NOT: fragments_of
// CHECK: tilegpu.wgmma
func.func @along_columns(%a: tensor<128x64xf16, #a>, %w: tensor<64x64xi8, #wt>, %c: tensor<128x64xf32, #c>) -> tensor<128x64xf32, #c> {
  %0 = arith.sitofp %w : tensor<64x64xi8, #wt> to tensor<64x64xf16, #wt>
  %1 = tilegpu.dot %a, %0, %c : tensor<128x64xf16, #a>, tensor<64x64xf16, #wt> -> tensor<128x64xf32, #c>
  return %1 : tensor<128x64xf32, #c>
}

// CHECK-LABEL: func @few_rows
// CHECK: tilegpu.wgmma {{.*}} fragments_of = 1
func.func @few_rows(%a: tensor<64x64xf16, #s>, %w: tensor<64x64xi8, #w>, %c: tensor<64x64xf32, #d>) -> tensor<64x64xf32, #d> {
  %0 = arith.sitofp %w : tensor<64x64xi8, #w> to tensor<64x64xf16, #w>
  %1 = tilegpu.dot %a, %0, %c : tensor<64x64xf16, #s>, tensor<64x64xf16, #w> -> tensor<64x64xf32, #d>
  return %1 : tensor<64x64xf32, #d>
}

// CHECK-LABEL: func @few_rows_of_nibbles
// CHECK-NOT: tilegpu.wgmma
// CHECK: tilegpu.mma
func.func @few_rows_of_nibbles(%a: tensor<64x64xf16, #s>, %w: tensor<64x64xi8, #w>, %c: tensor<64x64xf32, #d>) -> tensor<64x64xf32, #d> {
  %eight = arith.constant dense<8.0> : tensor<64x64xf16, #w>
  %0 = arith.uitofp %w : tensor<64x64xi8, #w> to tensor<64x64xf16, #w>
  %1 = arith.subf %0, %eight : tensor<64x64xf16, #w>
  %2 = tilegpu.dot %a, %1, %c : tensor<64x64xf16, #s>, tensor<64x64xf16, #w> -> tensor<64x64xf32, #d>
  return %2 : tensor<64x64xf32, #d>
}

// CHECK-LABEL: func @nibbles
// CHECK-NOT: fragments_of
// CHECK: tilegpu.wgmma
func.func @nibbles(%a: tensor<128x64xf16, #a>, %w: tensor<64x64xi8, #w>, %c: tensor<128x64xf32, #c>) -> tensor<128x64xf32, #c> {
  %eight = arith.constant dense<8.0> : tensor<64x64xf16, #w>
  %0 = arith.uitofp %w : tensor<64x64xi8, #w> to tensor<64x64xf16, #w>
  %1 = arith.subf %0, %eight : tensor<64x64xf16, #w>
  %2 = tilegpu.dot %a, %1, %c : tensor<128x64xf16, #a>, tensor<64x64xf16, #w> -> tensor<128x64xf32, #c>
  return %2 : tensor<128x64xf32, #c>
}
}

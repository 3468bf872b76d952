// RUN: tile-opt %s --tilegpu-accelerate-dots --split-input-file | FileCheck %s

// Products by single warps: operands through swizzled buffers into the instruction's layout.
// CHECK-DAG: #[[$A:.*]] = #tilegpu.linear<{register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [32, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}0, 0], [16, 0]]
// CHECK-DAG: #[[$B:.*]] = #tilegpu.linear<{register = {{\[\[}}1, 0], [8, 0], [16, 0], [0, 16], [0, 32]], lane = {{\[\[}}2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = {{\[\[}}0, 8], [0, 0]]
// CHECK-DAG: #[[$C:.*]] = #tilegpu.linear<{register = {{\[\[}}0, 1], [8, 0], [0, 16], [0, 32], [32, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}0, 8], [16, 0]]
// CHECK-DAG: #[[$MB:.*]] = #tilegpu.linear<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0]]}, [32, 64]>
#a = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}, [64, 32]>
#b = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}, [32, 64]>
#c = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}, [64, 64]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_80"} {
// CHECK-LABEL: @halves
// CHECK: %[[BA:.*]] = tilegpu.local_alloc
// CHECK: tilegpu.local_store %{{.*}}, %[[BA]]
// CHECK-NOT: tilegpu.proxy_fence
// CHECK: %[[A:.*]] = tilegpu.local_load %[[BA]] : {{.*}} -> tensor<64x32xf16, #[[$A]]>
// CHECK: %[[BB:.*]] = tilegpu.local_alloc : <[32, 64], f16, #[[$MB]]>
// CHECK: %[[B:.*]] = tilegpu.local_load %[[BB]] : {{.*}} -> tensor<32x64xf16, #[[$B]]>
// CHECK: %[[C:.*]] = tilegpu.convert_layout %{{.*}} -> tensor<64x64xf32, #[[$C]]>
// CHECK: %[[D:.*]] = tilegpu.mma %[[A]], %[[B]], %[[C]]
// CHECK: tilegpu.convert_layout %[[D]]
func.func @halves(%a: tensor<64x32xf16, #a>, %b: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #c>) -> tensor<64x64xf32, #c> {
  %0 = tilegpu.dot %a, %b, %c : tensor<64x32xf16, #a>, tensor<32x64xf16, #b> -> tensor<64x64xf32, #c>
  return %0 : tensor<64x64xf32, #c>
}

// What widens an operand comes behind the buffer; f32 with tf32x3 is one product that splits.
// CHECK-LABEL: @widened
// CHECK: tilegpu.local_store %{{.*}} : tensor<64x32xi8, #{{.*}}>
// CHECK: %[[I:.*]] = tilegpu.local_load %{{.*}} -> tensor<64x32xi8, #[[W:.*]]>
// CHECK: %[[F:.*]] = arith.sitofp %[[I]] : tensor<64x32xi8, #[[W]]> to tensor<64x32xf16, #[[W]]>
// CHECK: tilegpu.mma %[[F]]
// CHECK: tilegpu.mma {{.*}} split
func.func @widened(%i: tensor<64x32xi8, #a>, %b: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #c>, %f: tensor<64x32xf32, #a>, %g: tensor<32x64xf32, #b>) -> tensor<64x64xf32, #c> {
  %a = arith.sitofp %i : tensor<64x32xi8, #a> to tensor<64x32xf16, #a>
  %0 = tilegpu.dot %a, %b, %c : tensor<64x32xf16, #a>, tensor<32x64xf16, #b> -> tensor<64x64xf32, #c>
  %1 = tilegpu.dot %f, %g, %0 precision = tf32x3 : tensor<64x32xf32, #a>, tensor<32x64xf32, #b> -> tensor<64x64xf32, #c>
  return %1 : tensor<64x64xf32, #c>
}

// 8-bit floats have no instruction here.
// CHECK-LABEL: @float8
// CHECK-COUNT-2: tile.fp_to_fp %{{.*}} : tensor<{{.*}}xf8E4M3FN, {{.*}}> -> tensor<{{.*}}xf16
// CHECK: tilegpu.mma
func.func @float8(%a: tensor<64x32xf8E4M3FN, #a>, %b: tensor<32x64xf8E4M3FN, #b>, %c: tensor<64x64xf32, #c>) -> tensor<64x64xf32, #c> {
  %0 = tilegpu.dot %a, %b, %c : tensor<64x32xf8E4M3FN, #a>, tensor<32x64xf8E4M3FN, #b> -> tensor<64x64xf32, #c>
  return %0 : tensor<64x64xf32, #c>
}

// A left operand that is computed from a product stays in registers: the warps of both products
// are along the rows.
// CHECK-LABEL: @chain
// CHECK: %[[P:.*]] = tilegpu.mma
// CHECK: %[[Q:.*]] = tilegpu.convert_layout %[[P]]
// CHECK: %[[T:.*]] = arith.truncf %[[Q]]
// CHECK: %[[A:.*]] = tilegpu.convert_layout %[[T]]
// CHECK-NOT: tilegpu.local_store %[[T]]
// CHECK: tilegpu.mma %[[A]]
func.func @chain(%a: tensor<64x32xf16, #a>, %b: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #c>, %v: tensor<64x64xf16, #c>) -> tensor<64x64xf32, #c> {
  %0 = tilegpu.dot %a, %b, %c : tensor<64x32xf16, #a>, tensor<32x64xf16, #b> -> tensor<64x64xf32, #c>
  %1 = arith.truncf %0 : tensor<64x64xf32, #c> to tensor<64x64xf16, #c>
  %2 = tilegpu.dot %1, %v, %c : tensor<64x64xf16, #c>, tensor<64x64xf16, #c> -> tensor<64x64xf32, #c>
  return %2 : tensor<64x64xf32, #c>
}
}

// -----

#a = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}, [64, 32]>
#b = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}, [32, 64]>
#c = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}, [64, 64]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_89"} {
// CHECK-LABEL: @has_float8
// CHECK-NOT: tile.fp_to_fp
// CHECK: tilegpu.mma {{.*}} : tensor<64x32xf8E4M3FN
func.func @has_float8(%a: tensor<64x32xf8E4M3FN, #a>, %b: tensor<32x64xf8E4M3FN, #b>, %c: tensor<64x64xf32, #c>) -> tensor<64x64xf32, #c> {
  %0 = tilegpu.dot %a, %b, %c : tensor<64x32xf8E4M3FN, #a>, tensor<32x64xf8E4M3FN, #b> -> tensor<64x64xf32, #c>
  return %0 : tensor<64x64xf32, #c>
}
}

// -----

// A right operand that is widened becomes the left one of the transposed product, each warp with rows of its own; with few
// rows also on a target with wgmma. Transpositions come before what widens, and two are none.
// CHECK-DAG: #[[$W:.*]] = #tilegpu.linear<{register = {{\[\[}}0, 1], [0, 2], [8, 0], [0, 16]], lane = {{\[\[}}0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0]]
#x = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}, [64, 32]>
#t = #tilegpu.linear<{register = [[1, 0], [2, 0], [4, 0], [0, 32]], lane = [[8, 0], [16, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]], block = []}, [32, 64]>
#a = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}, [32, 32]>
#c = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}, [32, 64]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// CHECK-LABEL: @few_rows
// CHECK-SAME: %[[A:.*]]: tensor<32x32xf16, {{.*}}>, %[[I:.*]]: tensor<64x32xi8
// CHECK: %[[T:.*]] = tile.permute %[[A]] {{.*}} -> tensor<32x32xf16
// CHECK: tilegpu.local_store %[[I]]
// CHECK: %[[L:.*]] = tilegpu.local_load %{{.*}} -> tensor<64x32xi8, #[[$W]]>
// CHECK: %[[F:.*]] = arith.sitofp %[[L]] : tensor<64x32xi8, #[[$W]]> to tensor<64x32xf16, #[[$W]]>
// CHECK: tilegpu.local_store %[[T]]
// CHECK: %[[P:.*]] = tilegpu.mma %[[F]]
// CHECK: tile.permute
func.func @few_rows(%a: tensor<32x32xf16, #a>, %w: tensor<64x32xi8, #x>, %c: tensor<32x64xf32, #c>) -> tensor<32x64xf32, #c> {
  %f = arith.sitofp %w : tensor<64x32xi8, #x> to tensor<64x32xf16, #x>
  %b = tile.permute %f {order = array<i32: 1, 0>} : tensor<64x32xf16, #x> -> tensor<32x64xf16, #t>
  %0 = tilegpu.dot %a, %b, %c : tensor<32x32xf16, #a>, tensor<32x64xf16, #t> -> tensor<32x64xf32, #c>
  return %0 : tensor<32x64xf32, #c>
}
}

// -----

// Two operands that are computed from the same bytes share the buffer; the arithmetic is done on the fragments.
#x = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [0, 0]], block = []}, [16, 32]>
#w = #tilegpu.linear<{register = [[1, 0], [2, 0], [4, 0], [0, 32]], lane = [[8, 0], [16, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]], block = []}, [32, 64]>
#c = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}, [16, 64]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// CHECK-LABEL: @nibbles
// CHECK: tilegpu.local_store %{{.*}} : tensor<64x32xi8
// CHECK: %[[L:.*]] = tilegpu.local_load %{{.*}} -> tensor<64x32xi8, #[[F:.*]]>
// CHECK: %[[C:.*]] = arith.constant dense<15> : tensor<64x32xi8, #[[F]]>
// CHECK: %[[A:.*]] = arith.andi %[[L]], %[[C]]
// CHECK: %[[N:.*]] = arith.uitofp %[[A]] : tensor<64x32xi8, #[[F]]> to tensor<64x32xf16, #[[F]]>
// CHECK: arith.subf %[[N]]
// CHECK: tilegpu.mma
// CHECK-NOT: tilegpu.local_store %{{.*}} : tensor<64x32xi8
// CHECK: arith.shrui %[[L]]
// CHECK: tilegpu.mma
func.func @nibbles(%a: tensor<16x32xf16, #x>, %b: tensor<16x32xf16, #x>, %w: tensor<32x64xi8, #w>, %c: tensor<16x64xf32, #c>) -> tensor<16x64xf32, #c> {
  %c15 = arith.constant dense<15> : tensor<32x64xi8, #w>
  %c4 = arith.constant dense<4> : tensor<32x64xi8, #w>
  %c8 = arith.constant dense<8.0> : tensor<32x64xf16, #w>
  %0 = arith.andi %w, %c15 : tensor<32x64xi8, #w>
  %1 = arith.uitofp %0 : tensor<32x64xi8, #w> to tensor<32x64xf16, #w>
  %2 = arith.subf %1, %c8 : tensor<32x64xf16, #w>
  %3 = arith.shrui %w, %c4 : tensor<32x64xi8, #w>
  %4 = arith.uitofp %3 : tensor<32x64xi8, #w> to tensor<32x64xf16, #w>
  %5 = arith.subf %4, %c8 : tensor<32x64xf16, #w>
  %6 = tilegpu.dot %a, %2, %c : tensor<16x32xf16, #x>, tensor<32x64xf16, #w> -> tensor<16x64xf32, #c>
  %7 = tilegpu.dot %b, %5, %6 : tensor<16x32xf16, #x>, tensor<32x64xf16, #w> -> tensor<16x64xf32, #c>
  return %7 : tensor<16x64xf32, #c>
}
}

// -----

// What is widened is stored in the shape in which it is loaded, also for batches, whose operands are taken from each other
// like those of matrices.
#a = #tilegpu.linear<{register = [[0, 0, 1], [0, 0, 2]], lane = [[0, 0, 4], [0, 0, 8], [0, 1, 0], [0, 2, 0], [0, 4, 0]], warp = [[0, 8, 0], [1, 0, 0]], block = []}, [2, 16, 16]>
#w = #tilegpu.linear<{register = [[1, 0], [2, 0], [4, 0]], lane = [[8, 0], [16, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]], block = []}, [32, 32]>
#w3 = #tilegpu.linear<{register = [[0, 1, 0], [0, 2, 0], [0, 4, 0]], lane = [[0, 8, 0], [1, 0, 0], [0, 0, 1], [0, 0, 2], [0, 0, 4]], warp = [[0, 0, 8], [0, 0, 16]], block = []}, [2, 16, 32]>
#c = #tilegpu.linear<{register = [[0, 0, 1], [0, 0, 2], [0, 0, 4]], lane = [[0, 0, 8], [0, 0, 16], [0, 1, 0], [0, 2, 0], [0, 4, 0]], warp = [[0, 8, 0], [1, 0, 0]], block = []}, [2, 16, 32]>
// Warps have a batch each, and half of the columns.
// CHECK-DAG: #[[READ:.*]] = #tilegpu.linear<{register = {{\[\[}}1, 0], [2, 0], [0, 8]], lane = {{\[\[}}4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = {{\[\[}}0, 16], [16, 0]], block = []}, [32, 32]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// CHECK-LABEL: func @shaped
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<32x32xi8
// CHECK: %[[BUF:.*]] = tilegpu.local_alloc : <[32, 32], i8
// CHECK-NEXT: tilegpu.local_store %[[W]], %[[BUF]]
// CHECK-NEXT: %[[BYTES:.*]] = tilegpu.local_load %[[BUF]] : {{.*}} -> tensor<32x32xi8, #[[READ]]>
// CHECK-NEXT: %[[BATCHES:.*]] = tile.reshape %[[BYTES]]
// CHECK-NEXT: %[[ROWS:.*]] = tile.permute %[[BATCHES]] {order = array<i32: 0, 2, 1>}
// CHECK-NEXT: %[[WIDE:.*]] = arith.uitofp %[[ROWS]]
// CHECK: %[[WEIGHTS:.*]] = arith.subf %[[WIDE]]
// CHECK: tilegpu.mma %[[WEIGHTS]], {{.*}} -> tensor<2x32x16xf32
func.func @shaped(%a: tensor<2x16x16xbf16, #a>, %w: tensor<32x32xi8, #w>, %c: tensor<2x16x32xf32, #c>) -> tensor<2x16x32xf32, #c> {
  %c8 = arith.constant dense<8.0> : tensor<2x16x32xbf16, #w3>
  %0 = tile.reshape %w : tensor<32x32xi8, #w> -> tensor<2x16x32xi8, #w3>
  %1 = arith.uitofp %0 : tensor<2x16x32xi8, #w3> to tensor<2x16x32xbf16, #w3>
  %2 = arith.subf %1, %c8 : tensor<2x16x32xbf16, #w3>
  %3 = tilegpu.dot %a, %2, %c : tensor<2x16x16xbf16, #a>, tensor<2x16x32xbf16, #w3> -> tensor<2x16x32xf32, #c>
  return %3 : tensor<2x16x32xf32, #c>
}
}

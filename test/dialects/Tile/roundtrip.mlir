// RUN: tile-opt %s --verify-roundtrip | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: @pointer_types
// CHECK-SAME: !tile.ptr<f32>
// CHECK-SAME: tensor<8x!tile.ptr<bf16>>
// CHECK-SAME: !tile.ptr<!tile.ptr<i8>>
// CHECK-SAME: !tile.ptr<i1>
// CHECK-SAME: !tile.ptr<f8E5M2>
// CHECK-SAME: !tile.ptr<f32>
func.func @pointer_types(%a: !tile.ptr<f32>, %b: tensor<8x!tile.ptr<bf16>>, %c: !tile.ptr<!tile.ptr<i8>>,
                         %d: !tile.ptr<i1>, %e: !tile.ptr<f8E5M2>, %f: !tile.ptr<f32, 1>) {
  return
}

// CHECK-LABEL: @kernel_attributes
// CHECK-SAME: tile.divisibility = 16 : i32
// CHECK-SAME: tile.name = "x"
// CHECK-SAME: tile.type = "*fp32"
// CHECK-SAME: attributes {tile.kernel}
func.func @kernel_attributes(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "x", tile.type = "*fp32"})
    attributes {tile.kernel} {
  return
}

// CHECK-LABEL: @program
func.func @program(%c: i1, %m: tensor<8xi1>, %x: tensor<8xf32>, %n: i32) -> (i32, i32) {
  // CHECK: tile.program_id 0 : i32
  %0 = tile.program_id 0 : i32
  // CHECK: tile.num_programs 2 : i32
  %1 = tile.num_programs 2 : i32
  // CHECK: tile.assume %{{.*}} : i1
  tile.assume %c : i1
  // CHECK: tile.assert %{{.*}}, "n fits" : tensor<8xi1>
  tile.assert %m, "n fits" : tensor<8xi1>
  // CHECK: tile.assert %{{.*}}, "flag" : i1
  tile.assert %c, "flag" : i1
  // CHECK: tile.print "x = " %{{.*}}, %{{.*}} : tensor<8xf32>, i32
  tile.print "x = " %x, %n : tensor<8xf32>, i32
  // CHECK: tile.print "n" hex {is_signed = array<i1: false>} %{{.*}} : i32
  tile.print "n" hex {is_signed = array<i1: false>} %n : i32
  // CHECK: tile.print "here"
  tile.print "here"
  // CHECK: tile.barrier
  tile.barrier
  return %0, %1 : i32, i32
}

// CHECK-LABEL: @shapes
func.func @shapes(%s: f32, %p: !tile.ptr<i8>) -> (tensor<16x32xf32>, tensor<4x!tile.ptr<i8>>) {
  // CHECK: tile.make_range {end = 16 : i32, start = -16 : i32} : tensor<32xi32>
  %0 = tile.make_range {start = -16 : i32, end = 16 : i32} : tensor<32xi32>
  // CHECK: tile.splat %{{.*}} : f32 -> tensor<16xf32>
  %1 = tile.splat %s : f32 -> tensor<16xf32>
  // CHECK: tile.expand_dims %{{.*}} {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
  %2 = tile.expand_dims %1 {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
  // CHECK: tile.broadcast %{{.*}} : tensor<16x1xf32> -> tensor<16x32xf32>
  %3 = tile.broadcast %2 : tensor<16x1xf32> -> tensor<16x32xf32>
  // CHECK: tile.permute %{{.*}} {order = array<i32: 1, 0>} : tensor<16x32xf32> -> tensor<32x16xf32>
  %4 = tile.permute %3 {order = array<i32: 1, 0>} : tensor<16x32xf32> -> tensor<32x16xf32>
  // CHECK: tile.narrow %{{.*}} : tensor<32x16xf32> -> tensor<32x12xf32>
  %narrow = tile.narrow %4 : tensor<32x16xf32> -> tensor<32x12xf32>
  // CHECK: tile.reshape %{{.*}} : tensor<32x16xf32> -> tensor<512xf32>
  %5 = tile.reshape %4 : tensor<32x16xf32> -> tensor<512xf32>
  // CHECK: tile.reshape %{{.*}} allow_reorder : tensor<512xf32> -> tensor<16x32xf32>
  %6 = tile.reshape %5 allow_reorder : tensor<512xf32> -> tensor<16x32xf32>
  // CHECK: tile.splat %{{.*}} : !tile.ptr<i8> -> tensor<4x!tile.ptr<i8>>
  %7 = tile.splat %p : !tile.ptr<i8> -> tensor<4x!tile.ptr<i8>>
  return %6, %7 : tensor<16x32xf32>, tensor<4x!tile.ptr<i8>>
}

// CHECK-LABEL: @elementwise
func.func @elementwise(%p: tensor<8x!tile.ptr<f32>>, %o: tensor<8xi32>, %x: tensor<8xf32>, %u: i64) {
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %0 = tile.addptr %p, %o : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  // CHECK: tile.ptr_to_int %{{.*}} : tensor<8x!tile.ptr<f32>> -> tensor<8xi64>
  %1 = tile.ptr_to_int %0 : tensor<8x!tile.ptr<f32>> -> tensor<8xi64>
  // CHECK: tile.int_to_ptr %{{.*}} : tensor<8xi64> -> tensor<8x!tile.ptr<f16>>
  %2 = tile.int_to_ptr %1 : tensor<8xi64> -> tensor<8x!tile.ptr<f16>>
  // CHECK: tile.ptr_cast %{{.*}} : tensor<8x!tile.ptr<f16>> -> tensor<8x!tile.ptr<i8>>
  %3 = tile.ptr_cast %2 : tensor<8x!tile.ptr<f16>> -> tensor<8x!tile.ptr<i8>>
  // CHECK: tile.fp_to_fp %{{.*}} : tensor<8xf32> -> tensor<8xf8E4M3FN>
  %4 = tile.fp_to_fp %x : tensor<8xf32> -> tensor<8xf8E4M3FN>
  // CHECK: tile.fp_to_fp %{{.*}} rounding rtz : tensor<8xf32> -> tensor<8xf16>
  %5 = tile.fp_to_fp %x rounding rtz : tensor<8xf32> -> tensor<8xf16>
  // CHECK: tile.precise_divf %{{.*}}, %{{.*}} : tensor<8xf32>
  %6 = tile.precise_divf %x, %x : tensor<8xf32>
  // CHECK: tile.precise_sqrt %{{.*}} : tensor<8xf32>
  %7 = tile.precise_sqrt %6 : tensor<8xf32>
  // CHECK: tile.reciprocal %{{.*}} : tensor<8xf32>
  %inverse = tile.reciprocal %x : tensor<8xf32>
  // CHECK: tile.umulhi %{{.*}}, %{{.*}} : i64
  %8 = tile.umulhi %u, %u : i64
  // CHECK: tile.bit_reverse %{{.*}} : i64
  %bits = tile.bit_reverse %u : i64
  return
}

// CHECK-LABEL: @load_forms
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<8x!tile.ptr<f32>>, %[[M:[a-z0-9]+]]: tensor<8xi1>, %[[O:[a-z0-9]+]]: tensor<8xf32>, %[[S:[a-z0-9]+]]: !tile.ptr<!tile.ptr<i32>>
func.func @load_forms(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %o: tensor<8xf32>,
                      %s: !tile.ptr<!tile.ptr<i32>>) -> (tensor<8xf32>, i32) {
  // CHECK: tile.load %[[P]] : tensor<8x!tile.ptr<f32>>
  %0 = tile.load %p : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.load %[[P]], %[[M]] : tensor<8x!tile.ptr<f32>>
  %1 = tile.load %p, %m : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.load %[[P]], %[[M]], %[[O]] cache = cg evict = evict_first volatile {hint = 1 : i32} : tensor<8x!tile.ptr<f32>>
  %2 = tile.load %p, %m, %o cache = cg evict = evict_first volatile {hint = 1 : i32} : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.load %[[P]] evict = evict_last : tensor<8x!tile.ptr<f32>>
  %3 = tile.load %p cache = none evict = evict_last : tensor<8x!tile.ptr<f32>>
  // CHECK: %[[Q:.*]] = tile.load %[[S]] : !tile.ptr<!tile.ptr<i32>>
  %4 = tile.load %s : !tile.ptr<!tile.ptr<i32>>
  // CHECK: tile.load %[[Q]] : !tile.ptr<i32>
  %5 = tile.load %4 : !tile.ptr<i32>
  return %2, %5 : tensor<8xf32>, i32
}

// CHECK-LABEL: @store_forms
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<8x!tile.ptr<f32>>, %[[V:[a-z0-9]+]]: tensor<8xf32>, %[[M:[a-z0-9]+]]: tensor<8xi1>
func.func @store_forms(%p: tensor<8x!tile.ptr<f32>>, %v: tensor<8xf32>, %m: tensor<8xi1>, %s: !tile.ptr<i1>, %b: i1) {
  // CHECK: tile.store %[[P]], %[[V]] : tensor<8x!tile.ptr<f32>>
  tile.store %p, %v : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.store %[[P]], %[[V]], %[[M]] cache = wb evict = evict_last {hint} : tensor<8x!tile.ptr<f32>>
  tile.store %p, %v, %m cache = wb evict = evict_last {hint} : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.store %{{.*}}, %{{.*}}, %{{.*}} : !tile.ptr<i1>
  tile.store %s, %b, %b : !tile.ptr<i1>
  return
}

// The encoding of the pointer tensor carries over to mask, other and result. Any attribute will do here.
// CHECK-LABEL: @load_encoded
// CHECK-SAME: -> tensor<8xf32, "layout">
func.func @load_encoded(%p: tensor<8x!tile.ptr<f32>, "layout">, %m: tensor<8xi1, "layout">,
                        %o: tensor<8xf32, "layout">) -> tensor<8xf32, "layout"> {
  // CHECK: tile.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<f32>, "layout">
  %0 = tile.load %p, %m, %o : tensor<8x!tile.ptr<f32>, "layout">
  return %0 : tensor<8xf32, "layout">
}

// CHECK-LABEL: @reduce_to_scalar
func.func @reduce_to_scalar(%x: tensor<128xf32>) -> f32 {
  // CHECK: tile.reduce(%{{.*}}) axis = 0 : (tensor<128xf32>) -> f32 {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[B]] : f32
  // CHECK-NEXT: tile.yield %[[S]] : f32
  %0 = tile.reduce(%x) axis = 0 : (tensor<128xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  return %0 : f32
}

// CHECK-LABEL: @reduce_pairs_encoded
func.func @reduce_pairs_encoded(%x: tensor<4x8xf32, "in">, %i: tensor<4x8xi32, "in">)
    -> (tensor<4xf32, "out">, tensor<4xi32, "out">) {
  // CHECK: tile.reduce(%{{.*}}, %{{.*}}) axis = 1 {tag} : (tensor<4x8xf32, "in">, tensor<4x8xi32, "in">) -> (tensor<4xf32, "out">, tensor<4xi32, "out">) {
  %0:2 = tile.reduce(%x, %i) axis = 1 {tag} : (tensor<4x8xf32, "in">, tensor<4x8xi32, "in">)
      -> (tensor<4xf32, "out">, tensor<4xi32, "out">) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %c = arith.cmpf ogt, %a, %b : f32
    %v = arith.select %c, %a, %b : f32
    %k = arith.select %c, %ai, %bi : i32
    // CHECK: tile.yield %{{.*}}, %{{.*}} : f32, i32
    tile.yield %v, %k : f32, i32
  }
  return %0#0, %0#1 : tensor<4xf32, "out">, tensor<4xi32, "out">
}

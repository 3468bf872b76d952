// RUN: tile-opt %s -split-input-file --tile-widen-dots | FileCheck %s
// RUN: tile-opt %s -split-input-file --tile-widen-dots --tile-split-tensors --tile-take-tensor-maps --tile-lower-descriptors --tile-pad-tensors | FileCheck %s --check-prefix=LOWER

module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
// 208 columns of a tile of 256: the block of B and the accumulator are as wide, what is stored is not.
// CHECK-LABEL: func @carried
// CHECK: %[[DESC:.*]] = tile.make_tensor_descriptor {{.*}} : {{.*}}<[64, 256], f16, used = [64, 208]>
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<64x256xf32>)
// CHECK: %[[B:.*]] = tile.descriptor_load %[[DESC]]{{.*}} -> tensor<64x256xf16>
// CHECK: tile.dot %{{.*}}, %[[B]], %[[ACC]] {tile.columns = 208 : i32} : tensor<64x64xf16>, tensor<64x256xf16> -> tensor<64x256xf32>
// CHECK: tile.narrow %[[SUM]] : tensor<64x256xf32> -> tensor<64x208xf32>

// Three pieces of the result are stored, whose registers are those of the instruction.
// LOWER-LABEL: func @carried
// LOWER: scf.for
// LOWER-COUNT-1: tile.dot
// LOWER-NOT: tile.narrow
// LOWER: tile.reshape %{{.*}} : tensor<64x256xf32> -> tensor<64x2x128xf32>
// LOWER: tile.reshape %{{.*}} : tensor<64x256xf32> -> tensor<64x4x64xf32>
// LOWER: tile.reshape %{{.*}} : tensor<64x256xf32> -> tensor<64x16x16xf32>
// LOWER: tile.descriptor_store %{{.*}} : <[64, 128], f32>
// LOWER: tile.descriptor_store %{{.*}} : <[64, 64], f32>
// LOWER: tile.descriptor_store %{{.*}} : <[64, 16], f32>
func.func @carried(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i32, %n: i32, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %kk = arith.extsi %k : i32 to i64
  %nn = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x208xf32>
  %a = tile.make_tensor_descriptor %pa, shape [%m, %k], strides [%kk] : !tile.ptr<f16> -> !tile.desc<[64, 64], f16>
  %b = tile.make_tensor_descriptor %pb, shape [%k, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[64, 208], f16>
  %c = tile.make_tensor_descriptor %pc, shape [%m, %n], strides [%nn] : !tile.ptr<f32> -> !tile.desc<[64, 208], f32>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x208xf32>) : i32 {
    %x = tile.descriptor_load %a[%c0, %i] : !tile.desc<[64, 64], f16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %b[%i, %c0] : !tile.desc<[64, 208], f16> -> tensor<64x208xf16>
    %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x208xf16> -> tensor<64x208xf32>
    scf.yield %d : tensor<64x208xf32>
  }
  tile.descriptor_store %c[%c0, %c0], %sum : !tile.desc<[64, 208], f32>, tensor<64x208xf32>
  return
}

// Transposed, by itself; the result goes on.
// CHECK-LABEL: func @alone
// CHECK: tile.make_tensor_descriptor {{.*}}<[128, 64], f16, used = [96, 64]>
// CHECK: %[[T:.*]] = tile.permute %{{.*}} : tensor<128x64xf16> -> tensor<64x128xf16>
// CHECK: %[[D:.*]] = tile.dot %{{.*}}, %[[T]], %{{.*}} {tile.columns = 96 : i32}
// CHECK: %[[N:.*]] = tile.narrow %[[D]] : tensor<64x128xf32> -> tensor<64x96xf32>
// CHECK: arith.addf %[[N]], %[[N]]
func.func @alone(%x: tensor<64x64xf16>, %pb: !tile.ptr<f16>, %n: i32) -> tensor<64x96xf32> {
  %c0 = arith.constant 0 : i32
  %nn = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x96xf32>
  %b = tile.make_tensor_descriptor %pb, shape [%n, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[96, 64], f16>
  %y = tile.descriptor_load %b[%c0, %c0] : !tile.desc<[96, 64], f16> -> tensor<96x64xf16>
  %t = tile.permute %y {order = array<i32: 1, 0>} : tensor<96x64xf16> -> tensor<64x96xf16>
  %d = tile.dot %x, %t, %zero : tensor<64x64xf16>, tensor<64x96xf16> -> tensor<64x96xf32>
  %s = arith.addf %d, %d : tensor<64x96xf32>
  return %s : tensor<64x96xf32>
}

// 288 columns of a tile of 512 are two instructions of 144, 264 would be of 132 and stay. With K along the columns of B none
// are: a second instruction's columns would begin between those that lie together.
// CHECK-LABEL: func @two
// CHECK: tile.dot {{.*}} {tile.columns = 288 : i32} : tensor<64x64xf16>, tensor<64x512xf16> -> tensor<64x512xf32>
// CHECK: tile.dot {{.*}} : tensor<64x64xf16>, tensor<64x264xf16> -> tensor<64x264xf32>
// CHECK: tile.dot {{.*}} : tensor<64x64xf16>, tensor<64x288xf16> -> tensor<64x288xf32>
func.func @two(%x: tensor<64x64xf16>, %pb: !tile.ptr<f16>, %n: i32) -> (tensor<64x288xf32>, tensor<64x264xf32>, tensor<64x288xf32>) {
  %c0 = arith.constant 0 : i32
  %nn = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x288xf32>
  %zero264 = arith.constant dense<0.0> : tensor<64x264xf32>
  %b = tile.make_tensor_descriptor %pb, shape [%n, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[288, 64], f16>
  %y = tile.descriptor_load %b[%c0, %c0] : !tile.desc<[288, 64], f16> -> tensor<288x64xf16>
  %t = tile.permute %y {order = array<i32: 1, 0>} : tensor<288x64xf16> -> tensor<64x288xf16>
  %d = tile.dot %x, %t, %zero : tensor<64x64xf16>, tensor<64x288xf16> -> tensor<64x288xf32>
  %b264 = tile.make_tensor_descriptor %pb, shape [%n, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[264, 64], f16>
  %y264 = tile.descriptor_load %b264[%c0, %c0] : !tile.desc<[264, 64], f16> -> tensor<264x64xf16>
  %t264 = tile.permute %y264 {order = array<i32: 1, 0>} : tensor<264x64xf16> -> tensor<64x264xf16>
  %d264 = tile.dot %x, %t264, %zero264 : tensor<64x64xf16>, tensor<64x264xf16> -> tensor<64x264xf32>
  %bn = tile.make_tensor_descriptor %pb, shape [%n, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[64, 288], f16>
  %yn = tile.descriptor_load %bn[%c0, %c0] : !tile.desc<[64, 288], f16> -> tensor<64x288xf16>
  %dn = tile.dot %x, %yn, %zero : tensor<64x64xf16>, tensor<64x288xf16> -> tensor<64x288xf32>
  return %d, %d264, %dn : tensor<64x288xf32>, tensor<64x264xf32>, tensor<64x288xf32>
}

// 192 rows are pieces of 128 and 64, each of them with all columns.
// CHECK-LABEL: func @rows
// CHECK: tile.dot {{.*}} {tile.columns = 208 : i32} : tensor<192x64xf16>, tensor<64x256xf16> -> tensor<192x256xf32>
// CHECK: tile.narrow {{.*}} : tensor<192x256xf32> -> tensor<192x208xf32>
// LOWER-LABEL: func @rows
// LOWER-DAG: tile.dot {{.*}} {tile.columns = 208 : i32} : tensor<128x64xf16>, tensor<64x256xf16> -> tensor<128x256xf32>
// LOWER-DAG: tile.dot {{.*}} {tile.columns = 208 : i32} : tensor<64x64xf16>, tensor<64x256xf16> -> tensor<64x256xf32>
// LOWER: return
func.func @rows(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %nn = arith.extsi %n : i32 to i64
  %a = tile.make_tensor_descriptor %pa, shape [%n, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[192, 64], f16>
  %x = tile.descriptor_load %a[%c0, %c0] : !tile.desc<[192, 64], f16> -> tensor<192x64xf16>
  %zero = arith.constant dense<0.0> : tensor<192x208xf32>
  %b = tile.make_tensor_descriptor %pb, shape [%n, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[64, 208], f16>
  %c = tile.make_tensor_descriptor %pc, shape [%n, %n], strides [%nn] : !tile.ptr<f32> -> !tile.desc<[192, 208], f32>
  %y = tile.descriptor_load %b[%c0, %c0] : !tile.desc<[64, 208], f16> -> tensor<64x208xf16>
  %d = tile.dot %x, %y, %zero : tensor<192x64xf16>, tensor<64x208xf16> -> tensor<192x208xf32>
  tile.descriptor_store %c[%c0, %c0], %d : !tile.desc<[192, 208], f32>, tensor<192x208xf32>
  return
}

// Rows of B of 8 bits are read through registers, for the transposed dot; the block is used by others, too; 100 columns
// are no instruction.
// CHECK-LABEL: func @kept
// CHECK-NOT: tile.columns
// CHECK: return
func.func @kept(%x8: tensor<64x64xf8E4M3FN>, %x: tensor<64x64xf16>, %p8: !tile.ptr<f8E4M3FN>, %p: !tile.ptr<f16>, %n: i32) -> (tensor<64x96xf32>, tensor<64x96xf32>, tensor<64x96xf16>, tensor<64x100xf32>) {
  %c0 = arith.constant 0 : i32
  %nn = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x96xf32>
  %zero100 = arith.constant dense<0.0> : tensor<64x100xf32>
  %b8 = tile.make_tensor_descriptor %p8, shape [%n, %n], strides [%nn] : !tile.ptr<f8E4M3FN> -> !tile.desc<[64, 96], f8E4M3FN>
  %y8 = tile.descriptor_load %b8[%c0, %c0] : !tile.desc<[64, 96], f8E4M3FN> -> tensor<64x96xf8E4M3FN>
  %d8 = tile.dot %x8, %y8, %zero : tensor<64x64xf8E4M3FN>, tensor<64x96xf8E4M3FN> -> tensor<64x96xf32>
  %b = tile.make_tensor_descriptor %p, shape [%n, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[64, 96], f16>
  %y = tile.descriptor_load %b[%c0, %c0] : !tile.desc<[64, 96], f16> -> tensor<64x96xf16>
  %d = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x96xf16> -> tensor<64x96xf32>
  %s = arith.addf %y, %y : tensor<64x96xf16>
  %b100 = tile.make_tensor_descriptor %p, shape [%n, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[64, 100], f16>
  %y100 = tile.descriptor_load %b100[%c0, %c0] : !tile.desc<[64, 100], f16> -> tensor<64x100xf16>
  %d100 = tile.dot %x, %y100, %zero100 : tensor<64x64xf16>, tensor<64x100xf16> -> tensor<64x100xf32>
  return %d8, %d, %s, %d100 : tensor<64x96xf32>, tensor<64x96xf32>, tensor<64x96xf16>, tensor<64x100xf32>
}
}

// -----

// Two warpgroups for 64 rows have every other 8 columns each, which the instruction reads where K lies along the rows of B.
// CHECK-LABEL: func @beside
// CHECK-NOT: tile.columns
// CHECK: return
// CHECK-LABEL: func @inTurn
// CHECK: tile.dot {{.*}} {tile.columns = 208 : i32} : tensor<64x64xf16>, tensor<64x256xf16> -> tensor<64x256xf32>
// 104 columns are no two times 8 k.
// CHECK: tile.dot {{.*}} : tensor<64x64xf16>, tensor<64x104xf16> -> tensor<64x104xf32>
module attributes {tile.num_warps = 8 : i32, tile.target = "sm_90a"} {
func.func @beside(%x: tensor<64x64xf16>, %pb: !tile.ptr<f16>, %n: i32) -> tensor<64x208xf32> {
  %c0 = arith.constant 0 : i32
  %nn = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x208xf32>
  %b = tile.make_tensor_descriptor %pb, shape [%n, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[64, 208], f16>
  %y = tile.descriptor_load %b[%c0, %c0] : !tile.desc<[64, 208], f16> -> tensor<64x208xf16>
  %d = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x208xf16> -> tensor<64x208xf32>
  return %d : tensor<64x208xf32>
}
func.func @inTurn(%x: tensor<64x64xf16>, %pb: !tile.ptr<f16>, %n: i32) -> (tensor<64x208xf32>, tensor<64x104xf32>) {
  %c0 = arith.constant 0 : i32
  %nn = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x208xf32>
  %b = tile.make_tensor_descriptor %pb, shape [%n, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[208, 64], f16>
  %y = tile.descriptor_load %b[%c0, %c0] : !tile.desc<[208, 64], f16> -> tensor<208x64xf16>
  %t = tile.permute %y {order = array<i32: 1, 0>} : tensor<208x64xf16> -> tensor<64x208xf16>
  %d = tile.dot %x, %t, %zero : tensor<64x64xf16>, tensor<64x208xf16> -> tensor<64x208xf32>
  %zero104 = arith.constant dense<0.0> : tensor<64x104xf32>
  %b104 = tile.make_tensor_descriptor %pb, shape [%n, %n], strides [%nn] : !tile.ptr<f16> -> !tile.desc<[104, 64], f16>
  %y104 = tile.descriptor_load %b104[%c0, %c0] : !tile.desc<[104, 64], f16> -> tensor<104x64xf16>
  %t104 = tile.permute %y104 {order = array<i32: 1, 0>} : tensor<104x64xf16> -> tensor<64x104xf16>
  %d104 = tile.dot %x, %t104, %zero104 : tensor<64x64xf16>, tensor<64x104xf16> -> tensor<64x104xf32>
  return %d, %d104 : tensor<64x208xf32>, tensor<64x104xf32>
}
}

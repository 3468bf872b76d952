// RUN: tile-opt %s --convert-tilegpu-to-threads --split-input-file | FileCheck %s

// 8-bit integers become floats by moving bytes and subtracting, in words of four bytes.

#four = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []}, [128]>
#one = #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = []}, [32]>

module attributes {tilegpu.num_warps = 1 : i32, tile.target = "sm_90a"} {
// CHECK-LABEL: func @to_f16
// CHECK: %[[FLIP:.*]] = llvm.mlir.constant(dense<-128> : vector<4xi8>)
// CHECK: %[[U:.*]] = llvm.xor %{{.*}}, %[[FLIP]] : vector<4xi8>
// CHECK: %[[B:.*]] = llvm.mlir.constant(dense<100> : vector<4xi8>)
// CHECK: %[[N:.*]] = llvm.shufflevector %[[U]], %[[B]] [0, 4, 1, 4] : vector<4xi8>
// CHECK: %[[F:.*]] = llvm.bitcast %[[N]] : vector<4xi8> to vector<2xf16>
// CHECK: %[[C:.*]] = llvm.mlir.constant(dense<1.152000e+03> : vector<2xf16>)
// CHECK: llvm.fsub %[[F]], %[[C]]
// CHECK: llvm.shufflevector %[[U]], %{{.*}} [2, 4, 3, 4] : vector<4xi8>
// CHECK-NOT: sitofp
func.func @to_f16(%p: tensor<128x!tile.ptr<f16>, #four>, %x: tensor<128xi8, #four>) {
  %0 = arith.sitofp %x : tensor<128xi8, #four> to tensor<128xf16, #four>
  tile.store %p, %0 : tensor<128x!tile.ptr<f16>, #four>
  func.return
}

// CHECK-LABEL: func @to_bf16
// CHECK: llvm.mlir.constant(dense<67> : vector<4xi8>)
// CHECK: llvm.mlir.constant(dense<-129> : vector<2xi16>)
// CHECK: llvm.mlir.constant(dense<-128> : vector<2xi16>)
// CHECK: llvm.fsub %{{.*}} : vector<2xbf16>
// CHECK-NOT: llvm.mlir.constant(dense<2.560000e+02>
// CHECK: return
func.func @to_bf16(%p: tensor<128x!tile.ptr<bf16>, #four>, %x: tensor<128xi8, #four>) {
  %0 = arith.sitofp %x : tensor<128xi8, #four> to tensor<128xbf16, #four>
  tile.store %p, %0 : tensor<128x!tile.ptr<bf16>, #four>
  func.return
}

// CHECK-LABEL: func @unsigned
// CHECK-NOT: llvm.xor
// CHECK: llvm.shufflevector %{{.*}} [0, 5, 6, 7] : vector<4xi8>
// CHECK: %[[C:.*]] = llvm.mlir.constant(dense<0x4B000000> : vector<1xf32>)
// CHECK: llvm.fsub %{{.*}}, %[[C]]
// CHECK-NOT: uitofp
func.func @unsigned(%p: tensor<128x!tile.ptr<f32>, #four>, %x: tensor<128xi8, #four>) {
  %0 = arith.uitofp %x : tensor<128xi8, #four> to tensor<128xf32, #four>
  tile.store %p, %0 : tensor<128x!tile.ptr<f32>, #four>
  func.return
}

// A single byte has no neighbours to share the work with.
// CHECK-LABEL: func @single
// CHECK: arith.sitofp
func.func @single(%p: tensor<32x!tile.ptr<f16>, #one>, %x: tensor<32xi8, #one>) {
  %0 = arith.sitofp %x : tensor<32xi8, #one> to tensor<32xf16, #one>
  tile.store %p, %0 : tensor<32x!tile.ptr<f16>, #one>
  func.return
}
}

// -----

// Masks and shifts of bytes, four at a time.

#four = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []}, [128]>

module attributes {tilegpu.num_warps = 1 : i32, tile.target = "sm_90a"} {
// CHECK-LABEL: func @nibbles
// CHECK: %[[M:.*]] = arith.constant 252645135 : i32
// CHECK: llvm.and %{{.*}}, %[[M]] : i32
// CHECK: %[[S:.*]] = llvm.lshr
// CHECK: %[[N:.*]] = arith.constant 252645135 : i32
// CHECK: llvm.and %[[S]], %[[N]] : i32
// CHECK-NOT: arith.andi
// CHECK-NOT: arith.shrui
func.func @nibbles(%p: tensor<128x!tile.ptr<i8>, #four>, %x: tensor<128xi8, #four>) {
  %c15 = arith.constant dense<15> : tensor<128xi8, #four>
  %c4 = arith.constant dense<4> : tensor<128xi8, #four>
  %0 = arith.andi %x, %c15 : tensor<128xi8, #four>
  tile.store %p, %0 : tensor<128x!tile.ptr<i8>, #four>
  %1 = arith.shrui %x, %c4 : tensor<128xi8, #four>
  tile.store %p, %1 : tensor<128x!tile.ptr<i8>, #four>
  func.return
}
}

// -----

// A zero point is taken off by the conversion's own subtraction: 128 + v - 136, 1024 + v - 1016. Where the byte may be 128 or more
// bf16 needs two numbers, and what is no number of the type stays.

#four = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []}, [128]>

module attributes {tilegpu.num_warps = 1 : i32, tile.target = "sm_90a"} {
// CHECK-LABEL: func @zero_point
// CHECK: %[[C:.*]] = llvm.mlir.constant(dense<1.360000e+02> : vector<2xbf16>)
// CHECK: llvm.fsub %{{.*}}, %[[C]]
// CHECK-NOT: arith.subf
// CHECK: %[[D:.*]] = llvm.mlir.constant(dense<1.016000e+03> : vector<2xf16>)
// CHECK: llvm.fsub %{{.*}}, %[[D]]
// CHECK-NOT: arith.addf
// CHECK: return
func.func @zero_point(%p: tensor<128x!tile.ptr<bf16>, #four>, %q: tensor<128x!tile.ptr<f16>, #four>, %x: tensor<128xi8, #four>) {
  %c15 = arith.constant dense<15> : tensor<128xi8, #four>
  %c8 = arith.constant dense<8.0> : tensor<128xbf16, #four>
  %h8 = arith.constant dense<8.0> : tensor<128xf16, #four>
  %low = arith.andi %x, %c15 : tensor<128xi8, #four>
  %0 = arith.uitofp %low : tensor<128xi8, #four> to tensor<128xbf16, #four>
  %1 = arith.subf %0, %c8 : tensor<128xbf16, #four>
  tile.store %p, %1 : tensor<128x!tile.ptr<bf16>, #four>
  %2 = arith.uitofp %x : tensor<128xi8, #four> to tensor<128xf16, #four>
  %3 = arith.addf %2, %h8 : tensor<128xf16, #four>
  tile.store %q, %3 : tensor<128x!tile.ptr<f16>, #four>
  return
}

// CHECK-LABEL: func @apart
// CHECK: arith.subf
// CHECK: arith.subf
// CHECK: arith.subf
func.func @apart(%p: tensor<128x!tile.ptr<bf16>, #four>, %x: tensor<128xi8, #four>) {
  %c15 = arith.constant dense<15> : tensor<128xi8, #four>
  %c8 = arith.constant dense<8.0> : tensor<128xbf16, #four>
  %c1 = arith.constant dense<0.1> : tensor<128xbf16, #four>
  %low = arith.andi %x, %c15 : tensor<128xi8, #four>
  // All 8 bits.
  %0 = arith.uitofp %x : tensor<128xi8, #four> to tensor<128xbf16, #four>
  %1 = arith.subf %0, %c8 : tensor<128xbf16, #four>
  tile.store %p, %1 : tensor<128x!tile.ptr<bf16>, #four>
  // 128.1 is no number of the type.
  %2 = arith.uitofp %low : tensor<128xi8, #four> to tensor<128xbf16, #four>
  %3 = arith.subf %2, %c1 : tensor<128xbf16, #four>
  tile.store %p, %3 : tensor<128x!tile.ptr<bf16>, #four>
  // The converted number is needed, too.
  %4 = arith.uitofp %low : tensor<128xi8, #four> to tensor<128xbf16, #four>
  %5 = arith.subf %4, %c8 : tensor<128xbf16, #four>
  tile.store %p, %5 : tensor<128x!tile.ptr<bf16>, #four>
  tile.store %p, %4 : tensor<128x!tile.ptr<bf16>, #four>
  return
}
}

// RUN: tile-opt %s --tilegpu-pack-loop-values | FileCheck %s

// Halves that are only packed in the loop are carried as the word; so they arrive in the loop behind.
// CHECK-LABEL: func @pairs
func.func @pairs(%lower: index, %upper: index, %step: index, %a: bf16, %b: bf16, %out: !llvm.ptr<3>) {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  // CHECK: %[[V0:.*]] = llvm.insertelement %{{.*}}, %{{.*}} : vector<2xbf16>
  // CHECK: %[[V1:.*]] = llvm.insertelement %{{.*}}, %[[V0]]
  // CHECK: %[[INIT:.*]] = llvm.bitcast %[[V1]] : vector<2xbf16> to i32
  // CHECK: %[[FIRST:.*]]:2 = scf.for {{.*}} iter_args(%[[N:.*]] = %{{.*}}, %[[W:.*]] = %[[INIT]]) -> (i32, i32)
  %first:3 = scf.for %i = %lower to %upper step %step iter_args(%n = %c0, %x = %a, %y = %b) -> (i32, bf16, bf16) {
    %poison = llvm.mlir.poison : vector<2xbf16>
    %v0 = llvm.insertelement %x, %poison[%c0 : i32] : vector<2xbf16>
    %v1 = llvm.insertelement %y, %v0[%c1 : i32] : vector<2xbf16>
    %w = llvm.bitcast %v1 : vector<2xbf16> to i32
    // CHECK: llvm.store %[[W]], %{{.*}} : i32
    llvm.store %w, %out : i32, !llvm.ptr<3>
    %p, %q = func.call @next(%n) : (i32) -> (bf16, bf16)
    // CHECK: %[[NEXT:.*]] = llvm.bitcast %{{.*}} : vector<2xbf16> to i32
    // CHECK: scf.yield %{{.*}}, %[[NEXT]] : i32, i32
    scf.yield %c1, %p, %q : i32, bf16, bf16
  }
  // CHECK-NOT: llvm.insertelement
  // CHECK: scf.for {{.*}} iter_args(%[[W2:.*]] = %[[FIRST]]#1) -> (i32)
  %second:2 = scf.for %i = %lower to %upper step %step iter_args(%x = %first#1, %y = %first#2) -> (bf16, bf16) {
    %poison = llvm.mlir.poison : vector<2xbf16>
    %v0 = llvm.insertelement %x, %poison[%c0 : i32] : vector<2xbf16>
    %v1 = llvm.insertelement %y, %v0[%c1 : i32] : vector<2xbf16>
    %w = llvm.bitcast %v1 : vector<2xbf16> to i32
    llvm.store %w, %out : i32, !llvm.ptr<3>
    %p, %q = func.call @next(%c0) : (i32) -> (bf16, bf16)
    scf.yield %p, %q : bf16, bf16
  }
  return
}

// A half that something else uses, too, and one that the loop does not carry stay as they are.
// CHECK-LABEL: func @otherUses
func.func @otherUses(%lower: index, %upper: index, %step: index, %a: bf16, %b: bf16, %out: !llvm.ptr<3>) {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  // CHECK: scf.for {{.*}} -> (bf16, bf16, bf16)
  %loop:3 = scf.for %i = %lower to %upper step %step iter_args(%x = %a, %y = %b, %z = %b) -> (bf16, bf16, bf16) {
    %poison = llvm.mlir.poison : vector<2xbf16>
    %v0 = llvm.insertelement %x, %poison[%c0 : i32] : vector<2xbf16>
    %v1 = llvm.insertelement %y, %v0[%c1 : i32] : vector<2xbf16>
    %w = llvm.bitcast %v1 : vector<2xbf16> to i32
    llvm.store %w, %out : i32, !llvm.ptr<3>
    llvm.store %y, %out : bf16, !llvm.ptr<3>
    %u0 = llvm.insertelement %z, %poison[%c0 : i32] : vector<2xbf16>
    %u1 = llvm.insertelement %a, %u0[%c1 : i32] : vector<2xbf16>
    %u = llvm.bitcast %u1 : vector<2xbf16> to i32
    llvm.store %u, %out : i32, !llvm.ptr<3>
    %p, %q = func.call @next(%c0) : (i32) -> (bf16, bf16)
    scf.yield %p, %q, %p : bf16, bf16, bf16
  }
  return
}

// What is used behind the loop is taken from the word.
// CHECK-LABEL: func @results
func.func @results(%lower: index, %upper: index, %step: index, %a: i8, %b: i8, %c: i8, %d: i8, %out: !llvm.ptr<3>) -> (i8, i8) {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %c2 = llvm.mlir.constant(2 : i32) : i32
  %c3 = llvm.mlir.constant(3 : i32) : i32
  // CHECK: %[[LOOP:.*]] = scf.for {{.*}} -> (i32)
  %loop:4 = scf.for %i = %lower to %upper step %step iter_args(%w = %a, %x = %b, %y = %c, %z = %d) -> (i8, i8, i8, i8) {
    %poison = llvm.mlir.poison : vector<4xi8>
    %v0 = llvm.insertelement %w, %poison[%c0 : i32] : vector<4xi8>
    %v1 = llvm.insertelement %x, %v0[%c1 : i32] : vector<4xi8>
    %v2 = llvm.insertelement %y, %v1[%c2 : i32] : vector<4xi8>
    %v3 = llvm.insertelement %z, %v2[%c3 : i32] : vector<4xi8>
    %word = llvm.bitcast %v3 : vector<4xi8> to i32
    llvm.store %word, %out : i32, !llvm.ptr<3>
    scf.yield %b, %c, %d, %a : i8, i8, i8, i8
  }
  // CHECK: %[[PARTS:.*]] = llvm.bitcast %[[LOOP]] : i32 to vector<4xi8>
  // CHECK: %[[P0:.*]] = llvm.extractelement %[[PARTS]]
  // CHECK: %[[P3:.*]] = llvm.extractelement %[[PARTS]][%{{.*}} : i32]
  // CHECK: return
  return %loop#0, %loop#3 : i8, i8
}

func.func private @next(i32) -> (bf16, bf16)

// RUN: tile-opt %s --convert-threads-to-llvm | FileCheck %s

module attributes {tilegpu.num_warps = 8 : i32} {
// CHECK-LABEL: llvm.func @kernel
// CHECK-SAME: %{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64}
// CHECK-SAME: attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>}
func.func @kernel(%p: !llvm.ptr<1> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  func.return
}

// CHECK-LABEL: llvm.func @fast_math
// CHECK: llvm.fmul
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// CHECK: llvm.call_intrinsic "llvm.nvvm.sqrt.approx.f"
// CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"
func.func @fast_math(%x: f32) {
  %0 = math.exp %x : f32
  %1 = math.sqrt %0 : f32
  %2 = arith.divf %1, %x : f32
  func.return
}

// The divisor is no less than 1; other divisors and dividends take the division.
// CHECK-LABEL: llvm.func @sigmoid
// CHECK: %[[SUM:.*]] = llvm.fadd
// CHECK: nvvm.rcp.approx.ftz.f %[[SUM]]
// CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"
// CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"
func.func @sigmoid(%x: f32) {
  %one = arith.constant 1.0 : f32
  %e = math.exp %x : f32
  %d = arith.addf %e, %one : f32
  %0 = arith.divf %one, %d : f32
  %1 = arith.divf %0, %d : f32
  %y = arith.addf %1, %one : f32
  %2 = arith.divf %one, %y : f32
  func.return
}

// bf16 in the halves of words is widened by a shift or a mask of the word.
// CHECK-LABEL: llvm.func @halves
// CHECK: %[[WORD:.*]] = llvm.extractelement %{{.*}}[%{{.*}} : i32] : vector<2xi32>
// CHECK: llvm.shl %[[WORD]], %{{.*}} : i32
// CHECK: llvm.bitcast %{{.*}} : i32 to f32
// CHECK: llvm.and %{{.*}}, %{{.*}} : i32
// CHECK: llvm.bitcast %{{.*}} : i32 to f32
// CHECK-NOT: llvm.fpext
func.func @halves(%words: vector<2xi32>) {
  %0 = llvm.mlir.constant(2 : i32) : i32
  %1 = llvm.mlir.constant(3 : i32) : i32
  %2 = llvm.bitcast %words : vector<2xi32> to vector<4xbf16>
  %3 = llvm.extractelement %2[%0 : i32] : vector<4xbf16>
  %4 = llvm.extractelement %2[%1 : i32] : vector<4xbf16>
  %5 = arith.extf %3 : bf16 to f32
  %6 = arith.extf %4 : bf16 to f32
  func.return
}

// A number of its own is no half of a word.
// CHECK-LABEL: llvm.func @negative_halves
// CHECK: llvm.fpext
func.func @negative_halves(%x: bf16) {
  %0 = arith.extf %x : bf16 to f32
  func.return
}

// f64 has no approximate instructions.
// CHECK-LABEL: llvm.func @no_fast_f64
// CHECK: llvm.call @__tilec_math_exp_f64
// CHECK: llvm.intr.sqrt
// CHECK: llvm.fdiv
func.func @no_fast_f64(%x: f64) {
  %0 = math.exp %x : f64
  %1 = math.sqrt %0 : f64
  %2 = arith.divf %1, %x : f64
  func.return
}

// CHECK-LABEL: llvm.func @library
// CHECK: llvm.call @__tilec_math_erf_f32
// CHECK: llvm.fpext {{.*}} : f16 to f32
// CHECK: llvm.call @__tilec_math_tanh_f32
// CHECK: llvm.fptrunc {{.*}} : f32 to f16
func.func @library(%x: f32, %h: f16) {
  %0 = math.erf %x : f32
  %1 = math.tanh %h : f16
  func.return
}

// CHECK-LABEL: llvm.func @loop
// CHECK: llvm.cond_br
func.func @loop(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    nvvm.barrier
  }
  func.return
}
}

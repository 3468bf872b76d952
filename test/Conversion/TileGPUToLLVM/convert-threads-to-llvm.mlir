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

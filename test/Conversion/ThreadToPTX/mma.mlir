// RUN: tile-opt %s --convert-thread-to-ptx | FileCheck %s

// The accumulator's registers are read and written in place.
// CHECK-LABEL: @products
llvm.func @products(%r: i32, %f: f32, %d: f64, %i: i32) {
  // CHECK: llvm.inline_asm has_side_effects "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$0, $1, $2, $3};", "=f,=f,=f,=f,r,r,r,r,r,r,0,1,2,3"
  %0:4 = tilegpu.thread_mma %r, %r, %r, %r * %r, %r + %f, %f, %f, %f as f16, f16, f32 : i32, i32, i32, i32 * i32, i32 + f32, f32, f32, f32 -> f32, f32, f32, f32
  // CHECK: "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
  %1:4 = tilegpu.thread_mma %r, %r, %r, %r * %r, %r + %f, %f, %f, %f as tf32, tf32, f32 : i32, i32, i32, i32 * i32, i32 + f32, f32, f32, f32 -> f32, f32, f32, f32
  // CHECK: "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32
  %2:4 = tilegpu.thread_mma %r, %r, %r, %r * %r, %r + %f, %f, %f, %f as f8E4M3FN, f8E5M2, f32 : i32, i32, i32, i32 * i32, i32 + f32, f32, f32, f32 -> f32, f32, f32, f32
  // CHECK: "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.u8.s32 {{.*}}", "=r,=r,=r,=r,r,r,r,r,r,r,0,1,2,3"
  %3:4 = tilegpu.thread_mma %r, %r, %r, %r * %r, %r + %i, %i, %i, %i as ui8, ui8, i32 saturate : i32, i32, i32, i32 * i32, i32 + i32, i32, i32, i32 -> i32, i32, i32, i32
  // CHECK: "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {$0, $1}, {$2}, {$3}, {$0, $1};", "=d,=d,d,d,0,1"
  %4:2 = tilegpu.thread_mma %d * %d + %d, %d as f64, f64, f64 : f64 * f64 + f64, f64 -> f64, f64
  // CHECK: "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {$0, $1}
  %5:2 = tilegpu.thread_mma %r, %r, %r, %r * %r, %r + %r, %r as f16, f16, f16 : i32, i32, i32, i32 * i32, i32 + i32, i32 -> i32, i32
  llvm.return
}

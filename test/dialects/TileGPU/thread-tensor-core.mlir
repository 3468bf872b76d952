// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK-LABEL: @registers
llvm.func @registers(%a: i64, %r: i32, %p: i1, %c: f32, %h: vector<2xf16>, %w: f64) {
  // CHECK: tilegpu.thread_mma %{{.*}} * %{{.*}} + %{{.*}} as f16, f16, f16 : vector<2xf16>, vector<2xf16> * vector<2xf16> + vector<2xf16>, vector<2xf16> -> vector<2xf16>, vector<2xf16>
  %0:2 = tilegpu.thread_mma %h, %h * %h + %h, %h as f16, f16, f16
    : vector<2xf16>, vector<2xf16> * vector<2xf16> + vector<2xf16>, vector<2xf16>
    -> vector<2xf16>, vector<2xf16>
  // CHECK: tilegpu.thread_mma {{.*}} as f64, f64, f64
  %1:2 = tilegpu.thread_mma %w * %w + %w, %w as f64, f64, f64 : f64 * f64 + f64, f64 -> f64, f64
  // CHECK: tilegpu.thread_mma {{.*}} as si8, ui8, i32 saturate
  %2:4 = tilegpu.thread_mma %r, %r, %r, %r * %r, %r + %r, %r, %r, %r as si8, ui8, i32 saturate
    : i32, i32, i32, i32 * i32, i32 + i32, i32, i32, i32 -> i32, i32, i32, i32
  // CHECK: tilegpu.thread_wgmma desc %{{.*}} * %{{.*}} + {{.*}} if %{{.*}} m_major n_major negate_a n = 8 as bf16, bf16, f32
  %3:4 = tilegpu.thread_wgmma desc %a * %a + %c, %c, %c, %c if %p m_major n_major negate_a n = 8
    as bf16, bf16, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  // CHECK: tilegpu.thread_wgmma registers {{.*}} : i32, i32, i32, i32 * %{{.*}} n = 16 as f8E4M3FN, f8E5M2, f16
  %4:4 = tilegpu.thread_wgmma registers %r, %r, %r, %r : i32, i32, i32, i32 * %a + %r, %r, %r, %r
    n = 16 as f8E4M3FN, f8E5M2, f16 : i32, i32, i32, i32 -> i32, i32, i32, i32
  // CHECK: tilegpu.thread_wgmma_wait 1, %{{.*}} : f32, i32 -> f32, i32
  %5:2 = tilegpu.thread_wgmma_wait 1, %3#0, %4#0 : f32, i32 -> f32, i32
  // CHECK: tilegpu.thread_wgmma_wait 0
  tilegpu.thread_wgmma_wait 0
  llvm.return
}

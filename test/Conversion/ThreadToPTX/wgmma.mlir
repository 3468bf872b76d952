// RUN: tile-opt %s --convert-thread-to-ptx | FileCheck %s

// The accumulator's registers are updated in place; the condition, the signs of A and B and the transpositions follow.
// CHECK-LABEL: llvm.func @descriptors
// CHECK-SAME: (%[[A:.*]]: i64, %[[B:.*]]: i64, %[[C:.*]]: f32, %[[P:.*]]: i1)
llvm.func @descriptors(%a: i64, %b: i64, %c: f32, %p: i1) -> f32 {
  // CHECK: llvm.inline_asm has_side_effects "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $4, $5, 1, 1, 1, 0, 0;", "=f,=f,=f,=f,l,l,0,1,2,3" %[[A]], %[[B]], %[[C]], %[[C]], %[[C]], %[[C]]
  %0:4 = tilegpu.thread_wgmma desc %a * %b + %c, %c, %c, %c n = 8 as f16, f16, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  // CHECK: "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $4, $5, $6, 1, 1, 1, 1;", "=f,=f,=f,=f,l,l,b,0,1,2,3" %[[A]], %[[B]], %[[P]],
  %1:4 = tilegpu.thread_wgmma desc %a * %b + %0#0, %0#1, %0#2, %0#3 if %p m_major n_major n = 8 as bf16, bf16, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  // CHECK: "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1, $2, $3}, $4, $5, 1, -1, 1;"
  %2:4 = tilegpu.thread_wgmma desc %a * %b + %1#0, %1#1, %1#2, %1#3 negate_a n = 8 as tf32, tf32, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  // CHECK: "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {$0, $1, $2, $3}, $4, $5, 1, 1, -1;"
  %3:4 = tilegpu.thread_wgmma desc %a * %b + %2#0, %2#1, %2#2, %2#3 negate_b n = 8 as f8E4M3FN, f8E5M2, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  // CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 1;", "=f,=f,=f,=f,0,1,2,3"
  %4:4 = tilegpu.thread_wgmma_wait 1, %3#0, %3#1, %3#2, %3#3 : f32, f32, f32, f32 -> f32, f32, f32, f32
  llvm.return %4#0 : f32
}

// CHECK-LABEL: llvm.func @registers
llvm.func @registers(%a: i32, %b: i64, %c: i32) -> i32 {
  // CHECK: "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {$0, $1}, {$2, $3, $4, $5}, $6, 1, 1, 1, 0;", "=r,=r,r,r,r,r,l,0,1"
  %0:2 = tilegpu.thread_wgmma registers %a, %a, %a, %a : i32, i32, i32, i32 * %b + %c, %c n = 8 as f16, f16, f16 : i32, i32 -> i32, i32
  llvm.return %0#0 : i32
}

// Integers have neither signs nor transpositions.
// CHECK-LABEL: llvm.func @integers
llvm.func @integers(%a: i64, %b: i64, %c: i32) -> i32 {
  // CHECK: "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8.satfinite {$0, $1, $2, $3}, $4, $5, 1;"
  %0:4 = tilegpu.thread_wgmma desc %a * %b + %c, %c, %c, %c saturate n = 8 as ui8, si8, i32 : i32, i32, i32, i32 -> i32, i32, i32, i32
  // A wait for nothing in particular.
  // CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;", "" : () -> ()
  tilegpu.thread_wgmma_wait 0
  llvm.return %0#0 : i32
}

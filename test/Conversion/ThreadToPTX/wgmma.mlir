// RUN: tile-opt %s --convert-thread-to-ptx | FileCheck %s

// The accumulator's registers are updated in place; the condition, the signs of A and B and the transpositions follow.
// CHECK-LABEL: llvm.func @descriptors
// CHECK-SAME: (%[[A:.*]]: i64, %[[B:.*]]: i64, %[[C:.*]]: f32, %[[P:.*]]: i1)
llvm.func @descriptors(%a: i64, %b: i64, %c: f32, %p: i1) -> f32 {
  // Up to four products one behind the other are one statement, in whose text each has its own operands.
  // CHECK: %[[D:.*]] = llvm.inline_asm has_side_effects
  // CHECK-SAME: "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $4, $5, 1, 1, 1, 0, 0;
  // CHECK-SAME: \0A\09wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $6, $7, $8, 1, 1, 1, 1;
  // CHECK-SAME: \0A\09wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1, $2, $3}, $9, $10, 1, -1, 1;
  // CHECK-SAME: \0A\09wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {$0, $1, $2, $3}, $11, $12, 1, 1, -1;"
  // CHECK-SAME: "=f,=f,=f,=f,l,l,l,l,b,l,l,l,l,0,1,2,3" %[[A]], %[[B]], %[[A]], %[[B]], %[[P]], %[[A]], %[[B]], %[[A]], %[[B]], %[[C]], %[[C]], %[[C]], %[[C]]
  %0:4 = tilegpu.thread_wgmma desc %a * %b + %c, %c, %c, %c n = 8 as f16, f16, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  %1:4 = tilegpu.thread_wgmma desc %a * %b + %0#0, %0#1, %0#2, %0#3 if %p m_major n_major n = 8 as bf16, bf16, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  %2:4 = tilegpu.thread_wgmma desc %a * %b + %1#0, %1#1, %1#2, %1#3 negate_a n = 8 as tf32, tf32, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  %3:4 = tilegpu.thread_wgmma desc %a * %b + %2#0, %2#1, %2#2, %2#3 negate_b n = 8 as f8E4M3FN, f8E5M2, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  // CHECK: "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $4, $5, 1, 1, 1, 0, 0;", "=f,=f,=f,=f,l,l,0,1,2,3"
  %4:4 = tilegpu.thread_wgmma desc %a * %b + %3#0, %3#1, %3#2, %3#3 n = 8 as f16, f16, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  // CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 1;", "=f,=f,=f,=f,0,1,2,3"
  %5:4 = tilegpu.thread_wgmma_wait 1, %4#0, %4#1, %4#2, %4#3 : f32, f32, f32, f32 -> f32, f32, f32, f32
  llvm.return %5#0 : f32
}

// Sums of several tiles lie one behind the other; descriptors between products come before the statement.
// CHECK-LABEL: llvm.func @tiles
// CHECK: %[[NEXT:.*]] = llvm.add
// CHECK-NEXT: %[[D:.*]] = llvm.inline_asm has_side_effects
// CHECK-SAME: {$0, $1, $2, $3}, $8, $9, 1, {{.*}} {$4, $5, $6, $7}, $10, $11, 1, {{.*}} {$0, $1, $2, $3}, $12, $13, 1,
// CHECK-COUNT-8: llvm.extractvalue %[[D]]
// CHECK-NOT: wgmma
llvm.func @tiles(%a: i64, %b: i64, %c: f32, %d: f32, %next: i64) -> f32 {
  %0:4 = tilegpu.thread_wgmma desc %a * %b + %c, %c, %c, %c n = 8 as f16, f16, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  %1:4 = tilegpu.thread_wgmma desc %a * %b + %d, %d, %d, %d n = 8 as f16, f16, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  %2 = llvm.add %a, %next : i64
  %3:4 = tilegpu.thread_wgmma desc %2 * %b + %0#0, %0#1, %0#2, %0#3 n = 8 as f16, f16, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  %4 = llvm.fadd %1#0, %3#0 : f32
  llvm.return %4 : f32
}

// Operands in registers that are computed between products, sums that something else reads, and what has effects end a statement.
// CHECK-LABEL: llvm.func @apart
// CHECK: "wgmma.mma_async
// CHECK: llvm.bitcast
// CHECK: "wgmma.mma_async
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: "wgmma.mma_async
// CHECK: "wgmma.mma_async
llvm.func @apart(%a: i64, %b: i64, %c: f32, %w: f32) -> f32 {
  %0:4 = tilegpu.thread_wgmma desc %a * %b + %c, %c, %c, %c n = 8 as f16, f16, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  %r = llvm.bitcast %w : f32 to i32
  %1:4 = tilegpu.thread_wgmma registers %r, %r, %r, %r : i32, i32, i32, i32 * %b + %0#0, %0#1, %0#2, %0#3 n = 8 as f16, f16, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  nvvm.wgmma.commit.group.sync.aligned
  %2:4 = tilegpu.thread_wgmma desc %a * %b + %1#0, %1#1, %1#2, %1#3 n = 8 as f16, f16, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  %3:4 = tilegpu.thread_wgmma desc %a * %b + %2#0, %2#1, %2#2, %2#3 n = 8 as f16, f16, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  %4 = llvm.fadd %2#0, %3#0 : f32
  llvm.return %4 : f32
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

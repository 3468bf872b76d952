// Waits and fences of wgmma that order nothing are dropped.
// RUN: tile-opt %s --convert-tilegpu-to-threads | FileCheck %s

module attributes {tilegpu.num_warps = 4 : i32} {
// Behind a wait that leaves one group in flight, and one more committed, a wait for all but two is idle.
// CHECK-LABEL: func @idle_wait
// CHECK: tilegpu.thread_wgmma_wait 1
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NOT: tilegpu.thread_wgmma_wait 2
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: tilegpu.thread_wgmma_wait 1
func.func @idle_wait(%a: i64, %c: f32) -> (f32, f32, f32, f32) {
  tilegpu.thread_wgmma_wait 1
  nvvm.wgmma.fence.aligned
  %d:4 = tilegpu.thread_wgmma desc %a * %a + %c, %c, %c, %c n = 8 as f16, f16, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  nvvm.wgmma.commit.group.sync.aligned
  %e:4 = tilegpu.thread_wgmma_wait 2, %d#0, %d#1, %d#2, %d#3 : f32, f32, f32, f32 -> f32, f32, f32, f32
  nvvm.wgmma.commit.group.sync.aligned
  %f:4 = tilegpu.thread_wgmma_wait 1, %e#0, %e#1, %e#2, %e#3 : f32, f32, f32, f32 -> f32, f32, f32, f32
  return %f#0, %f#1, %f#2, %f#3 : f32, f32, f32, f32
}

// How many are in flight at the head of a block is not known, nor behind a loop.
// CHECK-LABEL: func @unknown
// CHECK: tilegpu.thread_wgmma_wait 3
// CHECK: scf.for
// CHECK-NEXT: tilegpu.thread_wgmma_wait 3
// CHECK: tilegpu.thread_wgmma_wait 3
func.func @unknown(%n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  tilegpu.thread_wgmma_wait 3
  scf.for %i = %zero to %n step %one : i32 {
    tilegpu.thread_wgmma_wait 3
    nvvm.wgmma.commit.group.sync.aligned
  }
  tilegpu.thread_wgmma_wait 3
  return
}

// The branch of one thread closes no group: what is in flight is known behind it.
// CHECK-LABEL: func @behind_branch
// CHECK: tilegpu.thread_wgmma_wait 1
// CHECK: scf.if
// CHECK-NOT: tilegpu.thread_wgmma_wait
// CHECK: return
func.func @behind_branch(%first: i1, %p: !llvm.ptr, %v: i32) {
  tilegpu.thread_wgmma_wait 1
  scf.if %first {
    llvm.store %v, %p : i32, !llvm.ptr
  }
  tilegpu.thread_wgmma_wait 2
  return
}

// The second product begins from zero: no thread has touched its registers. The third one's accumulator was computed
// before both fences, the fourth one's behind the last.
// CHECK-LABEL: func @fences
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-NOT: nvvm.wgmma.fence.aligned
// CHECK: arith.mulf
// CHECK-NEXT: nvvm.wgmma.fence.aligned
// CHECK: return
func.func @fences(%a: i64, %c: f32) -> (f32, f32, f32, f32) {
  %never = arith.constant false
  %undef = llvm.mlir.undef : f32
  %p = arith.addf %c, %c : f32
  nvvm.wgmma.fence.aligned
  %d:4 = tilegpu.thread_wgmma desc %a * %a + %undef, %undef, %undef, %undef if %never n = 8 as f16, f16, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  nvvm.wgmma.commit.group.sync.aligned
  %other = llvm.mlir.undef : f32
  nvvm.wgmma.fence.aligned
  %e:4 = tilegpu.thread_wgmma desc %a * %a + %other, %other, %other, %other if %never n = 8 as f16, f16, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  nvvm.wgmma.commit.group.sync.aligned
  nvvm.wgmma.fence.aligned
  %f:4 = tilegpu.thread_wgmma desc %a * %a + %p, %p, %p, %p n = 8 as f16, f16, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  nvvm.wgmma.commit.group.sync.aligned
  %q = arith.mulf %c, %c : f32
  nvvm.wgmma.fence.aligned
  %g:4 = tilegpu.thread_wgmma desc %a * %a + %q, %q, %q, %q n = 8 as f16, f16, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  nvvm.wgmma.commit.group.sync.aligned
  %w:4 = tilegpu.thread_wgmma_wait 0, %g#0, %g#1, %g#2, %g#3 : f32, f32, f32, f32 -> f32, f32, f32, f32
  return %w#0, %w#1, %w#2, %w#3 : f32, f32, f32, f32
}

// A wait gives registers back to the threads.
// CHECK-LABEL: func @behind_a_wait
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: tilegpu.thread_wgmma_wait 0
// CHECK: nvvm.wgmma.fence.aligned
func.func @behind_a_wait(%a: i64, %c: f32) -> (f32, f32, f32, f32) {
  nvvm.wgmma.fence.aligned
  %d:4 = tilegpu.thread_wgmma desc %a * %a + %c, %c, %c, %c n = 8 as f16, f16, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  nvvm.wgmma.commit.group.sync.aligned
  %e:4 = tilegpu.thread_wgmma_wait 0, %d#0, %d#1, %d#2, %d#3 : f32, f32, f32, f32 -> f32, f32, f32, f32
  nvvm.wgmma.fence.aligned
  %f:4 = tilegpu.thread_wgmma desc %a * %a + %c, %c, %c, %c n = 8 as f16, f16, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  nvvm.wgmma.commit.group.sync.aligned
  %g:4 = tilegpu.thread_wgmma_wait 0, %f#0, %f#1, %f#2, %f#3 : f32, f32, f32, f32 -> f32, f32, f32, f32
  return %g#0, %g#1, %g#2, %g#3 : f32, f32, f32, f32
}
}

// RUN: tile-opt %s -split-input-file -verify-diagnostics

llvm.func @thread_mma_c1(%r: i32, %c: f32) {
  // expected-error @below {{'tilegpu.thread_mma' op has no shape of 3, 2 and 4 registers}}
  %0:4 = tilegpu.thread_mma %r, %r, %r * %r, %r + %c, %c, %c, %c as f16, f16, f32
    : i32, i32, i32 * i32, i32 + f32, f32, f32, f32 -> f32, f32, f32, f32
  llvm.return
}

// -----

llvm.func @thread_mma_types(%r: i32, %c: f32) {
  // expected-error @below {{'tilegpu.thread_mma' op has no instruction for 'f16' and 'bf16' in 'f32'}}
  %0:4 = tilegpu.thread_mma %r, %r, %r, %r * %r, %r + %c, %c, %c, %c as f16, bf16, f32
    : i32, i32, i32, i32 * i32, i32 + f32, f32, f32, f32 -> f32, f32, f32, f32
  llvm.return
}

// -----

llvm.func @thread_wgmma_c1(%a: i64, %r: i32, %c: f32) {
  // expected-error @below {{expected a descriptor or four registers of the first operand}}
  %0:4 = tilegpu.thread_wgmma registers %r, %r : i32, i32 * %a + %c, %c, %c, %c n = 8
    as f16, f16, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  llvm.return
}

// -----

llvm.func @thread_wgmma_c2(%a: i64, %c: f32) {
  // expected-error @below {{expected 8 accumulator registers and results like them}}
  %0:4 = tilegpu.thread_wgmma desc %a * %a + %c, %c, %c, %c n = 16 as f16, f16, f32
    : f32, f32, f32, f32 -> f32, f32, f32, f32
  llvm.return
}

// -----

llvm.func @thread_wgmma_c3(%a: i64, %c: f32) {
  // expected-error @below {{transposes operands of 16 bits only, got 'tf32'}}
  %0:4 = tilegpu.thread_wgmma desc %a * %a + %c, %c, %c, %c n_major n = 8 as tf32, tf32, f32
    : f32, f32, f32, f32 -> f32, f32, f32, f32
  llvm.return
}

// -----

llvm.func @thread_wgmma_c3_n(%a: i64, %c: f32) {
  // expected-error @below {{has no 'n' of 12}}
  %0:4 = tilegpu.thread_wgmma desc %a * %a + %c, %c, %c, %c n = 12 as f16, f16, f32
    : f32, f32, f32, f32 -> f32, f32, f32, f32
  llvm.return
}

// -----

llvm.func @thread_wgmma_wait_c1(%c: f32) {
  // expected-error @below {{expected results like its operands}}
  %0 = tilegpu.thread_wgmma_wait 0, %c : f32 -> i32
  llvm.return
}

// RUN: tile-opt %s --convert-thread-to-ptx | FileCheck %s

// CHECK-LABEL: llvm.func @zero
// CHECK: llvm.inline_asm has_side_effects "{ .reg .b32 below; mov.u32 $0, %lanemask_eq; mov.u32 below, %lanemask_lt; and.b32 $0, $0, below; }", "=r" : () -> i32
llvm.func @zero() -> i32 {
  %0 = tilegpu.opaque_zero : i32
  llvm.return %0 : i32
}

// An exit that is never taken, and depends on both values.
// CHECK-LABEL: llvm.func @wall
// CHECK-SAME: (%[[A:.*]]: i32, %[[B:.*]]: f32)
// CHECK: %[[BITS:.*]] = llvm.bitcast %[[B]] : f32 to i32
// CHECK: %[[BOTH:.*]] = llvm.or %[[A]], %[[BITS]]
// CHECK: llvm.inline_asm has_side_effects "{ .reg .b32 bits, below;{{.*}}and.b32 bits, bits, $0; setp.ne.b32 never, bits, 0; @never exit; }", "r" %[[BOTH]]
llvm.func @wall(%a: i32, %b: f32) {
  tilegpu.wall %a, %b : i32, f32
  llvm.return
}

// LLVM does not look into assembly, so it does not forward what was stored.
// CHECK-LABEL: llvm.func @kept
// CHECK: llvm.inline_asm has_side_effects "ld.shared.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,r"
llvm.func @kept(%p: !llvm.ptr<3>) -> vector<4xi32> {
  %0 = tilegpu.ld_shared %p kept : !llvm.ptr<3> -> vector<4xi32>
  llvm.return %0 : vector<4xi32>
}

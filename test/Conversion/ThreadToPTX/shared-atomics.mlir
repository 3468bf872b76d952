// RUN: tile-opt %s --convert-thread-to-ptx | FileCheck %s

// A predicate that always holds disappears.
// CHECK-LABEL: llvm.func @add
// CHECK-SAME: (%[[P:.*]]: !llvm.ptr<3>, %[[V:.*]]: i32, %[[C:.*]]: i1)
// CHECK: %[[A:.*]] = llvm.ptrtoint %[[P]] : !llvm.ptr<3> to i32
// CHECK: llvm.inline_asm has_side_effects "@$2 red.relaxed.cta.shared.add.u32 [$0], $1;", "r,r,b" %[[A]], %[[V]], %[[C]] : (i32, i32, i1) -> ()
// CHECK-COUNT-2: llvm.inline_asm has_side_effects "red.relaxed.cta.shared.add.u32 [$0], $1;", "r,r" %{{.*}}, %[[V]] : (i32, i32) -> ()
llvm.func @add(%p: !llvm.ptr<3>, %v: i32, %c: i1) {
  tilegpu.atomic_add_shared %v, %p if %c : !llvm.ptr<3>
  %true = llvm.mlir.constant(true) : i1
  tilegpu.atomic_add_shared %v, %p if %true : !llvm.ptr<3>
  tilegpu.atomic_add_shared %v, %p : !llvm.ptr<3>
  llvm.return
}

// RUN: tile-opt %s --convert-nvvm-to-sim | FileCheck %s

// The simulator's registers are as many as the host likes.
// CHECK-LABEL: llvm.func {{.*}}@registers.device
// CHECK-NOT: tilegpu.wall
// CHECK: llvm.mlir.zero : i32
// CHECK-NOT: tilegpu
llvm.func @registers(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %0 = tilegpu.opaque_zero : i32
  tilegpu.wall %0 : i32
  tilegpu.st_global %0, %p : i32, !llvm.ptr<1>
  llvm.return
}

// RUN: tile-opt %s -convert-nvvm-to-sim | FileCheck %s

// CHECK: what = "shared atomic add"
// CHECK: llvm.func @kernel.device(%[[P:.*]]: !llvm.ptr<3>, %[[V:.*]]: i32, %[[C:.*]]: i1)
// CHECK: llvm.store %[[V]], %[[BUF:.*]] {alignment = 16 : i64} : i32
// CHECK: %[[A:.*]] = llvm.ptrtoint %[[P]] : !llvm.ptr<3> to i32
// CHECK: %[[WIDE:.*]] = llvm.zext %[[A]] : i32 to i64
// CHECK: %[[PRED:.*]] = llvm.zext %[[C]] : i1 to i32
// CHECK: llvm.call @tilec_sim_atomic(%{{.*}}, %{{.*}}, %{{.*}}, %[[WIDE]], %[[BUF]], %{{.*}}, %{{.*}}, %{{.*}}, %[[PRED]], %{{.*}})
// CHECK-NOT: tilegpu
module {
  llvm.func @kernel(%p: !llvm.ptr<3>, %v: i32, %c: i1) {
    tilegpu.atomic_add_shared %v, %p if %c : !llvm.ptr<3>
    llvm.return
  }
}

// RUN: tile-opt %s --convert-nvvm-to-sim | FileCheck %s

// CHECK-LABEL: @predicated
llvm.func @predicated(%a: !llvm.ptr<1>, %v: f32, %p: i1) -> f32 {
  // A masked-off one gives zero.
  // CHECK: %[[ZERO:.*]] = llvm.mlir.zero : f32
  // CHECK: llvm.store %[[ZERO]], %[[RESULT:.*]] {alignment = 16 : i64}
  // CHECK: %[[P:.*]] = llvm.zext %{{.*}} : i1 to i32
  // CHECK: llvm.call @tilec_sim_atomic(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[RESULT]], %{{.*}}, %[[P]], %{{.*}})
  // CHECK: llvm.load %[[RESULT]]
  %0 = tilegpu.atomic_rmw_global add %a, %v if %p : !llvm.ptr<1>, f32
  llvm.return %0 : f32
}

// One for each element.
// CHECK-LABEL: @vector
llvm.func @vector(%a: !llvm.ptr<1>, %v: vector<4xf32>) {
  // CHECK-COUNT-4: llvm.call @tilec_sim_atomic
  // CHECK-NOT: tilec_sim_atomic
  // CHECK: llvm.return
  %0 = tilegpu.atomic_rmw_global add %a, %v : !llvm.ptr<1>, vector<4xf32>
  llvm.return
}

// CHECK-LABEL: @compare_and_swap
llvm.func @compare_and_swap(%a: !llvm.ptr<1>, %c: i16, %v: i16) -> i16 {
  // CHECK: %[[CAS:.*]] = llvm.mlir.constant(9 : i32)
  // CHECK: %[[BITS16:.*]] = llvm.mlir.constant(8 : i32)
  // CHECK: llvm.call @tilec_sim_atomic(%[[CAS]], %[[BITS16]],
  %0 = tilegpu.atomic_cas_global %a, %c, %v : !llvm.ptr<1>, i16
  llvm.return %0 : i16
}

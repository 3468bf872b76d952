// RUN: tile-opt %s --split-input-file --verify-diagnostics --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @forms
func.func @forms(%a: !llvm.ptr<1>, %i: i32, %v: vector<4xf32>, %h: vector<2xf16>, %s: i16, %p: i1) {
  // CHECK: tilegpu.atomic_rmw_global umax %{{.*}}, %{{.*}} : !llvm.ptr<1>, i32
  %0 = tilegpu.atomic_rmw_global umax %a, %i : !llvm.ptr<1>, i32
  // CHECK: tilegpu.atomic_rmw_global add %{{.*}}, %{{.*}} if %{{.*}} sem = relaxed scope = cta : !llvm.ptr<1>, vector<4xf32>
  %1 = tilegpu.atomic_rmw_global add %a, %v if %p sem = relaxed scope = cta : !llvm.ptr<1>, vector<4xf32>
  // CHECK: tilegpu.atomic_rmw_global add %{{.*}}, %{{.*}} : !llvm.ptr<1>, vector<2xf16>
  %2 = tilegpu.atomic_rmw_global add %a, %h : !llvm.ptr<1>, vector<2xf16>
  // CHECK: tilegpu.atomic_cas_global %{{.*}}, %{{.*}}, %{{.*}} if %{{.*}} sem = acquire : !llvm.ptr<1>, i16
  %3 = tilegpu.atomic_cas_global %a, %s, %s if %p sem = acquire : !llvm.ptr<1>, i16
  // CHECK: tilegpu.atomic_rmw_global load %{{.*}}, %{{.*}} sem = acquire : !llvm.ptr<1>, i16
  %4 = tilegpu.atomic_rmw_global load %a, %s sem = acquire : !llvm.ptr<1>, i16
  return
}

// -----

func.func @atomic_rmw_global_c2(%a: !llvm.ptr<1>, %v: i16) {
  // expected-error @+1 {{'tilegpu.atomic_rmw_global' op has no 'add' of type 'i16'}}
  %0 = tilegpu.atomic_rmw_global add %a, %v : !llvm.ptr<1>, i16
  return
}

// -----

func.func @atomic_rmw_global_c1(%a: !llvm.ptr<1>, %v: f32) {
  // expected-error @+1 {{'tilegpu.atomic_rmw_global' op has no 'min' of type 'f32'}}
  %0 = tilegpu.atomic_rmw_global min %a, %v : !llvm.ptr<1>, f32
  return
}

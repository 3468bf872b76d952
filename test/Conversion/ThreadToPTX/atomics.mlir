// RUN: tile-opt %s --convert-thread-to-ptx | FileCheck %s

// The zero for a false predicate is tied to the result.
// CHECK-LABEL: @old_value
llvm.func @old_value(%a: !llvm.ptr<1>, %v: f32, %p: i1) -> f32 {
  // CHECK: %[[ZERO:.*]] = llvm.mlir.zero : f32
  // CHECK: %[[OLD:.*]] = llvm.inline_asm has_side_effects "@$3 atom.global.gpu.acq_rel.add.f32 $0, [$1], $2;", "=f,l,f,b,0" %{{.*}}, %{{.*}}, %{{.*}}, %[[ZERO]] : (!llvm.ptr<1>, f32, i1, f32) -> f32
  // CHECK: llvm.return %[[OLD]]
  %0 = tilegpu.atomic_rmw_global add %a, %v if %p : !llvm.ptr<1>, f32
  llvm.return %0 : f32
}

// Without users there is no zero.
// CHECK-LABEL: @unused
llvm.func @unused(%a: !llvm.ptr<1>, %v: f32, %d: f64, %i: i32, %l: i64, %h: f16, %b: bf16, %p: i1) {
  // CHECK: "@$3 atom.global.gpu.acq_rel.add.f32 $0, [$1], $2;", "=f,l,f,b" %{{.*}}, %{{.*}}, %{{.*}} :
  %0 = tilegpu.atomic_rmw_global add %a, %v if %p : !llvm.ptr<1>, f32
  // CHECK: "atom.global.cta.acquire.add.f64 $0, [$1], $2;", "=d,l,d"
  %1 = tilegpu.atomic_rmw_global add %a, %d sem = acquire scope = cta : !llvm.ptr<1>, f64
  // CHECK: "atom.global.sys.relaxed.add.u32 $0, [$1], $2;", "=r,l,r"
  %2 = tilegpu.atomic_rmw_global add %a, %i sem = relaxed scope = sys : !llvm.ptr<1>, i32
  // CHECK: "atom.global.gpu.acq_rel.min.s64 $0, [$1], $2;", "=l,l,l"
  %3 = tilegpu.atomic_rmw_global min %a, %l : !llvm.ptr<1>, i64
  // CHECK: "atom.global.gpu.acq_rel.max.u32 $0, [$1], $2;", "=r,l,r"
  %4 = tilegpu.atomic_rmw_global umax %a, %i : !llvm.ptr<1>, i32
  // CHECK: "atom.global.gpu.acq_rel.xor.b32 $0, [$1], $2;", "=r,l,r"
  %5 = tilegpu.atomic_rmw_global xor %a, %i : !llvm.ptr<1>, i32
  // CHECK: bitcast {{.*}} : f16 to i16
  // CHECK: "atom.global.gpu.acq_rel.add.noftz.f16 $0, [$1], $2;", "=h,l,h"
  %6 = tilegpu.atomic_rmw_global add %a, %h : !llvm.ptr<1>, f16
  // CHECK: "atom.global.gpu.acq_rel.add.noftz.bf16 $0, [$1], $2;", "=h,l,h"
  %7 = tilegpu.atomic_rmw_global add %a, %b : !llvm.ptr<1>, bf16
  // CHECK: "atom.global.gpu.acq_rel.exch.b64 $0, [$1], $2;", "=l,l,l"
  %8 = tilegpu.atomic_rmw_global xchg %a, %l : !llvm.ptr<1>, i64
  llvm.return
}

// Single accesses. A byte is in the low half of a register; a store has no result.
// CHECK-LABEL: @accesses
llvm.func @accesses(%a: !llvm.ptr<1>, %c: i8, %s: i16, %i: i32, %l: i64, %p: i1) -> i8 {
  // CHECK: %[[ZERO:.*]] = llvm.mlir.zero : i16
  // CHECK: %[[BYTE:.*]] = llvm.inline_asm has_side_effects "@$2 ld.acquire.gpu.global.b8 $0, [$1];", "=h,l,b,0" %{{.*}}, %{{.*}}, %[[ZERO]]
  // CHECK: %[[OLD:.*]] = llvm.trunc %[[BYTE]] : i16 to i8
  %0 = tilegpu.atomic_rmw_global load %a, %c if %p sem = acquire : !llvm.ptr<1>, i8
  // CHECK: "ld.relaxed.sys.global.b64 $0, [$1];", "=l,l"
  %1 = tilegpu.atomic_rmw_global load %a, %l sem = relaxed scope = sys : !llvm.ptr<1>, i64
  // CHECK: "@$2 st.release.gpu.global.b32 [$0], $1;", "l,r,b"
  %2 = tilegpu.atomic_rmw_global store %a, %i if %p sem = release : !llvm.ptr<1>, i32
  // CHECK: "st.relaxed.cta.global.b16 [$0], $1;", "l,h"
  %3 = tilegpu.atomic_rmw_global store %a, %s sem = relaxed scope = cta : !llvm.ptr<1>, i16
  // CHECK: llvm.zext %{{.*}} : i8 to i16
  // CHECK: "st.release.gpu.global.b8 [$0], $1;", "l,h"
  %4 = tilegpu.atomic_rmw_global store %a, %c sem = release : !llvm.ptr<1>, i8
  // CHECK: llvm.return %[[OLD]]
  llvm.return %0 : i8
}

// CHECK-LABEL: @vectors
llvm.func @vectors(%a: !llvm.ptr<1>, %f: vector<4xf32>, %h: vector<2xf16>, %b: vector<8xbf16>, %p: i1) -> vector<8xbf16> {
  // CHECK: "@$9 atom.global.gpu.relaxed.add.v4.f32 {$0, $1, $2, $3}, [$4], {$5, $6, $7, $8};", "=f,=f,=f,=f,l,f,f,f,f,b"
  %0 = tilegpu.atomic_rmw_global add %a, %f if %p sem = relaxed : !llvm.ptr<1>, vector<4xf32>
  // CHECK: bitcast {{.*}} : vector<2xf16> to i32
  // CHECK: "atom.global.gpu.acq_rel.add.noftz.f16x2 $0, [$1], $2;", "=r,l,r"
  %1 = tilegpu.atomic_rmw_global add %a, %h : !llvm.ptr<1>, vector<2xf16>
  // CHECK: "@$9 atom.global.gpu.acq_rel.add.noftz.v4.bf16x2 {$0, $1, $2, $3}, [$4], {$5, $6, $7, $8};", "=r,=r,=r,=r,l,r,r,r,r,b,0,1,2,3"
  // CHECK-COUNT-4: llvm.extractvalue
  // CHECK: bitcast {{.*}} : vector<4xi32> to vector<8xbf16>
  %2 = tilegpu.atomic_rmw_global add %a, %b if %p : !llvm.ptr<1>, vector<8xbf16>
  llvm.return %2 : vector<8xbf16>
}

// CHECK-LABEL: @compare_and_swap
llvm.func @compare_and_swap(%a: !llvm.ptr<1>, %c: i16, %v: i16, %w: i32, %p: i1) -> i16 {
  // CHECK: "@$4 atom.global.acquire.gpu.cas.b16 $0, [$1], $2, $3;", "=h,l,h,h,b,0"
  %0 = tilegpu.atomic_cas_global %a, %c, %v if %p sem = acquire : !llvm.ptr<1>, i16
  // CHECK: "atom.global.acq_rel.gpu.cas.b32 $0, [$1], $2, $3;", "=r,l,r,r"
  %1 = tilegpu.atomic_cas_global %a, %w, %w : !llvm.ptr<1>, i32
  llvm.return %0 : i16
}

// CHECK-LABEL: @constant_predicates
llvm.func @constant_predicates(%a: !llvm.ptr<1>, %v: i32) -> i32 {
  %true = llvm.mlir.constant(true) : i1
  %false = llvm.mlir.constant(false) : i1
  // CHECK: "atom.global.gpu.acq_rel.add.u32 $0, [$1], $2;"
  %0 = tilegpu.atomic_rmw_global add %a, %v if %true : !llvm.ptr<1>, i32
  // CHECK-NOT: inline_asm
  // CHECK: %[[ZERO:.*]] = llvm.mlir.zero : i32
  // CHECK: llvm.return %[[ZERO]]
  %1 = tilegpu.atomic_rmw_global add %a, %v if %false : !llvm.ptr<1>, i32
  llvm.return %1 : i32
}

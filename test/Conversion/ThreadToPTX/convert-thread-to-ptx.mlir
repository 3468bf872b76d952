// RUN: tile-opt %s -split-input-file -convert-thread-to-ptx | FileCheck %s

// Without predicate and hints an access is LLVM's own, aligned to its size and regrouped into words.
// CHECK-LABEL: llvm.func @plain
llvm.func @plain(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) {
  // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
  // CHECK: llvm.bitcast %{{.*}} : vector<4xi32> to vector<8xi16>
  %0 = tilegpu.ld_global %p : !llvm.ptr<1> -> vector<8xi16>
  // CHECK: llvm.bitcast %{{.*}} : vector<8xi16> to vector<4xi32>
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
  tilegpu.st_global %0, %q : vector<8xi16>, !llvm.ptr<1>
  // CHECK: llvm.load volatile %{{.*}} {alignment = 1 : i64} : !llvm.ptr<1> -> i8
  %1 = tilegpu.ld_global %p volatile : !llvm.ptr<1> -> i8
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 1 : i64} : i8, !llvm.ptr<1>
  tilegpu.st_global %1, %q : i8, !llvm.ptr<1>
  // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<2xi64>
  %2 = tilegpu.ld_global %p : !llvm.ptr<1> -> vector<2xi64>
  // CHECK: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> i16
  // CHECK: llvm.bitcast %{{.*}} : i16 to vector<2xi8>
  %3 = tilegpu.ld_global %p : !llvm.ptr<1> -> vector<2xi8>
  llvm.return
}

// -----

// The old values are tied to the results.
// CHECK-LABEL: llvm.func @predicated
// CHECK-SAME: (%[[P:.*]]: !llvm.ptr<1>, %[[C:.*]]: i1, %[[O:.*]]: vector<4xi32>, %[[B:.*]]: i8)
llvm.func @predicated(%p: !llvm.ptr<1>, %c: i1, %o: vector<4xi32>, %b: i8) {
  // CHECK: %[[O0:.*]] = llvm.extractelement %[[O]]
  // CHECK: llvm.inline_asm has_side_effects "@$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l,b,0,1,2,3" %[[P]], %[[C]], %[[O0]],
  // CHECK-SAME: -> !llvm.struct<(i32, i32, i32, i32)>
  %0 = tilegpu.ld_global %p if %c else %o : vector<4xi32> : !llvm.ptr<1> -> vector<4xi32>
  // CHECK: %[[ZERO:.*]] = llvm.mlir.zero : i64
  // CHECK: llvm.inline_asm has_side_effects "@$3 ld.global.v2.b64 {$0, $1}, [$2];", "=l,=l,l,b,0,1" %[[P]], %[[C]], %[[ZERO]], %[[ZERO]]
  %1 = tilegpu.ld_global %p if %c : !llvm.ptr<1> -> vector<2xi64>
  // PTX has no 8-bit registers.
  // CHECK: %[[OLD:.*]] = llvm.zext %[[B]] : i8 to i16
  // CHECK: %[[L:.*]] = llvm.inline_asm has_side_effects "@$2 ld.global.b8 $0, [$1];", "=h,l,b,0" %[[P]], %[[C]], %[[OLD]]
  // CHECK: llvm.trunc %[[L]] : i16 to i8
  %2 = tilegpu.ld_global %p if %c else %b : i8 : !llvm.ptr<1> -> i8
  // CHECK: "@$2 ld.volatile.global.b32 $0, [$1];", "=r,l,b,0"
  %3 = tilegpu.ld_global %p if %c volatile : !llvm.ptr<1> -> vector<4xi8>
  // CHECK: "@$2 st.global.b8 [$0], $1;", "l,h,b"
  tilegpu.st_global %2, %p if %c : i8, !llvm.ptr<1>
  // CHECK: "@$5 st.global.v4.b32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,b"
  tilegpu.st_global %0, %p if %c : vector<4xi32>, !llvm.ptr<1>
  llvm.return
}

// -----

// A constant predicate is none: true is a plain access, false no access.
// CHECK-LABEL: llvm.func @constant_predicate
// CHECK-SAME: (%[[P:.*]]: !llvm.ptr<1>, %[[O:.*]]: i32, %[[S:.*]]: !llvm.ptr<3>)
llvm.func @constant_predicate(%p: !llvm.ptr<1>, %o: i32, %s: !llvm.ptr<3>) -> i32 {
  %true = llvm.mlir.constant(true) : i1
  %false = llvm.mlir.constant(false) : i1
  // CHECK-NOT: inline_asm
  // CHECK: %[[V:.*]] = llvm.load %[[P]] {alignment = 4 : i64}
  // CHECK-NEXT: llvm.store %[[V]], %[[S]]
  // CHECK-NEXT: %[[R:.*]] = llvm.add %[[V]], %[[O]]
  // CHECK-NEXT: llvm.return %[[R]]
  %0 = tilegpu.ld_global %p if %true : !llvm.ptr<1> -> i32
  %1 = tilegpu.ld_global %p if %false else %o : i32 : !llvm.ptr<1> -> i32
  tilegpu.st_global %1, %p if %false : i32, !llvm.ptr<1>
  tilegpu.st_shared %1, %s if %false : i32, !llvm.ptr<3>
  tilegpu.st_shared %0, %s if %true : i32, !llvm.ptr<3>
  %2 = llvm.add %0, %1 : i32
  llvm.return %2 : i32
}

// -----

// One L2 policy per function and kind; the L1 policy gives way to a cache modifier.
module attributes {tile.target = "sm_90a"} {
  // CHECK-LABEL: llvm.func @hints
  llvm.func @hints(%p: !llvm.ptr<1>, %c: i1) {
    // CHECK-DAG: %[[FIRST:.*]] = llvm.inline_asm "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l"
    // CHECK-DAG: %[[LAST:.*]] = llvm.inline_asm "createpolicy.fractional.L2::evict_last.b64 $0, 1.0;", "=l"
    // CHECK-NOT: createpolicy
    // CHECK: "ld.global.L1::evict_last.L2::cache_hint.b32 $0, [$1], $2;", "=r,l,l" %{{.*}}, %[[LAST]]
    %0 = tilegpu.ld_global %p evict = evict_last : !llvm.ptr<1> -> i32
    // CHECK: "@$2 ld.global.L1::evict_first.L2::cache_hint.b32 $0, [$1], $3;", "=r,l,b,l,0" %{{.*}}, %{{.*}}, %[[FIRST]], %{{.*}}
    %1 = tilegpu.ld_global %p if %c evict = evict_first : !llvm.ptr<1> -> i32
    // CHECK: "ld.global.cg.L2::cache_hint.b32 $0, [$1], $2;"
    %2 = tilegpu.ld_global %p cache = cg evict = evict_first : !llvm.ptr<1> -> i32
    // CHECK: "ld.global.ca.b32 $0, [$1];", "=r,l"
    %3 = tilegpu.ld_global %p cache = ca : !llvm.ptr<1> -> i32
    // CHECK: "ld.global.cv.b32 $0, [$1];"
    %4 = tilegpu.ld_global %p cache = cv : !llvm.ptr<1> -> i32
    // CHECK: "@$2 st.global.L1::evict_first.L2::cache_hint.b32 [$0], $1, $3;", "l,r,b,l" %{{.*}}, %{{.*}}, %{{.*}}, %[[FIRST]]
    tilegpu.st_global %0, %p if %c evict = evict_first : i32, !llvm.ptr<1>
    // CHECK: "st.global.wt.b32 [$0], $1;", "l,r"
    tilegpu.st_global %1, %p cache = wt : i32, !llvm.ptr<1>
    // CHECK: "st.global.cs.b32 [$0], $1;", "l,r"
    tilegpu.st_global %1, %p cache = cs : i32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// Before sm_80 there is no L2 policy. A modifier that the instruction lacks is dropped.
module attributes {tile.target = "sm_75"} {
  // CHECK-LABEL: llvm.func @hints_dropped
  llvm.func @hints_dropped(%p: !llvm.ptr<1>) {
    // CHECK: "ld.global.L1::evict_last.b32 $0, [$1];"
    %0 = tilegpu.ld_global %p evict = evict_last : !llvm.ptr<1> -> i32
    // CHECK: "ld.global.cg.b32 $0, [$1];"
    %1 = tilegpu.ld_global %p cache = cg evict = evict_last : !llvm.ptr<1> -> i32
    // CHECK: llvm.load volatile
    %2 = tilegpu.ld_global %p cache = cg volatile : !llvm.ptr<1> -> i32
    // CHECK: llvm.load %{{.*}} {alignment = 4 : i64}
    %3 = tilegpu.ld_global %p cache = wb : !llvm.ptr<1> -> i32
    // CHECK: llvm.store
    tilegpu.st_global %0, %p cache = ca : i32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// CHECK: llvm.mlir.global external @tilec_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: llvm.func @shared
llvm.func @shared(%c: i1, %v: vector<4xi32>) -> vector<8xi16> {
  // CHECK: %[[S:.*]] = llvm.mlir.addressof @tilec_shared : !llvm.ptr<3>
  %s = tilegpu.shared_base : !llvm.ptr<3>
  // CHECK: llvm.store %{{.*}}, %[[S]] {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
  tilegpu.st_shared %v, %s : vector<4xi32>, !llvm.ptr<3>
  // CHECK: %[[A:.*]] = llvm.ptrtoint %[[S]] : !llvm.ptr<3> to i32
  // CHECK: "@$5 st.shared.v4.b32 [$0], {$1, $2, $3, $4};", "r,r,r,r,r,b" %[[A]]
  tilegpu.st_shared %v, %s if %c : vector<4xi32>, !llvm.ptr<3>
  // CHECK: llvm.load %[[S]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
  %r = tilegpu.ld_shared %s : !llvm.ptr<3> -> vector<8xi16>
  %s2 = tilegpu.shared_base : !llvm.ptr<3>
  llvm.return %r : vector<8xi16>
}

// One thread makes a barrier object: what it computes the address from is the same in all lanes.
// CHECK-LABEL: llvm.func @shared_of_one_thread
llvm.func @shared_of_one_thread(%c: i1, %n: i32) -> i32 {
  // CHECK-DAG: %[[S:.*]] = llvm.mlir.addressof @tilec_shared : !llvm.ptr<3>
  // CHECK-DAG: %[[I:.*]] = llvm.ptrtoint %[[S]] : !llvm.ptr<3> to i32
  // CHECK: %[[L:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[I]], %{{.*}}, %{{.*}} : i32 -> i32
  // CHECK: %[[U:.*]] = llvm.inttoptr %[[L]] : i32 to !llvm.ptr<3>
  // CHECK: llvm.cond_br
  llvm.cond_br %c, ^init, ^rest
^init:
  // CHECK-NOT: llvm.mlir.addressof
  // CHECK: nvvm.mbarrier.init %[[U]]
  %s = tilegpu.shared_base : !llvm.ptr<3>
  nvvm.mbarrier.init %s, %n : !llvm.ptr<3>, i32
  llvm.br ^rest
^rest:
  // CHECK: llvm.load %[[U]]
  %s2 = tilegpu.shared_base : !llvm.ptr<3>
  %r = tilegpu.ld_shared %s2 : !llvm.ptr<3> -> i32
  llvm.return %r : i32
}

// -----

// Where warps with roles store nothing by tensor copies, the address is as it was.
// CHECK-LABEL: llvm.func @shared_of_roles
// CHECK-NOT: nvvm.shfl.sync
// CHECK: %[[S:.*]] = llvm.mlir.addressof @tilec_shared
// CHECK: nvvm.mbarrier.init %[[S]]
llvm.func @shared_of_roles(%n: i32) {
  %s = tilegpu.shared_base : !llvm.ptr<3>
  nvvm.mbarrier.init %s, %n : !llvm.ptr<3>, i32
  nvvm.setmaxregister increase 240
  llvm.return
}

// -----

// CHECK-DAG: llvm.func @__assertfail(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64)
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("n fits\00") {addr_space = 1 : i32, alignment = 1 : i64}
// CHECK-DAG: llvm.mlir.global internal constant @[[FILE:.*]]("k.tile\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[NAME:.*]]("assert\00")
// CHECK-LABEL: llvm.func @assert
llvm.func @assert(%c: i1, %d: i1) {
  // CHECK: llvm.cond_br %{{.*}}, ^[[REST:bb[0-9]+]], ^[[FAIL:bb[0-9]+]]
  // CHECK: ^[[FAIL]]:
  // CHECK: llvm.mlir.addressof @[[TEXT]]
  // CHECK: llvm.mlir.addressof @[[FILE]]
  // CHECK: llvm.mlir.constant(7 : i32)
  // CHECK: llvm.mlir.addressof @[[NAME]]
  // CHECK: llvm.call @__assertfail
  // CHECK: llvm.br ^[[REST]]
  // CHECK: ^[[REST]]:
  tilegpu.thread_assert %c, "n fits" loc(callsite("k.tile":7:3 at "k.tile":20:1))
  // The same text is one constant.
  // CHECK: llvm.mlir.addressof @[[TEXT]]
  tilegpu.thread_assert %d, "n fits" loc("k.tile":8:3)
  llvm.return
}

// -----

// CHECK-DAG: "pid (%u, %u, %u) idx (%1u, %3u) 100%%: %f\0A\00"
// CHECK-DAG: "pid (%u, %u, %u) idx () x: 0x%02x\0A\00"
// CHECK-DAG: "pid (%u, %u, %u) idx () x: %lld\0A\00"
// CHECK-DAG: "pid (%u, %u, %u) idx () x: %u\0A\00"
// CHECK-DAG: "pid (%u, %u, %u) idx () x: %p\0A\00"
// CHECK-DAG: "pid (%u, %u, %u) no value\0A\00"
// CHECK-DAG: llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
// CHECK-LABEL: llvm.func @print
llvm.func @print(%f: bf16, %i: i32, %c: i1, %b: i8, %l: i64, %p: !llvm.ptr<1>) {
  // One buffer serves every print: 5 words, then a double at its alignment.
  // CHECK: llvm.alloca %{{.*}} x !llvm.array<32 x i8> {alignment = 8 : i64}
  // CHECK-NOT: llvm.alloca
  // CHECK: llvm.cond_br %{{.*}}, ^[[PRINT:bb[0-9]+]], ^[[REST:bb[0-9]+]]
  // CHECK: ^[[PRINT]]:
  // CHECK: llvm.fpext %{{.*}} : bf16 to f64
  // CHECK: nvvm.read.ptx.sreg.ctaid.x
  // CHECK: llvm.getelementptr %{{.*}}[24]
  // CHECK: llvm.call @vprintf
  // CHECK: ^[[REST]]:
  tilegpu.thread_print " 100%: ", %f at (%i, %i) if %c {widths = array<i32: 1, 3>} : bf16
  tilegpu.thread_print " x: ", %b at () if %c {hex, is_signed} : i8
  tilegpu.thread_print " x: ", %l at () if %c {is_signed} : i64
  // CHECK: llvm.zext %{{.*}} : i8 to i32
  tilegpu.thread_print " x: ", %b at () if %c : i8
  tilegpu.thread_print " x: ", %p at () if %c : !llvm.ptr<1>
  tilegpu.thread_print "no value" at () if %c
  llvm.return
}

// -----

// NVVM operations without an intrinsic become inline PTX here too, also beside unreachable code.
// CHECK-LABEL: llvm.func @nvvm_inline
llvm.func @nvvm_inline(%m: !llvm.ptr<3>, %n: i32) {
  // CHECK: llvm.inline_asm has_side_effects {{.*}}mbarrier.try_wait
  nvvm.mbarrier.try_wait.parity %m, %n, %n : !llvm.ptr<3>, i32, i32
  llvm.return
^dead:
  // CHECK-NOT: tilegpu
  tilegpu.thread_print " x: ", %n at () if %false : i32
  %false = llvm.mlir.constant(false) : i1
  llvm.br ^dead
}

// RUN: tile-opt %s -split-input-file -convert-nvvm-to-sim | FileCheck %s
// RUN: tile-opt %s -split-input-file -convert-nvvm-to-sim="count-instructions" | FileCheck %s --check-prefix=COUNT

// A predicated load finds the masked-off value in the temporary; sites are numbered in program order.
// CHECK: tilec.sites = [{column = 12 : i32, file = "k.tile", line = 7 : i32, what = "load of 16 bytes"},
// CHECK-SAME: {callers = [{column = 12 : i32, file = "k.tile", line = 9 : i32}], column = 4 : i32, file = "lib.tile", line = 33 : i32, what = "store of 4 bytes, called from k.tile:9"},
// CHECK-SAME: {column = 0 : i32, file = "", line = 0 : i32, what = "load of 1 byte"}]
// CHECK: llvm.func internal @kernel.device(%[[P:.*]]: !llvm.ptr<1>, %[[C:.*]]: i1, %[[O:.*]]: vector<4xi32>)
// CHECK-NOT: nvvm
// CHECK: %[[BUF:.*]] = llvm.alloca %{{.*}} x !llvm.array<16 x i8> {alignment = 16 : i64}
// CHECK: llvm.store %[[O]], %[[BUF]] {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr
// CHECK: %[[A:.*]] = llvm.ptrtoint %[[P]] : !llvm.ptr<1> to i64
// CHECK: %[[PRED:.*]] = llvm.zext %[[C]] : i1 to i32
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(16 : i32)
// CHECK: %[[SITE:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: llvm.call @tilec_sim_global_load(%[[A]], %[[BUF]], %[[BYTES]], %[[PRED]], %[[SITE]])
// CHECK: llvm.load %[[BUF]] {alignment = 16 : i64} : !llvm.ptr -> vector<4xi32>
// CHECK: llvm.call @tilec_sim_global_store
// CHECK: llvm.call @tilec_sim_global_load
// The entry reads booleans as bytes.
// CHECK: llvm.func @kernel_entry(%[[ARGS:.*]]: !llvm.ptr) attributes {tilec.kernel_entry = "kernel"}
// CHECK: llvm.getelementptr %[[ARGS]][0]
// CHECK: llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> !llvm.ptr<1>
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> i8
// CHECK: llvm.icmp "ne"
// CHECK: llvm.call @kernel.device(
// With counts, each place of instructions is a site, and the block has them by site and class: two of memory at the first and
// second place, one without a place, and the return.
// COUNT: tilec.sites = [
// COUNT-SAME: {block = array<i32: 0, 6, 1, 1, 6, 1, 2, 6, 1, {{[0-9]+}}, 4, 1>
// COUNT: llvm.func internal @kernel.device
// COUNT: %[[TOTAL:.*]] = llvm.mlir.constant(4 : i32)
// COUNT: llvm.call @tilec_sim_count(%{{.*}}, %[[TOTAL]], %{{.*}})
// COUNT-NOT: llvm.call @tilec_sim_count
// COUNT: llvm.func @kernel_entry
module attributes {llvm.target_triple = "nvptx64-nvidia-cuda"} {
  llvm.func @kernel(%p: !llvm.ptr<1> {llvm.align = 16 : i64}, %c: i1, %o: vector<4xi32>)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
    %0 = tilegpu.ld_global %p if %c else %o : vector<4xi32> : !llvm.ptr<1> -> vector<4xi32> loc("k.tile":7:12)
    %i = llvm.mlir.constant(0 : i32) : i32
    %1 = llvm.extractelement %0[%i : i32] : vector<4xi32>
    tilegpu.st_global %1, %p : i32, !llvm.ptr<1> loc(callsite("lib.tile":33:4 at "k.tile":9:12))
    %2 = llvm.load %p : !llvm.ptr<1> -> i8 loc(unknown)
    llvm.return
  }
}

// -----

// A shared pointer is an offset.
// CHECK-LABEL: llvm.func @shared
llvm.func @shared(%v: i32, %c: i1) {
  // CHECK: %[[BASE:.*]] = llvm.mlir.zero : !llvm.ptr<3>
  %base = tilegpu.shared_base : !llvm.ptr<3>
  // CHECK: %[[P:.*]] = llvm.getelementptr %[[BASE]][64]
  %p = llvm.getelementptr inbounds %base[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  // CHECK: %[[O:.*]] = llvm.ptrtoint %[[P]] : !llvm.ptr<3> to i32
  // CHECK: llvm.call @tilec_sim_shared_store(%[[O]]
  tilegpu.st_shared %v, %p if %c : i32, !llvm.ptr<3>
  // CHECK: llvm.call @tilec_sim_shared_load
  %0 = tilegpu.ld_shared %p : !llvm.ptr<3> -> i32
  // CHECK: llvm.call @tilec_sim_atomic
  %1 = llvm.atomicrmw add %p, %v monotonic : !llvm.ptr<3>, i32
  // CHECK: llvm.call @tilec_sim_atomic
  // CHECK: llvm.icmp "eq"
  %2 = llvm.cmpxchg %p, %v, %0 acq_rel monotonic : !llvm.ptr<3>, i32
  // CHECK: llvm.call @tilec_sim_atomic
  %3 = llvm.load volatile %p : !llvm.ptr<3> -> i32
  llvm.return
}

// -----

// CHECK-LABEL: llvm.func @position
llvm.func @position() -> i32 {
  // CHECK: %[[X:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: %[[T:.*]] = llvm.call @tilec_sim_tid(%[[X]])
  %0 = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
  // CHECK: llvm.call @tilec_sim_ctaid
  %1 = nvvm.read.ptx.sreg.ctaid.y : i32
  // CHECK: llvm.call @tilec_sim_nctaid
  %2 = nvvm.read.ptx.sreg.nctaid.z : i32
  // CHECK: llvm.call @tilec_sim_laneid()
  %3 = nvvm.read.ptx.sreg.laneid : i32
  // CHECK: llvm.mlir.constant(32 : i32)
  %4 = nvvm.read.ptx.sreg.warpsize : i32
  llvm.return %0 : i32
}

// -----

// CHECK-LABEL: llvm.func @warp
llvm.func @warp(%m: i32, %f: f32, %i: i32, %c: i1) {
  // CHECK: llvm.call @tilec_sim_barrier(
  nvvm.barrier
  // CHECK: llvm.call @tilec_sim_barrier(%arg2, %arg0
  nvvm.barrier id = %i number_of_threads = %m
  // CHECK: llvm.call @tilec_sim_warp_barrier
  nvvm.bar.warp.sync %m : i32
  // CHECK: llvm.bitcast %arg1 : f32 to i32
  // CHECK: llvm.call @tilec_sim_shfl
  // CHECK: llvm.bitcast %{{.*}} : i32 to f32
  %0 = nvvm.shfl.sync bfly %m, %f, %i, %i : f32 -> f32
  // CHECK: llvm.call @tilec_sim_shfl
  // CHECK: llvm.insertvalue %{{.*}}[1] : !llvm.struct<(i32, i1)>
  %1 = nvvm.shfl.sync up %m, %i, %i, %i {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
  // CHECK: llvm.call @tilec_sim_redux
  %2 = nvvm.redux.sync umax %i, %m : i32 -> i32
  // CHECK: llvm.call @tilec_sim_vote
  %3 = nvvm.vote.sync ballot %m, %c -> i32
  // CHECK: llvm.call @tilec_sim_vote
  // CHECK: llvm.icmp "ne"
  %4 = nvvm.vote.sync any %m, %c -> i1
  // CHECK: llvm.call @tilec_sim_fence
  llvm.fence syncscope("device") acq_rel
  llvm.return
}

// -----

// CHECK-LABEL: llvm.func @math
llvm.func @__tilec_math_erf_f32(f32) -> f32
llvm.func @__tilec_math_rsqrt_f64(f64) -> f64
llvm.func @math(%f: f32, %d: f64) {
  // CHECK: llvm.intr.exp2
  %0 = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%f) : (f32) -> f32
  // CHECK: llvm.fdiv %arg0, %arg0
  %1 = llvm.call_intrinsic "llvm.nvvm.div.full"(%f, %f) : (f32, f32) -> f32
  // CHECK: llvm.call @erff(%arg0) : (f32) -> f32
  %2 = llvm.call @__tilec_math_erf_f32(%f) : (f32) -> f32
  // CHECK: %[[ROOT:.*]] = llvm.intr.sqrt(%arg1)
  // CHECK: llvm.fdiv %{{.*}}, %[[ROOT]]
  %3 = llvm.call @__tilec_math_rsqrt_f64(%d) : (f64) -> f64
  llvm.return
}

// -----

// Where the host would trap, the divisor is one.
// CHECK-LABEL: llvm.func @division
llvm.func @division(%a: i32, %b: i32, %v: vector<2xi16>) {
  // CHECK: %[[Z:.*]] = llvm.icmp "eq" %arg1, %{{.*}} : i32
  // CHECK: %[[D:.*]] = llvm.select %[[Z]], %{{.*}}, %arg1
  // CHECK: %[[Q:.*]] = llvm.udiv %arg0, %[[D]]
  // CHECK: llvm.select %[[Z]], %{{.*}}, %[[Q]]
  %0 = llvm.udiv %a, %b : i32
  %c = llvm.mlir.constant(7 : i32) : i32
  // CHECK: %[[C:.*]] = llvm.mlir.constant(7 : i32)
  // CHECK-NEXT: llvm.sdiv %arg0, %[[C]] : i32
  %1 = llvm.sdiv %a, %c : i32
  // CHECK: llvm.srem %{{.*}} : vector<2xi16>
  %2 = llvm.srem %v, %v : vector<2xi16>
  llvm.return
}

// -----

// CHECK-LABEL: llvm.func @conversion
llvm.func @conversion(%f: f32, %h: f16) {
  // CHECK: llvm.call_intrinsic "llvm.fptosi.sat"(%arg0) : (f32) -> i32
  %0 = llvm.fptosi %f : f32 to i32
  // CHECK: llvm.fpext %arg1 : f16 to f32
  // CHECK: llvm.call_intrinsic "llvm.fptoui.sat"(%{{.*}}) : (f32) -> i16
  // CHECK: llvm.trunc %{{.*}} : i16 to i8
  %1 = llvm.fptoui %h : f16 to i8
  llvm.return
}

// -----

// CHECK: llvm.mlir.global internal constant @tilec_text_1("x = \00")
// CHECK: llvm.mlir.global internal constant @tilec_text_0("n fits\00")
// CHECK-LABEL: llvm.func @calls
llvm.func @calls(%c: i1, %x: f16, %i: i32) {
  // CHECK: llvm.cond_br %arg0, ^[[REST:.*]], ^[[FAIL:.*]]
  // CHECK: ^[[FAIL]]:
  // CHECK: llvm.call @tilec_sim_assert_fail
  tilegpu.thread_assert %c, "n fits"
  // CHECK-NOT: assume
  llvm.intr.assume %c : i1
  // CHECK: llvm.fpext %arg1 : f16 to f32
  // CHECK: llvm.store %arg2
  // CHECK: llvm.call @tilec_host_print
  tilegpu.thread_print "x = ", %x at (%i) if %c : f16
  // CHECK: llvm.call @tilec_sim_trap
  "llvm.intr.trap"() : () -> ()
  llvm.return
}

// -----

// A loop that never calls the runtime gets a call; one that does not need it is left alone.
// CHECK-LABEL: llvm.func @endless
llvm.func @endless(%p: !llvm.ptr<1>) {
  llvm.br ^loop
^loop:
  // CHECK: llvm.call @tilec_sim_count
  // CHECK-NEXT: llvm.br
  llvm.br ^loop
}

// CHECK-LABEL: llvm.func @stoppable
llvm.func @stoppable(%p: !llvm.ptr<1>, %c: i1) {
  llvm.br ^loop
^loop:
  // CHECK: llvm.call @tilec_sim_global_load
  // CHECK-NOT: llvm.call @tilec_sim_count
  %0 = llvm.load %p : !llvm.ptr<1> -> i32
  llvm.cond_br %c, ^loop, ^end
^end:
  llvm.return
}

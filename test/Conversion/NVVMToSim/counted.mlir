// RUN: tile-opt %s -split-input-file -convert-nvvm-to-sim=count-instructions | FileCheck %s

// Loads of shared memory are functions that only read; those of one place have one site, so that LLVM does equal ones once. Not the
// volatile one, and not the one that is too wide for a result.
// CHECK: tilec.sites = [
// CHECK: llvm.func @tilec_sim_shared_value(i32, i32, i32) -> i64 attributes {memory_effects = #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = read, errnoMem = none, targetMem0 = none, targetMem1 = none>, no_unwind}
// CHECK: llvm.func @loads.device
module {
  llvm.func @loads(%p: !llvm.ptr<3>, %q: !llvm.ptr<3>) {
    // CHECK: llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i32
    // CHECK-NEXT: %[[SITE:.*]] = llvm.mlir.constant([[NUMBER:[0-9]+]] : i32)
    // CHECK: %[[BYTES:.*]] = llvm.mlir.constant(4 : i32)
    // CHECK: %[[A:.*]] = llvm.call @tilec_sim_shared_value(%{{.*}}, %[[BYTES]], %[[SITE]])
    // CHECK: llvm.trunc %[[A]] : i64 to i32
    %0 = tilegpu.ld_shared %p : !llvm.ptr<3> -> i32 loc("k.tile":7:12)
    // CHECK: llvm.ptrtoint
    // CHECK-NEXT: llvm.mlir.constant([[NUMBER]] : i32)
    // CHECK: llvm.call @tilec_sim_shared_value
    %1 = tilegpu.ld_shared %q : !llvm.ptr<3> -> i32 loc("k.tile":7:12)
    // CHECK: llvm.call @tilec_sim_shared_value
    // CHECK: llvm.bitcast %{{.*}} : i64 to vector<4xf16>
    %2 = llvm.load %q : !llvm.ptr<3> -> vector<4xf16>
    // CHECK: llvm.call @tilec_sim_shared_load
    %3 = tilegpu.ld_shared %q : !llvm.ptr<3> -> vector<4xi32>
    // CHECK: llvm.call @tilec_sim_atomic
    %4 = llvm.load volatile %q : !llvm.ptr<3> -> i32
    llvm.return
  }
}

// -----

// Whether all lanes of a warp have one address; atomics of one place have one site.
// CHECK: tilec.sites = [
// CHECK-SAME: line = 7 : i32, uniform, what = "atomic add"}, {column = 12 : i32, file = "k.tile", line = 8 : i32, what = "atomic add"}
// CHECK-SAME: line = 9 : i32, what = "atomic add"}]
module {
  llvm.func @atomics(%p: !llvm.ptr<1>, %v: i32) attributes {nvvm.kernel} {
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %a = llvm.getelementptr %p[%block] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %b = llvm.getelementptr %p[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %0 = tilegpu.atomic_rmw_global add %p, %v : !llvm.ptr<1>, i32 loc("k.tile":7:12)
    %1 = tilegpu.atomic_rmw_global add %a, %v : !llvm.ptr<1>, i32 loc("k.tile":7:12)
    %2 = tilegpu.atomic_rmw_global add %b, %v : !llvm.ptr<1>, i32 loc("k.tile":8:12)
    %loaded = llvm.load %p : !llvm.ptr<1> -> i32 loc("k.tile":9:4)
    %c = llvm.getelementptr %p[%loaded] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %3 = tilegpu.atomic_rmw_global add %c, %v : !llvm.ptr<1>, i32 loc("k.tile":9:12)
    llvm.return
  }
}

// -----

// What LLVM knows of special registers.
// CHECK-LABEL: llvm.func @position
llvm.func @position() -> i32 {
  // CHECK: llvm.call @tilec_sim_tid(%{{.*}}) : (i32) -> (i32 {llvm.range = #llvm.constant_range<i32, 0, 1024>})
  %0 = nvvm.read.ptx.sreg.tid.x : i32
  // CHECK: llvm.call @tilec_sim_laneid() : () -> (i32 {llvm.range = #llvm.constant_range<i32, 0, 32>})
  %1 = nvvm.read.ptx.sreg.laneid : i32
  %2 = llvm.add %0, %1 : i32
  llvm.return %2 : i32
}

// -----

// A product of 32 bits is one multiplication, both halves of one are two, and one of 64 bits is four; halves of registers
// cost nothing, and a power of two is a shift.
// CHECK: tilec.sites = [
// CHECK-SAME: {block = array<i32: [[PLACE:[0-9]+]], 0, 2, [[PLACE]], 8, 7, {{[0-9]+}}, 4, 1>
module {
  llvm.func @products(%a: i32, %b: i32, %c: i64) attributes {nvvm.kernel} {
    %distance = llvm.mlir.constant(32 : i64) : i64
    %eight = llvm.mlir.constant(8 : i32) : i32
    %shifted = llvm.mul %a, %eight : i32 loc("k.tile":7:12)
    %low = llvm.mul %shifted, %b : i32 loc("k.tile":7:12)
    %0 = llvm.zext %low : i32 to i64 loc("k.tile":7:12)
    %1 = llvm.zext %b : i32 to i64 loc("k.tile":7:12)
    %both = llvm.mul %0, %1 : i64 loc("k.tile":7:12)
    %2 = llvm.lshr %both, %distance : i64 loc("k.tile":7:12)
    %high = llvm.trunc %2 : i64 to i32 loc("k.tile":7:12)
    %3 = llvm.zext %high : i32 to i64 loc("k.tile":7:12)
    %4 = llvm.add %3, %c : i64 loc("k.tile":7:12)
    %whole = llvm.mul %4, %c : i64 loc("k.tile":7:12)
    llvm.return
  }
}

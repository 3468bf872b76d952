// RUN: tile-opt %s -split-input-file -convert-nvvm-to-sim | FileCheck %s

// CHECK: tilec.sites = [{{.*}}what = "asynchronous copy of 16 bytes"
// CHECK-LABEL: llvm.func @cp_async
// CHECK: %[[S:.*]] = llvm.ptrtoint %arg0 : !llvm.ptr<3> to i32
// CHECK: %[[G:.*]] = llvm.ptrtoint %arg1 : !llvm.ptr<1> to i64
// CHECK: llvm.call @tilec_sim_cp_async(%[[S]], %[[G]], %{{.*}}, %arg2,
// CHECK: llvm.call @tilec_sim_cp_async(
// CHECK: llvm.call @tilec_sim_cp_async_commit
// CHECK: llvm.call @tilec_sim_cp_async_wait
// CHECK: llvm.call @tilec_sim_cp_async_mbarrier_arrive
module {
  llvm.func @cp_async(%s: !llvm.ptr<3>, %g: !llvm.ptr<1>, %n: i32) {
    nvvm.cp.async.shared.global %s, %g, 16, cache = cg, %n : !llvm.ptr<3>, !llvm.ptr<1>, i32
    nvvm.cp.async.shared.global %s, %g, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 1
    nvvm.cp.async.mbarrier.arrive %s {noinc = true} : !llvm.ptr<3>
    llvm.return
  }
}

// -----

// CHECK-LABEL: llvm.func @mbarriers
// CHECK: llvm.call @tilec_sim_mbarrier_init
// CHECK: llvm.call @tilec_sim_fence_proxy
// CHECK: llvm.call @tilec_sim_mbarrier_tx
// CHECK: llvm.sub
// CHECK: llvm.call @tilec_sim_mbarrier_tx
// CHECK: %[[STATE:.*]] = llvm.call @tilec_sim_mbarrier_arrive
// CHECK: %[[P:.*]] = llvm.zext %arg2 : i1 to i32
// CHECK: llvm.call @tilec_sim_mbarrier_arrive({{.*}}, %[[P]],
// CHECK: llvm.call @tilec_sim_mbarrier_wait(%{{.*}}, %[[STATE]],
// CHECK: llvm.icmp "ne"
// CHECK: %[[PARITY:.*]] = llvm.zext %arg1 : i32 to i64
// CHECK: llvm.call @tilec_sim_mbarrier_wait(%{{.*}}, %[[PARITY]],
// CHECK: llvm.call @tilec_sim_mbarrier_wait
// CHECK: llvm.call @tilec_sim_mbarrier_inval
// CHECK: llvm.call @tilec_sim_fence_proxy
llvm.func @mbarriers(%m: !llvm.ptr<3>, %n: i32, %p: i1) -> i1 {
  nvvm.mbarrier.init %m, %n : !llvm.ptr<3>, i32
  nvvm.fence.mbarrier.init
  nvvm.mbarrier.expect_tx %m, %n : !llvm.ptr<3>, i32
  nvvm.mbarrier.complete_tx %m, %n : !llvm.ptr<3>, i32
  %0 = nvvm.mbarrier.arrive %m : !llvm.ptr<3> -> i64
  nvvm.mbarrier.arrive.expect_tx %m, %n, predicate = %p : !llvm.ptr<3>, i32, i1
  %1 = nvvm.mbarrier.test.wait %m, %0 : !llvm.ptr<3>, i64 -> i1
  %2 = nvvm.mbarrier.try_wait %m, %n : !llvm.ptr<3>, i32 -> i1
  nvvm.mbarrier.try_wait.parity %m, %n, %n : !llvm.ptr<3>, i32, i32
  nvvm.mbarrier.inval %m : !llvm.ptr<3>
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
  %3 = llvm.and %1, %2 : i1
  llvm.return %3 : i1
}

// -----

// A tensor map is an argument passed by value, of which the kernel gets the address, or lies in
// global memory.
// CHECK-LABEL: llvm.func internal @bulk.device
// CHECK: llvm.call @tilec_sim_tensor_load(%{{.*}}, %arg0,
// CHECK: %[[MAP:.*]] = llvm.inttoptr %{{.*}} : i64 to !llvm.ptr
// CHECK: llvm.call @tilec_sim_tensor_load(%{{.*}}, %[[MAP]],
// CHECK: llvm.call @tilec_sim_tensor_store
// CHECK: llvm.call @tilec_sim_tensor_store
// CHECK: llvm.call @tilec_sim_bulk_load
// CHECK: llvm.call @tilec_sim_bulk_store
// CHECK: llvm.call @tilec_sim_bulk_commit
// CHECK: llvm.call @tilec_sim_bulk_wait
// CHECK: llvm.func @bulk_entry(%[[ARGS:.*]]: !llvm.ptr)
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[ARGS]][0]
// CHECK: %[[SLOT:.*]] = llvm.load %[[PLACE]]
// CHECK: llvm.call @bulk.device(%[[SLOT]],
llvm.func @bulk(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant},
                %gmap: !llvm.ptr<1>, %n: i32, %p: i1) attributes {nvvm.kernel} {
  %s = tilegpu.shared_base : !llvm.ptr<3>
  %c = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr<7>
  %m = llvm.getelementptr %s[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %map, %m, box[%n, %n] predicate = %p
    : !llvm.ptr<7>, !llvm.ptr
  %g = llvm.addrspacecast %gmap : !llvm.ptr<1> to !llvm.ptr
  nvvm.cp.async.bulk.tensor.shared.cluster.global %s, %g, %m, box[%n] {isCTAOnly = true}
    : !llvm.ptr<3>, !llvm.ptr
  nvvm.cp.async.bulk.tensor.global.shared.cta %map, %s, box[%n, %n] : !llvm.ptr, !llvm.ptr<3>
  nvvm.cp.async.bulk.tensor.reduce %map, %s, box[%n, %n] {redKind = #nvvm.tma_redux_kind<add>}
    : !llvm.ptr, !llvm.ptr<3>
  nvvm.cp.async.bulk.shared.cluster.global %s, %gmap, %m, %n : !llvm.ptr<3>, !llvm.ptr<1>
  nvvm.cp.async.bulk.global.shared.cta %gmap, %s, %n : !llvm.ptr<1>, !llvm.ptr<3>
  nvvm.cp.async.bulk.commit.group
  nvvm.cp.async.bulk.wait_group 0 {read}
  llvm.return
}

// -----

// Hints go away.
// CHECK-LABEL: llvm.func @hints
// CHECK-NOT: nvvm
llvm.func @hints() {
  nvvm.griddepcontrol wait
  nvvm.setmaxregister increase 232
  llvm.return
}

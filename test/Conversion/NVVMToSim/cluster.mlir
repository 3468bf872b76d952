// RUN: tile-opt %s -split-input-file -convert-nvvm-to-sim | FileCheck %s

// CHECK-LABEL: llvm.func @position
llvm.func @position() {
  // CHECK: llvm.call @tilec_sim_cluster_ctarank()
  %0 = nvvm.read.ptx.sreg.cluster.ctarank : i32
  // CHECK: llvm.call @tilec_sim_cluster_nctarank()
  %1 = nvvm.read.ptx.sreg.cluster.nctarank : i32
  // CHECK: %[[Y:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @tilec_sim_cluster_ctaid(%[[Y]])
  %2 = nvvm.read.ptx.sreg.cluster.ctaid.y : i32
  // CHECK: llvm.call @tilec_sim_cluster_nctaid
  %3 = nvvm.read.ptx.sreg.cluster.nctaid.x : i32
  // CHECK: llvm.call @tilec_sim_clusterid
  %4 = nvvm.read.ptx.sreg.clusterid.z : i32
  // CHECK: llvm.call @tilec_sim_nclusterid
  %5 = nvvm.read.ptx.sreg.nclusterid.x : i32
  llvm.return
}

// -----

// CHECK: tilec.sites = [{{.*}}what = "arrival at the cluster barrier"
// CHECK-LABEL: llvm.func @barrier
module {
  llvm.func @barrier() {
    // CHECK: %[[ORDERED:.*]] = llvm.mlir.constant(0 : i32)
    // CHECK: llvm.call @tilec_sim_cluster_arrive(%[[ORDERED]],
    nvvm.cluster.arrive {aligned}
    // CHECK: llvm.call @tilec_sim_cluster_wait
    nvvm.cluster.wait {aligned}
    // CHECK: %[[RELAXED:.*]] = llvm.mlir.constant(1 : i32)
    // CHECK: llvm.call @tilec_sim_cluster_arrive(%[[RELAXED]],
    nvvm.cluster.arrive.relaxed
    // CHECK: llvm.call @tilec_sim_cluster_wait
    nvvm.cluster.wait
    llvm.return
  }
}

// -----

// An address in the cluster is one of the own CTA, or mapped to another.
// CHECK-LABEL: llvm.func @memory
llvm.func @memory(%s: !llvm.ptr<3>, %cta: i32) -> i32 {
  // CHECK: %[[S:.*]] = llvm.ptrtoint %arg0 : !llvm.ptr<3> to i32
  // CHECK: %[[M:.*]] = llvm.call @tilec_sim_mapa(%[[S]], %arg1,
  // CHECK: %[[P:.*]] = llvm.inttoptr %[[M]] : i32 to !llvm.ptr<7>
  %remote = nvvm.mapa %s, %cta : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK: llvm.getelementptr %[[P]][8]
  %next = llvm.getelementptr inbounds %remote[8] : (!llvm.ptr<7>) -> !llvm.ptr<7>, i8
  // CHECK: llvm.ptrtoint %{{.*}} : !llvm.ptr<7> to i32
  // CHECK: llvm.call @tilec_sim_cluster_load
  %0 = llvm.load %next : !llvm.ptr<7> -> i32
  // CHECK: %[[OWN:.*]] = llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<7>
  // CHECK: llvm.ptrtoint %[[OWN]] : !llvm.ptr<7> to i32
  // CHECK: llvm.call @tilec_sim_cluster_store
  %own = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr<7>
  llvm.store %0, %own : i32, !llvm.ptr<7>
  // CHECK: llvm.ptrtoint %[[P]] : !llvm.ptr<7> to i32
  // CHECK: %[[SPACE:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: llvm.call @tilec_sim_atomic(%{{.*}}, %{{.*}}, %[[SPACE]],
  %1 = llvm.atomicrmw add %remote, %0 monotonic : !llvm.ptr<7>, i32
  // CHECK: llvm.call @tilec_sim_atomic
  llvm.store volatile %0, %remote : i32, !llvm.ptr<7>
  llvm.return %1 : i32
}

// -----

// The scope says whether an arrival orders memory for other CTAs (8).
// CHECK-LABEL: llvm.func @arrivals
llvm.func @arrivals(%remote: !llvm.ptr<7>, %n: i32) {
  // CHECK: llvm.ptrtoint %arg0 : !llvm.ptr<7> to i32
  // CHECK: %[[FLAGS:.*]] = llvm.mlir.constant(8 : i32)
  // CHECK: llvm.call @tilec_sim_mbarrier_arrive(%{{.*}}, %{{.*}}, %{{.*}}, %[[FLAGS]],
  nvvm.mbarrier.arrive %remote {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
  // CHECK: %[[FLAGS:.*]] = llvm.mlir.constant(8 : i32)
  // CHECK: llvm.call @tilec_sim_mbarrier_arrive(%{{.*}}, %{{.*}}, %arg1, %[[FLAGS]],
  nvvm.mbarrier.arrive.expect_tx %remote, %n {scope = #nvvm.mem_scope<cluster>}
    : !llvm.ptr<7>, i32
  // CHECK: %[[FLAGS:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.call @tilec_sim_mbarrier_arrive(%{{.*}}, %{{.*}}, %arg1, %[[FLAGS]],
  nvvm.mbarrier.arrive.expect_tx %remote, %n : !llvm.ptr<7>, i32
  // CHECK: llvm.call @tilec_sim_mbarrier_tx
  nvvm.mbarrier.expect_tx %remote, %n : !llvm.ptr<7>, i32
  llvm.return
}

// -----

// CHECK-LABEL: llvm.func @copies
llvm.func @copies(%s: !llvm.ptr<3>, %c: !llvm.ptr<7>, %g: !llvm.ptr<1>, %map: !llvm.ptr, %n: i32,
                  %mask: i16, %p: i1) {
  // CHECK: %[[MASK:.*]] = llvm.zext %arg5 : i16 to i32
  // CHECK: llvm.call @tilec_sim_bulk_multicast(%{{.*}}, %{{.*}}, %arg4, %{{.*}}, %[[MASK]],
  nvvm.cp.async.bulk.shared.cluster.global %c, %g, %s, %n multicast_mask = %mask
    : !llvm.ptr<7>, !llvm.ptr<1>
  // CHECK: %[[MASK:.*]] = llvm.zext %arg5 : i16 to i32
  // CHECK: %[[PRED:.*]] = llvm.zext %arg6 : i1 to i32
  // CHECK: llvm.call @tilec_sim_tensor_multicast({{.*}}, %[[MASK]], %[[PRED]],
  nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %map, %s, box[%n, %n]
    multicast_mask = %mask predicate = %p : !llvm.ptr<7>, !llvm.ptr
  // CHECK: llvm.call @tilec_sim_bulk_shared(
  nvvm.cp.async.bulk.shared.cluster.shared.cta %c, %s, %s, %n : !llvm.ptr<7>, !llvm.ptr<3>
  llvm.return
}

// RUN: tile-opt %s -convert-thread-to-ptx | FileCheck %s

// What NVVM's cp.async cannot say is written as PTX; a policy is made once. Tensor copies take theirs as an operand.
// CHECK-LABEL: llvm.func @copies
// CHECK-SAME: (%[[TO:[a-z0-9]*]]: !llvm.ptr<3>, %[[FROM:[a-z0-9]*]]: !llvm.ptr<1>, %[[SIZE:[a-z0-9]*]]: i32
llvm.func @copies(%to: !llvm.ptr<3>, %from: !llvm.ptr<1>, %size: i32, %cluster: !llvm.ptr<7>, %map: !llvm.ptr, %i: i32) {
  // CHECK-NEXT: %[[POLICY:.*]] = llvm.inline_asm "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l"
  // CHECK-NOT: createpolicy
  // CHECK: nvvm.cp.async.shared.global %[[TO]], %[[FROM]], 16, cache = cg
  nvvm.cp.async.shared.global %to, %from, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  // CHECK: %[[A:.*]] = llvm.ptrtoint %[[TO]] : !llvm.ptr<3> to i32
  // CHECK: llvm.inline_asm has_side_effects "cp.async.cg.shared.global.L2::128B [$0], [$1], 16, $2;", "r,l,r" %[[A]], %[[FROM]], %[[SIZE]]
  nvvm.cp.async.shared.global %to, %from, 16, cache = cg, %size {tilegpu.whole_lines} : !llvm.ptr<3>, !llvm.ptr<1>, i32
  // CHECK: llvm.inline_asm has_side_effects "cp.async.ca.shared.global.L2::cache_hint [$0], [$1], 4, $2;", "r,l,l" %{{.*}}, %[[FROM]], %[[POLICY]]
  nvvm.cp.async.shared.global %to, %from, 4, cache = ca {tilegpu.evict = 1 : i32} : !llvm.ptr<3>, !llvm.ptr<1>
  // CHECK: llvm.inline_asm has_side_effects "cp.async.cg.shared.global.L2::cache_hint.L2::128B [$0], [$1], 16, $2, $3;", "r,l,r,l" %{{.*}}, %[[FROM]], %[[SIZE]], %[[POLICY]]
  nvvm.cp.async.shared.global %to, %from, 16, cache = cg, %size {tilegpu.evict = 1 : i32, tilegpu.whole_lines} : !llvm.ptr<3>, !llvm.ptr<1>, i32
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} l2_cache_hint = %[[POLICY]]
  nvvm.cp.async.bulk.tensor.shared.cluster.global %cluster, %map, %to, box[%i] {tilegpu.evict = 1 : i32} : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

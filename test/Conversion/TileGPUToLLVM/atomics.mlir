// RUN: tile-opt %s --convert-tilegpu-to-threads --cse | FileCheck %s

#v4 = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>
#few = #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [0]], warp = [[0], [0]], block = []}, [16]>
#one = #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}, [128]>

module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// CHECK-LABEL: func @vector
// CHECK: tilegpu.atomic_rmw_global add %{{.*}}, %{{.*}} sem = relaxed : !llvm.ptr<1>, vector<4xf32>
// CHECK-NOT: atomic_rmw_global
// CHECK: return
func.func @vector(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %v: tensor<512xf32, #v4>) {
  %r = tile.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #v4>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #v4>
  %a = tile.addptr %s, %r : tensor<512x!tile.ptr<f32>, #v4>, tensor<512xi32, #v4>
  %0 = tile.atomic_rmw add %a, %v sem = relaxed : tensor<512x!tile.ptr<f32>, #v4>
  return
}

// Unaligned: one by one. The thread waits once for what it did before.
// CHECK-LABEL: func @no_vector
// CHECK: llvm.fence syncscope("device") acq_rel
// CHECK-COUNT-4: tilegpu.atomic_rmw_global add %{{.*}}, %{{.*}} sem = relaxed : !llvm.ptr<1>, f32
// CHECK-NOT: fence
// CHECK: return
func.func @no_vector(%p: !tile.ptr<f32>, %v: tensor<512xf32, #v4>) {
  %r = tile.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #v4>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #v4>
  %a = tile.addptr %s, %r : tensor<512x!tile.ptr<f32>, #v4>, tensor<512xi32, #v4>
  %0 = tile.atomic_rmw add %a, %v sem = release : tensor<512x!tile.ptr<f32>, #v4>
  return
}

// Lane bit 4 and the warps hold copies: thread & 112 is zero in those that perform it.
// CHECK-LABEL: func @replicated
// CHECK: %[[T:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[MASK:.*]] = arith.constant 112 : i32
// CHECK: %[[BITS:.*]] = arith.andi %[[T]], %[[MASK]]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[BITS]]
// CHECK: %[[P:.*]] = arith.andi %{{.*}}, %[[FIRST]]
// CHECK: tilegpu.atomic_rmw_global umin %{{.*}}, %{{.*}} if %[[P]] scope = sys : !llvm.ptr<1>, i64
func.func @replicated(%p: tensor<16x!tile.ptr<i64>, #few>, %v: tensor<16xi64, #few>, %m: tensor<16xi1, #few>) {
  %0 = tile.atomic_rmw umin %p, %v if %m scope = sys : tensor<16x!tile.ptr<i64>, #few>
  return
}

// CHECK-LABEL: func @scalar
// CHECK: %[[T:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[T]]
// CHECK: %[[OLD:.*]] = tilegpu.atomic_cas_global %{{.*}}, %{{.*}}, %{{.*}} if %[[FIRST]] : !llvm.ptr<1>, i16
// CHECK: %[[VALUE:.*]] = arith.bitcast %[[OLD]] : i16 to f16
// CHECK: return %[[VALUE]]
func.func @scalar(%p: !tile.ptr<f16>, %v: f16) -> f16 {
  %0 = tile.atomic_cas %p, %v, %v : !tile.ptr<f16>
  return %0 : f16
}

// Something is acquired as well.
// CHECK-LABEL: func @acquired
// CHECK: llvm.fence syncscope("block") acq_rel
// CHECK-COUNT-4: tilegpu.atomic_rmw_global xor %{{.*}}, %{{.*}} sem = relaxed scope = cta : !llvm.ptr<1>, i32
// CHECK: llvm.fence syncscope("block") acq_rel
// CHECK: return
func.func @acquired(%p: tensor<512x!tile.ptr<i32>, #v4>, %v: tensor<512xi32, #v4>) {
  %0 = tile.atomic_rmw xor %p, %v scope = cta : tensor<512x!tile.ptr<i32>, #v4>
  tile.store %p, %0 : tensor<512x!tile.ptr<i32>, #v4>
  return
}

// An acquire alone needs no waiting.
// CHECK-LABEL: func @no_fence
// CHECK-NOT: fence
// CHECK-COUNT-4: tilegpu.atomic_cas_global {{.*}} sem = acquire : !llvm.ptr<1>, i32
// CHECK-NOT: fence
// CHECK: return
func.func @no_fence(%p: tensor<512x!tile.ptr<i32>, #v4>, %v: tensor<512xi32, #v4>) {
  %0 = tile.atomic_cas %p, %v, %v sem = acquire : tensor<512x!tile.ptr<i32>, #v4>
  return
}

// By the sign: signed maximum, or unsigned minimum of the bits. Each thread performs one of them.
// CHECK-LABEL: func @float_maximum
// CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : f32 to i32
// CHECK: %[[PLUS:.*]] = arith.cmpi sge, %[[BITS]]
// CHECK: %[[P:.*]] = arith.andi %[[PLUS]], %[[MASK:.*]] : i1
// CHECK: %[[A:.*]] = tilegpu.atomic_rmw_global max %{{.*}}, %[[BITS]] if %[[P]] : !llvm.ptr<1>, i32
// CHECK: %[[MINUS:.*]] = arith.cmpi slt, %[[BITS]]
// CHECK: %[[N:.*]] = arith.andi %[[MINUS]], %[[MASK]] : i1
// CHECK: %[[B:.*]] = tilegpu.atomic_rmw_global umin %{{.*}}, %[[BITS]] if %[[N]] : !llvm.ptr<1>, i32
// CHECK: arith.select %[[N]], %[[B]], %[[A]]
func.func @float_maximum(%p: tensor<128x!tile.ptr<f32>, #one>, %v: tensor<128xf32, #one>, %m: tensor<128xi1, #one>, %q: tensor<128x!tile.ptr<f32>, #one>) {
  %0 = tile.atomic_rmw max %p, %v if %m : tensor<128x!tile.ptr<f32>, #one>
  tile.store %q, %0 : tensor<128x!tile.ptr<f32>, #one>
  return
}

// CHECK-LABEL: func @float_minimum
// CHECK: tilegpu.atomic_rmw_global min %{{.*}}, %{{.*}} if %{{.*}} : !llvm.ptr<1>, i64
// CHECK: tilegpu.atomic_rmw_global umax %{{.*}}, %{{.*}} if %{{.*}} : !llvm.ptr<1>, i64
func.func @float_minimum(%p: tensor<128x!tile.ptr<f64>, #one>, %v: tensor<128xf64, #one>) {
  %0 = tile.atomic_rmw min %p, %v : tensor<128x!tile.ptr<f64>, #one>
  return
}
}

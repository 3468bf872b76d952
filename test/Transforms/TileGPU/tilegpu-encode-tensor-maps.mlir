// RUN: tile-opt %s --tilegpu-encode-tensor-maps --split-input-file | FileCheck %s
// RUN: tile-opt %s --tilegpu-encode-tensor-maps --tilegpu-allocate-shared-memory --convert-tilegpu-to-threads --split-input-file | FileCheck %s --check-prefix=THREADS
// RUN: tile-opt %s --tilegpu-encode-tensor-maps --tilegpu-allocate-shared-memory --convert-tilegpu-to-threads --convert-threads-to-llvm --convert-thread-to-ptx --split-input-file | FileCheck %s --check-prefix=PTX
// RUN: tile-opt %s --tilegpu-encode-tensor-maps --tilegpu-allocate-shared-memory --convert-tilegpu-to-threads --cse --convert-threads-to-llvm --convert-nvvm-to-sim --split-input-file | FileCheck %s --check-prefix=SIM

module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {

// Each descriptor has a slot of memory that is the CTA's while it runs.
// CHECK-LABEL: func.func @encoded
// CHECK: %[[SCRATCH:.*]] = tilegpu.local_alloc : <[64], i32
// CHECK: %[[MAPS:.*]] = tilegpu.tensor_maps_open %[[SCRATCH]] count = 2
// CHECK: scf.for
// CHECK: tilegpu.encode_tensor_map %[[MAPS]][0] first = 0, %[[SCRATCH]], %{{.*}}, shape[%{{.*}}, %{{.*}}], strides[%{{.*}}]
// CHECK: tilegpu.encode_tensor_map %[[MAPS]][1] first = 0 last, %[[SCRATCH]]
// CHECK: tilegpu.tensor_maps_close %[[MAPS]] count = 2
// CHECK-NEXT: return

// One thread claims, for as many CTAs as have room on a multiprocessor, and all learn it.
// THREADS-LABEL: func.func @encoded
// THREADS: scf.if
// THREADS: %[[CLAIM:.*]] = tilegpu.thread_claim_maps ctas = 16
// THREADS: tilegpu.st_shared %[[CLAIM]]
// THREADS: nvvm.barrier0
// THREADS: %[[NUMBER:.*]] = tilegpu.ld_shared
// THREADS: %[[MAPS:.*]] = tilegpu.thread_maps %[[NUMBER]] count = 2 ctas = 16
// What the slots held is not needed any more; each warp encodes another map, and everybody acquires all.
// THREADS: scf.if
// THREADS: nvvm.cp.async.bulk.wait_group 0
// THREADS-NOT: read
// THREADS: nvvm.barrier0
// THREADS: arith.cmpi eq, %{{.*}}, %c0_i32
// THREADS: scf.if
// THREADS: %[[FIRST:.*]] = llvm.getelementptr %[[MAPS]][0]
// THREADS: tilegpu.thread_encode_map %[[FIRST]], {{.*}} as !tile.desc<[64, 32], f16>
// THREADS-NOT: barrier
// THREADS: arith.cmpi eq, %{{.*}}, %c1_i32
// THREADS: scf.if
// THREADS: %[[SECOND:.*]] = llvm.getelementptr %[[MAPS]][128]
// THREADS: %[[OTHER:.*]] = llvm.getelementptr %{{.*}}[128] : (!llvm.ptr<3>)
// THREADS: tilegpu.thread_encode_map %[[SECOND]], %[[OTHER]], {{.*}} as !tile.desc<[16, 64], bf16>
// THREADS: nvvm.barrier0
// THREADS-COUNT-2: nvvm.fence.proxy.acquire <gpu> %{{.*}}, %c128_i32
// THREADS: scf.if
// THREADS: nvvm.cp.async.bulk.wait_group 0
// THREADS: tilegpu.thread_release_maps %[[MAPS]] count = 2 ctas = 16

// The module's memory has room for the CTAs of 160 multiprocessors.
// PTX-DAG: llvm.mlir.global internal @encoded$tensor_maps(#llvm.zero) {addr_space = 1 : i32, alignment = 128 : i64} : !llvm.array<655360 x i8>
// PTX-DAG: llvm.mlir.global internal @encoded$tensor_map_owners(#llvm.zero) {addr_space = 1 : i32, alignment = 4 : i64} : !llvm.array<640 x i8>
// PTX-DAG: llvm.mlir.global internal @encoded$tensor_map_nothing(#llvm.zero) {addr_space = 1 : i32, alignment = 16 : i64} : !llvm.array<16 x i8>
// PTX: llvm.func @encoded
// PTX: mov.u32 processor, %smid;{{.*}}and.b32 free, free, 65535;{{.*}}atom.acquire.gpu.global.or.b32 before, [place], bit;
// A tensor without elements is one zero.
// PTX: %[[EMPTY:.*]] = llvm.or
// PTX: llvm.select %[[EMPTY]], %{{.*}}, %{{.*}} : i1, !llvm.ptr<1>
// PTX: st.shared.b32 [word], 0;
// PTX-SAME: tensormap.replace.tile.global_address.shared::cta.b1024.b64 [map],
// PTX-SAME: tensormap.replace.tile.rank.shared::cta.b1024.b32 [map], 1;
// PTX-SAME: tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [map], 0,
// PTX-SAME: tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [map], 0,
// PTX-SAME: tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [map], 6;
// PTX-SAME: tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [map], 2;
// PTX-SAME: tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned
// PTX: tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [map], 10;
// PTX-SAME: tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [map], 3;
// PTX: red.release.gpu.global.and.b32 [place], bit;

// SIM: what = "tensor map"
// SIM: llvm.call @tilec_sim_tensor_maps
// SIM: llvm.call @tilec_sim_encode_tensor_map
// SIM: llvm.call @tilec_sim_encode_tensor_map
// SIM-NOT: tilegpu.thread
func.func @encoded(%p: !tile.ptr<f16>, %q: !tile.ptr<bf16>, %m: i32, %s: i64) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %m step %one : i32 {
    %0 = tile.make_tensor_descriptor %p, shape [%i, %m], strides [%s] {tile.encoded} : !tile.ptr<f16> -> !tile.desc<[64, 32], f16>
    %1 = tile.make_tensor_descriptor %q, shape [%m, %i], strides [%s] {tile.encoded} : !tile.ptr<bf16> -> !tile.desc<[16, 64], bf16>
  }
  return
}
}

// -----

// A kernel without needs nothing.
// CHECK-LABEL: func.func @plain
// CHECK-NEXT: return
func.func @plain() attributes {tile.kernel} {
  return
}

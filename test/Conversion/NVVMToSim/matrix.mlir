// RUN: tile-opt %s -split-input-file -convert-nvvm-to-sim | FileCheck %s

// Fragments go through temporaries, register by register.
// CHECK-LABEL: llvm.func @mma
// CHECK-DAG: %[[C:.*]] = llvm.alloca %{{.*}} x !llvm.array<16 x i8>
// CHECK-DAG: llvm.alloca %{{.*}} x !llvm.array<8 x i8>
// CHECK: llvm.store %arg0, %[[A:.*]] {alignment = 4 : i64} : i32, !llvm.ptr
// CHECK: %[[A3:.*]] = llvm.getelementptr %[[A]][12]
// CHECK: llvm.store %arg0, %[[A3]]
// CHECK: llvm.call @tilec_sim_mma
// CHECK: llvm.load {{.*}} -> f32
// CHECK: llvm.insertvalue %{{.*}}[3]
llvm.func @mma(%a: i32, %c: f32) -> !llvm.struct<(f32, f32, f32, f32)> {
  %0 = nvvm.mma.sync A[%a, %a, %a, %a] B[%a, %a] C[%c, %c, %c, %c]
    {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
     multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>,
     shape = #nvvm.shape<m = 16, n = 8, k = 16>}
    : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return %0 : !llvm.struct<(f32, f32, f32, f32)>
}

// -----

// Types are numbers of the runtime's; here e5m2 (7), e4m3 (6) and f32 (8), for m16n8k32.
// CHECK-LABEL: llvm.func @mma_f8
// CHECK: %[[M:.*]] = llvm.mlir.constant(16 : i32)
// CHECK: %[[N:.*]] = llvm.mlir.constant(8 : i32)
// CHECK: %[[K:.*]] = llvm.mlir.constant(32 : i32)
// CHECK: %[[TA:.*]] = llvm.mlir.constant(7 : i32)
// CHECK: %[[TB:.*]] = llvm.mlir.constant(6 : i32)
// CHECK: %[[TC:.*]] = llvm.mlir.constant(8 : i32)
// CHECK: llvm.call @tilec_sim_mma(%[[M]], %[[N]], %[[K]], %[[TA]], %[[TB]], %[[TC]]
llvm.func @mma_f8(%a: i32, %c: f32) -> f32 {
  %0:4 = tilegpu.thread_mma %a, %a, %a, %a * %a, %a + %c, %c, %c, %c as f8E5M2, f8E4M3FN, f32
    : i32, i32, i32, i32 * i32, i32 + f32, f32, f32, f32 -> f32, f32, f32, f32
  llvm.return %0#2 : f32
}

// -----

// CHECK-LABEL: llvm.func @moves
// CHECK: %[[O:.*]] = llvm.ptrtoint %arg0 : !llvm.ptr<3> to i32
// CHECK: llvm.call @tilec_sim_ldmatrix(%[[O]]
// CHECK: llvm.call @tilec_sim_stmatrix
llvm.func @moves(%p: !llvm.ptr<3>) {
  %0 = nvvm.ldmatrix %p {num = 2 : i32, layout = #nvvm.mma_layout<col>,
    shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>}
    : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
  %1 = llvm.extractvalue %0[0] : !llvm.struct<(i32, i32)>
  nvvm.stmatrix %p, %1 {layout = #nvvm.mma_layout<row>,
    shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>}
    : !llvm.ptr<3>, i32
  llvm.return
}

// -----

// Whoever uses a register that may be in flight asks for it: after a wait without results, and
// behind a block argument.
// CHECK-LABEL: llvm.func @nvvm_wgmma
// CHECK: llvm.call @tilec_sim_wgmma(
// CHECK: llvm.call @tilec_sim_wgmma_commit
// CHECK: llvm.call @tilec_sim_wgmma_wait
// CHECK: %[[E:.*]] = llvm.extractvalue %{{.*}}[1]
// CHECK: %[[B:.*]] = llvm.bitcast %[[E]] : f32 to i32
// CHECK: %[[W:.*]] = llvm.call @tilec_sim_wgmma_read(%[[B]]
// CHECK: %[[F:.*]] = llvm.bitcast %[[W]] : i32 to f32
// CHECK: llvm.return %[[F]]
llvm.func @nvvm_wgmma(%a: i64, %c: !llvm.struct<(f32, f32, f32, f32)>) -> f32 {
  nvvm.wgmma.fence.aligned
  %0 = nvvm.wgmma.mma_async %a, %a, %c, <m = 64, n = 8, k = 16>, D [<f32>, <one>],
    A [<bf16>, <neg>, <col>], B [<bf16>, <one>, <row>]
    : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  nvvm.wgmma.commit.group.sync.aligned
  nvvm.wgmma.wait.group.sync.aligned 0
  llvm.br ^next(%0 : !llvm.struct<(f32, f32, f32, f32)>)
^next(%1: !llvm.struct<(f32, f32, f32, f32)>):
  %2 = llvm.extractvalue %1[1] : !llvm.struct<(f32, f32, f32, f32)>
  llvm.return %2 : f32
}

// -----

// Between products and their wait nothing is asked.
// CHECK-LABEL: llvm.func @thread_wgmma
// CHECK: %[[FLAGS:.*]] = llvm.select %arg2
// CHECK: llvm.call @tilec_sim_wgmma(
// CHECK-NOT: tilec_sim_wgmma_read
// CHECK: llvm.call @tilec_sim_wgmma(
// CHECK-NOT: tilec_sim_wgmma_read
// CHECK: llvm.call @tilec_sim_wgmma_wait
// CHECK: llvm.call @tilec_sim_wgmma_read
llvm.func @thread_wgmma(%a: i64, %r: i32, %p: i1, %c: f32) -> f32 {
  %0:4 = tilegpu.thread_wgmma registers %r, %r, %r, %r : i32, i32, i32, i32 * %a + %c, %c, %c, %c
    if %p n_major n = 8 as f16, f16, f32 : f32, f32, f32, f32 -> f32, f32, f32, f32
  %1:4 = tilegpu.thread_wgmma desc %a * %a + %0#0, %0#1, %0#2, %0#3 n = 8 as f16, f16, f32
    : f32, f32, f32, f32 -> f32, f32, f32, f32
  nvvm.wgmma.commit.group.sync.aligned
  %2:4 = tilegpu.thread_wgmma_wait 0, %1#0, %1#1, %1#2, %1#3 : f32, f32, f32, f32
    -> f32, f32, f32, f32
  %3 = llvm.fadd %2#0, %c : f32
  llvm.return %3 : f32
}

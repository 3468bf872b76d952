// RUN: tile-opt %s -split-input-file -verify-diagnostics -convert-nvvm-to-sim

llvm.func @int4(%a: i32) {
  // expected-error @below {{'nvvm.mma.sync' is not supported on the simulator: element types}}
  %0 = nvvm.mma.sync A[%a, %a] B[%a] C[%a, %a, %a, %a]
    {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
     intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>,
     multiplicandAPtxType = #nvvm.mma_type<s4>, multiplicandBPtxType = #nvvm.mma_type<s4>,
     shape = #nvvm.shape<m = 16, n = 8, k = 32>}
    : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
  llvm.return
}

// -----

llvm.func @b8(%p: !llvm.ptr<3>) {
  // expected-error @below {{'nvvm.ldmatrix' is not supported on the simulator: expected 8 x 8 matrices of 16 bits}}
  %0 = nvvm.ldmatrix %p {num = 1 : i32, layout = #nvvm.mma_layout<col>,
    shape = #nvvm.ld_st_matrix_shape<m = 16, n = 16>, eltType = #nvvm.ld_st_matrix_elt_type<b8>}
    : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
  llvm.return
}

// -----

llvm.func @generic(%p: !llvm.ptr, %n: i32) {
  // expected-error @below {{'nvvm.mbarrier.init' is not supported on the simulator: a generic pointer to shared memory}}
  nvvm.mbarrier.init %p, %n : !llvm.ptr, i32
  llvm.return
}

// -----

llvm.func @increment(%p: !llvm.ptr<3>, %map: !llvm.ptr, %n: i32) {
  // expected-error @below {{'nvvm.cp.async.bulk.tensor.reduce' is not supported on the simulator: expected mode 'tile' and}}
  nvvm.cp.async.bulk.tensor.reduce %map, %p, box[%n] {redKind = #nvvm.tma_redux_kind<inc>}
    : !llvm.ptr, !llvm.ptr<3>
  llvm.return
}

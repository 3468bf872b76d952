// RUN: tilec compile %tilec_src/examples/45-attention-forward.tile --kernel attention_forward --target sm_90a --num-warps 8 --num-stages 2 --emit tile -o %t.mlir \
// RUN:   --arg "q_ptr=*bf16:16" --arg "k_ptr=*bf16:16" --arg "v_ptr=*bf16:16" --arg "out_ptr=*bf16:16" --arg "lse_ptr=*fp32:16" --arg seq_len=i32:16 \
// RUN:   --arg scale=fp32 --const HEAD_DIM=64 --const BLOCK_M=128 --const BLOCK_N=128 --const CAUSAL=False --no-tensor-copies
// RUN: tile-opt %t.mlir --tilec-tilegpu="num-warps=8 stop-before=tilegpu-recompute-indices" -o %t.before.mlir
// RUN: FileCheck %s --check-prefix=BEFORE < %t.before.mlir
// RUN: tile-opt %t.before.mlir --pass-pipeline="builtin.module(func.func(tilegpu-recompute-indices))" -o %t.after.mlir
// RUN: FileCheck %s < %t.after.mlir

// The queries are loaded from the offsets that the results are stored to, with the same mask.
// BEFORE: tile.load
// BEFORE: scf.for
// BEFORE: scf.for
// BEFORE-NOT: tile.make_range
// BEFORE: tile.store
// BEFORE: tile.store

// Behind the last loop they are made of ranges again; floats that the loop has given stay what they are.
// CHECK: tile.load
// CHECK: scf.for
// CHECK: %[[LOOP:.*]]:5 = scf.for
// CHECK: arith.divf %{{.*}}, %{{.*}}
// CHECK: tile.make_range {end = 128 : i32
// CHECK: arith.muli
// CHECK: tile.make_range {end = 64 : i32
// CHECK: %[[ADDRESS:.*]] = tile.addptr
// CHECK: arith.cmpi slt
// CHECK: tile.store %[[ADDRESS]]
// CHECK: math.log2
// CHECK: tile.make_range {end = 128 : i32
// CHECK: tile.store

// The thread's number is new there as well.
// RUN: tile-opt %t.after.mlir --tilegpu-plan-registers --tilegpu-allocate-shared-memory --convert-tilegpu-to-threads | FileCheck %s --check-prefix=THREADS
// THREADS: nvvm.read.ptx.sreg.tid.x
// THREADS: scf.for
// THREADS: scf.for
// THREADS-NOT: scf.for
// THREADS: tilegpu.opaque_zero
// THREADS-NOT: scf.for
// THREADS: tilegpu.st_global
